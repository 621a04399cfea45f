//! What `--statistics` counts beside `db_bench`.
//!
//! What may differ: bytes in the block cache, which each charges by its own form of blocks; bytes of
//! tables, by their properties; how often a table is opened where nothing is written, since RocksDB
//! looks into each once more; syncs of the MANIFEST while a database is made. RocksDB 7.8.3 does not
//! time lookups of a database that is open for reading only.

use crate::{COMMON, db_bench, fill, fill_flags, owned, text, touchstone};
use std::path::Path;
use std::process::{Command, Output};

/// The count of a ticker in what `--statistics` printed.
fn ticker(output: &Output, name: &str) -> u64 {
    let stdout = text(&output.stdout);
    let prefix = format!("{name} COUNT : ");
    let count = stdout.lines().find_map(|line| line.strip_prefix(&prefix));
    let count = count.unwrap_or_else(|| panic!("no {name} in {stdout}"));
    count.parse().expect("a count")
}

/// Count and sum of a histogram in what `--statistics` printed.
fn histogram(output: &Output, name: &str) -> (u64, u64) {
    let stdout = text(&output.stdout);
    let prefix = format!("{name} P50 : ");
    let line = stdout.lines().find(|line| line.starts_with(&prefix));
    let line = line.unwrap_or_else(|| panic!("no {name} in {stdout}"));
    let number = |label: &str| {
        let (_, rest) = line.split_once(label).expect("a number");
        rest.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
    };
    (number(" COUNT : "), number(" SUM : "))
}

/// Tickers that reads of both count alike.
const OF_READS: &[&str] = &[
    "rocksdb.block.cache.data.hit",
    "rocksdb.block.cache.data.miss",
    "rocksdb.block.cache.data.add",
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
    "rocksdb.memtable.hit",
    "rocksdb.memtable.miss",
    "rocksdb.l0.hit",
    "rocksdb.l1.hit",
    "rocksdb.l2andup.hit",
    "rocksdb.number.keys.read",
    "rocksdb.bytes.read",
    "rocksdb.number.multiget.get",
    "rocksdb.number.multiget.keys.read",
    "rocksdb.number.multiget.keys.found",
    "rocksdb.number.multiget.bytes.read",
    "rocksdb.number.db.seek",
    "rocksdb.number.db.seek.found",
    "rocksdb.number.db.next",
    "rocksdb.number.db.next.found",
    "rocksdb.number.db.prev",
    "rocksdb.number.db.prev.found",
    "rocksdb.db.iter.bytes.read",
    "rocksdb.num.iterator.created",
    "rocksdb.num.iterator.deleted",
    "rocksdb.number.iter.skip",
    "rocksdb.number.reseeks.iteration",
    "rocksdb.block.cache.add",
    "rocksdb.block.cache.hit",
    "rocksdb.block.cache.miss",
    "rocksdb.block.cache.add.failures",
    "rocksdb.block.cache.index.add",
    "rocksdb.block.cache.filter.add",
    "rocksdb.bloom.filter.prefix.checked",
    "rocksdb.no.file.errors",
    "rocksdb.last.level.read.count",
    "rocksdb.number.block.decompressed",
];

/// Makes a database with files in L0 and L1, and a memtable from the log. None without `db_bench`.
fn fill_runs(path: &Path) -> Option<Output> {
    let shape = [
        "--benchmarks=fillrandom,compact,overwrite,flush,overwrite",
        "--writes=15000",
        "--disable_auto_compactions=1",
        "--avoid_flush_during_recovery=1",
        "--bloom_bits=10",
    ];
    fill(path, &shape)
}

/// What both print who read such a database by `benchmarks`, flags of which follow behind blanks.
fn reads_of_both(path: &Path, benchmarks: &str) -> (Output, Output) {
    let db = format!("--db={}", path.display());
    let mut flags = vec![&*db, "--num=20000", "--reads=3000", "--seed=7", "--statistics"];
    flags.extend(["--bloom_bits=10", "--cache_size=100000000", "--compression_type=none"]);
    flags.extend(COMMON);
    let mut words = benchmarks.split(' ');
    let list = format!("--benchmarks={}", words.next().unwrap_or_default());
    flags.push(&list);
    flags.extend(words);
    let (ours, theirs) = (touchstone(&flags), db_bench(&flags).expect("it was there before"));
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    (ours, theirs)
}

