//! Huge pages: to whom the system gives them, and whether this process gets any.
//!
//! Where only those who ask get them some stores ask, and so may the allocator of the program, or one that a store
//! brings. Whoever compares stores has to know which do.

use rustix::thread::disable_transparent_huge_pages;

/// What is said of pages of 2 MiB, by newer kernels, unless it is `inherit`; then of all.
const ENABLED: [&str; 2] = [
    "/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled",
    "/sys/kernel/mm/transparent_hugepage/enabled",
];

/// To whom the system gives huge pages by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePages {
    /// To all.
    Always,
    /// To those who ask.
    Madvise,
    /// To nobody.
    Never,
}

impl HugePages {
    /// What the system says; none if it has no huge pages.
    pub fn of_system() -> Option<Self> {
        ENABLED.iter().find_map(|path| Self::parse(&std::fs::read_to_string(path).ok()?))
    }

    /// By the name that the kernel has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Madvise => "madvise",
            Self::Never => "never",
        }
    }

    /// What is chosen has brackets: `always [madvise] never`.
    fn parse(text: &str) -> Option<Self> {
        let chosen =
            text.split_whitespace().find_map(|name| name.strip_prefix('[')?.strip_suffix(']'));
        [Self::Always, Self::Madvise, Self::Never]
            .into_iter()
            .find(|one| Some(one.name()) == chosen)
    }
}

/// From now on this process, and those that it starts, get no huge pages where only those who ask get them.
/// Returns whether that is so now.
pub fn ask_for_none() -> bool {
    HugePages::of_system() == Some(HugePages::Madvise)
        && disable_transparent_huge_pages(true).is_ok()
}

#[cfg(test)]
mod tests;
