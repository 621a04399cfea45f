//! Rust's key-value stores, that a user would otherwise pick, as engines. Each is behind a feature of
//! its name.
//!
//! [`Store`] is what such a store must do; the rest is the same for all of them. Options of RocksDB mean
//! nothing to them, but for the size of the block cache: each runs with its own defaults, and says so.
//! Their files are in a place of their own inside the database's directory.

#[cfg(feature = "fjall")]
mod fjall;
#[cfg(feature = "lmdb")]
#[expect(unsafe_code, reason = "LMDB maps files that others could change")]
mod lmdb;
#[cfg(feature = "redb")]
mod redb;

use crate::engine::{Batch, Cursor, Engine, MultiGetApi, lacks};
use crate::opening::Opening;
use crate::provider::{Identity, Kind, Provider};
use base::{Result, Status};
use db::{ReadOptions, WriteOptions};
use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::marker::PhantomData;
use std::ops::{Bound, Deref};
use std::path::{Path, PathBuf};

#[cfg(feature = "fjall")]
pub use fjall::FjallStore;
#[cfg(feature = "lmdb")]
pub use lmdb::LmdbStore;
#[cfg(feature = "redb")]
pub use redb::RedbStore;

/// Entries from one key to another.
type KeyRange<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// A store of entries in the order of their keys.
pub trait Store: Sized + Send + Sync + 'static {
    /// What it is called, and what its files in the directory are.
    const NAME: &'static str;
    /// Its release.
    const VERSION: &'static str;
    /// A table of entries, for a column family.
    type Table: Clone + Send + Sync;
    /// A key or value.
    type Bytes: Deref<Target = [u8]>;
    /// Entries one after another.
    type Entries: Iterator<Item = Result<(Self::Bytes, Self::Bytes)>>;

    /// Opens the store at `path`, which is made if it is missing.
    ///
    /// # Errors
    /// What opening gave.
    fn open(path: &Path, cache_bytes: u64) -> Result<Self>;

    /// The table of this name, which is made if it is missing.
    ///
    /// # Errors
    /// What making it gave.
    fn table(&self, name: &str) -> Result<Self::Table>;

    /// The value of a key, if it has one.
    ///
    /// # Errors
    /// What reading gave.
    fn get(&self, table: &Self::Table, key: &[u8]) -> Result<Option<Self::Bytes>>;

    /// The entries of a range, ascending or descending.
    ///
    /// # Errors
    /// What reading gave.
    fn entries(
        &self,
        table: &Self::Table,
        range: KeyRange<'_>,
        is_descending: bool,
    ) -> Result<Self::Entries>;

    /// Makes changes all at once; those without a value are deletions.
    ///
    /// # Errors
    /// What writing gave.
    fn apply(&self, changes: &StoreBatch<Self>, sync: bool) -> Result<()>;

    /// Brings what is in memory to the disk.
    ///
    /// # Errors
    /// What writing gave.
    fn flush(&self, tables: &[Self::Table]) -> Result<()>;
}

/// Opens a store's databases.
#[derive(Debug)]
pub struct StoreProvider<S> {
    cache_bytes: u64,
    store: PhantomData<fn() -> S>,
}

impl<S: Store> StoreProvider<S> {
    /// Databases will have a cache of this size.
    pub fn new(cache_bytes: u64) -> Self {
        Self { cache_bytes, store: PhantomData }
    }
}

impl<S: Store> Provider for StoreProvider<S> {
    type Engine = StoreEngine<S>;

    fn identity(&self) -> Identity {
        Identity {
            name: S::NAME.to_owned(),
            version: S::VERSION.to_owned(),
            kind: Kind::Crate,
            library: None,
            assertions: cfg!(debug_assertions),
        }
    }

    fn open(&self, opening: &Opening) -> Result<StoreEngine<S>> {
        let directory = opening.path.join(S::NAME);
        if opening.read_only && !directory.is_dir() {
            return Err(Status::io_error(format!("{}: there is no database", directory.display())));
        }
        eprintln!(
            "note: {} has its own defaults and a cache of {} bytes; options of RocksDB do not \
                   apply to it",
            S::NAME,
            self.cache_bytes
        );
        fs::create_dir_all(&opening.path)
            .map_err(|error| Status::from_io(&error, "create", &opening.path))?;
        let store = S::open(&directory, self.cache_bytes)?;
        let tables = opening.families.iter().map(|family| {
            let name = family.name.to_string();
            store.table(&name).map(|table| (name, table))
        });
        let tables = tables.collect::<Result<_>>()?;
        let Opening { path, read_only, .. } = opening;
        Ok(StoreEngine { path: path.clone(), store, tables, read_only: *read_only })
    }

