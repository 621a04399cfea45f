use super::*;
use base::comparator::U64TimestampComparator;
use base::status::Code::{self, InvalidArgument, NotSupported};
use std::sync::Arc;

fn outcome(db: &str, family: &str) -> Result<()> {
    let db = DbOptions::from_string(db)?;
    let family = ColumnFamilyOptions::from_string(family)?;
    validate(&db, &[ColumnFamilyDescriptor::new("default", family)])
}

#[test]
fn defaults_are_fine() {
    outcome("", "").unwrap();
    outcome("daily_offpeak_time_utc=23:30-04:00", "compression=kZSTD").unwrap();
}

/// Options of the database and of a family, and what is said of them.
const REFUSED: &[(&str, &str, Code, &str)] = &[
    ("allow_mmap_reads=true;use_direct_reads=true", "", NotSupported, "allow_mmap_reads"),
    ("keep_log_file_num=0", "", InvalidArgument, "keep_log_file_num must be greater than 0"),
    (
        "unordered_write=true;allow_concurrent_memtable_write=false",
        "",
        InvalidArgument,
        "unordered_write is incompatible with !allow_concurrent_memtable_write",
    ),
    (
        "unordered_write=true;enable_pipelined_write=true",
        "",
        InvalidArgument,
        "unordered_write is incompatible with enable_pipelined_write",
    ),
    (
        "atomic_flush=true;enable_pipelined_write=true",
        "",
        InvalidArgument,
        "atomic_flush is incompatible with enable_pipelined_write",
    ),
    (
        "use_direct_io_for_flush_and_compaction=true;writable_file_max_buffer_size=0",
        "",
        InvalidArgument,
        "writes in direct IO require writable_file_max_buffer_size > 0",
    ),
    (
        "write_dbid_to_manifest=false;write_identity_file=false",
        "",
        InvalidArgument,
        "cannot both be false",
    ),
    ("daily_offpeak_time_utc=4-7", "", InvalidArgument, "HH:mm-HH:mm"),
    ("daily_offpeak_time_utc=04:00-04:00", "", InvalidArgument, "cannot be the same"),
    ("file_checksum_gen_factory=mine", "", NotSupported, "mine is not registered"),
    ("", "inplace_update_support=true", NotSupported, "column family default"),
    ("", "num_levels=0", InvalidArgument, "expected at least 1"),
    ("", "memtable_factory=vector", InvalidArgument, "doesn't allow concurrent writes"),
    ("", "compression_opts={zstd_max_train_bytes=9}", InvalidArgument, "max_dict_bytes"),
    ("", "disallow_memtable_writes=true", InvalidArgument, "Default column family"),
    ("", "memtable_protection_bytes_per_key=3", NotSupported, "0, 1, 2, 4 or 8"),
    (
        "",
        "block_based_table_factory={index_type=kHashSearch}",
        InvalidArgument,
        "prefix_extractor is not given (column family default)",
    ),
    (
        "",
        "block_based_table_factory={block_align=true};compression=kLZ4Compression",
        InvalidArgument,
        "Enable block_align, but compression enabled",
    ),
    (
        "",
        "block_based_table_factory={format_version=8}",
        InvalidArgument,
        "Unsupported BlockBasedTable format_version",
    ),
    (
        "",
        "enable_blob_garbage_collection=true;blob_garbage_collection_age_cutoff=1.5",
        InvalidArgument,
        "age cutoff",
    ),
    (
        "max_open_files=10",
        "compaction_style=kCompactionStyleFIFO;ttl=5",
        NotSupported,
        "FIFO compaction only supported with max_open_files = -1.",
    ),
    (
        "",
        "compaction_style=kCompactionStyleUniversal;compaction_options_universal={max_read_amp=2}",
        NotSupported,
        "smaller than the compaction trigger",
    ),
    (
        "allow_mmap_writes=true;use_direct_io_for_flush_and_compaction=true",
        "",
        NotSupported,
        "allow_mmap_writes",
    ),
    ("unordered_write=true", "max_successive_merges=5", InvalidArgument, "unordered_write"),
    ("", "block_protection_bytes_per_key=3", NotSupported, "0, 1, 2, 4 or 8"),
    (
        "",
        "enable_blob_garbage_collection=true;blob_garbage_collection_force_threshold=-1",
        InvalidArgument,
        "range [0.0, 1.0]",
    ),
    (
        "",
        "compaction_style=kCompactionStyleUniversal;compaction_options_universal={max_read_amp=-2}",
        NotSupported,
        "at least -1",
    ),
    (
        "",
        "compaction_options_fifo={file_temperature_age_thresholds={{temperature=kCold;age=9}}}",
        NotSupported,
        "only supports FIFO compaction",
    ),
    ("", "compression=kDisableCompressionOption", InvalidArgument, "kDisableCompressionOption"),
    (
        "",
        "block_based_table_factory={no_block_cache=true;cache_index_and_filter_blocks=true}",
        InvalidArgument,
        "block cache is disabled",
    ),
    (
        "",
        "block_based_table_factory={no_block_cache=true;pin_l0_filter_and_index_blocks_in_cache=true}",
        InvalidArgument,
        "block cache is disabled",
    ),
    (
        "",
        "block_based_table_factory={block_align=true;block_size=5000};compression=kNoCompression",
        InvalidArgument,
        "not a power of 2",
    ),
    (
        "",
        "block_based_table_factory={block_size=5000000000}",
        InvalidArgument,
        "block size exceeds maximum number (4GiB)",
    ),
    (
        "",
        "block_based_table_factory={super_block_alignment_size=3000}",
        InvalidArgument,
        "super block alignment size is not a power of 2",
    ),
    (
        "",
        "block_based_table_factory={super_block_alignment_space_overhead_ratio=2}",
        InvalidArgument,
        "space overhead is too high",
    ),
    (
        "",
        "block_based_table_factory={data_block_index_type=kDataBlockBinaryAndHash;\
         data_block_hash_table_util_ratio=0}",
        InvalidArgument,
        "should be greater than 0",
    ),
];

#[test]
fn what_rocksdb_refuses_is_refused_in_its_words() {
    for (db, family, code, words) in REFUSED {
        let error = outcome(db, family).expect_err(&format!("{db} {family}"));
        assert_eq!(error.code(), *code, "{db} {family}: {error}");
        assert!(error.message().contains(*words), "{db} {family}: {error}");
    }
}

#[test]
fn timestamps_that_tables_do_not_keep_have_conditions() {
    let mut family = ColumnFamilyOptions::default();
    family.comparator = Arc::new(U64TimestampComparator::BYTEWISE);
    family.persist_user_defined_timestamps = false;
    let families = [ColumnFamilyDescriptor::new("default", family)];
    let error = validate(&DbOptions::default(), &families).unwrap_err();
    assert!(error.message().contains("concurrent memtable write"), "{error}");
    let alone = DbOptions { allow_concurrent_memtable_write: false, ..DbOptions::default() };
    validate(&alone, &families).unwrap();
}
