//! The part of [`Db`] that changes it.

use crate::close::FlushWalOptions;
use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use crate::flush::FlushOptions;
use crate::flush_reason::FlushReason;
use crate::snapshot_list::Snapshot;
use crate::write::write_options::WriteOptions;
use base::Result;
use std::cell::Cell;
use std::sync::Arc;
use wal::WriteBatch;

/// Each thread keeps the memory of its last batch of one entry if that is no larger.
const SPARE_BUFFER_BYTES_MAX: usize = 16 << 10;

thread_local! {
    static SPARE_BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Db {
    /// Writes a batch: all of it or nothing, also after a crash.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only; `InvalidArgument` or `Corruption`
    /// for a batch that makes no sense, in which case nothing of it is written; `Incomplete` where
    /// it would have to wait and `no_slowdown` is set; otherwise the error that stops writes.
    pub fn write(&self, options: &WriteOptions, mut batch: WriteBatch) -> Result<()> {
        self.inner.write(options, &mut batch)
    }

    /// As [`Db::write`] with a batch that is used again: it keeps its memory and its entries, and
    /// has the sequence number of its first entry afterwards.
    ///
    /// # Errors
    /// As [`Db::write`].
    pub fn write_reused(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        self.inner.write(options, batch)
    }

    /// Writes a batch of one entry of about so many bytes, which `add` adds.
    fn write_one(
        &self,
        options: &WriteOptions,
        entry_bytes: usize,
        add: impl FnOnce(&mut WriteBatch) -> Result<()>,
    ) -> Result<()> {
        // There is none where the thread is ending.
        let buffer = SPARE_BUFFER.try_with(Cell::take).unwrap_or_default();
        let mut batch = WriteBatch::in_buffer(buffer, entry_bytes);
        let result = add(&mut batch).and_then(|()| self.inner.write(options, &mut batch));
        let buffer = batch.into_buffer();
        if buffer.capacity() <= SPARE_BUFFER_BYTES_MAX {
            let _ = SPARE_BUFFER.try_with(|spare| spare.set(buffer));
        }
        result
    }

    /// Sets a key's value. In a column family with timestamps the key ends in one, here and below.
    ///
    /// # Errors
    /// As [`Db::write`].
    pub fn put(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let id = family.id();
        self.write_one(options, key.len() + value.len(), |batch| batch.put(id, key, value))
    }

    /// Sets a key to an entity of columns, names and values in any order.
    ///
    /// # Errors
    /// As [`Db::write`].
    pub fn put_entity(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        columns: &[(&[u8], &[u8])],
    ) -> Result<()> {
        let id = family.id();
        self.write_one(options, key.len(), |batch| batch.put_entity(id, key, columns))
    }

    /// Adds a merge operand to a key.
    ///
    /// # Errors
    /// As [`Db::write`]; `InvalidArgument` if the column family has no merge operator.
    pub fn merge(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        let id = family.id();
        self.write_one(options, key.len() + operand.len(), |batch| batch.merge(id, key, operand))
    }

    /// Deletes a key. That it has no value is no error.
    ///
    /// # Errors
    /// As [`Db::write`].
    pub fn delete(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<()> {
        let id = family.id();
        self.write_one(options, key.len(), |batch| batch.delete(id, key))
    }

    /// Deletes a key that was put once since it was last deleted, and never merged. Otherwise what
    /// a read finds is undefined.
    ///
    /// # Errors
    /// As [`Db::write`].
    pub fn single_delete(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<()> {
        let id = family.id();
        self.write_one(options, key.len(), |batch| batch.single_delete(id, key))
    }

    /// Deletes the keys from `begin` up to but not including `end`.
    ///
    /// # Errors
    /// As [`Db::write`]; `InvalidArgument` if `end` comes before `begin`.
    pub fn delete_range(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        begin: &[u8],
        end: &[u8],
    ) -> Result<()> {
        let id = family.id();
        self.write_one(options, begin.len() + end.len(), |batch| batch.delete_range(id, begin, end))
    }

    /// The state of now, to be read from later. Versions that it shows are kept until it is
    /// dropped.
    pub fn snapshot(&self) -> Snapshot {
        let inner = &self.inner;
        let list = match &inner.writing {
            Some(writing) => writing.snapshots.clone(),
            None => Arc::default(),
        };
        list.take(Arc::downgrade(inner), inner.context.clock.now_seconds(), || {
            inner.visibility.last_sequence()
        })
    }

    /// Brings what is in the memtables of `families` into tables.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only; the error that the flush gave.
    pub fn flush(&self, options: &FlushOptions, families: &[&ColumnFamilyHandle]) -> Result<()> {
        self.inner.check_call(options)?;
        self.inner.flush(options, families, FlushReason::ManualFlush)
    }

    /// Hands the part of the WAL that is still in a buffer (`manual_wal_flush`) to the operating
    /// system, so that it outlives the process; with `sync` to the disk, so that it outlives a power
    /// loss.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only; `IoError`, which stops writes.
    pub fn flush_wal(&self, sync: bool) -> Result<()> {
        self.flush_wal_with(&FlushWalOptions { sync, ..FlushWalOptions::default() })
    }

    /// As [`Db::flush_wal`], with options.
    ///
    /// # Errors
    /// As [`Db::flush_wal`].
    pub fn flush_wal_with(&self, options: &FlushWalOptions) -> Result<()> {
        self.inner.flush_wal(options)
    }

    /// Makes everything written so far outlive a power loss, but for what no WAL has.
    ///
    /// # Errors
    /// As [`Db::flush_wal`].
    pub fn sync_wal(&self) -> Result<()> {
        self.flush_wal(true)
    }

    /// Closes the database. What was written without a WAL is flushed first, unless
    /// `avoid_flush_during_shutdown` is set.
    ///
    /// # Errors
    /// The first error; the database is closed nevertheless.
    pub fn close(self) -> Result<()> {
        self.inner.close()
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        if self.closes_on_drop {
            // Whoever wants to know of errors calls `close`.
            let _ = self.inner.close();
        }
    }
}
