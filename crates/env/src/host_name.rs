//! The name of this machine.

/// What the system calls the machine; empty if it has no name that is text.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_str().unwrap_or_default().to_owned()
}
