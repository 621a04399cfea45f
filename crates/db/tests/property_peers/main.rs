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
    "rocksdb.compaction-abort-count",
    "rocksdb.compaction-pending",
    "rocksdb.estimate-num-keys",
    "rocksdb.is-file-deletions-enabled",
    "rocksdb.is-write-stopped",
    "rocksdb.live-blob-file-garbage-size",
    "rocksdb.live-blob-file-size",
    "rocksdb.mem-table-flush-pending",
    "rocksdb.min-obsolete-sst-number-to-keep",
    "rocksdb.num-blob-files",
    "rocksdb.num-deletes-active-mem-table",
    "rocksdb.num-deletes-imm-mem-tables",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-entries-imm-mem-tables",
    "rocksdb.num-immutable-mem-table",
    "rocksdb.num-immutable-mem-table-flushed",
    "rocksdb.num-live-versions",
    "rocksdb.num-running-compaction-sorted-runs",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
    "rocksdb.num-snapshots",
    "rocksdb.num-unscheduled-compactions",
    "rocksdb.obsolete-sst-files-size",
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

/// Texts whose words must be the same, with other numbers in them: times, sizes and file numbers.
const SAME_LAYOUTS: &[&str] = &[
    "rocksdb.aggregated-table-properties",
    "rocksdb.aggregated-table-properties-at-level0",
    "rocksdb.block-cache-entry-stats",
    "rocksdb.cf-file-histogram",
    "rocksdb.cfstats",
    "rocksdb.cfstats-no-file-histogram",
    "rocksdb.cfstats.periodic",
    "rocksdb.compression-ratio-at-level0",
    "rocksdb.dbstats",
    "rocksdb.fast-block-cache-entry-stats",
    "rocksdb.live-sst-files-size-at-temperature0",
    "rocksdb.sstables",
    "rocksdb.stats",
];

/// What is compared elsewhere or differs, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("rocksdb.blob-cache-capacity", "there is no blob cache here"),
    ("rocksdb.blob-cache-pinned-usage", "there is no blob cache here"),
    ("rocksdb.blob-cache-usage", "there is no blob cache here"),
    ("rocksdb.block-cache-pinned-usage", "RocksDB keeps its statistics of entries in the cache"),
    ("rocksdb.block-cache-usage", "as before, and blocks are laid out otherwise"),
    ("rocksdb.current-super-version-number", "counts states, of which a flush has more or less"),
    ("rocksdb.estimate-oldest-key-time", "only with FIFO compaction"),
    ("rocksdb.estimate-table-readers-mem", "tables are laid out otherwise in memory"),
    ("rocksdb.min-log-number-to-keep", "files are numbered in another order"),
    ("rocksdb.oldest-snapshot-time", "the time"),
    ("rocksdb.options-statistics", "names are compared in a test of their own"),
    ("touchstone.memory", "of this engine"),
    ("touchstone.shape", "of this engine"),
    ("touchstone.stall", "of this engine"),
];

#[test]
fn every_property_is_compared_or_it_is_said_why_not() {
    let near = NEAR.iter().map(|(name, _)| *name);
    let elsewhere = ELSEWHERE.iter().map(|(name, _)| *name);
    let lists = [SAME, SAME_TEXTS, SAME_LAYOUTS];
    let mut listed: Vec<&str> = lists.into_iter().flatten().copied().chain(near).collect();
    listed.extend(elsewhere);
    for info in Db::properties() {
        let is_of = |name: &&&str| name.trim_end_matches(|c: char| c.is_ascii_digit()) == info.name;
        let count = listed.iter().filter(is_of).count();
        let levels = ["rocksdb.num-files-at-level", "rocksdb.aggregated-table-properties"];
        assert!(count == 1 || (count > 1 && levels.contains(&info.name)), "{}: {count}", info.name);
    }
}

