//! Applies the write batches of WALs to memtables.
//!
//! Sequence numbers: a batch's header has that of its first entry. Under the write-committed
//! policy every entry takes the next one; entries of a prepared section take none until the
//! commit. Under the other two policies all entries of a sub-batch share one, which advances at
//! the markers that end a batch and where a key repeats.

use crate::recovery::prepared_transactions::PreparedTransactions;
use crate::recovery::timestamp_size::TimestampSizes;
use base::dbformat::{ValueType, hex};
use base::{ColumnFamilyName, InternalKeyComparator, Result, SequenceNumber, Status};
use memtable::MemTable;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use wal::write_batch_reader::{Entry, Record, WriteBatchReader};

/// When the entries of a transaction take effect (`TransactionDBOptions::write_policy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum TransactionWritePolicy {
    /// At commit. The default.
    #[default]
    WriteCommitted = 0,
    /// Written at prepare, visible at commit.
    WritePrepared = 1,
    /// Written before prepare, visible at commit.
    WriteUnprepared = 2,
}

/// A column family while its WALs are replayed.
#[derive(Debug)]
pub(crate) struct RecoveringFamily {
    pub(crate) name: ColumnFamilyName,
    pub(crate) comparator: InternalKeyComparator,
    /// WALs with a smaller number hold nothing for the family.
    pub(crate) log_number: u64,
    pub(crate) has_tables: bool,
    pub(crate) blob_files: BTreeSet<u64>,
    /// Timestamp bytes of its keys in a WAL that states none: those of now if the directory's
    /// writer (before 8.4) could not state them, else 0.
    pub(crate) unstated_timestamp_size: usize,
    /// None where the family was not asked for: its entries only use up sequence numbers.
    pub(crate) memtable: Option<Arc<MemTable>>,
}

/// What replay builds.
#[derive(Debug)]
pub(crate) struct MemTableInserter {
    /// Ids of column families whose memtables are full. Whoever can may take these away between
    /// two batches.
    pub(crate) full: BTreeSet<u32>,
    pub(crate) families: BTreeMap<u32, RecoveringFamily>,
    pub(crate) transactions: PreparedTransactions,
    allow_2pc: bool,
    policy: TransactionWritePolicy,
    /// The sequence number of the next entry.
    next_sequence: SequenceNumber,
    wal_number: u64,
    /// Keys of the current sub-batch, where all of one share a sequence number.
    sub_batch: HashSet<(u32, Vec<u8>)>,
}

impl MemTableInserter {
    pub(crate) fn new(
        families: BTreeMap<u32, RecoveringFamily>,
        allow_2pc: bool,
        policy: TransactionWritePolicy,
    ) -> Self {
        Self {
            full: BTreeSet::new(),
            families,
            transactions: PreparedTransactions::default(),
            allow_2pc,
            policy,
            next_sequence: 0,
            wal_number: 0,
            sub_batch: HashSet::new(),
        }
    }

    /// Whatever holds anything is full.
    pub(crate) fn note_all_full(&mut self) {
        let holds_entries = |family: &RecoveringFamily| {
            family.memtable.as_ref().is_some_and(|memtable| !memtable.is_empty())
        };
        let filled = self.families.iter().filter(|(_, family)| holds_entries(family));
        self.full.extend(filled.map(|(id, _)| *id));
    }

    /// Applies one batch of the WAL `wal_number` and returns the sequence number that follows it.
    ///
    /// # Errors
    /// `Corruption` if the batch is malformed or its count is wrong, `NotSupported` for records
    /// that this configuration cannot interpret.
    pub(crate) fn apply(
        &mut self,
        wal_number: u64,
        batch: &WriteBatchReader<'_>,
        timestamp_sizes: &TimestampSizes,
    ) -> Result<SequenceNumber> {
        self.wal_number = wal_number;
        self.next_sequence = batch.sequence();
        self.sub_batch.clear();
        let mut records = batch.records();
        let mut is_first = true;
        for record in records.by_ref() {
            self.apply_record(record?, is_first, timestamp_sizes)?;
            is_first = false;
        }
        batch.check_count(records.entry_count())?;
        self.transactions.require_closed()?;
        Ok(self.next_sequence)
    }

    fn apply_record(
        &mut self,
        record: Record<'_>,
        is_first: bool,
        timestamp_sizes: &TimestampSizes,
    ) -> Result<()> {
        match record {
            Record::Entry(entry) => self.apply_entry(&entry, timestamp_sizes),
            Record::LogData(_) => Ok(()),
            // A transaction's own batch begins with one; elsewhere it ends a batch.
            Record::Noop if is_first => Ok(()),
            Record::Noop => {
                self.end_sub_batch();
                Ok(())
            }
            Record::BeginPrepare => self.begin(TransactionWritePolicy::WriteCommitted),
            Record::BeginPersistedPrepare
                if self.policy == TransactionWritePolicy::WriteCommitted =>
            {
                self.begin(TransactionWritePolicy::WritePrepared)
            }
            Record::BeginPersistedPrepare => self.begin(self.policy),
            Record::BeginUnprepare => self.begin(TransactionWritePolicy::WriteUnprepared),
            Record::EndPrepare { transaction_name } => {
                self.transactions.end(transaction_name, self.wal_number)?;
                self.end_sub_batch();
                Ok(())
            }
            Record::Commit { transaction_name } => self.commit(transaction_name, None),
            Record::CommitWithTimestamp { transaction_name, timestamp } => {
                self.commit(transaction_name, Some(timestamp))
            }
            Record::Rollback { transaction_name } => {
                self.transactions.remove(transaction_name);
                self.end_sub_batch();
                Ok(())
            }
        }
    }

