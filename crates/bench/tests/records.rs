//! What `--json` records, and that `--shape` makes the same tree out of any.

use host::ProcessCounters;
use record::{Device, FamilyShape, Latency, Record};
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Options of the campaign on shapes at a tenth of its size: a memtable of 800,000 bytes, eight files
/// start a compaction of L0.
const SMALL: &[&str] = &[
    "--num=100000",
    "--key_size=8",
    "--value_size=128",
    "--write_buffer_size=800000",
    "--target_file_size_base=800000",
    "--max_bytes_for_level_base=6400000",
    "--max_bytes_for_level_multiplier=8",
    "--level_compaction_dynamic_level_bytes=1",
    "--level0_file_num_compaction_trigger=8",
    "--level0_slowdown_writes_trigger=32",
    "--level0_stop_writes_trigger=40",
    "--compression_type=none",
    "--cache_size=100000000",
    "--progress_reports=0",
];

/// Runs the bench in `directory` and gives back its exit status and what it recorded.
fn bench(directory: &Path, arguments: &[&str]) -> (i32, Vec<Record>) {
    let json = directory.join("records");
    let _ = fs::remove_file(&json);
    let own =
        [format!("--db={}", directory.join("db").display()), format!("--json={}", json.display())];
    let all = own.into_iter().chain(SMALL.iter().chain(arguments).map(|&text| text.to_owned()));
    let status = bench::main(&all.collect::<Vec<_>>());
    let text = fs::read_to_string(&json).unwrap_or_default();
    let read = |line| Record::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    (status, text.lines().map(read).collect())
}

fn default_family(shape: Option<&record::Shape>) -> &FamilyShape {
    shape.and_then(|families| families.get("default")).expect("the shape of the default family")
}

/// Levels that have files, as `(level, files, bytes)`.
fn levels(shape: &FamilyShape) -> Vec<(usize, u64, u64)> {
    let full = shape.levels.iter().filter(|level| level.files > 0);
    full.map(|level| (level.level, level.files, level.bytes)).collect()
}

fn check_common(record: &Record) {
    assert_eq!((record.schema, &record.skipped), (1, &None));
    let engine = (record.engine.name.as_str(), record.engine.kind.as_str());
    assert_eq!(engine, ("touchstone", "native"));
    for (name, value) in [("num", "100000"), ("threads", "2"), ("seed", "7"), ("value_size", "128")]
    {
        assert_eq!(record.parameters[name], value);
    }
    assert_eq!(record.parameters["bloom_bits"], "10");
    assert!(!record.parameters.contains_key("block_size"), "that is at its default");
}

