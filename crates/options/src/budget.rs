//! Options chosen from three numbers: how much memory, how many processors, what load.
//!
//! Memory goes in three parts, by the load (`Shares`): memtables, the block cache, and a rest for
//! what nobody limits (open tables, iterators, buffers of compactions, what the allocator adds). Whatever else grows with
//! the data, indexes and filters, is put into the block cache, so that the sum holds.
//!
//! A choice is an option by its name, a value as text, and a reason. The options are the defaults
//! with the choices applied as a program applies a text, so nothing is chosen that is not told.

use crate::config::ConfigOptions;
use crate::options::Options;
use base::{Result, Status};
use std::fmt;
use std::str::FromStr;

/// What a database is mostly asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkloadProfile {
    /// Single keys are looked up.
    PointReads,
    /// Ranges are read.
    Scans,
    /// Much is written, little is read.
    Ingest,
    /// Something of all.
    Mixed,
}

impl WorkloadProfile {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::PointReads, Self::Scans, Self::Ingest, Self::Mixed];

    /// The name in command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::PointReads => "point-reads",
            Self::Scans => "scans",
            Self::Ingest => "ingest",
            Self::Mixed => "mixed",
        }
    }

    fn shares(self) -> Shares {
        match self {
            // The allocator adds a third to blocks of many sizes, and half where they are large: measured by
            // `crates/db/tests/memory_report.rs`.
            Self::PointReads => Shares { memtables: 10, block_cache: 65 },
            Self::Scans => Shares { memtables: 10, block_cache: 55 },
            Self::Ingest => Shares { memtables: 45, block_cache: 40 },
            Self::Mixed => Shares { memtables: 25, block_cache: 65 },
        }
    }
}

impl fmt::Display for WorkloadProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for WorkloadProfile {
    type Err = Status;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Status::invalid_argument(format!("profile {text:?}: expected one of {names}"))
        })
    }
}

/// Parts of the memory in percent; the rest is for what has no limit of its own.
#[derive(Clone, Copy, Debug)]
struct Shares {
    memtables: u64,
    block_cache: u64,
}

/// Which struct an option belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// [`DbOptions`](crate::DbOptions).
    Db,
    /// [`ColumnFamilyOptions`](crate::ColumnFamilyOptions).
    ColumnFamily,
    /// [`BlockBasedTableOptions`](crate::BlockBasedTableOptions).
    Table,
}

/// An option with the value it gets, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The struct it belongs to.
    pub owner: Owner,
    /// Its name.
    pub option: &'static str,
    /// Its value as option strings have it.
    pub value: String,
    /// A sentence without a stop.
    pub because: String,
}

/// A part of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPart {
    /// What it is for.
    pub name: &'static str,
    /// How much it may be.
    pub bytes: u64,
}

/// What a database may use.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    memory_bytes: u64,
    threads: u32,
    profile: WorkloadProfile,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
/// Larger memtables make flushes long and recoveries longer, and take no less work.
const WRITE_BUFFER_MAX_BYTES: u64 = 256 * MIB;
const WRITE_BUFFERS_MAX: u64 = 16;
const TARGET_FILE_MIN_BYTES: u64 = 4 * MIB;
const TARGET_FILE_MAX_BYTES: u64 = 256 * MIB;
const THREADS_MAX: u32 = 1024;

impl Budget {
    /// With less than this no part is large enough to work with.
    pub const MEMORY_MIN_BYTES: u64 = 32 * MIB;

    /// `memory_bytes` for all that the database holds in memory, `threads` processors, and what
    /// they are for.
    ///
    /// # Errors
    /// `InvalidArgument` if the memory is less than [`Budget::MEMORY_MIN_BYTES`], or the threads are
    /// none or more than 1024.
    pub fn new(memory_bytes: u64, threads: u32, profile: WorkloadProfile) -> Result<Self> {
        if memory_bytes < Self::MEMORY_MIN_BYTES {
            return Err(Status::invalid_argument(format!(
                "memory of {memory_bytes} bytes: expected {} at least",
                size(Self::MEMORY_MIN_BYTES)
            )));
        }
        if !(1..=THREADS_MAX).contains(&threads) {
            return Err(Status::invalid_argument(format!(
                "{threads} threads: expected 1 to {THREADS_MAX}"
            )));
        }
        Ok(Self { memory_bytes, threads, profile })
    }

    /// The memory's parts; their sum is the memory.
    pub fn memory(&self) -> [MemoryPart; 3] {
        let memtables = self.memtable_bytes();
        let block_cache = self.block_cache_bytes();
        [
            MemoryPart { name: "memtables", bytes: memtables },
            MemoryPart { name: "block cache, with indexes and filters", bytes: block_cache },
            MemoryPart {
                name: "open tables, iterators, buffers of flushes and compactions, the allocator",
                bytes: self.memory_bytes - memtables - block_cache,
            },
        ]
    }

