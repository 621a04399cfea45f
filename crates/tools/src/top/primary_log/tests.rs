use super::*;

/// As RocksDB 7.8.3 writes it, shortened.
const LOG: &str = "\
2026/11/22-15:14:24.000000 1 [db/db_impl/db_impl.cc:1105] ------- DUMPING STATS -------
Cumulative stall: 00:00:0.100 H:M:S, 9.9 percent
2026/11/22-15:14:25.291555 1 [db/db_impl/db_impl.cc:788] STATISTICS:
 rocksdb.block.cache.miss COUNT : 1
rocksdb.block.cache.hit COUNT : 0
2026/11/22-15:14:25.467210 1 [WARN] [db/column_family.cc:1001] [default] Stalling writes because we have 4 level-0 files rate 3551399
2026/11/22-15:14:26.291830 1 [db/db_impl/db_impl.cc:1105] ------- DUMPING STATS -------
2026/11/22-15:14:26.291900 1 [db/db_impl/db_impl.cc:1107]
** DB Stats **
Uptime(secs): 2.1 total, 1.0 interval
Cumulative stall: 00:00:0.774 H:M:S, 37.6 percent
** File Read Latency Histogram By Level [default] **
** Level 0 read latency histogram (micros):
Count: 15908 Average: 2.5592  StdDev: 171.27
Min: 0  Median: 0.6111  Max: 14880
** Level 1 read latency histogram (micros):
Count: 30162 Average: 2.0237  StdDev: 138.59
** File Read Latency Histogram By Level [other] **
2026/11/22-15:14:26.292185 1 [db/db_impl/db_impl.cc:788] STATISTICS:
 rocksdb.block.cache.miss COUNT : 25
rocksdb.block.cache.hit COUNT : 75
rocksdb.db.get.micros P50 : 1.0 P95 : 2.0 P99 : 3.0 P100 : 4.0 COUNT : 9 SUM : 10
";

#[test]
fn the_last_dump_counts() {
    let log = PrimaryLog::parse(LOG);
    assert_eq!(log.dumped_at.as_deref(), Some("2026/11/22-15:14:26.291830"));
    assert_eq!(log.stalled.as_deref(), Some("00:00:0.774 H:M:S, 37.6 percent"));
    assert_eq!(log.cache_hit_ratio(), Some(0.75));
    let reads = [(("default".to_owned(), 0), 15908), (("default".to_owned(), 1), 30162)];
    assert_eq!(log.reads, reads.into());
    assert!(log.last_stall.unwrap().contains("4 level-0 files"));
    assert_eq!(log.tickers.len(), 2, "histograms are no tickers");
}

#[test]
fn what_is_not_there_is_not_known() {
    assert_eq!(PrimaryLog::parse("rocksdb. COUNT : \nCount: 7\n** Level x"), PrimaryLog::default());
    assert_eq!(PrimaryLog::read(Path::new("/nowhere/at/all")), PrimaryLog::default());
    let none =
        PrimaryLog::parse("rocksdb.block.cache.miss COUNT : 0\nrocksdb.block.cache.hit COUNT : 0");
    assert_eq!(none.cache_hit_ratio(), None);
}
