//! Directories that releases of RocksDB write by random steps under random options, and leave as
//! they are or as a kill leaves them. This engine reads what the release reads; goes on from there
//! without changing any of it, through a flush and a compaction of everything; and the release, and
//! the next newer one, read the result.

use crate::engine;
use db::{
    BottommostLevelCompaction, ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions,
    OpenContext, WriteOptions,
};
use options::{CompactionStyle, DbOptions};
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testing::judges::protocol::{Contents, FamilyOpening, Mode, Opening, Operation};
use testing::judges::{self, Failure, Judge};
use testing::model::generator::{Profile, generate};
use testing::model::rocksdb::RocksDb;
use testing::model::runner::Subject;
use testing::model::{Model, Opening as ModelOpening, Step};
use testing::parallel;

/// How long this goes on where `TOUCHSTONE_ROUNDS` does not say how many seeds there are.
const DURATION: Duration = Duration::from_secs(8);

/// Options that came after 7.8.3: since, of the table or of the family, text.
const LATER: &[(&str, bool, &str)] = &[
    ("7.9.0", false, "preserve_internal_time_seconds=3600"),
    ("7.9.0", false, "preclude_last_level_data_seconds=3600"),
    ("7.9.0", false, "last_level_temperature=kCold"),
    ("8.6.0", false, "memtable_max_range_deletions=3"),
    ("8.6.0", false, "bottommost_file_compaction_delay=1"),
    ("8.6.0", true, "format_version=6"),
    ("9.1.0", false, "default_write_temperature=kWarm"),
    ("9.1.0", true, "use_delta_encoding=false"),
    ("9.6.0", true, "decouple_partitioned_filters=true"),
    ("9.6.0", true, "decouple_partitioned_filters=false"),
    ("10.4.0", true, "format_version=7"),
    ("10.8.0", true, "super_block_alignment_size=4096"),
    ("10.9.0", false, "target_file_size_is_upper_bound=true"),
    ("11.1.0", true, "separate_key_value_in_data_block=true"),
    ("11.1.0", true, "uniform_cv_threshold=0.2;index_block_search_type=kAuto"),
    ("11.1.0", false, "memtable_batch_lookup_optimization=true"),
    ("11.8.0", false, "min_tombstones_for_range_conversion=4"),
];

/// Options of the database that came after 7.8.3.
const LATER_DB: &[(&str, &str)] = &[
    ("9.6.0", "metadata_write_temperature=kWarm"),
    ("9.6.0", "wal_write_temperature=kHot"),
    ("9.7.0", "write_identity_file=false;write_dbid_to_manifest=true"),
    ("9.11.0", "track_and_verify_wals=true"),
    ("10.8.0", "max_manifest_space_amp_pct=10;max_manifest_file_size=1000"),
    ("11.8.0", "async_wal_precreate=true"),
    ("11.8.0", "reuse_manifest_on_open=true"),
    ("11.8.0", "optimize_manifest_for_recovery=true"),
];

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn one_in(&mut self, limit: u64) -> bool {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        self.0 = hasher.finish();
        self.0.is_multiple_of(limit)
    }
}

/// One directory to be made.
struct Case<'a> {
    judge: &'a Judge,
    /// Reads it too.
    next: &'a Judge,
    seed: u64,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TOUCHSTONE_SEED={} {}", self.seed, self.judge)
    }
}

