//! Options that are valid, and that lose data, stall writes or waste space or time where nobody
//! expects it.
//!
//! A rule is a pure function from options to a sentence, or to nothing.

use crate::budget::size;
use crate::enums::{ChecksumType, CompactionStyle, WalRecoveryMode};
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use crate::table_factory::TableFactory;

/// What may go wrong with an option, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// The option's name.
    pub option: &'static str,
    /// What suffers.
    pub harm: Harm,
    /// Its value, as OPTIONS files have it.
    pub value: String,
    /// What happens, and what would be better.
    pub sentence: String,
}

/// What suffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harm {
    /// Data are lost, wrong, or damaged unnoticed.
    Data,
    /// Writers wait.
    Stalls,
    /// Disk space.
    Space,
    /// Memory.
    Memory,
    /// Reads or writes take longer.
    Speed,
}

impl Harm {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Stalls => "stalls",
            Self::Space => "space",
            Self::Memory => "memory",
            Self::Speed => "speed",
        }
    }
}

type Rule<S> = (&'static str, Harm, fn(&S) -> Option<String>);

/// What is dangerous about options of a database.
pub fn db_dangers(options: &DbOptions) -> Vec<Danger> {
    apply(DB_RULES, options, |name| options.get(name))
}

/// What is dangerous about options of a column family, its tables included.
pub fn column_family_dangers(options: &ColumnFamilyOptions) -> Vec<Danger> {
    let mut dangers = apply(FAMILY_RULES, options, |name| options.get(name));
    if options.table_factory == TableFactory::BlockBased {
        dangers.extend(apply(TABLE_RULES, options, |name| options.table.get(name)));
    }
    dangers
}

fn apply<S>(rules: &[Rule<S>], options: &S, value: impl Fn(&str) -> Option<String>) -> Vec<Danger> {
    let broken = |&(option, harm, rule): &Rule<S>| {
        let sentence = rule(options)?;
        Some(Danger { option, harm, value: value(option).unwrap_or_default(), sentence })
    };
    rules.iter().filter_map(broken).collect()
}

fn when(condition: bool, sentence: &str) -> Option<String> {
    condition.then(|| sentence.to_owned())
}

const DB_RULES: &[Rule<DbOptions>] = &[
    ("paranoid_checks", Harm::Data, |db| {
        when(!db.paranoid_checks, "writes go on after damage was found; leave it true")
    }),
    ("wal_recovery_mode", Harm::Data, |db| {
        match db.wal_recovery_mode {
        WalRecoveryMode::SkipAnyCorruptedRecords => Some(
            "records behind damage are replayed, so writes may be missing before others that are \
             there; kPointInTimeRecovery stops at the damage"
                .to_owned(),
        ),
        WalRecoveryMode::TolerateCorruptedTailRecords => Some(
            "damage in the middle of a log fails the open; kPointInTimeRecovery opens at the state \
             before it"
                .to_owned(),
        ),
        _ => None,
    }
    }),
    ("best_efforts_recovery", Harm::Data, |db| {
        when(
            db.best_efforts_recovery,
            "the database opens without files that are missing, as of an older time, and logs are not \
             replayed; set it for a rescue, not for ever",
        )
    }),
    ("manual_wal_flush", Harm::Data, |db| {
        when(
            db.manual_wal_flush,
            "writes are lost with the process until flush_wal is called; call it, or leave it false",
        )
    }),
    ("avoid_flush_during_shutdown", Harm::Data, |db| {
        when(
            db.avoid_flush_during_shutdown,
            "what was written without the log is lost by a close; flush before it, or leave it false",
        )
    }),
    ("unordered_write", Harm::Data, |db| {
        when(
            db.unordered_write,
            "a snapshot may change while it is read, but for transactions that are write-prepared",
        )
    }),
    ("allow_mmap_writes", Harm::Data, |db| {
        when(db.allow_mmap_writes, "an error of the disk kills the process; leave it false")
    }),
    ("verify_sst_unique_id_in_manifest", Harm::Data, |db| {
        when(
            !db.verify_sst_unique_id_in_manifest,
            "a table that was mistaken for another is not found out; leave it true",
        )
    }),
    ("max_background_jobs", Harm::Stalls, |db| {
        when(
            (0..=2).contains(&db.max_background_jobs),
            "one compaction runs at a time: a long one holds up L0, and then writers; use the number \
             of processors",
        )
    }),
    ("max_open_files", Harm::Speed, |db| {
        when(
            (0..100).contains(&db.max_open_files),
            "tables are opened anew for most reads; use -1, or some 500",
        )
    }),
    ("compaction_readahead_size", Harm::Speed, |db| {
        when(
            db.compaction_readahead_size == 0,
            "where reads are direct, compactions read block by block; use 2M",
        )
    }),
    ("use_direct_io_for_flush_and_compaction", Harm::Speed, |db| {
        when(
            db.use_direct_io_for_flush_and_compaction
                && db.writable_file_max_buffer_size < 64 << 10,
            "direct writes are made in small pieces; use a writable_file_max_buffer_size of 1M",
        )
    }),
    ("max_total_wal_size", Harm::Space, |db| {
        (db.max_total_wal_size > 16 << 30).then(|| {
            format!(
                "up to {} of log are replayed after a crash; a few times the memtables' size is \
                 enough",
                size(db.max_total_wal_size)
            )
        })
    }),
    ("keep_log_file_num", Harm::Space, |db| {
        when(
            db.keep_log_file_num >= 1000 && db.max_log_file_size == 0,
            "the info log grows without a limit while the database is open; set max_log_file_size \
             to 16M and this to 10",
        )
    }),
    ("skip_stats_update_on_db_open", Harm::Space, |db| {
        when(
            db.skip_stats_update_on_db_open,
            "compactions do not know how many deletions tables have after an open, so space is \
             freed later",
        )
    }),
    ("enforce_single_del_contracts", Harm::Data, |db| {
        when(
            !db.enforce_single_del_contracts,
            "SingleDelete of a key that was written twice may bring an old value back unnoticed",
        )
    }),
];

const FAMILY_RULES: &[Rule<ColumnFamilyOptions>] = &[
    ("disable_auto_compactions", Harm::Stalls, |family| {
        when(
            family.disable_auto_compactions,
            "files gather in L0: reads get slower with each flush, and writers stop at \
             level0_stop_writes_trigger; set it for a bulk load only",
        )
    }),
    ("compaction_style", Harm::Data, |family| match family.compaction_style {
        CompactionStyle::Fifo => Some(format!(
            "the oldest data are deleted when tables are larger than {} together \
             (compaction_options_fifo.max_table_files_size)",
            size(family.compaction_options_fifo.max_table_files_size)
        )),
        CompactionStyle::None => {
            Some("nothing is compacted unless the program calls for it".to_owned())
        }
        _ => None,
    }),
    ("compaction_options_universal", Harm::Space, |family| {
        let percent = family.compaction_options_universal.max_size_amplification_percent;
        (family.compaction_style == CompactionStyle::Universal && percent >= 100).then(|| {
            format!(
                "obsolete data may take {percent} % of the space of the live ones, and a compaction \
                 of all as much again; have the space, or lower max_size_amplification_percent"
            )
        })
    }),
    ("level_compaction_dynamic_level_bytes", Harm::Space, |family| {
        when(
            family.compaction_style == CompactionStyle::Level
                && !family.level_compaction_dynamic_level_bytes,
            "the last level may be almost empty, and obsolete versions above it take as much space \
             as the data; use true",
        )
    }),
    ("max_write_buffer_number", Harm::Stalls, |family| {
        when(
            family.max_write_buffer_number <= 2,
            "writers wait whenever a memtable fills before the last one is flushed; use 4",
        )
    }),
    ("min_write_buffer_number_to_merge", Harm::Stalls, |family| {
        when(
            family.min_write_buffer_number_to_merge > 1
                && family.min_write_buffer_number_to_merge >= family.max_write_buffer_number - 1,
            "a flush begins only when the last memtable is in use, so writers wait for each; raise \
             max_write_buffer_number",
        )
    }),
    ("write_buffer_size", Harm::Speed, |family| {
        (family.write_buffer_size < 1 << 20).then(|| {
            format!(
                "every {} become a table: there are many small files and compactions; use 16M or \
                 more",
                size(family.write_buffer_size)
            )
        })
    }),
    ("max_bytes_for_level_base", Harm::Stalls, |family| {
        let trigger = family.level0_file_num_compaction_trigger.max(1) as u64;
        let level0 = family.write_buffer_size.saturating_mul(trigger);
        let base = family.max_bytes_for_level_base;
        let is_level = family.compaction_style == CompactionStyle::Level;
        (is_level && base < level0 / 4).then(|| {
            format!(
                "L0 is {} when it is compacted and L1 {}: most of it goes through L1 at once; make \
                 them alike",
                size(level0),
                size(base)
            )
        })
    }),
    ("target_file_size_base", Harm::Memory, |family| {
        (family.target_file_size_base < 1 << 20).then(|| {
            format!(
                "a database of 100G has some {} files of this size; use 64M",
                (100u64 << 30) / family.target_file_size_base.max(1)
            )
        })
    }),
    ("level0_slowdown_writes_trigger", Harm::Stalls, |family| {
        when(
            family.compaction_style != CompactionStyle::Fifo
                && family.level0_stop_writes_trigger <= family.level0_slowdown_writes_trigger,
            "writers are stopped without being slowed down first; raise level0_stop_writes_trigger",
        )
    }),
    ("level0_stop_writes_trigger", Harm::Speed, |family| {
        when(
            family.compaction_style == CompactionStyle::Level
                && family.level0_stop_writes_trigger > 1000,
            "reads look into every file of L0, and nothing keeps their number small; use 36 to 72",
        )
    }),
    ("hard_pending_compaction_bytes_limit", Harm::Space, |family| {
        when(
            family.soft_pending_compaction_bytes_limit == 0
                && family.hard_pending_compaction_bytes_limit == 0
                && family.level0_stop_writes_trigger > 1000,
            "nothing holds writers back when compactions fall behind, so the disk fills",
        )
    }),
    ("inplace_update_support", Harm::Data, |family| {
        when(
            family.inplace_update_support,
            "values are overwritten under snapshots and iterators that still read them",
        )
    }),
    ("force_consistency_checks", Harm::Data, |family| {
        when(
            !family.force_consistency_checks,
            "a tree whose files overlap where they must not is written on; leave it true",
        )
    }),
    ("enable_blob_files", Harm::Space, |family| {
        when(
            family.enable_blob_files && !family.enable_blob_garbage_collection,
            "the space of values that were overwritten is freed only when all of a blob file is; \
             set enable_blob_garbage_collection",
        )
    }),
    ("min_blob_size", Harm::Speed, |family| {
        when(
            family.enable_blob_files && family.min_blob_size < 256,
            "small values cost a read of their own each; use 1K or more",
        )
    }),
    ("optimize_filters_for_hits", Harm::Speed, |family| {
        when(
            family.optimize_filters_for_hits,
            "every lookup of a key that is not there reads a block of the last level",
        )
    }),
    ("ttl", Harm::Speed, |family| {
        (family.ttl > 0 && family.ttl < 3600).then(|| {
            format!("every table is rewritten all {} seconds; use a day or more", family.ttl)
        })
    }),
    ("periodic_compaction_seconds", Harm::Speed, |family| {
        let period = family.periodic_compaction_seconds;
        (period > 0 && period < 3600)
            .then(|| format!("every table is rewritten all {period} seconds; use a day or more"))
    }),
    ("num_levels", Harm::Speed, |family| {
        when(
            family.num_levels < 3 && family.compaction_style == CompactionStyle::Level,
            "each compaction into the last level rewrites much of the database; use 7",
        )
    }),
];

const TABLE_RULES: &[Rule<ColumnFamilyOptions>] = &[
    ("checksum", Harm::Data, |family| {
        when(
            family.table.checksum == ChecksumType::NoChecksum,
            "damage on disk is not found out; use kXXH3",
        )
    }),
    ("no_block_cache", Harm::Speed, |family| {
        when(
            family.table.no_block_cache,
            "every read of a block goes to the file system, and is checked and decompressed again",
        )
    }),
    ("block_cache", Harm::Speed, |family| match &family.table.block_cache {
        _ if family.table.no_block_cache => None,
        Some(cache) if cache.capacity >= 8 << 20 => None,
        Some(cache) => Some(format!(
            "a cache of {} holds hardly more than the blocks in use; use a good part of the memory",
            size(cache.capacity)
        )),
        None => Some(
            "a column family has a cache of 32M of its own where the program gives none; OPTIONS \
             files do not say which it gives"
                .to_owned(),
        ),
    }),
    ("cache_index_and_filter_blocks", Harm::Memory, |family| {
        when(
            !family.table.cache_index_and_filter_blocks,
            "indexes and filters take memory beside the block cache, without a limit but for \
             max_open_files; with true they count in it",
        )
    }),
    ("filter_policy", Harm::Speed, |family| {
        when(
            family.table.filter_policy.is_none(),
            "a lookup reads a block in every file of L0 and every level; bloomfilter:10 spares 99 \
             of 100 of those",
        )
    }),
    ("whole_key_filtering", Harm::Speed, |family| {
        when(
            !family.table.whole_key_filtering && family.prefix_extractor.is_none(),
            "filters hold neither keys nor prefixes, so they are of no use; set true",
        )
    }),
    ("block_size", Harm::Speed, |family| {
        (family.table.block_size > 256 << 10).then(|| {
            format!(
                "a lookup reads and decompresses {}; use 4K to 64K",
                size(family.table.block_size)
            )
        })
    }),
    ("format_version", Harm::Speed, |family| {
        when(
            family.table.format_version < 5,
            "filters of an older and less exact kind are made; use 5 or more, unless releases before \
             6.6 must read the tables",
        )
    }),
];

#[cfg(test)]
mod tests;
