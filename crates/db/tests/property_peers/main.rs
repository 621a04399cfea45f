//! Properties of a database open for writing, next to those of RocksDB's libraries after the same
//! steps, and which names each knows.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod steps;

use db::{Db, PropertyInfo, PropertyKind};
use steps::{Both, FAMILY};
use testing::judges::{self, Judge};

const RELEASES: [&str; 2] = ["7.8.3", "11.8.1"];

fn judges() -> impl Iterator<Item = Judge> {
    RELEASES.into_iter().filter_map(judges::library)
}

/// A name with an argument where it needs one.
fn full_name(info: &PropertyInfo) -> String {
    match info.name.ends_with("-at-level") || info.name.ends_with("-at-temperature") {
        true => format!("{}0", info.name),
        false => info.name.to_owned(),
    }
}

/// Names that both must refuse, and some whose digits are to be taken for an argument.
const ODD_NAMES: &[&str] = &[
    "",
    "rocksdb.",
    "rocksdb.nothing",
    "rocksdb.num-files-at-level",
    "rocksdb.num-files-at-level7",
    "rocksdb.num-files-at-level06",
    "rocksdb.num-snapshots1",
    "rocksdb.compression-ratio-at-level99",
    "rocksdb.aggregated-table-properties-at-level",
    "rocksdb.live-sst-files-size-at-temperature",
    "rocksdb.Stats",
    "rocksdb.stats ",
    "stats",
];

#[test]
fn names_are_known_as_rocksdb_knows_them() {
    for judge in judges() {
        let mut both = Both::open(&judge, "statistics={id=BasicStatistics}", "");
        for info in Db::properties() {
            let name = full_name(&info);
            let (ours, theirs) = both.texts(&name);
            let knows = !info.since.is_empty() && judge.is_since(info.since);
            // Without a blob cache, and with another compaction than FIFO, these have no value.
            let has_value = !name.contains("blob-cache") && !name.contains("oldest-key-time");
            assert_eq!(theirs.is_some(), knows && has_value, "{judge}: {name}");
            assert_eq!(ours.is_some(), has_value, "{name}");
            let (ours, theirs) = both.numbers(&name);
            let is_number = info.kind == PropertyKind::Number;
            assert_eq!(theirs.is_some(), knows && has_value && is_number, "{judge}: {name}");
            assert_eq!(ours.is_some(), has_value && is_number, "{name}");
        }
        for name in ODD_NAMES {
            let (ours, theirs) = both.texts(name);
            assert_eq!(ours.is_some(), theirs.is_some(), "{judge}: {name:?}");
        }
    }
}

/// The names of a dump's lines, in its order.
fn metric_names(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

/// Tickers that came after 11.8 begin so.
const SINCE_11_9: &str = "rocksdb.blobdb.lazy.";

#[test]
fn statistics_have_the_names_of_rocksdb_in_its_order() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let mut both = Both::open(&judge, "statistics={id=BasicStatistics}", "");
    let (ours, theirs) = both.texts("rocksdb.options-statistics");
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    let (mut ours, theirs) = (metric_names(&ours), metric_names(&theirs));
    ours.retain(|name| !name.starts_with(SINCE_11_9));
    let different = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
    assert_eq!(different, None);
    assert_eq!(ours.len(), theirs.len());
}

/// Numbers that the same steps must make equal.
const SAME: &[&str] = &[
    "rocksdb.actual-delayed-write-rate",
    "rocksdb.background-errors",
    "rocksdb.base-level",
    "rocksdb.block-cache-capacity",
    "rocksdb.compaction-pending",
    "rocksdb.estimate-num-keys",
    "rocksdb.is-file-deletions-enabled",
    "rocksdb.is-write-stopped",
    "rocksdb.live-blob-file-garbage-size",
    "rocksdb.live-blob-file-size",
    "rocksdb.mem-table-flush-pending",
    "rocksdb.num-blob-files",
    "rocksdb.num-deletes-active-mem-table",
    "rocksdb.num-deletes-imm-mem-tables",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-entries-imm-mem-tables",
    "rocksdb.num-immutable-mem-table",
    "rocksdb.num-immutable-mem-table-flushed",
    "rocksdb.num-live-versions",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
    "rocksdb.num-snapshots",
    "rocksdb.oldest-snapshot-sequence",
    "rocksdb.total-blob-file-size",
];

