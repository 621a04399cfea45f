//! A data block in memory: its entries, and an array through which they are found.
//!
//! Every entry is checked once, when the block is loaded, so that cursors need not doubt what they
//! read. On the way a directory is made:
//!
//! ```text
//! common prefix          what all user keys of the block begin with, unless it is long
//! number, each           the eight bytes of the user key after those that all keys of the block
//!                        have in common (`sort_prefix`), or the first one, two or four
//!                        (`sorted_numbers`); none under a comparator that is not bytewise
//! fixed16 offset, each   where the entry begins; fixed32 in blocks of 64 KiB and more
//! ```
//!
//! It stands behind the contents, in the same memory: one piece takes less than two, and a cursor that
//! has found its entry is on a page that it knows.
//!
//! A search counts prefixes below the wanted one, a few adjacent cache lines, where a search over
//! restart points would touch a line far from the next at every step. The prefixes also hold what
//! the next keys leave out: a key that shares no more with the key before than common prefix and
//! number can be put together without that key.
//!
//! Blocks whose keys or layout differ from the plain form (sequence numbers given to a whole file,
//! timestamps that were left out, keys and values apart) are brought into it here, so that the rest
//! of the crate knows one form only.

mod checked_entries;

use crate::block::{BlockLayout, EXPANSION_MAX, Entry, EntryWalker};
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::block_memory;
use crate::frame_slots::{Residence, UseMark};
use crate::key_buffer::KeyBuffer;
use crate::sort_prefix::{Location, SORT_PREFIX_SIZE, SortPrefixOrder, keep_bytes};
use crate::sorted_numbers::{NumberForm, SortedNumbers, form_of};
use base::block_capacity::block_capacity;
use base::coding::{decode_fixed16, decode_fixed32};
use base::dbformat::{MAX_SEQUENCE_NUMBER, TRAILER_SIZE, hex};
use base::pinnable_slice::PinnedBytes;
use base::{InternalKeyComparator, Result, SequenceNumber, Status, key_prefix};
use checked_entries::{CheckedEntries, check_entries};
use kernels::prefetch::{prefetch, prefetch_address};

/// What a table's keys get when they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyTransform {
    /// The sequence number of every key of an ingested file.
    pub global_sequence: Option<SequenceNumber>,
    /// Size of the timestamps that user keys lack; zeros take their place.
    pub missing_timestamp_size: usize,
}

impl KeyTransform {
    /// Whether keys stay as they are.
    pub fn is_identity(&self) -> bool {
        self.global_sequence.is_none() && self.missing_timestamp_size == 0
    }

    /// Replaces `output` with the transformed `internal_key`.
    ///
    /// # Errors
    /// `Corruption` if the key is shorter than a trailer.
    pub fn apply(&self, internal_key: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let Some((user_key, trailer)) = internal_key.split_last_chunk::<TRAILER_SIZE>() else {
            return Err(Status::corruption(format!(
                "internal key {} is shorter than its trailer",
                hex(internal_key)
            )));
        };
        output.clear();
        output.extend_from_slice(user_key);
        output.resize(output.len() + self.missing_timestamp_size, 0);
        let mut packed = u64::from_le_bytes(*trailer);
        if let Some(sequence) = self.global_sequence {
            debug_assert!(sequence <= MAX_SEQUENCE_NUMBER);
            packed = packed & 0xff | sequence << 8;
        }
        output.extend_from_slice(&packed.to_le_bytes());
        Ok(())
    }
}

/// Turns the bytes of a table's data blocks into [`DataBlock`]s.
#[derive(Clone, Debug)]
pub struct DataBlockDecoder {
    order: SortPrefixOrder,
    transform: KeyTransform,
}

/// Restart points of rewritten blocks.
const REWRITTEN_RESTART_INTERVAL: usize = 16;
/// Walking back to a key that stands for itself may take this many entries.
const CHAIN_LENGTH_MAX: usize = 64;

