//! What a journal's lines come to: a row for each benchmark, option set and engine.
//!
//! All of it is pure, so that reports can be made again from a journal, also from an unfinished one.

use crate::journal::Entry;
use crate::limit::{self, Resource};
use crate::machine::report::Report;
use crate::plan::{Cache, Database, Group, Spec, Step, base_name, database_of, plan};
use crate::statistics::{Bootstrap, Interval, median, ratio, ratio_interval, spread};
use crate::trees::{TreeRow, trees};
use crate::verdict::{Verdict, verdict};
use crate::workload_of::workload_of;
use host::HostFacts;
use record::{EngineFacts, Record};
use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) mod tests;

/// The number in [`Summary::schema`].
pub const SCHEMA: u32 = 1;

/// What is compared of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Operations in a second; more is better.
    OpsPerSecond,
    /// Microseconds that 99 of 100 operations take at most, where the rate is given; less is better.
    P99Micros,
}

/// What was measured of an engine with a benchmark and an option set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the option set.
    pub set: String,
    /// The benchmark.
    pub benchmark: String,
    /// The engine's name in the comparison.
    pub engine: String,
    /// What is compared.
    pub measure: Measure,
    /// One for each round that was measured.
    pub samples: Vec<f64>,
    /// Their median.
    pub median: Option<f64>,
    /// The largest divided by the smallest.
    pub spread: Option<f64>,
    /// Median of operations in a second.
    pub ops_per_second: Option<f64>,
    /// How much better than the first engine: 2 is twice as fast.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval.
    pub ratio_low: Option<f64>,
    /// Upper end of it.
    pub ratio_high: Option<f64>,
    /// What that means.
    pub verdict: Verdict,
    /// Median of what half of the operations took at most.
    pub p50_micros: Option<f64>,
    /// Median of what 99 of 100 took at most.
    pub p99_micros: Option<f64>,
    /// Median of what 999 of 1,000 took at most.
    pub p999_micros: Option<f64>,
    /// Median of processor time for an operation, of all threads, background ones too.
    pub cpu_micros_per_op: Option<f64>,
    /// Median of the most memory that the process had.
    pub resident_peak_bytes: Option<f64>,
    /// Median of the most of the disk that the engine's files took.
    pub space_peak_bytes: Option<f64>,
    /// Median of the bytes that devices were given for each byte of keys and values that was put. What the
    /// page cache still had at the end is not among them, and what others wrote is.
    pub device_bytes_per_byte: Option<f64>,
    /// Operations in a second that the machine allows.
    pub limit_ops_per_second: Option<f64>,
    /// What of the machine limits them.
    pub limited_by: Option<Resource>,
    /// Share of the limit that was reached.
    pub limit_percent: Option<f64>,
    /// Rounds in which the control loop moved.
    pub disturbed_rounds: usize,
    /// Why the engine did not run it.
    pub skipped: Option<String>,
    /// Median of operations in a second of RocksDB's own tool over the same library, where it ran.
    #[serde(default)]
    pub db_bench_ops_per_second: Option<f64>,
    /// Median of operations in a second through the library's C functions, where the tool ran, too. The
    /// faster of the two is what is compared.
    #[serde(default)]
    pub driver_ops_per_second: Option<f64>,
    /// Why the tool did not run.
    #[serde(default)]
    pub db_bench_failure: Option<String>,
}

impl Row {
    /// Whether what is compared was measured by RocksDB's own tool.
    pub fn is_of_db_bench(&self) -> bool {
        matches!(
            (self.db_bench_ops_per_second, self.driver_ops_per_second),
            (Some(tool), Some(driver)) if tool > driver
        )
    }
}

