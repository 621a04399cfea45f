//! What block devices read and wrote, from `/proc/diskstats`.

use std::collections::BTreeMap;
use std::fs;

/// The kernel counts sectors of this many bytes, whatever those of the device are.
const SECTOR_BYTES: u64 = 512;

/// What a device did since the machine began, or, as a difference, between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounters {
    /// Reads that completed, after neighbours were merged.
    pub reads: u64,
    /// Bytes of them.
    pub read_bytes: u64,
    /// Reads that were merged into others.
    pub merged_reads: u64,
    /// Milliseconds that all reads together took.
    pub read_millis: u64,
    /// Writes that completed, after neighbours were merged.
    pub writes: u64,
    /// Bytes of them.
    pub write_bytes: u64,
    /// Writes that were merged into others.
    pub merged_writes: u64,
    /// Milliseconds that all writes together took.
    pub write_millis: u64,
}

/// What every device did so far, by name; empty where the kernel does not say.
pub fn device_counters() -> BTreeMap<String, DeviceCounters> {
    parse(&fs::read_to_string("/proc/diskstats").unwrap_or_default())
}

/// `/proc/diskstats`; lines that are something else are left out.
///
/// ```text
/// major minor name  reads merged sectors ms  writes merged sectors ms  …
/// ```
pub fn parse(text: &str) -> BTreeMap<String, DeviceCounters> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<(String, DeviceCounters)> {
    let mut words = line.split_whitespace().skip(2);
    let name = words.next()?.to_owned();
    let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let [
        reads,
        merged_reads,
        read_sectors,
        read_millis,
        writes,
        merged_writes,
        write_sectors,
        write_millis,
        ..,
    ] = numbers[..]
    else {
        return None;
    };
    let counters = DeviceCounters {
        reads,
        read_bytes: read_sectors.saturating_mul(SECTOR_BYTES),
        merged_reads,
        read_millis,
        writes,
        write_bytes: write_sectors.saturating_mul(SECTOR_BYTES),
        merged_writes,
        write_millis,
    };
    Some((name, counters))
}

impl DeviceCounters {
    /// What it did from `before` until this. A counter that the kernel let wrap around starts at
    /// 0.
    pub fn since(&self, before: &Self) -> Self {
        let difference = u64::saturating_sub;
        Self {
            reads: difference(self.reads, before.reads),
            read_bytes: difference(self.read_bytes, before.read_bytes),
            merged_reads: difference(self.merged_reads, before.merged_reads),
            read_millis: difference(self.read_millis, before.read_millis),
            writes: difference(self.writes, before.writes),
            write_bytes: difference(self.write_bytes, before.write_bytes),
            merged_writes: difference(self.merged_writes, before.merged_writes),
            write_millis: difference(self.write_millis, before.write_millis),
        }
    }

    /// Mean bytes of a read; `None` if there was none.
    pub fn mean_read_bytes(&self) -> Option<f64> {
        (self.reads > 0).then(|| self.read_bytes as f64 / self.reads as f64)
    }

    /// Mean bytes of a write; `None` if there was none.
    pub fn mean_write_bytes(&self) -> Option<f64> {
        (self.writes > 0).then(|| self.write_bytes as f64 / self.writes as f64)
    }
}

#[cfg(test)]
mod tests;
