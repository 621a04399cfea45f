//! How fast a workload could be on a machine: a pure function of the machine's constants.
//!
//! An operation costs what its slowest resource takes: the processor, memory, the device, a sync. The
//! formulas, in nanoseconds, by the symbols of [`CONSTANTS`](crate::machine::constants::CONSTANTS):
//!
//! ```text
//! point lookup, cached     3 D + 100
//! batch of lookups         lines x T32 + 40 for each key, lines = 12 and one for each 64 B beyond 128
//! scan, one entry          max(entry / Br, 10)
//! seek over k runs         3 D + 100 k + 200, and 10 for each further entry
//! write, foreground        170, or 100 in key order
//! write, background        70 for the flush and 50 for each merge, on the other processors
//! write, device            stored bytes x (written / Dw + read / Dr)
//! synced write             Sf
//! cold pass                1 / I more for each block that is read for the first time
//! ```
//!
//! They say what a good engine could reach, not what the next one will: an engine that finds a shorter
//! way may go beyond them. Data that fit a cache are looked up there, so D is that of the cache.

#[cfg(test)]
mod tests;
pub mod workload;

use crate::machine::constants::Values;
use serde::{Deserialize, Serialize};
use workload::{Amplification, Kind, Workload};

/// What an operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Instructions.
    Processor,
    /// Lines of memory.
    Memory,
    /// Bytes or operations of the device.
    Device,
    /// The device's promise that data are safe.
    Sync,
}

impl Resource {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Memory => "memory",
            Self::Device => "device",
            Self::Sync => "sync",
        }
    }
}

/// What an operation takes at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Nanoseconds for each operation, all threads together.
    pub nanos_per_op: f64,
    /// What takes them.
    pub by: Resource,
}

/// A level's share in memory: sizes up to which a set is in a cache, and the name of its loads.
const LOADS: &[(u64, &str)] = &[(256 << 10, "load_l2_nanos"), (2 << 20, "load_2m_nanos")];

/// Instructions of a write: in the caller, of the flush, of each merge; in nanoseconds.
const WRITE_NANOS: f64 = 170.0;
const SEQUENTIAL_WRITE_NANOS: f64 = 100.0;
const FLUSH_NANOS: f64 = 70.0;
const MERGE_NANOS: f64 = 50.0;

/// The limit of `workload` on a machine with these constants. None for a benchmark that no formula
/// covers, and where a constant that it needs was not measured.
pub fn limit(workload: &Workload, machine: &Values) -> Option<Limit> {
    let slowest = |limits: Vec<Limit>| {
        limits.into_iter().max_by(|a, b| a.nanos_per_op.total_cmp(&b.nanos_per_op))
    };
    match workload.kind()? {
        Kind::PointRead => read(workload, machine, lookup_nanos(workload, machine)?),
        Kind::BatchRead if workload.batch <= 1 => {
            read(workload, machine, lookup_nanos(workload, machine)?)
        }
        Kind::BatchRead => read(workload, machine, batch_nanos(workload, machine)?),
        Kind::Scan => {
            let nanos = scan_nanos(workload.entry_bytes(), machine)?;
            read(workload, machine, nanos)
        }
        Kind::Seek => read(workload, machine, seek_nanos(workload, machine)?),
        Kind::SyncedWrite => {
            let nanos_per_op =
                machine.get("data_sync_micros")? * 1e3 / workload.threads.max(1) as f64;
            Some(Limit { nanos_per_op, by: Resource::Sync })
        }
        Kind::Write(order) => {
            let mut limits = processor_limits(workload);
            limits.push(device_limit(workload, workload.amplification(order), machine)?);
            slowest(limits)
        }
        Kind::ReadThenWrite(order) => {
            let found = lookup_nanos(workload, machine)?;
            let processors = workload.parallel();
            let mut limits = processor_limits(workload);
            limits[0].nanos_per_op += found / processors;
            limits.push(device_limit(workload, workload.amplification(order), machine)?);
            slowest(limits)
        }
    }
}

/// How much of its limit was reached, in percent.
pub fn percent_reached(limit: &Limit, nanos_per_op: f64) -> Option<f64> {
    (nanos_per_op > 0.0).then(|| limit.nanos_per_op / nanos_per_op * 100.0)
}

