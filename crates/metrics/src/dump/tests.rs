use super::*;

/// As RocksDB 7.8.3 writes it, shortened.
const LOG: &str = "\
2026/11/22-15:14:24.000000 1 [db/db_impl/db_impl.cc:1105] ------- DUMPING STATS -------
** DB Stats **
Uptime(secs): 1.1 total, 1.0 interval
Cumulative stall: 00:00:0.100 H:M:S, 9.9 percent
2026/11/22-15:14:25.291555 1 [db/db_impl/db_impl.cc:788] STATISTICS:
 rocksdb.block.cache.miss COUNT : 1
rocksdb.block.cache.hit COUNT : 0
2026/11/22-15:14:25.467210 1 [WARN] [db/column_family.cc:1001] [default] Stalling writes because we have 4 level-0 files rate 3551399
2026/11/22-15:14:26.291830 1 [db/db_impl/db_impl.cc:1105] ------- DUMPING STATS -------
2026/11/22-15:14:26.291900 1 [db/db_impl/db_impl.cc:1107]
** DB Stats **
Uptime(secs): 3.4 total, 1.0 interval
Cumulative stall: 01:02:0.774 H:M:S, 37.6 percent

** Compaction Stats [default] **
Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) Wblob(GB)
------------------------------------------------------------------------------------------------
  L0      1/0   439.35 KB   0.2      0.0     0.0      0.0       0.0      0.0       0.0   1.0      0.0     28.2      0.49              0.10        32    0.015       0      0       0.0       0.0
  L1      3/2    5.40 MB   0.0      1.5     0.0      0.0       0.0      0.0       0.0   2.0     49.2     38.0      0.70              0.20         7    0.100    549K   115K       0.0       0.0
 Sum      2/0    5.83 MB   0.0      0.0     0.0      0.0       0.0      0.0       0.0   2.9     29.1     34.0      1.19              0.30        39    0.030    549K   115K       0.0       0.0

** Compaction Stats [default] **
Priority    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) Wblob(GB)
 Low      0/0    0.00 KB   0.0      0.0     0.0      0.0       0.0      0.0       0.0   0.0     49.2     38.0      0.70              0.20         7    0.100    549K   115K       0.0       0.0

Uptime(secs): 99.0 total, 1.0 interval
Stalls(count): 2 level0_slowdown, 0 level0_slowdown_with_compaction, 1 level0_numfiles, 0 level0_numfiles_with_compaction, 0 stop for pending_compaction_bytes, 7 slowdown for pending_compaction_bytes, 3 memtable_compaction, 0 memtable_slowdown, interval 0 total count
** File Read Latency Histogram By Level [default] **
** Level 0 read latency histogram (micros):
Count: 15908 Average: 2.5592  StdDev: 171.27
Min: 0  Median: 0.6111  Max: 14880
** Level 1 read latency histogram (micros):
Count: 30162 Average: 2.0237  StdDev: 138.59
** Blob file read latency histogram (micros):
Count: 7 Average: 1.0  StdDev: 0.0
** File Read Latency Histogram By Level [a] b] **
** Level 3 read latency histogram (micros):
Count: 5 Average: 1.0  StdDev: 0.0
2026/11/22-15:14:26.292185 1 [db/db_impl/db_impl.cc:788] STATISTICS:
 rocksdb.block.cache.miss COUNT : 25
rocksdb.block.cache.hit COUNT : 75
rocksdb.db.get.micros P50 : 1.0 P95 : 2.0 P99 : 3.0 P100 : 4.0 COUNT : 9 SUM : 10
";

