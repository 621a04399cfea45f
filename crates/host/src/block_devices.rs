//! The block devices below a path, from sysfs.
//!
//! A partition is its disk; for RAID and device-mapper volumes the members are listed, too: what a
//! volume reads, its members read, and the weakest of them limits all.

use crate::mounts::mount_of;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where Linux lists block devices as `major:minor`.
const SYS_DEV_BLOCK: &str = "/sys/dev/block";

/// How many volumes may be stacked on one another before we stop looking.
const STACKED_VOLUMES_MAX: usize = 8;

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDevice {
    /// As `/proc/diskstats` has it.
    pub name: String,
    /// The largest read or write that the kernel does not split (`queue/max_sectors_kb`). `None`
    /// where that is not known, or not limited.
    pub max_sectors_kb: Option<u64>,
}

/// The device that holds `path`, then its members and theirs; each once. Empty where there is none
/// (file systems in memory or over a network) or none is known.
pub fn block_devices(path: &Path) -> Vec<BlockDevice> {
    let Ok(metadata) = fs::metadata(path) else { return Vec::new() };
    let devices = devices_in(Path::new(SYS_DEV_BLOCK), metadata.dev());
    if !devices.is_empty() {
        return devices;
    }
    // Some file systems have numbers of their own; what is mounted may still be a device.
    let source = mount_of(path).map(|mount| PathBuf::from(mount.source));
    match source.filter(|source| source.is_absolute()).and_then(|source| fs::metadata(source).ok())
    {
        Some(metadata) => devices_in(Path::new(SYS_DEV_BLOCK), metadata.rdev()),
        None => Vec::new(),
    }
}

/// The devices below the one with this number; `sys_dev_block` is where they are listed.
pub fn devices_in(sys_dev_block: &Path, device: u64) -> Vec<BlockDevice> {
    let name = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let mut found = Vec::new();
    if let Ok(directory) = fs::canonicalize(sys_dev_block.join(name)) {
        collect(&directory, STACKED_VOLUMES_MAX, &mut found);
    }
    found
}

/// Appends a device and its members. `directory` is the device's in sysfs, without links.
fn collect(directory: &Path, depth: usize, found: &mut Vec<BlockDevice>) {
    // A partition has no queue of its own; the disk around it has.
    let disk = match directory.parent() {
        Some(disk) if directory.join("partition").exists() => disk,
        _ => directory,
    };
    let Some(name) = disk.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return;
    };
    if found.iter().any(|device| device.name == name) {
        return;
    }
    let limit = fs::read_to_string(disk.join("queue/max_sectors_kb")).ok();
    let limit = limit.and_then(|text| text.trim().parse().ok()).filter(|&kb| kb > 0);
    found.push(BlockDevice { name, max_sectors_kb: limit });
    if depth > 0 {
        for member in members(disk) {
            collect(&member, depth - 1, found);
        }
    }
}

fn members(disk: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(disk.join("slaves")) else { return Vec::new() };
    let mut members: Vec<_> =
        entries.flatten().filter_map(|entry| fs::canonicalize(entry.path()).ok()).collect();
    members.sort();
    members
}

#[cfg(test)]
mod tests;
