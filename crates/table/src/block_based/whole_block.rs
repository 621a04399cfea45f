//! Data blocks that go from one table to another as they are stored.
//!
//! What is saved is mostly the compression. The other table must come out as if the block's entries had
//! been added one by one, but for where its blocks begin and end. So its builder takes a block only if
//! that is such as it makes them ([`BlockForm::fit`]), and goes over the keys for filter, index and
//! properties ([`BlockBasedTableBuilder::copy_block`](super::BlockBasedTableBuilder::copy_block)). The
//! trailer is made anew, since the checksum may depend on the place of the block.
//!
//! Blocks that are copied are at least half full, and so is the one that ends before them. Where the
//! one under way is less than that, the next block cannot be copied; the two are made into two of about
//! the same size, so that those behind them can be.

use crate::block::BlockLayout;
use crate::block_based::reader::BlockBasedTable;
use crate::entry_columns::{EntryColumns, StoredEntry};
use base::{Result, common_prefix_length};

/// From this version on compressed blocks are laid out as they are written today.
const FORMAT_VERSION_MIN: u32 = 2;

/// A data block of a table that is gone over, all of it.
#[derive(Clone, Copy, Debug)]
pub struct WholeBlock<'b> {
    pub(super) table: &'b BlockBasedTable,
    /// As the file has it, without the trailer.
    pub(super) stored: &'b [u8],
    pub(super) compression_type: u8,
    /// What is stored, uncompressed.
    pub(super) contents: &'b [u8],
    /// All its entries; there is one at least.
    pub(super) columns: &'b EntryColumns,
}

/// What a data block is, as far as a builder of another table wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockForm<'b> {
    /// Version of the table that it is in.
    pub format_version: u32,
    /// First byte of its trailer.
    pub compression_type: u8,
    /// What the table says of how its blocks are compressed.
    pub compression_options: &'b str,
    /// Whether a dictionary is needed to uncompress it.
    pub has_dictionary: bool,
    /// Whether it has a hash index.
    pub has_hash_index: bool,
    /// Bytes, uncompressed.
    pub size: usize,
    /// Bytes of all entries but the last.
    pub size_before_last: usize,
    /// How many entries it has.
    pub entry_count: usize,
    /// How many restart points.
    pub restart_count: usize,
    /// Whether the second key, if it is no restart point, leaves out what it shares with the first.
    pub is_delta_encoded: bool,
}

/// What the data blocks of a table are that is being built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTerms<'t> {
    /// Whether somebody wants each entry, or makes blocks by rules of their own: collectors of
    /// properties, dictionaries, hash indexes, policies, alignment.
    pub wants_entries: bool,
    /// How blocks are compressed that can be.
    pub compression_type: u8,
    /// As a table says that it is done.
    pub compression_options: &'t str,
    /// Bytes of a full block, uncompressed.
    pub block_size: usize,
    /// Entries from one restart point to the next.
    pub restart_interval: usize,
    /// Bytes of the block under way; 0 if that has no entry.
    pub pending_size: usize,
}

/// What is to be done with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFit {
    /// It can be copied.
    Copy,
    /// Its entries are to be added one by one, and the block under way to end once it has so many bytes,
    /// so that the one after it is at least half full.
    EvenOut(usize),
    /// Its entries are to be added one by one.
    Apart(BlockObstacle),
}

/// Why a block is not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockObstacle {
    /// Each entry is wanted.
    EntriesWanted,
    /// The table is of a version that compressed otherwise.
    OldFormat,
    /// It is not compressed as it would be.
    Compression,
    /// It is compressed with a dictionary.
    Dictionary,
    /// It has a hash index.
    HashIndex,
    /// Restart points are not where they would be, or keys are stored otherwise.
    Encoding,
    /// It is less than half full.
    Small,
    /// It would have ended before its last entry.
    Large,
    /// It fits behind what the block under way has, which is less than half full.
    Joins,
}