/// What a release left.
struct Written {
    db: String,
    families: Vec<FamilyOpening>,
    contents: Contents,
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn directories_of_all_releases_are_read_and_gone_on_with() {
    let mut libraries = judges::all();
    libraries.retain(|judge| !judge.to_string().starts_with("rocksdict"));
    if let Ok(only) = std::env::var("TOUCHSTONE_RELEASE") {
        libraries.retain(|judge| judge.release() == only);
    }
    if libraries.is_empty() {
        return;
    }
    let case = |seed: u64| {
        let at = seed as usize % libraries.len();
        let next = &libraries[(at + 1).min(libraries.len() - 1)];
        Case { judge: &libraries[at], next, seed }
    };
    let (checked, skipped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let run = |cases: &[Case<'_>]| {
        parallel::for_each(cases, |case| -> Result<(), String> {
            let is_checked = check(case)?;
            let count = if is_checked { &checked } else { &skipped };
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
    };
    let first = number("TOUCHSTONE_FIRST_SEED").unwrap_or(0);
    if let Some(seed) = number("TOUCHSTONE_SEED") {
        run(&[case(seed)]);
    } else if let Some(rounds) = number("TOUCHSTONE_ROUNDS") {
        run(&(first..first + rounds).map(case).collect::<Vec<_>>());
    } else {
        let begin = Instant::now();
        let mut seed = first;
        while begin.elapsed() < DURATION {
            run(&(seed..seed + 10).map(case).collect::<Vec<_>>());
            seed += 10;
        }
    }
    let (checked, skipped) = (checked.into_inner(), skipped.into_inner());
    println!("{checked} directories, {skipped} that RocksDB did not write to the end");
    assert!(checked > 0 && skipped <= checked, "{checked} checked, {skipped} not");
}

/// Whether RocksDB wrote the directory to its end.
fn check(case: &Case<'_>) -> Result<bool, String> {
    // Each flush is synced, which takes no time in memory.
    let in_memory = Path::new("/dev/shm");
    let parent = match in_memory.is_dir() {
        true => in_memory.to_owned(),
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    };
    let scratch = tempfile::tempdir_in(parent).map_err(|error| error.to_string())?;
    let directory = scratch.path().join("db");
    let written = match write(case, &directory) {
        Ok(written) => written,
        Err(why) => {
            println!("{case}: not written: {why}");
            return Ok(false);
        }
    };
    go_on(case, &directory, &written).map_err(|why| {
        let kept = match std::env::var_os("TOUCHSTONE_KEEP") {
            Some(_) => scratch.keep().display().to_string(),
            None => "TOUCHSTONE_KEEP=1 keeps it".to_owned(),
        };
        let family = &written.families[0].options;
        format!("{why}\n    {kept}\n    db {}\n    family {family}", written.db)
    })?;
    Ok(true)
}

/// Puts options into a string of them that has none of that name.
fn add(options: &mut String, inside_table: bool, text: &str) {
    const TABLE: &str = "block_based_table_factory={";
    let name = text.split('=').next().unwrap_or_default();
    if options.contains(name) {
        return;
    }
    match (inside_table, options.find(TABLE)) {
        (true, Some(at)) => options.insert_str(at + TABLE.len(), &format!("{text};")),
        (true, None) => *options += &format!(";{TABLE}{text}}}"),
        (false, _) => *options += &format!(";{text}"),
    }
}

fn with_later_options(opening: &ModelOpening, judge: &Judge, random: &mut Random) -> ModelOpening {
    let mut opening = opening.clone();
    for (since, inside_table, text) in LATER {
        if random.one_in(6) && judge.is_since(since) {
            add(&mut opening.family, *inside_table, text);
        }
    }
    for (since, text) in LATER_DB {
        if random.one_in(6) && judge.is_since(since) {
            add(&mut opening.db, false, text);
        }
    }
    if opening.family.contains("enable_blob_files=true") {
        // RocksDB forgets the blob files of what it keeps out of the last level, and deletes them.
        opening.family = opening.family.replace(";preclude_last_level_data_seconds=3600", "");
    }
    if !judge.is_since("7.4.0") {
        opening.db = opening.db.replace("wal_compression=kZSTD", "use_fsync=true");
        opening.family = opening.family.replace("kRoundRobin", "kOldestLargestSeqFirst");
    }
    opening.db = opening.db.trim_start_matches(';').to_owned();
    opening
}

/// The steps that change anything, as this release can do them.
fn steps(case: &Case<'_>, random: &mut Random) -> Vec<Step> {
    let judge = case.judge;
    let profile = Profile {
        steps: 150,
        merges_onto_entities: judge.is_since("8.0.0"),
        power_losses: false,
        hands_over: true,
    };
    let mut steps = Vec::new();
    for step in generate(case.seed, profile) {
        steps.push(match step {
            Step::Open(opening) => Step::Open(with_later_options(&opening, judge, random)),
            Step::Reopen(opening) | Step::Crash { opening, .. } => {
                Step::Reopen(with_later_options(&opening, judge, random))
            }
            Step::Write { sync, mut operations } => {
                if !judge.is_since("7.8.0") {
                    operations.retain(|one| !matches!(one, Operation::PutEntity { .. }));
                }
                Step::Write { sync, operations }
            }
            step @ (Step::Create { .. }
            | Step::Drop { .. }
            | Step::Snapshot(_)
            | Step::Release(_)
            | Step::Flush { .. }
            | Step::Compact { .. }
            | Step::FlushWal { .. }) => step,
            _ => continue,
        });
    }
    steps
}

fn write(case: &Case<'_>, directory: &Path) -> Result<Written, String> {
    let mut random = Random(case.seed);
    let mut rocksdb = RocksDb::new(case.judge, directory.to_owned());
    // It says which steps have a defined result.
    let mut model = Model::new(None);
    for step in steps(case, &mut random) {
        if model.allows(&step) {
            rocksdb.apply(&step).map_err(|why| format!("{step}: {why}"))?;
            model.apply(&step);
        }
    }
    let (db, families) = (rocksdb.db_options().to_owned(), rocksdb.family_openings());
    if random.one_in(3) {
        rocksdb.close()?;
    }
    rocksdb.kill();
    // What a kill leaves is what the release itself finds in it.
    let contents = read(case.judge, directory, &db, &families).map_err(|why| why.to_string())?;
    if let Some(error) = contents.values().find_map(|content| content.error.as_ref()) {
        return Err(format!("RocksDB cannot read it: {error}"));
    }
    Ok(Written { db, families, contents })
}

fn read(
    judge: &Judge,
    directory: &Path,
    db: &str,
    families: &[FamilyOpening],
) -> Result<Contents, Failure> {
    let mut session = judge.session();
    session.open(&Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadOnly,
        options: db.to_owned(),
        families: families.to_vec(),
        ..Opening::default()
    })?;
    session.dump()
}

fn go_on(case: &Case<'_>, directory: &Path, written: &Written) -> Result<(), String> {
    let read_by_engine = |what: &str| {
        let found = engine::read_with(directory, &written.db, &written.families);
        let found = found.map_err(|why| format!("{what}: {why}"))?;
        judges::compare(&written.contents, &found.0).map_err(|why| format!("{what}: {why}"))
    };
    read_by_engine("read-only")?;
    write_on(directory, written)?;
    read_by_engine("at the end")?;
    for judge in [case.judge, case.next] {
        let found = read(judge, directory, "", &written.families)
            .map_err(|why| format!("{judge}, at the end: {why}"))?;
        judges::compare(&written.contents, &found)
            .map_err(|why| format!("{judge}, at the end: {why}"))?;
    }
    Ok(())
}

/// A key that no step has.
const NEW_KEY: &[u8] = b"~new~";

/// Opens the directory for writing three times: to write and flush, to compact, to look.
fn write_on(directory: &Path, written: &Written) -> Result<(), String> {
    let failed = |what: &'static str| move |error: base::Status| format!("{what}: {error}");
    let descriptors =
        written.families.iter().map(engine::descriptor).collect::<Result<Vec<_>, _>>()?;
    let options = DbOptions::from_string(&written.db).map_err(failed("options"))?;
    let open = || Db::open(&options, directory, &descriptors, &OpenContext::default());
    let same = |db: &Db, what: &str| {
        let found = engine::contents(db).map_err(|error| format!("{what}: {error}"))?;
        judges::compare(&written.contents, &found).map_err(|why| format!("{what}: {why}"))
    };

    let db = open().map_err(failed("open"))?;
    same(&db, "opened for writing")?;
    let each = |act: &dyn Fn(&ColumnFamilyHandle) -> base::Result<()>| {
        db.column_families().try_for_each(|family| act(&family))
    };
    let write = WriteOptions::default();
    each(&|family| db.put(&write, family, NEW_KEY, b"new")).map_err(failed("put"))?;
    each(&|family| db.flush(&FlushOptions::default(), &[family])).map_err(failed("flush"))?;
    each(&|family| db.delete(&write, family, NEW_KEY)).map_err(failed("delete"))?;
    each(&|family| db.flush(&FlushOptions::default(), &[family])).map_err(failed("flush"))?;
    same(&db, "flushed")?;
    db.close().map_err(failed("close"))?;

    let db = open().map_err(failed("second open"))?;
    for family in db.column_families() {
        if family.options().compaction_style != CompactionStyle::Fifo {
            let options = CompactRangeOptions {
                bottommost_level_compaction: BottommostLevelCompaction::Force,
                ..CompactRangeOptions::default()
            };
            db.compact_range(&options, &family, None, None).map_err(failed("compact"))?;
        }
    }
    same(&db, "compacted")?;
    db.close().map_err(failed("close"))?;
    let db = open().map_err(failed("third open"))?;
    same(&db, "opened again")
}