impl DataBlockDecoder {
    /// A decoder for one table.
    pub fn new(comparator: &InternalKeyComparator, transform: KeyTransform) -> Self {
        Self { order: SortPrefixOrder::new(comparator), transform }
    }

    /// Decodes an uncompressed block.
    ///
    /// # Errors
    /// `Corruption` if anything in it is not as it must be; `NotSupported` for reserved bits.
    pub fn decode(&self, contents: &[u8]) -> Result<DataBlock> {
        let layout = BlockLayout::parse(contents)?;
        if layout.values_offset.is_none() && self.transform.is_identity() {
            let checked = check_entries(contents, &layout, self.order)?;
            let block = DataBlock::of_checked(contents, &layout, self.order, &checked)?;
            if block.all_stand_alone(&checked) || block.has_short_chains() {
                return Ok(block);
            }
            return self.decode_rewritten(block.contents(), &KeyTransform::default());
        }
        self.decode_rewritten(contents, &self.transform)
    }

    /// The contents of an uncompressed block anew in the plain form; none if they are in this form.
    /// Entries are then not looked at.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn rewritten(&self, contents: &[u8]) -> Result<Option<Vec<u8>>> {
        let layout = BlockLayout::parse(contents)?;
        match layout.values_offset.is_none() && self.transform.is_identity() {
            true => Ok(None),
            false => rewrite(contents, &self.transform).map(Some),
        }
    }

    /// The block of contents in the plain form (`DataBlock::contents`). They are checked as those of
    /// a file are.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn decode_plain(&self, contents: &[u8]) -> Result<DataBlock> {
        DataBlock::build_with_layout(contents, self.order)
    }

    fn decode_rewritten(&self, contents: &[u8], transform: &KeyTransform) -> Result<DataBlock> {
        let rewritten = rewrite(contents, transform)?;
        DataBlock::build_with_layout(&rewritten, self.order)
    }
}

/// Encodes a block anew, in the plain form and with restart points near enough to one another,
/// which makes it longer by no more than a small factor: a long key is repeated only after entries of
/// at least a quarter of its length.
fn rewrite(contents: &[u8], transform: &KeyTransform) -> Result<Vec<u8>> {
    let options = BlockBuilderOptions { restart_interval: usize::MAX, ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    let mut walker = EntryWalker::with_expansion(contents, EXPANSION_MAX)?;
    let mut transformed = Vec::new();
    let (mut since_restart, mut restart_size) = (0, 0);
    while let Some((key, value)) = walker.next()? {
        transform.apply(key, &mut transformed)?;
        let size = builder.current_size_estimate();
        let distance = size - restart_size;
        if since_restart >= REWRITTEN_RESTART_INTERVAL && distance >= transformed.len() / 4 {
            builder.force_restart();
            (since_restart, restart_size) = (0, size);
        }
        builder.add(&transformed, value);
        since_restart += 1;
    }
    Ok(builder.finish())
}

/// Common prefixes up to this length stand in the directory, to save a search one more cold line.
const COMMON_KEPT_MAX: usize = 64;
/// A directory has so many bytes at least, so that a common prefix up to this length is copied in one step.
const DIRECTORY_SIZE_MIN: usize = 24;

/// So many bytes of entries are asked for ahead of a cursor; processors then see where it goes.
const AHEAD_BYTES: usize = 768;

/// A data block ready for cursors. What a search needs first comes first.
#[derive(Debug)]
#[repr(C)]
pub struct DataBlock {
    /// The contents in the plain form, then the directory: common prefix, numbers, offsets; then zeros.
    memory: Box<[u8]>,
    entry_count: u32,
    /// In the memory, where the common prefix ends.
    numbers_start: u32,
    /// In the memory, where the numbers end.
    offsets_start: u32,
    common_length: u32,
    /// The most bytes that a key may leave out and be put together without the one before: the common prefix
    /// and what numbers hold.
    kept_max: u32,
    entries_end: u32,
    contents_size: u32,
    number_form: NumberForm,
    has_wide_offsets: bool,
    kinds: EntryKinds,
    use_mark: UseMark,
    /// What numbers have in common, as `number_form` says.
    number_rest: u64,
    order: SortPrefixOrder,
    /// The greatest of all sequence numbers.
    newest_sequence: SequenceNumber,
    residence: Residence<Self>,
}

// There is one for each cached block of some KiB. With the counts before it and the allocator's word it takes two
// lines.
const _: () = assert!(size_of::<DataBlock>() == 104);

/// What all entries of a block are, as far as readers make use of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKinds {
    Any,
    PointDeletions,
    /// Values of user keys that numbers tell apart.
    DistinctValues,
}

