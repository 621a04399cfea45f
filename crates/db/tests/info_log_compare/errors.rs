//! Failures of background work: a device that is full, and files that cannot be made.

use crate::work::{Step, do_both};
use crate::{events_of, main_facts, pairs};
use serde_json::Value;
use std::path::Path;
use testing::judges;

/// The number of the table that the next flush makes: as far behind the last one as that is behind the
/// one before.
fn next_table(directory: &Path) -> std::path::PathBuf {
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let tables = names.filter(|path| path.extension().is_some_and(|kind| kind == "sst"));
    let mut numbers: Vec<u64> = tables
        .map(|path| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap())
        .collect();
    numbers.sort_unstable();
    let [.., before, last] = numbers[..] else { panic!("{numbers:?}") };
    directory.join(format!("{:06}.sst", last + (last - before)))
}

/// What is written to the next table goes to a device that is full.
fn fill(directory: &Path) {
    std::os::unix::fs::symlink("/dev/full", next_table(directory)).unwrap();
}

/// Where the next table would be is a directory.
fn block(directory: &Path) {
    std::fs::create_dir(next_table(directory)).unwrap();
}

/// The last part of a status: what the operating system said. What was being done, and where, is said
/// in words of one's own.
fn cause(status: &str) -> &str {
    let cause = status.rsplit(": ").next().unwrap_or_default().trim();
    cause.split(" (os error").next().unwrap_or_default()
}

/// Events with how they ended. Of a table that was given up RocksDB tells how much of it was there, and
/// to get over an error it flushes an empty memtable as well.
fn sequence(directory: &Path) -> Vec<String> {
    let facts = |event: &Value| {
        let status = event["status"].as_str().map(cause);
        match event["event"].as_str().unwrap() {
            "table_file_creation" if status != Some("OK") => {
                format!("table_file_creation cf_name={} {status:?}", event["cf_name"])
            }
            "flush_started" if event["flush_reason"] == "Error Recovery" => {
                "flush_started flush_reason=\"Error Recovery\"".to_owned()
            }
            _ => format!("{} {status:?}", main_facts(event)),
        }
    };
    events_of(directory).iter().map(facts).collect()
}

fn causes(statuses: &[String]) -> Vec<(&str, &str)> {
    statuses.iter().map(|status| (status.split(':').next().unwrap(), cause(status))).collect()
}

const FAMILY: &str = "level0_file_num_compaction_trigger=9";

fn two_flushes() -> Vec<Step<'static>> {
    (0..2).flat_map(|flush| [Step::Put(pairs(flush, true)), Step::Flush]).collect()
}

#[test]
fn a_full_device_is_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut steps = two_flushes();
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&fill), Step::Flush]);
    steps.extend([Step::PutWhenTaken(pairs(3, true)), Step::Flush, Step::Settle]);
    let (rocksdb, own) = do_both(&judge, (theirs.path(), ours.path()), ("", FAMILY), &steps);
    assert_eq!(causes(&own), causes(&rocksdb));
    assert_eq!(causes(&own), [("IO error", "No space left on device")]);
    assert_eq!(sequence(ours.path()), sequence(theirs.path()));
}

#[test]
fn a_table_that_cannot_be_made_is_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut steps = two_flushes();
    let unblock = |directory: &Path| {
        let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.is_dir()).for_each(|path| std::fs::remove_dir(path).unwrap());
    };
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&block), Step::Flush]);
    steps.extend([Step::Put(vec![(b"key".to_vec(), b"value".to_vec())]), Step::Do(&unblock)]);
    steps.extend([Step::Reopen, Step::Put(pairs(3, true)), Step::Flush, Step::Settle]);
    let (rocksdb, own) = do_both(&judge, (theirs.path(), ours.path()), ("", FAMILY), &steps);
    assert_eq!(causes(&own), causes(&rocksdb));
    assert_eq!(causes(&own), [("IO error", "Is a directory"); 2]);
    assert_eq!(sequence(ours.path()), sequence(theirs.path()));
}
