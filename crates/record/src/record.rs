//! One run of a benchmark.

use crate::latency::Latency;
use crate::measures::{Device, ReadAmplification, Shapes, Stall};
use host::{HostFacts, ProcessCounters};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number in [`Record::schema`]. It changes if a field's meaning does.
pub const SCHEMA: u32 = 1;

/// What one run of a benchmark measured. Measures are `None` if the run was skipped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What ran.
    pub engine: EngineFacts,
    /// The benchmark's name.
    pub benchmark: String,
    /// Which of its repeats this is, from 1.
    pub repeat: u64,
    /// Whether it only warmed up.
    pub warmup: bool,
    /// Why it did not run, if so.
    pub skipped: Option<String>,
    /// When it began.
    pub started_unix_seconds: f64,
    /// Flags that are not at their defaults, and those that matter always, as text.
    pub parameters: BTreeMap<String, String>,
    /// Operations of all threads.
    pub operations: Option<u64>,
    /// Operations of the thread in the background, which is not measured (the writer of `readwhilewriting`);
    /// `None` where there is none.
    #[serde(default)]
    pub background_operations: Option<u64>,
    /// From the first thread's start to the last one's end, and the wait after it.
    pub seconds: Option<f64>,
    /// Of these, for how long compactions were waited for; `None` where nobody waits
    /// (`--wait_for_compactions`).
    #[serde(default)]
    pub wait_seconds: Option<f64>,
    /// Time of an operation as one thread sees it.
    pub micros_per_op: Option<f64>,
    /// Operations of all threads in a second.
    pub ops_per_second: Option<f64>,
    /// Bytes of keys and values; `None` where the benchmark does not count them.
    pub bytes: Option<u64>,
    /// What the result line says at its end.
    pub message: Option<String>,
    /// Keys that were found.
    pub found: Option<u64>,
    /// Keys that were looked for.
    pub read: Option<u64>,
    /// By type of operation; empty without `--histogram`.
    pub latency_micros: BTreeMap<String, Latency>,
    /// The tree before and after.
    pub shape: Shapes,
    /// What this process used meanwhile.
    pub process: Option<ProcessCounters>,
    /// What the devices below the directory did meanwhile.
    pub devices: Option<Vec<Device>>,
    /// The most bytes of the disk that the engine's files took meanwhile.
    pub space_peak_bytes: Option<u64>,
    /// Stalls of writes, by cause; `None` for engines that have none.
    pub stalls: Option<BTreeMap<String, Stall>>,
    /// What an average query had to do.
    pub read_amplification: Option<ReadAmplification>,
    /// The machine.
    pub host: HostFacts,
    /// What the harness itself costs; known of runs of the null engine.
    pub harness_nanos_per_op: Option<f64>,
}

/// What ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFacts {
    /// For instance `touchstone` or `rocksdb`.
    pub name: String,
    /// Its release.
    pub version: String,
    /// How it is driven: `native`, `c_api`, `null` or `crate`.
    pub kind: String,
    /// The library it was loaded from.
    pub library: Option<String>,
    /// Whether it was built with assertions, which make it slower.
    pub assertions: bool,
}

impl Record {
    /// The record as one line, with the newline.
    ///
    /// # Errors
    /// A number that JSON does not have.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|line| line + "\n")
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, and at which character.
    pub fn from_line(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}

#[cfg(test)]
mod tests;