impl DataBlock {
    fn build_with_layout(contents: &[u8], order: SortPrefixOrder) -> Result<Self> {
        let layout = BlockLayout::parse(contents)?;
        let checked = check_entries(contents, &layout, order)?;
        Self::of_checked(contents, &layout, order, &checked)
    }

    /// `contents` must be in the plain form.
    fn of_checked(
        contents: &[u8],
        layout: &BlockLayout,
        order: SortPrefixOrder,
        checked: &CheckedEntries,
    ) -> Result<Self> {
        let CheckedEntries { offsets, holds, .. } = checked;
        let offset_size = if u16::try_from(contents.len()).is_ok() { 2 } else { size_of::<u32>() };
        let directory_size_max = offsets.len() * (SORT_PREFIX_SIZE + offset_size);
        if u32::try_from(contents.len() + COMMON_KEPT_MAX + directory_size_max).is_err() {
            return Err(Status::not_supported(format!("data block of {} bytes", contents.len())));
        }
        let mut block = Self {
            memory: Box::default(),
            entry_count: offsets.len() as u32,
            numbers_start: 0,
            offsets_start: 0,
            common_length: if order.is_bytewise() { checked.common_length as u32 } else { 0 },
            kept_max: 0,
            number_rest: 0,
            entries_end: layout.entries_end as u32,
            contents_size: contents.len() as u32,
            order,
            number_form: NumberForm::default(),
            has_wide_offsets: offset_size > 2,
            kinds: EntryKinds::Any,
            use_mark: UseMark::default(),
            newest_sequence: holds.newest_sequence,
            residence: Residence::default(),
        };
        let numbers = match order.is_bytewise() {
            true => block.take_numbers(&contents[..layout.entries_end], checked)?,
            false => Numbers::default(),
        };
        block.kinds = match (holds.only_deletions(), holds.only_values()) {
            (true, _) => EntryKinds::PointDeletions,
            (_, true) if numbers.are_distinct => EntryKinds::DistinctValues,
            _ => EntryKinds::Any,
        };
        block.fill_memory(contents, &numbers.whole, offsets, offset_size);
        Ok(block)
    }

    /// The numbers of all entries; the form that they are to have is taken on.
    fn take_numbers(&mut self, entries: &[u8], checked: &CheckedEntries) -> Result<Numbers> {
        let numbers = self.whole_numbers(entries, &checked.offsets)?;
        let longest_kept = checked.longest_shared.saturating_sub(checked.common_length);
        let needs_all_bytes = longest_kept > NumberForm::HighOnly.known_bytes();
        (self.number_form, self.number_rest) = form_of(&numbers.whole, needs_all_bytes);
        self.kept_max = self.common_length + self.number_form.known_bytes() as u32;
        Ok(numbers)
    }

