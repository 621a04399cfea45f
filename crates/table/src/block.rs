//! What all blocks made of entries have in common: entries, restart points, footer.
//!
//! ```text
//! entry      varint32 shared | varint32 non_shared | varint32 value size
//!            key suffix of non_shared bytes | value
//! block      entries
//!            fixed32 offset of each restart point     entries that share nothing with the one before
//!            [u8 bucket of the hash index each | fixed16 number of buckets]
//!            [fixed32 offset of the values section]
//!            fixed32 packed: bits 0-27 number of restart points
//!                            bit 28 keys and values are stored apart
//!                            bit 29 hint that keys are spread evenly, ignored
//!                            bit 30 reserved
//!                            bit 31 there is a hash index
//! ```
//!
//! A key is the first `shared` bytes of the key before it, then the suffix. With keys and values
//! apart, values lie back to back in a section of their own, and entries are:
//!
//! ```text
//! entry      varint32 shared | varint32 non_shared | varint32 value size
//!            [varint32 offset in the values section, at restart points only] | key suffix
//! ```
//!
//! Entries of index blocks with delta-encoded values have no value size; `index` decodes those.

use base::coding::{decode_fixed16, decode_fixed32, get_varint32};
use base::{Result, Status};

pub(crate) const SEPARATE_VALUES_BIT: u32 = 1 << 28;
const UNIFORM_KEYS_BIT: u32 = 1 << 29;
const RESERVED_BIT: u32 = 1 << 30;
pub(crate) const HASH_INDEX_BIT: u32 = 1 << 31;
const RESTART_COUNT_MASK: u32 = SEPARATE_VALUES_BIT - 1;

/// The parts of a block, from its last bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// End of the entries; they begin at 0.
    pub entries_end: usize,
    /// Start of the values section, if keys and values are stored apart. It ends where the restart
    /// points begin.
    pub values_offset: Option<usize>,
    /// Start of the restart points.
    pub restarts_offset: usize,
    /// Number of restart points.
    pub restart_count: usize,
    /// Start and number of the hash index's buckets.
    pub hash_buckets: Option<(usize, usize)>,
    /// Whether the writer found the keys spread evenly.
    pub has_uniform_keys: bool,
}

impl BlockLayout {
    /// Finds the parts of an uncompressed block.
    ///
    /// # Errors
    /// `Corruption` if they don't fit; `NotSupported` for reserved bits.
    pub fn parse(block: &[u8]) -> Result<Self> {
        let bad =
            |what: &str| Status::corruption(format!("block of {} bytes: {what}", block.len()));
        let take = |end: usize, count: usize| end.checked_sub(count);
        let mut end = take(block.len(), 4).ok_or_else(|| bad("too short for its footer"))?;
        let packed = decode_fixed32(block, end);
        if packed & RESERVED_BIT != 0 {
            return Err(Status::not_supported("block with reserved bit 30 in its footer"));
        }
        let mut values_offset = None;
        if packed & SEPARATE_VALUES_BIT != 0 {
            end = take(end, 4).ok_or_else(|| bad("too short for its values offset"))?;
            values_offset = Some(decode_fixed32(block, end) as usize);
        }
        let mut hash_buckets = None;
        if packed & HASH_INDEX_BIT != 0 {
            end = take(end, 2).ok_or_else(|| bad("too short for its hash index"))?;
            let count = usize::from(decode_fixed16(block, end));
            end = take(end, count).ok_or_else(|| bad("too short for its hash index"))?;
            hash_buckets = Some((end, count));
        }
        let restart_count = (packed & RESTART_COUNT_MASK) as usize;
        let restarts_offset = restart_count
            .checked_mul(4)
            .and_then(|size| take(end, size))
            .ok_or_else(|| bad(&format!("too short for {restart_count} restart points")))?;
        if values_offset.is_some_and(|offset| offset > restarts_offset) {
            return Err(bad("values section begins after its end"));
        }
        Ok(Self {
            entries_end: values_offset.unwrap_or(restarts_offset),
            values_offset,
            restarts_offset,
            restart_count,
            hash_buckets,
            has_uniform_keys: packed & UNIFORM_KEYS_BIT != 0,
        })
    }

