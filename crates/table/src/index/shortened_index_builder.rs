//! Builds an index of one block: kinds binary search and binary search with first keys. Also each
//! partition of a two-level index.

use super::index_block::{IndexBlockBuilder, IndexBlockFormat, IndexEntry, IndexType};
use crate::format::BlockHandle;
use crate::table_builder_options::{IndexShortening, TableBuilderOptions};
use base::InternalKeyComparator;
use base::dbformat::{
    MAX_SEQUENCE_NUMBER, TRAILER_SIZE, VALUE_TYPE_FOR_SEEK, extract_user_key,
    pack_sequence_and_type,
};

/// First format version whose separators may be user keys.
const FORMAT_VERSION_WITH_USER_KEYS: u32 = 3;

/// What all index blocks of a table have in common.
#[derive(Clone, Debug)]
pub(crate) struct IndexShape {
    comparator: InternalKeyComparator,
    shortening: IndexShortening,
    restart_interval: usize,
    values_are_delta_encoded: bool,
    has_first_keys: bool,
    /// Size of the timestamps that keys of the file lack.
    stripped_timestamp_size: usize,
    may_use_user_keys: bool,
}

impl IndexShape {
    pub(crate) fn new(options: &TableBuilderOptions) -> Self {
        Self {
            comparator: options.comparator.clone(),
            shortening: options.index_shortening,
            restart_interval: options.index_block_restart_interval,
            values_are_delta_encoded: options.index_values_are_delta_encoded(),
            has_first_keys: options.index_type == IndexType::BinarySearchWithFirstKey,
            stripped_timestamp_size: options.stripped_timestamp_size(),
            may_use_user_keys: options.format_version >= FORMAT_VERSION_WITH_USER_KEYS,
        }
    }

    pub(crate) fn new_block_builder(&self, keys_are_user_keys: bool) -> IndexBlockBuilder {
        let format = IndexBlockFormat {
            keys_are_user_keys,
            values_are_delta_encoded: self.values_are_delta_encoded,
            has_first_keys: self.has_first_keys,
        };
        IndexBlockBuilder::new(format, self.restart_interval)
    }

    /// Makes `separator` the internal key to store for a block that ends in `last_key`, where
    /// `next_key` is the first of the next block.
    fn separate(&self, last_key: &[u8], next_key: Option<&[u8]>, separator: &mut Vec<u8>) {
        let user_key = extract_user_key(last_key);
        separator.clear();
        separator.extend_from_slice(user_key);
        let comparator = self.comparator.user_comparator();
        match next_key {
            Some(next_key) if self.shortening != IndexShortening::None => {
                comparator.find_shortest_separator(separator, extract_user_key(next_key));
            }
            None if self.shortening == IndexShortening::SeparatorsAndSuccessor => {
                comparator.find_short_successor(separator);
            }
            _ => {}
        }
        // Only what is no longer, and later in order, is worth it.
        if separator.len() <= user_key.len()
            && separator != user_key
            && self.comparator.compare_user_keys(user_key, separator).is_lt()
        {
            let trailer = pack_sequence_and_type(MAX_SEQUENCE_NUMBER, VALUE_TYPE_FOR_SEEK);
            separator.extend_from_slice(&trailer.to_le_bytes());
        } else {
            separator.clear();
            separator.extend_from_slice(last_key);
        }
        strip_timestamp(separator, self.stripped_timestamp_size);
    }

    /// Whether the two blocks split one user key, so that its sequence number must tell them apart.
    fn splits_user_key(&self, last_key: &[u8], next_key: &[u8]) -> bool {
        let [last_key, next_key] = [last_key, next_key].map(extract_user_key);
        let order = if self.stripped_timestamp_size == 0 {
            self.comparator.compare_user_keys(last_key, next_key)
        } else {
            self.comparator.compare_without_timestamp(last_key, next_key)
        };
        order.is_eq()
    }
}

/// Takes the timestamp out of an internal key.
pub(crate) fn strip_timestamp(internal_key: &mut Vec<u8>, timestamp_size: usize) {
    if timestamp_size > 0 {
        let end = internal_key.len() - TRAILER_SIZE;
        internal_key.drain(end - timestamp_size..end);
    }
}

/// Builds index blocks. Until two data blocks split a user key nobody knows whether separators need
/// their sequence numbers, so both forms are built.
#[derive(Debug)]
pub(crate) struct ShortenedIndexBuilder {
    shape: IndexShape,
    with_sequence: IndexBlockBuilder,
    without_sequence: Option<IndexBlockBuilder>,
    /// First internal key of the current data block, if the index stores those.
    first_key: Vec<u8>,
    separator: Vec<u8>,
    entries_count: usize,
}

impl ShortenedIndexBuilder {
    pub(crate) fn new(options: &TableBuilderOptions) -> Self {
        let shape = IndexShape::new(options);
        let without_sequence = shape.may_use_user_keys;
        Self::with_shape(shape, without_sequence)
    }

    pub(crate) fn with_shape(shape: IndexShape, may_use_user_keys: bool) -> Self {
        let with_sequence = shape.new_block_builder(false);
        let without_sequence = may_use_user_keys.then(|| shape.new_block_builder(true));
        Self {
            shape,
            with_sequence,
            without_sequence,
            first_key: Vec::new(),
            separator: Vec::new(),
            entries_count: 0,
        }
    }

    pub(crate) fn wants_keys(&self) -> bool {
        self.shape.has_first_keys
    }

    pub(crate) fn on_key_added(&mut self, internal_key: &[u8]) {
        if self.first_key.is_empty() {
            self.first_key.extend_from_slice(internal_key);
            strip_timestamp(&mut self.first_key, self.shape.stripped_timestamp_size);
        }
    }

    /// Adds an entry; returns its key with sequence number and type.
    pub(crate) fn add_entry(
        &mut self,
        last_key: &[u8],
        next_key: Option<&[u8]>,
        handle: BlockHandle,
    ) -> &[u8] {
        self.shape.separate(last_key, next_key, &mut self.separator);
        if self.without_sequence.is_some()
            && next_key.is_some_and(|next_key| self.shape.splits_user_key(last_key, next_key))
        {
            self.without_sequence = None;
        }
        let first_internal_key = Some(&self.first_key[..]);
        let entry = IndexEntry { key: &self.separator, handle, first_internal_key };
        self.with_sequence.add(&entry);
        if let Some(builder) = &mut self.without_sequence {
            builder.add(&IndexEntry { key: extract_user_key(&self.separator), ..entry });
        }
        self.first_key.clear();
        self.entries_count += 1;
        &self.separator
    }

    pub(crate) fn keys_are_user_keys(&self) -> bool {
        self.without_sequence.is_some()
    }

    /// Stores sequence numbers from now on, in this block whole.
    pub(crate) fn use_sequence(&mut self) {
        self.without_sequence = None;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.with_sequence.is_empty()
    }

    /// The form that will be stored, as far as is known by now.
    pub(crate) fn block_builder(&self) -> &IndexBlockBuilder {
        self.without_sequence.as_ref().unwrap_or(&self.with_sequence)
    }

    pub(crate) fn size_estimate(&self) -> usize {
        let size = self.block_builder().size_for_cut();
        size + 2 * size.checked_div(self.entries_count).unwrap_or(0)
    }

    /// The block.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        match &mut self.without_sequence {
            Some(builder) => builder.finish(),
            None => self.with_sequence.finish(),
        }
    }
}