    fn destroy(&self, path: &Path, _wal_dir: Option<&Path>) -> Result<()> {
        let path = path.join(S::NAME);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Status::from_io(&error, "delete", &path))
            }
            _ => Ok(()),
        }
    }
}

/// A database of a store.
#[derive(Debug)]
pub struct StoreEngine<S: Store> {
    path: PathBuf,
    store: S,
    tables: Vec<(String, S::Table)>,
    /// Whether writes are refused. The files are opened as ever.
    read_only: bool,
}

impl<S: Store> StoreEngine<S> {
    fn apply(&self, batch: &StoreBatch<S>, sync: bool) -> Result<()> {
        match self.read_only {
            true => {
                Err(Status::not_supported("writing to a database that is open for reading only"))
            }
            false => self.store.apply(batch, sync),
        }
    }
}

/// Between which keys a cursor goes; the lower one is inclusive, the upper one is not.
#[derive(Clone, Debug, Default)]
pub struct KeyBounds {
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
}

impl KeyBounds {
    fn lower(&self) -> Bound<&[u8]> {
        self.lower.as_deref().map_or(Bound::Unbounded, Bound::Included)
    }

    fn upper(&self) -> Bound<&[u8]> {
        self.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded)
    }
}

impl<S: Store> Engine for StoreEngine<S> {
    type Family = S::Table;
    type ReadOptions = KeyBounds;
    type WriteOptions = bool;
    type Value<'a> = S::Bytes;
    type MultiGetRoom = ();
    type Batch = StoreBatch<S>;
    type Cursor<'a> = StoreCursor<'a, S>;
    type Snapshot = ();

    fn path(&self) -> &Path {
        &self.path
    }

    fn family(&self, name: &str) -> Result<S::Table> {
        let found = self.tables.iter().find(|(other, _)| other == name);
        let found = found.map(|(_, table)| table.clone());
        found.ok_or_else(|| Status::invalid_argument(format!("no family {name}")))
    }

    fn close(self) -> Result<()> {
        Ok(())
    }

    fn read_options(&self, options: &ReadOptions) -> Result<KeyBounds> {
        let bounds = KeyBounds {
            lower: options.iterate_lower_bound.clone(),
            upper: options.iterate_upper_bound.clone(),
        };
        // Reads are always in order, verified as the store does it, and ahead as it likes.
        let rest = ReadOptions {
            iterate_lower_bound: None,
            iterate_upper_bound: None,
            verify_checksums: true,
            total_order_seek: false,
            auto_readahead_size: true,
            ..options.clone()
        };
        match rest == ReadOptions::default() {
            true => Ok(bounds),
            false => Err(lacks("such read options")),
        }
    }

    fn set_bounds(
        &self,
        options: &mut KeyBounds,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Result<()> {
        options.lower = lower.map(<[u8]>::to_vec);
        options.upper = upper.map(<[u8]>::to_vec);
        Ok(())
    }

    fn set_snapshot(&self, _options: &mut KeyBounds, snapshot: Option<&()>) -> Result<()> {
        snapshot.map_or(Ok(()), |()| Err(lacks("snapshots")))
    }

    fn write_options(&self, options: &WriteOptions) -> Result<bool> {
        match (WriteOptions { sync: false, ..*options }) == WriteOptions::default() {
            true => Ok(options.sync),
            false => Err(lacks("write options but sync")),
        }
    }

    #[inline]
    fn get(&self, _: &KeyBounds, family: &S::Table, key: &[u8]) -> Result<Option<S::Bytes>> {
        self.store.get(family, key)
    }

    /// One after another.
    #[inline]
    fn multi_get(
        &self,
        _: &KeyBounds,
        family: &S::Table,
        keys: &[Vec<u8>],
        _api: MultiGetApi,
        (): &mut (),
        mut visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        for (index, key) in keys.iter().enumerate() {
            visit(index, self.store.get(family, key)?.as_deref());
        }
        Ok(())
    }

    #[inline]
    fn new_iterator<'a>(
        &'a self,
        options: &'a KeyBounds,
        family: &'a S::Table,
    ) -> Result<StoreCursor<'a, S>> {
        Ok(StoreCursor {
            store: &self.store,
            table: family,
            bounds: options,
            entries: None,
            current: None,
            failure: None,
        })
    }

    fn new_batch(&self) -> StoreBatch<S> {
        StoreBatch { changes: Vec::new() }
    }

    #[inline]
    fn write(&self, sync: &bool, batch: &mut StoreBatch<S>) -> Result<()> {
        self.apply(batch, *sync)
    }

    fn put(&self, sync: &bool, family: &S::Table, key: &[u8], value: &[u8]) -> Result<()> {
        let mut batch = self.new_batch();
        batch.put(family, key, value)?;
        self.apply(&batch, *sync)
    }

    fn delete(&self, sync: &bool, family: &S::Table, key: &[u8]) -> Result<()> {
        let mut batch = self.new_batch();
        batch.delete(family, key)?;
        self.apply(&batch, *sync)
    }

    fn flush(&self, families: &[S::Table]) -> Result<()> {
        self.store.flush(families)
    }
}

