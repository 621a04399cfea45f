//! What a run of `db_bench` printed, taken apart. Names decide where a number is, never its place alone:
//! releases add columns.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Months as `ctime` has them.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Causes of stalls up to RocksDB 8.0 that a report adds up: those of a running compaction are counted
/// with the others, too.
const OLD_STALLS: [&str; 6] = [
    "level0_slowdown",
    "level0_numfiles",
    "stop for pending_compaction_bytes",
    "slowdown for pending_compaction_bytes",
    "memtable_compaction",
    "memtable_slowdown",
];

/// What a run printed. `None` for what did not come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunLog {
    /// The name of its directory.
    pub(super) build: String,
    /// Its own name without `benchmark_` and `.log`.
    pub(super) test: String,
    /// `YYYY-MM-DDTHH:MM:SS`.
    pub(super) date: Option<String>,
    pub(super) version: Option<String>,
    pub(super) git_hash: Option<String>,
    /// Its result lines.
    pub(super) results: Vec<RunResult>,
    /// What the last dump of statistics said.
    pub(super) dump: Dump,
    /// User and system time of the process, in seconds.
    pub(super) cpu_seconds: Option<(f64, f64)>,
    /// The most that the process had in memory, in KiB.
    pub(super) resident_kib_max: Option<f64>,
}

/// A result line, and the histogram below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunResult {
    pub(super) benchmark: String,
    pub(super) micros_per_op: Option<f64>,
    pub(super) ops_per_second: f64,
    pub(super) megabytes_per_second: Option<f64>,
    /// In microseconds, by the names that histograms have: `P50:`.
    pub(super) percentiles: HashMap<String, f64>,
    pub(super) max: Option<f64>,
}

/// The last dump of the engine's statistics.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dump {
    /// The row `Sum`, by the names of columns. Size has its unit with it.
    pub(super) sum: HashMap<String, String>,
    /// Size of all blob files.
    pub(super) blob_size: Option<(f64, String)>,
    /// Written by flushes and compactions: GiB, and MiB in a second.
    pub(super) compaction_gb: Option<f64>,
    pub(super) compaction_mb_per_second: Option<f64>,
    pub(super) flush_gb: Option<f64>,
    pub(super) ingest_gb: Option<f64>,
    pub(super) uptime_seconds: Option<f64>,
    pub(super) stall_percent: Option<String>,
    pub(super) stall_count: Option<u64>,
}

impl RunLog {
    /// Reads an output, and what lies beside it.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        // Output of any program may have bytes that are no text.
        let text = fs::read(path).map_err(told)?;
        let mut log = Self::parse(&String::from_utf8_lossy(&text));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        log.test = stem.strip_prefix("benchmark_").unwrap_or(&stem).to_owned();
        let absolute = std::path::absolute(path).map_err(told)?;
        let parent = absolute.parent().and_then(Path::file_name).unwrap_or_default();
        log.build = parent.to_string_lossy().into_owned();
        let beside = |suffix: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            fs::read_to_string(name).ok()
        };
        log.cpu_seconds = beside(".time").as_deref().and_then(cpu_seconds);
        log.resident_kib_max = beside(".stats.ps").as_deref().and_then(resident_kib_max);
        Ok(log)
    }

    /// The test that a result is of: the log's own, unless there are several in it.
    pub(super) fn test_of(&self, result: &RunResult) -> String {
        let mut others = self.results.iter().filter(|other| other.benchmark != result.benchmark);
        match others.next() {
            None => self.test.clone(),
            Some(_) => format!("{}.{}", self.test, result.benchmark),
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        let mut log = Self::default();
        // The columns of the table that is being read, if it is that of levels.
        let mut columns: Vec<&str> = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some(result) = result_line(&words) {
                log.results.push(result);
                continue;
            }
            match words[..] {
                ["Date:", _, month, day, time, year] => log.date = date(year, month, day, time),
                ["RocksDB:" | "Touchstone:", "version", version] => {
                    log.version = Some(version.to_owned());
                }
                [.., "Git", "sha", hash] => log.git_hash = Some(hash.chars().take(10).collect()),
                ["Level", "Files", ..] | ["Priority", "Files", ..] => columns.clone_from(&words),
                ["Sum", ..] if columns.first() == Some(&"Level") => {
                    log.dump.sum = row(&columns, &words);
                }
                ["Percentiles:", ref rest @ ..] => {
                    if let Some(result) = log.results.last_mut() {
                        result.percentiles = percentiles(rest);
                    }
                }
                ["Min:", _, "Median:", _, "Max:", max] => {
                    if let Some(result) = log.results.last_mut() {
                        result.max = max.parse().ok();
                    }
                }
                _ => log.dump.take(line, &words),
            }
        }
        log
    }
}