impl BlockForm<'_> {
    /// Whether the block can go to a table with these blocks.
    pub fn fit(&self, terms: &BlockTerms<'_>) -> BlockFit {
        if let Some(obstacle) = self.obstacle(terms) {
            return BlockFit::Apart(obstacle);
        }
        let pending = terms.pending_size;
        if pending == 0 || is_half_full(pending, terms.block_size) {
            return BlockFit::Copy;
        }
        let both = pending + self.size;
        match both <= terms.block_size {
            true => BlockFit::Apart(BlockObstacle::Joins),
            false => BlockFit::EvenOut((both / 2).min(terms.block_size)),
        }
    }

    /// What keeps the block from being one of these, wherever it begins.
    fn obstacle(&self, terms: &BlockTerms<'_>) -> Option<BlockObstacle> {
        let is_compressed_so = self.compression_type == terms.compression_type
            && compress_alike(self.compression_options, terms.compression_options);
        let is_encoded_so = self.is_delta_encoded
            && self.restart_count == self.entry_count.div_ceil(terms.restart_interval);
        let obstacles = [
            (terms.wants_entries, BlockObstacle::EntriesWanted),
            (self.format_version < FORMAT_VERSION_MIN, BlockObstacle::OldFormat),
            (!is_compressed_so, BlockObstacle::Compression),
            (self.has_dictionary, BlockObstacle::Dictionary),
            (self.has_hash_index, BlockObstacle::HashIndex),
            (!is_encoded_so, BlockObstacle::Encoding),
            (!is_half_full(self.size, terms.block_size), BlockObstacle::Small),
            (self.size_before_last >= terms.block_size, BlockObstacle::Large),
        ];
        obstacles.into_iter().find_map(|(is_met, obstacle)| is_met.then_some(obstacle))
    }
}

fn is_half_full(size: usize, block_size: usize) -> bool {
    size >= block_size.div_ceil(2)
}

/// What tables say of their compression that says how a block is compressed, and whether it is, with what
/// holds where a release did not say it yet.
const SETTINGS: [(&str, &str); 6] = [
    ("window_bits", ""),
    ("level", ""),
    ("strategy", ""),
    ("max_dict_bytes", "0"),
    ("max_compressed_bytes_per_kb", "896"),
    ("checksum", "0"),
];

/// Whether two tables compress blocks in the same way, if by the same codec.
fn compress_alike(options: &str, others: &str) -> bool {
    let is_same = |(name, default)| {
        setting(options, name).unwrap_or(default) == setting(others, name).unwrap_or(default)
    };
    options == others || SETTINGS.into_iter().all(is_same)
}

fn setting<'o>(options: &'o str, name: &str) -> Option<&'o str> {
    let mut settings = options.split("; ").filter_map(|setting| setting.split_once('='));
    settings.find(|setting| setting.0 == name).map(|setting| setting.1)
}

impl<'b> WholeBlock<'b> {
    /// Its entries.
    pub fn entries(&self) -> impl Iterator<Item = StoredEntry<'b>> {
        let Self { columns, contents, .. } = *self;
        (0..columns.len()).filter_map(move |index| columns.stored_entry(contents, index))
    }

    /// How many there are.
    pub fn entry_count(&self) -> usize {
        self.columns.len()
    }

    /// The internal key of the first entry.
    pub fn first_key(&self) -> &'b [u8] {
        self.columns.key(0)
    }

    /// The internal key of the last entry.
    pub fn last_key(&self) -> &'b [u8] {
        self.columns.key(self.columns.len() - 1)
    }

    /// What it is.
    ///
    /// # Errors
    /// As [`BlockLayout::parse`].
    pub fn form(&self) -> Result<BlockForm<'b>> {
        let layout = BlockLayout::parse(self.contents)?;
        let count = self.entry_count();
        Ok(BlockForm {
            format_version: self.table.footer.format_version,
            compression_type: self.compression_type,
            compression_options: &self.table.properties.compression_options,
            has_dictionary: self.table.dictionary.is_some(),
            has_hash_index: layout.hash_buckets.is_some(),
            size: self.contents.len(),
            size_before_last: match count.checked_sub(2) {
                Some(last_but_one) => self.columns.value_end(last_but_one),
                None => 0,
            },
            entry_count: count,
            restart_count: layout.restart_count,
            is_delta_encoded: self.is_delta_encoded(layout.restart_count),
        })
    }

    /// Whether the second key leaves out what it shares with the first, unless all keys are restart points.
    fn is_delta_encoded(&self, restart_count: usize) -> bool {
        if self.entry_count() < 2 || restart_count >= self.entry_count() {
            return true;
        }
        let (first, second) = (self.columns.key(0), self.columns.key(1));
        second.len() - common_prefix_length(first, second) == self.columns.suffix_size(1)
    }
}

#[cfg(test)]
mod tests;
