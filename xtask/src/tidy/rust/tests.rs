use super::{attributes_without_reason, banned_words, header, misplaced_tests, unsafe_code};
use crate::files::File;
use crate::tidy::Finding;

fn lines(check: fn(&File) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
    check(&File::new(path, text)).iter().map(|finding| finding.line).collect()
}

const SOURCE: &str = "crates/a/src/b.rs";
const NONE: [usize; 0] = [];

#[test]
fn a_source_without_header_is_found() {
    assert_eq!(lines(header, SOURCE, "use std::fs;\n"), [1]);
    assert_eq!(lines(header, SOURCE, "//! What.\n"), NONE);
    assert_eq!(lines(header, "crates/a/src/b/tests.rs", "use std::fs;\n"), NONE);
    assert_eq!(lines(header, "README.md", "# A\n"), NONE);
}

#[test]
fn marks_of_unfinished_work_are_found() {
    let word = |parts: [&str; 2]| parts.concat();
    let text = format!(
        "fn a() {{ {}() }}\n// {} later\nlet x = \"{}\";\n",
        word(["to", "do!"]),
        word(["FIX", "ME"]),
        word(["unimple", "mented!"])
    );
    let found: Vec<String> = banned_words(&File::new(SOURCE, &text))
        .iter()
        .map(|finding| format!("{}:{}", finding.line, finding.message.split(' ').next().unwrap()))
        .collect();
    assert_eq!(found, [word(["1:to", "do!"]), word(["2:FIX", "ME"])]);
    assert_eq!(lines(banned_words, SOURCE, "// 0xXXXX and mktemp.XXXXXX are fine\n"), NONE);
}

#[test]
fn attributes_need_reasons() {
    assert_eq!(lines(attributes_without_reason, SOURCE, "\n#[ignore]\nfn a() {}\n"), [2]);
    assert_eq!(lines(attributes_without_reason, SOURCE, "#[ignore = \"slow\"]\n"), NONE);
    assert_eq!(lines(attributes_without_reason, SOURCE, "#![allow(dead_code)]\n"), [1]);
    let with_reason = "#[expect(\n    dead_code,\n    reason = \"why\"\n)]\n";
    assert_eq!(lines(attributes_without_reason, SOURCE, with_reason), NONE);
    let with_comment = "    // Because.\n    #[allow(dead_code)]\n";
    assert_eq!(lines(attributes_without_reason, SOURCE, with_comment), NONE);
    assert_eq!(lines(attributes_without_reason, SOURCE, "x.expect(\"y\"); // #[ignore]\n"), NONE);
}

#[test]
fn unsafe_code_is_found_outside_its_files() {
    assert_eq!(lines(unsafe_code, SOURCE, "fn a() {\n    unsafe { b() }\n}\n"), [2]);
    assert_eq!(lines(unsafe_code, SOURCE, "#![forbid(unsafe_code)] // unsafe\n"), NONE);
}

#[test]
fn tests_among_the_code_are_found() {
    let text = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n";
    assert_eq!(lines(misplaced_tests, SOURCE, text), [3]);
    assert_eq!(lines(misplaced_tests, "crates/a/src/b/tests.rs", text), NONE);
    assert_eq!(lines(misplaced_tests, "crates/a/tests/whole.rs", text), NONE);
    assert_eq!(lines(misplaced_tests, SOURCE, "#[cfg(test)]\nmod tests;\n"), NONE);
}
