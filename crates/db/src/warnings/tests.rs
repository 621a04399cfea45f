use super::*;
use options::{BlockBasedTableOptions, ConfigOptions};

#[test]
fn defaults_give_no_warning() {
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    assert_eq!(warnings(&DbOptions::default(), &families), [""; 0]);
}

#[test]
fn what_is_set_and_not_honoured_is_said_once_for_each_owner() {
    let db =
        DbOptions::from_string("max_open_files=10;allow_mmap_reads=true;dump_malloc_stats=true")
            .unwrap();
    let options = ColumnFamilyOptions::from_string(
        "num_levels=5;sample_for_compression=7;compression_opts={level=3;strategy=4};block_based_table_factory=\
         {read_amp_bytes_per_bit=8;no_block_cache=true}",
    )
    .unwrap();
    assert_eq!(
        warnings(&db, &[ColumnFamilyDescriptor::new("default", options)]),
        [
            "database: accepted, not honoured yet: allow_mmap_reads=true, dump_malloc_stats=true",
            "column family default: accepted, not honoured yet: sample_for_compression=7, \
             compression_opts.strategy=4, read_amp_bytes_per_bit=8",
        ]
    );
}

#[test]
fn logs_that_are_to_be_mapped_and_cannot_be_are_said() {
    let said = |options: &str| warnings(&DbOptions::from_string(options).unwrap(), &[]);
    for quiet in [
        "wal_io=mapped",
        "wal_io=auto;allow_fallocate=false",
        "wal_io=auto;wal_recovery_mode=kAbsoluteConsistency",
        "wal_io=write;allow_fallocate=false",
    ] {
        assert_eq!(said(quiet), [""; 0], "{quiet}");
    }
    let written = "database: wal_io=mapped: WALs are written by system calls with";
    assert_eq!(
        said("wal_io=mapped;wal_recovery_mode=kTolerateCorruptedTailRecords"),
        [format!("{written} this wal_recovery_mode, which tells the end of a WAL from damage")]
    );
    assert_eq!(
        said("wal_io=mapped;allow_fallocate=false"),
        [format!("{written} allow_fallocate=false")]
    );
}

#[test]
fn objects_nobody_registered_are_said() {
    let mut options = ColumnFamilyOptions::default();
    let config = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
    options.apply_string("merge_operator=mine;prefix_extractor=its", &config).unwrap();
    assert_eq!(
        warnings(&DbOptions::default(), &[ColumnFamilyDescriptor::new("a", options)]),
        [
            "column family a: merge_operator=mine is not registered: keys that have merge \
             operands cannot be read",
            "column family a: prefix_extractor=its is not registered: filters of prefixes are \
             not used",
        ]
    );
}

#[test]
fn readers_are_told_of_what_reads_would_act_on() {
    let db = DbOptions::from_string("use_fsync=true;allow_mmap_reads=true").unwrap();
    let options = ColumnFamilyOptions::from_string(
        "write_buffer_size=1K;block_based_table_factory={block_size=8K;read_amp_bytes_per_bit=32}",
    )
    .unwrap();
    assert_eq!(
        reading_warnings(&db, &[ColumnFamilyDescriptor::new("default", options)]),
        [
            "database: accepted, not honoured yet: allow_mmap_reads=true",
            "column family default: accepted, not honoured yet: read_amp_bytes_per_bit=32",
        ]
    );
}

#[test]
fn options_of_reads_are_options() {
    let known: Vec<_> = DbOptions::infos()
        .chain(ColumnFamilyOptions::infos())
        .chain(BlockBasedTableOptions::infos())
        .map(|info| info.name)
        .collect();
    let unknown: Vec<_> = OF_READS.iter().filter(|option| !known.contains(option)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(OF_READS.is_sorted());
}

#[test]
fn a_warning_is_one_line() {
    let db = DbOptions::from_string("dump_malloc_stats=true").unwrap();
    let options = ColumnFamilyOptions::from_string("write_buffer_size=1K").unwrap();
    let families = [ColumnFamilyDescriptor::new("two\nlines", options)];
    for warning in warnings(&db, &families) {
        assert_eq!(warning.lines().count(), 1, "{warning}");
    }
}

#[test]
fn a_memtable_that_is_not_there_is_said_to_be_a_skip_list() {
    let warnings_of = |factory: &str| {
        let options = ColumnFamilyOptions::from_string(&format!("memtable_factory={factory}"));
        let family = ColumnFamilyDescriptor::new("default", options.unwrap());
        warnings(&DbOptions::default(), &[family])
    };
    for known in ["SkipListFactory", "skip_list", "VectorRepFactory", "vector", "vector:1024"] {
        assert_eq!(warnings_of(known), [""; 0], "{known}");
    }
    let family = "column family default: memtable_factory=prefix_hash";
    assert_eq!(
        warnings_of("prefix_hash"),
        [format!(
            "{family} is not registered: memtables are what they were before, by default skip lists"
        )]
    );
}

#[test]
fn a_period_says_nothing_to_fifo_compaction() {
    let said = |text: &str| {
        let options = ColumnFamilyOptions::from_string(text).unwrap();
        warnings(&DbOptions::default(), &[ColumnFamilyDescriptor::new("a", options)])
    };
    let fifo = "compaction_style=kCompactionStyleFIFO";
    assert_eq!(said(fifo), [""; 0]);
    assert_eq!(said("periodic_compaction_seconds=7"), [""; 0]);
    assert_eq!(
        said(&format!("{fifo};periodic_compaction_seconds=7")),
        ["column family a: periodic_compaction_seconds=7 does nothing in FIFO compaction: set ttl"]
    );
}
