//! Quicker ways to the same results, each of which can be left out.
//!
//! `TOUCHSTONE_PLAIN` in the environment names those that the process leaves out, with commas between them, or `all`.
//! What is read and written is the same, only slower: this is for tests that try the ways apart, and for finding out
//! what a slowdown, or a fault, comes from.

use std::sync::atomic::{AtomicU16, Ordering};

/// A way that has a plain one behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum FastPath {
    /// Indexes hold links to blocks that are in the block cache. Without them each block is looked up there.
    FrameLinks = 1 << 0,
    /// The keys of a `MultiGet` take their steps together. Without that each is looked up as by a `Get`.
    StagedMultiGet = 1 << 1,
    /// The cursors of an iterator take the steps of a seek together. Without that each makes its own seek.
    SeeksTogether = 1 << 2,
    /// Scans go on within a block where nothing else comes between. Without that each step merges.
    BlockRuns = 1 << 3,
    /// Compactions merge decoded blocks by ranks. Without that they merge iterators.
    MergeKernel = 1 << 4,
    /// Compactions copy whole blocks that nothing overlaps. Without that they are built anew.
    BlockCopy = 1 << 5,
    /// A thread goes through memtables ahead of the one that flushes them. Without that the latter does.
    FlushSlices = 1 << 6,
    /// Memory that stays is brought together in huge pages. Without that it is left in the pages that it has.
    HugePages = 1 << 7,
}

const VARIABLE: &str = "TOUCHSTONE_PLAIN";

/// In [`LEFT_OUT`]: somebody has looked.
const KNOWN: u16 = 1 << 15;

/// Which are left out; 0 as long as nobody has looked. Relaxed: whoever looks finds the same.
static LEFT_OUT: AtomicU16 = AtomicU16::new(0);

impl FastPath {
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::FrameLinks,
        Self::StagedMultiGet,
        Self::SeeksTogether,
        Self::BlockRuns,
        Self::MergeKernel,
        Self::BlockCopy,
        Self::FlushSlices,
        Self::HugePages,
    ];

    /// Its name in the variable.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrameLinks => "frame_links",
            Self::StagedMultiGet => "staged_multi_get",
            Self::SeeksTogether => "seeks_together",
            Self::BlockRuns => "block_runs",
            Self::MergeKernel => "merge_kernel",
            Self::BlockCopy => "block_copy",
            Self::FlushSlices => "flush_slices",
            Self::HugePages => "huge_pages",
        }
    }

    /// Whether it is taken. The first call in the process decides for all.
    #[inline]
    pub fn is_on(self) -> bool {
        let left_out = match LEFT_OUT.load(Ordering::Relaxed) {
            0 => look(),
            known => known,
        };
        left_out & self as u16 == 0
    }
}

#[cold]
fn look() -> u16 {
    let text = std::env::var_os(VARIABLE).unwrap_or_default();
    let text = text.to_string_lossy();
    let (left_out, unknown) = left_out(&text);
    for name in unknown {
        let names = FastPath::ALL.map(FastPath::name).join(", ");
        eprintln!(
            "warning: {VARIABLE} has {name:?}, which is not all or one of {names}; it has no effect"
        );
    }
    LEFT_OUT.store(left_out | KNOWN, Ordering::Relaxed);
    left_out | KNOWN
}

/// What a value of the variable leaves out, and the names in it that nothing has.
fn left_out(text: &str) -> (u16, Vec<&str>) {
    let (mut left_out, mut unknown) = (0, Vec::new());
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let named = |path: &&FastPath| name == "all" || name == path.name();
        let bits = FastPath::ALL.iter().filter(named).fold(0, |bits, path| bits | *path as u16);
        left_out |= bits;
        if bits == 0 {
            unknown.push(name);
        }
    }
    (left_out, unknown)
}

#[cfg(test)]
mod tests;
