//! Runs RocksDB's `ldb` 7.8.3 and ours on the directories that released versions of RocksDB wrote,
//! with many command lines, and compares standard output and exit status byte for byte.
//!
//! Every second directory is looked at, and with `TOUCHSTONE_LONG=1` all of them.
//!
//! Where they may differ stands in [`argued`], with the reason and with what must hold instead.
//! A rule there that no directory needs any more fails the test in its long mode.

mod argued;
mod command_lines;
mod golden;
mod runs;
mod writes;

use argued::Verdict;
use command_lines::CommandLine;
use runs::{Run, run_ours, run_peer};
use std::fmt::{self, Write as _};
use std::path::Path;
use testing::fixtures::{self, Fixture};
use testing::long_mode::is_long;
use testing::parallel;
use testing::peer::Peer;

/// Differences spelled out of one directory.
const REPORTED: usize = 3;

#[test]
fn output_and_exit_status_are_those_of_rocksdb() {
    let Some(peer) = testing::peer::find("ldb") else { return };
    let fixtures: Vec<_> = fixtures::for_peers().into_iter().enumerate().map(Indexed).collect();
    parallel::for_each(&fixtures, |Indexed((index, fixture))| compare(peer, *index, fixture));
    let unused = if is_long() { argued::unused() } else { Vec::new() };
    assert!(unused.is_empty(), "rules that are not needed any more: {unused:?}");
}

/// A damaged command line, or one about nothing, is answered alike.
#[test]
fn bad_command_lines_fail_as_rocksdbs_do() {
    let Some(peer) = testing::peer::find("ldb") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let lines = command_lines::bad(directory.path());
    parallel::for_each(&lines, |line| {
        let (ours, theirs) = (run_ours(line), run_peer(peer, line));
        // Where theirs is aborted ours fails, which is all that can be the same.
        match ours.stdout == theirs.stdout && ours.status == Some(theirs.status.unwrap_or(1)) {
            true => Ok(()),
            false => Err(describe(&ours, &theirs)),
        }
    });
}

/// A fixture and its place among those that are looked at, by which command lines are chosen.
struct Indexed((usize, Fixture));

impl fmt::Display for Indexed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.1.fmt(f)
    }
}

/// Compares all command lines on one directory. Ours run first: they must not change it.
fn compare(peer: Peer, index: usize, fixture: &Fixture) -> Result<(), String> {
    let unpacked = fixture.unpack_to_temp();
    let lines = command_lines::of(index, fixture, &unpacked.path());
    let before = list(&unpacked.path());
    let ours: Vec<Run> = lines.iter().map(run_ours).collect();
    if list(&unpacked.path()) != before {
        return Err("our ldb changed the directory".to_owned());
    }
    let mut differences = Vec::new();
    for (line, ours) in lines.iter().zip(&ours) {
        let theirs = run_peer(peer, line);
        if let Err(why) = judge(fixture, line, ours, &theirs) {
            differences.push(format!("{line}: {why}"));
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    let count = differences.len();
    differences.truncate(REPORTED);
    Err(format!("{count} of {} lines:\n{}", lines.len(), differences.join("\n")))
}

fn judge(fixture: &Fixture, line: &CommandLine, ours: &Run, theirs: &Run) -> Result<(), String> {
    if ours.stdout == theirs.stdout && ours.status == theirs.status {
        return Ok(());
    }
    match argued::verdict(fixture, line, ours, theirs) {
        Verdict::Argued => Ok(()),
        Verdict::Unknown => Err(describe(ours, theirs)),
        Verdict::Violated(rule) => Err(format!("not as {rule} says: {}", describe(ours, theirs))),
    }
}

/// Where two runs part.
fn describe(ours: &Run, theirs: &Run) -> String {
    let mut text = format!("ours {:?}, theirs {:?}", ours.status, theirs.status);
    let lines = |run: &Run| -> Vec<String> {
        run.stdout
            .split(|byte| *byte == b'\n')
            .map(|line| line.escape_ascii().to_string())
            .collect()
    };
    let (mine, other) = (lines(ours), lines(theirs));
    if let Some(at) = (0..mine.len().max(other.len())).find(|at| mine.get(*at) != other.get(*at)) {
        let shown = |lines: &[String]| match lines.get(at) {
            Some(line) => line.chars().take(160).collect(),
            None => String::from("(end)"),
        };
        let _ = write!(text, "; line {}:\n    {}\n    {}", at + 1, shown(&mine), shown(&other));
    }
    let _ = write!(text, "\n  ours: {}\n  theirs: {}", ours.first_error(), theirs.first_error());
    text
}

/// Names and sizes of all files below a directory.
fn list(directory: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(directory).expect("a directory");
    for entry in entries {
        let entry = entry.expect("an entry");
        let metadata = entry.metadata().expect("its metadata");
        let path = entry.path();
        found.push((path.to_string_lossy().into_owned(), metadata.len()));
        if metadata.is_dir() {
            found.extend(list(&path));
        }
    }
    found.sort();
    found
}
