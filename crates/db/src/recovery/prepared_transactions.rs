//! Transactions that a WAL prepares, until it commits or rolls them back.

use base::dbformat::{ValueType, hex};
use base::{Result, SequenceNumber, Status};
use std::collections::{BTreeMap, BTreeSet};
use wal::write_batch_reader::Entry;

/// A transaction that was prepared.
#[derive(Clone, Debug, Default)]
pub struct PreparedTransaction {
    /// The WAL that holds its (first) prepared section.
    pub wal_number: u64,
    entries: Vec<OwnedEntry>,
    /// Sequence numbers of entries that are in memtables already (write-prepared and
    /// write-unprepared policies).
    sequences: BTreeSet<SequenceNumber>,
}

#[derive(Clone, Debug)]
struct OwnedEntry {
    column_family_id: u32,
    value_type: ValueType,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl PreparedTransaction {
    /// The entries that take effect at commit, in order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().map(|entry| Entry {
            column_family_id: entry.column_family_id,
            value_type: entry.value_type,
            key: &entry.key,
            value: &entry.value,
        })
    }
}

/// The prepared transactions met so far, by name.
#[derive(Debug, Default)]
pub(crate) struct PreparedTransactions {
    prepared: BTreeMap<Vec<u8>, PreparedTransaction>,
    /// The section being read.
    open: Option<PreparedTransaction>,
}

impl PreparedTransactions {
    /// A prepared section begins.
    pub(crate) fn begin(&mut self) -> Result<()> {
        if self.open.is_some() {
            return Err(Status::corruption("prepared section inside a prepared section"));
        }
        self.open = Some(PreparedTransaction::default());
        Ok(())
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes an entry of the open section that takes effect at commit.
    pub(crate) fn add(&mut self, entry: &Entry<'_>) {
        if let Some(open) = &mut self.open {
            open.entries.push(OwnedEntry {
                column_family_id: entry.column_family_id,
                value_type: entry.value_type,
                key: entry.key.to_vec(),
                value: entry.value.to_vec(),
            });
        }
    }

    /// Takes the sequence number of an entry of the open section that is in a memtable.
    pub(crate) fn add_sequence(&mut self, sequence: SequenceNumber) {
        if let Some(open) = &mut self.open {
            open.sequences.insert(sequence);
        }
    }

    /// The open section ends. Parts of one transaction add up.
    pub(crate) fn end(&mut self, name: &[u8], wal_number: u64) -> Result<()> {
        let Some(open) = self.open.take() else {
            return Err(Status::corruption(format!(
                "end of the prepared section {} without its beginning",
                hex(name)
            )));
        };
        let transaction = self
            .prepared
            .entry(name.to_vec())
            .or_insert_with(|| PreparedTransaction { wal_number, ..Default::default() });
        transaction.entries.extend(open.entries);
        transaction.sequences.extend(open.sequences);
        Ok(())
    }

    /// A section must end in the batch it begins in.
    pub(crate) fn require_closed(&mut self) -> Result<()> {
        match self.open.take() {
            Some(_) => Err(Status::corruption("prepared section without its end")),
            None => Ok(()),
        }
    }

    /// Takes a transaction out: it is committed or rolled back.
    pub(crate) fn remove(&mut self, name: &[u8]) -> Option<PreparedTransaction> {
        self.prepared.remove(name)
    }

    /// Sequence numbers that no read may see, ascending.
    pub(crate) fn uncommitted_sequences(&self) -> Vec<SequenceNumber> {
        let all: BTreeSet<_> =
            self.prepared.values().flat_map(|transaction| &transaction.sequences).collect();
        all.into_iter().copied().collect()
    }

    /// What is left at the end of replay: neither committed nor rolled back.
    pub(crate) fn into_prepared(self) -> BTreeMap<Vec<u8>, PreparedTransaction> {
        self.prepared
    }
}
