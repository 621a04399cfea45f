//! Which operations fail, and how.

use crate::random::Random;
use base::filename::{FileType, parse_file_name};
use base::status::SubCode;
use base::{Result, Status};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is counted and can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// Opening for sequential or random reads.
    OpenForReading,
    /// Creating, cutting or reopening for appends.
    OpenForWriting,
    /// Renaming a file and opening it to be written over.
    Reuse,
    /// A sequential or random read.
    Read,
    /// An append.
    Append,
    /// A flush asked for by name.
    Flush,
    /// `sync` and `fsync` of a file, also by name.
    Sync,
    /// A hint to start writing a range, asked for by name.
    RangeSync,
    /// Reserving room, asked for by name.
    Allocate,
    /// Closing a written file. Dropping it is no operation.
    Close,
    /// Opening a directory.
    OpenDirectory,
    /// `fsync` of a directory.
    SyncDirectory,
    /// Deleting a file.
    Delete,
    /// Renaming.
    Rename,
    /// Making a hard link.
    Link,
    /// Cutting by name.
    Truncate,
    /// Creating a directory.
    CreateDirectory,
    /// Deleting a directory.
    DeleteDirectory,
    /// Listing a directory.
    List,
    /// Existence, kind, size, modification time and free space.
    Inspect,
    /// Taking a lock.
    Lock,
}

impl OperationKind {
    /// Those that change something on the disk, or decide whether it lasts.
    pub const CHANGES: &'static [OperationKind] = &[
        OperationKind::OpenForWriting,
        OperationKind::Reuse,
        OperationKind::Append,
        OperationKind::Flush,
        OperationKind::Sync,
        OperationKind::Close,
        OperationKind::SyncDirectory,
        OperationKind::Delete,
        OperationKind::Rename,
        OperationKind::Link,
        OperationKind::Truncate,
        OperationKind::CreateDirectory,
        OperationKind::DeleteDirectory,
        OperationKind::Lock,
    ];
}

/// A set of operations: all, or those of some kinds, or on some files.
#[derive(Clone, Debug, Default)]
pub struct Operations {
    kinds: Option<Vec<OperationKind>>,
    file_types: Option<Vec<FileType>>,
    path_part: Option<String>,
}

impl Operations {
    /// Every operation.
    pub fn all() -> Self {
        Self::default()
    }

    /// Those of the given kinds.
    pub fn of(kinds: &[OperationKind]) -> Self {
        Self { kinds: Some(kinds.to_vec()), ..Self::default() }
    }

    /// Of these, those on a path that contains `part` (a rename or link counts under both paths).
    #[must_use]
    pub fn on(mut self, part: &str) -> Self {
        self.path_part = Some(part.to_string());
        self
    }

    /// Of these, those on files of the given types, as their names say (a rename or link counts
    /// under both names).
    #[must_use]
    pub fn on_files(mut self, file_types: &[FileType]) -> Self {
        self.file_types = Some(file_types.to_vec());
        self
    }

    fn contains(&self, kind: OperationKind, paths: &[&Path]) -> bool {
        let of_type = |types: &Vec<FileType>| {
            let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
            let mut found = names.filter_map(|name| Some(parse_file_name(name)?.1));
            found.any(|file_type| types.contains(&file_type))
        };
        let on_path =
            |part: &String| paths.iter().any(|path| path.to_string_lossy().contains(part));
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
            && self.path_part.as_ref().is_none_or(on_path)
            && self.file_types.as_ref().is_none_or(of_type)
    }
}

/// Which of the matching operations fail, counted from 0 since the fault was added.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// The `k`-th alone.
    Nth(u64),
    /// The `k`-th and all later ones.
    FromNth(u64),
    /// Each with a chance of one in `n`, decided by `seed`.
    OneIn {
        /// At least 1.
        n: u64,
        /// The same seed and the same operations fail the same ones.
        seed: u64,
    },
}

/// The error that a failing operation returns.
#[derive(Clone, Debug)]
pub enum FaultError {
    /// An I/O error of the device.
    Io,
    /// A full device (`SubCode::NoSpace`).
    NoSpace,
    /// This one.
    Status(Status),
}

/// What happens instead of the operation.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Nothing is done, and the error returned.
    Error(FaultError),
    /// The operation is done, yet the error returned.
    ErrorAfter(FaultError),
    /// Reads only (others pass by): at most so many bytes are read, as if the file ended there.
    ShortRead(usize),
    /// Appends only (others pass by): so many bytes are appended, then the error returned.
    ShortWrite(usize, FaultError),
    /// Nothing is done, and the file system becomes inactive: every operation fails from now on.
    PowerOff,
}

