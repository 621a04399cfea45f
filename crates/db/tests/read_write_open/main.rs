//! Every directory that a RocksDB release wrote can be opened for writing, and keeps its content:
//! through the open itself, a flush of a new key, a compaction, and reopens of either kind. RocksDB's command
//! lines read the result.
//!
//! Directories are copied into memory and only those that `ldb` reads go to the disk.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

#[path = "../golden/case_options.rs"]
mod case_options;
mod copies;
mod features;
mod manifest_tags;
#[path = "../golden/reading.rs"]
mod reading;

use copies::Copied;
use db::{
    ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions, ReadOptions, WriteBatch,
    WriteOptions,
};
use options::CompactionStyle;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::fixtures::{self, Family, Fixture};
use testing::judges::{self, Expectation};
use testing::parallel;

/// Cases that are refused, and the words of the refusal.
const REFUSED: &[(&str, &str)] = &[
    ("q02", "plain table"),
    ("q03", "cuckoo table"),
    // Their batches are numbered in another way; a plain batch among them would be misread.
    ("k03", "transaction policy writeprepared"),
    ("k04", "transaction policy writeunprepared"),
    ("q18", "user-defined index trie_index"),
];

/// Cases that an old release opened for writing and that must fail here: what they lack can only be
/// made up. Case, releases, why.
const STRICTER: &[(&str, &[&str], &str)] = &[
    (
        "o06",
        &["4.13.5", "6.4.6"],
        "a WAL is torn and tables hold newer data: newer releases refuse it too",
    ),
    ("o07", &["3.13.1", "4.13.5"], "scans went on behind a damaged block"),
    ("o08", &["4.13.5"], "scans went on without a damaged table"),
    ("o17", &["3.13.1", "4.13.5"], "scans went on without a damaged table"),
];

/// Where opening for writing puts what is in the WAL into tables without timestamps: what was true
/// before can no longer be asked for, with RocksDB neither.
const FORGETS_HISTORY: &str = "q08";

/// Cases that Debian's `ldb` refuses as they were found. Case, releases, why.
const NOT_FOR_TOOLS: &[(&str, &[&str], &str)] = &[(
    "q14",
    &["3.13.1", "4.13.5"],
    "several tables of L0 with the sequence number 0, which its consistency checks refuse",
)];

/// A key that no fixture has. Some comparators want eight bytes.
const NEW_KEY: &[u8] = b"~~new~~~";

fn is_among(fixture: &Fixture, cases: &[(&str, &[&str], &str)]) -> bool {
    cases.iter().any(|(case, releases, _)| {
        fixture.name.starts_with(case) && releases.contains(&fixture.release.as_str())
    })
}

fn check(fixture: &Fixture, judged: &AtomicUsize) -> Result<(), String> {
    let mut copied = Copied::of(fixture)?;
    for family in &mut copied.options.families {
        // Files that are too many are dropped by design, each flush makes one.
        let is_fifo = family.options.compaction_style == CompactionStyle::Fifo;
        family.options.disable_auto_compactions |= is_fifo;
        // New tables are to be read by releases as old as the directories are.
        family.options.table.format_version = family.options.table.format_version.min(5);
    }
    if let Some((_, feature)) = REFUSED.iter().find(|(case, _)| fixture.name.starts_with(case)) {
        return check_refused(&copied, feature);
    }
    let files = copied.options.open().map(|db| features::Facts::of(&db));
    let db = match (copied.open_for_writing(), &fixture.case.expect.open_error) {
        (Ok(db), None) => db,
        (Ok(_), Some(error)) if !reads_everything(&copied) => {
            return Err(format!("opens for writing, not for reading; expected {error}"));
        }
        (Ok(db), Some(_)) => return reading::check_fails_on_read(&db, fixture),
        (Err(error), _) if is_among(fixture, STRICTER) => {
            return copied.check_unchanged().map_err(|why| format!("after {error}: {why}"));
        }
        (Err(error), Some(_)) => {
            reading::check_names_a_file(&error, fixture)?;
            return copied.check_unchanged();
        }
        // All tables are opened before there is anything to write to.
        (Err(error), None) if has_read_error(fixture) => {
            if !error.message().contains(&fixture.name) {
                return Err(format!("does not name the file: {error}"));
            }
            return copied.check_unchanged();
        }
        (Err(error), None) => return Err(format!("open: {error}")),
    };
    if is_among(fixture, STRICTER) {
        drop(db);
        return reading::check_fails(&copied.options);
    }
    check_content(&db, &copied, fixture).map_err(|why| format!("opened: {why}"))?;
    close(db)?;
    if has_read_error(fixture) {
        return Ok(());
    }
    let db = copied.options.open().map_err(|error| format!("read-only: {error}"))?;
    check_content(&db, &copied, fixture).map_err(|why| format!("read-only: {why}"))?;
    drop(db);
    check_new_key(&copied, fixture)?;
    features::check_files(&copied, &files.map_err(|error| error.to_string())?)?;
    check_compacted(&copied, fixture)?;
    check_by_tools(&copied, fixture, judged)
}

