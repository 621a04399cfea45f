//! Failures of background work: a device that is full, and files that cannot be made.

use crate::work::{Step, do_both};
use crate::{events_of, main_facts, pairs};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::judges;

/// The numbers in the names of files that begin and end so, from small to large.
fn numbers_of(directory: &Path, start: &str, end: &str) -> Vec<u64> {
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    let number = |name: &String| name.strip_prefix(start)?.strip_suffix(end)?.parse().ok();
    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// The number of the table that the next flush makes: as far behind the last one as that is behind the
/// one before.
fn next_number(directory: &Path) -> u64 {
    let numbers = numbers_of(directory, "", ".sst");
    let [.., before, last] = numbers[..] else { panic!("{numbers:?}") };
    last + (last - before)
}

fn table(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.sst"))
}

/// What is written to a file goes to a device that is full.
fn fill(path: PathBuf) {
    std::os::unix::fs::symlink("/dev/full", path).unwrap();
}

/// Where a file would be is a directory.
fn block(path: PathBuf) {
    std::fs::create_dir(path).unwrap();
}

/// Takes away the directories that were put where files would be.
fn unblock(directory: &Path) {
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.is_dir()).for_each(|path| std::fs::remove_dir(path).unwrap());
}

/// The last part of a status: what the operating system said. What was being done, and where, is said
/// in words of one's own.
fn cause(status: &str) -> &str {
    let cause = status.rsplit(": ").next().unwrap_or_default().trim();
    cause.split(" (os error").next().unwrap_or_default()
}

/// An event with how it ended. Of a table that was given up RocksDB tells how much of it was there, and
/// to get over an error it flushes an empty memtable as well.
fn facts(event: &Value, has_failed: bool) -> String {
    let status = event["status"].as_str().map(cause);
    match event["event"].as_str().unwrap() {
        "table_file_creation" if status != Some("OK") => {
            format!("table_file_creation cf_name={} {status:?}", event["cf_name"])
        }
        "flush_started" if event["flush_reason"] == "Error Recovery" => {
            "flush_started flush_reason=\"Error Recovery\"".to_owned()
        }
        // What came of it before it failed counts in RocksDB.
        "compaction_finished" if has_failed => {
            format!("compaction_finished lsm_state={}", event["lsm_state"])
        }
        _ => format!("{} {status:?}", main_facts(event)),
    }
}

/// What a job made and gave up it deletes before it ends or after.
fn deletions_last(mut events: Vec<String>) -> Vec<String> {
    for index in 1..events.len() {
        let is_deletion = events[index - 1].starts_with("table_file_deletion");
        if is_deletion && events[index].contains("_finished ") {
            events.swap(index - 1, index);
        }
    }
    events
}

fn sequence(directory: &Path) -> Vec<String> {
    deletions_last(events_of(directory).iter().map(|event| facts(event, false)).collect())
}

/// As above, job by job: a flush may end after the compaction has begun that follows it.
fn jobs(directory: &Path) -> Vec<Vec<String>> {
    let mut jobs = BTreeMap::<(usize, u64), (bool, Vec<String>)>::new();
    let mut opens = 0;
    for event in events_of(directory) {
        opens += usize::from(event["event"] == "recovery_started");
        let job = event["job"].as_u64().unwrap_or(0);
        let (has_failed, events) = jobs.entry((opens, job)).or_default();
        *has_failed |= event["status"].as_str().is_some_and(|status| status != "OK");
        events.push(facts(&event, *has_failed));
    }
    jobs.into_values().map(|(_, events)| deletions_last(events)).collect()
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
    let fill_flush = |directory: &Path| fill(table(directory, next_number(directory)));
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&fill_flush), Step::Flush]);
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
    let block_flush = |directory: &Path| block(table(directory, next_number(directory)));
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&block_flush), Step::Flush]);
    steps.extend([Step::Put(vec![(b"key".to_vec(), b"value".to_vec())]), Step::Do(&unblock)]);
    steps.extend([Step::Reopen, Step::Put(pairs(3, true)), Step::Flush, Step::Settle]);
    let (rocksdb, own) = do_both(&judge, (theirs.path(), ours.path()), ("", FAMILY), &steps);
    assert_eq!(causes(&own), causes(&rocksdb));
    assert_eq!(causes(&own), [("IO error", "Is a directory"); 2]);
    assert_eq!(sequence(ours.path()), sequence(theirs.path()));
}

