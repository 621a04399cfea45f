//! The columns of a report's line, in the order that scripts have them.

use super::run_log::{Dump, RunLog, RunResult};

/// Their names. The last one is ours: the others are those of RocksDB's `benchmark.sh`.
pub(super) const HEAD: [&str; 29] = [
    "ops_sec", "mb_sec", "lsm_sz", "blob_sz", "c_wgb", "w_amp", "c_mbps", "c_wsecs", "c_csecs",
    "b_rgb", "b_wgb", "usec_op", "p50", "p99", "p99.9", "p99.99", "pmax", "uptime", "stall%",
    "Nstall", "u_cpu", "s_cpu", "rss", "test", "date", "version", "job_id", "githash", "w_amp2",
];

/// Columns before that of the test.
const MEASURES: usize = 23;

/// What is not known.
const UNKNOWN: &str = "NA";

/// The lines of a log: one for each result, or one that says `failed`.
pub(super) fn line(log: &RunLog, job_id: &str) -> String {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let end = |test: String| {
        [test, known(&log.date), known(&log.version), job_id.to_owned(), known(&log.git_hash)]
    };
    if log.results.is_empty() {
        let blanks = "\t".repeat(MEASURES);
        return format!("failed{blanks}{}\t\n", end(log.test.clone()).join("\t"));
    }
    let mut text = String::new();
    for result in &log.results {
        let mut fields = measures(log, result);
        fields.extend(end(log.test_of(result)));
        fields.push(number(own_write_amplification(&log.dump), 1));
        text.push_str(&fields.join("\t"));
        text.push('\n');
    }
    text
}

fn measures(log: &RunLog, result: &RunResult) -> Vec<String> {
    let dump = &log.dump;
    let sum = |column: &str| dump.sum.get(column).and_then(|word| word.parse::<f64>().ok());
    let percentile = |name: &str| result.percentiles.get(name).copied();
    let size = dump.sum.get("Size").and_then(|size| size.split_once(' '));
    let size = size.and_then(|(size, unit)| Some((size.parse().ok()?, unit.to_owned())));
    let with_unit = |size: Option<(f64, String)>| {
        size.map_or_else(|| UNKNOWN.to_owned(), |(size, unit)| format!("{size:.0}{unit}"))
    };
    let (user, system) = log.cpu_seconds.unzip();
    let thousands = |seconds: Option<f64>| number(seconds.map(|seconds| seconds / 1000.0), 1);
    vec![
        number(Some(result.ops_per_second), 0),
        number(result.megabytes_per_second, 1),
        with_unit(size),
        with_unit(dump.blob_size.clone()),
        number(dump.compaction_gb, 1),
        number(write_amplification(dump), 1),
        number(dump.compaction_mb_per_second, 1),
        number(sum("Comp(sec)"), 0),
        number(sum("CompMergeCPU(sec)"), 0),
        number(sum("Rblob(GB)"), 0),
        number(sum("Wblob(GB)"), 0),
        number(result.micros_per_op, 1),
        number(percentile("P50:"), 1),
        number(percentile("P99:"), 0),
        number(percentile("P99.9:"), 0),
        number(percentile("P99.99:"), 0),
        number(result.max, 0),
        number(dump.uptime_seconds, 0),
        dump.stall_percent.clone().unwrap_or_else(|| UNKNOWN.to_owned()),
        dump.stall_count.map_or_else(|| UNKNOWN.to_owned(), |count| count.to_string()),
        thousands(user),
        thousands(system),
        number(log.resident_kib_max.map(|kib| kib / f64::from(1 << 20)), 1),
    ]
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), |value| format!("{value:.decimals$}"))
}

/// As the scripts have it, of numbers they have rounded to a decimal before: what was flushed is in what
/// compactions wrote and is added once more.
fn write_amplification(dump: &Dump) -> Option<f64> {
    let rounded = |value: f64| (value * 10.0).round() / 10.0;
    let ingested = rounded(dump.ingest_gb?);
    (ingested > 0.0).then_some((rounded(dump.compaction_gb?) + dump.flush_gb?) / ingested)
}

/// What flushes and compactions wrote for each byte that came in.
fn own_write_amplification(dump: &Dump) -> Option<f64> {
    let ingested = dump.ingest_gb.filter(|ingested| *ingested > 0.0)?;
    Some(dump.compaction_gb? / ingested)
}
