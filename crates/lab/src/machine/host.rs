//! Which machine this is.

use serde::{Deserialize, Serialize};

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
            cpu: host::Cpu::of_this_machine().model,
            processors: processors as u64,
            kernel: uname.release().to_string_lossy().into_owned(),
        }
    }
}
