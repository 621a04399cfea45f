//! How many descriptors this process may have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::File;

/// Few descriptors, until it is dropped.
pub(crate) struct DescriptorLimit(Rlimit);

impl DescriptorLimit {
    pub(crate) fn set(max: u64) -> Self {
        let before = getrlimit(Resource::Nofile);
        let limit = Rlimit { current: Some(max), maximum: before.maximum };
        setrlimit(Resource::Nofile, limit).unwrap();
        Self(before)
    }
}

impl Drop for DescriptorLimit {
    fn drop(&mut self) {
        setrlimit(Resource::Nofile, self.0).unwrap();
    }
}

/// Takes all descriptors there are but `free`; until it is dropped.
pub(crate) fn take_all_but(free: usize) -> impl Drop {
    struct Taken(Vec<File>);
    impl Drop for Taken {
        fn drop(&mut self) {
            self.0.clear();
        }
    }
    let mut taken = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        taken.push(file);
    }
    taken.truncate(taken.len() - free);
    Taken(taken)
}

/// How many files of this process have a name that ends in `suffix`.
pub(crate) fn open_with(suffix: &str) -> usize {
    let links = std::fs::read_dir("/proc/self/fd").unwrap();
    let names = links.filter_map(|link| std::fs::read_link(link.unwrap().path()).ok());
    names
        .filter(|name| name.to_string_lossy().trim_end_matches(" (deleted)").ends_with(suffix))
        .count()
}