/// A dependent load in a set as large as the database.
fn load_nanos(workload: &Workload, machine: &Values) -> Option<f64> {
    let bytes = workload.data_bytes();
    let cached = LOADS.iter().find(|(limit, _)| bytes <= *limit);
    machine.get(cached.map_or("load_nanos", |(_, name)| name))
}

fn lookup_nanos(workload: &Workload, machine: &Values) -> Option<f64> {
    Some(3.0 * load_nanos(workload, machine)? + 100.0)
}

fn batch_nanos(workload: &Workload, machine: &Values) -> Option<f64> {
    let more = workload.entry_bytes().saturating_sub(128).div_ceil(64);
    Some((12 + more) as f64 * machine.get("line_32_nanos")? + 40.0)
}

fn scan_nanos(entry_bytes: u64, machine: &Values) -> Option<f64> {
    Some((entry_bytes as f64 / machine.get("stream_gb_per_s")?).max(10.0))
}

fn seek_nanos(workload: &Workload, machine: &Values) -> Option<f64> {
    let runs = workload.runs as f64;
    // Ten entries are in the constant.
    let further = workload.seek_nexts.saturating_sub(10) as f64;
    Some(3.0 * load_nanos(workload, machine)? + 100.0 * runs + 200.0 + 10.0 * further)
}

/// A read that takes so many nanoseconds in memory, with what comes from the device on a cold pass.
fn read(workload: &Workload, machine: &Values, nanos: f64) -> Option<Limit> {
    let in_memory = nanos / workload.parallel();
    let from_device = match workload.is_cold {
        true => cold_nanos(workload, machine)?,
        false => 0.0,
    };
    let by = if from_device > in_memory { Resource::Device } else { Resource::Memory };
    Some(Limit { nanos_per_op: in_memory.max(from_device), by })
}

/// What the first reads of blocks take of an operation.
fn cold_nanos(workload: &Workload, machine: &Values) -> Option<f64> {
    if workload.kind()? == Kind::Scan {
        return Some(workload.stored_entry_bytes() / machine.get("direct_read_gb_per_s")?);
    }
    let blocks = workload.data_bytes() as f64 * workload.stored_share / workload.block_bytes as f64;
    let share = (blocks / workload.operations.max(1) as f64).min(1.0);
    let in_flight = workload.threads.max(1) * workload.batch.max(1);
    let name = match in_flight {
        0..8 => "reads_1_per_s",
        8..32 => "reads_16_per_s",
        _ => "reads_64_per_s",
    };
    Some(share * 1e9 / machine.get(name)?)
}

/// What a write takes of processors: in the caller first, then in the background.
fn processor_limits(workload: &Workload) -> Vec<Limit> {
    let by = Resource::Processor;
    let amplification = match workload.kind() {
        Some(Kind::Write(order) | Kind::ReadThenWrite(order)) => workload.amplification(order),
        _ => Amplification::NONE,
    };
    let foreground = match workload.kind() {
        Some(Kind::Write(workload::Order::Keys)) => SEQUENTIAL_WRITE_NANOS,
        _ => WRITE_NANOS,
    };
    // Data that stay in the memtable are not flushed.
    let background = match amplification.written > 0.0 {
        true => FLUSH_NANOS + MERGE_NANOS * (amplification.written - 1.0).max(0.0),
        false => 0.0,
    };
    let others = workload.processors.saturating_sub(1).max(1) as f64;
    vec![Limit { nanos_per_op: foreground, by }, Limit { nanos_per_op: background / others, by }]
}

/// What writing and compacting an entry takes of the device.
pub fn device_limit(
    workload: &Workload,
    amplification: Amplification,
    machine: &Values,
) -> Option<Limit> {
    let bytes = workload.stored_entry_bytes();
    let per_gb = |times: f64, name: &str| match times > 0.0 {
        true => Some(times / machine.get(name)?),
        false => Some(0.0),
    };
    let nanos_per_op = bytes
        * (per_gb(amplification.written, "direct_write_gb_per_s")?
            + per_gb(amplification.read, "direct_read_gb_per_s")?);
    Some(Limit { nanos_per_op, by: Resource::Device })
}
