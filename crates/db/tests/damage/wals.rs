//! Damaged WALs: the batches before the damage, an error, or the same content.

use crate::content::{Content, Outcome};
use crate::damages::{self, Change, Thoroughness, Victim, changes};
use crate::mem_database::{MemDatabase, Original};
use env::{FileOptions, FileSystem};
use options::WalRecoveryMode;
use std::collections::BTreeSet;
use std::sync::Arc;
use testing::limits::{self, Limits};
use wal::{LogEntry, LogReader};

use Thoroughness::{Every, Some as Part};
use WalRecoveryMode::{
    AbsoluteConsistency, PointInTimeRecovery, SkipAnyCorruptedRecords, TolerateCorruptedTailRecords,
};

/// Release, case, mode, and how thoroughly the newest WAL is damaged.
const WALS: &[(&str, &str, WalRecoveryMode, Thoroughness)] = &[
    ("10.10.1", "i01-reverse", PointInTimeRecovery, Every),
    ("10.10.1", "a06-edge-keys", TolerateCorruptedTailRecords, Every),
    ("10.10.1", "i01-reverse", AbsoluteConsistency, Every),
    ("3.13.1", "a02-levels-wal", PointInTimeRecovery, Part),
    ("3.13.1", "a02-levels-wal", AbsoluteConsistency, Part),
    ("11.8.1", "n01-wal-zstd", PointInTimeRecovery, Every),
    ("11.8.1", "n01-wal-zstd", TolerateCorruptedTailRecords, Part),
    ("10.10.1", "n02-wal-recycled", PointInTimeRecovery, Every),
    ("10.10.1", "n07-wal-recycled-zstd", PointInTimeRecovery, Part),
    ("10.10.1", "n04-wal-chain", PointInTimeRecovery, Part),
    ("10.10.1", "n03-wal-in-manifest", PointInTimeRecovery, Part),
    ("10.10.1", "k02-prepared-old-wal", PointInTimeRecovery, Every),
    ("10.10.1", "k01-prepared", AbsoluteConsistency, Part),
    ("11.8.1", "k04-write-unprepared", PointInTimeRecovery, Part),
    ("11.8.1", "q01-timestamps", PointInTimeRecovery, Every),
    ("10.10.1", "q08-timestamps-stripped", PointInTimeRecovery, Part),
    ("11.8.1", "f02-delrange-wal", PointInTimeRecovery, Part),
    ("11.8.1", "e02-merge-custom", PointInTimeRecovery, Part),
    ("10.10.1", "m02-entity", PointInTimeRecovery, Every),
    ("11.8.1", "d01-families", PointInTimeRecovery, Part),
];

/// WALs of which every subset of the batches is checked for values that were never written.
const SKIPPED: &[(&str, &str, WalRecoveryMode, Thoroughness)] = &[
    ("10.10.1", "i01-reverse", SkipAnyCorruptedRecords, Every),
    ("11.8.1", "n01-wal-zstd", SkipAnyCorruptedRecords, Part),
    ("10.10.1", "n02-wal-recycled", SkipAnyCorruptedRecords, Part),
];

/// The content after each batch of a WAL, with the offset at which that batch ends.
type States = Vec<(usize, Content)>;

fn in_mode(original: &Arc<Original>, mode: WalRecoveryMode) -> MemDatabase {
    let mut database = original.in_memory();
    database.options.db.wal_recovery_mode = mode;
    database
}

fn victims(wals: &[(&str, &str, WalRecoveryMode, Thoroughness)]) -> Vec<Victim> {
    wals.iter()
        .map(|&(release, case, _, thoroughness)| {
            let original = Original::of(release, case);
            // The newest that holds anything.
            let is_wanted = |name: &str, bytes: &[u8]| name.ends_with(".log") && !bytes.is_empty();
            let newest = original.files.iter().rfind(|(name, bytes)| is_wanted(name, bytes));
            let (file, bytes) = newest.unwrap();
            let (file, changes) = (file.clone(), changes(bytes.len(), thoroughness, true));
            Victim { original, file, changes }
        })
        .collect()
}