    /// Brings all together that is there for long.
    fn fill_memory(
        &mut self,
        contents: &[u8],
        numbers: &[u64],
        offsets: &[u32],
        offset_size: usize,
    ) {
        let length = self.common_length as usize;
        let common = if length <= COMMON_KEPT_MAX { first_key(contents, length) } else { &[] };
        let number_size = self.number_form.kept_bytes();
        let directory_size =
            common.len() + numbers.len() * number_size + offsets.len() * offset_size;
        let capacity = block_capacity(contents.len() + directory_size.max(DIRECTORY_SIZE_MIN));
        let mut memory = block_memory::take(capacity);
        memory.extend_from_slice(contents);
        memory.extend_from_slice(common);
        self.numbers_start = memory.len() as u32;
        self.number_form.append(numbers, &mut memory);
        self.offsets_start = memory.len() as u32;
        append_offsets(&mut memory, offsets, self.has_wide_offsets);
        memory.resize(memory.capacity(), 0);
        self.memory = memory.into_boxed_slice();
    }

    /// The numbers of all entries, which must ascend.
    fn whole_numbers(&self, entries: &[u8], offsets: &[u32]) -> Result<Numbers> {
        let common = self.common_length as usize;
        let mut whole = Vec::with_capacity(offsets.len());
        let (mut raw, mut last, mut are_distinct) = (0u64, None, true);
        for &offset in offsets {
            let entry = entry_in(entries, offset as usize);
            if entry.shared < common + SORT_PREFIX_SIZE {
                // A key is at least a trailer longer than the common prefix, so the suffix has all
                // bytes wanted here.
                let kept = entry.shared.saturating_sub(common);
                let skipped = common.saturating_sub(entry.shared);
                let loaded = key_prefix(&entries[entry.suffix_start + skipped..]);
                raw = keep_bytes(raw, kept) | loaded >> (8 * kept);
            }
            let number = self.order.number_of(keep_bytes(raw, self.prefix_size(&entry)));
            if Some(number) < last {
                return Err(Status::corruption(format!(
                    "keys of block out of order at its byte {offset}"
                )));
            }
            are_distinct &= Some(number) != last;
            last = Some(number);
            whole.push(number);
        }
        Ok(Numbers { whole, are_distinct })
    }

    /// Bytes of the user key, without timestamp, after the common prefix.
    #[inline]
    fn prefix_size(&self, entry: &Entry) -> usize {
        entry.key_size() - self.order.internal_suffix_size() - self.common_length as usize
    }

    /// Whether every key can be put together without the one before.
    fn all_stand_alone(&self, checked: &CheckedEntries) -> bool {
        checked.longest_shared <= self.kept_max as usize
            && checked.shortest_suffix >= self.order.internal_suffix_size()
    }

    /// Whether every key can be put together in few steps, or in so few that copying the key takes
    /// as long.
    fn has_short_chains(&self) -> bool {
        let (mut length, mut start) = (0, 0);
        (0..self.entry_count()).all(|index| {
            let offset = self.offset(index);
            let entry = self.entry_at(offset);
            if self.stands_alone(&entry) {
                (length, start) = (0, offset);
            } else {
                length += 1;
            }
            length <= CHAIN_LENGTH_MAX || (offset - start) / 4 <= entry.key_size()
        })
    }

    /// Asks for what a cursor needs first that comes from the block before.
    pub(crate) fn prefetch_start(&self) {
        prefetch(&self.memory[self.offsets_start as usize..], 1);
        prefetch(self.contents(), AHEAD_BYTES);
    }

    /// As [`Self::prefetch_start`], for a cursor that comes from behind.
    pub(crate) fn prefetch_end(&self) {
        let end = self.entries_end as usize;
        let offset_size = if self.has_wide_offsets { 4 } else { 2 };
        let last = self.entry_count().saturating_sub(1) * offset_size;
        let offsets_start = self.offsets_start as usize;
        prefetch(&self.memory[offsets_start + last..], 1);
        // The last number, by which a cursor sees that a key is the newest version.
        prefetch(&self.memory[offsets_start.saturating_sub(1)..], 1);
        prefetch(&self.memory[end.saturating_sub(AHEAD_BYTES)..end], AHEAD_BYTES);
    }

