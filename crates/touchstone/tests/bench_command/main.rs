//! `touchstone bench`, beside RocksDB's `db_bench` where that is installed.

mod engines;
mod flags;
mod keys_and_lines;
mod other_steps;
mod output;
mod published;
mod statistics;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// Reads what is there.
const COMMON: &[&str] = &["--use_existing_db=1", "--readonly", "--progress_reports=0"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn owned(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|&flag| flag.to_owned()).collect()
}

fn touchstone<A: AsRef<OsStr>>(arguments: &[A]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .arg("bench")
        .args(arguments)
        .output()
        .expect("the binary runs")
}

/// `db_bench`, or nothing where it is not installed.
fn db_bench<A: AsRef<OsStr>>(arguments: &[A]) -> Option<Output> {
    testing::peer::find("db_bench").map(|peer| peer.run(arguments))
}

fn fill_flags(path: &Path) -> Vec<String> {
    let db = format!("--db={}", path.display());
    let fixed =
        [&db, "--num=20000", "--seed=999", "--compression_type=none", "--progress_reports=0"];
    owned(&fixed)
}

/// Fills a database with `db_bench`; nothing where it is not installed.
fn fill(path: &Path, flags: &[&str]) -> Option<Output> {
    let output = db_bench(&[&fill_flags(path)[..], &owned(flags)].concat())?;
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(output)
}

/// The parts of the result lines that do not depend on time: name, operations, message.
fn results(output: &Output) -> Vec<String> {
    let stdout = text(&output.stdout);
    let lines = stdout.lines().filter(|line| line.contains(" micros/op "));
    lines
        .map(|line| {
            let (name, rest) = line.split_once(':').expect("a result line");
            let (_, after) = rest.split_once(" seconds ").expect("operations");
            let (count, _) = after.split_once(" operations;").expect("a count");
            let message = line.find('(').map_or("", |at| &line[at..]);
            let rate = if line.contains("MB/s") { "MB/s" } else { "" };
            format!("{} {count} {rate} {message}", name.trim())
        })
        .collect()
}

/// The content of a database as RocksDB finds it; none where it is not installed.
fn content(path: &Path, flags: &[&str]) -> Option<Vec<u8>> {
    let ldb = testing::peer::find("ldb")?;
    let db = format!("--db={}", path.display());
    let output = ldb.run(&[&[db.as_str(), "scan", "--hex"], flags].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(output.stdout)
}