/// A key and its value, or none if it is deleted.
struct Change<T> {
    table: T,
    key: Vec<u8>,
    value: Option<Vec<u8>>,
}

/// Changes that are made all at once.
pub struct StoreBatch<S: Store> {
    changes: Vec<Change<S::Table>>,
}

impl<S: Store> Batch for StoreBatch<S> {
    type Family = S::Table;

    fn clear(&mut self) {
        self.changes.clear();
    }

    fn count(&self) -> u64 {
        self.changes.len() as u64
    }

    fn put(&mut self, table: &S::Table, key: &[u8], value: &[u8]) -> Result<()> {
        let (table, key, value) = (table.clone(), key.to_vec(), Some(value.to_vec()));
        self.changes.push(Change { table, key, value });
        Ok(())
    }

    fn delete(&mut self, table: &S::Table, key: &[u8]) -> Result<()> {
        self.changes.push(Change { table: table.clone(), key: key.to_vec(), value: None });
        Ok(())
    }
}

/// A cursor over a table. Turning around begins a new walk from the entry where it stands.
pub struct StoreCursor<'a, S: Store> {
    store: &'a S,
    table: &'a S::Table,
    bounds: &'a KeyBounds,
    /// What comes next, and whether that is descending.
    entries: Option<(S::Entries, bool)>,
    current: Option<(S::Bytes, S::Bytes)>,
    failure: Option<Status>,
}

impl<S: Store> StoreCursor<'_, S> {
    fn walk(&mut self, range: KeyRange<'_>, is_descending: bool) {
        self.current = None;
        match self.store.entries(self.table, range, is_descending) {
            Ok(entries) => {
                self.entries = Some((entries, is_descending));
                self.step(is_descending);
            }
            Err(status) => self.failure = Some(status),
        }
    }

    fn step(&mut self, is_descending: bool) {
        match &mut self.entries {
            Some((entries, direction)) if *direction == is_descending => match entries.next() {
                Some(Ok(entry)) => self.current = Some(entry),
                Some(Err(status)) => (self.current, self.failure) = (None, Some(status)),
                None => self.current = None,
            },
            _ => {
                let Some((key, _)) = self.current.take() else { return };
                let bounds = self.bounds;
                match is_descending {
                    true => self.walk((bounds.lower(), Bound::Excluded(&key)), true),
                    false => self.walk((Bound::Excluded(&key), bounds.upper()), false),
                }
            }
        }
    }
}

impl<S: Store> Cursor for StoreCursor<'_, S> {
    #[inline]
    fn valid(&self) -> bool {
        self.current.is_some()
    }

    fn status(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn seek_to_first(&mut self) {
        self.walk((self.bounds.lower(), self.bounds.upper()), false);
    }

    fn seek_to_last(&mut self) {
        self.walk((self.bounds.lower(), self.bounds.upper()), true);
    }

    fn seek(&mut self, target: &[u8]) {
        let bounds = self.bounds;
        let lower = bounds.lower.as_deref().filter(|lower| *lower > target).unwrap_or(target);
        if bounds.upper.as_deref().is_some_and(|upper| upper <= lower) {
            self.current = None;
            return;
        }
        self.walk((Bound::Included(lower), bounds.upper()), false);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        let bounds = self.bounds;
        let upper = match bounds.upper.as_deref() {
            Some(upper) if upper <= target => Bound::Excluded(upper),
            _ => Bound::Included(target),
        };
        if bounds.lower.as_deref().is_some_and(|lower| lower > target) {
            self.current = None;
            return;
        }
        self.walk((bounds.lower(), upper), true);
    }

    #[inline]
    fn next(&mut self) {
        self.step(false);
    }

    #[inline]
    fn prev(&mut self) {
        self.step(true);
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], |(key, _)| key)
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.current.as_ref().map_or(&[], |(_, value)| value)
    }
}

/// What a store said.
#[cold]
fn failed<S: Store>(error: impl Display) -> Status {
    Status::io_error(format!("{}: {error}", S::NAME))
}

#[cfg(test)]
mod tests;