    /// Loads offsets together with the prefixes that lie before them, rather than one after these
    /// were counted.
    #[inline]
    pub(crate) fn touch_offsets(&self) {
        const LINE: usize = 64;
        let start = self.offsets_start as usize;
        for line in 0..2 {
            std::hint::black_box(self.memory.get(start + line * LINE).copied());
        }
    }

    /// Asks for the directory, as far as a search of a block of usual size goes.
    #[inline]
    pub(crate) fn prefetch_directory(&self) {
        const BYTES_MAX: usize = 768;
        prefetch(self.directory(), BYTES_MAX);
    }

    /// Asks for the first and the last byte of the contents, so that where their pages are is known when
    /// it is known which entry is wanted.
    #[inline]
    pub(crate) fn prefetch_pages(&self) {
        let contents = self.contents();
        prefetch(contents, 1);
        prefetch(&contents[contents.len().saturating_sub(1)..], 1);
    }

    /// Where the directory begins.
    #[inline]
    pub(crate) fn directory_start(&self) -> *const u8 {
        self.directory().as_ptr()
    }

    /// Asks for the first bytes of an entry, if there is such.
    #[inline]
    pub(crate) fn prefetch_entry(&self, index: usize) {
        const BYTES_MAX: usize = 192;
        if index < self.entry_count() {
            prefetch(&self.memory[self.offset(index)..], BYTES_MAX);
        }
    }

    /// Whether it was used.
    #[inline]
    pub(crate) fn use_mark(&self) -> &UseMark {
        &self.use_mark
    }

    /// What it knows of the cache that it is in.
    #[inline]
    pub(crate) fn residence(&self) -> &Residence<Self> {
        &self.residence
    }

    /// Whether every entry is a point deletion.
    #[inline]
    pub(crate) fn holds_only_deletions(&self) -> bool {
        self.kinds == EntryKinds::PointDeletions
    }

    /// Whether every entry is a value of a user key of its own, and is as old as `sequence`.
    #[inline]
    pub(crate) fn holds_plain_values(&self, sequence: SequenceNumber) -> bool {
        self.kinds == EntryKinds::DistinctValues && self.newest_sequence <= sequence
    }

    /// Number of entries.
    #[inline]
    pub fn entry_count(&self) -> usize {
        self.entry_count as usize
    }

    /// Bytes of memory, for the cache.
    pub fn memory_usage_bytes(&self) -> usize {
        size_of::<Self>() + self.memory.len()
    }

    /// The block in the plain form.
    #[inline]
    pub(crate) fn contents(&self) -> &[u8] {
        &self.memory[..self.contents_size as usize]
    }

    /// What is behind the contents.
    #[inline]
    fn directory(&self) -> &[u8] {
        &self.memory[self.contents_size as usize..]
    }

    /// The block and what is behind it, for who has a place in it.
    #[inline]
    pub(crate) fn padded(&self) -> &[u8] {
        &self.memory
    }

    #[inline]
    pub(crate) fn order(&self) -> SortPrefixOrder {
        self.order
    }

