//! A column family of a secondary: its memtables, one for each WAL, and the files to be shown next.

use crate::column_family::ColumnFamilyData;
use crate::secondary::tables::secure_files;
use crate::super_version::{SuperVersion, SuperVersionParts};
use crate::switch_memtable::new_memtable;
use base::{Result, SequenceNumber};
use memtable::MemTable;
use options::DbOptions;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use table::ReadOptions;
use version::{Version, VersionOptions};

/// A memtable and the WAL that its entries come from.
#[derive(Debug)]
struct FilledMemTable {
    wal_number: u64,
    memtable: Arc<MemTable>,
}

/// A column family that is followed.
#[derive(Debug)]
pub(crate) struct FollowedFamily {
    pub(crate) data: Arc<ColumnFamilyData>,
    pub(crate) version_options: VersionOptions,
    /// From old to new, never none. The last one is being filled.
    memtables: Vec<FilledMemTable>,
    /// The files to be shown next.
    next_version: Arc<Version>,
    /// They are known to be there.
    is_secured: bool,
    pub(crate) full_history_ts_low: Option<Vec<u8>>,
    /// The primary has dropped it. Reads go on with what there was.
    pub(crate) is_dropped: bool,
    /// What reads may still look at, and the tables that only they need.
    retired: VecDeque<(Weak<SuperVersion>, Vec<u64>)>,
    next_memtable_id: u64,
}

impl FollowedFamily {
    pub(crate) fn new(data: Arc<ColumnFamilyData>, version_options: VersionOptions) -> Self {
        let shown = data.super_version.load_full();
        let memtable = Arc::new(new_memtable(&data, 1, 0));
        Self {
            data,
            version_options,
            memtables: vec![FilledMemTable { wal_number: 0, memtable }],
            next_version: shown.version.clone(),
            is_secured: false,
            full_history_ts_low: shown.full_history_ts_low.clone(),
            is_dropped: false,
            retired: VecDeque::new(),
            next_memtable_id: 2,
        }
    }

    /// The memtable being filled.
    pub(crate) fn active(&self) -> &Arc<MemTable> {
        &self.memtables[self.memtables.len() - 1].memtable
    }

    /// Entries of the WAL `wal_number` follow; with `anew`, in a memtable that no read has seen.
    pub(crate) fn begin(&mut self, wal_number: u64, anew: bool, creation_sequence: SequenceNumber) {
        let last = self.memtables.len() - 1;
        let active = &mut self.memtables[last];
        match active.memtable.is_empty() {
            true if anew => {
                self.memtables.pop();
                self.push(wal_number, creation_sequence);
            }
            true => active.wal_number = wal_number,
            false if anew || active.wal_number != wal_number => {
                active.memtable.mark_immutable();
                self.push(wal_number, creation_sequence);
            }
            false => {}
        }
    }

    fn push(&mut self, wal_number: u64, creation_sequence: SequenceNumber) {
        let id = self.next_memtable_id;
        self.next_memtable_id += 1;
        let memtable = Arc::new(new_memtable(&self.data, id, creation_sequence));
        self.memtables.push(FilledMemTable { wal_number, memtable });
    }

    /// Drops memtables whose entries are all in tables: those of WALs before `log_number`. Entries of
    /// WALs before `wal_number` will not come any more.
    pub(crate) fn drop_flushed(
        &mut self,
        log_number: u64,
        wal_number: u64,
        creation_sequence: SequenceNumber,
    ) {
        let is_flushed =
            |one: &FilledMemTable| one.wal_number < log_number && !one.memtable.is_empty();
        if !self.memtables.iter().any(is_flushed) {
            return;
        }
        self.memtables.retain(|one| !is_flushed(one));
        if self.memtables.is_empty() {
            self.push(log_number.max(wal_number), creation_sequence);
        }
    }

    /// The files to be shown next.
    pub(crate) fn set_next_version(&mut self, version: Arc<Version>) {
        self.next_version = version;
        self.is_secured = false;
    }

    /// Makes sure that the next files are there, if that was not done yet.
    ///
    /// # Errors
    /// As [`secure_files`].
    pub(crate) fn secure(&mut self, options: &DbOptions) -> Result<()> {
        if !self.is_secured && !self.is_dropped {
            secure_files(options, &self.data, &self.next_version).map_err(|status| {
                status.context(format_args!("column family {}", self.data.name))
            })?;
            self.is_secured = true;
        }
        Ok(())
    }

    /// Shows reads what there is by now.
    pub(crate) fn install(&mut self, log_number: u64) {
        let before = self.data.super_version.load_full();
        let memtables: Vec<Arc<MemTable>> =
            self.memtables.iter().rev().map(|one| one.memtable.clone()).collect();
        let has_same_memtables = memtables.len() == before.memtables.len()
            && memtables.iter().zip(&before.memtables).all(|(a, b)| Arc::ptr_eq(a, b));
        self.data.log_number.store(log_number, Ordering::Release);
        if has_same_memtables && Arc::ptr_eq(&before.version, &self.next_version) {
            return self.forget_retired();
        }
        let next = before.next(SuperVersionParts {
            memtables,
            version: self.next_version.clone(),
            options: before.options.clone(),
            resolver: before.resolver.clone(),
            full_history_ts_low: self.full_history_ts_low.clone(),
        });
        self.hold_open(&next);
        self.data.charge_file_metadata(&self.next_version);
        let gone = tables_gone(&before.version, &self.next_version);
        self.data.super_version.store(Arc::new(next));
        self.retired.push_back((Arc::downgrade(&before), gone));
        drop(before);
        self.forget_retired();
    }

    /// Lets a state have its tables itself, where all may stay open: reads of it need no file to be
    /// found by its name then.
    fn hold_open(&self, state: &SuperVersion) {
        if !self.data.tables.keeps_all_open() {
            return;
        }
        for run in &state.runs {
            for index in 0..run.files().len() {
                // What cannot be opened a read tells.
                let _ = run.table(index, &self.data.tables, &ReadOptions::default());
            }
        }
    }

    /// Closes tables that only states had which nobody reads any more.
    fn forget_retired(&mut self) {
        while let Some((_, gone)) =
            self.retired.pop_front_if(|(state, _)| state.strong_count() == 0)
        {
            gone.into_iter().for_each(|number| self.data.tables.cache.evict(number));
        }
    }
}

/// Numbers of the tables that `before` has and `after` has not.
fn tables_gone(before: &Version, after: &Version) -> Vec<u64> {
    let kept: BTreeSet<u64> = after.files().map(|(_, file)| file.number).collect();
    let numbers = before.files().map(|(_, file)| file.number);
    numbers.filter(|number| !kept.contains(number)).collect()
}