#[test]
fn tickers_of_reads_are_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("db");
    let Some(_) = fill_runs(&path) else { return };
    let benchmarks = [
        "readrandom,multireadrandom",
        "readmissing",
        "readseq,readreverse,seekrandom --seek_nexts=5",
    ];
    for benchmarks in benchmarks {
        let (ours, theirs) = reads_of_both(&path, benchmarks);
        let mut counted = 0;
        for name in OF_READS {
            let (ours, theirs) = (ticker(&ours, name), ticker(&theirs, name));
            // RocksDB looks into a block more where a key is behind the last one of a block.
            let may_be_less = benchmarks == "readmissing" && name.starts_with("rocksdb.block");
            // Of thousands of looks into cached blocks by scans and seeks, it makes one or two more.
            let is_close = name.starts_with("rocksdb.block.cache")
                && name.ends_with(".hit")
                && theirs.checked_sub(ours).is_some_and(|more| more < 3);
            let is_same = ours == theirs || may_be_less && ours < theirs || is_close;
            assert!(is_same, "{benchmarks}: {name}: {ours}, db_bench has {theirs}");
            counted += usize::from(ours > 0);
        }
        assert!(counted > 4, "{benchmarks}: {counted}");
        for name in [
            "rocksdb.bytes.per.read",
            "rocksdb.bytes.per.multiget",
            "rocksdb.db.multiget.micros",
            "rocksdb.db.seek.micros",
            "rocksdb.read.num.merge_operands",
        ] {
            let (ours, theirs) = (histogram(&ours, name), histogram(&theirs, name));
            assert_eq!(ours.0, theirs.0, "{benchmarks}: {name}");
            assert!(name.ends_with("micros") || ours.1 == theirs.1, "{benchmarks}: {name}");
        }
    }
}

#[test]
fn indexes_and_filters_in_the_cache_count_as_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("db");
    let Some(_) = fill_runs(&path) else { return };
    for benchmarks in ["readrandom", "multireadrandom", "readseq", "seekrandom --seek_nexts=5"] {
        let benchmarks = format!("{benchmarks} --cache_index_and_filter_blocks=1");
        let (ours, theirs) = reads_of_both(&path, &benchmarks);
        let counts = |name: &str| {
            let name = format!("rocksdb.block.cache.{name}");
            (ticker(&ours, &name), ticker(&theirs, &name))
        };
        let mut same = vec!["index.miss", "index.add", "data.miss", "data.add"];
        // RocksDB reads the filters of tables that are scanned, too, which no scan looks into.
        match benchmarks.contains("readrandom") {
            true => same.extend(["filter.miss", "filter.add", "miss", "add"]),
            false => assert_eq!(counts("filter.add").0, 0, "{benchmarks}"),
        }
        for name in same {
            let (ours, theirs) = counts(name);
            assert!(ours > 0 && ours == theirs, "{benchmarks}: {name}: {ours}, {theirs}");
        }
        // It looks up both once more when it opens a table, and a filter that it just stored again.
        let opens = ticker(&theirs, "rocksdb.no.file.opens");
        for name in ["index.hit", "filter.hit"] {
            let (ours, theirs) = counts(name);
            let more = theirs.checked_sub(ours);
            let is_close = more.is_some_and(|more| more <= 2 * opens);
            assert!(is_close, "{benchmarks}: {name}: {ours}, db_bench has {theirs}");
        }
    }
}

