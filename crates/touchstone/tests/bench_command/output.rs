//! Lines that scripts take apart are `db_bench`'s: the same command, the same words, other numbers.

use crate::{db_bench, text, touchstone};
use std::path::Path;
use std::process::Output;

/// Lines that only one of both has, by their beginning, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("Estimated pending compaction bytes: ", "since RocksDB 8.1"),
    ("Write Stall (count): ", "since RocksDB 8.1, after the line of the releases before"),
    ("interval: N total count", "since RocksDB 8.1"),
    ("Block cache LRUCache@", "there once the cache was gone through, which is done now and then"),
    ("Block cache entry stats(count,size,portion): ", "as the line before it"),
    ("warning: ", "ours says what an option does not do"),
    ("RocksDB: version ", "which engine it is"),
    ("Touchstone: version ", "which engine it is"),
    ("WARNING: Assertions are enabled", "depends on the build"),
    ("WARNING: Optimization is disabled", "depends on the build"),
];

/// A row of a histogram: which there are depends on times.
const BUCKET: &str = "N, N ] N N% N%";

/// What rows of the tables of levels and of threads begin with.
const ROWS: &[&str] = &["LN", "Sum", "Int", "Low", "High", "Bottom", "User"];

fn run_both(flags: &[&str]) -> Option<(Output, Output)> {
    let directory = tempfile::tempdir().expect("a directory");
    let command = |name: &str| {
        let path = |flag: &str, name: &str| format!("--{flag}={}", place(directory.path(), name));
        let own = [path("db", name), path("report_file", &format!("{name}.csv"))];
        own.into_iter().chain(flags.iter().map(|&flag| flag.to_owned())).collect::<Vec<_>>()
    };
    let theirs = db_bench(&command("theirs"))?;
    let ours = touchstone(&command("ours"));
    for output in [&theirs, &ours] {
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    Some((ours, theirs))
}

fn place(directory: &Path, name: &str) -> String {
    directory.join(name).display().to_string()
}

/// A line without what differs from run to run: numbers are N, units of bytes B, and blanks are one.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    let mut digits = line.trim_end().chars().peekable();
    while let Some(letter) = digits.next() {
        let is_number = letter.is_ascii_digit();
        while is_number && digits.next_if(|next| next.is_ascii_digit() || *next == '.').is_some() {}
        if is_number {
            // Thousands and millions are short for numbers, too.
            digits.next_if(|next| ['K', 'M', 'G'].contains(next));
        }
        shape.push(if is_number { 'N' } else { letter });
    }
    let words = shape.split_whitespace().map(|word| match word {
        "KB" | "MB" | "GB" | "TB" => "B",
        "-N" | "nan" | "-nan" | "inf" => "N",
        word if word.starts_with('#') => "",
        word => word,
    });
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The shapes of an output's lines, each once, in the order in which they first come.
fn shapes(bytes: &[u8], is_of_interest: impl Fn(&str) -> bool) -> Vec<String> {
    let mut shapes: Vec<String> = Vec::new();
    for line in text(bytes).replace('\r', "\n").lines() {
        // Both call their directories and processors what they like.
        let mut shape = shape(&line.replace("/ours", "/db").replace("/theirs", "/db"));
        if shape.contains(BUCKET) {
            shape = BUCKET.to_owned();
        }
        // Which levels and threads have rows depends on what ran when.
        if let Some((_, row)) = shape.split_once(' ').filter(|(name, _)| ROWS.contains(name)) {
            shape = format!("ROW {row}");
        }
        let is_different = DIFFERENT.iter().any(|(start, _)| shape.starts_with(start));
        if !is_different && !shapes.contains(&shape) && is_of_interest(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

/// Tables and files are what the scripts of campaigns read.
const TREE: &[&str] = &[
    "--num=30000",
    "--seed=7",
    "--key_size=20",
    "--value_size=400",
    "--write_buffer_size=1000000",
    "--target_file_size_base=1000000",
    "--max_bytes_for_level_base=4000000",
    "--compression_type=lz4",
    "--bloom_bits=10",
    "--progress_reports=0",
];

#[test]
fn lines_of_results_and_of_stats_are_db_benchs() {
    let flags = [
        TREE,
        &[
            "--benchmarks=fillrandom,overwrite,flush,compact,levelstats,stats,memstats,readrandom,\
             seekrandom[X2],multireadrandom,updaterandom,deleteseq,readseq",
            "--histogram",
            "--batch_size=2",
            "--reads=3000",
            "--deletes=100",
            // Otherwise lines for stalls depend on how fast a disk is.
            "--level0_slowdown_writes_trigger=1000",
            "--level0_stop_writes_trigger=1000",
        ],
    ]
    .concat();
    let Some((ours, theirs)) = run_both(&flags) else { return };
    assert_eq!(shapes(&ours.stdout, |_| true), shapes(&theirs.stdout, |_| true));
    let is_header = |line: &str| !line.is_empty();
    assert_eq!(shapes(&ours.stderr, is_header), shapes(&theirs.stderr, is_header));
    // Columns are found by their places, too.
    let (ours, theirs) = (text(&ours.stdout), text(&theirs.stdout));
    let heads = |text: &str| -> Vec<String> {
        let lines =
            text.lines().filter(|line| line.contains("W-Amp") || line.starts_with("Level "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(heads(&ours), heads(&theirs));
    let width = |text: &str| text.lines().find(|line| line.starts_with(" Sum ")).map(str::len);
    assert_eq!(width(&ours), width(&theirs));
}

#[test]
fn interval_lines_are_db_benchs() {
    let flags = [
        &TREE[..9],
        &[
            "--benchmarks=fillrandom",
            "--stats_interval_seconds=1",
            "--stats_per_interval=1",
            "--duration=3",
            "--histogram",
        ],
    ]
    .concat();
    let Some((ours, theirs)) = run_both(&flags) else { return };
    let is_of_interest = |line: &str| !line.is_empty() && !line.starts_with("long op");
    let (ours, theirs) =
        (shapes(&ours.stderr, is_of_interest), shapes(&theirs.stderr, is_of_interest));
    // Levels and histograms there are may differ, their lines may not.
    let is_in_both = |line: &&String| !line.starts_with("** Level N read") && *line != BUCKET;
    let (ours, theirs): (Vec<_>, Vec<_>) =
        (ours.iter().filter(is_in_both).collect(), theirs.iter().filter(is_in_both).collect());
    assert_eq!(ours, theirs);
    let line = "N/N/N-N:N:N ... thread N: (N,N) ops and (N,N) ops/second in (N,N) seconds";
    assert!(ours.iter().any(|shape| *shape == line), "{ours:?}");
}

#[test]
fn the_report_file_is_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("report.csv");
    let report_file = format!("--report_file={}", file.display());
    let mine =
        ["--report_interval_seconds=1", "--benchmarks=fillrandom", "--duration=3", &report_file];
    let flags = [TREE, &mine].concat();
    let read = || {
        let csv = std::fs::read(&file).expect("a report");
        let rows = text(&csv).lines().count();
        assert!(rows > 1, "{}", text(&csv));
        shapes(&csv, |_| true)
    };
    let db = |name: &str| format!("--db={}", place(directory.path(), name));
    let command = |name: &str| flags.iter().map(|&flag| flag.to_owned()).chain([db(name)]);
    let Some(theirs) = db_bench(&command("theirs").collect::<Vec<_>>()) else { return };
    assert!(theirs.status.success(), "{}", text(&theirs.stderr));
    let expected = read();
    let ours = touchstone(&command("ours").collect::<Vec<_>>());
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    assert_eq!(read(), expected);
    assert_eq!(expected, ["secs_elapsed,interval_qps", "N,N"]);
}

/// Tickers and histograms that RocksDB 7.8.3 prints and later releases have given up or renamed, by
/// their beginning.
const GIVEN_UP: &[&str] = &[
    "rocksdb.blobdb.gc.",
    "rocksdb.block.cache.compression.dict.bytes.evict",
    "rocksdb.block.cache.filter.bytes.evict",
    "rocksdb.block.cache.index.bytes.evict",
    "rocksdb.block.cachecompressed.",
    "rocksdb.bloom.filter.micros",
    "rocksdb.bytes.compressed",
    "rocksdb.bytes.decompressed",
    "rocksdb.error.handler.bg.errro.count",
    "rocksdb.error.handler.bg.io.errro.count",
    "rocksdb.error.handler.bg.retryable.io.errro.count",
    "rocksdb.hard.rate.limit.delay.count",
    "rocksdb.l0.num.files.stall.micros",
    "rocksdb.l0.slowdown.",
    "rocksdb.memtable.compaction.",
    "rocksdb.no.file.closes",
    "rocksdb.num.data.blocks.read.per.level",
    "rocksdb.num.files.stall.count",
    "rocksdb.num.iterators",
    "rocksdb.number.block.not_compressed",
    "rocksdb.number.deletes.filtered",
    "rocksdb.rate.limit.delay.millis",
    "rocksdb.soft.rate.limit.delay.count",
    "rocksdb.write.timeout",
];

#[test]
fn statistics_have_db_benchs_names_and_lines() {
    let flags = [TREE, &["--benchmarks=fillrandom,readrandom", "--statistics"]].concat();
    let Some((ours, theirs)) = run_both(&flags) else { return };
    let block = |output: &Output| {
        let stdout = text(&output.stdout);
        let (_, block) = stdout.split_once("STATISTICS:\n").expect("a block of statistics");
        block.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (ours, theirs) = (block(&ours), block(&theirs));
    let form = |line: &str| {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        (name.to_owned(), shape(rest))
    };
    let ours: Vec<_> = ours.iter().map(|line| form(line)).collect();
    for (name, rest) in theirs.iter().map(|line| form(line)) {
        let is_there = ours.contains(&(name.clone(), rest.clone()));
        let is_given_up = GIVEN_UP.iter().any(|start| name.starts_with(start));
        assert!(is_there || is_given_up, "{name} {rest}");
    }
    let ticker = "COUNT : N";
    let histogram = "PN : N PN : N PN : N PN : N COUNT : N SUM : N";
    assert!(
        ours.iter().all(|(_, rest)| [ticker, histogram, ""].contains(&rest.as_str())),
        "{ours:?}"
    );
    assert!(ours.len() > 250);
}
