//! Index blocks as stored.
//!
//! ```text
//! key     separator: an internal key, or a user key if property
//!         rocksdb.index.key.is.user.key is 1
//! value   block handle | [length-prefixed first internal key of the block]   type 3 only
//! ```
//!
//! With property `rocksdb.index.value.is.delta.encoded` entries have no value size, and the value
//! of a key that shares bytes with the key before is instead
//!
//! ```text
//! value   varsignedint64 size - size of the block before | [first key]
//! ```
//!
//! since that block begins where the one before ends with its trailer. The top level of a two-level
//! index and that of partitioned filters are blocks of the same form, without first keys.

use crate::block::{BlockLayout, EXPANSION_MAX, Entry, ExpansionBudget, bad_entry};
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use base::coding::{
    get_length_prefixed, get_varint32, get_varsignedint64, put_length_prefixed, put_varsignedint64,
};
use base::{Result, Status};

/// Kinds of indexes, property `rocksdb.block.based.table.index.type`. The numbers are on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum IndexType {
    /// One block.
    #[default]
    BinarySearch = 0,
    /// As [`IndexType::BinarySearch`], with blocks beside it that map prefixes to restart points.
    /// Those are optional help and not read.
    HashSearch = 1,
    /// Partitions, and a block that points to them.
    TwoLevel = 2,
    /// As [`IndexType::BinarySearch`], with the first key of every data block.
    BinarySearchWithFirstKey = 3,
}

impl IndexType {
    /// The kind of this number, if there is one.
    pub fn from_u32(number: u32) -> Option<Self> {
        [Self::BinarySearch, Self::HashSearch, Self::TwoLevel, Self::BinarySearchWithFirstKey]
            .get(number as usize)
            .copied()
    }
}

/// What the properties of a table say about the form of its index blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexBlockFormat {
    /// Separators are user keys, without a trailer.
    pub keys_are_user_keys: bool,
    /// Handles are delta-encoded and values have no size.
    pub values_are_delta_encoded: bool,
    /// Values end in the first key of the data block.
    pub has_first_keys: bool,
}

/// One entry of an index block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry<'k, 'a> {
    /// The separator as stored.
    pub key: &'k [u8],
    /// The block it leads to.
    pub handle: BlockHandle,
    /// The first internal key of that block, in indexes that hold them.
    pub first_internal_key: Option<&'a [u8]>,
}

/// Walks the entries of an index block from first to last.
#[derive(Debug)]
pub struct IndexBlockWalker<'a> {
    entries: &'a [u8],
    format: IndexBlockFormat,
    next_offset: usize,
    key: Vec<u8>,
    handle: BlockHandle,
    budget: ExpansionBudget,
}

impl<'a> IndexBlockWalker<'a> {
    /// Walks an uncompressed block.
    ///
    /// # Errors
    /// As [`BlockLayout::parse`]; `Corruption` for a data block with keys and values apart.
    pub fn new(block: &'a [u8], format: IndexBlockFormat) -> Result<Self> {
        let layout = BlockLayout::parse(block)?;
        if layout.values_offset.is_some() {
            return Err(Status::corruption("index block with keys and values apart"));
        }
        let entries = &block[..layout.entries_end];
        let handle = BlockHandle::default();
        let budget = ExpansionBudget::new(block, EXPANSION_MAX);
        Ok(Self { entries, format, next_offset: 0, key: Vec::new(), handle, budget })
    }

    /// The next entry, `None` after the last. There are finitely many: each takes at least two
    /// bytes.
    ///
    /// # Errors
    /// `Corruption` if an entry does not fit, or keys are far longer together than the block; then
    /// no other may be asked for.
    #[expect(clippy::should_implement_trait, reason = "the key is lent, which no Iterator can do")]
    pub fn next(&mut self) -> Result<Option<IndexEntry<'_, 'a>>> {
        if self.next_offset >= self.entries.len() {
            return Ok(None);
        }
        let offset = self.next_offset;
        match self.advance() {
            Some(first_internal_key) => {
                Ok(Some(IndexEntry { key: &self.key, handle: self.handle, first_internal_key }))
            }
            None => Err(bad_entry(offset)),
        }
    }

