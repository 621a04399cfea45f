//! redb, a B-tree that copies pages before it changes them.

use super::{KeyRange, Store, StoreBatch, failed};
use ::redb::{
    Builder, Database, Durability, OwnedAccessGuard, OwnedRange, ReadableDatabase, TableDefinition,
};
use base::{Result, Status};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// redb. A directory of this name holds its one file.
pub struct RedbStore {
    database: Database,
}

type Bytes = &'static [u8];

/// A key or value on its page.
pub struct RedbBytes(OwnedAccessGuard<Bytes>);

impl Deref for RedbBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.0.value()
    }
}

/// Entries of a table.
pub struct RedbEntries {
    entries: OwnedRange<Bytes, Bytes>,
    is_descending: bool,
}

impl Iterator for RedbEntries {
    type Item = Result<(RedbBytes, RedbBytes)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = match self.is_descending {
            true => self.entries.next_back(),
            false => self.entries.next(),
        };
        entry.map(|entry| {
            let (key, value) = entry.map_err(failed::<RedbStore>)?;
            Ok((RedbBytes(key), RedbBytes(value)))
        })
    }
}

fn definition(name: &str) -> TableDefinition<'_, Bytes, Bytes> {
    TableDefinition::new(name)
}

fn fail(error: impl std::fmt::Display) -> Status {
    failed::<RedbStore>(error)
}

impl Store for RedbStore {
    const NAME: &'static str = "redb";
    const VERSION: &'static str = "4.6";
    type Table = Arc<str>;
    type Bytes = RedbBytes;
    type Entries = RedbEntries;

    fn open(path: &Path, cache_bytes: u64) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(|error| Status::from_io(&error, "create", path))?;
        let mut builder = Builder::new();
        builder.set_cache_size(usize::try_from(cache_bytes).unwrap_or(usize::MAX));
        Ok(Self { database: builder.create(path.join("data.redb")).map_err(fail)? })
    }

    fn table(&self, name: &str) -> Result<Arc<str>> {
        let transaction = self.database.begin_write().map_err(fail)?;
        transaction.open_table(definition(name)).map_err(fail)?;
        transaction.commit().map_err(fail)?;
        Ok(name.into())
    }

    #[inline]
    fn get(&self, table: &Arc<str>, key: &[u8]) -> Result<Option<RedbBytes>> {
        let transaction = self.database.begin_read().map_err(fail)?;
        let table = transaction.open_table(definition(table)).map_err(fail)?;
        Ok(table.get_owned(key).map_err(fail)?.map(RedbBytes))
    }

    fn entries(
        &self,
        table: &Arc<str>,
        range: KeyRange<'_>,
        is_descending: bool,
    ) -> Result<RedbEntries> {
        let transaction = self.database.begin_read().map_err(fail)?;
        let table = transaction.open_table(definition(table)).map_err(fail)?;
        let entries = table.range_owned::<&[u8]>(range).map_err(fail)?;
        Ok(RedbEntries { entries, is_descending })
    }

    fn apply(&self, batch: &StoreBatch<Self>, sync: bool) -> Result<()> {
        let mut transaction = self.database.begin_write().map_err(fail)?;
        if !sync {
            transaction.set_durability(Durability::None).map_err(fail)?;
        }
        for changes in batch.changes.chunk_by(|one, other| one.table == other.table) {
            let mut table = transaction.open_table(definition(&changes[0].table)).map_err(fail)?;
            for change in changes {
                match &change.value {
                    Some(value) => {
                        table.insert(change.key.as_slice(), value.as_slice()).map_err(fail)?;
                    }
                    None => {
                        table.remove(change.key.as_slice()).map_err(fail)?;
                    }
                }
            }
        }
        transaction.commit().map_err(fail)
    }

    fn flush(&self, _tables: &[Arc<str>]) -> Result<()> {
        // A commit that waits takes along those before it that did not.
        self.database.begin_write().map_err(fail)?.commit().map_err(fail)
    }
}
