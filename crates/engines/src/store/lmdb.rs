//! LMDB, a B-tree in memory that is mapped to a file, through `heed`.

use super::{KeyRange, Store, StoreBatch, failed};
use base::{Result, Status};
use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions, WithoutTls};
use std::collections::VecDeque;
use std::ops::Bound;
use std::path::Path;

/// The most that a file may grow to: addresses, not memory.
const MAP_BYTES: usize = 1 << 40;

/// The most families.
const TABLES_MAX: u32 = 128;

/// Entries that a walk takes along at once: a walk holds no transaction, and copies them. It begins with
/// few, as most are short.
const FIRST_ENTRIES: usize = 4;
const ENTRIES_MAX: usize = 256;

type Table = Database<Bytes, Bytes>;

/// First and last key.
type OwnedRange = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// LMDB.
pub struct LmdbStore {
    env: Env<WithoutTls>,
}

/// Entries of a table, some of them read ahead.
pub struct LmdbEntries {
    env: Env<WithoutTls>,
    table: Table,
    ahead: VecDeque<(Vec<u8>, Vec<u8>)>,
    rest: Option<OwnedRange>,
    is_descending: bool,
    wanted: usize,
}

fn fail(error: impl std::fmt::Display) -> Status {
    failed::<LmdbStore>(error)
}

impl LmdbEntries {
    fn read_ahead(&mut self) -> Result<()> {
        let Some(range) = self.rest.take() else { return Ok(()) };
        let transaction = self.env.read_txn().map_err(fail)?;
        let bounds = (as_slice(&range.0), as_slice(&range.1));
        let mut take = |entry: heed::Result<(&[u8], &[u8])>| {
            let (key, value) = entry.map_err(fail)?;
            self.ahead.push_back((key.to_vec(), value.to_vec()));
            Ok::<_, Status>(())
        };
        if self.is_descending {
            let entries = self.table.rev_range(&transaction, &bounds).map_err(fail)?;
            entries.take(self.wanted).try_for_each(&mut take)?;
        } else {
            let entries = self.table.range(&transaction, &bounds).map_err(fail)?;
            entries.take(self.wanted).try_for_each(&mut take)?;
        }
        if self.ahead.len() == self.wanted
            && let Some((last, _)) = self.ahead.back()
        {
            let last = Bound::Excluded(last.clone());
            let rest = if self.is_descending { (range.0, last) } else { (last, range.1) };
            self.rest = Some(rest);
        }
        self.wanted = (self.wanted * 4).min(ENTRIES_MAX);
        Ok(())
    }
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

impl Iterator for LmdbEntries {
    type Item = Result<(Vec<u8>, Vec<u8>)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ahead.is_empty()
            && let Err(status) = self.read_ahead()
        {
            return Some(Err(status));
        }
        self.ahead.pop_front().map(Ok)
    }
}

impl Store for LmdbStore {
    const NAME: &'static str = "lmdb";
    const VERSION: &'static str = "0.9";
    type Table = Table;
    type Bytes = Vec<u8>;
    type Entries = LmdbEntries;

    /// It has no cache but the system's.
    fn open(path: &Path, _cache_bytes: u64) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(|error| Status::from_io(&error, "create", path))?;
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(MAP_BYTES).max_dbs(TABLES_MAX);
        // SAFETY: the files are this database's own, and nobody is told of them who would change
        // them while they are mapped. What is not synced is synced on request alone, as in the
        // other engines; a power loss may take it.
        let env = unsafe {
            options.flags(EnvFlags::NO_SYNC);
            options.open(path)
        };
        Ok(Self { env: env.map_err(fail)? })
    }

    fn table(&self, name: &str) -> Result<Table> {
        let mut transaction = self.env.write_txn().map_err(fail)?;
        let table = self.env.create_database(&mut transaction, Some(name)).map_err(fail)?;
        transaction.commit().map_err(fail)?;
        Ok(table)
    }

    #[inline]
    fn get(&self, table: &Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let transaction = self.env.read_txn().map_err(fail)?;
        let value = table.get(&transaction, key).map_err(fail)?;
        Ok(value.map(<[u8]>::to_vec))
    }

    fn entries(
        &self,
        table: &Table,
        range: KeyRange<'_>,
        is_descending: bool,
    ) -> Result<LmdbEntries> {
        let owned = |bound: Bound<&[u8]>| bound.map(<[u8]>::to_vec);
        Ok(LmdbEntries {
            env: self.env.clone(),
            table: *table,
            ahead: VecDeque::new(),
            rest: Some((owned(range.0), owned(range.1))),
            is_descending,
            wanted: FIRST_ENTRIES,
        })
    }

    fn apply(&self, batch: &StoreBatch<Self>, sync: bool) -> Result<()> {
        let mut transaction = self.env.write_txn().map_err(fail)?;
        for change in &batch.changes {
            let key = change.key.as_slice();
            match &change.value {
                Some(value) => change.table.put(&mut transaction, key, value).map_err(fail)?,
                None => {
                    change.table.delete(&mut transaction, key).map_err(fail)?;
                }
            }
        }
        transaction.commit().map_err(fail)?;
        if sync { self.env.force_sync().map_err(fail) } else { Ok(()) }
    }

    fn flush(&self, _tables: &[Table]) -> Result<()> {
        self.env.force_sync().map_err(fail)
    }
}