/// Whether RocksDB found damage while it read.
fn has_read_error(fixture: &Fixture) -> bool {
    fixture.case.expect.cf.values().any(|family| family.error.is_some())
}

fn reads_everything(copied: &Copied) -> bool {
    copied.options.open().is_ok()
}

fn close(db: Db) -> Result<(), String> {
    db.close().map_err(|error| format!("close: {error}"))
}

fn check_refused(copied: &Copied, feature: &str) -> Result<(), String> {
    let Err(error) = copied.open_for_writing() else {
        return Err("was to be refused".to_owned());
    };
    let message = error.message().to_lowercase();
    let names_it = feature.split(' ').all(|word| message.contains(word));
    if error.code() != base::status::Code::NotSupported || !names_it {
        return Err(format!("expected a refusal that names the {feature}, found {error}"));
    }
    copied.check_unchanged()
}

fn check_content(db: &Db, copied: &Copied, fixture: &Fixture) -> Result<(), String> {
    let expect = &fixture.case.expect;
    if let Some(expected) = &expect.prepared {
        let names = db.prepared_transactions().keys();
        let names: Vec<_> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        if names != *expected {
            return Err(format!("prepared transactions {names:?}, expected {expected:?}"));
        }
    }
    let latest = db.latest_sequence_number();
    if expect.latest_sequence_number.is_some_and(|expected| latest < expected) {
        return Err(format!("at {latest}, expected {:?}", expect.latest_sequence_number));
    }
    for (name, expected) in &expect.cf {
        let family = db.column_family(name).ok_or_else(|| format!("no family {name}"))?;
        if fixture.name.starts_with(FORGETS_HISTORY) {
            check_newest(db, &family, expected)?;
            continue;
        }
        reading::check_family(db, &family, expected, &copied.options)
            .map_err(|why| format!("family {name}: {why}"))?;
    }
    Ok(())
}

/// The newest versions are as they were, and older ones are refused rather than made up.
fn check_newest(db: &Db, family: &ColumnFamilyHandle, expected: &Family) -> Result<(), String> {
    let now = ReadOptions { timestamp: Some(vec![0xff; 8]), ..ReadOptions::default() };
    let times = expected.timestamps();
    let (_, newest) = times.last().ok_or("no times in the record")?;
    let mut iterator = db.new_iterator(&now, family).map_err(|error| error.to_string())?;
    let mut count = 0;
    iterator.seek_to_first();
    while iterator.valid() {
        count += u64::from(iterator.key() != NEW_KEY);
        iterator.next();
    }
    iterator.status().map_err(|error| error.to_string())?;
    if Some(count) != newest.count {
        return Err(format!("{count} pairs, expected {:?}", newest.count));
    }
    let past = ReadOptions { timestamp: Some(1_u64.to_le_bytes().to_vec()), ..now };
    match db.new_iterator(&past, family) {
        Err(error) if error.message().contains("full_history_ts_low") => Ok(()),
        Err(error) => Err(format!("at 1: {error}")),
        Ok(_) => Err("answers for a time that is forgotten".to_owned()),
    }
}

