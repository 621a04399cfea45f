use super::*;
use crate::db_bench::Run;
use crate::machine::constants::Values;
use crate::plan::OptionSet;
use host::ProcessCounters;
use record::{Latency, Record};
use std::collections::BTreeMap;
use std::path::Path;

/// A record of 100,000 operations in a second with the first engine, and half of that with the second.
fn record(engine: usize) -> Record {
    let ops_per_second = 100_000.0 / (engine + 1) as f64;
    let facts = [("touchstone", "0.1.0", false), ("rocksdb", "7.8.3", true)][engine];
    let latency = Latency {
        count: 10,
        p50: 5.0,
        p99: 20.0 * (engine + 1) as f64,
        p999: 90.0,
        ..Latency::default()
    };
    Record {
        engine: EngineFacts {
            name: facts.0.to_owned(),
            version: facts.1.to_owned(),
            assertions: facts.2,
            ..EngineFacts::default()
        },
        benchmark: "readrandom".to_owned(),
        operations: Some(1000),
        ops_per_second: Some(ops_per_second),
        micros_per_op: Some(1e6 / ops_per_second),
        latency_micros: BTreeMap::from([("read".to_owned(), latency)]),
        ..Record::default()
    }
}

/// A comparison of two engines over five rounds, of which some were measured.
pub(crate) fn campaign(rounds_measured: usize) -> (Spec, Vec<Entry>) {
    let spec = Spec {
        engines: vec!["touchstone".to_owned(), "debian".to_owned()],
        benchmarks: vec!["readrandom".to_owned()],
        sets: vec![OptionSet { name: "default".to_owned(), ..OptionSet::default() }],
        flags: vec!["--num=1000".to_owned()],
        benchmark_flags: Vec::new(),
        load: "fillseq".to_owned(),
        rounds: 5,
        cache: Cache::Warm,
        control_tolerance: 0.05,
        retries: 1,
        retries_total: None,
        db_bench: Vec::new(),
    };
    let header = Entry::Header {
        schema: crate::journal::SCHEMA,
        spec: Box::new(spec.clone()),
        host: Box::default(),
    };
    let mut entries = vec![header];
    for round in 0..rounds_measured {
        entries.extend(attempt(round, 0, 0.01, [record(0), record(1)]));
    }
    (spec, entries)
}

/// A finished attempt at a round, in which the control loop moved so far.
fn attempt(round: usize, attempt: usize, moved: f64, records: [Record; 2]) -> Vec<Entry> {
    let group = Group { round, set: 0, benchmark: 0 };
    let cell = |(engine, record)| Entry::Cell {
        group,
        attempt,
        engine,
        cache: "warm".to_owned(),
        records: vec![record],
    };
    let control = Entry::Control { group, attempt, before_nanos: 20.0, after_nanos: 20.0, moved };
    records.into_iter().enumerate().map(cell).chain([control]).collect()
}

fn summary_of(spec: &Spec, entries: &[Entry]) -> Summary {
    summarize(spec, entries, None, &Bootstrap::default())
}

#[test]
fn a_complete_campaign_has_a_row_for_each_engine() {
    let (spec, entries) = campaign(5);
    let summary = summary_of(&spec, &entries);
    assert!(summary.complete);
    assert_eq!(summary.rows.len(), 2);
    let [first, second] = [&summary.rows[0], &summary.rows[1]];
    assert_eq!((first.ratio, first.verdict), (Some(1.0), Verdict::Reference));
    assert_eq!(second.samples, [50_000.0; 5]);
    assert_eq!((second.ratio, second.verdict), (Some(0.5), Verdict::Worse));
    assert_eq!((second.ratio_low, second.ratio_high), (Some(0.5), Some(0.5)));
    assert_eq!((second.p50_micros, second.p99_micros), (Some(5.0), Some(40.0)));
}

#[test]
fn an_unfinished_campaign_keeps_what_was_measured_and_says_so() {
    let (spec, entries) = campaign(2);
    let summary = summary_of(&spec, &entries);
    assert!(!summary.complete);
    assert!(summary.missing.expect("a sentence").starts_with("2 of 5 groups"));
    assert_eq!(summary.rows[1].samples.len(), 2);
    assert_eq!(summary.rows[1].verdict, Verdict::Unknown);
    // A cell whose group was cut short counts, and is not trusted.
    let mut cut = entries.clone();
    cut.extend(attempt(2, 0, 0.0, [record(0), record(1)]).into_iter().take(1));
    let cut = summary_of(&spec, &cut);
    assert_eq!((cut.rows[0].samples.len(), cut.rows[0].disturbed_rounds), (3, 1));
    assert_eq!(cut.rows[1].samples.len(), 2);
}

#[test]
fn the_steadiest_attempt_counts() {
    let (spec, mut entries) = campaign(4);
    let slow = || Record { ops_per_second: Some(1.0), ..record(0) };
    entries.extend(attempt(4, 0, 0.3, [slow(), slow()]));
    assert_eq!(summary_of(&spec, &entries).rows[0].disturbed_rounds, 1);
    entries.extend(attempt(4, 1, 0.02, [record(0), record(1)]));
    entries.extend(attempt(4, 2, 0.2, [slow(), slow()]));
    let rows = summary_of(&spec, &entries).rows;
    assert_eq!((rows[0].samples[4], rows[0].disturbed_rounds), (100_000.0, 0));
}

