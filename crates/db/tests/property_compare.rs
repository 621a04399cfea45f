//! Properties have the values that RocksDB's `ldb get_property` prints.

use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions, LruCacheOptions, OptionsFile};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::fixtures::{self, Fixture};
use testing::parallel;
use testing::peer::{self, Peer};

/// Properties whose value depends on the files of the directory; digits are arguments.
const OF_FILES: &[&str] = &[
    "rocksdb.aggregated-table-properties",
    "rocksdb.aggregated-table-properties-at-level0",
    "rocksdb.aggregated-table-properties-at-level1",
    "rocksdb.base-level",
    "rocksdb.blob-stats",
    "rocksdb.cfstats",
    "rocksdb.cfstats-no-file-histogram",
    "rocksdb.compaction-pending",
    "rocksdb.compression-ratio-at-level0",
    "rocksdb.compression-ratio-at-level1",
    "rocksdb.compression-ratio-at-level6",
    "rocksdb.estimate-live-data-size",
    "rocksdb.estimate-num-keys",
    "rocksdb.estimate-oldest-key-time",
    "rocksdb.estimate-pending-compaction-bytes",
    "rocksdb.levelstats",
    "rocksdb.live-blob-file-garbage-size",
    "rocksdb.live-blob-file-size",
    "rocksdb.live-sst-files-size",
    "rocksdb.live-sst-files-size-at-temperature0",
    "rocksdb.min-log-number-to-keep",
    "rocksdb.num-blob-files",
    "rocksdb.num-deletes-active-mem-table",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-files-at-level0",
    "rocksdb.num-files-at-level6",
    "rocksdb.sstables",
    "rocksdb.stats",
    "rocksdb.total-blob-file-size",
    "rocksdb.total-sst-files-size",
];

/// Properties that are the same for every directory, or nearly, and names that are none.
const OF_ALL: &[&str] = &[
    "rocksdb.actual-delayed-write-rate",
    "rocksdb.aggregated-table-properties-at-level",
    "rocksdb.aggregated-table-properties-at-level99",
    "rocksdb.background-errors",
    "rocksdb.base-level12",
    "rocksdb.blob-cache-capacity",
    "rocksdb.blob-cache-pinned-usage",
    "rocksdb.blob-cache-usage",
    "rocksdb.block-cache-capacity",
    "rocksdb.cf-file-histogram",
    "rocksdb.compression-ratio-at-level",
    "rocksdb.compression-ratio-at-level7",
    "rocksdb.current-super-version-number",
    "rocksdb.dbstats",
    "rocksdb.is-file-deletions-enabled",
    "rocksdb.is-write-stopped",
    "rocksdb.levelstats5",
    "rocksdb.live-sst-files-size-at-temperature",
    "rocksdb.live-sst-files-size-at-temperature4",
    "rocksdb.live-sst-files-size-at-temperature99999999999999999999999",
    "rocksdb.mem-table-flush-pending",
    "rocksdb.min-obsolete-sst-number-to-keep",
    "rocksdb.num-deletes-imm-mem-tables",
    "rocksdb.num-entries-imm-mem-tables",
    "rocksdb.num-files-at-level",
    "rocksdb.num-files-at-level7",
    "rocksdb.num-files-at-level99999999999999999999999",
    "rocksdb.num-immutable-mem-table",
    "rocksdb.num-immutable-mem-table-flushed",
    "rocksdb.num-live-versions",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
    "rocksdb.num-snapshots",
    "rocksdb.oldest-snapshot-sequence",
    "rocksdb.oldest-snapshot-time",
    "rocksdb.options-statistics",
    "rocksdb.no-such-property",
    "rocksdb.",
    "levelstats",
];

/// Not compared, since they tell how much memory the program takes: memtables, open tables (`ldb`
/// opens all, this engine those that are read) and blocks are laid out otherwise.
const OF_MEMORY: &[&str] = &[
    "rocksdb.block-cache-entry-stats",
    "rocksdb.block-cache-pinned-usage",
    "rocksdb.block-cache-usage",
    "rocksdb.cur-size-active-mem-table",
    "rocksdb.cur-size-all-mem-tables",
    "rocksdb.estimate-table-readers-mem",
    "rocksdb.fast-block-cache-entry-stats",
    "rocksdb.size-all-mem-tables",
];

/// Properties of later releases, which 7.8.3 does not know, and those of this engine.
const UNKNOWN_TO_PEER: &[&str] = &[
    "rocksdb.cf-write-stall-stats",
    "rocksdb.cfstats.periodic",
    "rocksdb.compaction-abort-count",
    "rocksdb.db-write-stall-stats",
    "rocksdb.num-running-compaction-sorted-runs",
    "rocksdb.num-unscheduled-compactions",
    "rocksdb.obsolete-sst-files-size",
    "touchstone.memory",
    "touchstone.shape",
    "touchstone.stall",
];