/// The third table of level 0 starts a compaction, whose table has the number behind it.
const COMPACTED: &str =
    "level0_file_num_compaction_trigger=3;level_compaction_dynamic_level_bytes=false";

#[test]
fn a_full_device_is_told_of_a_compaction_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut steps = two_flushes();
    let fill_compaction = |directory: &Path| fill(table(directory, next_number(directory) + 1));
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&fill_compaction), Step::Flush]);
    steps.extend([Step::SettleWhenWell, Step::Put(pairs(3, true)), Step::Flush, Step::Settle]);
    let (rocksdb, own) = do_both(&judge, (theirs.path(), ours.path()), ("", COMPACTED), &steps);
    assert_eq!((own, rocksdb), (vec![], vec![]));
    assert_eq!(jobs(ours.path()), jobs(theirs.path()));
}

#[test]
fn a_table_that_a_compaction_cannot_make_is_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut steps = two_flushes();
    let block_compaction = |directory: &Path| block(table(directory, next_number(directory) + 1));
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&block_compaction), Step::Flush]);
    // Whether there is something to wait for yet is chance.
    let wait = |_: &Path| std::thread::sleep(Duration::from_secs(1));
    steps.extend([Step::Do(&wait), Step::Put(vec![(b"key".to_vec(), b"value".to_vec())])]);
    steps.extend([Step::Do(&unblock), Step::Reopen, Step::Settle]);
    steps.extend([Step::Put(pairs(3, true)), Step::Flush, Step::Settle]);
    let (rocksdb, own) = do_both(&judge, (theirs.path(), ours.path()), ("", COMPACTED), &steps);
    // RocksDB may give it to the flush as well that was before.
    let distinct = BTreeSet::from_iter(causes(&rocksdb));
    assert_eq!(BTreeSet::from_iter(causes(&own)), distinct);
    assert_eq!(causes(&own), [("IO error", "Is a directory")]);
    assert_eq!(jobs(ours.path()), jobs(theirs.path()));
}

/// Each edit goes to a new MANIFEST.
const NEW_MANIFESTS: &str = "max_manifest_file_size=1;max_manifest_space_amp_pct=0";

/// Where the next flush puts its edit.
fn next_manifest(directory: &Path) -> PathBuf {
    let last = numbers_of(directory, "MANIFEST-", "").pop().unwrap();
    let tables = numbers_of(directory, "", ".sst");
    let [.., table] = tables[..] else { panic!("{tables:?}") };
    directory.join(format!("MANIFEST-{:06}", next_number(directory) + (last - table)))
}

#[test]
fn a_full_device_is_told_of_a_manifest_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut steps = two_flushes();
    let fill_manifest = |directory: &Path| fill(next_manifest(directory));
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&fill_manifest), Step::Flush]);
    steps.extend([Step::PutWhenTaken(pairs(3, true)), Step::Flush, Step::Settle]);
    let places = (theirs.path(), ours.path());
    let (rocksdb, own) = do_both(&judge, places, (NEW_MANIFESTS, FAMILY), &steps);
    assert_eq!(causes(&own), causes(&rocksdb));
    assert_eq!(sequence(ours.path()), sequence(theirs.path()));
}

#[test]
fn a_manifest_that_cannot_be_made_is_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut steps = two_flushes();
    let block_manifest = |directory: &Path| block(next_manifest(directory));
    steps.extend([Step::Put(pairs(2, true)), Step::Do(&block_manifest), Step::Flush]);
    steps.extend([Step::Put(vec![(b"key".to_vec(), b"value".to_vec())]), Step::Do(&unblock)]);
    steps.extend([Step::Reopen, Step::Put(pairs(3, true)), Step::Flush, Step::Settle]);
    let places = (theirs.path(), ours.path());
    let (rocksdb, own) = do_both(&judge, places, (NEW_MANIFESTS, FAMILY), &steps);
    assert_eq!(causes(&own), causes(&rocksdb));
    assert_eq!(sequence(ours.path()), sequence(theirs.path()));
}
