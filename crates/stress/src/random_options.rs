//! Options by a seed: those that bear on what survives a crash, as many of them as go together.

use crate::operation::FAMILIES;
use crate::random::Random;
use base::Result;
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions, DbPath};
use std::path::Path;

/// Options of the database; of each row one at most.
const DB: &[&[&str]] = &[
    &["wal_compression=kZSTD", "wal_compression=kZSTD"],
    &["recycle_log_file_num=1", "recycle_log_file_num=3"],
    &["manual_wal_flush=true"],
    &["avoid_flush_during_recovery=true"],
    &["avoid_flush_during_shutdown=true"],
    &["max_total_wal_size=100000"],
    &["max_manifest_file_size=1000", "max_manifest_file_size=20000"],
    &["use_fsync=true"],
    &["wal_bytes_per_sync=8192", "bytes_per_sync=4096"],
    &["max_subcompactions=3"],
    &["max_background_jobs=1", "max_background_jobs=4"],
    &["allow_concurrent_memtable_write=false"],
    &["max_write_batch_group_size_bytes=1000"],
    &["db_write_buffer_size=100000"],
    &["WAL_ttl_seconds=1000;WAL_size_limit_MB=1"],
    &["write_dbid_to_manifest=false"],
    &["track_and_verify_wals_in_manifest=true"],
    &["max_open_files=20"],
    &["delayed_write_rate=2000000"],
    &["wal_io=write", "wal_io=mapped"],
    &["use_direct_io_for_flush_and_compaction=true"],
    &["use_direct_reads=true"],
];

/// How writes go through; one of these.
const WRITE_MODE: &[&str] = &[
    "",
    "",
    "enable_pipelined_write=true",
    "unordered_write=true",
    "two_write_queues=true",
    "unordered_write=true;two_write_queues=true",
];

/// Options of a column family; of each row one at most.
const FAMILY: &[&[&str]] = &[
    &[
        "compression=kNoCompression",
        "compression=kLZ4Compression",
        "compression=kZSTD",
        "compression=kZlibCompression",
    ],
    &["max_write_buffer_number=3", "max_write_buffer_number=4;min_write_buffer_number_to_merge=2"],
    &["min_write_buffer_number_to_merge=1"],
    &[
        "enable_blob_files=true;min_blob_size=100",
        "enable_blob_files=true;min_blob_size=50;blob_file_size=16384;\
         enable_blob_garbage_collection=true;blob_garbage_collection_age_cutoff=1.0",
        "enable_blob_files=true;min_blob_size=200;blob_compression_type=kLZ4Compression;\
         enable_blob_garbage_collection=true;blob_garbage_collection_age_cutoff=0.5;\
         blob_garbage_collection_force_threshold=0.3",
    ],
    &["target_file_size_base=8192", "target_file_size_base=30000"],
    &["max_bytes_for_level_base=40000", "max_bytes_for_level_base=150000"],
    &["level_compaction_dynamic_level_bytes=false"],
    &["memtable_prefix_bloom_size_ratio=0.1;memtable_whole_key_filtering=true"],
    &["paranoid_file_checks=true"],
    &["compaction_pri=kOldestSmallestSeqFirst", "compaction_pri=kRoundRobin"],
    &["disable_auto_compactions=true"],
    &["deletion_pass_trigger=0", "deletion_pass_trigger=1", "deletion_pass_trigger=30"],
    &["compression_opts={parallel_threads=3}"],
];

/// Containers of memtables beside the default.
const MEMTABLES: &[&str] =
    &["memtable_factory={id=SkipListFactory;lookahead=0}", "memtable_factory=VectorRepFactory"];

/// What slows writes down and stops them while compactions are due; of all column families alike.
const STALLS: &[&str] = &[
    "level0_file_num_compaction_trigger=2;level0_slowdown_writes_trigger=3;\
     level0_stop_writes_trigger=4",
    "level0_file_num_compaction_trigger=4;level0_slowdown_writes_trigger=4;\
     level0_stop_writes_trigger=6",
    "soft_pending_compaction_bytes_limit=50000;hard_pending_compaction_bytes_limit=200000",
];

