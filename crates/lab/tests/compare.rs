//! `touchstone compare` with a program in place of the bench, from arguments to files.

use record::{EngineFacts, Record};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// A program that behaves like `touchstone bench` as far as a comparison sees it. It keeps its command
/// lines in `calls`, makes a file in the database, refuses the engine `broken`, fails once where there is
/// a file `fail-once`, and is twice as fast with the engine `fast`.
const BENCH: &str = r#"#!/bin/sh
[ $# -gt 0 ] || exit 0
here=$(dirname "$0")
echo "$*" >> "$here/calls"
for a; do
  case $a in
    --engine=*) engine=${a#*=};;
    --benchmarks=*) benchmarks=${a#*=};;
    --db=*) db=${a#*=};;
    --json=*) json=${a#*=};;
    --readonly=1) readonly=1;;
  esac
done
if [ "$engine" = broken ]; then echo "IO error: broken: no such library" >&2; exit 1; fi
if [ "$benchmarks" = readrandom ] && [ "$engine" = fast ] && [ -e "$here/fail-once" ]; then
  rm "$here/fail-once"; echo "IO error: a read failed" >&2; exit 1
fi
if [ -n "$readonly" ] && [ ! -e "$db/000001.sst" ]; then echo "no database in $db" >&2; exit 1; fi
[ -n "$readonly" ] || echo data > "$db/000001.sst"
ops=1000; [ "$engine" != fast ] || ops=2000
echo "$benchmarks" | tr , '\n' | while read -r name; do
  sed "s/BENCHMARK/${name%%[*}/;s/ENGINE/$engine/;s/4321\.5/$ops/" "$here/line" >> "$json"
done
"#;

struct Setup {
    directory: TempDir,
}

impl Setup {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let program = directory.path().join("program");
        fs::write(&program, BENCH).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("allowed");
        // A test that forks while this one writes keeps the program open for a moment.
        while Command::new(&program).status().is_err() {
            thread::sleep(Duration::from_millis(5));
        }
        let record = Record {
            schema: record::SCHEMA,
            engine: EngineFacts { name: "ENGINE".to_owned(), ..EngineFacts::default() },
            benchmark: "BENCHMARK".to_owned(),
            operations: Some(10),
            ops_per_second: Some(4321.5),
            ..Record::default()
        };
        fs::write(directory.path().join("line"), record.to_line().expect("JSON")).expect("written");
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs `compare` and returns its status, what it printed, and what it said to standard error.
    fn compare(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut all = vec![
            format!("--program={}", self.path("program").display()),
            format!("--output={}", self.path("output").display()),
            "--no-limits".to_owned(),
            // Machines that run tests are never steady.
            "--control-tolerance=100000".to_owned(),
        ];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let status = lab::compare::main(&all, &mut out, &mut err);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (status, text(out), text(err))
    }

    fn output(&self, name: &str) -> String {
        let path = self.path("output").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Engine, benchmarks and database of each call of the program.
    fn calls(&self) -> Vec<[String; 3]> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        let value = |line: &str, flag: &str| {
            let argument = line.split(' ').find_map(|argument| argument.strip_prefix(flag));
            argument.unwrap_or_default().to_owned()
        };
        let database = |line: &str| {
            let path = value(line, "--db=");
            Path::new(&path).file_name().expect("a name").to_string_lossy().into_owned()
        };
        text.lines()
            .map(|line| [value(line, "--engine="), value(line, "--benchmarks="), database(line)])
            .collect()
    }
}

