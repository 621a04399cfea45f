//! An open database of any engine.

use base::{Result, Status};
use db::{
    Columns, CompactFilesOptions, CompactRangeOptions, IngestExternalFileOptions, ReadOptions,
    WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use perf_context::PerfLevel;
use record::FamilyShape;
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

/// An open database.
///
/// Options of calls are translated once ([`Engine::read_options`], [`Engine::write_options`]) and
/// then used by as many calls and threads as there are. Methods with a body here answer that the
/// engine cannot do it; an engine that can overrides them.
pub trait Engine: Sized + Send + Sync + 'static {
    /// A column family.
    type Family: Send + Sync;
    /// How to read, in the engine's form.
    type ReadOptions: Clone + Send + Sync;
    /// How to write, in the engine's form.
    type WriteOptions: Clone + Send + Sync;
    /// A value, where the engine has it.
    type Value<'a>: Deref<Target = [u8]>
    where
        Self: 'a;
    /// Room that [`Engine::multi_get`] needs and the next call uses again.
    type MultiGetRoom: Default;
    /// Writes that become visible together.
    type Batch: Batch<Family = Self::Family>;
    /// A cursor over the keys of a family.
    type Cursor<'a>: Cursor
    where
        Self: 'a;
    /// A state that stays readable until it is dropped.
    type Snapshot: Send + Sync;

    /// The directory.
    fn path(&self) -> &Path;

    /// The family of this name.
    ///
    /// # Errors
    /// `InvalidArgument` if it was not opened.
    fn family(&self, name: &str) -> Result<Self::Family>;

    /// Closes the database; families, snapshots and cursors must be gone.
    ///
    /// # Errors
    /// What was written without a WAL and could not be flushed.
    fn close(self) -> Result<()>;

    /// Translates options for reads.
    ///
    /// # Errors
    /// `NotSupported` that names an option that is not at its default and that the engine lacks.
    fn read_options(&self, options: &ReadOptions) -> Result<Self::ReadOptions>;

    /// Changes between which keys iterators go that are made with `options` from now on; the lower
    /// bound is inclusive, the upper one is not.
    ///
    /// # Errors
    /// `NotSupported`.
    fn set_bounds(
        &self,
        options: &mut Self::ReadOptions,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Result<()>;

    /// Makes reads with `options` see the state of `snapshot`, or without one the newest.
    ///
    /// # Errors
    /// `NotSupported`.
    fn set_snapshot(
        &self,
        options: &mut Self::ReadOptions,
        snapshot: Option<&Self::Snapshot>,
    ) -> Result<()>;

    /// Translates options for writes.
    ///
    /// # Errors
    /// `NotSupported` that names an option that is not at its default and that the engine lacks.
    fn write_options(&self, options: &WriteOptions) -> Result<Self::WriteOptions>;

    /// The value of a key, if it has one.
    ///
    /// # Errors
    /// What reading gave.
    fn get<'a>(
        &'a self,
        options: &Self::ReadOptions,
        family: &Self::Family,
        key: &[u8],
    ) -> Result<Option<Self::Value<'a>>>;

    /// The columns of a key, with their names; a plain value is one column with the empty name. None if the
    /// key is not there.
    ///
    /// # Errors
    /// `NotSupported`; what reading gave.
    fn get_entity(
        &self,
        _options: &Self::ReadOptions,
        _family: &Self::Family,
        _key: &[u8],
    ) -> Result<Option<Columns>> {
        Err(lacks("wide columns"))
    }

    /// Hands the values of several keys to `visit`, each with its place in `keys`, in any order.
    ///
    /// # Errors
    /// The first failure of a key.
    fn multi_get(
        &self,
        options: &Self::ReadOptions,
        family: &Self::Family,
        keys: &[Vec<u8>],
        api: MultiGetApi,
        room: &mut Self::MultiGetRoom,
        visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()>;

    /// A cursor over the keys of a family, that stands nowhere yet.
    ///
    /// # Errors
    /// `InvalidArgument` if the options do not fit the family.
    fn new_iterator<'a>(
        &'a self,
        options: &'a Self::ReadOptions,
        family: &'a Self::Family,
    ) -> Result<Self::Cursor<'a>>;

    /// The newest state.
    ///
    /// # Errors
    /// `NotSupported`.
    fn snapshot(&self) -> Result<Self::Snapshot> {
        Err(lacks("snapshots"))
    }

    /// An empty batch.
    fn new_batch(&self) -> Self::Batch;

    /// Writes a batch, which keeps its memory and whose content may be gone.
    ///
    /// # Errors
    /// What writing gave.
    fn write(&self, options: &Self::WriteOptions, batch: &mut Self::Batch) -> Result<()>;

    /// Sets the value of a key.
    ///
    /// # Errors
    /// What writing gave.
    fn put(
        &self,
        options: &Self::WriteOptions,
        family: &Self::Family,
        key: &[u8],
        value: &[u8],
    ) -> Result<()>;

    /// Deletes a key.
    ///
    /// # Errors
    /// What writing gave.
    fn delete(&self, options: &Self::WriteOptions, family: &Self::Family, key: &[u8])
    -> Result<()>;

    /// Deletes a key that was put once since it was last deleted.
    ///
    /// # Errors
    /// What writing gave.
    fn single_delete(
        &self,
        _options: &Self::WriteOptions,
        _family: &Self::Family,
        _key: &[u8],
    ) -> Result<()> {
        Err(lacks("single deletions"))
    }

    /// Merges an operand into the value of a key.
    ///
    /// # Errors
    /// What writing gave.
    fn merge(
        &self,
        _options: &Self::WriteOptions,
        _family: &Self::Family,
        _key: &[u8],
        _operand: &[u8],
    ) -> Result<()> {
        Err(lacks("merges"))
    }

    /// Writes a table at `path` that can be [ingested](Engine::ingest): `fill` is given what puts a key and
    /// its value, which come in the order of keys.
    ///
    /// # Errors
    /// `NotSupported`; what `fill` or writing gave.
    fn write_table(
        &self,
        _options: &DbOptions,
        _family: &ColumnFamilyOptions,
        _path: &Path,
        _fill: &mut dyn FnMut(&mut PutInTable<'_>) -> Result<()>,
    ) -> Result<()> {
        Err(lacks("tables that are written apart"))
    }

    /// Makes tables that were written apart part of a family, as if they were written now.
    ///
    /// # Errors
    /// `NotSupported`; what the engine finds wrong with a table.
    fn ingest(
        &self,
        _family: &Self::Family,
        _files: &[PathBuf],
        _options: &IngestExternalFileOptions,
    ) -> Result<()> {
        Err(lacks("tables that are written apart"))
    }

    /// Brings what is in memory to the disk, and waits for that.
    ///
    /// # Errors
    /// What writing gave.
    fn flush(&self, families: &[Self::Family]) -> Result<()>;

    /// Compacts the keys from `begin` to `end`, both inclusive; none for the first or last key.
    ///
    /// # Errors
    /// What the compactions gave.
    fn compact_range(
        &self,
        _options: &CompactRangeOptions,
        _family: &Self::Family,
        _begin: Option<&[u8]>,
        _end: Option<&[u8]>,
    ) -> Result<()> {
        Err(lacks("compactions of a range"))
    }

    /// Compacts the tables of these numbers to `output_level`.
    ///
    /// # Errors
    /// `Aborted` if a file is being compacted; what the compaction gave.
    fn compact_files(
        &self,
        _options: &CompactFilesOptions,
        _family: &Self::Family,
        _numbers: &[u64],
        _output_level: usize,
    ) -> Result<()> {
        Err(lacks("compactions of chosen files"))
    }

    /// The tables of all families.
    ///
    /// # Errors
    /// `NotSupported`.
    fn live_files(&self) -> Result<Vec<LiveFile>> {
        Err(lacks("a list of its files"))
    }

    /// Waits until no flush and no compaction runs or is due.
    ///
    /// # Errors
    /// The error that stops background work.
    fn wait_for_compaction(&self) -> Result<()> {
        Err(lacks("a way to wait for compactions"))
    }

    /// Changes options of a family, by RocksDB's names.
    ///
    /// # Errors
    /// `InvalidArgument` that names the option.
    fn set_options(&self, _family: &Self::Family, _changes: &[(&str, &str)]) -> Result<()> {
        Err(lacks("options that can be changed"))
    }

    /// The text of a property; none if there is no such property.
    ///
    /// # Errors
    /// `NotSupported` by an engine without properties.
    fn property(&self, _family: &Self::Family, _name: &str) -> Result<Option<String>> {
        Err(lacks("properties"))
    }

    /// The number of a property; none if there is no such property.
    ///
    /// # Errors
    /// `NotSupported` by an engine without properties.
    fn int_property(&self, _family: &Self::Family, _name: &str) -> Result<Option<u64>> {
        Err(lacks("properties"))
    }

    /// How much of a family is in memory, and on each level.
    ///
    /// # Errors
    /// `NotSupported` by an engine without levels.
    fn tree_shape(&self, _family: &Self::Family) -> Result<FamilyShape> {
        Err(lacks("levels"))
    }

    /// About how many bytes the keys of each range take in files.
    ///
    /// # Errors
    /// `NotSupported`; `InvalidArgument` if a range ends before it starts.
    fn approximate_sizes(
        &self,
        _family: &Self::Family,
        _ranges: &[Range<Vec<u8>>],
    ) -> Result<Vec<u64>> {
        Err(lacks("sizes of ranges"))
    }

    /// About how many entries with keys of a range memtables hold.
    ///
    /// # Errors
    /// `NotSupported`; `InvalidArgument` if the range ends before it starts.
    fn approximate_memtable_entries(
        &self,
        _family: &Self::Family,
        _range: &Range<Vec<u8>>,
    ) -> Result<u64> {
        Err(lacks("counts of what memtables hold of a range"))
    }

    /// Forgets what the database has counted so far for its properties.
    ///
    /// # Errors
    /// `NotSupported`.
    fn reset_stats(&self) -> Result<()> {
        Err(lacks("a way to forget what it has counted"))
    }

    /// The operands of a key that are not merged yet, oldest first; none if the key is not there.
    ///
    /// # Errors
    /// `NotSupported`; what reading gave.
    fn merge_operands(
        &self,
        _options: &Self::ReadOptions,
        _family: &Self::Family,
        _key: &[u8],
    ) -> Result<Option<Vec<Vec<u8>>>> {
        Err(lacks("a way to read merge operands"))
    }

    /// Compares checksums of whole files with those that were kept.
    ///
    /// # Errors
    /// `NotSupported`; `Corruption` that names a file.
    fn verify_file_checksums(&self) -> Result<()> {
        Err(lacks("checksums of whole files"))
    }

    /// Compares the checksum of every block of every table with the one that stands after it.
    ///
    /// # Errors
    /// `NotSupported`; `Corruption` that names a file.
    fn verify_checksum(&self, _options: &Self::ReadOptions) -> Result<()> {
        Err(lacks("a check of all blocks"))
    }

    /// How far tickers came, by name, and the second since 1970 when they were looked at.
    ///
    /// # Errors
    /// `NotSupported`; what reading gave.
    fn stats_history(&self) -> Result<Vec<(u64, BTreeMap<String, u64>)>> {
        Err(lacks("a history of its statistics"))
    }

    /// Shows what another process has written since, in a database opened as its secondary.
    ///
    /// # Errors
    /// `NotSupported`; what reading gave.
    fn catch_up(&self) -> Result<()> {
        Err(lacks("secondaries"))
    }

    /// Sets what this thread counts and times of its operations, and begins with zeros. With
    /// `_by_level` also for each level of the tree, as far as the engine can.
    ///
    /// # Errors
    /// `NotSupported` by an engine that counts nothing so, for levels above the default.
    fn start_perf(&self, level: PerfLevel, _by_level: bool) -> Result<()> {
        match level {
            PerfLevel::Disable | PerfLevel::EnableCount => Ok(()),
            _ => Err(lacks("a perf context")),
        }
    }

    /// What this thread has counted since then, as text `name = number, …`.
    ///
    /// # Errors
    /// `NotSupported` by an engine that counts nothing so.
    fn perf_report(&self) -> Result<String> {
        Err(lacks("a perf context"))
    }
}

/// Puts a key and its value into a table.
pub type PutInTable<'a> = dyn FnMut(&[u8], &[u8]) -> Result<()> + 'a;

/// The status of an engine without `what`.
pub(crate) fn lacks(what: &str) -> Status {
    Status::not_supported(format!("this engine lacks {what}"))
}

/// Which of RocksDB's ways to get several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiGetApi {
    /// Arrays of slices, of one family, sorted and looked up together.
    Array,
    /// Vectors of strings.
    Vector,
}