const WRITE_BUFFER_SIZES: &[&str] = &[
    "write_buffer_size=16384",
    "write_buffer_size=32768",
    "write_buffer_size=65536",
    "write_buffer_size=262144",
];

/// Options of tables; of each row one at most.
const TABLE: &[&[&str]] = &[
    &["format_version=2", "format_version=3", "format_version=4", "format_version=5"],
    &["checksum=kCRC32c", "checksum=kxxHash", "checksum=kxxHash64"],
    &["filter_policy=bloomfilter:10:false", "filter_policy=ribbonfilter:10"],
    &[
        "index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=256",
        "index_type=kBinarySearchWithFirstKey",
    ],
    &["block_size=256", "block_size=2000"],
    &["cache_index_and_filter_blocks=true", "no_block_cache=true"],
    &["keep_blocks_warm=false"],
];

/// Formats of tables that RocksDB 7.8.3 does not read.
const MODERN_FORMATS: &[&str] = &["format_version=6", "format_version=7"];

/// Of these a database has one for as long as it lives.
const STYLES: &[&str] = &[
    "compaction_style=kCompactionStyleLevel",
    "compaction_style=kCompactionStyleLevel",
    "compaction_style=kCompactionStyleLevel;num_levels=3",
    "compaction_style=kCompactionStyleUniversal",
    "compaction_style=kCompactionStyleUniversal;num_levels=1",
    // Nothing is old or large enough to be deleted.
    "compaction_style=kCompactionStyleFIFO;num_levels=1;ttl=0;\
     compaction_options_fifo={max_table_files_size=1099511627776;allow_compaction=true}",
];

/// Where tables are, beside the database's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    Database,
    DbPaths,
    CfPaths,
}

/// What stays as it is for as long as a database lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    style: &'static str,
    places: Places,
    has_wal_directory: bool,
    /// Formats and options are used that RocksDB 7.8.3 does not read.
    is_modern: bool,
    /// Nothing is logged: with `atomic_flush` what is lost is lost of all families together.
    pub logs_nothing: bool,
    /// Where a process is killed: recovery tells the ends of WALs from damage. None is mapped then,
    /// whatever `wal_io` says.
    pub tells_ends: bool,
    /// Where a process is killed: some writes go into tables made apart, which are taken in.
    pub takes_tables_in: bool,
}

impl Traits {
    /// By a seed.
    pub fn new(random: &mut Random) -> Self {
        let style = random.pick(STYLES);
        let places = match random.below(6) {
            // With one level there is one directory.
            0 if !style.contains("FIFO") => Places::DbPaths,
            1 if !style.contains("FIFO") => Places::CfPaths,
            _ => Places::Database,
        };
        Self {
            style,
            places,
            has_wal_directory: random.one_in(5),
            is_modern: random.one_in(3),
            logs_nothing: random.one_in(6),
            tells_ends: random.one_in(3),
            takes_tables_in: random.one_in(2),
        }
    }

    /// Whether `ldb` of RocksDB 7.8.3 can be asked. It is not told where tables are, and, built with
    /// assertions, dies of those that are not in the first of its directories, and of entities in tables
    /// that were taken in. It also orders the files of level 0 by their sequence numbers, by which
    /// tables that were taken in, and compactions of level 0 into itself, may leave them out of order.
    pub fn can_ask_ldb(&self) -> bool {
        !self.is_modern && self.places == Places::Database && !self.takes_tables_in
    }
}

fn some_of(random: &mut Random, rows: &[&'static [&'static str]]) -> Vec<&'static str> {
    let mut chosen = Vec::new();
    for row in rows {
        if random.one_in(3) {
            chosen.push(random.pick(row));
        }
    }
    chosen
}

