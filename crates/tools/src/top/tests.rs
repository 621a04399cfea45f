use super::*;

/// Exit status, output and errors.
fn run_with(arguments: &[&str]) -> (i32, String, String) {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = main(&arguments, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status, text(out), text(err))
}

#[test]
fn what_is_wrong_is_said() {
    let directory = tempfile::TempDir::new().unwrap();
    let empty = format!("--db={}", directory.path().display());
    let file = directory.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let file = format!("--db={}", file.display());
    let cases: [(&[&str], &str); 9] = [
        (&[], "expected --db=DIR"),
        (&["--db="], "--db: expected a value"),
        (&["--bd=/x"], "--bd: unknown flag"),
        (&["--db=/x", "--once=1"], "--once: expected no value"),
        (&["--db=/x", "--interval=soon"], "expected seconds from 0 to 86400, found \"soon\""),
        (&["--db=/x", "--interval=0"], "expected at least 0.01 seconds"),
        (&["--db=/nowhere/at/all"], "--db=/nowhere/at/all: No such file"),
        (&[&file], "not a directory"),
        (&[&empty, "--once"], "there is no database, or none yet: no file CURRENT"),
    ];
    for (arguments, expected) in cases {
        let (status, out, err) = run_with(arguments);
        assert!(status == 1 && out.is_empty(), "{arguments:?}");
        assert!(err.starts_with("top: ") && err.contains(expected), "{err}");
    }
    let (status, help, _) = run_with(&["--help"]);
    assert!(status == 0 && help.contains("--interval=SECONDS"));
}
