//! Directories made on the spot by RocksDB's `db_bench` read as RocksDB's `ldb` reads them.
//!
//! Each set of options makes one directory. Every family in it is read forward, backward and by
//! key, and compared pair by pair with what `ldb` prints. Both tools are those of release 7.8.3,
//! as distributions package them; without them the test says so and, where the environment has
//! `CI=true`, fails. Two directories have a million keys, with `TOUCHSTONE_LONG=1` all.

use base::Status;
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions};
use options::{ConfigOptions, OptionsFile};
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testing::content::ContentHash;
use testing::hexes::try_unhex;
use testing::long_mode::is_long;
use testing::parallel;

/// Keys that are looked up one by one.
const GETS: usize = 1000;
/// How long `ldb` may take.
const LDB_SECONDS_MAX: &str = "60";
/// Bytes of a user-defined timestamp.
const TIMESTAMP_SIZE: usize = 8;

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// How `db_bench` makes a directory.
#[derive(Clone, Copy, Default)]
struct OptionSet {
    name: &'static str,
    benchmarks: &'static str,
    flags: &'static [&'static str],
    /// Content of an OPTIONS file to make it by, for what no flag sets.
    options_file: Option<&'static str>,
    /// Whether it has a million keys in any case.
    is_large: bool,
    /// Whether `db_bench` is killed while it writes.
    is_killed: bool,
    /// Whether keys have timestamps, which `ldb scan` cannot read.
    has_timestamps: bool,
}

impl fmt::Display for OptionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What no flag sets: recycled WALs, a hash index, and block layouts.
const RECYCLED_WAL_AND_HASH_INDEX: &str = r#"
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  create_if_missing=true
  recycle_log_file_num=3
  wal_recovery_mode=kSkipAnyCorruptedRecords
[CFOptions "default"]
  write_buffer_size=262144
  target_file_size_base=262144
  max_bytes_for_level_base=1048576
  prefix_extractor=rocksdb.FixedPrefix.6
  compression_per_level=kNoCompression:kSnappyCompression:kLZ4HCCompression:kBZip2Compression
  bottommost_compression=kZlibCompression
  num_levels=5
[TableOptions/BlockBasedTable "default"]
  index_type=kHashSearch
  data_block_index_type=kDataBlockBinaryAndHash
  data_block_hash_table_util_ratio=0.6
  block_size=700
  block_restart_interval=4
  index_block_restart_interval=1
  block_align=false
  filter_policy=bloomfilter:7:false
  enable_index_compression=false
"#;