/// Whether `actual` is `expected` but for what rounding leaves.
fn is_about(actual: f64, expected: f64) -> bool {
    (actual - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970").as_secs_f64()
}

fn check_latency(operation: &str, latency: &Latency, operations: u64, seconds: f64) {
    let Latency { count, mean, stddev, min, max, p50, p95, p99, p999, p9999 } = *latency;
    assert_eq!(count, operations, "{operation}: each is counted");
    assert!(min <= mean && mean <= max && stddev >= 0.0, "{operation}: {latency:?}");
    // The two are of different clocks, one of which a busy machine may have set a little wrong.
    let longest = seconds * 1.01e6 + 1.0;
    assert!(max <= longest, "{operation}: none took longer than all: {latency:?}");
    let percentiles = [min, p50, p95, p99, p999, p9999, max];
    assert!(percentiles.is_sorted(), "{operation}: {latency:?}");
}

/// Processors cannot have been busy for more than `busy_max` seconds.
fn check_process(process: &ProcessCounters, busy_max: f64) {
    let busy = process.user_seconds + process.system_seconds;
    assert!(busy > 0.0 && busy <= busy_max, "{busy} of {busy_max}");
    assert!(process.resident_bytes <= process.resident_peak_bytes, "{process:?}");
    assert!(process.resident_bytes > Some(1 << 20), "in bytes: {process:?}");
}

fn check_device(device: &Device) {
    let Device { name, reads, read_bytes, mean_read_bytes, writes, write_bytes, mean_write_bytes } =
        device;
    assert!(!name.is_empty());
    for (count, bytes, mean) in
        [(reads, read_bytes, mean_read_bytes), (writes, write_bytes, mean_write_bytes)]
    {
        let expected = (*count > 0).then(|| *bytes as f64 / *count as f64);
        assert_eq!(expected.is_some(), mean.is_some(), "{device:?}");
        assert!(mean.is_none_or(|mean| is_about(mean, expected.unwrap_or(0.0))), "{device:?}");
    }
}

fn check_family(family: &FamilyShape) {
    assert!((0..).zip(&family.levels).all(|(level, shape)| shape.level == level));
    assert!(family.levels.iter().all(|level| (level.files == 0) == (level.bytes == 0)));
    assert!(family.memtable_bytes >= family.memtable_entries * 136, "{family:?}");
}

fn check_wait(record: &Record, wait_seconds: Option<f64>, seconds: f64) {
    let is_asked_for = record.parameters.contains_key("wait_for_compactions");
    assert_eq!(wait_seconds.is_some(), is_asked_for && record.benchmark.starts_with("fill"));
    assert!(wait_seconds.is_none_or(|wait| (0.0..seconds).contains(&wait)), "{wait_seconds:?}");
}

/// Every measure is in its unit: what follows from others is what they give. A field that is added must be
/// named here.
fn check_measures(record: &Record, threads: f64, begun: f64) {
    let Record {
        schema: _,
        engine: _,
        benchmark,
        repeat: _,
        warmup: _,
        skipped: _,
        started_unix_seconds,
        parameters,
        operations,
        background_operations,
        seconds,
        wait_seconds,
        micros_per_op,
        ops_per_second,
        bytes,
        message,
        found,
        read,
        latency_micros,
        shape,
        process,
        devices,
        space_peak_bytes,
        stalls,
        read_amplification,
        host,
        harness_nanos_per_op,
    } = record;
    let ended = unix_seconds();
    assert!((begun..=ended).contains(started_unix_seconds), "{started_unix_seconds}");
    let known = |name: &String| bench::flags::find(name).is_some();
    assert!(parameters.keys().all(known), "{parameters:?}");
    let (operations, seconds) = (operations.expect("operations"), seconds.expect("seconds"));
    assert!(seconds > 0.0 && started_unix_seconds + seconds <= ended, "{seconds}");
    check_wait(record, *wait_seconds, seconds);
    assert_eq!(*background_operations, None, "{benchmark} has no thread in the background");
    let rate = ops_per_second.expect("a rate");
    assert!((rate - operations as f64 / seconds).abs() <= 1.0, "{rate}");
    // Threads begin and end about together.
    let of_thread = micros_per_op.expect("a time") * operations as f64 / 1e6;
    assert!((0.2 * seconds..=threads * seconds * 1.001).contains(&of_thread), "{of_thread}");
    assert!(bytes.is_none_or(|bytes| bytes <= operations * 136), "{bytes:?}");
    assert_eq!(found.is_some(), read.is_some());
    assert!(found <= read, "{found:?} of {read:?}");
    assert_eq!(read.is_some(), message.as_ref().is_some_and(|text| text.contains("found)")));
    assert_eq!(latency_micros.len(), 1, "{benchmark}: one type of operation");
    let each = |(name, latency): (&String, _)| check_latency(name, latency, operations, seconds);
    latency_micros.iter().for_each(each);
    check_family(default_family(shape.before.as_ref()));
    check_family(default_family(shape.after.as_ref()));
    let process = process.as_ref().expect("counters of the process");
    check_process(process, (seconds + 1.0) * host.cores as f64);
    let devices = devices.as_ref().expect("devices");
    assert_eq!(devices.len(), host.max_sectors_kb.len());
    devices.iter().for_each(check_device);
    assert!((4096..1 << 30).contains(&space_peak_bytes.expect("space")), "{space_peak_bytes:?}");
    let stalls = stalls.as_ref().expect("stalls");
    assert!(stalls["total"].count.is_some() && stalls["total"].seconds.is_some());
    assert!(stalls.values().all(|stall| stall.seconds.is_none_or(|time| time >= 0.0)));
    if let Some(work) = read_amplification {
        assert!(work.runs_per_query >= 1.0 && work.blocks_per_query > 0.5, "{work:?}");
        assert!(work.filters_checked_per_query >= work.filters_useful_per_query, "{work:?}");
        assert!(work.keys_compared_per_query.is_none_or(|compared| compared >= 1.0), "{work:?}");
    }
    assert!(host.cores > 0 && !host.cpu.is_empty() && !host.kernel.is_empty(), "{host:?}");
    assert_eq!(*harness_nanos_per_op, None, "of the null engine alone");
}

#[test]
fn every_run_is_recorded_with_what_it_did() {
    let directory = tempfile::tempdir().expect("a directory");
    let benchmarks = "--benchmarks=fillrandom,readrandom[X2-W1],seekrandom,levelstats";
    let arguments = [
        benchmarks,
        "--histogram",
        "--bloom_bits=10",
        "--reads=5000",
        "--seed=7",
        "--threads=2",
        "--wait_for_compactions",
    ];
    let begun = unix_seconds();
    let (status, records) = bench(directory.path(), &arguments);
    assert_eq!(status, 0);
    let runs: Vec<_> = records
        .iter()
        .map(|record| (record.benchmark.as_str(), record.repeat, record.warmup))
        .collect();
    let expected = [
        ("fillrandom", 1, false),
        ("readrandom", 1, true),
        ("readrandom", 1, false),
        ("readrandom", 2, false),
        ("seekrandom", 1, false),
    ];
    assert_eq!(runs, expected);
    records.iter().for_each(check_common);
    records.iter().for_each(|record| check_measures(record, 2.0, begun));
    let fill = &records[0];
    assert_eq!((fill.operations, fill.found, fill.read), (Some(200_000), None, None));
    assert_eq!(fill.bytes, Some(200_000 * 136));
    assert_eq!(fill.read_amplification, None);
    assert_eq!(fill.latency_micros["write"].count, 200_000);
    assert_eq!(levels(default_family(fill.shape.before.as_ref())), []);
    assert!(!levels(default_family(fill.shape.after.as_ref())).is_empty());
    let read = &records[2];
    // Of both threads, though the result line has the message of one.
    assert_eq!((read.operations, read.read), (Some(10_000), Some(10_000)));
    assert!(read.found > Some(5_000) && read.found < Some(10_000), "{:?}", read.found);
    assert_eq!(read.latency_micros["read"].count, 10_000);
    let work = read.read_amplification.expect("what lookups did");
    assert!(work.filters_useful_per_query > 0.0, "{work:?}");
    let seek = records[4].read_amplification.expect("what seeks did");
    assert!(seek.runs_per_query >= 2.0, "memtable and table at least: {seek:?}");
}

#[test]
fn what_does_not_run_is_recorded_with_the_reason() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(bench(directory.path(), &["--benchmarks=fillseq", "--num=1000"]).0, 0);
    let arguments = ["--benchmarks=fillseq,readseq", "--use_existing_db", "--perf_level=1"];
    let (status, records) = bench(directory.path(), &arguments);
    assert_eq!((status, records.len()), (0, 2));
    let skipped = &records[0];
    assert_eq!(skipped.skipped.as_deref(), Some("--use_existing_db is true"));
    assert_eq!((skipped.operations, skipped.process, &skipped.stalls), (None, None, &None));
    assert_eq!(records[1].skipped, None);
    assert_eq!(records[1].read_amplification, None, "switched off by --perf_level=1");
    let arguments = ["--benchmarks=readrandom", "--engine=null", "--use_existing_db"];
    let (status, records) = bench(directory.path(), &arguments);
    assert_eq!((status, records.len()), (0, 1));
    assert_eq!((records[0].engine.kind.as_str(), &records[0].shape.before), ("null", &None));
    assert!(records[0].harness_nanos_per_op > Some(0.0));
}