/// `readrandom : 2.656 micros/op 376499 ops/sec 0.053 seconds 20000 operations; 41.7 MB/s (…)`, or up to 7.2
/// `readrandom : 2.656 micros/op 376499 ops/sec; 41.7 MB/s (…)`.
fn result_line(words: &[&str]) -> Option<RunResult> {
    let [benchmark, ":", micros, "micros/op", ops, unit, rest @ ..] = words else { return None };
    if unit.trim_end_matches(';') != "ops/sec" {
        return None;
    }
    let megabytes =
        rest.iter().position(|word| *word == "MB/s").and_then(|at| rest.get(at.checked_sub(1)?));
    Some(RunResult {
        benchmark: (*benchmark).to_owned(),
        micros_per_op: micros.parse().ok(),
        ops_per_second: ops.parse().ok()?,
        megabytes_per_second: megabytes.and_then(|word| word.parse().ok()),
        ..RunResult::default()
    })
}

/// The words of a row by the names of columns. A size is two words: a number and its unit.
fn row(columns: &[&str], words: &[&str]) -> HashMap<String, String> {
    let mut words = words.iter();
    let mut values = HashMap::new();
    for column in columns {
        let Some(word) = words.next() else { break };
        let value = match *column {
            "Size" => format!("{word} {}", words.next().copied().unwrap_or_default()),
            _ => (*word).to_owned(),
        };
        values.insert((*column).to_owned(), value);
    }
    values
}

/// `P50: 1.20 P75: 1.80 …`
fn percentiles(words: &[&str]) -> HashMap<String, f64> {
    let pairs = words.chunks_exact(2);
    pairs.filter_map(|pair| Some((pair[0].to_owned(), pair[1].parse().ok()?))).collect()
}

fn date(year: &str, month: &str, day: &str, time: &str) -> Option<String> {
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    Some(format!("{year}-{month:02}-{day:0>2}T{time}"))
}

/// A number in GiB, from one with its unit.
fn gigabytes(number: &str, unit: &str) -> Option<f64> {
    let number: f64 = number.parse().ok()?;
    match unit.trim_end_matches(',') {
        "MB" => Some(number / 1024.0),
        "GB" => Some(number),
        "TB" => Some(number * 1024.0),
        _ => None,
    }
}

impl Dump {
    /// Takes a line in that says something of what reports have.
    fn take(&mut self, line: &str, words: &[&str]) {
        let after = |word: &str| {
            let at = words.iter().position(|other| *other == word)?;
            words.get(at + 1).map(|word| word.trim_end_matches(','))
        };
        match *words {
            ["Uptime(secs):", total, ..] => self.uptime_seconds = total.parse().ok(),
            ["Flush(GB):", "cumulative", flushed, ..] => {
                self.flush_gb = flushed.trim_end_matches(',').parse().ok();
            }
            ["Cumulative", "compaction:", written, unit, _, rate, ..] => {
                self.compaction_gb = gigabytes(written, unit);
                self.compaction_mb_per_second = rate.parse().ok();
            }
            ["Cumulative", "writes:", ..] => {
                let at = words.iter().position(|word| *word == "ingest:");
                let pair = at.and_then(|at| Some((*words.get(at + 1)?, *words.get(at + 2)?)));
                self.ingest_gb = pair.and_then(|(number, unit)| gigabytes(number, unit));
            }
            ["Cumulative", "stall:", _, _, percent, ..] => {
                self.stall_percent = Some(percent.to_owned());
            }
            ["Blob", "file", "count:", ..] => {
                let size = after("size:").and_then(|size| size.parse().ok());
                let unit = after("size:").and_then(after).unwrap_or("GB");
                self.blob_size = size.map(|size| (size, unit.to_owned()));
            }
            _ => {
                if let Some(stalls) = line.strip_prefix("Stalls(count): ") {
                    self.stall_count = Some(old_stalls(stalls));
                } else if let Some(stalls) = line.strip_prefix("Write Stall (count): ") {
                    self.stall_count = new_stalls(stalls).or(self.stall_count);
                }
            }
        }
    }
}

/// `3 level0_slowdown, 0 level0_slowdown_with_compaction, …`
fn old_stalls(text: &str) -> u64 {
    let pairs = text.split(", ").filter_map(|pair| pair.split_once(' '));
    let counted = pairs.filter(|(_, cause)| OLD_STALLS.contains(cause));
    counted.filter_map(|(count, _)| count.parse::<u64>().ok()).sum()
}

/// `…, total-delays: 3, total-stops: 0`; none in the line of the whole database, which has no totals.
fn new_stalls(text: &str) -> Option<u64> {
    let of = |wanted: &str| {
        let mut pairs = text.split(", ").filter_map(|pair| pair.split_once(": "));
        pairs.find(|(name, _)| *name == wanted)?.1.trim().parse::<u64>().ok()
    };
    Some(of("total-delays")? + of("total-stops")?)
}

/// The last line of `time -f '%e %U %S'`: there may be words of a program that failed before it.
fn cpu_seconds(text: &str) -> Option<(f64, f64)> {
    let mut words = text.lines().last()?.split_whitespace().skip(1);
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// The sixth column of `ps aux`.
fn resident_kib_max(text: &str) -> Option<f64> {
    let sizes = text.lines().filter_map(|line| line.split_whitespace().nth(5)?.parse().ok());
    sizes.max_by(f64::total_cmp)
}