    /// The defaults with all choices applied.
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        let config = ConfigOptions::default();
        for Choice { owner, option, value, .. } in self.choices() {
            let applied = match owner {
                Owner::Db => options.db.apply(option, &value, &config),
                Owner::ColumnFamily => options.column_family.apply(option, &value, &config),
                Owner::Table => options.column_family.table.apply(option, &value, &config),
            };
            applied.expect("a chosen value is one");
        }
        options
    }

    /// What is chosen, and why.
    pub fn choices(&self) -> Vec<Choice> {
        let mut choices = Choices::default();
        self.choose_memtables(&mut choices);
        self.choose_levels(&mut choices);
        self.choose_jobs(&mut choices);
        self.choose_tables(&mut choices);
        self.choose_files(&mut choices);
        choices.list
    }

    fn share(&self, percent: u64) -> u64 {
        let exact = u128::from(self.memory_bytes) * u128::from(percent) / 100;
        round_down(u64::try_from(exact).unwrap_or(u64::MAX))
    }

    fn memtable_bytes(&self) -> u64 {
        self.share(self.profile.shares().memtables)
    }

    fn block_cache_bytes(&self) -> u64 {
        self.share(self.profile.shares().block_cache)
    }

    fn write_buffers(&self) -> u64 {
        let at_least = if self.profile == WorkloadProfile::Ingest { 6 } else { 4 };
        (self.memtable_bytes() / WRITE_BUFFER_MAX_BYTES).clamp(at_least, WRITE_BUFFERS_MAX)
    }

    fn write_buffer_bytes(&self) -> u64 {
        round_down(self.memtable_bytes() / self.write_buffers()).min(WRITE_BUFFER_MAX_BYTES)
    }

    fn level0_trigger(&self) -> u64 {
        match self.profile {
            WorkloadProfile::PointReads | WorkloadProfile::Scans => 2,
            WorkloadProfile::Mixed => 4,
            WorkloadProfile::Ingest => 8,
        }
    }

    fn choose_memtables(&self, choices: &mut Choices) {
        let (total, count) = (self.memtable_bytes(), self.write_buffers());
        let percent = self.profile.shares().memtables;
        choices.db(
            "db_write_buffer_size",
            &size(total),
            format!("{percent} % of the memory, for the memtables of all column families together"),
        );
        choices.family(
            "write_buffer_size",
            &size(self.write_buffer_bytes()),
            format!("{count} memtables have room; the larger each is, the less is compacted"),
        );
        choices.family(
            "max_write_buffer_number",
            &count,
            "writers go on while full memtables wait for their flush".to_owned(),
        );
        choices.db(
            "max_total_wal_size",
            &size(total.saturating_mul(2).max(64 * MIB)),
            "bounds what is replayed after a crash, also where a column family is seldom written to"
                .to_owned(),
        );
        if matches!(self.profile, WorkloadProfile::PointReads | WorkloadProfile::Mixed) {
            let because = "lookups of keys that are in no memtable end at a filter";
            choices.family("memtable_whole_key_filtering", &true, because.to_owned());
            choices.family("memtable_prefix_bloom_size_ratio", &0.02, because.to_owned());
        }
    }

    fn choose_levels(&self, choices: &mut Choices) {
        let trigger = self.level0_trigger();
        choices.family(
            "level0_file_num_compaction_trigger",
            &trigger,
            match trigger {
                0..4 => "a read looks into every file of L0, so they are to be few",
                4 => "between few files for reads and few compactions for writes",
                _ => "fewer and larger compactions out of L0",
            }
            .to_owned(),
        );
        choices.family(
            "level0_slowdown_writes_trigger",
            &(5 * trigger).max(20),
            "far enough above the compaction trigger that bursts do not slow writers".to_owned(),
        );
        choices.family(
            "level0_stop_writes_trigger",
            &(9 * trigger).max(36),
            "writers are slowed down long before they are stopped".to_owned(),
        );
        let base = self.write_buffer_bytes().saturating_mul(trigger.max(4));
        choices.family(
            "max_bytes_for_level_base",
            &size(base),
            "as large as L0 when it is compacted, so that each such compaction is worth it"
                .to_owned(),
        );
        choices.family(
            "target_file_size_base",
            &size(round_down(base / 8).clamp(TARGET_FILE_MIN_BYTES, TARGET_FILE_MAX_BYTES)),
            "some eight files in the first level, so that compactions can be small".to_owned(),
        );
        choices.family(
            "level_compaction_dynamic_level_bytes",
            &true,
            "the last level holds nine tenths of the data, so obsolete versions take a tenth at most"
                .to_owned(),
        );
    }

    fn choose_jobs(&self, choices: &mut Choices) {
        let threads = self.threads;
        let (jobs, because) = match self.profile {
            WorkloadProfile::Ingest => (threads, "writing is limited by compactions"),
            WorkloadProfile::Mixed => (threads - threads / 4, "a quarter stays free for requests"),
            WorkloadProfile::PointReads | WorkloadProfile::Scans => {
                (threads.div_ceil(2), "half of the processors stay free for reads")
            }
        };
        let because = match jobs {
            0 | 1 => "one for flushes and one for compactions are the least there is",
            _ => because,
        };
        choices.db("max_background_jobs", &jobs.max(2), because.to_owned());
        let divisor = if self.profile == WorkloadProfile::Ingest { 2 } else { 4 };
        choices.db(
            "max_subcompactions",
            &(threads / divisor).max(1),
            "a large compaction is divided among so many, and does not hold up the next for long"
                .to_owned(),
        );
        choices.db(
            "bytes_per_sync",
            &size(MIB),
            "tables are written out while they are made, not at once at their end".to_owned(),
        );
        choices.db(
            "wal_bytes_per_sync",
            &size(MIB),
            "the log is written out steadily, so that a sync has little left to do".to_owned(),
        );
    }

    fn choose_tables(&self, choices: &mut Choices) {
        let percent = self.profile.shares().block_cache;
        let because = format!("{percent} % of the memory");
        choices.table("block_cache", &size(self.block_cache_bytes()), because);
        choices.table(
            "cache_index_and_filter_blocks",
            &true,
            "they grow with the data; in the cache they count, so that memory keeps to its limit"
                .to_owned(),
        );
        choices.table(
            "pin_l0_filter_and_index_blocks_in_cache",
            &true,
            "every read asks the tables of L0".to_owned(),
        );
        if self.profile == WorkloadProfile::Scans {
            choices.table("filter_policy", &"nullptr", "scans ask no filter".to_owned());
        } else {
            choices.table(
                "filter_policy",
                &"bloomfilter:10:false",
                "ten bits a key spare 99 of 100 reads of tables that do not have the key"
                    .to_owned(),
            );
        }
        let (block_size, because) = match self.profile {
            WorkloadProfile::PointReads | WorkloadProfile::Mixed => {
                (4 * KIB, "a lookup reads a whole block for one key")
            }
            WorkloadProfile::Scans | WorkloadProfile::Ingest => {
                (16 * KIB, "larger blocks compress better and need a quarter of the index")
            }
        };
        choices.table("block_size", &size(block_size), because.to_owned());
        if self.profile == WorkloadProfile::PointReads {
            choices.table(
                "data_block_index_type",
                &"kDataBlockBinaryAndHash",
                "a lookup finds its key in the block without a binary search".to_owned(),
            );
        }
    }

    fn choose_files(&self, choices: &mut Choices) {
        choices.family(
            "compression",
            &"kLZ4Compression",
            "half the bytes at little more than the cost of a copy".to_owned(),
        );
        let has_time = self.threads >= 4;
        if has_time && matches!(self.profile, WorkloadProfile::Scans | WorkloadProfile::Ingest) {
            choices.family(
                "bottommost_compression",
                &"kZSTD",
                "nine tenths of the data are in the last level and are seldom rewritten".to_owned(),
            );
        }
        if self.memory_bytes < 256 * MIB {
            choices.db(
                "max_open_files",
                &500,
                "an open table takes some memory even when its index is in the cache".to_owned(),
            );
        }
        choices.db("max_log_file_size", &size(16 * MIB), "the info log keeps to a size".to_owned());
        choices.db("keep_log_file_num", &10, "and so do the old ones".to_owned());
    }
}

