//! Tickers and histograms that RocksDB 7.8 has and 11.9 has no longer.

/// A ticker or histogram that is gone: its number in RocksDB 7.8, and its name. This engine does not count it.
pub type GoneMetric = (u16, &'static str);

/// Tickers of RocksDB 7.8 that 11.9 has no longer.
#[rustfmt::skip]
pub const GONE_TICKERS: &[GoneMetric] = &[
    (8, "rocksdb.block.cache.index.bytes.evict"),
    (13, "rocksdb.block.cache.filter.bytes.evict"),
    (23, "rocksdb.bloom.filter.micros"),
    (52, "rocksdb.no.file.closes"),
    (55, "rocksdb.l0.slowdown.micros"),
    (56, "rocksdb.memtable.compaction.micros"),
    (57, "rocksdb.l0.num.files.stall.micros"),
    (60, "rocksdb.rate.limit.delay.millis"),
    (61, "rocksdb.num.iterators"),
    (65, "rocksdb.number.deletes.filtered"),
    (71, "rocksdb.block.cachecompressed.miss"),
    (72, "rocksdb.block.cachecompressed.hit"),
    (73, "rocksdb.block.cachecompressed.add"),
    (74, "rocksdb.block.cachecompressed.add.failures"),
    (79, "rocksdb.write.timeout"),
    (96, "rocksdb.number.block.not_compressed"),
    (130, "rocksdb.blobdb.gc.num.keys.overwritten"),
    (131, "rocksdb.blobdb.gc.num.keys.expired"),
    (133, "rocksdb.blobdb.gc.bytes.overwritten"),
    (134, "rocksdb.blobdb.gc.bytes.expired"),
    (151, "rocksdb.block.cache.compression.dict.bytes.evict"),
];

/// Histograms of RocksDB 7.8 that 11.9 has no longer.
#[rustfmt::skip]
pub const GONE_HISTOGRAMS: &[GoneMetric] = &[
    (14, "rocksdb.l0.slowdown.count"),
    (15, "rocksdb.memtable.compaction.count"),
    (16, "rocksdb.num.files.stall.count"),
    (17, "rocksdb.hard.rate.limit.delay.count"),
    (18, "rocksdb.soft.rate.limit.delay.count"),
    (27, "rocksdb.bytes.compressed"),
    (28, "rocksdb.bytes.decompressed"),
    (43, "rocksdb.blobdb.gc.micros"),
    (49, "rocksdb.num.data.blocks.read.per.level"),
];
