//! Which machine this is.

use serde::{Deserialize, Serialize};
use std::fs;

/// A machine, as far as its constants depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name in the network.
    pub name: String,
    /// The processor's name.
    pub cpu: String,
    /// Processors that this process may use.
    pub processors: u64,
    /// The kernel's release.
    pub kernel: String,
}

impl Host {
    /// This machine.
    pub fn here() -> Self {
        let uname = rustix::system::uname();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            name: uname.nodename().to_string_lossy().into_owned(),
            cpu: cpu(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            processors: processors as u64,
            kernel: uname.release().to_string_lossy().into_owned(),
        }
    }
}

/// The processor's name in the text of `/proc/cpuinfo`; empty if it is not told.
fn cpu(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
    name.unwrap_or_default().to_owned()
}