    /// Offset of the entry at a restart point of `block`, which need not be within the block.
    ///
    /// # Panics
    /// If there is no such restart point.
    pub fn restart(&self, block: &[u8], index: usize) -> usize {
        assert!(index < self.restart_count, "restart point {index} of {}", self.restart_count);
        decode_fixed32(block, self.restarts_offset + 4 * index) as usize
    }
}

/// Where an entry's parts are; offsets count from the start of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Bytes of the key before that this key begins with.
    pub(crate) shared: usize,
    /// Start of the key's other bytes.
    pub(crate) suffix_start: usize,
    /// Number of the key's other bytes.
    pub(crate) non_shared: usize,
    /// Size of the value, which follows the suffix.
    pub(crate) value_size: usize,
}

impl Entry {
    /// Decodes the entry at `offset` of `entries`, which end where the slice ends. `None` if it
    /// does not fit.
    #[inline]
    pub(crate) fn decode(entries: &[u8], offset: usize) -> Option<Self> {
        let entry = Self::decode_head(entries, offset)?;
        let room = entries.len() - entry.suffix_start;
        // Both are below 2^32.
        (entry.non_shared + entry.value_size <= room).then_some(entry)
    }

    /// As [`Entry::decode`], without a look at whether suffix and value fit.
    #[inline]
    pub(crate) fn decode_head(entries: &[u8], offset: usize) -> Option<Self> {
        match Self::decode_short_head(entries, offset) {
            None => Self::decode_long_head(entries, offset),
            entry => entry,
        }
    }

    /// As [`Self::decode_head`], where the sizes of the key take a byte each and that of the value at
    /// most two; `None` also where they take more.
    #[inline]
    pub(crate) fn decode_short_head(entries: &[u8], offset: usize) -> Option<Self> {
        let &[shared, non_shared, low, high] = entries.get(offset..)?.first_chunk()?;
        if (shared | non_shared) >= 0x80 {
            return None;
        }
        let (head_size, value_size) = match (low, high) {
            (0..0x80, _) => (3, usize::from(low)),
            (_, 0..0x80) => (4, usize::from(low & 0x7f) | usize::from(high) << 7),
            _ => return None,
        };
        let (shared, non_shared) = (usize::from(shared), usize::from(non_shared));
        Some(Self { shared, suffix_start: offset + head_size, non_shared, value_size })
    }

    /// As [`Self::decode_head`], whatever the sizes.
    #[inline(never)]
    fn decode_long_head(entries: &[u8], offset: usize) -> Option<Self> {
        let mut input = entries.get(offset..)?;
        let shared = get_varint32(&mut input)? as usize;
        let non_shared = get_varint32(&mut input)? as usize;
        let value_size = get_varint32(&mut input)? as usize;
        Some(Self { shared, suffix_start: entries.len() - input.len(), non_shared, value_size })
    }

    #[inline]
    pub(crate) fn value_start(&self) -> usize {
        self.suffix_start + self.non_shared
    }

    #[inline]
    pub(crate) fn value_end(&self) -> usize {
        self.value_start() + self.value_size
    }

    #[inline]
    pub(crate) fn key_size(&self) -> usize {
        self.shared + self.non_shared
    }
}

/// How many bytes of whole keys may come out of a block. Delta-coded keys can share so much that a
/// small block stands for more than memory holds; no writer makes such a block.
#[derive(Debug)]
pub(crate) struct ExpansionBudget(usize);

impl ExpansionBudget {
    /// `factor` bytes of keys for every byte of the block.
    pub(crate) fn new(block: &[u8], factor: usize) -> Self {
        /// Enough for any small block.
        const FREE_BYTES: usize = 1 << 20;
        Self(block.len().saturating_mul(factor).saturating_add(FREE_BYTES))
    }

    /// Takes a key's bytes; `None` if too few are left.
    pub(crate) fn spend(&mut self, key: &[u8]) -> Option<()> {
        self.0 = self.0.checked_sub(key.len())?;
        Some(())
    }
}

