//! The entries that go into a job, and how many.

use crate::blob_garbage_meter::BlobFlow;
use crate::merge_kernel::{MergeKernel, Step};
use crate::sliced_input::SlicedInput;
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key};
use base::{
    InternalIterator, InternalKey, InternalKeyComparator, ParsedInternalKey, PinnableSlice, Result,
};
use table::{StoredEntry, WholeBlock};

/// A range of user keys, without timestamps: from `start` on up to before `end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// First key; none for the first there is.
    pub start: Option<Vec<u8>>,
    /// First key after the range; none if there is no end.
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    /// All keys.
    pub fn all() -> Self {
        Self::default()
    }

    /// The bounds as the comparator takes them: ending in the greatest timestamp, which comes
    /// before all others.
    pub fn padded(&self, comparator: &InternalKeyComparator) -> Self {
        let pad = |key: &Option<Vec<u8>>| {
            key.as_ref().map(|key| {
                let mut key = key.clone();
                key.extend_from_slice(&comparator.user_comparator().max_timestamp());
                key
            })
        };
        Self { start: pad(&self.start), end: pad(&self.end) }
    }
}

/// Where a job's entries come from, sorted.
pub(crate) enum EntrySource {
    Kernel(MergeKernel),
    /// Memtables that a thread helps to go through.
    Slices(SlicedInput),
    /// Memtables, and what the kernel does not merge.
    Iterator(Box<dyn InternalIterator>),
}

/// Calls the same method of either source.
macro_rules! either {
    ($self:expr, $source:ident => $call:expr) => {
        match $self {
            EntrySource::Kernel($source) => $call,
            EntrySource::Slices($source) => $call,
            EntrySource::Iterator($source) => $call,
        }
    };
}

impl EntrySource {
    #[inline]
    fn valid(&self) -> bool {
        either!(self, source => source.valid())
    }

    fn seek_to_first(&mut self) -> Result<()> {
        match self {
            Self::Kernel(kernel) => kernel.seek_to_first(),
            Self::Slices(slices) => slices.start(),
            Self::Iterator(iterator) => iterator.seek_to_first(),
        }
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        either!(self, source => source.seek(target))
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        either!(self, source => source.next())
    }

    #[inline]
    fn entry(&self) -> Option<StoredEntry<'_>> {
        match self {
            Self::Kernel(kernel) => EntryCursor::entry(kernel),
            Self::Slices(slices) => slices.entry(),
            Self::Iterator(iterator) => EntryCursor::entry(&**iterator),
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        either!(self, source => source.key())
    }

    #[inline]
    fn value(&self) -> &[u8] {
        either!(self, source => source.value())
    }

    fn pinned_value(&self) -> PinnableSlice {
        match self {
            Self::Kernel(kernel) => PinnableSlice::from(kernel.value()),
            Self::Slices(slices) => slices.pinned_value(),
            Self::Iterator(iterator) => iterator.pinned_value(),
        }
    }
}

/// Which entry is handed on first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassFrom {
    /// The one that the cursor is at, if it is at any.
    Here,
    /// The one behind it.
    Next,
}

/// What is handed entries one after another.
pub(crate) trait TakesEntries {
    /// Returns whether it took the entry.
    fn take(&mut self, entry: &StoredEntry<'_>) -> bool;
}

/// What [`pass`] needs of a source.
trait EntryCursor {
    /// Moves on if that takes no call. Returns whether it did; if not, [`Self::next_slowly`] is to follow.
    fn next_quickly(&mut self) -> bool;
    fn next_slowly(&mut self) -> Result<Step>;
    /// The entry here, if there is one.
    fn entry(&self) -> Option<StoredEntry<'_>>;
}

impl EntryCursor for MergeKernel {
    #[inline(always)]
    fn next_quickly(&mut self) -> bool {
        self.next_laid_out()
    }

    fn next_slowly(&mut self) -> Result<Step> {
        self.next_entries()
    }

    #[inline(always)]
    fn entry(&self) -> Option<StoredEntry<'_>> {
        self.entry()
    }
}