#[test]
fn benchmarks_that_read_share_a_process_in_each_shape() {
    let setup = Setup::new();
    let (status, out, err) = setup.compare(&[
        "--engine=slow,fast",
        "--benchmarks=overwrite,readrandom,seekrandom[X3]",
        "--rounds=3",
        "--shape=loaded",
        "--shape=memtable=10,l0=2",
        "--benchmark-flags=overwrite: --threads=2",
    ]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let round: Vec<[String; 3]> = setup.calls().into_iter().rev().take(6).rev().collect();
    let together = "readrandom[W1],seekrandom[X3]";
    let expected = [
        ["slow", "overwrite", "work"],
        ["fast", "overwrite", "work"],
        ["slow", together, "set0-engine0"],
        ["fast", together, "set0-engine1"],
        ["slow", together, "work"],
        ["fast", together, "work"],
    ];
    assert_eq!(round, expected);
    let calls = fs::read_to_string(setup.path("calls")).expect("it is there");
    let count = |text: &str| calls.lines().filter(|line| line.contains(text)).count();
    assert_eq!(
        (count("--shape=memtable=10,l0=2"), count("--threads=2"), count("readonly=1")),
        (6, 6, 6)
    );

    let document = setup.output("results.md");
    for part in [
        "    --shape=loaded \\",
        "| benchmark | slow | fast |",
        "| overwrite | 1000 | 2000 (2.00 +) |",
        "## seekrandom",
        "| memtable=10,l0=2 | 1000 | 2000 (2.00 +) |",
        "![ratio-seekrandom](ratio-seekrandom.svg)",
    ] {
        assert!(document.contains(part), "{part} is not in\n{document}");
    }
    assert!(setup.output("ratio-readrandom.svg").contains("memtable=10,l0=2"));
}

const TWO: &[&str] = &["--engine=slow,fast", "--rounds=3"];

#[test]
fn engines_take_turns_and_all_files_are_there() {
    let setup = Setup::new();
    let (status, out, err) = setup.compare(&[TWO, &["--benchmarks=fillseq,readrandom"]].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    let mut expected = vec![("slow", "fillseq", "try"), ("fast", "fillseq", "try")];
    expected.push(("slow", "fillseq,flush", "unfinished"));
    expected.push(("fast", "fillseq,flush", "unfinished"));
    for _ in 0..3 {
        expected.extend([("slow", "fillseq", "work"), ("fast", "fillseq", "work")]);
        expected.push(("slow", "readrandom", "set0-engine0"));
        expected.push(("fast", "readrandom", "set0-engine1"));
    }
    let expected: Vec<[String; 3]> =
        expected.into_iter().map(|(a, b, c)| [a, b, c].map(str::to_owned)).collect();
    assert_eq!(setup.calls(), expected);

    let fast = out.lines().find(|line| line.starts_with("readrandom") && line.contains("fast"));
    let fast = fast.expect("a line");
    assert!(fast.contains("2.00 to 2.00") && fast.ends_with('+'), "{out}");
    assert!(setup.output("results.csv").contains("default,readrandom,fast,3,0,2000"));
    assert!(setup.output("results.json").contains("\"complete\": true"));
    assert!(setup.output("page.html").contains("<svg"));
    assert!(setup.output("ratio-1.svg").starts_with("<svg"));
    assert!(!setup.path("output").join("databases").exists(), "databases are left");
}

/// A program that behaves like RocksDB's own tool of release 7.8.3, three times as fast as the engine
/// `slow`. It keeps its command lines in `tool-calls`.
const DB_BENCH: &str = r#"#!/bin/sh
echo "$*" >> "$(dirname "$0")/tool-calls"
echo "RocksDB:    version 7.8.3" >&2
for a; do case $a in --benchmarks=*) name=${a#*=};; esac; done
echo "$name   :   10.0 micros/op 3000 ops/sec 0.1 seconds 10 operations;    0.1 MB/s"
"#;

#[test]
fn db_bench_of_an_engine_runs_beside_it_and_the_faster_counts() {
    let setup = Setup::new();
    let tool = setup.path("db_bench");
    fs::write(&tool, DB_BENCH).expect("written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("allowed");
    let line = fs::read_to_string(setup.path("line")).expect("it is there");
    let line = line.replace(r#""version":"""#, r#""version":"7.8.3""#);
    fs::write(setup.path("line"), line.replace(r#""kind":"""#, r#""kind":"c_api""#))
        .expect("written");
    let beside = format!("--db-bench=slow={}", tool.display());
    let arguments = [TWO, &["--benchmarks=fillseq,readrandom", beside.as_str()]].concat();
    let (status, out, err) = setup.compare(&arguments);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let calls = fs::read_to_string(setup.path("tool-calls")).expect("it is there");
    assert_eq!(calls.lines().count(), 6, "{calls}");
    assert!(calls.contains("set0-engine0") && calls.contains("--readonly=1"), "{calls}");
    assert!(out.contains("op/s by db_bench; 1000 through C"), "{out}");
    assert!(out.contains("db_bench in 2 of 2 rows where both ran"), "{out}");
    assert!(out.contains("fast was measured through RocksDB's C functions alone"), "{out}");
    assert!(setup.output("results.csv").contains("default,readrandom,slow,3,0,3000"));
    assert!(setup.output("results.md").contains("| fillseq | 3000 by db_bench | 2000 (0.67 -) |"));

    let (status, _, err) = setup.compare(&["--engine=slow", "--db-bench=fast=db_bench"]);
    assert_eq!(status, 1);
    assert!(err.contains("'fast' is not in --engine"), "{err}");
}

#[test]
fn a_db_bench_of_another_release_is_named_and_does_not_count() {
    let setup = Setup::new();
    let tool = setup.path("db_bench");
    fs::write(&tool, DB_BENCH).expect("written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("allowed");
    let line = fs::read_to_string(setup.path("line")).expect("it is there");
    let line = line.replace(r#""version":"""#, r#""version":"9.3.1""#);
    fs::write(setup.path("line"), line.replace(r#""kind":"""#, r#""kind":"c_api""#))
        .expect("written");
    let beside = format!("--db-bench=slow={}", tool.display());
    let (status, out, _) =
        setup.compare(&["--engine=slow", "--benchmarks=fillseq", "--rounds=1", &beside]);
    assert_eq!(status, 0);
    assert!(out.contains("db_bench is of release 7.8.3, and the library of 9.3.1"), "{out}");
    assert!(!out.contains("by db_bench;"), "{out}");
}

#[test]
fn no_round_begins_for_which_there_is_no_time() {
    let setup = Setup::new();
    let arguments = ["--engine=slow", "--benchmarks=fillseq", "--rounds=4", "--minutes=0"];
    let (status, out, err) = setup.compare(&arguments);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("Of one round alone") && !out.contains("INCOMPLETE"), "{out}");
    assert!(setup.output("results.json").contains("\"complete\": true"));
    // There is more time now.
    let (status, out, _) = setup.compare(&[&arguments[..3], &["--resume"]].concat());
    assert_eq!(status, 0);
    assert!(out.contains("Medians of 4 rounds"), "{out}");
}

#[test]
fn groups_are_repeated_so_often_altogether_at_most() {
    let setup = Setup::new();
    let arguments = [
        "--engine=slow",
        "--benchmarks=fillseq",
        "--rounds=4",
        "--retries=2",
        "--retries-total=3",
        // Nothing is as steady as that.
        "--control-tolerance=0.0000001",
    ];
    assert_eq!(setup.compare(&arguments).0, 0);
    assert_eq!(setup.calls().iter().filter(|call| call[2] == "work").count(), 4 + 3);
}

#[test]
fn writers_get_a_copy_of_what_was_loaded() {
    let setup = Setup::new();
    let arguments = ["--benchmarks=overwrite", "--rounds=1", "--keep-databases", "--cache=cold"];
    let (status, out, _) = setup.compare(&arguments);
    assert_eq!(status, 0);
    assert_eq!(setup.calls().last().expect("a call")[2], "work");
    assert!(out.contains("posix_fadvise"), "{out}");
    assert!(setup.path("output/databases/set0-engine0/000001.sst").exists());
    assert!(!setup.path("output/databases/work").exists());
}

#[test]
fn an_engine_that_does_not_load_ends_it_before_anything_is_measured() {
    let setup = Setup::new();
    let (status, out, err) = setup.compare(&["--engine=slow,broken"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("engine 'broken'") && err.contains("no such library"), "{err}");
    assert!(!setup.path("output/results.json").exists());
    // Nothing is in the way of the next one.
    assert_eq!(setup.compare(&["--engine=slow", "--rounds=1"]).0, 0);
}

#[test]
fn what_failed_is_marked_incomplete_and_is_gone_on_with() {
    let setup = Setup::new();
    fs::write(setup.path("fail-once"), "").expect("written");
    let arguments = [TWO, &["--benchmarks=fillseq,readrandom"]].concat();
    let (status, out, err) = setup.compare(&arguments);
    assert_eq!(status, 1);
    assert!(out.starts_with("INCOMPLETE: 1 of 6 groups"), "{out}");
    assert!(err.contains("a read failed") && err.contains("--resume"), "{err}");
    assert!(setup.output("results.csv").starts_with("# INCOMPLETE"));
    assert!(setup.output("results.json").contains("\"complete\": false"));

    let (status, _, err) = setup.compare(&arguments);
    assert_eq!(status, 1);
    assert!(err.contains("--resume goes on"), "{err}");

    fs::remove_file(setup.path("calls")).expect("it is there");
    let (status, out, _) = setup.compare(&[arguments.as_slice(), &["--resume"]].concat());
    assert_eq!(status, 0);
    assert!(!out.contains("INCOMPLETE"), "{out}");
    let calls = setup.calls();
    assert!(calls.iter().all(|call| call[1] != "fillseq,flush"), "it was filled again: {calls:?}");
    // Each engine: tried once, the first round's fillseq was done before.
    let fills = calls.iter().filter(|call| call[2] == "work").count();
    assert_eq!(fills, 4, "{calls:?}");
}

#[test]
fn another_comparison_is_not_resumed() {
    let setup = Setup::new();
    assert_eq!(setup.compare(&["--engine=slow", "--rounds=1"]).0, 0);
    let (status, _, err) = setup.compare(&["--engine=fast", "--rounds=1", "--resume"]);
    assert_eq!(status, 1);
    assert!(err.contains("another comparison"), "{err}");
}

#[test]
fn unsteady_groups_are_repeated_and_not_for_ever() {
    let setup = Setup::new();
    let arguments = [
        "--engine=slow",
        "--benchmarks=fillseq",
        "--rounds=1",
        "--retries=2",
        // Nothing is as steady as that.
        "--control-tolerance=0.0000001",
    ];
    let (status, out, _) = setup.compare(&arguments);
    assert_eq!(status, 0);
    assert_eq!(setup.calls().iter().filter(|call| call[2] == "work").count(), 3);
    assert!(out.contains("1 of 1 rounds unsteady"), "{out}");
}

#[test]
fn a_directory_in_use_is_named() {
    let setup = Setup::new();
    fs::create_dir(setup.path("output")).expect("made");
    let lock = fs::File::create(setup.path("output/LOCK")).expect("made");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("taken");
    let (status, _, err) = setup.compare(&["--engine=slow"]);
    assert_eq!(status, 1);
    assert!(err.contains("in use by another comparison"), "{err}");
    assert!(setup.calls().is_empty());
}

#[test]
fn too_little_disk_is_known_before_anything_is_written() {
    let setup = Setup::new();
    let (status, _, err) = setup.compare(&["--engine=slow", "--", "--num=1000000000000000"]);
    assert_eq!(status, 1);
    assert!(err.contains("MB are free") && err.contains("--databases"), "{err}");
    assert!(setup.calls().is_empty());
}

#[test]
fn wrong_arguments_have_a_status_of_their_own() {
    let setup = Setup::new();
    let (status, _, err) = setup.compare(&["--no-such-flag"]);
    assert_eq!(status, 2);
    assert!(err.contains("--no-such-flag"), "{err}");
    let (status, out, _) = setup.compare(&["--help"]);
    assert_eq!(status, 0);
    assert!(out.contains("--arrival-rate"), "{out}");
}
