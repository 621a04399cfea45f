//! What memtables hold, gathered by ranges of keys ahead of the thread that writes it.
//!
//! Memtables have their entries in the order in which they came, so that whoever goes through them by key waits for
//! memory at nearly each. A thread that helps takes one slice after another and leaves its entries in one piece of
//! memory, as merging the memtables gives them. It ends when enough is gathered, so that it keeps no other job from
//! running while the table is written slowly, and is asked for again when most of that is read. The thread that writes
//! the table takes the slices in order, and gathers itself what it comes to before anybody has begun it. What either
//! does is the same, and so is what is written.

use crate::compaction_job::Helpers;
use base::counted_bytes::CountedBytes;
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key};
use base::{InternalIterator, InternalKey, InternalKeyComparator, PinnableSlice, Result, Status};
use env::thread_cpu_micros;
use parking_lot::{Condvar, Mutex};
use statistics::Activity;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use table::StoredEntry;

/// As long as so many bytes are gathered and not read yet, nobody who helps begins a slice.
const AHEAD_SIZE_MAX: usize = 2 << 20;
/// When so many are left, help is asked for again.
const AHEAD_SIZE_MIN: usize = AHEAD_SIZE_MAX / 4;
/// Of a slice with more bytes, as of keys with very many versions, no more than that is gathered at once.
const SLICE_SIZE_MAX: usize = 1 << 20;

/// Bytes of the memory of all slices that there are.
static GATHERED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes that flushes take for what they gather out of memtables, in the whole process.
pub fn gathered_bytes() -> usize {
    GATHERED_BYTES.load(Ordering::Relaxed)
}

/// Finds where slices begin.
type NewStarts = dyn FnOnce() -> Vec<Vec<u8>> + Send;

/// Makes iterators over all that memtables hold, of the newest first.
type NewIterators = dyn Fn() -> Vec<Box<dyn InternalIterator>> + Send + Sync;

/// How memtables are divided.
pub struct MemTableSlices {
    /// Finds the user keys, timestamps included, with which slices begin, but the first: ascending, and no two of the
    /// same bytes. Not asked for where nobody helps; none if nobody is to help.
    pub new_starts: Box<NewStarts>,
    /// Makes iterators over all that the memtables hold, of the newest first.
    pub new_iterators: Box<NewIterators>,
    /// Who says whether a thread may help.
    pub helpers: Arc<dyn Helpers>,
}

impl fmt::Debug for MemTableSlices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemTableSlices").field("helpers", &self.helpers).finish_non_exhaustive()
    }
}

/// The entries of a slice, one behind the other.
struct Slice {
    /// Of each entry the internal key, then the value.
    bytes: Vec<u8>,
    entries: Vec<EntryEnds>,
    /// Where it goes on that was too large: the internal key of the first entry that is not here.
    rest: Option<Vec<u8>>,
    counted: CountedBytes,
}

/// Where the parts of an entry end. It begins where the one before ends.
#[derive(Clone, Copy)]
struct EntryEnds {
    key: usize,
    value: usize,
}

impl Slice {
    fn new() -> Self {
        let counted = CountedBytes::new(&GATHERED_BYTES);
        Self { bytes: Vec::new(), entries: Vec::new(), rest: None, counted }
    }

    fn push(&mut self, key: &[u8], value: &[u8]) {
        self.bytes.extend_from_slice(key);
        let key = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.entries.push(EntryEnds { key, value: self.bytes.len() });
    }

    fn last_key(&self) -> Option<&[u8]> {
        self.get(self.entries.len().checked_sub(1)?).map(|(key, _)| key)
    }

    /// Bytes of memory.
    fn size(&self) -> usize {
        self.bytes.capacity() + self.entries.capacity() * size_of::<EntryEnds>()
    }

    /// Key and value of an entry; none behind the last.
    #[inline]
    fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let ends = self.entries.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.entries[before].value);
        Some((&self.bytes[start..ends.key], &self.bytes[ends.key..ends.value]))
    }
}

/// What became of a slice: of one that panicked, with what.
type Gathered = std::result::Result<Result<Slice>, Box<dyn Any + Send>>;

/// 0 of one that could not be gathered.
fn size_of_gathered(gathered: &Gathered) -> usize {
    let slice = gathered.as_ref().ok().and_then(|gathered| gathered.as_ref().ok());
    slice.map_or(0, Slice::size)
}

/// What both threads know.
struct Shared {
    comparator: InternalKeyComparator,
    /// The user keys with which slices begin, but the first.
    starts: Vec<Vec<u8>>,
    new_iterators: Box<NewIterators>,
    helpers: Arc<dyn Helpers>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Default)]
struct Progress {
    /// Index of the next slice that nobody took.
    next: usize,
    gathered: BTreeMap<usize, Gathered>,
    /// Bytes of those.
    gathered_size: usize,
    /// Slices that were read, for what they have of memory.
    spent: Vec<Slice>,
    /// Whether somebody helps.
    is_helped: bool,
    /// Nobody reads any more.
    is_over: bool,
}

impl Shared {
    fn slice_count(&self) -> usize {
        self.starts.len() + 1
    }

