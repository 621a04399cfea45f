//! What a version set knows: the column families with their versions, and the database's numbers.

use crate::epoch_numbers::EpochNumbers;
use crate::recovery::ColumnFamilyState;
use crate::version::Version;
use crate::version_builder::VersionOptions;
use crate::wal_edit::WalSet;
use base::SequenceNumber;
use std::collections::{BTreeMap, HashMap};
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
#[derive(Debug, Default)]
pub(crate) struct ColumnFamilySet {
    pub(crate) families: BTreeMap<u32, Arc<ColumnFamilyEntry>>,
    /// Their ids by name.
    pub(crate) ids: HashMap<Vec<u8>, u32>,
    pub(crate) max_column_family: u32,
    pub(crate) prev_log_number: u64,
    pub(crate) min_log_number_to_keep: u64,
    /// The largest that the MANIFEST knows.
    pub(crate) last_sequence: SequenceNumber,
    pub(crate) db_id: Option<Vec<u8>>,
    pub(crate) wals: WalSet,
}

impl ColumnFamilySet {
    /// The same without its column families. There may be thousands, of which an edit changes one:
    /// this is what the edit begins with, and those that it changes are put in.
    pub(crate) fn without_families(&self) -> Self {
        Self {
            families: BTreeMap::new(),
            ids: HashMap::new(),
            max_column_family: self.max_column_family,
            prev_log_number: self.prev_log_number,
            min_log_number_to_keep: self.min_log_number_to_keep,
            last_sequence: self.last_sequence,
            db_id: self.db_id.clone(),
            wals: self.wals.clone(),
        }
    }

    /// Puts a column family in, or another state of one.
    pub(crate) fn insert(&mut self, family: Arc<ColumnFamilyEntry>) {
        let (id, name) = (family.state.id, &family.state.name);
        if self.ids.get(name) != Some(&id) {
            self.ids.insert(name.clone(), id);
        }
        self.families.insert(id, family);
    }

    pub(crate) fn remove(&mut self, id: u32) {
        if let Some(family) = self.families.remove(&id) {
            self.ids.remove(&family.state.name);
        }
    }

    pub(crate) fn has_name(&self, name: &[u8]) -> bool {
        self.ids.contains_key(name)
    }

    /// The column family, to be changed: as it is in `before` if it is not in here.
    pub(crate) fn family_after(
        &mut self,
        before: &ColumnFamilySet,
        id: u32,
    ) -> Option<&mut ColumnFamilyEntry> {
        if !self.families.contains_key(&id) {
            self.insert(Arc::clone(before.families.get(&id)?));
        }
        self.families.get_mut(&id).map(Arc::make_mut)
    }

    /// Becomes `next`, which has only the column families that are new or changed, without the
    /// one that is `dropped`.
    pub(crate) fn advance_to(&mut self, next: ColumnFamilySet, dropped: Option<u32>) {
        let ColumnFamilySet { families: changed, .. } = next;
        let families = std::mem::take(&mut self.families);
        let ids = std::mem::take(&mut self.ids);
        *self = ColumnFamilySet { families, ids, ..next };
        changed.into_values().for_each(|family| self.insert(family));
        dropped.into_iter().for_each(|id| self.remove(id));
    }
}