#[test]
fn repeats_count_as_one_sample_and_warm_ups_not_at_all() {
    let of = |ops: f64, warmup: bool| Record { ops_per_second: Some(ops), warmup, ..record(0) };
    let records = [of(1.0, true), of(10.0, false), of(30.0, false), of(20.0, false)];
    assert_eq!(measured(&records.each_ref(), Measure::OpsPerSecond), Some(20.0));
}

#[test]
fn what_an_engine_skipped_has_the_reason_and_no_numbers() {
    let skipped = || Record {
        skipped: Some("not in this library".to_owned()),
        ops_per_second: None,
        ..record(1)
    };
    let (spec, mut entries) = campaign(0);
    (0..5).for_each(|round| entries.extend(attempt(round, 0, 0.0, [record(0), skipped()])));
    let summary = summary_of(&spec, &entries);
    assert!(summary.complete);
    assert_eq!(summary.rows[1].skipped.as_deref(), Some("not in this library"));
    assert_eq!((summary.rows[1].median, summary.rows[1].ratio), (None, None));
}

#[test]
fn at_a_given_rate_the_latencies_are_compared() {
    let (mut spec, entries) = campaign(5);
    spec.sets[0].arrival_rate = Some(1000);
    let rows = summary_of(&spec, &entries).rows;
    assert_eq!((rows[0].measure, rows[0].median), (Measure::P99Micros, Some(20.0)));
    // Twice the latency is half as good.
    assert_eq!((rows[1].ratio, rows[1].verdict), (Some(0.5), Verdict::Worse));
}

#[test]
fn limits_come_from_the_constants_and_the_records() {
    let (spec, entries) = campaign(5);
    let machine = Report::of_values(Path::new("/"), Values::of_symbols(&[("C2", 100.0)]));
    let mut entries = entries;
    for entry in &mut entries {
        if let Entry::Cell { records, .. } = entry {
            records[0].parameters = BTreeMap::from([("num".to_owned(), "1000".to_owned())]);
        }
    }
    let rows = summarize(&spec, &entries, Some(&machine), &Bootstrap::default()).rows;
    // Three loads of 100 ns and 100 ns more.
    assert_eq!(rows[0].limit_ops_per_second, Some(1e9 / 400.0));
    assert_eq!(rows[0].limit_percent.map(f64::round), Some(4.0));
    assert_eq!(rows[0].limited_by, Some(Resource::Memory));
    // What stores nothing has no limit.
    for entry in &mut entries {
        if let Entry::Cell { records, .. } = entry {
            records[0].engine.kind = "null".to_owned();
        }
    }
    let rows = summarize(&spec, &entries, Some(&machine), &Bootstrap::default()).rows;
    assert_eq!(rows[0].limit_ops_per_second, None);
}

/// What RocksDB's own tool measured after each cell of the second engine.
fn with_db_bench(entries: Vec<Entry>, ops_per_second: f64) -> Vec<Entry> {
    let after = |entry: Entry| {
        let of_tool = match &entry {
            Entry::Cell { group, attempt, engine: 1, .. } => Some(Entry::DbBench {
                group: *group,
                attempt: *attempt,
                engine: 1,
                runs: vec![Run { benchmark: "readrandom".to_owned(), ops_per_second }],
                failure: None,
            }),
            _ => None,
        };
        [Some(entry), of_tool].into_iter().flatten()
    };
    entries.into_iter().flat_map(after).collect()
}

#[test]
fn the_faster_of_driver_and_db_bench_counts() {
    let (spec, entries) = campaign(5);
    let faster = summary_of(&spec, &with_db_bench(entries.clone(), 80_000.0));
    let row = &faster.rows[1];
    assert!(row.is_of_db_bench() && !faster.rows[0].is_of_db_bench());
    assert_eq!((row.ops_per_second, row.ratio), (Some(80_000.0), Some(0.8)));
    assert_eq!((row.driver_ops_per_second, &row.samples), (Some(50_000.0), &vec![80_000.0; 5]));

    let slower = summary_of(&spec, &with_db_bench(entries.clone(), 40_000.0));
    let row = &slower.rows[1];
    assert!(!row.is_of_db_bench());
    assert_eq!((row.ratio, row.db_bench_ops_per_second), (Some(0.5), Some(40_000.0)));
    // One that did not run in all rounds does not count.
    let (_, mut some) = campaign(4);
    some = with_db_bench(some, 80_000.0);
    some.extend(attempt(4, 0, 0.0, [record(0), record(1)]));
    assert_eq!(summary_of(&spec, &some).rows[1].ratio, Some(0.5));
}

#[test]
fn what_counts_no_operations_is_one() {
    let process = |user_seconds| {
        let process =
            ProcessCounters { user_seconds, system_seconds: 0.5, ..ProcessCounters::default() };
        Some(process)
    };
    let compaction = Record { operations: Some(0), process: process(1.5), ..record(0) };
    assert_eq!(cpu_micros_per_op(&compaction), Some(2e6));
    let reads = Record { operations: Some(1000), process: process(1.5), ..record(0) };
    assert_eq!(cpu_micros_per_op(&reads), Some(2e3));
    assert_eq!(cpu_micros_per_op(&Record { operations: None, ..reads }), None);
}
