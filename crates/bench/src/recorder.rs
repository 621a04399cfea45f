//! `--json`: a record of each run.

use crate::flags::Flags;
use crate::measure::shape::{self, is_lacking};
use crate::measure::stalls::{self, Stalls};
use crate::stats::Stats;
use crate::target;
use crate::workload::Target;
use base::{Result, Status};
use engines::{Engine, Identity, Kind};
use host::{DeviceCounters, HostFacts, ProcessCounters, ProcessorCounters};
use record::{Device, EngineFacts, Record, SCHEMA, Shape, Shapes};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Flags that stand in every record.
const ALWAYS: [&str; 5] = ["num", "threads", "seed", "key_size", "value_size"];

/// A result suffers where others take more than this share of all processors.
const OTHERS_SHARE_MAX: f64 = 0.1;

/// Writes records to a file.
pub(crate) struct Recorder {
    file: File,
    /// What all records have in common.
    common: Record,
}

/// Which run of a step it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunOf<'a> {
    pub(crate) benchmark: &'a str,
    /// From 1 on.
    pub(crate) repeat: usize,
    pub(crate) is_warmup: bool,
}

/// What counters said at one moment.
pub(crate) struct Moment {
    unix_seconds: f64,
    shape: Option<Shape>,
    stalls: Option<Stalls>,
    devices: BTreeMap<String, DeviceCounters>,
    processors: Option<ProcessorCounters>,
    process: ProcessCounters,
}

/// What was measured beside a run.
pub(crate) struct Measured {
    pub(crate) before: Moment,
    pub(crate) after: Moment,
    /// The most of the disk that the files took meanwhile.
    pub(crate) space_peak_bytes: u64,
}

impl Moment {
    /// Now.
    ///
    /// # Errors
    /// What asking the engine gave.
    pub(crate) fn now<E: Engine>(targets: &[Target<E>]) -> Result<Self> {
        // Counters last: what is asked before is not to be in them.
        Ok(Self {
            unix_seconds: unix_seconds(),
            shape: shape::of_all(targets)?,
            stalls: stalls_of(targets)?,
            devices: host::device_counters(),
            processors: ProcessorCounters::now(),
            process: ProcessCounters::now(),
        })
    }
}