/// Cases with single deletions, or deletions with timestamps, in a WAL. As every later release,
/// this engine counts them among the deletions in a memtable; 7.8 does not.
const SINGLE_DELETIONS: &[&str] = &["a02", "q01", "z01"];
const COUNTS_DELETIONS: &[&str] =
    &["rocksdb.estimate-num-keys", "rocksdb.num-deletes-active-mem-table"];

/// Whether `ldb` is to take options from the OPTIONS file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loads {
    Defaults,
    OptionsFile,
}

/// Opens a database as `ldb` opens it.
fn open(path: &Path, loads: Loads) -> base::Result<Db> {
    let context = OpenContext::default();
    let fs = &*context.file_system;
    let (options, mut families) = match OptionsFile::latest_path(fs, path)? {
        Some(file) if loads == Loads::OptionsFile => loaded_options(fs, path, &file)?,
        _ => default_options(path, &context)?,
    };
    for family in &mut families {
        // Four times that since 8.2.
        let cache = LruCacheOptions { capacity: 8 << 20, ..LruCacheOptions::default() };
        family.options.table.block_cache = Some(cache);
    }
    Db::open_for_read_only(&options, path, &families, &context)
}

fn default_options(
    path: &Path,
    context: &OpenContext,
) -> base::Result<(DbOptions, Vec<ColumnFamilyDescriptor>)> {
    let mut defaults = ColumnFamilyOptions::default();
    // On since 8.4.
    defaults.level_compaction_dynamic_level_bytes = false;
    let names = Db::list_column_families(path, context)?.into_iter();
    let families = names.map(|name| ColumnFamilyDescriptor::new(name, defaults.clone()));
    Ok((DbOptions::default(), families.collect()))
}

fn loaded_options(
    fs: &dyn env::FileSystem,
    path: &Path,
    file: &Path,
) -> base::Result<(DbOptions, Vec<ColumnFamilyDescriptor>)> {
    let config = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
    let OptionsFile { mut db, column_families, .. } = OptionsFile::read(fs, file, &config)?;
    if !db.wal_dir.is_empty() && !Path::new(&db.wal_dir).exists() {
        db.wal_dir = path.display().to_string();
    }
    let families = column_families.into_iter();
    let families =
        families.map(|family| ColumnFamilyDescriptor::new(family.name, family.options)).collect();
    Ok((db, families))
}

/// What this engine has, as `ldb get_property` would print it.
fn found(db: &Db, family: &ColumnFamilyHandle, name: &str) -> Result<String, String> {
    if let Some(map) = db.map_property(family, name) {
        return Ok(map.iter().map(|(key, value)| format!("{name}.{key}: {value}\n")).collect());
    }
    match db.property(family, name) {
        Some(value) => Ok(format!("{name}: {value}\n")),
        None => Err(format!("Failed: failed to get property: {name}")),
    }
}

/// `ldb` on one directory.
struct Ldb {
    peer: Peer,
    flags: [String; 3],
}

impl Ldb {
    fn new(peer: Peer, path: &Path, loads: Loads) -> Self {
        let flags = [
            format!("--db={}", path.display()),
            format!("--try_load_options={}", loads == Loads::OptionsFile),
            "--ignore_unknown_options".to_owned(),
        ];
        Self { peer, flags }
    }

    fn get_property(&self, family: &str, name: &str) -> Result<String, String> {
        let mut arguments = vec!["get_property".to_owned(), name.to_owned()];
        arguments.extend(self.flags.iter().cloned());
        arguments.push(format!("--column_family={family}"));
        let output = self.peer.run(&arguments);
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            // Remarks on options may stand before it.
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(errors.lines().last().unwrap_or_default().to_owned())
        }
    }
}

/// Each value is asked of a database just opened, for the statistics of an interval.
fn compare_one(ldb: &Ldb, db: &Db, family: &str, name: &str) -> Result<(), String> {
    let expected = ldb.get_property(family, name).map(|text| comparable(&text));
    let handle = db.column_family(family).ok_or("no such family")?;
    let found = found(db, &handle, name).map(|text| comparable(&text));
    if found == expected {
        return Ok(());
    }
    let show = |result: Result<String, String>| result.unwrap_or_else(|error| format!("[{error}]"));
    let (found, expected) = (show(found), show(expected));
    let different = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    let (found, expected) = different.unwrap_or((&found, &expected));
    Err(format!("family {family}, {name}\n{found}\nexpected\n{expected}"))
}

