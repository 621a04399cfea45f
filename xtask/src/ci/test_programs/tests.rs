use super::{TestProgram, run, run_all};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn cargo_tells_of_programs_of_tests_among_others() {
    let message = |executable: &str, test: bool| {
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"/project/crates/base/Cargo.toml",
            "target":{{"name":"base"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
        )
    };
    let expected = TestProgram {
        name: "base".to_owned(),
        executable: PathBuf::from("/project/target/debug/deps/base-0123"),
        directory: PathBuf::from("/project/crates/base"),
    };
    let executable = r#""/project/target/debug/deps/base-0123""#;
    assert_eq!(TestProgram::of_message(&message(executable, true)), Some(expected));
    assert_eq!(TestProgram::of_message(&message(executable, false)), None, "a program");
    assert_eq!(TestProgram::of_message(&message("null", true)), None, "a library");
    assert_eq!(TestProgram::of_message(r#"{"reason":"build-finished","success":true}"#), None);
    assert_eq!(TestProgram::of_message("no message"), None);
}

fn program(name: &str, executable: &str) -> TestProgram {
    let directory = Path::new("/").to_owned();
    TestProgram { name: name.to_owned(), executable: PathBuf::from(executable), directory }
}

#[test]
fn all_run_and_those_that_failed_are_named() {
    let mut programs: Vec<_> = (0..9).map(|_| program("good", "true")).collect();
    let mut told = Vec::new();
    assert_eq!(run_all(&programs, |text| told.push(text.to_owned())), Ok(()));
    assert_eq!(told, vec!["     Running good (true)\n"; 9]);
    programs.push(program("bad", "false"));
    programs.push(program("missing", "/no/such/program"));
    let failed = run_all(&programs, |_| {});
    assert_eq!(failed, Err("tests failed: bad, missing".to_owned()));
}

#[test]
fn both_streams_are_kept_in_order_and_a_signal_is_told() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo one; echo two >&2; echo $VALUE $CI; kill -KILL $$"]);
    command.env("VALUE", "3");
    let (text, has_passed) = run(command);
    assert_eq!(text, "one\ntwo\n3 true\nsignal: 9 (SIGKILL)\n");
    assert!(!has_passed);
}