impl Recorder {
    /// A recorder to the file of `--json`; none if there is none.
    ///
    /// # Errors
    /// `IoError` if it cannot be written.
    pub(crate) fn open(flags: &Flags, identity: &Identity, seed: u64) -> Result<Option<Self>> {
        let path = match flags.text("json") {
            "" => return Ok(None),
            text => Path::new(text),
        };
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| Status::from_io(&error, "open", path))?;
        let mut parameters: BTreeMap<String, String> = flags
            .changed()
            .map(|(flag, value)| (flag.name, value))
            .chain(ALWAYS.map(|name| (name, flags.text(name))))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        parameters.insert("seed".to_owned(), seed.to_string());
        let mut host = HostFacts::of(&existing(&target::database_path(flags)));
        if identity.assertions {
            host.warnings
                .push(format!("{} was built with assertions, which make it slower", identity.name));
        }
        let common = Record {
            schema: SCHEMA,
            engine: EngineFacts {
                name: identity.name.clone(),
                version: identity.version.clone(),
                kind: identity.kind.name().to_owned(),
                library: identity.library.as_ref().map(|path| path.display().to_string()),
                assertions: identity.assertions,
            },
            parameters,
            host,
            ..Record::default()
        };
        Ok(Some(Self { file, common }))
    }

    /// What the harness costs for an operation of the runs that follow.
    pub(crate) fn set_harness_cost(&mut self, nanos_per_operation: f64) {
        self.common.harness_nanos_per_op = Some(nanos_per_operation);
    }

    /// Writes what a run measured.
    ///
    /// # Errors
    /// `IoError` if the file cannot be written.
    pub(crate) fn ran(&mut self, run: RunOf<'_>, stats: &Stats, measured: Measured) -> Result<()> {
        let Measured { before, after, space_peak_bytes } = measured;
        let process = after.process.since(&before.process);
        let mut record = self.of(run, before.unix_seconds);
        record.operations = Some(stats.operations());
        record.background_operations = stats.background_operations();
        record.seconds = Some(stats.elapsed_seconds());
        record.wait_seconds = stats.wait_seconds();
        record.micros_per_op = Some(stats.micros_per_operation());
        record.ops_per_second = Some(stats.operations_per_second());
        record.bytes = stats.bytes();
        record.message = Some(stats.message().trim().to_owned()).filter(|text| !text.is_empty());
        if let Some((found, read)) = stats.lookups() {
            (record.found, record.read) = (Some(found), Some(read));
        }
        record.latency_micros = stats.latencies();
        record.devices = Some(self.devices(&before, &after));
        record.space_peak_bytes = Some(space_peak_bytes);
        record.stalls = match (&before.stalls, &after.stalls) {
            (Some(before), Some(after)) => Some(stalls::since(before, after)),
            _ => None,
        };
        record.read_amplification = stats.read_amplification();
        record.host.warnings.extend(others(&before, &after, &process));
        if self.common.engine.kind == Kind::Null.name() {
            record.harness_nanos_per_op = Some(stats.micros_per_operation() * 1e3);
        }
        record.process = Some(process);
        record.shape = Shapes { before: before.shape, after: after.shape };
        self.write(&record)
    }

    /// Writes that a run was skipped, and why.
    ///
    /// # Errors
    /// `IoError` if the file cannot be written.
    pub(crate) fn skipped(&mut self, benchmark: &str, reason: &str) -> Result<()> {
        let run = RunOf { benchmark, repeat: 1, is_warmup: false };
        let record = Record { skipped: Some(reason.to_owned()), ..self.of(run, unix_seconds()) };
        self.write(&record)
    }

    fn of(&self, run: RunOf<'_>, started_unix_seconds: f64) -> Record {
        Record {
            benchmark: run.benchmark.to_owned(),
            repeat: run.repeat as u64,
            warmup: run.is_warmup,
            started_unix_seconds,
            ..self.common.clone()
        }
    }

    fn devices(&self, before: &Moment, after: &Moment) -> Vec<Device> {
        let of = |name: &str| {
            let before = before.devices.get(name).copied().unwrap_or_default();
            let passed = after.devices.get(name)?.since(&before);
            Some(Device {
                name: name.to_owned(),
                reads: passed.reads,
                read_bytes: passed.read_bytes,
                mean_read_bytes: passed.mean_read_bytes(),
                writes: passed.writes,
                write_bytes: passed.write_bytes,
                mean_write_bytes: passed.mean_write_bytes(),
            })
        };
        self.common.host.devices().filter_map(of).collect()
    }

    /// A line at once, so that records of several processes may go to one file.
    fn write(&mut self, record: &Record) -> Result<()> {
        let line = record
            .to_line()
            .map_err(|error| Status::invalid_argument(format!("--json: {error}")))?;
        let written = self.file.write_all(line.as_bytes());
        let path = self.common.parameters.get("json").map(String::as_str).unwrap_or_default();
        written.map_err(|error| Status::from_io(&error, "write", Path::new(path)))
    }
}

fn unix_seconds() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0.0, |since| since.as_secs_f64())
}

/// The path, or the nearest directory above it that is there: where a database will be made.
fn existing(path: &Path) -> std::path::PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = absolute.ancestors().find(|ancestor| ancestor.exists());
    found.unwrap_or(&absolute).to_owned()
}

/// A sentence if others used the processors meanwhile.
fn others(before: &Moment, after: &Moment, process: &ProcessCounters) -> Option<String> {
    let passed = after.processors?.since(&before.processors?);
    let all = passed.busy_seconds + passed.idle_seconds + passed.stolen_seconds;
    let own = process.user_seconds + process.system_seconds;
    let others = passed.busy_seconds - own + passed.stolen_seconds;
    (others > OTHERS_SHARE_MAX * all && all > 0.0).then(|| {
        format!(
            "others took {:.0} % of the processors' time while this ran ({:.0} % of that other \
             virtual machines)",
            100.0 * others / all,
            100.0 * passed.stolen_seconds / others
        )
    })
}

/// Stalls of all databases; none for engines without properties.
fn stalls_of<E: Engine>(targets: &[Target<E>]) -> Result<Option<Stalls>> {
    let mut all = Stalls::new();
    for Target { db, families } in targets {
        let property = |name: &str| match db.property(&families[0], name) {
            Err(status) if is_lacking(&status) => Ok(None),
            result => result,
        };
        let stalls = match property("touchstone.stall")? {
            Some(text) => stalls::of_touchstone(&text),
            None => {
                let counts = match property("rocksdb.cf-write-stall-stats")? {
                    Some(text) if !text.is_empty() => Some(text),
                    _ => property("rocksdb.cfstats-no-file-histogram")?,
                };
                let times = property("rocksdb.dbstats")?;
                stalls::of_rocksdb(&counts.unwrap_or_default(), &times.unwrap_or_default())
            }
        };
        stalls::add(&mut all, &stalls);
    }
    Ok((!all.is_empty()).then_some(all))
}

#[cfg(test)]
mod tests;