#[test]
fn the_last_dump_counts() {
    let mut parser = DumpParser::default();
    LOG.lines().for_each(|line| parser.line(line));
    let (dump, before) = (parser.newest().unwrap(), parser.before_newest().unwrap());
    assert_eq!(dump.at, "2026/11/22-15:14:26.291830");
    assert_eq!(dump.uptime_seconds, Some(3.4));
    assert_eq!(dump.stalled.as_deref(), Some("01:02:0.774 H:M:S, 37.6 percent"));
    assert_eq!(dump.stall_seconds(), Some(3720.774));
    assert_eq!(dump.tickers.len(), 2, "histograms are no tickers");
    assert_eq!(dump.cache_hit_ratio(None), Some(0.75));
    assert_eq!(dump.cache_hit_ratio(Some(before)), Some(75.0 / 99.0));
    let get = DumpedHistogram { quantiles: [1.0, 2.0, 3.0, 4.0], count: 9, sum: 10.0 };
    assert_eq!(dump.histograms, [("rocksdb.db.get.micros".to_owned(), get)].into());
    assert!(parser.last_stall().unwrap().contains("4 level-0 files"));
    assert_eq!(dump.seconds_since(before), Some(2.29183));
    let rate = dump.rate(before, "rocksdb.block.cache.hit").unwrap();
    assert!((rate - 75.0 / 2.29183).abs() < 1e-9);
    assert_eq!(before.rate(dump, "rocksdb.block.cache.hit"), None, "not backwards");
}

#[test]
fn families_have_levels_reads_and_stalls() {
    let dump = Dump::parse(LOG).unwrap();
    let family = &dump.families["default"];
    assert_eq!(family.reads[&0], Reads { count: 15908, mean_micros: 2.5592 });
    assert_eq!(family.reads.len(), 2);
    assert_eq!(dump.families["a] b"].reads[&3].count, 5);
    assert_eq!(family.levels.len(), 2);
    let of_l1 = |column: &str| family.levels[&1][column];
    assert_eq!(
        ["CompactedFiles", "ReadGB", "CompSec", "CompCount", "KeyIn", "WblobGB"].map(of_l1),
        [2.0, 1.5, 0.7, 7.0, 549e3, 0.0]
    );
    let stalls: Vec<_> = family.stalls.iter().filter(|(_, count)| **count > 0).collect();
    assert_eq!(
        stalls,
        [
            (&"l0-file-count-limit-delays".to_owned(), &2),
            (&"l0-file-count-limit-stops".to_owned(), &1),
            (&"memtable-limit-stops".to_owned(), &3),
            (&"pending-compaction-bytes-delays".to_owned(), &7),
        ]
    );
    // Later releases say it otherwise, and this engine says both.
    let later =
        LOG.replace("** File Read", "Write Stall (count): memtable-limit-stops: 4\n** File Read");
    assert_eq!(Dump::parse(&later).unwrap().families["default"].stalls["memtable-limit-stops"], 4);
}

#[test]
fn a_dump_that_is_being_written_does_not_count() {
    let (whole, _) = LOG.rsplit_once("STATISTICS").unwrap();
    assert_eq!(Dump::parse(whole).unwrap().uptime_seconds, Some(1.1));
    let reopened = "2026/11/22-15:15:26.100000 1 [x] Recovered from manifest file:/db/MANIFEST-000009 succeeded";
    assert_eq!(Dump::parse(&format!("{LOG}{reopened}\n")).map(|dump| dump.at), None);
}

#[test]
fn what_is_not_understood_is_not_known() {
    assert_eq!(Dump::parse(""), None);
    assert_eq!(Dump::parse("rocksdb.x COUNT : 3\n** Level 1 x\nCount: 7"), None);
    let odd = "2026/11/22-15:14:24.000000 1 [x] ------- DUMPING STATS -------\n\
               rocksdb. y COUNT : 3\nrocksdb.x COUNT : \nrocksdb.x P50 : 1 COUNT : 9 SUM : 1\n\
               ** Compaction Stats [default] **\nLevel    Files   Size     Score\nL0 1/0\n\
               L 1/0 1 KB 1.0\nL0 1/0 1 KB é\nStalls(count): x, 1 y\n\
               ** Level x\nCount: 7 Average: 1\n** Level 1 \nCount: \nUptime(secs): \n";
    let dump = Dump::parse(odd).unwrap();
    assert!(dump.tickers.is_empty() && dump.histograms.is_empty(), "{dump:?}");
    let family = &dump.families["default"];
    assert!(family.reads.is_empty() && family.stalls.is_empty(), "{family:?}");
    let none = "2026/11/22-15:14:24.000000 1 DUMPING STATS\nrocksdb.block.cache.miss COUNT : 0\n\
                rocksdb.block.cache.hit COUNT : 0";
    assert_eq!(Dump::parse(none).unwrap().cache_hit_ratio(None), None);
}
