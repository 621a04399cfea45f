//! What was measured: as a file, and as tables.

use super::constants::{CONSTANTS, Values};
use super::host::Host;
use super::measure::Effort;
use crate::limit::{self, workload::Workload};
use crate::text_table;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The form of the file; another one is not read.
const SCHEMA: u32 = 1;

/// The constants of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The form.
    pub schema: u32,
    /// The machine.
    pub host: Host,
    /// Whether less was done for each value.
    pub quick: bool,
    /// Where the disk was measured.
    pub directory: PathBuf,
    /// The device that the directory is on, as `stat` numbers it.
    pub device: u64,
    /// When.
    pub measured_unix_seconds: u64,
    /// The values.
    pub constants: Values,
}

impl Report {
    /// Of values that are known from elsewhere.
    #[cfg(test)]
    pub(crate) fn of_values(directory: &Path, constants: Values) -> Self {
        Self::new(directory, Effort::FULL, constants).expect("a directory that is there")
    }

    pub(super) fn new(directory: &Path, effort: Effort, constants: Values) -> Result<Self, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Self {
            schema: SCHEMA,
            host: Host::here(),
            quick: effort == Effort::QUICK,
            directory: fs::canonicalize(directory)
                .map_err(|error| format!("{}: {error}", directory.display()))?,
            device: device(directory)?,
            measured_unix_seconds: now.map_or(0, |since| since.as_secs()),
            constants,
        })
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// The file is not there, or is no such report.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let report: Self = serde_json::from_str(&text)
            .map_err(|error| format!("{}: no constants of a machine: {error}", file.display()))?;
        match report.schema == SCHEMA {
            true => Ok(report),
            false => Err(format!(
                "{}: schema {}, expected {SCHEMA}: measure again",
                file.display(),
                report.schema
            )),
        }
    }

    /// Whether the values hold for databases in `directory` on the machine that this is.
    pub fn is_for(&self, directory: &Path) -> bool {
        self.host == Host::here() && device(directory) == Ok(self.device)
    }

    /// Keeps it in a file, which is there as a whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), String> {
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        }
        crate::write_whole(file, &self.json()?)
    }

    /// One JSON object, over several lines.
    pub(super) fn json(&self) -> Result<String, String> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| error.to_string())
    }

    /// The constants, then the limits.
    pub(super) fn table(&self) -> String {
        let host = &self.host;
        let mut text = format!(
            "{}: {}, {} processors, Linux {}\ndisk of {}{}\n\n",
            host.name,
            host.cpu,
            host.processors,
            host.kernel,
            self.directory.display(),
            if self.quick { ", measured quickly" } else { "" }
        );
        let rows = CONSTANTS.iter().map(|constant| {
            let value = self.constants.0.get(constant.name);
            let nominal = constant.nominal.map(number).unwrap_or_default();
            vec![
                constant.symbol.to_owned(),
                constant.what.to_owned(),
                value.and_then(|value| value.value).map_or_else(|| "-".to_owned(), number),
                constant.unit.to_owned(),
                nominal,
            ]
        });
        let head = ["symbol", "what", "here", "unit", "nominal"];
        text.push_str(&text_table::render(&head, rows.collect(), &[2, 4]));
        for constant in CONSTANTS {
            let value = self.constants.0.get(constant.name);
            if let Some(why) = value.and_then(|value| value.missing.as_ref()) {
                text.push_str(&format!("{}: {why}\n", constant.symbol));
            }
        }
        text.push_str(
            "\nWhat that allows, with keys of 16 and values of 100 bytes, one thread:\n\n",
        );
        text.push_str(&self.limits());
        text
    }

    fn limits(&self) -> String {
        let rows = common_workloads(self.host.processors).into_iter().map(|(name, workload)| {
            match limit::limit(&workload, &self.constants) {
                Some(limit) => vec![
                    name.to_owned(),
                    format!("{:.3}", limit.nanos_per_op / 1e3),
                    format!("{:.0}", 1e9 / limit.nanos_per_op),
                    limit.by.name().to_owned(),
                ],
                None => vec![name.to_owned(), "-".to_owned(), "-".to_owned(), String::new()],
            }
        });
        text_table::render(&["workload", "us/op", "op/s", "limited by"], rows.collect(), &[1, 2])
    }
}

/// Workloads that people ask for first.
fn common_workloads(processors: u64) -> Vec<(&'static str, Workload)> {
    let of = |benchmark: &str| Workload {
        benchmark: benchmark.to_owned(),
        entries: 5_000_000,
        operations: 5_000_000,
        processors,
        stored_share: 1.0,
        ..Workload::default()
    };
    vec![
        ("fillseq", of("fillseq")),
        ("fillrandom", of("fillrandom")),
        ("overwrite", of("overwrite")),
        ("readrandom", of("readrandom")),
        ("readrandom, cold", Workload { is_cold: true, operations: 100_000, ..of("readrandom") }),
        ("multireadrandom, 10 keys", Workload { batch: 10, ..of("multireadrandom") }),
        ("readseq", of("readseq")),
        ("seekrandom, 10 entries", Workload { seek_nexts: 10, runs: 3, ..of("seekrandom") }),
        ("fillsync", of("fillsync")),
    ]
}

/// Where the constants of this host are kept, if the user has a cache directory.
pub fn default_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
    Some(cache.join("touchstone").join(format!("machine-{}.json", Host::here().name)))
}

fn device(directory: &Path) -> Result<u64, String> {
    let metadata = fs::metadata(directory);
    metadata
        .map(|metadata| metadata.dev())
        .map_err(|error| format!("{}: {error}", directory.display()))
}

/// Three digits that mean something.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