    /// One number per entry, or none at all.
    #[inline]
    pub(crate) fn numbers(&self) -> SortedNumbers<'_> {
        let bytes = &self.memory[self.numbers_start as usize..self.offsets_start as usize];
        SortedNumbers::new(bytes, self.number_form, self.number_rest)
    }

    #[inline]
    fn offset(&self, index: usize) -> usize {
        let start = self.offsets_start as usize;
        if self.has_wide_offsets {
            decode_fixed32(&self.memory, start + 4 * index) as usize
        } else {
            usize::from(decode_fixed16(&self.memory, start + 2 * index))
        }
    }

    #[inline]
    fn common_prefix(&self) -> &[u8] {
        let length = self.common_length as usize;
        match length <= COMMON_KEPT_MAX {
            true => &self.directory()[..length],
            false => first_key(&self.memory, length),
        }
    }

    /// Asks for the first bytes of an entry, those of a key of usual size, if there is such.
    #[inline]
    pub(crate) fn prefetch_head(&self, index: usize) {
        const BYTES: usize = 36;
        if index < self.entry_count() {
            let head = self.memory.as_ptr().wrapping_add(self.offset(index));
            prefetch_address(head);
            // Where that is in another line, which processors do not see coming from behind.
            prefetch_address(head.wrapping_add(BYTES));
        }
    }

    #[inline]
    pub(crate) fn entry(&self, index: usize) -> Entry {
        self.entry_at(self.offset(index))
    }

    /// The entry that begins at `offset`.
    ///
    /// # Panics
    /// If none does.
    #[inline(always)]
    pub(crate) fn entry_at(&self, offset: usize) -> Entry {
        entry_in(&self.memory[..self.entries_end as usize], offset)
    }

    /// Whether the key can be put together without the key before.
    #[inline]
    pub(crate) fn stands_alone(&self, entry: &Entry) -> bool {
        entry.shared == 0
            || entry.shared <= self.kept_max as usize
                && entry.shared + self.order.internal_suffix_size() <= entry.key_size()
    }

    /// Makes `key` the key of an entry that stands alone.
    #[inline]
    pub(crate) fn load_key(&self, index: usize, entry: &Entry, key: &mut KeyBuffer) {
        let common = entry.shared.min(self.common_length as usize);
        match self.directory().first_chunk::<DIRECTORY_SIZE_MIN>() {
            Some(begin) if self.common_length as usize <= begin.len() => key.begin(begin, common),
            _ if common > 0 => key.splice(0, self.common_prefix(), 0, common),
            _ => {}
        }
        if entry.shared > common {
            let mut chunk = [0; 32];
            let raw = self.order.raw_of(self.numbers().at(index));
            chunk[..SORT_PREFIX_SIZE].copy_from_slice(&raw.to_be_bytes());
            key.splice(common, &chunk, 0, entry.shared - common);
        }
        key.splice(entry.shared, &self.memory, entry.suffix_start, entry.non_shared);
    }

    /// Where a user key without timestamp stands among the block's, as far as prefixes tell.
    #[inline]
    pub(crate) fn locate(&self, key: &[u8]) -> Location {
        self.order.locate(key, self.common_prefix())
    }
}

impl Drop for DataBlock {
    fn drop(&mut self) {
        block_memory::give(std::mem::take(&mut self.memory));
    }
}

impl PinnedBytes for DataBlock {
    fn bytes(&self) -> &[u8] {
        self.padded()
    }
}

/// The entry of a block that was checked which begins at `offset`.
///
/// # Panics
/// If none does.
#[inline(always)]
fn entry_in(entries: &[u8], offset: usize) -> Entry {
    match Entry::decode_head(entries, offset) {
        Some(entry) => entry,
        None => no_entry(offset),
    }
}

/// The first `length` bytes of the first key.
fn first_key(contents: &[u8], length: usize) -> &[u8] {
    let start = Entry::decode_head(contents, 0).map_or(0, |entry| entry.suffix_start);
    &contents[start..start + length]
}

/// The numbers of a block.
#[derive(Default)]
struct Numbers {
    whole: Vec<u64>,
    /// No two are the same.
    are_distinct: bool,
}

/// Appends where entries begin, in four bytes each or in two.
fn append_offsets(memory: &mut Vec<u8>, offsets: &[u32], are_wide: bool) {
    match are_wide {
        true => offsets.iter().for_each(|offset| memory.extend_from_slice(&offset.to_le_bytes())),
        false => {
            let start = memory.len();
            memory.resize(start + 2 * offsets.len(), 0);
            for (slot, &offset) in memory[start..].as_chunks_mut().0.iter_mut().zip(offsets) {
                *slot = (offset as u16).to_le_bytes();
            }
        }
    }
}

#[cold]
#[inline(never)]
fn no_entry(offset: usize) -> ! {
    panic!("no entry at byte {offset} of a block that was checked")
}

#[cfg(test)]
mod tests;