/// The text without what differs from run to run: time, and the order of a set that RocksDB keeps
/// by hash.
fn comparable(text: &str) -> String {
    let lines = text.lines().filter(|line| !is_of_later_release(line));
    lines.map(comparable_line).collect::<Vec<_>>().join("\n")
}

/// Lines and keys that releases after 7.8 have, beside those of 7.8.
fn is_of_later_release(line: &str) -> bool {
    let starts = ["Estimated pending compaction bytes: ", "Write Stall (count): ", "interval: "];
    let keys = [
        ".WPreCompGB: ",
        "-stops: ",
        "-delays: ",
        "-with-ongoing-compaction: ",
        ".num_data_blocks_compression_",
        ".num_uniform_blocks: ",
        ".uncompressed_data_size: ",
    ];
    starts.iter().any(|start| line.starts_with(start)) || keys.iter().any(|key| line.contains(key))
}

fn comparable_line(line: &str) -> String {
    if line.starts_with("Uptime(secs)") || line.starts_with("rocksdb.dbstats.db.uptime") {
        return line.replace(|c: char| c.is_ascii_digit(), "");
    }
    let linked = line.split_once("linked_ssts: {").and_then(|(before, rest)| {
        let (numbers, after) = rest.split_once('}')?;
        Some((before, numbers, after))
    });
    let Some((before, numbers, after)) = linked else { return line.to_owned() };
    let mut numbers: Vec<&str> = numbers.split_whitespace().collect();
    numbers.sort_unstable();
    format!("{before}linked_ssts: {numbers:?}{after}")
}

/// Whether both open the directory; all values must then be equal.
fn check(peer: Peer, path: &Path, loads: Loads, names: &[&str]) -> Result<bool, String> {
    let ldb = Ldb::new(peer, path, loads);
    let opens = ldb.get_property("default", "rocksdb.base-level").is_ok();
    let db = match open(path, loads) {
        Ok(db) if opens => db,
        Err(error) if opens => return Err(error.to_string()),
        _ => return Ok(false),
    };
    let mut wrong = Vec::new();
    for family in db.column_families() {
        for name in names {
            let db = open(path, loads).map_err(|error| error.to_string())?;
            wrong.extend(compare_one(&ldb, &db, &family.name().to_string(), name).err());
        }
    }
    if wrong.is_empty() { Ok(true) } else { Err(format!("{loads:?}: {}", wrong.join("\n"))) }
}

/// Compares all of `wanted`, each with either options. So many times one of the two may not open
/// a directory.
fn compare(wanted: &[Fixture], names: &[&str], refused_max: usize) {
    let Some(peer) = peer::find("ldb") else { return };
    let refused = AtomicUsize::new(0);
    parallel::for_each(wanted, |fixture| {
        let unpacked = fixture.unpack_to_temp();
        let counts_otherwise = SINGLE_DELETIONS.iter().any(|case| fixture.name.starts_with(case));
        let is_compared = |name: &&str| !(counts_otherwise && COUNTS_DELETIONS.contains(name));
        let names: Vec<_> = names.iter().copied().filter(is_compared).collect();
        for loads in [Loads::Defaults, Loads::OptionsFile] {
            if !check(peer, &unpacked.path(), loads, &names)? {
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok::<_, String>(())
    });
    let refused = refused.into_inner();
    assert!(refused <= refused_max, "{refused} times a directory was not opened");
}

/// A shape that no fixture has, made by `db_bench`.
struct Made {
    what: &'static str,
    flags: &'static [&'static str],
    /// The options with which `expected` is asked for.
    loads: Loads,
    /// A value that shows that it came out so.
    expected: &'static str,
}

impl std::fmt::Display for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.what)
    }
}

const MADE: &[Made] = &[
    Made {
        what: "files in L0 that delay writes",
        flags: &["--disable_auto_compactions=1", "--num=23000"],
        loads: Loads::Defaults,
        expected: "rocksdb.actual-delayed-write-rate: 16777216",
    },
    Made {
        what: "files in L0 that stop writes",
        flags: &["--disable_auto_compactions=1", "--num=45000"],
        loads: Loads::Defaults,
        expected: "rocksdb.is-write-stopped: 1",
    },
    Made {
        what: "first in, first out",
        flags: &["--compaction_style=2"],
        loads: Loads::Defaults,
        expected: "rocksdb.num-files-at-level1: 0",
    },
    Made {
        what: "universal",
        flags: &["--compaction_style=1"],
        // Which levels have files depends on how its threads got on; there is no base level.
        loads: Loads::OptionsFile,
        expected: "rocksdb.base-level: 18446744073709551615",
    },
    Made {
        what: "dynamic level sizes",
        flags: &["--level_compaction_dynamic_level_bytes=1", "--max_bytes_for_level_base=400000"],
        loads: Loads::Defaults,
        expected: "rocksdb.num-files-at-level1: 0",
    },
    Made {
        what: "deletions",
        flags: &["--benchmarks=fillrandom,deleterandom", "--max_bytes_for_level_base=400000"],
        loads: Loads::Defaults,
        expected: "rocksdb.base-level: 1",
    },
    Made {
        what: "blobs and their garbage",
        flags: &["--enable_blob_files=1", "--blob_file_size=300000"],
        loads: Loads::Defaults,
        expected: "rocksdb.base-level: 1",
    },
];