/// Some operations, and what happens to them.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The operations that are looked at.
    pub operations: Operations,
    /// Which of them.
    pub when: When,
    /// What happens.
    pub effect: Effect,
}

/// One operation that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRecord {
    /// Its kind.
    pub kind: OperationKind,
    /// The path it was asked for; of a rename or a link the target.
    pub path: PathBuf,
    /// Whether a fault happened to it.
    pub faulted: bool,
}

/// The faults of one file system, shared between it and the test that sets them.
#[derive(Debug)]
pub struct FaultPlan {
    active: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    faults: Vec<(Fault, FaultProgress)>,
    flips: BTreeMap<(PathBuf, u64), u8>,
    counts: BTreeMap<OperationKind, u64>,
    injected: u64,
    trace: Option<Vec<OperationRecord>>,
}

#[derive(Debug)]
struct FaultProgress {
    seen: u64,
    random: Random,
}

impl FaultProgress {
    fn new(fault: &Fault) -> Self {
        let seed = if let When::OneIn { seed, .. } = fault.when { seed } else { 0 };
        Self { seen: 0, random: Random::new(seed) }
    }
}

/// What an operation has to do.
#[derive(Debug)]
pub(super) enum Verdict {
    Proceed,
    FailAfter(Status),
    ShortRead(usize),
    ShortWrite(usize, Status),
}

impl Verdict {
    /// For operations that are done whole: the error to return afterwards, if any.
    pub(super) fn finish<T>(self, value: T) -> Result<T> {
        match self {
            Verdict::FailAfter(status) => Err(status),
            _ => Ok(value),
        }
    }
}

impl Default for FaultPlan {
    fn default() -> Self {
        Self { active: AtomicBool::new(true), state: Mutex::default() }
    }
}

impl FaultPlan {
    /// Adds a fault. Of several that apply to one operation, the one added first happens.
    pub fn add(&self, fault: Fault) {
        let progress = FaultProgress::new(&fault);
        self.state.lock().faults.push((fault, progress));
    }

    /// Puts other faults in the place of all there are, between two operations. They count from
    /// now.
    pub fn set_faults(&self, faults: Vec<Fault>) {
        let with_progress = |fault| {
            let progress = FaultProgress::new(&fault);
            (fault, progress)
        };
        self.state.lock().faults = faults.into_iter().map(with_progress).collect();
    }

    /// Fails the `k`-th operation from now, counted from 0 over all kinds.
    pub fn fail_operation(&self, k: u64, error: FaultError) {
        self.add(Fault {
            operations: Operations::all(),
            when: When::Nth(k),
            effect: Effect::Error(error),
        });
    }

    /// Makes the file system inactive at the `k`-th operation from now, counted from 0 over
    /// `operations`.
    pub fn power_off_at(&self, k: u64, operations: Operations) {
        self.add(Fault { operations, when: When::Nth(k), effect: Effect::PowerOff });
    }

    /// From now on every read of the byte at `offset` by a file opened as `path` finds it
    /// exclusive-ored with `mask`. The stored byte stays as it is; a mask of 0 ends it.
    pub fn flip_byte(&self, path: &Path, offset: u64, mask: u8) {
        let mut state = self.state.lock();
        if mask == 0 {
            state.flips.remove(&(path.to_path_buf(), offset));
        } else {
            state.flips.insert((path.to_path_buf(), offset), mask);
        }
    }

    /// Forgets all faults and flipped bytes. Counts and activity stay.
    pub fn clear(&self) {
        let mut state = self.state.lock();
        state.faults.clear();
        state.flips.clear();
    }

    /// While inactive, every operation fails and nothing is changed.
    pub fn set_filesystem_active(&self, active: bool) {
        self.active.store(active, Ordering::SeqCst);
    }

    /// Whether operations are let through.
    pub fn is_filesystem_active(&self) -> bool {
        self.active.load(Ordering::SeqCst)
    }

    /// Operations asked for so far, failed ones included.
    pub fn operation_count(&self) -> u64 {
        self.state.lock().counts.values().sum()
    }

    /// Operations of one kind asked for so far, failed ones included.
    pub fn operation_count_of(&self, kind: OperationKind) -> u64 {
        self.state.lock().counts.get(&kind).copied().unwrap_or(0)
    }

    /// Faults that happened so far; refusals of an inactive file system are not counted.
    pub fn injected_count(&self) -> u64 {
        self.state.lock().injected
    }

    /// Counts from 0 again.
    pub fn reset_counts(&self) {
        let mut state = self.state.lock();
        state.counts.clear();
        state.injected = 0;
    }

    /// Starts to remember every operation.
    pub fn start_trace(&self) {
        self.state.lock().trace = Some(Vec::new());
    }