    /// Decodes the next entry; returns its first key.
    fn advance(&mut self) -> Option<Option<&'a [u8]>> {
        let entries = self.entries;
        let (is_delta, mut value, sized_end) = if self.format.values_are_delta_encoded {
            let mut input = entries.get(self.next_offset..)?;
            let shared = get_varint32(&mut input)? as usize;
            let non_shared = get_varint32(&mut input)? as usize;
            let (suffix, value) = input.split_at_checked(non_shared)?;
            self.splice(shared, suffix)?;
            (shared > 0, value, None)
        } else {
            let entry = Entry::decode(entries, self.next_offset)?;
            self.splice(entry.shared, &entries[entry.suffix_start..entry.value_start()])?;
            let end = entry.value_end();
            (false, &entries[entry.value_start()..end], Some(end))
        };
        self.handle = if is_delta {
            let size = self.handle.size.checked_add_signed(get_varsignedint64(&mut value)?)?;
            BlockHandle { offset: self.handle.end_with_trailer()?, size }
        } else {
            BlockHandle::decode(&mut value)?
        };
        let first_key =
            if self.format.has_first_keys { Some(get_length_prefixed(&mut value)?) } else { None };
        self.next_offset = sized_end.unwrap_or(entries.len() - value.len());
        Some(first_key)
    }

    fn splice(&mut self, shared: usize, suffix: &[u8]) -> Option<()> {
        if shared > self.key.len() {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(suffix);
        self.budget.spend(&self.key)
    }
}

/// Encodes index blocks.
#[derive(Debug)]
pub struct IndexBlockBuilder {
    builder: BlockBuilder,
    format: IndexBlockFormat,
    last_handle: Option<BlockHandle>,
    full: Vec<u8>,
    delta: Vec<u8>,
}

impl IndexBlockBuilder {
    /// A builder of blocks with this form and restart interval (`index_block_restart_interval`).
    pub fn new(format: IndexBlockFormat, restart_interval: usize) -> Self {
        let options = BlockBuilderOptions { restart_interval, ..Default::default() };
        let (full, delta) = (Vec::new(), Vec::new());
        Self { builder: BlockBuilder::new(options), format, last_handle: None, full, delta }
    }

    /// Adds an entry. Keys must ascend; the first key must be there if the form has them.
    pub fn add(&mut self, entry: &IndexEntry<'_, '_>) {
        let Self { full, delta, .. } = self;
        full.clear();
        delta.clear();
        entry.handle.encode_to(full);
        let follows = self.last_handle.filter(|last| {
            last.offset + last.size + BLOCK_TRAILER_SIZE as u64 == entry.handle.offset
        });
        if let Some(last) = follows {
            put_varsignedint64(delta, entry.handle.size as i64 - last.size as i64);
        }
        if self.format.has_first_keys {
            let first_key = entry.first_internal_key.unwrap_or_default();
            put_length_prefixed(full, first_key);
            put_length_prefixed(delta, first_key);
        }
        if self.format.values_are_delta_encoded {
            let delta = follows.map(|_| &delta[..]);
            self.builder.add_without_value_size(entry.key, full, delta);
        } else {
            self.builder.add(entry.key, full);
        }
        self.last_handle = Some(entry.handle);
    }

    /// Whether no entry was added since the last block.
    pub fn is_empty(&self) -> bool {
        self.builder.entry_count() == 0
    }

    /// As [`BlockBuilder::size_for_cut`].
    pub fn size_for_cut(&self) -> usize {
        self.builder.size_for_cut()
    }

    /// As [`BlockBuilder::size_for_cut_after`].
    pub fn size_for_cut_after(&self, key_size: usize, value_size: usize) -> usize {
        let has_value_size = !self.format.values_are_delta_encoded;
        self.builder.size_for_cut_after(key_size, value_size, has_value_size)
    }

    /// The block; the builder is then ready for the next one.
    pub fn finish(&mut self) -> Vec<u8> {
        self.last_handle = None;
        self.builder.finish()
    }
}

#[cfg(test)]
mod tests;