fn states(victim: &Victim) -> States {
    let database = in_mode(&victim.original, PointInTimeRecovery);
    let (name, bytes) = (&victim.file, &victim.original.files[&victim.file]);
    let number = name.trim_end_matches(".log").parse().unwrap();
    let file = database.fs.new_sequential_file(&database.path(name), &FileOptions::default());
    let mut reader = LogReader::new(file.unwrap(), number);
    let mut ends = vec![0];
    while let Some(entry) = reader.read().unwrap() {
        match entry {
            LogEntry::Record(record) => ends.push(record.end_offset as usize),
            // Older records of a recycled file.
            LogEntry::Damage(_) => break,
            _ => {}
        }
    }
    let whole = database.content();
    let states: States = ends
        .into_iter()
        .map(|end| {
            database.write(name, &bytes[..end]);
            (end, database.content())
        })
        .collect();
    assert_eq!(states[states.len() - 1].1, whole, "{victim}");
    states
}

/// The batches that end before the damage, at least, and perhaps some after it, without a gap.
fn check(
    database: &mut MemDatabase,
    mode: WalRecoveryMode,
    file: &str,
    states: &States,
    change: Change,
) -> Result<bool, String> {
    database.options.db.wal_recovery_mode = mode;
    let db = match database.open() {
        Ok(db) => db,
        Err(error) if error.message().contains(file) => return Ok(true),
        Err(error) => return Err(format!("names no WAL: {error}")),
    };
    let whole = states.iter().filter(|(end, _)| *end <= change.offset()).count().max(1);
    let mut wrong = String::new();
    for (index, (_, content)) in states.iter().enumerate().skip(whole - 1) {
        match content.compare(&db) {
            Ok(Outcome::Same) => return Ok(index + 1 < states.len()),
            Ok(Outcome::Error(error)) => return Err(format!("opens, then: {error}")),
            Err(why) => wrong = why,
        }
    }
    Err(format!("no prefix of at least {} batches: {wrong}", whole - 1))
}

#[test]
fn damaged_wals_give_an_error_or_the_batches_before() {
    let test = "wals::damaged_wals_give_an_error_or_the_batches_before";
    limits::run(test, Limits::default(), || {
        let victims = victims(WALS);
        let states: Vec<_> = victims.iter().map(states).collect();
        let found = damages::for_each(&victims, |database, index, change| {
            let mode = WALS[index].2;
            database.vary(index);
            check(database, mode, &victims[index].file, &states[index], change)
        });
        for (victim, found) in victims.iter().zip(found) {
            let total = victim.changes.len();
            assert!(found > 0, "{victim}: {found} of {total} damages found");
        }
    });
}

#[test]
fn skipping_damage_never_makes_up_a_value() {
    let test = "wals::skipping_damage_never_makes_up_a_value";
    limits::run(test, Limits::default(), || {
        let victims = victims(SKIPPED);
        // Of puts and deletes, what is left of any batches was there after one of them.
        let written: Vec<BTreeSet<_>> = victims
            .iter()
            .map(|victim| {
                let views = states(victim).into_iter().flat_map(|(_, content)| content.views);
                let pairs = views.flat_map(|view| view.pairs);
                pairs.map(|pair| (pair.key, pair.value)).collect()
            })
            .collect();
        damages::for_each(&victims, |database, index, _| {
            database.options.db.wal_recovery_mode = SkipAnyCorruptedRecords;
            database.vary(index);
            let db = database.open().map_err(|error| error.to_string())?;
            let fixture = &victims[index].original.fixture;
            let content = Content::read(&db, fixture).map_err(|error| error.to_string())?;
            for pair in content.views.into_iter().flat_map(|view| view.pairs) {
                if !written[index].contains(&(pair.key.clone(), pair.value.clone())) {
                    return Err(format!("never written: {pair:?}"));
                }
            }
            Ok(false)
        });
    });
}
