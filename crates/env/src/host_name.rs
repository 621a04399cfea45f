//! What the system says of the machine and of this process.

/// What the system calls the machine; empty if it has no name that is text.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_str().unwrap_or_default().to_owned()
}

/// How many files this process may have open; none for no limit.
pub fn open_files_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}