impl EntryCursor for SlicedInput {
    #[inline(always)]
    fn next_quickly(&mut self) -> bool {
        self.next_in_slice()
    }

    fn next_slowly(&mut self) -> Result<Step> {
        self.next().map(|()| Step::Entry)
    }

    #[inline(always)]
    fn entry(&self) -> Option<StoredEntry<'_>> {
        self.entry()
    }
}

impl EntryCursor for dyn InternalIterator {
    fn next_quickly(&mut self) -> bool {
        false
    }

    fn next_slowly(&mut self) -> Result<Step> {
        InternalIterator::next(self).map(|()| Step::Entry)
    }

    fn entry(&self) -> Option<StoredEntry<'_>> {
        InternalIterator::entry(self).map(|(key, value)| StoredEntry::apart(key, value))
    }
}

/// As [`CompactionInput::pass`]. Returns whether the cursor is at an entry within the range.
#[inline]
fn pass<S: EntryCursor + ?Sized>(
    source: &mut S,
    count: usize,
    is_within: impl Fn(&[u8]) -> bool,
    taker: &mut impl TakesEntries,
    from: PassFrom,
    taken: &mut usize,
) -> Result<bool> {
    let mut moves = from == PassFrom::Next;
    loop {
        if moves && !source.next_quickly() && source.next_slowly()? == Step::Block {
            return Ok(source.entry().is_some_and(|entry| is_within(entry.key)));
        }
        moves = true;
        let Some(entry) = source.entry().filter(|entry| is_within(entry.key)) else {
            return Ok(false);
        };
        if *taken == count || !taker.take(&entry) {
            return Ok(true);
        }
        *taken += 1;
    }
}

/// A forward cursor over a job's input, within a range.
pub(crate) struct CompactionInput {
    inner: EntrySource,
    comparator: InternalKeyComparator,
    /// Padded.
    range: KeyRange,
    valid: bool,
    entries_passed: u64,
    is_count_exact: bool,
    /// Blobs that entries passed refer to, if somebody wants to know.
    blob_flow: Option<BlobFlow>,
}

impl CompactionInput {
    pub(crate) fn new(
        inner: EntrySource,
        comparator: InternalKeyComparator,
        range: &KeyRange,
        counts_blobs: bool,
    ) -> Self {
        Self {
            inner,
            range: range.padded(&comparator),
            comparator,
            valid: false,
            entries_passed: 0,
            is_count_exact: true,
            blob_flow: counts_blobs.then(BlobFlow::default),
        }
    }

    pub(crate) fn seek_to_first(&mut self) -> Result<()> {
        match &self.range.start {
            None => self.inner.seek_to_first()?,
            Some(start) => {
                let target = InternalKey::for_seek(start, MAX_SEQUENCE_NUMBER);
                self.inner.seek(target.as_bytes())?;
            }
        }
        self.arrive()
    }

