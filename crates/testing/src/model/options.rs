//! Options that must change nothing of what a database answers, for the generator to choose from.
//! All but a few (`OWN`) are options of RocksDB 7.8.3.

use crate::random::Random;

/// What RocksDB does not know, and is not told.
const OWN: &[&str] = &["wal_io=write", "wal_io=mapped", "keep_blocks_warm=false"];

/// Options of the database.
const DB: &[&str] = &[
    "wal_compression=kZSTD",
    "recycle_log_file_num=2",
    "max_total_wal_size=65536",
    "avoid_flush_during_recovery=true",
    "allow_concurrent_memtable_write=false",
    "max_open_files=20",
    "max_open_files=-1",
    "db_write_buffer_size=131072",
    "max_background_jobs=4",
    "max_subcompactions=3",
    "write_dbid_to_manifest=true",
    "max_manifest_file_size=2000",
    "wal_bytes_per_sync=4096",
    "bytes_per_sync=4096",
    "track_and_verify_wals_in_manifest=true",
    "max_write_batch_group_size_bytes=100",
    "wal_recovery_mode=kTolerateCorruptedTailRecords",
    "dump_malloc_stats=true",
    "use_fsync=true",
    "wal_io=write",
    "wal_io=mapped",
];

/// At most one of these.
const WRITE_MODE: &[&str] =
    &["", "", "atomic_flush=true", "enable_pipelined_write=true", "unordered_write=true"];

/// Options of families; of each row one at most.
const FAMILY: &[&[&str]] = &[
    &[
        "compression=kNoCompression",
        "compression=kSnappyCompression",
        "compression=kZlibCompression",
        "compression=kLZ4Compression",
        "compression=kLZ4HCCompression",
        "compression=kZSTD",
        "compression=kZSTD;compression_opts={max_dict_bytes=1024;zstd_max_train_bytes=16384}",
    ],
    &["bottommost_compression=kZSTD", "bottommost_compression=kLZ4Compression"],
    &["write_buffer_size=65536", "write_buffer_size=100000"],
    &["max_write_buffer_number=4", "max_write_buffer_number=3;min_write_buffer_number_to_merge=2"],
    &["max_write_buffer_size_to_maintain=200000"],
    &["memtable_prefix_bloom_size_ratio=0.1;memtable_whole_key_filtering=true"],
    &["level0_file_num_compaction_trigger=2", "disable_auto_compactions=true"],
    &["target_file_size_base=4096", "target_file_size_base=20000"],
    &["max_bytes_for_level_base=30000", "max_bytes_for_level_base=100000"],
    &["level_compaction_dynamic_level_bytes=true", "level_compaction_dynamic_level_bytes=false"],
    &["optimize_filters_for_hits=true"],
    &["max_successive_merges=2"],
    &["max_sequential_skip_in_iterations=1"],
    &["paranoid_file_checks=true"],
    &["compaction_pri=kOldestSmallestSeqFirst", "compaction_pri=kRoundRobin"],
    &["ttl=0"],
    &[
        "enable_blob_files=true;min_blob_size=20",
        "enable_blob_files=true;min_blob_size=20;blob_file_size=4096;\
         enable_blob_garbage_collection=true;blob_garbage_collection_age_cutoff=1.0",
        "enable_blob_files=true;min_blob_size=0;blob_compression_type=kLZ4Compression;\
         enable_blob_garbage_collection=true;blob_garbage_collection_age_cutoff=0.5;\
         blob_garbage_collection_force_threshold=0.3",
    ],
];

/// Of these a sequence has one from the beginning to the end.
const STYLE: &[&str] = &[
    "compaction_style=kCompactionStyleLevel;num_levels=7",
    "compaction_style=kCompactionStyleLevel;num_levels=3",
    "compaction_style=kCompactionStyleLevel;num_levels=2",
    "compaction_style=kCompactionStyleUniversal;num_levels=1",
    "compaction_style=kCompactionStyleUniversal;num_levels=5",
    "compaction_style=kCompactionStyleUniversal;num_levels=4;\
     compaction_options_universal={min_merge_width=2;allow_trivial_move=true}",
    "compaction_style=kCompactionStyleFIFO;num_levels=1",
];

