use super::*;

#[test]
fn names_are_those_of_exporters() {
    let cases = [
        ("rocksdb.num-files-at-level", Kind::Gauge, "rocksdb_num_files_at_level"),
        ("rocksdb.block.cache.hit", Kind::Counter, "rocksdb_block_cache_hit_total"),
        ("rocksdb.db.get.micros", Kind::Summary, "rocksdb_db_get_micros"),
        ("rocksdb.compaction-abort-count", Kind::Gauge, "rocksdb_compaction_abort_number"),
        ("rocksdb.compaction.total", Kind::Counter, "rocksdb_compaction_total"),
        ("NumFiles", Kind::Gauge, "numfiles"),
    ];
    for (dotted, kind, expected) in cases {
        assert_eq!(metric_name(dotted, kind), expected);
    }
}