/// What a campaign came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The form.
    pub schema: u32,
    /// Whether all that was asked for was measured.
    pub complete: bool,
    /// What is missing, in a sentence; absent if nothing is.
    pub missing: Option<String>,
    /// The command line, but for where things are; empty where it is not known.
    pub command: Vec<String>,
    /// What was asked for.
    pub spec: Spec,
    /// Where it was measured.
    pub host: HostFacts,
    /// What runs, by the engines' names in the comparison.
    pub engines: Vec<(String, EngineFacts)>,
    /// Constants of the machine; absent if limits were not asked for.
    pub machine: Option<Report>,
    /// What is in the page cache, and how it got there.
    pub cache: Vec<String>,
    /// How sure the ratios' intervals are.
    pub confidence: f64,
    /// Sentences on what spoils the results.
    pub warnings: Vec<String>,
    /// By option set, benchmark and engine.
    pub rows: Vec<Row>,
    /// Trees that were chosen, by option set and engine.
    pub trees: Vec<TreeRow>,
}

impl Summary {
    /// The row of a benchmark with an option set and an engine.
    pub fn row(&self, set: &str, benchmark: &str, engine: &str) -> Option<&Row> {
        let is_it = |row: &&Row| {
            (row.set.as_str(), row.benchmark.as_str(), row.engine.as_str())
                == (set, benchmark, engine)
        };
        self.rows.iter().find(is_it)
    }

    /// Whether an engine does nothing, so that its times are what the harness costs.
    pub fn is_harness(&self, engine: &str) -> bool {
        self.engines.iter().any(|(name, facts)| name == engine && facts.kind == "null")
    }

    /// The engines but those that do nothing.
    pub fn measured_engines(&self) -> Vec<String> {
        let names = self.spec.engine_names().into_iter();
        names.filter(|name| !self.is_harness(name)).collect()
    }
}

/// Makes a summary of a journal.
pub fn summarize(
    spec: &Spec,
    entries: &[Entry],
    machine: Option<&Report>,
    bootstrap: &Bootstrap,
) -> Summary {
    let host = entries.iter().find_map(|entry| match entry {
        Entry::Header { host, .. } => Some(host.as_ref().clone()),
        _ => None,
    });
    let host = host.unwrap_or_default();
    let missing = missing(spec, entries);
    let rows = rows(spec, entries, machine, bootstrap);
    let engines = engines(spec, entries);
    Summary {
        schema: SCHEMA,
        complete: missing.is_none(),
        missing,
        command: Vec::new(),
        spec: spec.clone(),
        engines: engines.clone(),
        machine: machine.cloned(),
        cache: cache_states(entries),
        confidence: bootstrap.confidence,
        warnings: warnings(&host, &engines, &rows),
        host,
        rows,
        trees: trees(spec, entries),
    }
}

/// The attempt at a group that counts, and how far the control loop moved in it: of those that were
/// finished the steadiest, else the last. None if nothing was measured.
fn attempt_of(entries: &[Entry], group: Group) -> Option<(usize, Option<f64>)> {
    let finished = entries.iter().filter_map(|entry| match entry {
        Entry::Control { group: of, attempt, moved, .. } if *of == group => {
            Some((*attempt, *moved))
        }
        _ => None,
    });
    if let Some((attempt, moved)) = finished.min_by(|a, b| a.1.total_cmp(&b.1)) {
        return Some((attempt, Some(moved)));
    }
    let begun = entries.iter().filter_map(|entry| match entry {
        Entry::Cell { group: of, attempt, .. } if *of == group => Some(*attempt),
        _ => None,
    });
    begun.max().map(|attempt| (attempt, None))
}

/// A round of one engine.
struct Sample<'a> {
    round: usize,
    is_disturbed: bool,
    records: Vec<&'a Record>,
    /// Operations in a second of RocksDB's own tool.
    db_bench: Option<f64>,
}

impl Sample<'_> {
    /// What is compared, as the bench or RocksDB's own tool measured it.
    fn measured(&self, measure: Measure, by: Tool) -> Option<f64> {
        match by {
            Tool::Bench => measured(&self.records, measure),
            Tool::DbBench => self.db_bench,
        }
    }
}

/// What measured an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    /// Our bench.
    Bench,
    /// RocksDB's own tool.
    DbBench,
}

