//! fjall, an LSM tree.

use super::{KeyRange, Store, StoreBatch, failed};
use ::fjall::{Database, Guard, Iter, Keyspace, KeyspaceCreateOptions, PersistMode, Slice};
use base::Result;
use std::path::Path;

/// fjall.
pub struct FjallStore {
    database: Database,
}

/// Entries of a keyspace.
pub struct FjallEntries {
    entries: Iter,
    is_descending: bool,
}

impl Iterator for FjallEntries {
    type Item = Result<(Slice, Slice)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = match self.is_descending {
            true => self.entries.next_back(),
            false => self.entries.next(),
        };
        entry.map(Guard::into_inner).map(|entry| entry.map_err(failed::<FjallStore>))
    }
}

impl Store for FjallStore {
    const NAME: &'static str = "fjall";
    const VERSION: &'static str = "3.1";
    type Table = Keyspace;
    type Bytes = Slice;
    type Entries = FjallEntries;

    fn open(path: &Path, cache_bytes: u64) -> Result<Self> {
        let database = Database::builder(path).cache_size(cache_bytes).open();
        Ok(Self { database: database.map_err(failed::<Self>)? })
    }

    fn table(&self, name: &str) -> Result<Keyspace> {
        self.database.keyspace(name, KeyspaceCreateOptions::default).map_err(failed::<Self>)
    }

    #[inline]
    fn get(&self, table: &Keyspace, key: &[u8]) -> Result<Option<Slice>> {
        table.get(key).map_err(failed::<Self>)
    }

    fn entries(
        &self,
        table: &Keyspace,
        range: KeyRange<'_>,
        is_descending: bool,
    ) -> Result<FjallEntries> {
        Ok(FjallEntries { entries: table.range::<&[u8], _>(range), is_descending })
    }

    fn apply(&self, batch: &StoreBatch<Self>, sync: bool) -> Result<()> {
        let mut writes = self.database.batch();
        for change in &batch.changes {
            match &change.value {
                Some(value) => {
                    writes.insert(&change.table, change.key.as_slice(), value.as_slice());
                }
                None => writes.remove(&change.table, change.key.as_slice()),
            }
        }
        let mode = if sync { PersistMode::SyncData } else { PersistMode::Buffer };
        writes.durability(Some(mode)).commit().map_err(failed::<Self>)
    }

    fn flush(&self, tables: &[Keyspace]) -> Result<()> {
        let flush = |table: &Keyspace| table.rotate_memtable_and_wait();
        tables.iter().try_for_each(flush).map_err(failed::<Self>)
    }
}
