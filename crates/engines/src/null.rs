//! An engine that does nothing, so that a run of it measures the harness.

use crate::engine::{Batch, Cursor, Engine, MultiGetApi};
use crate::opening::Opening;
use crate::provider::{Identity, Kind, Provider};
use base::{Result, Status};
use db::{ReadOptions, WriteOptions};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens databases that have every key and keep nothing.
#[derive(Debug)]
pub struct NullProvider {
    shape: NullShape,
}

#[derive(Clone, Debug)]
struct NullShape {
    key: Arc<[u8]>,
    value: Arc<[u8]>,
    entries: u64,
}

impl NullProvider {
    /// Scans will find `entries` entries, with keys and values of these sizes in bytes.
    pub fn new(key_size: usize, value_size: usize, entries: u64) -> Self {
        let bytes = |size| vec![b'0'; size].into();
        Self { shape: NullShape { key: bytes(key_size), value: bytes(value_size), entries } }
    }
}

impl Provider for NullProvider {
    type Engine = NullEngine;

    fn identity(&self) -> Identity {
        Identity {
            name: "null".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Null,
            library: None,
            assertions: cfg!(debug_assertions),
        }
    }

    fn open(&self, opening: &Opening) -> Result<NullEngine> {
        let names = opening.families.iter().map(|family| family.name.to_string());
        Ok(NullEngine {
            path: opening.path.clone(),
            shape: self.shape.clone(),
            families: names.collect(),
        })
    }

    fn destroy(&self, _path: &Path, _wal_dir: Option<&Path>) -> Result<()> {
        Ok(())
    }
}

/// A database that has every key and keeps nothing.
#[derive(Debug)]
pub struct NullEngine {
    path: PathBuf,
    shape: NullShape,
    families: Vec<String>,
}

/// What a call is given must be made, or the harness would seem to cost less than it does.
fn take(key: &[u8], value: &[u8]) {
    black_box((key, value));
}

impl Engine for NullEngine {
    type Family = ();
    type ReadOptions = ();
    type WriteOptions = ();
    type Value<'a> = &'a [u8];
    type MultiGetRoom = ();
    type Batch = NullBatch;
    type Cursor<'a> = NullCursor<'a>;
    type Snapshot = ();

    fn path(&self) -> &Path {
        &self.path
    }

    fn family(&self, name: &str) -> Result<()> {
        match self.families.iter().any(|family| family == name) {
            true => Ok(()),
            false => Err(Status::invalid_argument(format!("no family {name}"))),
        }
    }

    fn close(self) -> Result<()> {
        Ok(())
    }

    fn read_options(&self, _options: &ReadOptions) -> Result<()> {
        Ok(())
    }

    fn set_bounds(&self, (): &mut (), lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        black_box((lower, upper));
        Ok(())
    }

    fn set_snapshot(&self, (): &mut (), _snapshot: Option<&()>) -> Result<()> {
        Ok(())
    }

    fn write_options(&self, _options: &WriteOptions) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn get(&self, (): &(), (): &(), key: &[u8]) -> Result<Option<&[u8]>> {
        take(key, &[]);
        Ok(Some(black_box(&self.shape.value)))
    }

    #[inline]
    fn multi_get(
        &self,
        (): &(),
        (): &(),
        keys: &[Vec<u8>],
        _api: MultiGetApi,
        (): &mut (),
        mut visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        for (index, key) in keys.iter().enumerate() {
            take(key, &[]);
            visit(index, Some(black_box(&self.shape.value)));
        }
        Ok(())
    }

    #[inline]
    fn new_iterator<'a>(&'a self, (): &'a (), (): &'a ()) -> Result<NullCursor<'a>> {
        Ok(NullCursor { shape: &self.shape, left: 0 })
    }

    fn snapshot(&self) -> Result<()> {
        Ok(())
    }

    fn new_batch(&self) -> NullBatch {
        NullBatch { count: 0 }
    }

    #[inline]
    fn write(&self, (): &(), batch: &mut NullBatch) -> Result<()> {
        black_box(batch);
        Ok(())
    }

    #[inline]
    fn put(&self, (): &(), (): &(), key: &[u8], value: &[u8]) -> Result<()> {
        take(key, value);
        Ok(())
    }

    #[inline]
    fn delete(&self, (): &(), (): &(), key: &[u8]) -> Result<()> {
        take(key, &[]);
        Ok(())
    }

    #[inline]
    fn single_delete(&self, (): &(), (): &(), key: &[u8]) -> Result<()> {
        take(key, &[]);
        Ok(())
    }

    #[inline]
    fn merge(&self, (): &(), (): &(), key: &[u8], operand: &[u8]) -> Result<()> {
        take(key, operand);
        Ok(())
    }

    fn flush(&self, _families: &[()]) -> Result<()> {
        Ok(())
    }

    fn wait_for_compaction(&self) -> Result<()> {
        Ok(())
    }
}

/// Counts what it is given.
#[derive(Debug)]
pub struct NullBatch {
    count: u64,
}

impl NullBatch {
    #[inline]
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        take(key, value);
        self.count += 1;
        Ok(())
    }
}

impl Batch for NullBatch {
    type Family = ();

    fn clear(&mut self) {
        self.count = 0;
    }

    fn count(&self) -> u64 {
        self.count
    }

    #[inline]
    fn put(&mut self, (): &(), key: &[u8], value: &[u8]) -> Result<()> {
        self.add(key, value)
    }

    #[inline]
    fn delete(&mut self, (): &(), key: &[u8]) -> Result<()> {
        self.add(key, &[])
    }

    #[inline]
    fn single_delete(&mut self, (): &(), key: &[u8]) -> Result<()> {
        self.add(key, &[])
    }

    #[inline]
    fn merge(&mut self, (): &(), key: &[u8], operand: &[u8]) -> Result<()> {
        self.add(key, operand)
    }

    #[inline]
    fn delete_range(&mut self, (): &(), begin: &[u8], end: &[u8]) -> Result<()> {
        self.add(begin, end)
    }
}

/// Stands at an entry, until as many were passed as there are.
#[derive(Debug)]
pub struct NullCursor<'a> {
    shape: &'a NullShape,
    left: u64,
}

impl Cursor for NullCursor<'_> {
    #[inline]
    fn valid(&self) -> bool {
        black_box(self.left) > 0
    }

    fn status(&self) -> Result<()> {
        Ok(())
    }

    fn seek_to_first(&mut self) {
        self.left = self.shape.entries;
    }

    fn seek_to_last(&mut self) {
        self.left = self.shape.entries;
    }

    #[inline]
    fn seek(&mut self, target: &[u8]) {
        take(target, &[]);
        self.left = self.shape.entries;
    }

    #[inline]
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
    }

    #[inline]
    fn next(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    #[inline]
    fn prev(&mut self) {
        self.next();
    }

    #[inline]
    fn key(&self) -> &[u8] {
        black_box(&self.shape.key)
    }

    #[inline]
    fn value(&self) -> &[u8] {
        black_box(&self.shape.value)
    }
}

#[cfg(test)]
mod tests;