/// Numbers of bytes that may differ by so many percent: tables tell releases, sessions and hosts of
/// their own.
const NEAR: &[(&str, f64)] = &[
    ("rocksdb.cur-size-active-mem-table", 0.5),
    ("rocksdb.cur-size-all-mem-tables", 0.5),
    ("rocksdb.size-all-mem-tables", 0.5),
    ("rocksdb.live-sst-files-size", 4.0),
    ("rocksdb.total-sst-files-size", 4.0),
    ("rocksdb.estimate-live-data-size", 4.0),
    ("rocksdb.estimate-pending-compaction-bytes", 4.0),
];

/// Texts that must be equal, by lines.
const SAME_TEXTS: &[&str] = &[
    "rocksdb.num-files-at-level0",
    "rocksdb.num-files-at-level6",
    "rocksdb.levelstats",
    "rocksdb.blob-stats",
    "rocksdb.cf-write-stall-stats",
    "rocksdb.db-write-stall-stats",
];

fn compare(both: &mut Both, judge: &Judge, when: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in SAME {
        let (ours, theirs) = both.numbers(name);
        if ours != theirs {
            wrong.push(format!("{judge}, {when}, {name}: {ours:?}, expected {theirs:?}"));
        }
    }
    for (name, percent) in NEAR {
        let (ours, theirs) = both.numbers(name);
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            wrong.push(format!("{judge}, {when}, {name}: no value"));
            continue;
        };
        if ours.abs_diff(theirs) as f64 > theirs as f64 * percent / 100.0 {
            wrong.push(format!("{judge}, {when}, {name}: {ours}, expected {theirs}"));
        }
    }
    for name in SAME_TEXTS {
        let (ours, theirs) = both.texts(name);
        if theirs.is_some() && ours != theirs {
            wrong.push(format!("{judge}, {when}, {name}: {ours:?}, expected {theirs:?}"));
        }
    }
    wrong
}

fn run(judge: &Judge, family_options: &str) -> Vec<String> {
    let mut both = Both::open(judge, "", family_options);
    let mut wrong = compare(&mut both, judge, "empty");
    both.fill(0, 2000);
    both.delete(0, 300);
    wrong.extend(compare(&mut both, judge, "written"));
    both.flush();
    wrong.extend(compare(&mut both, judge, "flushed"));
    let snapshot = both.snapshot();
    both.fill(1000, 3000);
    both.flush();
    both.delete(1500, 2500);
    wrong.extend(compare(&mut both, judge, "with a snapshot"));
    both.flush();
    for round in 0..5 {
        both.fill(round * 50, 400);
        both.flush();
    }
    wrong.extend(compare(&mut both, judge, "with a full L0"));
    both.release(snapshot);
    both.compact();
    wrong.extend(compare(&mut both, judge, "compacted"));
    both.reopen();
    both.fill(0, 10);
    wrong.extend(compare(&mut both, judge, "opened again"));
    wrong
}

#[test]
fn values_are_those_of_rocksdb_after_the_same_steps() {
    let families = [
        FAMILY.to_owned(),
        format!("{FAMILY};enable_blob_files=true;min_blob_size=150"),
        format!("{FAMILY};compaction_style=kCompactionStyleUniversal"),
        format!("{FAMILY};level0_slowdown_writes_trigger=5;level0_stop_writes_trigger=1000"),
    ];
    for judge in judges() {
        let wrong: Vec<_> = families.iter().flat_map(|family| run(&judge, family)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