fn db_text(random: &mut Random, traits: Traits) -> String {
    let mut chosen = some_of(random, DB);
    let mut mode = random.pick(WRITE_MODE);
    if traits.logs_nothing || random.one_in(6) {
        chosen.push("atomic_flush=true");
        mode = if mode.contains("pipelined") { "" } else { mode };
    }
    if mode.contains("unordered") {
        chosen.retain(|option| !option.starts_with("allow_concurrent_memtable_write"));
    }
    chosen.push(mode);
    if traits.is_modern && random.one_in(2) {
        chosen.push("track_and_verify_wals=true");
    }
    if traits.style.contains("FIFO") {
        chosen.retain(|option| !option.starts_with("max_open_files"));
    }
    chosen.retain(|option| !option.is_empty());
    chosen.join(";")
}

/// A vector takes only one writer at a time.
fn memtable(random: &mut Random, takes_one_writer: bool) -> &'static str {
    let chosen = random.pick(MEMTABLES);
    let is_fit = takes_one_writer || !chosen.contains("Vector");
    if is_fit && random.one_in(3) { chosen } else { "" }
}

fn family_text(
    random: &mut Random,
    traits: Traits,
    stalls: &'static str,
    takes_one_writer: bool,
) -> String {
    let mut chosen = vec![traits.style, stalls, random.pick(WRITE_BUFFER_SIZES)];
    chosen.extend(some_of(random, FAMILY));
    chosen.push(memtable(random, takes_one_writer));
    chosen.retain(|option| !option.is_empty());
    let mut table = some_of(random, TABLE);
    if traits.is_modern && random.one_in(2) {
        table.retain(|option| !option.starts_with("format_version"));
        table.push(random.pick(MODERN_FORMATS));
    }
    format!("{};block_based_table_factory={{{}}}", chosen.join(";"), table.join(";"))
}

/// Two directories beside the database's own; tables of a first few levels fit into the first.
fn paths(database: &Path, name: &str) -> Vec<DbPath> {
    let path = |directory: String, target_size| DbPath {
        path: database.join(directory).to_string_lossy().into_owned(),
        target_size,
    };
    vec![path(format!("{name}-fast"), 100_000), path(format!("{name}-slow"), 1 << 30)]
}

/// Options by a seed.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Of the database.
    pub options: DbOptions,
    /// Of each of [`FAMILIES`].
    pub families: Vec<ColumnFamilyOptions>,
    /// Both, for a failure.
    pub text: String,
}

/// The options of a database and of each of [`FAMILIES`], beside those that `base` and
/// `family_base` have.
///
/// # Errors
/// If an option string is not understood.
pub fn draw(
    random: &mut Random,
    traits: Traits,
    database: &Path,
    base: &DbOptions,
    family_base: &ColumnFamilyOptions,
) -> Result<Drawn> {
    let config = ConfigOptions::default();
    let mut options = base.clone();
    let mut text = db_text(random, traits);
    options.apply_string(&text, &config)?;
    if traits.has_wal_directory {
        options.wal_dir = database.join("wals").to_string_lossy().into_owned();
    }
    if traits.places == Places::DbPaths {
        options.db_paths = paths(database, "tables");
    }
    let takes_one_writer = !options.allow_concurrent_memtable_write;
    // Waiting takes its time.
    let stalls = if random.one_in(5) { random.pick(STALLS) } else { "" };
    let mut families = Vec::new();
    for name in FAMILIES {
        let mut family = family_base.clone();
        let family_text = family_text(random, traits, stalls, takes_one_writer);
        family.apply_string(&family_text, &config)?;
        text = format!("{text}\n{name}: {family_text}");
        if traits.places == Places::CfPaths {
            family.cf_paths = paths(database, name);
        }
        families.push(family);
    }
    Ok(Drawn { options, families, text: format!("{traits:?}\n{text}") })
}

#[cfg(test)]
mod tests;