/// The tool that is the faster one, by medians over the rounds; RocksDB's only if it ran in all of them.
fn faster_tool(own: &[Sample<'_>]) -> Tool {
    let rates: Option<Vec<f64>> = own.iter().map(|sample| sample.db_bench).collect();
    let driver = median_of(own, Tool::Bench);
    match rates.and_then(|rates| median(&rates)) {
        Some(rate) if driver.is_some_and(|driver| rate > driver) => Tool::DbBench,
        _ => Tool::Bench,
    }
}

/// Median over rounds of operations in a second by a tool.
fn median_of(own: &[Sample<'_>], by: Tool) -> Option<f64> {
    let rates = own.iter().filter_map(|sample| sample.measured(Measure::OpsPerSecond, by));
    median(&rates.collect::<Vec<f64>>())
}

/// All rounds of an engine with a benchmark and an option set.
fn samples<'a>(
    spec: &Spec,
    entries: &'a [Entry],
    (set, benchmark, engine): (usize, usize, usize),
) -> Vec<Sample<'a>> {
    let name = base_name(&spec.benchmarks[benchmark]);
    let of_round = |round: usize| {
        let group = spec.group_of(round, set, benchmark)?;
        let (attempt, moved) = attempt_of(entries, group)?;
        let records = entries.iter().find_map(|entry| match entry {
            Entry::Cell { group: g, attempt: a, engine: e, records, .. }
                if (*g, *a, *e) == (group, attempt, engine) =>
            {
                Some(records.as_slice())
            }
            _ => None,
        })?;
        let records = records.iter().filter(|record| record.benchmark == name).collect();
        let is_disturbed = moved.is_none_or(|moved| moved > spec.control_tolerance);
        let db_bench = db_bench_rate(entries, (group, attempt, engine), name);
        Some(Sample { round, is_disturbed, records, db_bench })
    };
    (0..spec.rounds).filter_map(of_round).collect()
}

/// Operations in a second of RocksDB's own tool, the median over its repeats.
fn db_bench_rate(entries: &[Entry], of: (Group, usize, usize), name: &str) -> Option<f64> {
    let runs = entries.iter().find_map(|entry| match entry {
        Entry::DbBench { group, attempt, engine, runs, .. }
            if (*group, *attempt, *engine) == of =>
        {
            Some(runs)
        }
        _ => None,
    })?;
    let rates = runs.iter().filter(|run| run.benchmark == name).map(|run| run.ops_per_second);
    median(&rates.collect::<Vec<f64>>())
}

/// Why RocksDB's own tool did not run beside an engine.
fn db_bench_failure(entries: &[Entry], of_set: usize, of_engine: usize) -> Option<String> {
    entries.iter().find_map(|entry| match entry {
        Entry::DbBench { group, engine, failure, .. }
            if (group.set, *engine) == (of_set, of_engine) =>
        {
            failure.clone()
        }
        _ => None,
    })
}

/// Median over the repeats of a process that count.
fn of_records(records: &[&Record], value: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
    let counted = records.iter().filter(|record| !record.warmup && record.skipped.is_none());
    median(&counted.filter_map(|record| value(record)).collect::<Vec<f64>>())
}

/// A latency of the type of operation that there is most of.
fn latency(record: &Record, value: impl Fn(&record::Latency) -> f64) -> Option<f64> {
    record.latency_micros.values().max_by_key(|latency| latency.count).map(value)
}

fn measured(records: &[&Record], measure: Measure) -> Option<f64> {
    of_records(records, |record| match measure {
        Measure::OpsPerSecond => record.ops_per_second,
        Measure::P99Micros => latency(record, |latency| latency.p99),
    })
}

fn rows(
    spec: &Spec,
    entries: &[Entry],
    machine: Option<&Report>,
    bootstrap: &Bootstrap,
) -> Vec<Row> {
    let names = spec.engine_names();
    let mut rows = Vec::new();
    for set in 0..spec.sets.len() {
        for benchmark in 0..spec.benchmarks.len() {
            let reference = samples(spec, entries, (set, benchmark, 0));
            for (engine, name) in names.iter().enumerate() {
                let own = samples(spec, entries, (set, benchmark, engine));
                if own.is_empty() {
                    continue;
                }
                let mut row = row(spec, (set, benchmark), name, &own);
                if engine == 0 {
                    row.ratio = row.median.map(|_| 1.0);
                    row.verdict = Verdict::Reference;
                } else {
                    compare(&mut row, &own, &reference, bootstrap);
                }
                if let Some(machine) = machine {
                    set_limit(&mut row, spec, benchmark, &own, machine);
                }
                row.db_bench_failure = db_bench_failure(entries, set, engine);
                rows.push(row);
            }
        }
    }
    rows
}