/// The shape that a stage makes of what is there, after reads have not changed it.
fn stage(directory: &Path, name: &str, arguments: &[&str]) -> FamilyShape {
    let shape = format!("--shape={name}");
    let read = ["--benchmarks=readrandom[X2]", "--use_existing_db", "--reads=500", "--seed=5"];
    let (status, records) = bench(directory, &[&read[..], &[&shape], arguments].concat());
    assert_eq!((status, records.len()), (0, 2), "{name}");
    let shape = default_family(records[0].shape.before.as_ref());
    for record in &records {
        let after = default_family(record.shape.after.as_ref());
        assert_eq!(levels(after), levels(shape), "{name}");
        assert_eq!(after.memtable_entries, shape.memtable_entries, "{name}");
    }
    shape.clone()
}

/// Two trees that were filled differently come to the same shape.
#[test]
fn a_stage_is_the_same_tree_whatever_was_there() {
    // Entries of the memtable, files of L0, levels below it. 0.8 of a memtable are about 3,700.
    let stages = [
        ("pre_flush", 3_700, 6, 1),
        ("post_flush", 0, 7, 1),
        ("compact_l0", 0, 0, 1),
        ("compact_l1", 0, 0, 1),
        ("compact_all", 0, 0, 1),
        ("l0_and_lmax", 3_700, 6, 1),
    ];
    let shapes = ["fillrandom", "fillrandom,overwrite,flush,compact0,overwrite"].map(|fill| {
        let directory = tempfile::tempdir().expect("a directory");
        let fill = format!("--benchmarks={fill}");
        assert_eq!(bench(directory.path(), &[&fill, "--seed=1"]).0, 0);
        stages.map(|(name, memtable, l0_files, deeper)| {
            let shape = stage(directory.path(), name, &[]);
            let entries = shape.memtable_entries;
            assert!(entries.abs_diff(memtable) <= memtable / 10, "{name} {shape:?}");
            assert_eq!(shape.levels[0].files, l0_files, "{name}");
            let below = levels(&shape).into_iter().filter(|(level, ..)| *level > 0);
            assert_eq!(below.count(), deeper, "{name}");
            (name, entries, shape.levels[0])
        })
    });
    for (one, other) in shapes[0].iter().zip(&shapes[1]) {
        let (name, memtable, l0) = one;
        assert!(memtable.abs_diff(other.1) <= memtable / 200, "{name}: {one:?} {other:?}");
        assert_eq!(l0.files, other.2.files, "{name}");
        assert!(l0.bytes.abs_diff(other.2.bytes) <= l0.bytes / 50, "{name}: {one:?} {other:?}");
    }
}