/// Collects choices.
#[derive(Default)]
struct Choices {
    list: Vec<Choice>,
}

impl Choices {
    fn db(&mut self, option: &'static str, value: &dyn fmt::Display, because: String) {
        self.add(Owner::Db, option, value.to_string(), because);
    }

    fn family(&mut self, option: &'static str, value: &dyn fmt::Display, because: String) {
        self.add(Owner::ColumnFamily, option, value.to_string(), because);
    }

    fn table(&mut self, option: &'static str, value: &dyn fmt::Display, because: String) {
        self.add(Owner::Table, option, value.to_string(), because);
    }

    fn add(&mut self, owner: Owner, option: &'static str, value: String, because: String) {
        self.list.push(Choice { owner, option, value, because });
    }
}

/// To whole MiB, or KiB where it is less than one.
fn round_down(bytes: u64) -> u64 {
    let unit = if bytes >= MIB { MIB } else { KIB };
    bytes / unit * unit
}

/// A number of bytes as option strings have it, in the largest unit that it is whole numbers of:
/// `64M`, `1536K`, `1000`.
pub fn size(bytes: u64) -> String {
    const UNITS: [(u32, char); 4] = [(40, 'T'), (30, 'G'), (20, 'M'), (10, 'K')];
    match UNITS.into_iter().find(|&(shift, _)| bytes >> shift << shift == bytes && bytes > 0) {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests;