/// What is said of an engine alone.
fn row(spec: &Spec, (set, benchmark): (usize, usize), engine: &str, own: &[Sample<'_>]) -> Row {
    let set = &spec.sets[set];
    let measure = match set.arrival_rate {
        Some(_) => Measure::P99Micros,
        None => Measure::OpsPerSecond,
    };
    let values = |value: &dyn Fn(&Record) -> Option<f64>| -> Vec<f64> {
        own.iter().filter_map(|sample| of_records(&sample.records, value)).collect()
    };
    let median_over = |value: &dyn Fn(&Record) -> Option<f64>| median(&values(value));
    let by = faster_tool(own);
    let samples: Vec<f64> = own.iter().filter_map(|sample| sample.measured(measure, by)).collect();
    let is_beside = own.iter().all(|sample| sample.db_bench.is_some());
    let db_bench = is_beside.then(|| median_of(own, Tool::DbBench)).flatten();
    let skipped = own.iter().flat_map(|sample| &sample.records).find_map(|r| r.skipped.clone());
    Row {
        set: set.name.clone(),
        benchmark: spec.benchmark_names()[benchmark].clone(),
        engine: engine.to_owned(),
        measure,
        median: median(&samples),
        spread: spread(&samples),
        ops_per_second: median_of(own, by),
        ratio: None,
        ratio_low: None,
        ratio_high: None,
        verdict: Verdict::Unknown,
        p50_micros: median_over(&|record| latency(record, |latency| latency.p50)),
        p99_micros: median_over(&|record| latency(record, |latency| latency.p99)),
        p999_micros: median_over(&|record| latency(record, |latency| latency.p999)),
        cpu_micros_per_op: median_over(&cpu_micros_per_op),
        resident_peak_bytes: median_over(&|record| {
            record.process.as_ref()?.resident_peak_bytes.map(|bytes| bytes as f64)
        }),
        space_peak_bytes: median_over(&|record| record.space_peak_bytes.map(|bytes| bytes as f64)),
        device_bytes_per_byte: median_over(&device_bytes_per_byte),
        limit_ops_per_second: None,
        limited_by: None,
        limit_percent: None,
        disturbed_rounds: own.iter().filter(|sample| sample.is_disturbed).count(),
        skipped: if samples.is_empty() { skipped } else { None },
        samples,
        db_bench_ops_per_second: db_bench,
        driver_ops_per_second: db_bench.and_then(|_| median_of(own, Tool::Bench)),
        db_bench_failure: None,
    }
}

fn cpu_micros_per_op(record: &Record) -> Option<f64> {
    let process = record.process.as_ref()?;
    // What counts no operations, as a compaction of all, is one itself.
    let operations = record.operations?.max(1);
    Some((process.user_seconds + process.system_seconds) * 1e6 / operations as f64)
}

fn device_bytes_per_byte(record: &Record) -> Option<f64> {
    let written: u64 = record.devices.as_ref()?.iter().map(|device| device.write_bytes).sum();
    let put = record.bytes.filter(|bytes| *bytes > 0)?;
    Some(written as f64 / put as f64)
}

/// Compares with the first engine, round by round.
fn compare(row: &mut Row, own: &[Sample<'_>], reference: &[Sample<'_>], bootstrap: &Bootstrap) {
    let (by, reference_by) = (faster_tool(own), faster_tool(reference));
    let pair = |sample: &Sample<'_>| {
        let other = reference.iter().find(|other| other.round == sample.round)?;
        let (own, other) =
            (sample.measured(row.measure, by)?, other.measured(row.measure, reference_by)?);
        Some(match row.measure {
            Measure::OpsPerSecond => (own, other),
            Measure::P99Micros => (other, own),
        })
    };
    let rounds: Vec<(f64, f64)> = own.iter().filter_map(pair).collect();
    let interval: Option<Interval> = ratio_interval(&rounds, bootstrap);
    row.ratio = ratio(&rounds);
    row.ratio_low = interval.map(|interval| interval.low);
    row.ratio_high = interval.map(|interval| interval.high);
    row.verdict = row.ratio.map_or(Verdict::Unknown, |ratio| verdict(ratio, interval));
}

