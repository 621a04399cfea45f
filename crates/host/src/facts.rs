//! What a result should always be seen together with, and what spoils it.

use crate::block_devices::block_devices;
use crate::cpu::{self, Cpu};
use crate::huge_pages::HugePages;
use crate::mounts::mount_of;
use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const SYS_DEVICES_CPU: &str = "/sys/devices/system/cpu";

/// Fewer descriptors than this, and tables are opened and closed all the time.
const OPEN_FILES_MIN: u64 = 50_000;

/// Devices that split reads of this size spoil readahead.
const MAX_SECTORS_KB_MIN: u64 = 256;

/// File systems that are no device's.
const WITHOUT_DEVICE: &[&str] = &["tmpfs", "ramfs", "overlay", "nfs", "nfs4", "9p", "virtiofs"];

/// Facts about a machine, and about the directory that databases are in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Model of the processors; empty if not known.
    pub cpu: String,
    /// Processors the kernel schedules on.
    pub cores: usize,
    /// Whether two of them share a core.
    pub smt: Option<bool>,
    /// How they choose their frequency.
    pub governor: Option<String>,
    /// Instruction sets that matter here, separated by blanks.
    pub isa: String,
    /// To whom the system gives huge pages: `always`, `madvise` (to those who ask) or `never`.
    pub huge_pages: Option<String>,
    /// What the directory is on: `ext4`, ….
    pub filesystem: Option<String>,
    /// The largest read in KiB that is not split, by device: that of the directory and its members.
    pub max_sectors_kb: BTreeMap<String, Option<u64>>,
    /// Descriptors that the process may have; `None` for any number.
    pub open_files_limit: Option<u64>,
    /// Release of the kernel.
    pub kernel: String,
    /// Sentences on what spoils results.
    pub warnings: Vec<String>,
}

impl HostFacts {
    /// The facts of this machine and of a directory that exists.
    pub fn of(directory: &Path) -> Self {
        let cpu = Cpu::of_this_machine();
        let sys_devices_cpu = Path::new(SYS_DEVICES_CPU);
        let devices = block_devices(directory);
        let mut facts = Self {
            cpu: cpu.model,
            cores: cpu.processors,
            smt: cpu::simultaneous_multithreading(sys_devices_cpu),
            governor: cpu::governor(sys_devices_cpu),
            isa: cpu.isa,
            huge_pages: HugePages::of_system().map(|pages| pages.name().to_owned()),
            filesystem: mount_of(directory).map(|mount| mount.filesystem),
            max_sectors_kb: devices
                .into_iter()
                .map(|device| (device.name, device.max_sectors_kb))
                .collect(),
            open_files_limit: getrlimit(Resource::Nofile).current,
            kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
            warnings: Vec::new(),
        };
        facts.warnings = facts.to_warn_of();
        facts
    }

    /// Names of the devices of the directory, as `/proc/diskstats` has them.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.max_sectors_kb.keys().map(String::as_str)
    }

    fn to_warn_of(&self) -> Vec<String> {
        let governor = self.governor.as_ref().filter(|name| *name != "performance").map(|name| {
            format!(
                "processors choose their frequency by '{name}': results depend on what ran before; \
                 set the governor to 'performance'"
            )
        });
        let open_files = self.open_files_limit.filter(|limit| *limit < OPEN_FILES_MIN);
        let open_files = open_files.map(|limit| {
            format!(
                "the process may have {limit} open files: tables beyond that are opened again and \
                 again; allow {OPEN_FILES_MIN} (ulimit -n)"
            )
        });
        let splits = |kb: &u64| (1..MAX_SECTORS_KB_MIN).contains(kb);
        let devices = self.max_sectors_kb.iter().filter_map(|(name, limit)| {
            let kb = limit.filter(splits)?;
            Some(format!(
                "device {name} splits reads above {kb} KiB (max_sectors_kb): readahead above that \
                 slows compactions down"
            ))
        });
        let filesystem = self.filesystem.as_deref().unwrap_or("an unknown file system");
        let no_device = self.max_sectors_kb.is_empty().then(|| {
            let why = match WITHOUT_DEVICE.contains(&filesystem) {
                true => "which no block device of this machine is below",
                false => "and no block device of it is known",
            };
            format!("the directory is on {filesystem}, {why}: reads and writes are not counted")
        });
        governor.into_iter().chain(open_files).chain(devices).chain(no_device).collect()
    }
}

#[cfg(test)]
mod tests;