    fn begin(&mut self, policy: TransactionWritePolicy) -> Result<()> {
        if !self.allow_2pc {
            return Err(Status::not_supported(
                "WAL contains prepared transactions; open the database as a transaction database \
                 (allow_2pc)",
            ));
        }
        let wants_committed = policy == TransactionWritePolicy::WriteCommitted;
        let is_committed = self.policy == TransactionWritePolicy::WriteCommitted;
        // Where nothing is filled, nothing is filled wrongly.
        if wants_committed != is_committed && !self.families.is_empty() {
            return Err(Status::not_supported(format!(
                "WAL contains transactions of policy {policy:?}, the database was opened with \
                 {:?}; empty the WAL under its own policy before changing it",
                self.policy
            )));
        }
        self.transactions.begin()
    }

    fn apply_entry(&mut self, entry: &Entry<'_>, timestamp_sizes: &TimestampSizes) -> Result<()> {
        let Some(family) = self.families.get(&entry.column_family_id) else {
            // Dropped since; its entries only use up sequence numbers.
            return self.count_entry(entry);
        };
        let running = family.comparator.timestamp_size();
        let unstated = family.unstated_timestamp_size;
        let convert = |key| timestamp_sizes.convert(entry.column_family_id, unstated, running, key);
        let key = convert(entry.key)?;
        let value = match entry.value_type {
            ValueType::RangeDeletion => convert(entry.value)?,
            _ => entry.value.into(),
        };
        let entry = Entry { key: &key, value: &value, ..*entry };
        if self.transactions.is_open() && self.policy == TransactionWritePolicy::WriteCommitted {
            self.transactions.add(&entry);
            return Ok(());
        }
        if self.policy == TransactionWritePolicy::WriteCommitted {
            self.insert(&entry)?;
            return self.count_entry(&entry);
        }
        self.count_entry(&entry)?;
        self.insert(&entry)
    }

    /// Uses up the sequence number of an entry, or finds the one it shares.
    fn count_entry(&mut self, entry: &Entry<'_>) -> Result<()> {
        let is_prepared = self.transactions.is_open();
        if self.policy == TransactionWritePolicy::WriteCommitted {
            self.next_sequence += u64::from(!is_prepared);
            return Ok(());
        }
        let key = (entry.column_family_id, entry.key.to_vec());
        if !self.sub_batch.insert(key.clone()) {
            self.next_sequence += 1;
            self.sub_batch.clear();
            self.sub_batch.insert(key);
        }
        if is_prepared {
            self.transactions.add_sequence(self.next_sequence);
        }
        Ok(())
    }

    /// Puts an entry, whose keys are as its family has them now, where it belongs.
    fn insert(&mut self, entry: &Entry<'_>) -> Result<()> {
        let Some(family) = self.families.get(&entry.column_family_id) else {
            return Ok(());
        };
        if self.wal_number < family.log_number {
            return Ok(());
        }
        if entry.value_type == ValueType::BlobIndex {
            check_blob_reference(family, entry)?;
        }
        let has_timestamps = family.comparator.timestamp_size() > 0;
        let Some(memtable) = &family.memtable else {
            return Ok(());
        };
        let (value_type, value) = match entry.value_type {
            ValueType::Deletion if has_timestamps => {
                (ValueType::DeletionWithTimestamp, entry.value)
            }
            // The time of writing becomes a preferred sequence number only where a map from
            // sequence to time exists; without one it is a plain value.
            ValueType::ValuePreferredSeqno => (ValueType::Value, entry.timed_value()?.0),
            value_type => (value_type, entry.value),
        };
        memtable.add(self.next_sequence, value_type, entry.key, value);
        if memtable.should_flush() {
            self.full.insert(entry.column_family_id);
        }
        Ok(())
    }

    fn commit(&mut self, name: &[u8], timestamp: Option<&[u8]>) -> Result<()> {
        // Without a transaction of that name its prepared section was in a WAL that is gone
        // because all of it is in tables.
        let transaction = self.transactions.remove(name).unwrap_or_default();
        for entry in transaction.entries() {
            let key = self.key_at_commit(&entry, timestamp);
            self.insert(&Entry { key: &key, ..entry })?;
            self.next_sequence += 1;
        }
        self.end_sub_batch();
        Ok(())
    }

    /// The key of a prepared entry with the time of its commit, where it has one.
    fn key_at_commit(&self, entry: &Entry<'_>, timestamp: Option<&[u8]>) -> Vec<u8> {
        let mut key = entry.key.to_vec();
        let size = self
            .families
            .get(&entry.column_family_id)
            .map_or(0, |family| family.comparator.timestamp_size());
        if let Some(timestamp) = timestamp
            && size == timestamp.len()
            && key.len() >= size
        {
            key.truncate(key.len() - size);
            key.extend_from_slice(timestamp);
        }
        key
    }

    fn end_sub_batch(&mut self) {
        if self.policy != TransactionWritePolicy::WriteCommitted {
            self.next_sequence += 1;
            self.sub_batch.clear();
        }
    }
}

/// A WAL may refer to a blob only if the MANIFEST has its file.
fn check_blob_reference(family: &RecoveringFamily, entry: &Entry<'_>) -> Result<()> {
    let number = blob::BlobReference::decode(entry.value)?.file_number;
    if family.blob_files.contains(&number) {
        return Ok(());
    }
    Err(Status::not_supported(format!(
        "WAL record of key {} in column family {} refers to blob file {number:06}.blob, which the \
         MANIFEST does not have: blobs written directly (enable_blob_direct_write) are not recovered",
        hex(entry.key),
        family.name
    )))
}