#[test]
fn parts_are_made_level_by_level() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(bench(directory.path(), &["--benchmarks=fillseq"]).0, 0);
    for (more, first) in [(&[][..], 4), (&["--level_compaction_dynamic_level_bytes=0"][..], 1)] {
        let shape = stage(directory.path(), "memtable=1000,l0=3,l1=400K,l3=13.7M", more);
        assert_eq!((shape.memtable_entries, shape.levels[0].files), (1000, 3));
        let small = &shape.levels[first];
        assert!(small.bytes.abs_diff(400 << 10) <= (400 << 10) / 50, "{small:?}");
        let full: Vec<_> = levels(&shape).iter().map(|(level, ..)| *level).collect();
        assert_eq!(full, [0, first, first + 2]);
    }
}

/// Between reads a tree is looked at, though nothing is waited for.
#[test]
fn a_shape_that_an_action_undid_is_made_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(bench(directory.path(), &["--benchmarks=fillrandom", "--seed=1"]).0, 0);
    let read = ["--benchmarks=readrandom[X2],flush,readrandom[X2]", "--shape=pre_flush"];
    let more = ["--use_existing_db", "--reads=500"];
    let (status, records) = bench(directory.path(), &[read, more].concat());
    assert_eq!((status, records.len()), (0, 4));
    for record in &records {
        let shape = default_family(record.shape.after.as_ref());
        assert!(shape.memtable_entries.abs_diff(3_700) <= 370, "{shape:?}");
        assert_eq!(shape.levels[0].files, 6, "{shape:?}");
    }
}

#[test]
fn a_shape_that_cannot_be_is_an_error() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(bench(directory.path(), &["--benchmarks=fillseq", "--num=20000"]).0, 0);
    for shape in ["memtable=999999", "l1=5M,l2=13.7M", "l1=90M", "l9=1M", "square"] {
        let shape = format!("--shape={shape}");
        let read = ["--benchmarks=readrandom", "--use_existing_db", "--reads=500", "--num=20000"];
        let (status, records) = bench(directory.path(), &[&read[..], &[&shape]].concat());
        assert_eq!((status, records.len()), (1, 0), "{shape}");
    }
}

/// As published, the flush is none, and compactions are on.
#[test]
fn a_published_stage_has_its_quirks() {
    let directory = tempfile::tempdir().expect("a directory");
    let fill = ["--benchmarks=fillrandom,waitforcompaction,flush,compact0"];
    assert_eq!(bench(directory.path(), &fill).0, 0);
    let published = ["--as_published", "--writes=27500"];
    let flushed = stage(directory.path(), "post_flush", &published);
    // Two memtables that wait together become one file: bytes tell what is there, of 700 KB a memtable.
    let [memtable_entries, level0_bytes] = [flushed.memtable_entries, flushed.levels[0].bytes];
    assert!(memtable_entries > 3000 && level0_bytes > 3 * 700_000, "{flushed:?}");
    let compacted = stage(directory.path(), "compact_all", &published);
    assert_eq!((compacted.memtable_entries, levels(&compacted).len()), (0, 1), "{compacted:?}");
}