const OPTION_SETS: &[OptionSet] = &[
    OptionSet {
        name: "uncompressed, format 2, level bytes that adapt",
        benchmarks: "fillrandom,overwrite",
        flags: &[
            "--compression_type=none",
            "--format_version=2",
            "--checksum_type=1",
            "--level_compaction_dynamic_level_bytes=true",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "snappy, format 3, bloom filters, data block hash index",
        // In order first, so that there are as many keys as writes.
        benchmarks: "fillseq,overwrite",
        is_large: true,
        flags: &[
            "--compression_type=snappy",
            "--format_version=3",
            "--checksum_type=2",
            "--bloom_bits=10",
            "--use_data_block_hash_index=true",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "zstd with a dictionary, partitioned index and ribbon filters",
        benchmarks: "fillrandom,compact",
        is_large: true,
        flags: &[
            "--compression_type=zstd",
            "--compression_max_dict_bytes=16384",
            "--compression_zstd_max_train_bytes=65536",
            "--partition_index_and_filters=true",
            "--metadata_block_size=512",
            "--bloom_bits=10",
            "--use_ribbon_filter=true",
            "--format_version=5",
            "--checksum_type=4",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "zlib, prefix filters in partitions, universal compaction",
        benchmarks: "fillrandom,overwrite",
        flags: &[
            "--compression_type=zlib",
            "--prefix_size=8",
            "--keys_per_prefix=20",
            "--bloom_bits=10",
            "--whole_key_filtering=false",
            "--partition_index_and_filters=true",
            "--compaction_style=1",
            "--format_version=4",
            "--checksum_type=3",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "lz4, first keys in the index, fifo compaction",
        benchmarks: "fillrandom",
        flags: &[
            "--compression_type=lz4",
            "--index_with_first_key=true",
            "--compaction_style=2",
            "--fifo_compaction_max_table_files_size_mb=3",
            "--checksum_type=0",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "column families",
        benchmarks: "fillrandom,overwrite",
        flags: &["--num_column_families=3"],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "blob files, some collected",
        benchmarks: "fillrandom,overwrite,compact",
        flags: &[
            "--enable_blob_files=true",
            "--min_blob_size=40",
            "--value_size_distribution_type=uniform",
            "--value_size_min=8",
            "--value_size_max=120",
            "--blob_compression_type=lz4",
            "--blob_file_size=1048576",
            "--enable_blob_garbage_collection=true",
            "--blob_garbage_collection_age_cutoff=0.7",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "merges",
        benchmarks: "fillrandom,mergerandom",
        flags: &["--merge_operator=uint64add", "--value_size=8"],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "deletions, compressed WAL",
        benchmarks: "fillrandom,deleterandom,fillrandom",
        flags: &["--wal_compression=zstd", "--deletes=40000"],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "single deletions",
        benchmarks: "fillseq,randomreplacekeys",
        flags: &["--use_single_deletes=true", "--numdistinct=1000"],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "range deletions",
        benchmarks: "fillrandom",
        flags: &[
            "--writes_per_range_tombstone=100",
            "--range_tombstone_width=300",
            "--max_num_range_tombstones=100000",
        ],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "direct I/O",
        benchmarks: "fillrandom",
        flags: &["--use_direct_io_for_flush_and_compaction=true", "--use_direct_reads=true"],
        ..DEFAULT_SET
    },
    OptionSet {
        name: "timestamps",
        benchmarks: "fillrandom,overwrite",
        flags: &["--user_timestamp_size=8", "--bloom_bits=10"],
        has_timestamps: true,
        ..DEFAULT_SET
    },
    OptionSet {
        name: "recycled WAL, hash index, a compression per level",
        benchmarks: "fillrandom,overwrite",
        options_file: Some(RECYCLED_WAL_AND_HASH_INDEX),
        ..DEFAULT_SET
    },
    OptionSet {
        name: "killed while writing",
        benchmarks: "fillrandom,overwrite",
        flags: &["--num=100000000"],
        is_killed: true,
        ..DEFAULT_SET
    },
];

const DEFAULT_SET: OptionSet = OptionSet {
    name: "",
    benchmarks: "",
    flags: &[],
    options_file: None,
    is_large: false,
    is_killed: false,
    has_timestamps: false,
};

#[test]
fn directories_of_db_bench_read_as_ldb_reads_them() {
    for tool in ["db_bench", "ldb", "timeout"] {
        if let Err(error) = Command::new(tool).arg("--help").stdout(Stdio::null()).output() {
            eprintln!("skipped: {tool} cannot be run: {error}");
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{tool} is missing");
            return;
        }
    }
    parallel::for_each(OPTION_SETS, check);
}

fn check(set: &OptionSet) -> Result<(), String> {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .map_err(|error| format!("temporary directory: {error}"))?;
    let path = directory.path().join("db");
    make(set, directory.path(), &path)?;
    let db = open(&path)?;
    let mut total = 0;
    for family in db.column_families() {
        let in_family = |why| format!("family {}: {why}", family.name());
        total += check_family(set, &db, &family, &path).map_err(in_family)?;
    }
    if total < 1000 {
        return Err(format!("only {total} keys"));
    }
    Ok(())
}

/// Runs `db_bench`.
fn make(set: &OptionSet, directory: &Path, path: &Path) -> Result<(), String> {
    let mut command = Command::new("db_bench");
    command.arg(format!("--db={}", path.display()));
    command.arg(format!("--benchmarks={}", set.benchmarks));
    command.arg(format!("--num={}", if is_long() || set.is_large { 1_000_000 } else { 100_000 }));
    command.args(["--seed=1", "--value_size=64", "--write_buffer_size=524288"]);
    command.args(["--target_file_size_base=524288", "--max_bytes_for_level_base=2097152"]);
    command.args(set.flags);
    if let Some(content) = set.options_file {
        let file = directory.join("OPTIONS");
        std::fs::write(&file, content).map_err(|error| error.to_string())?;
        command.arg(format!("--options_file={}", file.display()));
    }
    if set.is_killed {
        return kill_while_writing(&mut command, path);
    }
    let output = command.output().map_err(|error| format!("db_bench: {error}"))?;
    if !output.status.success() {
        return Err(format!("db_bench: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(())
}

/// Lets `db_bench` write some tables, then kills it.
fn kill_while_writing(command: &mut Command, path: &Path) -> Result<(), String> {
    const TABLES_MIN: usize = 6;
    const WAIT_MAX: Duration = Duration::from_secs(30);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("db_bench: {error}"))?;
    let start = Instant::now();
    let table_count = || {
        let names = std::fs::read_dir(path).into_iter().flatten().flatten();
        names.filter(|entry| entry.path().extension().is_some_and(|e| e == "sst")).count()
    };
    while table_count() < TABLES_MIN && start.elapsed() < WAIT_MAX {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().and_then(|()| child.wait()).map_err(|error| format!("kill: {error}"))?;
    Ok(())
}

/// Opens a directory by its own OPTIONS file.
fn open(path: &Path) -> Result<Db, String> {
    let context = OpenContext::default();
    let config = ConfigOptions::default();
    let (_, file) = OptionsFile::latest(&*context.file_system, path, &config)
        .map_err(|error| format!("OPTIONS: {error}"))?;
    let families: Vec<_> = file
        .column_families
        .iter()
        .map(|section| ColumnFamilyDescriptor::new(&section.name, section.options.clone()))
        .collect();
    Db::open_for_read_only(&file.db, path, &families, &context)
        .map_err(|error| format!("open: {error}"))
}

/// Compares every way of reading a family; returns how many keys it has.
fn check_family(
    set: &OptionSet,
    db: &Db,
    family: &ColumnFamilyHandle,
    path: &Path,
) -> Result<usize, String> {
    let timestamp = set.has_timestamps.then(|| vec![0xff; TIMESTAMP_SIZE]);
    let options = ReadOptions { total_order_seek: true, timestamp, ..ReadOptions::default() };
    let pairs = forward(db, family, &options).map_err(|error| format!("scan: {error}"))?;
    match set.has_timestamps {
        true => check_versions(db, family, &pairs, path)?,
        false => compare_with_scan(&pairs, &family.name().to_string(), path)?,
    }
    check_backward(db, family, &options, &pairs).map_err(|why| format!("backward: {why}"))?;
    check_gets(db, family, &options, &pairs).map_err(|why| format!("get: {why}"))?;
    Ok(pairs.len())
}

fn forward(db: &Db, family: &ColumnFamilyHandle, options: &ReadOptions) -> Result<Pairs, Status> {
    let mut pairs = Vec::new();
    let mut iterator = db.new_iterator(options, family)?;
    iterator.seek_to_first();
    while iterator.valid() {
        pairs.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next();
    }
    iterator.status()?;
    Ok(pairs)
}

fn check_backward(
    db: &Db,
    family: &ColumnFamilyHandle,
    options: &ReadOptions,
    pairs: &Pairs,
) -> Result<(), String> {
    let mut iterator = db.new_iterator(options, family).map_err(|error| error.to_string())?;
    iterator.seek_to_last();
    for (key, value) in pairs.iter().rev() {
        if !iterator.valid() {
            return Err(format!("ends before {key:02x?}: {:?}", iterator.status()));
        }
        if (iterator.key(), iterator.value()) != (key, value) {
            return Err(format!("found {:02x?}, expected {key:02x?}", iterator.key()));
        }
        iterator.prev();
    }
    match iterator.valid() {
        true => Err(format!("found {:02x?}, expected the end", iterator.key())),
        false => iterator.status().map_err(|error| error.to_string()),
    }
}

/// Looks up keys that are there, and beside each one that is not.
fn check_gets(
    db: &Db,
    family: &ColumnFamilyHandle,
    options: &ReadOptions,
    pairs: &Pairs,
) -> Result<(), String> {
    for number in 0..GETS.min(pairs.len()) {
        let index = pseudo_random(number) % pairs.len();
        let (key, value) = &pairs[index];
        let found = db.get(options, family, key).map_err(|error| error.to_string())?;
        if found.as_deref() != Some(value.as_slice()) {
            return Err(format!("{key:02x?} is {found:02x?}, expected {value:02x?}"));
        }
        let successor = [key, &[0][..]].concat();
        let found = db.get(options, family, &successor).map_err(|error| error.to_string())?;
        if found.is_some() {
            return Err(format!("{successor:02x?} is there, expected it not to be"));
        }
    }
    Ok(())
}

/// The same for every run.
fn pseudo_random(number: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish() as usize
}

/// Compares with `ldb scan`, pair by pair and by the hash of all.
fn compare_with_scan(pairs: &Pairs, family: &str, path: &Path) -> Result<(), String> {
    let (mut ours, mut theirs) = (ContentHash::new(), ContentHash::new());
    let mut expected = pairs.iter();
    let column_family = format!("--column_family={family}");
    for_each_line(path, &["--hex", "--try_load_options", &column_family, "scan"], |line| {
        let (key, value) = line
            .split_once(" : ")
            .and_then(|(key, value)| Some((from_hex(key)?, from_hex(value)?)))
            .ok_or_else(|| format!("ldb printed {line}"))?;
        theirs.push(&key, &value);
        match expected.next() {
            Some(pair) if (&pair.0, &pair.1) == (&key, &value) => ours.push(&pair.0, &pair.1),
            found => {
                return Err(format!("ldb has {key:02x?} = {value:02x?}, here is {found:02x?}"));
            }
        }
        Ok(())
    })?;
    if let Some(more) = expected.next() {
        return Err(format!("ldb does not have {more:02x?}"));
    }
    match ours.sha256() == theirs.sha256() {
        true => Ok(()),
        false => Err("hashes differ".to_owned()),
    }
}

/// A version as `ldb idump` prints it.
struct Version {
    key: Vec<u8>,
    timestamp: u64,
    is_value: bool,
    value: Vec<u8>,
}

/// Compares with what follows from all versions that `ldb idump` prints, now and as of the time
/// that lies in the middle.
fn check_versions(
    db: &Db,
    family: &ColumnFamilyHandle,
    newest: &Pairs,
    path: &Path,
) -> Result<(), String> {
    let mut versions: Vec<Version> = Vec::new();
    for_each_line(path, &["--hex", "--try_load_options", "idump"], |line| {
        if let Some(version) = parse_version(line) {
            versions.push(version);
        }
        Ok(())
    })?;
    let mut times: Vec<u64> = versions.iter().map(|version| version.timestamp).collect();
    times.sort_unstable();
    let middle = *times.get(times.len() / 2).ok_or("ldb printed no versions")?;
    let then =
        ReadOptions { timestamp: Some(middle.to_le_bytes().to_vec()), ..ReadOptions::default() };
    let pairs = forward(db, family, &then).map_err(|error| error.to_string())?;
    for (found, time) in [(newest, u64::MAX), (&pairs, middle)] {
        let expected = as_of(&versions, time);
        if let Some((a, b)) = found.iter().zip(&expected).find(|(a, b)| a != b) {
            return Err(format!("as of {time}: found {a:02x?}, expected {b:02x?}"));
        }
        if found.len() != expected.len() {
            return Err(format!("as of {time}: {} keys, not {}", found.len(), expected.len()));
        }
    }
    check_backward(db, family, &then, &pairs)?;
    check_gets(db, family, &then, &pairs)
}

/// `'KEY' seq:SEQUENCE, type:TYPE => VALUE`, key and value in hexadecimal.
fn parse_version(line: &str) -> Option<Version> {
    const TYPE_VALUE: &str = "1";
    let (key, rest) = line.strip_prefix('\'')?.split_once("' seq:")?;
    let (_, rest) = rest.split_once(", type:")?;
    let (value_type, value) = rest.split_once(" => ")?;
    let mut key = from_hex(key)?;
    let timestamp = key.split_off(key.len().checked_sub(TIMESTAMP_SIZE)?);
    Some(Version {
        key,
        timestamp: u64::from_le_bytes(timestamp.try_into().ok()?),
        is_value: value_type == TYPE_VALUE,
        value: from_hex(value)?,
    })
}

/// The pairs that a read at `time` sees. Versions of a key come newest first.
fn as_of(versions: &[Version], time: u64) -> Pairs {
    let mut pairs = Vec::new();
    for of_key in versions.chunk_by(|a, b| a.key == b.key) {
        if let Some(version) = of_key.iter().find(|version| version.timestamp <= time)
            && version.is_value
        {
            pairs.push((version.key.clone(), version.value.clone()));
        }
    }
    pairs
}

/// Runs `ldb` and hands over its output.
fn for_each_line(
    path: &Path,
    arguments: &[&str],
    mut take: impl FnMut(&str) -> Result<(), String>,
) -> Result<(), String> {
    // It loops for ever at the end of some WALs.
    let mut child = Command::new("timeout")
        .args([LDB_SECONDS_MAX, "ldb"])
        .arg(format!("--db={}", path.display()))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("ldb: {error}"))?;
    let output = child.stdout.take().ok_or("ldb: no output")?;
    let taken = BufReader::new(output)
        .lines()
        .try_for_each(|line| take(&line.map_err(|error| format!("ldb: {error}"))?));
    let status = child.wait().map_err(|error| format!("ldb: {error}"))?;
    taken?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("ldb: {status}")),
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    try_unhex(text.strip_prefix("0x").unwrap_or(text)).ok()
}
