//! `touchstone compare` with the real bench: Touchstone, RocksDB's library where Debian's is installed, and
//! the harness alone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Where Debian has it.
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/librocksdb.so.7.8";

fn compare(output: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .arg("compare")
        .arg(format!("--output={}", output.display()))
        .args(["--no-limits", "--retries=0"])
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Makes a program of these lines of shell.
fn script(path: PathBuf, lines: &str) -> PathBuf {
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("allowed");
    path
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn engines_are_measured_and_compared() {
    let mut engines = vec!["touchstone", "null"];
    match Path::new(LIBRARY).exists() {
        true => engines.push("debian"),
        false => println!("skipped for RocksDB: {LIBRARY} is not there"),
    }
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().join("results");
    let engine = format!("--engine={}", engines.join(","));
    let arguments =
        [&engine, "--benchmarks=fillrandom,readrandom,overwrite", "--rounds=1", "--", "--num=2000"];
    let ran = compare(&output, &arguments);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let table = text(&ran.stdout);
    let rows = fs::read_to_string(output.join("results.csv")).expect("it is there");
    for benchmark in ["fillrandom", "readrandom", "overwrite"] {
        for engine in &engines {
            let row =
                rows.lines().find(|row| row.starts_with(&format!("default,{benchmark},{engine},")));
            let row = row.unwrap_or_else(|| panic!("no {benchmark} of {engine} in\n{table}"));
            let ops: f64 = row.split(',').nth(5).expect("a column").parse().expect("a number");
            assert!(ops > 0.0, "{row}");
        }
    }
    assert!(!table.contains("INCOMPLETE"), "{table}");
    let json = fs::read_to_string(output.join("results.json")).expect("it is there");
    assert!(json.contains("\"complete\": true"));
}

/// The way that the published results go, with few keys.
#[test]
fn results_are_published_with_their_trees_and_the_cost_of_the_harness() {
    let mut engines = vec!["touchstone", "null"];
    match Path::new(LIBRARY).exists() {
        true => engines.push("debian"),
        false => println!("skipped for RocksDB: {LIBRARY} is not there"),
    }
    let directory = tempfile::tempdir().expect("a directory");
    let (output, work) = (directory.path().join("results"), directory.path().join("work"));
    let ran = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/results"))
        .arg(format!("--touchstone={}", env!("CARGO_BIN_EXE_touchstone")))
        .arg(format!("--output={}", output.display()))
        .arg(format!("--work={}", work.display()))
        .arg(format!("--engine={}", engines.join(",")))
        .arg("--size=short")
        .output()
        .expect("the script starts");
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let results = fs::read_to_string(output.join("results.md")).expect("it is there");
    let trees: Vec<&str> = results.lines().filter(|line| line.contains(" entries")).collect();
    let shapes = [
        ("pre_flush", "L0 6 files"),
        ("post_flush", "L0 7 files"),
        ("compact_l0", "memtable 0 entries, L"),
        ("compact_l1", "memtable 0 entries, L6"),
        ("compact_all", "memtable 0 entries, L6"),
        ("l0_and_lmax", "L0 6 files"),
    ];
    for engine in engines.iter().filter(|engine| **engine != "null") {
        for (shape, part) in shapes {
            let start = format!("| {shape} | {engine} | ");
            let tree = trees.iter().find(|line| line.starts_with(&start));
            assert!(
                tree.is_some_and(|line| line.contains(part)),
                "{shape} of {engine}:\n{results}"
            );
        }
    }
    for part in ["## seekrandom", "| readwhilewriting | ", "What the harness costs"] {
        assert!(results.contains(part), "{part} is not in\n{results}");
    }
    assert!(!results.contains("Incomplete"), "{results}");
    for file in ["page.html", "results.csv", "ratio-readseq.svg", "ratio-1.svg"] {
        assert_eq!(output.join(file).exists(), engines.len() > 2 || !file.starts_with("ratio"));
    }
}

#[test]
fn an_engine_that_does_not_load_is_one_sentence() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().join("results");
    let ran = compare(&output, &["--engine=touchstone,/nowhere/librocksdb.so", "--", "--num=100"]);
    assert_eq!(ran.status.code(), Some(1));
    assert_eq!(text(&ran.stdout), "");
    let said = text(&ran.stderr);
    assert!(said.lines().count() == 1 && said.contains("/nowhere/librocksdb.so"), "{said}");
    assert!(!output.join("results.json").exists());
}

#[test]
fn what_was_measured_before_an_interrupt_is_kept_and_gone_on_with() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    // The bench, which waits with `readrandom` while there is a file `hold`.
    let bench = script(
        path("bench"),
        &format!(
            "case \"$*\" in *--benchmarks=readrandom*) touch {reached}
             while [ -e {hold} ]; do sleep 0.02; done;; esac
             exec {program} \"$@\"",
            reached = path("reached").display(),
            hold = path("hold").display(),
            program = env!("CARGO_BIN_EXE_touchstone")
        ),
    );
    fs::write(path("hold"), "").expect("written");
    let arguments = |more: &[&str]| -> Vec<String> {
        let program = format!("--program={}", bench.display());
        let output = format!("--output={}", path("results").display());
        let own =
            ["--no-limits", "--retries=0", "--rounds=1", "--benchmarks=fillrandom,readrandom"];
        let all = [program.as_str(), output.as_str()].into_iter().chain(own);
        all.chain(more.iter().copied()).chain(["--", "--num=2000"]).map(str::to_owned).collect()
    };
    let compare = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
        command.arg("compare").args(arguments(more));
        command
    };
    let running =
        compare(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while !path("reached").exists() {
        thread::sleep(Duration::from_millis(20));
    }
    let told = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(told.expect("kill runs").success());
    let ended = running.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130), "{}", text(&ended.stderr));
    assert!(text(&ended.stdout).starts_with("INCOMPLETE: 1 of 2 groups"));
    let said = text(&ended.stderr);
    assert!(said.contains("interrupted") && said.contains("--resume goes on"), "{said}");
    let results = || fs::read_to_string(path("results/results.json")).expect("it is there");
    assert!(results().contains("\"complete\": false"));

    fs::remove_file(path("hold")).expect("removed");
    let resumed = compare(&["--resume"]).output().expect("it starts");
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert!(results().contains("\"complete\": true"));
}

#[test]
fn a_release_that_cannot_be_fetched_is_one_sentence() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::create_dir(path("bin")).expect("made");
    script(
        path("bin/mvn"),
        "echo '[ERROR] Failed to execute goal: Cannot access central in offline mode'; exit 1",
    );
    let search = format!("{}:{}", path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let ran = Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .args(["compare", "--no-limits", "--engine=touchstone,rocksdb:9.3.1"])
        .arg(format!("--output={}", path("results").display()))
        .env("PATH", search)
        .env("XDG_CACHE_HOME", path("cache"))
        .output()
        .expect("the program starts");
    assert_eq!((ran.status.code(), text(&ran.stdout).as_str()), (Some(1), ""));
    let said = text(&ran.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("cannot fetch RocksDB 9.3.1") && said.contains("offline mode"), "{said}");
    assert!(!path("results/results.json").exists());
}