/// A table of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveFile {
    /// Name of its family.
    pub family: String,
    /// Its level.
    pub level: usize,
    /// The number in its name.
    pub number: u64,
    /// Its size.
    pub bytes: u64,
}

/// Writes that become visible together.
pub trait Batch {
    /// A column family.
    type Family;

    /// Empties it and keeps its memory.
    fn clear(&mut self);

    /// How many writes it has.
    fn count(&self) -> u64;

    /// Sets the value of a key.
    ///
    /// # Errors
    /// `InvalidArgument` if key or value are too long.
    fn put(&mut self, family: &Self::Family, key: &[u8], value: &[u8]) -> Result<()>;

    /// Deletes a key.
    ///
    /// # Errors
    /// `InvalidArgument` if the key is too long.
    fn delete(&mut self, family: &Self::Family, key: &[u8]) -> Result<()>;

    /// Deletes a key that was put once since it was last deleted.
    ///
    /// # Errors
    /// `InvalidArgument` if the key is too long, `NotSupported`.
    fn single_delete(&mut self, _family: &Self::Family, _key: &[u8]) -> Result<()> {
        Err(lacks("single deletions"))
    }

    /// Merges an operand into the value of a key.
    ///
    /// # Errors
    /// `InvalidArgument` if key or operand are too long, `NotSupported`.
    fn merge(&mut self, _family: &Self::Family, _key: &[u8], _operand: &[u8]) -> Result<()> {
        Err(lacks("merges"))
    }

    /// Deletes the keys from `begin` on to before `end`.
    ///
    /// # Errors
    /// `InvalidArgument` if a key is too long, `NotSupported`.
    fn delete_range(&mut self, _family: &Self::Family, _begin: &[u8], _end: &[u8]) -> Result<()> {
        Err(lacks("deletions of a range"))
    }
}

/// A cursor over the keys of a family in their order. It stands at an entry or, also after an error,
/// at none.
pub trait Cursor {
    /// Whether it stands at an entry.
    fn valid(&self) -> bool;

    /// The error that it met, if any.
    ///
    /// # Errors
    /// That one.
    fn status(&self) -> Result<()>;

    /// To the first entry.
    fn seek_to_first(&mut self);

    /// To the last entry.
    fn seek_to_last(&mut self);

    /// To the first entry at or after `target`.
    fn seek(&mut self, target: &[u8]);

    /// To the last entry at or before `target`.
    fn seek_for_prev(&mut self, target: &[u8]);

    /// To the next entry. Must be valid.
    fn next(&mut self);

    /// To the entry before. Must be valid.
    fn prev(&mut self);

    /// The key. Must be valid.
    fn key(&self) -> &[u8];

    /// The value. Must be valid.
    fn value(&self) -> &[u8];
}