fn make(db_bench: Peer, flags: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let db = format!("--db={}", directory.path().display());
    let always = [
        &db,
        "--benchmarks=fillrandom",
        "--num=50000",
        "--write_buffer_size=100000",
        "--target_file_size_base=50000",
        "--level0_slowdown_writes_trigger=1000",
        "--level0_stop_writes_trigger=1000",
        "--compression_type=none",
        "--seed=1",
    ];
    let output = db_bench.run(&[&always[..], flags].concat());
    assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
    directory
}

/// Properties that depend on shapes which no fixture has.
const OF_STALLS: &[&str] = &["rocksdb.actual-delayed-write-rate", "rocksdb.is-write-stopped"];

/// Which shape `db_bench` leaves depends on how its threads get on; one that is not the shape meant
/// is made anew.
const ATTEMPTS: usize = 4;

fn check_made(ldb: Peer, db_bench: Peer, made: &Made) -> Result<(), String> {
    let mut found = String::new();
    for _ in 0..ATTEMPTS {
        found = check_made_once(ldb, db_bench, made)?;
        if found.trim_end() == made.expected {
            return Ok(());
        }
    }
    Err(found)
}

/// All values, and the one that tells the shape.
fn check_made_once(ldb: Peer, db_bench: Peer, made: &Made) -> Result<String, String> {
    let Made { flags, loads: asked_with, expected, .. } = made;
    let directory = make(db_bench, flags);
    for loads in [Loads::Defaults, Loads::OptionsFile] {
        if !check(ldb, directory.path(), loads, &[OF_FILES, OF_STALLS].concat())? {
            return Err("was not opened".to_owned());
        }
    }
    let (name, _) = expected.split_once(':').ok_or("name: value")?;
    let db = open(directory.path(), *asked_with).map_err(|error| error.to_string())?;
    found(&db, &db.column_family("default").ok_or("default")?, name)
}

#[test]
fn values_in_shapes_made_for_them() {
    let (Some(ldb), Some(db_bench)) = (peer::find("ldb"), peer::find("db_bench")) else { return };
    parallel::for_each(MADE, |made| check_made(ldb, db_bench, made));
}

#[test]
fn every_property_is_compared_or_argued() {
    let lists = [OF_FILES, OF_ALL, OF_MEMORY, UNKNOWN_TO_PEER];
    for name in Db::property_names() {
        let is_listed = lists.iter().any(|list| {
            list.iter().any(|listed| listed.trim_end_matches(|c: char| c.is_ascii_digit()) == name)
        });
        assert!(is_listed, "{name}");
    }
}

#[test]
fn values_that_depend_on_files() {
    let cases: &[(&str, &[&str])] = &[
        ("3.13.1", &["a02", "b03"]),
        ("4.13.5", &["a04", "j03"]),
        (
            "6.29.5",
            &[
                "a02", "a05", "a08", "c05", "d01", "d03", "f03", "g01", "g03", "h04", "j01", "j02",
                "k02", "p01", "p04", "q04", "q05", "q16", "z01",
            ],
        ),
        ("7.8.3", &["t01", "t03", "t08", "t09"]),
        ("7.9.2", &["f05", "n06", "q01", "j03"]),
    ];
    let wanted = fixtures::matching(|release, name| {
        cases
            .iter()
            .any(|(of, cases)| *of == release && cases.iter().any(|case| name.starts_with(case)))
    });
    assert_eq!(wanted.len(), cases.iter().map(|(_, cases)| cases.len()).sum::<usize>());
    // Of some the comparator, num_levels or the merge operator is not the default.
    compare(&wanted, OF_FILES, 12);
}

#[test]
fn values_that_are_the_same_for_all() {
    let cases = ["a02", "d01", "g01"];
    let wanted = fixtures::matching(|release, name| {
        release == "6.29.5" && cases.iter().any(|case| name.starts_with(case))
    });
    assert_eq!(wanted.len(), cases.len());
    // Of one the comparator is not the default.
    compare(&wanted, OF_ALL, 1);
}