fn set_limit(row: &mut Row, spec: &Spec, benchmark: usize, own: &[Sample<'_>], machine: &Report) {
    let mut records = own.iter().flat_map(|sample| &sample.records);
    let Some(record) = records.rfind(|record| !record.warmup && record.skipped.is_none()) else {
        return;
    };
    // The harness alone stores nothing, so that nothing limits it.
    if record.engine.kind == "null" {
        return;
    }
    let is_cold =
        spec.cache == Cache::Cold && database_of(&spec.benchmarks[benchmark]) != Database::Fresh;
    let Some(limit) = limit::limit(&workload_of(record, is_cold), &machine.constants) else {
        return;
    };
    row.limit_ops_per_second = Some(1e9 / limit.nanos_per_op);
    row.limited_by = Some(limit.by);
    // With a given rate nobody tries to reach a limit.
    if row.measure == Measure::OpsPerSecond {
        let reached = |ops: f64| limit::percent_reached(&limit, 1e9 / ops);
        row.limit_percent = row.ops_per_second.and_then(reached);
    }
}

/// What was not measured, in a sentence.
fn missing(spec: &Spec, entries: &[Entry]) -> Option<String> {
    let groups = plan(spec).into_iter().filter_map(|step| match step {
        Step::Measure(group) => Some(group),
        Step::Load { .. } => None,
    });
    let groups: Vec<Group> = groups.collect();
    let finished =
        groups.iter().filter(|group| matches!(attempt_of(entries, **group), Some((_, Some(_)))));
    let (finished, all) = (finished.count(), groups.len());
    (finished < all).then(|| {
        format!(
            "{finished} of {all} groups were measured (a group is all engines with one benchmark)"
        )
    })
}

/// What the engines say of themselves, as far as they were heard.
fn engines(spec: &Spec, entries: &[Entry]) -> Vec<(String, EngineFacts)> {
    let facts_of = |index: usize| {
        entries.iter().find_map(|entry| match entry {
            Entry::Load { engine, records, .. } | Entry::Cell { engine, records, .. }
                if *engine == index =>
            {
                records.first().map(|record| record.engine.clone())
            }
            _ => None,
        })
    };
    let names = spec.engine_names().into_iter().enumerate();
    names.filter_map(|(index, name)| Some((name, facts_of(index)?))).collect()
}

/// What was done about the page cache: each way once.
fn cache_states(entries: &[Entry]) -> Vec<String> {
    let mut states: Vec<String> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Cell { cache, .. } => Some(cache.clone()),
            _ => None,
        })
        .collect();
    states.sort();
    states.dedup();
    states
}

fn warnings(host: &HostFacts, engines: &[(String, EngineFacts)], rows: &[Row]) -> Vec<String> {
    let mut warnings = host.warnings.clone();
    for (name, facts) in engines.iter().filter(|(_, facts)| facts.assertions) {
        warnings.push(format!(
            "{name} ({} {}) was built with assertions, which make it slower",
            facts.name, facts.version
        ));
    }
    let measured = rows.iter().filter(|row| row.skipped.is_none());
    let disturbed: usize = measured.map(|row| row.disturbed_rounds).sum();
    let all: usize = rows.iter().map(|row| row.samples.len()).sum();
    if disturbed > 0 {
        warnings.push(format!(
            "in {disturbed} of {all} measurements the machine was not steady: the control loop moved \
             too far, also when they were repeated"
        ));
    }
    warnings
}