    /// Puts what `cursor` has in the slice at `index`, or in the `rest` of it, into what was one.
    fn gather(
        &self,
        cursor: &mut dyn InternalIterator,
        (index, rest): (usize, Option<&[u8]>),
        mut slice: Slice,
    ) -> Result<Slice> {
        slice.bytes.clear();
        slice.entries.clear();
        slice.rest = None;
        match (rest, index.checked_sub(1)) {
            (Some(rest), _) => cursor.seek(rest)?,
            (None, None) => cursor.seek_to_first()?,
            (None, Some(before)) => {
                let start = &self.starts[before];
                cursor.seek(InternalKey::for_seek(start, MAX_SEQUENCE_NUMBER).as_bytes())?;
            }
        }
        let end = self.starts.get(index);
        while let Some((key, value)) = cursor.entry() {
            let user_key = extract_user_key(key);
            if end.is_some_and(|end| self.comparator.compare_user_keys(user_key, end).is_ge()) {
                break;
            }
            // Entries whose internal keys compare equal stay together: a seek finds the first of them.
            let follows = |last| self.comparator.compare(last, key).is_ne();
            if slice.bytes.len() >= SLICE_SIZE_MAX && slice.last_key().is_some_and(follows) {
                slice.rest = Some(key.to_vec());
                break;
            }
            slice.push(key, value);
            cursor.next()?;
        }
        slice.counted.set(slice.size());
        Ok(slice)
    }

    /// Gathers slices that nobody took until none is left, enough are gathered, or none is wanted.
    fn help(&self) {
        let mut cursor = iterator::merge(&self.comparator, (self.new_iterators)());
        while let Some((index, slice)) = self.take() {
            // What is left half done is thrown away; the job ends with the panic.
            let gathered =
                catch_unwind(AssertUnwindSafe(|| self.gather(&mut *cursor, (index, None), slice)));
            let mut progress = self.progress.lock();
            progress.gathered_size += size_of_gathered(&gathered);
            progress.gathered.insert(index, gathered);
            self.changed.notify_all();
        }
    }

    /// A slice for one who helps, and what to put it into.
    fn take(&self) -> Option<(usize, Slice)> {
        let mut progress = self.progress.lock();
        let index = progress.next;
        let is_wanted = !progress.is_over
            && progress.gathered_size < AHEAD_SIZE_MAX
            && index < self.slice_count();
        progress.is_helped = is_wanted;
        is_wanted.then(|| {
            progress.next += 1;
            (index, progress.spent.pop().unwrap_or_else(Slice::new))
        })
    }

    /// Whether somebody is to help now.
    fn wants_help(&self, progress: &Progress) -> bool {
        !progress.is_helped
            && progress.gathered_size < AHEAD_SIZE_MIN
            && progress.next < self.slice_count()
    }
}

/// A thread that helps, if one may and there is one. Nobody else does.
fn get_helper(shared: &Arc<Shared>) -> Option<JoinHandle<u64>> {
    let engagement = shared.helpers.engage()?;
    spawn_helper(shared, engagement)
}

/// The thread that helps while `engagement` is held.
fn spawn_helper(shared: &Arc<Shared>, engagement: Box<dyn Send>) -> Option<JoinHandle<u64>> {
    let (activity, helped) = (Activity::current(), shared.clone());
    let help = move || {
        let _activity = activity.begin();
        helped.help();
        drop(engagement);
        thread_cpu_micros()
    };
    shared.progress.lock().is_helped = true;
    // Where the system has no thread to give, the engagement ends here.
    let helper = Builder::new().name("tstone:slice".to_owned()).spawn(help).ok();
    if helper.is_none() {
        shared.progress.lock().is_helped = false;
    }
    helper
}

/// A forward cursor over what memtables hold, as they are divided. It can be read once.
pub(crate) struct SlicedInput {
    shared: Arc<Shared>,
    /// The last one. Returns its processor time.
    helper: Option<JoinHandle<u64>>,
    /// Processor time of those before.
    helped_micros: u64,
    /// What this thread gathers from.
    cursor: Box<dyn InternalIterator>,
    /// The slice that is read, and its index; none before the first.
    slice: Slice,
    slice_index: Option<usize>,
    /// In the slice.
    entry_index: usize,
}

impl SlicedInput {
    /// Begins to gather, if a thread may help, there is one, and memtables can be divided: without help this would be
    /// one copy more. `cursor` is over the same as what `slices` make, and comes back if not.
    pub(crate) fn begin(
        comparator: &InternalKeyComparator,
        slices: MemTableSlices,
        cursor: Box<dyn InternalIterator>,
    ) -> std::result::Result<Self, Box<dyn InternalIterator>> {
        let MemTableSlices { new_starts, new_iterators, helpers } = slices;
        let Some(engagement) = helpers.engage() else { return Err(cursor) };
        let starts = new_starts();
        if starts.is_empty() {
            return Err(cursor);
        }
        let shared = Shared {
            comparator: comparator.clone(),
            starts,
            new_iterators,
            helpers,
            progress: Mutex::default(),
            changed: Condvar::new(),
        };
        let shared = Arc::new(shared);
        match spawn_helper(&shared, engagement) {
            Some(helper) => Ok(Self {
                shared,
                helper: Some(helper),
                helped_micros: 0,
                cursor,
                slice: Slice::new(),
                slice_index: None,
                entry_index: 0,
            }),
            None => Err(cursor),
        }
    }

