//! What the block devices under a path can take at once.
//!
//! A read that is larger than a device's `max_sectors_kb` is split by the kernel, and readahead
//! larger than it degrades into reads of single blocks; RocksDB 9.9 and later cap
//! `compaction_readahead_size` by it. For RAID and device-mapper volumes the members count too.

use host::BlockDevice;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::Path;

/// Limits of the devices under one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceLimits {
    /// The smallest `queue/max_sectors_kb` of the device and its members. `None` where nothing
    /// could be read (not a local block device, no sysfs) or the limit is 0.
    pub max_sectors_kb: Option<u64>,
}

/// The limits of the device that holds `path`.
pub fn device_limits(path: &Path) -> DeviceLimits {
    limits_of(&host::block_devices(path))
}

/// As [`device_limits`] of a path on the file system with this number, looked up once for each.
pub(crate) fn limits_of_device(device: u64, path: &Path) -> DeviceLimits {
    static KNOWN: Mutex<BTreeMap<u64, DeviceLimits>> = Mutex::new(BTreeMap::new());
    *KNOWN.lock().entry(device).or_insert_with(|| device_limits(path))
}

fn limits_of(devices: &[BlockDevice]) -> DeviceLimits {
    let max_sectors_kb = devices.iter().filter_map(|device| device.max_sectors_kb).min();
    DeviceLimits { max_sectors_kb }
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

#[cfg(test)]
mod tests;