/// Bytes of whole keys for every byte of a block whose keys are looked at one at a time.
pub(crate) const EXPANSION_MAX: usize = 1024;
/// Bytes of whole keys for every byte of a block whose keys are kept whole.
pub(crate) const KEPT_EXPANSION_MAX: usize = 64;

/// Walks the entries of a block from first to last, keys and values stored apart or not, without a
/// word on what the keys are. For the blocks that are read once: metaindex, properties, range
/// tombstones.
#[derive(Debug)]
pub struct EntryWalker<'a> {
    block: &'a [u8],
    layout: BlockLayout,
    next_offset: usize,
    next_value_offset: usize,
    next_restart: usize,
    key: Vec<u8>,
    budget: ExpansionBudget,
}

impl<'a> EntryWalker<'a> {
    /// Walks an uncompressed block whose keys are kept.
    ///
    /// # Errors
    /// As [`BlockLayout::parse`].
    pub fn new(block: &'a [u8]) -> Result<Self> {
        Self::with_expansion(block, KEPT_EXPANSION_MAX)
    }

    pub(crate) fn with_expansion(block: &'a [u8], expansion_max: usize) -> Result<Self> {
        let layout = BlockLayout::parse(block)?;
        let next_value_offset = layout.values_offset.unwrap_or(0);
        let key = Vec::new();
        let budget = ExpansionBudget::new(block, expansion_max);
        Ok(Self { block, layout, next_offset: 0, next_value_offset, next_restart: 0, key, budget })
    }

    /// The next entry's key and value, `None` after the last. A block has finitely many: each takes
    /// at least three bytes.
    ///
    /// # Errors
    /// `Corruption` if an entry does not fit, or keys are far longer together than the block; then
    /// no other may be asked for.
    #[expect(clippy::should_implement_trait, reason = "the key is lent, which no Iterator can do")]
    pub fn next(&mut self) -> Result<Option<(&[u8], &'a [u8])>> {
        if self.next_offset >= self.layout.entries_end {
            return Ok(None);
        }
        let offset = self.next_offset;
        match self.advance() {
            Some(value) => Ok(Some((&self.key, value))),
            None => Err(bad_entry(offset)),
        }
    }

    fn advance(&mut self) -> Option<&'a [u8]> {
        let entries = &self.block[..self.layout.entries_end];
        let value;
        let entry = if self.layout.values_offset.is_none() {
            let entry = Entry::decode(entries, self.next_offset)?;
            value = &entries[entry.value_start()..entry.value_end()];
            self.next_offset = entry.value_end();
            entry
        } else {
            let mut entry = Entry::decode_head(entries, self.next_offset)?;
            if entry.shared == 0 && self.is_restart(self.next_offset) {
                let mut input = &entries[entry.suffix_start..];
                let relative = get_varint32(&mut input)? as usize;
                self.next_value_offset = self.layout.values_offset? + relative;
                entry.suffix_start = entries.len() - input.len();
            }
            let values = &self.block[..self.layout.restarts_offset];
            value = values.get(self.next_value_offset..)?.get(..entry.value_size)?;
            self.next_value_offset += entry.value_size;
            self.next_offset = entry.value_start();
            entry
        };
        let suffix = entries.get(entry.suffix_start..entry.value_start())?;
        if entry.shared > self.key.len() {
            return None;
        }
        self.key.truncate(entry.shared);
        self.key.extend_from_slice(suffix);
        self.budget.spend(&self.key)?;
        Some(value)
    }

    /// Whether an entry is a restart point. Offsets asked about must ascend, as restart points do
    /// in every block that a writer made; for others any answer will do.
    fn is_restart(&mut self, offset: usize) -> bool {
        while self.next_restart < self.layout.restart_count {
            let restart = self.layout.restart(self.block, self.next_restart);
            if restart >= offset {
                return restart == offset;
            }
            self.next_restart += 1;
        }
        false
    }
}

#[cold]
pub(crate) fn bad_entry(offset: usize) -> Status {
    Status::corruption(format!("bad entry in block at its byte {offset}"))
}

#[cfg(test)]
pub(crate) mod tests;
