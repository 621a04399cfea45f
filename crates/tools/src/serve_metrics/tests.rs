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
    let cases: [(&[&str], &str); 9] = [
        (&[], "expected --db=DIR"),
        (&["--db"], "--db: expected a value"),
        (&["--bd=/x"], "--bd: unknown flag"),
        (&["x"], "expected flags only"),
        (&["--db=/x", "--mode=other"], "expected secondary or read-only"),
        (&["--db=/x", "--interval-secs=-1"], "expected seconds"),
        (&["--db=/x", "--mode=read-only", "--secondary-path=/y"], "is for --mode=secondary"),
        (&["--db=/nowhere/at/all"], "--db=/nowhere/at/all: No such file"),
        (&[&empty], "no file CURRENT"),
    ];
    for (arguments, expected) in cases {
        let (status, out, err) = run_with(arguments);
        assert!(status == 1 && out.is_empty(), "{arguments:?}");
        assert!(err.starts_with("serve-metrics: ") && err.contains(expected), "{err}");
    }
    let (status, help, _) = run_with(&["--help"]);
    assert!(status == 0 && help.contains("--interval-secs=SECONDS"));
}