    /// Has a thread help again, if one may.
    fn get_help(&mut self) {
        self.helped_micros += self.join_helper();
        self.helper = get_helper(&self.shared);
    }

    /// Waits for the end of the last thread that helped; returns its processor time.
    fn join_helper(&mut self) -> u64 {
        let joined = self.helper.take().map(JoinHandle::join);
        // What it panics with outside of a slice is lost with it: no slice is missing then.
        joined.and_then(std::result::Result::ok).unwrap_or(0)
    }

    /// Comes to the first entry.
    ///
    /// # Errors
    /// That of the memtables' iterators; `NotSupported` if it did before.
    pub(crate) fn start(&mut self) -> Result<()> {
        if self.slice_index.is_some() {
            return Err(Status::not_supported("slices of memtables are read once"));
        }
        self.load(0)?;
        self.settle()
    }

    /// Goes on to the first entry at or after the internal key `target`.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(crate) fn seek(&mut self, target: &[u8]) -> Result<()> {
        if self.slice_index.is_none() {
            self.start()?;
        }
        while let Some((key, _)) = self.slice.get(self.entry_index)
            && self.shared.comparator.compare(key, target).is_lt()
        {
            self.next()?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn valid(&self) -> bool {
        self.entry_index < self.slice.entries.len()
    }

    /// # Errors
    /// As [`Self::start`].
    #[inline]
    pub(crate) fn next(&mut self) -> Result<()> {
        self.entry_index += 1;
        if self.valid() { Ok(()) } else { self.settle() }
    }

    /// Moves on within the slice, if there is an entry left in it.
    #[inline]
    pub(crate) fn next_in_slice(&mut self) -> bool {
        let is_left = self.entry_index + 1 < self.slice.entries.len();
        self.entry_index += usize::from(is_left);
        is_left
    }

    /// The entry here; none if not valid.
    #[inline]
    pub(crate) fn entry(&self) -> Option<StoredEntry<'_>> {
        self.slice.get(self.entry_index).map(|(key, value)| StoredEntry::apart(key, value))
    }

    #[inline]
    pub(crate) fn key(&self) -> &[u8] {
        self.parts().0
    }

    #[inline]
    pub(crate) fn value(&self) -> &[u8] {
        self.parts().1
    }

    pub(crate) fn pinned_value(&self) -> PinnableSlice {
        PinnableSlice::from(self.value())
    }

    #[inline]
    fn parts(&self) -> (&[u8], &[u8]) {
        match self.slice.get(self.entry_index) {
            Some(parts) => parts,
            None => panic!("input is not valid"),
        }
    }

    /// Goes on to the rest of the slice, or to the next one that has an entry, if there is none left here.
    fn settle(&mut self) -> Result<()> {
        while !self.valid()
            && let Some(index) = self.slice_index
        {
            if let Some(rest) = self.slice.rest.take() {
                let slice = std::mem::replace(&mut self.slice, Slice::new());
                let from = (index, Some(&rest[..]));
                self.slice = self.shared.gather(&mut *self.cursor, from, slice)?;
                self.entry_index = 0;
            } else if index + 1 < self.shared.slice_count() {
                self.load(index + 1)?;
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Comes to the slice at `index`, the one that follows.
    fn load(&mut self, index: usize) -> Result<()> {
        let spent = std::mem::replace(&mut self.slice, Slice::new());
        (self.slice_index, self.entry_index) = (Some(index), 0);
        let shared = self.shared.clone();
        let mut progress = shared.progress.lock();
        progress.spent.push(spent);
        loop {
            if let Some(gathered) = progress.gathered.remove(&index) {
                progress.gathered_size -= size_of_gathered(&gathered);
                let wants_help = shared.wants_help(&progress);
                drop(progress);
                self.slice = gathered.unwrap_or_else(|panic| resume_unwind(panic))?;
                if wants_help {
                    self.get_help();
                }
                return Ok(());
            }
            if progress.next == index {
                progress.next += 1;
                let slice = progress.spent.pop().unwrap_or_else(Slice::new);
                let wants_help = shared.wants_help(&progress);
                drop(progress);
                if wants_help {
                    self.get_help();
                }
                self.slice = shared.gather(&mut *self.cursor, (index, None), slice)?;
                return Ok(());
            }
            // Whoever took it is at it, for it is the next that is read.
            shared.changed.wait(&mut progress);
        }
    }

    /// Ends the help; returns the processor time that it took.
    pub(crate) fn end_help(&mut self) -> u64 {
        self.shared.progress.lock().is_over = true;
        std::mem::take(&mut self.helped_micros) + self.join_helper()
    }
}

impl Drop for SlicedInput {
    fn drop(&mut self) {
        self.end_help();
    }
}

#[cfg(test)]
mod tests;