    /// Counts the entry that the cursor has come to.
    #[inline]
    fn arrive(&mut self) -> Result<()> {
        self.valid = self.inner.valid();
        if let Some(end) = &self.range.end
            && self.valid
        {
            let user_key = extract_user_key(self.inner.key());
            self.valid = self.comparator.compare_without_timestamp(user_key, end).is_lt();
        }
        if self.valid {
            self.entries_passed += 1;
            if let Some(flow) = &mut self.blob_flow {
                let key = ParsedInternalKey::parse(self.inner.key())?;
                flow.add(key.user_key, key.value_type, self.inner.value())?;
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn valid(&self) -> bool {
        self.valid
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<()> {
        self.inner.next()?;
        self.arrive()
    }

    /// Hands `taker` entries from `from` on, one by one, as long as it takes them and there is one, but at most
    /// `count` of them, and up to where a block begins that may go on whole. Blobs must not be counted. Returns
    /// how many were taken; the cursor is then at an entry that was not, unless there is none.
    pub(crate) fn pass(
        &mut self,
        from: PassFrom,
        count: usize,
        taker: &mut impl TakesEntries,
    ) -> Result<usize> {
        debug_assert!(self.blob_flow.is_none(), "blobs passed without being counted");
        let Self { inner, comparator, range, .. } = self;
        let end = range.end.as_deref();
        let is_within = |key: &[u8]| {
            end.is_none_or(|end| {
                comparator.compare_without_timestamp(extract_user_key(key), end).is_lt()
            })
        };
        if from == PassFrom::Here && !self.valid {
            return Ok(0);
        }
        let mut taken = 0;
        let result = match inner {
            EntrySource::Kernel(kernel) => pass(kernel, count, is_within, taker, from, &mut taken),
            EntrySource::Slices(slices) => pass(slices, count, is_within, taker, from, &mut taken),
            EntrySource::Iterator(iterator) => {
                pass(&mut **iterator, count, is_within, taker, from, &mut taken)
            }
        };
        self.valid = !matches!(result, Ok(false));
        // The first was counted when the cursor came to it.
        let counted = u64::from(from == PassFrom::Here);
        self.entries_passed += taken as u64 + u64::from(self.valid) - counted;
        result.map(|_| taken)
    }

    /// Whether [`Self::whole_block`] may be there.
    #[inline(always)]
    pub(crate) fn may_be_at_block(&self) -> bool {
        matches!(&self.inner, EntrySource::Kernel(kernel) if kernel.may_be_at_block())
    }

    /// The data block that begins here, if it is within the range, no other source has a key within it,
    /// and blobs are not counted.
    pub(crate) fn whole_block(&self) -> Option<WholeBlock<'_>> {
        let EntrySource::Kernel(kernel) = &self.inner else { return None };
        if !self.valid || self.blob_flow.is_some() {
            return None;
        }
        kernel.whole_block().filter(|block| {
            self.range.end.as_ref().is_none_or(|end| {
                let last = extract_user_key(block.last_key());
                self.comparator.compare_without_timestamp(last, end).is_lt()
            })
        })
    }

    /// Moves behind [`Self::whole_block`], which must be there and have so many entries.
    pub(crate) fn pass_block(&mut self, entries: u64) -> Result<()> {
        if let EntrySource::Kernel(kernel) = &mut self.inner {
            kernel.go_to_last_laid_out();
            self.entries_passed += entries - 1;
        }
        self.next()
    }

    /// Ends what threads do to help with the input; returns the processor time that it took.
    pub(crate) fn end_help(&mut self) -> u64 {
        match &mut self.inner {
            EntrySource::Slices(slices) => slices.end_help(),
            EntrySource::Kernel(_) | EntrySource::Iterator(_) => 0,
        }
    }

    /// Whether blobs are counted.
    pub(crate) fn counts_blobs(&self) -> bool {
        self.blob_flow.is_some()
    }

    /// Goes on to the first entry at or after `user_key`.
    pub(crate) fn skip_until(&mut self, user_key: &[u8]) -> Result<()> {
        if self.blob_flow.is_some() {
            while self.valid
                && self.comparator.compare_user_keys(extract_user_key(self.key()), user_key).is_lt()
            {
                self.next()?;
            }
            return Ok(());
        }
        self.is_count_exact = false;
        self.inner.seek(InternalKey::for_seek(user_key, MAX_SEQUENCE_NUMBER).as_bytes())?;
        self.arrive()
    }

    /// The entry here; none if not valid.
    #[inline]
    pub(crate) fn entry(&self) -> Option<StoredEntry<'_>> {
        self.inner.entry().filter(|_| self.valid)
    }

    #[inline]
    pub(crate) fn key(&self) -> &[u8] {
        self.inner.key()
    }

    #[inline]
    pub(crate) fn value(&self) -> &[u8] {
        self.inner.value()
    }

    pub(crate) fn pinned_value(&self) -> PinnableSlice {
        self.inner.pinned_value()
    }

    /// How many entries the cursor came to; none if it jumped over some.
    pub(crate) fn entries_passed(&self) -> Option<u64> {
        self.is_count_exact.then_some(self.entries_passed)
    }

    pub(crate) fn blob_flow(&self) -> Option<&BlobFlow> {
        self.blob_flow.as_ref()
    }
}