/// Options of tables; of each row one at most.
const TABLE: &[&[&str]] = &[
    &["format_version=2", "format_version=3", "format_version=4", "format_version=5"],
    &["checksum=kCRC32c", "checksum=kxxHash", "checksum=kxxHash64", "checksum=kNoChecksum"],
    &[
        "filter_policy=bloomfilter:10:false",
        "filter_policy=ribbonfilter:10",
        "filter_policy=bloomfilter:8:false;whole_key_filtering=false",
    ],
    &[
        "index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=256",
        "index_type=kBinarySearchWithFirstKey;index_block_restart_interval=4",
        "index_type=kHashSearch",
    ],
    &["block_size=64", "block_size=512", "block_size=2000"],
    &["data_block_index_type=kDataBlockBinaryAndHash;data_block_hash_table_util_ratio=0.7"],
    &["block_restart_interval=1", "block_restart_interval=3"],
    &["cache_index_and_filter_blocks=true", "no_block_cache=true"],
    &["enable_index_compression=false"],
    &["optimize_filters_for_memory=true"],
    &["verify_compression=true"],
    &["keep_blocks_warm=false"],
];

/// Containers of memtables beside the default, a B+tree: the skip list itself, and a vector.
const MEMTABLES: &[&str] =
    &["memtable_factory={id=SkipListFactory;lookahead=0}", "memtable_factory=vector"];

fn some_of(random: &mut Random, rows: &[&[&str]]) -> Vec<String> {
    let mut chosen = Vec::new();
    for row in rows {
        if random.one_in(3) {
            chosen.push((*random.choose(row)).to_owned());
        }
    }
    chosen
}

/// A text of options without those that RocksDB does not know.
pub(super) fn without_own(text: &str) -> String {
    OWN.iter().fold(text.to_owned(), |text, own| {
        let text = text.replace(&format!("{own};"), "").replace(&format!(";{own}"), "");
        let text = text.replace(own, "").replace(";block_based_table_factory={}", "");
        text.replace("block_based_table_factory={}", "")
    })
}

/// What a sequence keeps.
pub(super) fn style(random: &mut Random) -> &'static str {
    random.choose::<&str>(STYLE)
}

/// Options of the database, but for how it is created, that go with those of the families.
/// `for_rocksdb` leaves out with which RocksDB cannot write.
pub(super) fn db(random: &mut Random, family: &str, for_rocksdb: bool) -> String {
    let mut chosen: Vec<&str> = DB.iter().copied().filter(|_| random.one_in(5)).collect();
    chosen.dedup_by_key(|option| option.split('=').next());
    if family.contains("FIFO") {
        // Times of tables are in their properties, so that all of them must be open.
        chosen.retain(|option| !option.starts_with("max_open_files"));
    }
    if random.one_in(6) {
        chosen.push("manual_wal_flush=true");
    }
    let mut mode = *random.choose::<&str>(WRITE_MODE);
    if mode == "unordered_write=true" && family.contains("max_successive_merges") {
        mode = "";
    }
    if family.contains("memtable_factory=vector") {
        chosen.retain(|option| !option.starts_with("allow_concurrent_memtable_write"));
        chosen.push("allow_concurrent_memtable_write=false");
    } else if !mode.is_empty() {
        if mode == "unordered_write=true" {
            chosen.retain(|option| !option.starts_with("allow_concurrent_memtable_write"));
            // With both, a write of RocksDB takes a lock that it holds already, and waits for ever.
            chosen.retain(|option| !for_rocksdb || *option != "manual_wal_flush=true");
        }
        chosen.push(mode);
    }
    chosen.join(";")
}

/// Options of a family.
pub(super) fn family(random: &mut Random, style: &str) -> String {
    let mut chosen = vec![style.to_owned()];
    chosen.extend(some_of(random, FAMILY));
    let mut table = some_of(random, TABLE);
    if random.one_in(2) {
        let length = 1 + random.below(2);
        chosen.push(format!("prefix_extractor=fixed:{length}"));
    } else {
        table.retain(|option| option != "index_type=kHashSearch");
    }
    if random.one_in(4) {
        chosen.push((*random.choose(MEMTABLES)).to_owned());
    }
    if !table.is_empty() {
        chosen.push(format!("block_based_table_factory={{{}}}", table.join(";")));
    }
    chosen.join(";")
}

#[cfg(test)]
mod tests;
