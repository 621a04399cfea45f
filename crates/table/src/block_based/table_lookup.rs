//! What a lookup takes with it from table to table.

use crate::block_based::reader::BlockReadOptions;
use crate::filter::KeyHash;
use crate::read_options::ReadOptions;
use base::InternalKeyComparator;
use base::dbformat::extract_user_key;
use statistics::Recorder;
use std::cell::Cell;

/// A lookup of one key, whatever tables it goes to.
#[derive(Debug)]
pub struct TableLookup<'l> {
    pub(super) internal_key: &'l [u8],
    pub(super) options: BlockReadOptions,
    pub(super) recorder: Option<Recorder<'l>>,
    /// Computed by the first table with a filter that is asked for whole keys.
    hash: Cell<Option<u64>>,
}

impl<'l> TableLookup<'l> {
    /// A lookup of the versions of a user key at or after `internal_key`; with timestamps that ends in
    /// one like all keys. `recorder` is what it counts to, if anybody wants to know: reached once, for
    /// all tables.
    #[inline]
    pub fn new(
        options: &ReadOptions,
        internal_key: &'l [u8],
        recorder: Option<Recorder<'l>>,
    ) -> Self {
        Self::with(options.into(), internal_key, recorder)
    }

    #[inline]
    pub(super) fn with(
        options: BlockReadOptions,
        internal_key: &'l [u8],
        recorder: Option<Recorder<'l>>,
    ) -> Self {
        Self { internal_key, options, recorder, hash: Cell::new(None) }
    }

    /// The user key without its timestamp.
    #[inline]
    pub(super) fn plain_user_key(&self, comparator: &InternalKeyComparator) -> &'l [u8] {
        comparator.strip_timestamp(extract_user_key(self.internal_key))
    }

    /// The hash of the user key. All tables that the lookup goes to compare by the same comparator.
    #[inline]
    pub fn hash(&self, comparator: &InternalKeyComparator) -> KeyHash<'l> {
        let key = self.plain_user_key(comparator);
        match self.hash.get() {
            Some(hash) => KeyHash::known(key, hash),
            None => {
                let hash = KeyHash::new(key);
                self.hash.set(Some(hash.hash64()));
                hash
            }
        }
    }
}
