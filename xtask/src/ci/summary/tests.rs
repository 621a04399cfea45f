use super::Summary;

#[test]
fn summaries_add_up_and_failures_are_named() {
    let mut summary = Summary::default();
    for line in [
        "     Running unittests src/lib.rs (target/debug/deps/base-0123456789abcdef)",
        "running 4 tests",
        "test a::b ... ok",
        "test a::c ... FAILED",
        "test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out",
        "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
        "   Doc-tests base",
        "test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out",
    ] {
        summary.add(line);
    }
    assert_eq!((summary.passed, summary.failed, summary.ignored), (42, 1, 1));
    let expected = [
        "test result: FAILED. 2 passed; 1 failed; 1 ignored  base",
        "test result: ok. 40 passed; 0 failed; 0 ignored  Doc-tests base",
    ];
    assert_eq!(summary.lines, expected, "programs without tests are left out");
    let text = summary.text();
    assert!(text.ends_with("FAILED base: a::c\nall: 42 passed; 1 failed; 1 ignored"), "{text}");
}
