use super::*;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A program of these lines of shell. `$json` is the file that it should write.
fn program(directory: &Path, script: &str) -> PathBuf {
    let path = directory.join("program");
    let find_json = "for a; do case $a in --json=*) json=${a#--json=};; esac; done\n";
    fs::write(&path, format!("#!/bin/sh\n{find_json}{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("allowed");
    path
}

fn run(script: &str, time_limit: Option<Duration>) -> Result<Vec<Record>, Failure> {
    let directory = tempfile::tempdir().expect("a directory");
    let program = program(directory.path(), script);
    let cell = Cell {
        program: &program,
        engine: "debian",
        benchmarks: "readseq",
        database: Path::new("/nowhere"),
        flags: vec!["--num=5".to_owned()],
        scratch: directory.path(),
        time_limit,
    };
    cell.run(&AtomicBool::new(false))
}

fn failure(script: &str) -> String {
    match run(script, None) {
        Err(Failure::Failed(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn records_come_from_the_file() {
    let line = Record { benchmark: "readseq".to_owned(), ..Record::default() };
    let line = line.to_line().expect("JSON");
    let records = run(&format!("cat > $json <<'END'\n{line}{line}END"), None).expect("records");
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].benchmark, "readseq");
}

#[test]
fn the_command_line_is_the_benchs() {
    let json = Path::new("/tmp/x.json");
    let cell = Cell {
        program: Path::new("touchstone"),
        engine: "rocksdb:9.3.1",
        benchmarks: "readseq,readrandom",
        database: Path::new("/db"),
        flags: vec!["--num=5".to_owned()],
        scratch: Path::new("/tmp"),
        time_limit: None,
    };
    let expected = [
        "bench",
        "--engine=rocksdb:9.3.1",
        "--benchmarks=readseq,readrandom",
        "--db=/db",
        "--json=/tmp/x.json",
        "--num=5",
    ];
    assert_eq!(cell.arguments(json), expected);
}

#[test]
fn a_failure_is_told_by_the_last_line_of_the_bench() {
    let why = failure("echo first >&2; echo 'IO error: no such library' >&2; exit 3");
    assert!(why.contains("'debian'") && why.contains("IO error: no such library"), "{why}");
    assert!(failure("exit 1").contains("it said nothing"));
}

#[test]
fn success_without_a_result_is_a_failure() {
    assert!(failure("exit 0").contains("wrote no result"));
    assert!(failure("echo '{\"schema\": 1}' > $json").contains("what is no result"));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("missing");
    let cell = Cell {
        program: &program,
        engine: "x",
        benchmarks: "y",
        database: Path::new("/db"),
        flags: Vec::new(),
        scratch: directory.path(),
        time_limit: None,
    };
    match cell.run(&AtomicBool::new(false)) {
        Err(Failure::Failed(why)) => assert!(why.contains("missing"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_takes_too_long_is_ended() {
    match run("exec sleep 600", Some(Duration::from_millis(50))) {
        Err(Failure::Failed(why)) => assert!(why.contains("not finished"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_interrupt_ends_the_process() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = program(directory.path(), "exec sleep 600");
    let cell = Cell {
        program: &program,
        engine: "x",
        benchmarks: "y",
        database: Path::new("/db"),
        flags: Vec::new(),
        scratch: directory.path(),
        time_limit: None,
    };
    assert_eq!(cell.run(&AtomicBool::new(true)), Err(Failure::Interrupted));
}
