//! What a version set knows: the column families with their versions, and the database's numbers.

use crate::epoch_numbers::EpochNumbers;
use crate::recovery::ColumnFamilyState;
use crate::version::Version;
use crate::version_builder::VersionOptions;
use crate::wal_edit::WalSet;
use base::SequenceNumber;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A column family of a version set.
#[derive(Clone, Debug)]
pub struct ColumnFamilyEntry {
    pub(crate) state: ColumnFamilyState,
    pub(crate) options: VersionOptions,
    pub(crate) epoch_numbers: Arc<EpochNumbers>,
}

impl ColumnFamilyEntry {
    /// A column family as it was found. From here on it is what `options` say: RocksDB too writes
    /// the comparator in use, which may have timestamps where the one found had none.
    pub(crate) fn new(mut state: ColumnFamilyState, options: VersionOptions) -> Self {
        let comparator = options.comparator.user_comparator();
        state.comparator_name = Some(comparator.name().as_bytes().to_vec());
        state.persist_user_defined_timestamps = options.persist_user_defined_timestamps;
        let next = state.version.next_epoch_number();
        let epoch_numbers = Arc::new(EpochNumbers::new(next, options.allow_ingest_behind));
        Self { state, options, epoch_numbers }
    }

    /// Its id, name, log number and so on.
    pub fn state(&self) -> &ColumnFamilyState {
        &self.state
    }

    /// What it brings to its versions.
    pub fn options(&self) -> &VersionOptions {
        &self.options
    }

    /// Its files now.
    pub fn version(&self) -> &Arc<Version> {
        &self.state.version
    }

    /// Where flushes and ingestions get their epoch numbers.
    pub fn epoch_numbers(&self) -> &Arc<EpochNumbers> {
        &self.epoch_numbers
    }
}

/// Everything that a MANIFEST records, as it is now.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFamilySet {
    /// Shared between the states before and after an edit: there may be thousands, of which an edit
    /// changes one.
    pub(crate) families: BTreeMap<u32, Arc<ColumnFamilyEntry>>,
    pub(crate) max_column_family: u32,
    pub(crate) prev_log_number: u64,
    pub(crate) min_log_number_to_keep: u64,
    /// The largest that the MANIFEST knows.
    pub(crate) last_sequence: SequenceNumber,
    pub(crate) db_id: Option<Vec<u8>>,
    pub(crate) wals: WalSet,
}