#[test]
fn tickers_of_writes_are_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let fill = |path: &Path| {
        let mut flags = fill_flags(path);
        flags.extend(owned(&[
            "--benchmarks=fillrandom,flush,overwrite,flush,deleterandom,flush,compact",
            "--statistics",
            "--disable_auto_compactions=1",
        ]));
        flags
    };
    let Some(theirs) = db_bench(&fill(&directory.path().join("theirs"))) else { return };
    // Passes over deletions read tables, too.
    let own = owned(&["--deletion_pass_trigger=0"]);
    let ours = touchstone(&[fill(&directory.path().join("ours")), own].concat());
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    for name in [
        "rocksdb.number.keys.written",
        "rocksdb.bytes.written",
        "rocksdb.write.self",
        "rocksdb.write.other",
        "rocksdb.write.wal",
        "rocksdb.wal.bytes",
        "rocksdb.wal.synced",
        "rocksdb.compaction.key.drop.new",
        "rocksdb.compaction.key.drop.obsolete",
        "rocksdb.compaction.key.drop.user",
        "rocksdb.compaction.key.drop.range_del",
        "rocksdb.compaction.range_del.drop.obsolete",
        "rocksdb.compaction.optimized.del.drop.obsolete",
        "rocksdb.memtable.payload.bytes.at.flush",
        "rocksdb.memtable.garbage.bytes.at.flush",
        "rocksdb.files.deleted.immediately",
        "rocksdb.no.file.opens",
        "rocksdb.stall.micros",
    ] {
        assert_eq!(ticker(&ours, name), ticker(&theirs, name), "{name}");
    }
    // Tables differ by what their properties say of the program that made them.
    for name in
        ["rocksdb.flush.write.bytes", "rocksdb.compact.read.bytes", "rocksdb.compact.write.bytes"]
    {
        let (ours, theirs) = (ticker(&ours, name), ticker(&theirs, name));
        assert!(ours.abs_diff(theirs) * 1000 < theirs, "{name}: {ours}, db_bench has {theirs}");
    }
    let sums = ["rocksdb.bytes.per.write"];
    for name in sums {
        assert_eq!(histogram(&ours, name), histogram(&theirs, name), "{name}");
    }
    for name in [
        "rocksdb.db.write.micros",
        "rocksdb.db.flush.micros",
        "rocksdb.compaction.times.micros",
        "rocksdb.compaction.times.cpu_micros",
        "rocksdb.table.sync.micros",
        "rocksdb.compaction.outfile.sync.micros",
        "rocksdb.table.open.io.micros",
        "rocksdb.write.raw.block.micros",
        "rocksdb.num.subcompactions.scheduled",
    ] {
        assert_eq!(histogram(&ours, name).0, histogram(&theirs, name).0, "{name}");
    }
    check_reads(&ours, &theirs);
}

/// Opening a table takes four reads in RocksDB, and one here, of its end, or two where the index begins
/// before that. The one is longer than those. A compaction reads a block at a time in RocksDB, and here 64 KiB,
/// of which it has a part of a block already.
fn check_reads(ours: &Output, theirs: &Output) {
    let opens = ticker(ours, "rocksdb.no.file.opens");
    let reads = |output| ticker(output, "rocksdb.non.last.level.read.count");
    let compacted = ticker(ours, "rocksdb.compact.read.bytes");
    let least = opens + compacted / (64 << 10);
    let most = 3 * opens + compacted / (56 << 10);
    let found = reads(ours);
    assert!((least..=most).contains(&found), "{opens} tables, {compacted} bytes, {found} reads");
    assert!(found < reads(theirs));
    for output in [ours, theirs] {
        assert_eq!(histogram(output, "rocksdb.sst.read.micros").0, reads(output));
    }
    let bytes = |output| ticker(output, "rocksdb.non.last.level.read.bytes");
    let (ours, theirs) = (bytes(ours), bytes(theirs));
    let (least, most) = (theirs - theirs / 1000, theirs + theirs / 1000 + opens * (4 << 10));
    assert!((least..=most).contains(&ours), "{ours} bytes, db_bench has {theirs}");
}