/// Lines as words, numbers as `#`. What depends on the release or on what was timed is left out.
fn layout(text: &str, is_78: bool) -> Vec<String> {
    // Releases before 8.1 say stalls otherwise; this engine says both. Caches are told of once they
    // were gone through.
    let old = ["Stalls(count)", "Block cache"];
    let new = ["Write Stall (count)", "Estimated pending", "interval: ", "Block cache"];
    let left_out = if is_78 { &new[..] } else { &old[..] };
    let is_histogram = |line: &str| line.starts_with('[') || line.starts_with('(');
    let lines = text.lines().filter(|line| {
        let is_alone = text.starts_with("Block cache");
        is_alone || !(left_out.iter().any(|start| line.starts_with(start)) || is_histogram(line))
    });
    lines.map(masked).collect()
}

fn masked(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        let word = word.split_once("@0x").map_or(word, |(name, _)| name);
        let mut masked = String::new();
        for character in word.chars() {
            match character {
                '0'..='9' | '.' | '-' if masked.ends_with('#') => {}
                '0'..='9' => masked.push('#'),
                other => masked.push(other),
            }
        }
        // Numbers are rounded to units, and dashes are as many as fit below the columns.
        let number = masked.strip_suffix(['K', 'M']).unwrap_or(&masked);
        match number {
            // A very short time has an exponent.
            "#" | "#e-#" => "#".to_owned(),
            "KB" | "MB" => "bytes".to_owned(),
            dashes if dashes.starts_with("-----") => "-----".to_owned(),
            _ => masked,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A line of 11.8.1 without what it has and this engine, whose texts are those of 7.8, has in maps only.
fn without_additions(theirs: &str, ours: &str) -> String {
    let label = |part: &str| part.split('=').next().unwrap_or_default().to_owned();
    if ours.contains("; ") {
        let known: Vec<String> = ours.split("; ").map(label).collect();
        let kept = theirs.split("; ").filter(|part| known.contains(&label(part)));
        return kept.collect::<Vec<_>>().join("; ");
    }
    let line = theirs.replace(" WPreComp(GB)", "").replace(" seed: #", "");
    // The numbers below that column.
    let is_row = line.contains(" #/# ") && line.contains(" bytes ");
    if is_row { line.replacen("bytes #", "bytes", 1) } else { line }
}

/// Counts of kinds of entries in a cache.
fn without_roles(line: String) -> String {
    match line.split_once("portion):") {
        Some((title, _)) => format!("{title}portion):"),
        None => line,
    }
}

fn compare_layouts(both: &mut Both, judge: &Judge, when: &str) -> Vec<String> {
    let is_78 = judge.release() == "7.8.3";
    let mut wrong = Vec::new();
    for name in SAME_LAYOUTS {
        let (ours, theirs) = both.texts(name);
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let (mut ours, mut theirs) = (layout(&ours, is_78), layout(&theirs, is_78));
        let blocks = |lines: Vec<String>| lines.into_iter().map(without_roles).collect();
        (ours, theirs) = (blocks(ours), blocks(theirs));
        if !is_78 {
            let both = theirs.iter().zip(&ours);
            let kept: Vec<_> = both.map(|(theirs, ours)| without_additions(theirs, ours)).collect();
            theirs.splice(..kept.len(), kept);
        }
        let different = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
        if different.is_some() || ours.len() != theirs.len() {
            let counts = (ours.len(), theirs.len());
            wrong.push(format!("{judge}, {when}, {name}: lines {counts:?}, {different:#?}"));
        }
    }
    wrong
}

fn compare(both: &mut Both, judge: &Judge, when: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in SAME {
        let (ours, theirs) = both.numbers(name);
        let is_known = Db::properties()
            .any(|info| info.name == *name && !info.since.is_empty() && judge.is_since(info.since));
        if is_known && ours != theirs {
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
    wrong.extend(compare_layouts(both, judge, when));
    wrong
}

fn run(judge: &Judge, family_options: &str) -> Vec<String> {
    // Reads are timed only with them.
    let mut both = Both::open(judge, "statistics={id=BasicStatistics}", family_options);
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