/// A new key is there after a flush and a reopen; then it is deleted again, and the content is what
/// it was.
fn check_new_key(copied: &Copied, fixture: &Fixture) -> Result<(), String> {
    let failed = |error| format!("new key: {error}");
    let db = copied.open_for_writing().map_err(failed)?;
    let family = db.column_family("default").ok_or("no default family")?;
    let timestamp = vec![0xff; family.comparator().timestamp_size()];
    let stamped = [NEW_KEY, &timestamp[..]].concat();
    db.put(&WriteOptions::default(), &family, &stamped, b"new value").map_err(failed)?;
    db.flush(&FlushOptions::default(), &[&family]).map_err(failed)?;
    drop(family);
    close(db)?;

    let db = copied.open_for_writing().map_err(failed)?;
    let family = db.column_family("default").ok_or("no default family")?;
    let newest = Some(timestamp).filter(|timestamp| !timestamp.is_empty());
    let options = ReadOptions { timestamp: newest.clone(), ..ReadOptions::default() };
    let found = db.get(&options, &family, NEW_KEY).map_err(failed)?;
    if found.as_deref() != Some(&b"new value"[..]) {
        return Err(format!("the new key has {found:?}"));
    }
    let mut batch = WriteBatch::new();
    batch.delete(family.id(), &stamped).map_err(failed)?;
    db.write(&WriteOptions::default(), batch).map_err(failed)?;
    if db.get(&options, &family, NEW_KEY).map_err(failed)?.is_some() {
        return Err("the new key is there after its deletion".to_owned());
    }
    drop(family);
    check_content(&db, copied, fixture).map_err(|why| format!("with a new key: {why}"))?;
    close(db)?;

    let db = copied.options.open().map_err(failed)?;
    check_content(&db, copied, fixture).map_err(|why| format!("after a new key: {why}"))
}

/// The content is what it was after everything was compacted, and after a reopen.
fn check_compacted(copied: &Copied, fixture: &Fixture) -> Result<(), String> {
    let failed = |error| format!("compacting: {error}");
    let db = copied.open_for_writing().map_err(failed)?;
    for family in db.column_families() {
        if family.options().compaction_style != CompactionStyle::Fifo {
            let options = CompactRangeOptions::default();
            db.compact_range(&options, &family, None, None).map_err(failed)?;
        }
    }
    check_content(&db, copied, fixture).map_err(|why| format!("compacted: {why}"))?;
    close(db)?;
    let db = copied.options.open().map_err(failed)?;
    check_content(&db, copied, fixture).map_err(|why| format!("after a compaction: {why}"))
}

/// `ldb scan` and `checkconsistency`, and `sst_dump --command=verify`, of Debian's release.
fn check_by_tools(copied: &Copied, fixture: &Fixture, judged: &AtomicUsize) -> Result<(), String> {
    let Some(expectation) = Expectation::of_fixture(fixture) else { return Ok(()) };
    if is_among(fixture, NOT_FOR_TOOLS) {
        return Ok(());
    }
    let expectation = Expectation { has_options_file: true, latest_sequence: None, ..expectation };
    copied.write_to_disk()?;
    if judges::judge_by_tools(&copied.options.path, &expectation)? {
        judged.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

#[test]
fn every_directory_can_be_written_to_and_keeps_its_content() {
    let judged = AtomicUsize::new(0);
    let only = std::env::var("TOUCHSTONE_CASE").unwrap_or_default();
    let wanted = fixtures::matching(|release, name| format!("{release}/{name}").contains(&only));
    parallel::for_each(&wanted, |fixture| check(fixture, &judged));
    println!("{} directories, {} of them read by ldb", wanted.len(), judged.into_inner());
}