    /// The operations since [`FaultPlan::start_trace`]; ends the remembering.
    pub fn take_trace(&self) -> Vec<OperationRecord> {
        self.state.lock().trace.take().unwrap_or_default()
    }

    /// Counts an operation and decides what happens to it. `paths` ends with the one to report.
    pub(super) fn before(&self, kind: OperationKind, paths: &[&Path]) -> Result<Verdict> {
        let path = paths.last().copied().unwrap_or(Path::new(""));
        let mut state = self.state.lock();
        let index: u64 = state.counts.values().sum();
        *state.counts.entry(kind).or_default() += 1;
        let active = self.is_filesystem_active();
        let effect = if active { state.effect_on(kind, paths) } else { None };
        if let Some(trace) = &mut state.trace {
            let faulted = !active || effect.is_some();
            trace.push(OperationRecord { kind, path: path.to_path_buf(), faulted });
        }
        if !active {
            return Err(inactive(kind, path));
        }
        let Some(effect) = effect else { return Ok(Verdict::Proceed) };
        state.injected += 1;
        match effect {
            Effect::Error(error) => Err(error.status(index, kind, path)),
            Effect::ErrorAfter(error) => Ok(Verdict::FailAfter(error.status(index, kind, path))),
            Effect::ShortRead(count) => Ok(Verdict::ShortRead(count)),
            Effect::ShortWrite(count, error) => {
                Ok(Verdict::ShortWrite(count, error.status(index, kind, path)))
            }
            Effect::PowerOff => {
                self.set_filesystem_active(false);
                Err(inactive(kind, path))
            }
        }
    }

    /// Flips what is to be flipped among bytes read at `offset`.
    pub(super) fn corrupt(&self, path: &Path, offset: u64, bytes: &mut [u8]) {
        let state = self.state.lock();
        if state.flips.is_empty() {
            return;
        }
        let end = offset.saturating_add(bytes.len() as u64);
        let range = (path.to_path_buf(), offset)..(path.to_path_buf(), end);
        for ((_, at), mask) in state.flips.range(range) {
            bytes[(at - offset) as usize] ^= mask;
        }
    }
}

impl State {
    /// The first fault that happens; all that match count the operation.
    fn effect_on(&mut self, kind: OperationKind, paths: &[&Path]) -> Option<Effect> {
        let mut happens = None;
        for (fault, progress) in &mut self.faults {
            let fits = match fault.effect {
                Effect::ShortRead(_) => kind == OperationKind::Read,
                Effect::ShortWrite(..) => kind == OperationKind::Append,
                _ => true,
            };
            if !fits || !fault.operations.contains(kind, paths) {
                continue;
            }
            let index = progress.seen;
            progress.seen += 1;
            let hit = match fault.when {
                When::Nth(k) => index == k,
                When::FromNth(k) => index >= k,
                When::OneIn { n, .. } => progress.random.one_in(n),
            };
            if hit && happens.is_none() {
                happens = Some(fault.effect.clone());
            }
        }
        happens
    }
}

impl FaultError {
    fn status(self, index: u64, kind: OperationKind, path: &Path) -> Status {
        let at = format!("{kind} {} (operation {index})", path.display());
        match self {
            FaultError::Io => Status::io_error(format!("{at}: injected I/O error")),
            FaultError::NoSpace => Status::io_error(format!("{at}: injected: no space left"))
                .with_subcode(SubCode::NoSpace),
            FaultError::Status(status) => status.context(at),
        }
    }
}

#[cold]
fn inactive(kind: OperationKind, path: &Path) -> Status {
    Status::io_error(format!("{kind} {}: the file system is inactive", path.display()))
}

/// As in the errors of the POSIX file system.
impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OperationKind::OpenForReading => "open for reading",
            OperationKind::OpenForWriting => "open for writing",
            OperationKind::Reuse => "reuse as",
            OperationKind::Read => "read",
            OperationKind::Append => "append to",
            OperationKind::Flush => "flush",
            OperationKind::Sync => "sync",
            OperationKind::RangeSync => "sync a range of",
            OperationKind::Allocate => "reserve room for",
            OperationKind::Close => "close",
            OperationKind::OpenDirectory => "open directory",
            OperationKind::SyncDirectory => "fsync directory",
            OperationKind::Delete => "delete file",
            OperationKind::Rename => "rename to",
            OperationKind::Link => "link to",
            OperationKind::Truncate => "truncate",
            OperationKind::CreateDirectory => "create directory",
            OperationKind::DeleteDirectory => "delete directory",
            OperationKind::List => "list directory",
            OperationKind::Inspect => "look at",
            OperationKind::Lock => "lock",
        })
    }
}

#[cfg(test)]
mod tests;
