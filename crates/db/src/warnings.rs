//! What whoever opens a database should know about the options they gave.

use crate::column_family::ColumnFamilyDescriptor;
use crate::open::maps_wals;
use options::{ColumnFamilyOptions, CompactionStyle, DbOptions, WalIo};

/// Options that name an object, and what a missing one means for reads.
const OBJECTS_OF_READS: [(&str, &str); 2] = [
    ("merge_operator", "keys that have merge operands cannot be read"),
    ("prefix_extractor", "filters of prefixes are not used"),
];

/// Those whose object only writes need.
const OBJECTS_OF_WRITES: [(&str, &str); 6] = [
    ("memtable_factory", "memtables are what they were before, by default skip lists"),
    ("table_factory.flush_block_policy_factory", "data blocks end by their size"),
    ("compaction_filter", "compactions do not filter by it"),
    ("compaction_filter_factory", "compactions do not filter by what it would make"),
    ("sst_partitioner_factory", "tables are not divided by it"),
    ("table_properties_collectors", "tables are without what it would collect"),
];

/// Options that a read would act on, of those that are not honoured yet. The others have no say
/// where nothing is written.
const OF_READS: [&str; 17] = [
    "allow_data_in_errors",
    "allow_mmap_reads",
    "block_protection_bytes_per_key",
    "enforce_single_del_contracts",
    "env",
    "fail_if_no_udi_on_open",
    "index_block_search_type",
    "log_readahead_size",
    "lowest_used_cache_tier",
    "memtable_protection_bytes_per_key",
    "paranoid_memory_checks",
    "read_amp_bytes_per_bit",
    "statistics",
    "uncache_aggressiveness",
    "use_udi_as_primary_index",
    "user_defined_index_factory",
    "wal_filter",
];

/// What should be known of these options by whoever opens a database only to read it, a sentence
/// each: options that are set, that reads would act on and that are not honoured yet, and objects
/// they name that nobody registered. [`Db::warnings`](crate::Db::warnings) tells of all options.
pub fn reading_warnings(db: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Vec<String> {
    collect(db, families, |option| OF_READS.contains(&option))
}

/// One sentence for each thing to say.
pub(crate) fn warnings(db: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Vec<String> {
    collect(db, families, |_| true)
}

fn collect(
    db: &DbOptions,
    families: &[ColumnFamilyDescriptor],
    matters: impl Fn(&str) -> bool,
) -> Vec<String> {
    let that_matter = |mut options: Vec<(String, String)>| {
        options.retain(|(name, _)| matters(name));
        options
    };
    let mut warnings = Vec::new();
    warnings.extend(unhonoured("database", &that_matter(db.unhonoured())));
    if matters("wal_io") {
        warnings.extend(wals_not_mapped(db));
    }
    for ColumnFamilyDescriptor { name, options } in families {
        let owner = format!("column family {name}");
        warnings.extend(unhonoured(&owner, &that_matter(options.unhonoured())));
        warnings.extend(unregistered(&owner, options, &OBJECTS_OF_READS));
        let of_writes = OBJECTS_OF_WRITES.into_iter().filter(|(option, _)| matters(option));
        warnings.extend(unregistered(&owner, options, &of_writes.collect::<Vec<_>>()));
        if matters("periodic_compaction_seconds") {
            warnings.extend(period_of_fifo(&owner, options));
        }
    }
    // Names and values may have line ends in them; a warning is one line.
    warnings.into_iter().map(one_line).collect()
}

fn unhonoured(owner: &str, options: &[(String, String)]) -> Option<String> {
    if options.is_empty() {
        return None;
    }
    let values: Vec<_> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Some(format!("{owner}: accepted, not honoured yet: {}", values.join(", ")))
}

fn wals_not_mapped(db: &DbOptions) -> Option<String> {
    let reason = match () {
        () if db.wal_io != WalIo::Mapped => return None,
        () if !maps_wals(db) => {
            "with this wal_recovery_mode, which tells the end of a WAL from damage"
        }
        () if !db.allow_fallocate => "with allow_fallocate=false",
        () => return None,
    };
    Some(format!("database: wal_io=mapped: WALs are written by system calls {reason}"))
}

fn period_of_fifo(owner: &str, options: &ColumnFamilyOptions) -> Option<String> {
    let period = options.periodic_compaction_seconds;
    let is_set = ![0, ColumnFamilyOptions::default().periodic_compaction_seconds].contains(&period);
    (is_set && options.compaction_style == CompactionStyle::Fifo).then(|| {
        format!(
            "{owner}: periodic_compaction_seconds={period} does nothing in FIFO compaction: set ttl"
        )
    })
}

fn unregistered(
    owner: &str,
    options: &ColumnFamilyOptions,
    objects: &[(&str, &str)],
) -> impl Iterator<Item = String> {
    objects.iter().filter_map(move |(option, consequence)| {
        let name = options.unregistered(option)?;
        Some(format!("{owner}: {option}={name} is not registered: {consequence}"))
    })
}

fn one_line(text: String) -> String {
    match text.contains(char::is_control) {
        true => text.chars().map(shown).collect(),
        false => text,
    }
}

fn shown(character: char) -> String {
    match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    }
}

#[cfg(test)]
mod tests;
