//! What the block devices under a path can take at once, from sysfs.
//!
//! A read that is larger than a device's `max_sectors_kb` is split by the kernel, and readahead
//! larger than it degrades into reads of single blocks; RocksDB 9.9 and later cap
//! `compaction_readahead_size` by it. For RAID and device-mapper volumes the members count too.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where Linux lists block devices as `major:minor`.
const SYS_DEV_BLOCK: &str = "/sys/dev/block";

/// How many volumes may be stacked on one another before we stop looking.
const STACKED_VOLUMES_MAX: usize = 8;

/// Limits of the devices under one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceLimits {
    /// The smallest `queue/max_sectors_kb` of the device and its members. `None` where nothing
    /// could be read (not a local block device, no sysfs) or the limit is 0.
    pub max_sectors_kb: Option<u64>,
}

/// The limits of the device that holds `path`.
pub fn device_limits(path: &Path) -> DeviceLimits {
    match fs::metadata(path) {
        Ok(metadata) => limits_in(Path::new(SYS_DEV_BLOCK), metadata.dev()),
        Err(_) => DeviceLimits::default(),
    }
}

/// Readahead in bytes that every device can take: `option_bytes`, capped by the smallest limit. No
/// limit, no cap.
pub fn effective_readahead(option_bytes: u64, limits: &[DeviceLimits]) -> u64 {
    limits
        .iter()
        .filter_map(|limits| limits.max_sectors_kb)
        .map(|kb| kb.saturating_mul(1024))
        .fold(option_bytes, u64::min)
}

fn limits_in(sys_dev_block: &Path, device: u64) -> DeviceLimits {
    let name = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let max_sectors_kb = match fs::canonicalize(sys_dev_block.join(name)) {
        Ok(directory) => smallest_max_sectors_kb(&directory, STACKED_VOLUMES_MAX),
        Err(_) => None,
    };
    DeviceLimits { max_sectors_kb }
}

/// `directory` is a device's in sysfs, without links.
fn smallest_max_sectors_kb(directory: &Path, depth: usize) -> Option<u64> {
    // A partition has no queue of its own; the disk around it has.
    let disk = match directory.parent() {
        Some(disk) if directory.join("partition").exists() => disk,
        _ => directory,
    };
    let own = fs::read_to_string(disk.join("queue/max_sectors_kb"))
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .filter(|&kb| kb > 0);
    let members = if depth == 0 { Vec::new() } else { members(disk) };
    members.iter().filter_map(|member| smallest_max_sectors_kb(member, depth - 1)).chain(own).min()
}

fn members(disk: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(disk.join("slaves")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| fs::canonicalize(entry.path()).ok()).collect()
}

#[cfg(test)]
mod tests;