/// Runs the same steps with both, each in its own new directory.
fn both(steps: &[&str]) -> Option<(Output, Output)> {
    let directory = tempfile::tempdir().expect("a directory");
    let flags = |name: &str| {
        let mut flags = fill_flags(&directory.path().join(name));
        flags.extend(owned(&["--statistics", "--stats_level=5", "--disable_auto_compactions=1"]));
        flags.extend(owned(steps));
        flags
    };
    let theirs = db_bench(&flags("theirs"))?;
    let ours = touchstone(&flags("ours"));
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    Some((ours, theirs))
}

#[test]
fn synced_writes_count_as_db_benchs() {
    let Some((ours, theirs)) = both(&["--benchmarks=fillsync", "--writes=50"]) else { return };
    for name in ["rocksdb.wal.synced", "rocksdb.wal.bytes", "rocksdb.write.wal"] {
        assert_eq!(ticker(&ours, name), ticker(&theirs, name), "{name}");
    }
    let name = "rocksdb.wal.file.sync.micros";
    assert_eq!(histogram(&ours, name).0, histogram(&theirs, name).0);
}

#[test]
fn compressed_blocks_count_as_db_benchs() {
    let steps = ["--benchmarks=fillrandom,flush,compact,readrandom", "--reads=1000"];
    let steps = [&steps[..], &["--compression_type=zstd"]].concat();
    let Some((ours, theirs)) = both(&steps) else { return };
    for name in ["rocksdb.number.block.compressed", "rocksdb.number.block.decompressed"] {
        assert_eq!(ticker(&ours, name), ticker(&theirs, name), "{name}");
        assert!(ticker(&ours, name) > 0);
    }
    for name in ["rocksdb.compression.times.nanos", "rocksdb.decompression.times.nanos"] {
        assert_eq!(histogram(&ours, name).0, histogram(&theirs, name).0, "{name}");
    }
}

#[test]
fn merges_count_as_db_benchs() {
    let steps = [
        "--benchmarks=mergerandom,readrandommergerandom",
        "--merge_operator=uint64add",
        "--merge_keys=500",
        "--writes=3000",
        "--reads=2000",
    ];
    let Some((ours, theirs)) = both(&steps) else { return };
    for name in ["rocksdb.number.keys.written", "rocksdb.number.keys.read", "rocksdb.bytes.read"] {
        assert_eq!(ticker(&ours, name), ticker(&theirs, name), "{name}");
    }
    for name in ["rocksdb.read.num.merge_operands", "rocksdb.bytes.per.read"] {
        assert_eq!(histogram(&ours, name), histogram(&theirs, name), "{name}");
    }
}

#[test]
fn the_history_on_the_disk_is_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("db");
    let flags = |benchmarks: &str, is_new: bool| {
        let mut flags = fill_flags(&path);
        flags.extend(owned(&["--statistics", "--persist_stats_to_disk=1", benchmarks]));
        flags.extend(owned(&[
            "--stats_persist_period_sec=1",
            "--benchmark_write_rate_limit=600000",
        ]));
        flags.push(format!("--use_existing_db={}", u8::from(!is_new)));
        flags
    };
    let slices = || {
        let db = format!("--db={}", path.display());
        let family = "--column_family=___rocksdb_stats_history___";
        let output = Command::new("ldb").args([&db, family, "scan"]).output().expect("ldb runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let lines = text(&output.stdout);
        lines.lines().filter(|line| line.contains("#rocksdb.number.keys.written ")).count()
    };
    // Theirs begins a directory, ours goes on in it, and theirs after that: nobody begins anew.
    let Some(theirs) = db_bench(&flags("--benchmarks=fillrandom", true)) else { return };
    assert!(theirs.status.success(), "{}", text(&theirs.stderr));
    let first = slices();
    assert!(first > 0);
    let ours = touchstone(&flags("--benchmarks=overwrite", false));
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    let second = slices();
    assert!(second > first, "{first}, {second}");
    let theirs = db_bench(&flags("--benchmarks=overwrite", false)).expect("it was there before");
    assert!(theirs.status.success(), "{}", text(&theirs.stderr));
    assert!(slices() > second);
    let log = std::fs::read_to_string(path.join("LOG")).expect("a log");
    assert!(!log.contains("Recreating persistent stats"), "{log}");
}
