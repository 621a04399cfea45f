//! What the processors are, from `/proc/cpuinfo` and sysfs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Instruction sets that checksums, filters, codecs and searches have versions for.
const NOTABLE: &[&str] = &[
    "sse4_2",
    "popcnt",
    "pclmulqdq",
    "aes",
    "avx",
    "avx2",
    "bmi2",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "vpclmulqdq",
    "asimd",
    "crc32",
    "pmull",
    "sve",
    "sve2",
];

/// The processors of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// The model's name; empty if the kernel does not say.
    pub model: String,
    /// How many the kernel schedules on, threads of one core each counted.
    pub processors: usize,
    /// Size of the last cache, as the kernel writes it; empty if it does not say.
    pub cache: String,
    /// Those of its instruction sets that matter here, separated by blanks.
    pub isa: String,
}

impl Cpu {
    /// The processors of this machine.
    pub fn of_this_machine() -> Self {
        parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }
}

/// `/proc/cpuinfo`: a block of `name : value` lines for each processor. ARM's have `Features` and no
/// name of a model.
pub fn parse(text: &str) -> Cpu {
    let values = |wanted: &'static [&'static str]| {
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        pairs
            .filter(move |(name, _)| wanted.contains(&name.trim()))
            .map(|(_, value)| value.trim().to_owned())
    };
    let first = |wanted| values(wanted).next().unwrap_or_default();
    let flags = first(&["flags", "Features"]);
    let has = |name: &&&str| flags.split(' ').any(|flag| flag == **name);
    Cpu {
        model: first(&["model name", "cpu model", "Processor"]),
        processors: values(&["processor"]).count(),
        cache: first(&["cache size"]),
        isa: NOTABLE.iter().filter(has).copied().collect::<Vec<_>>().join(" "),
    }
}

/// How processors choose their frequency: the governor's name, or several with commas between them
/// where processors differ. `None` where the kernel has no choice, as in most virtual machines.
pub fn governor(sys_devices_cpu: &Path) -> Option<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(sys_devices_cpu).ok()?.flatten() {
        if let Ok(text) = fs::read_to_string(entry.path().join("cpufreq/scaling_governor")) {
            names.insert(text.trim().to_owned());
        }
    }
    (!names.is_empty()).then(|| names.into_iter().collect::<Vec<_>>().join(","))
}

/// Whether two threads share a core; `None` where the kernel does not say.
pub fn simultaneous_multithreading(sys_devices_cpu: &Path) -> Option<bool> {
    match fs::read_to_string(sys_devices_cpu.join("smt/active")).ok()?.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
