//! The engine as the database of a [`Side`](testing::model::runner::Side).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::comparator::ReverseBytewiseComparator;
use base::filename::{FileType, parse_file_name};
use base::merge_operator::{builtin, builtin_with_delimiter};
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    DbIterator, FlushOptions, IngestExternalFileOptions, OpenContext, ReadOptions, Snapshot,
    SstFileWriter, WriteBatch, WriteOptions,
};
use env::fault_injection_fs::PowerLoss;
use env::{FaultInjectionFileSystem, FileSystem};
use options::{ColumnFamilyOptions, DbOptions};
use testing::judges::protocol::{Bytes, MergeOperator, Operation};
use testing::model::runner::Subject;
use testing::model::{Answer, DEFAULT_SHAPE, Entry, Opening, Scan, Shape, Step, To};

/// The engine, on a file system that can crash.
pub(crate) struct Engine {
    base: Arc<dyn FileSystem>,
    faults: Arc<FaultInjectionFileSystem>,
    path: PathBuf,
    opening: Opening,
    families: BTreeMap<String, Shape>,
    iterators: BTreeMap<u32, DbIterator>,
    snapshots: BTreeMap<u32, Snapshot>,
    /// Tables made apart so far. Each has a name of its own: a power loss may bring back the other name
    /// of one that was moved in.
    tables: u32,
    db: Option<Db>,
}

type Result<T> = std::result::Result<T, String>;

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn text(status: base::Status) -> String {
    status.to_string()
}

/// The options of a family.
pub(crate) fn family_options(opening: &Opening, shape: Shape) -> Result<ColumnFamilyOptions> {
    let mut options = ColumnFamilyOptions::from_string(&opening.family).map_err(text)?;
    if shape.is_reverse {
        options.comparator = Arc::new(ReverseBytewiseComparator);
    }
    options.merge_operator = match shape.merge {
        Some(MergeOperator::StringAppend) => builtin_with_delimiter("stringappend", b","),
        Some(MergeOperator::Uint64Add) => builtin("uint64add"),
        _ => None,
    };
    Ok(options)
}

/// What an iterator is on.
pub(crate) fn entry(iterator: &DbIterator) -> Entry {
    let columns = iterator.columns();
    let columns = columns.into_iter().map(|(name, value)| (name.to_vec(), value.to_vec()));
    let (key, value) = (iterator.key().to_vec(), iterator.value().to_vec());
    Entry { key, value, columns: Some(columns.collect()) }
}

impl Engine {
    /// A database to be in `path`. The directory is there, so that no power loss takes it.
    pub(crate) fn new(base: Arc<dyn FileSystem>, path: &Path) -> Self {
        base.create_dir_if_missing(path).expect("a directory");
        let faults = Arc::new(FaultInjectionFileSystem::new(base.clone()));
        Self {
            base,
            faults,
            path: path.to_owned(),
            opening: Opening::default(),
            families: [("default".to_owned(), DEFAULT_SHAPE)].into(),
            iterators: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            tables: 0,
            db: None,
        }
    }

    fn context(&self) -> OpenContext {
        OpenContext { file_system: self.faults.clone(), ..OpenContext::default() }
    }

    fn open(&mut self, opening: &Opening) -> Result<()> {
        self.opening = opening.clone();
        let options = format!("create_if_missing=true;{}", opening.db);
        let options = DbOptions::from_string(&options).map_err(text)?;
        let mut descriptors = Vec::new();
        for (name, shape) in &self.families {
            let options = family_options(opening, *shape)?;
            descriptors.push(ColumnFamilyDescriptor::new(name.clone(), options));
        }
        let db = Db::open(&options, &self.path, &descriptors, &self.context()).map_err(text)?;
        self.db = Some(db);
        Ok(())
    }

    fn let_go(&mut self) {
        self.iterators.clear();
        self.snapshots.clear();
    }

    fn shut(&mut self) -> Result<()> {
        self.let_go();
        self.db.take().map_or(Ok(()), |db| db.close().map_err(text))
    }

    fn crash(&mut self, power: Option<u64>) -> Result<()> {
        let loss = power.map_or_else(PowerLoss::process_crash, PowerLoss::subset);
        self.faults.crash(&loss).map_err(text)?;
        self.let_go();
        self.db = None;
        self.faults.recover();
        Ok(())
    }

    fn db(&self) -> Result<&Db> {
        self.db.as_ref().ok_or_else(|| "the database is not open".to_owned())
    }

    fn family(&self, name: &str) -> Result<ColumnFamilyHandle> {
        self.db()?.column_family(name).ok_or_else(|| format!("no family {name}"))
    }

    fn read_options(&self, scan: &Scan) -> ReadOptions {
        ReadOptions {
            snapshot: self.sequence(scan.at),
            iterate_lower_bound: scan.lower.clone(),
            iterate_upper_bound: scan.upper.clone(),
            total_order_seek: !scan.prefix,
            prefix_same_as_start: scan.prefix,
            ..ReadOptions::default()
        }
    }

    fn sequence(&self, at: Option<u32>) -> Option<u64> {
        at.and_then(|at| self.snapshots.get(&at)).map(Snapshot::sequence)
    }

    fn scan(&self, scan: &Scan) -> Result<Answer> {
        let family = self.family(&scan.family)?;
        let mut iterator =
            self.db()?.new_iterator(&self.read_options(scan), &family).map_err(text)?;
        match (&scan.from, scan.backward) {
            (None, false) => iterator.seek_to_first(),
            (None, true) => iterator.seek_to_last(),
            (Some(from), false) => iterator.seek(from),
            (Some(from), true) => iterator.seek_for_prev(from),
        }
        let mut entries = Vec::new();
        while iterator.valid() {
            entries.push(entry(&iterator));
            if scan.backward { iterator.prev() } else { iterator.next() }
        }
        iterator.status().map_err(text)?;
        Ok(Answer::Entries(entries))
    }

    fn get(&self, family: &str, keys: &[Vec<u8>], at: Option<u32>) -> Result<Answer> {
        let options = ReadOptions { snapshot: self.sequence(at), ..ReadOptions::default() };
        let (db, family) = (self.db()?, self.family(family)?);
        let values = match keys {
            [key] => vec![db.get(&options, &family, key)],
            keys => db.multi_get(&options, &family, keys),
        };
        let value = |value: base::Result<Option<base::PinnableSlice>>| {
            value.map(|value| value.map(|value| value.to_vec())).map_err(text)
        };
        values.into_iter().map(value).collect::<Result<_>>().map(Answer::Values)
    }

    fn advance(&mut self, id: u32, to: &To) -> Result<Answer> {
        let iterator = self.iterators.get_mut(&id).ok_or("no such iterator")?;
        let mut entries = Vec::new();
        let moves = if let To::Next(count) | To::Prev(count) = to { *count } else { 1 };
        for _ in 0..moves {
            match to {
                To::First => iterator.seek_to_first(),
                To::Last => iterator.seek_to_last(),
                To::Seek(key) => iterator.seek(key),
                To::SeekForPrev(key) => iterator.seek_for_prev(key),
                To::Next(_) => iterator.next(),
                To::Prev(_) => iterator.prev(),
            }
            iterator.status().map_err(text)?;
            if !iterator.valid() {
                break;
            }
            entries.push(entry(iterator));
        }
        Ok(Answer::Entries(entries))
    }

    fn write(&self, sync: bool, operations: &[Operation]) -> Result<()> {
        let mut batch = WriteBatch::new();
        let id = |name: &Bytes| self.family(&name.to_text()).map(|family| family.id());
        for operation in operations {
            match operation {
                Operation::Put { family, key, value } => batch.put(id(family)?, &key.0, &value.0),
                Operation::Merge { family, key, value } => {
                    batch.merge(id(family)?, &key.0, &value.0)
                }
                Operation::Delete { family, key } => batch.delete(id(family)?, &key.0),
                Operation::SingleDelete { family, key } => batch.single_delete(id(family)?, &key.0),
                Operation::DeleteRange { family, begin, end } => {
                    batch.delete_range(id(family)?, &begin.0, &end.0)
                }
                Operation::PutEntity { family, key, columns } => {
                    let columns = columns.iter().map(|(name, value)| (&name.0[..], &value.0[..]));
                    batch.put_entity(id(family)?, &key.0, &columns.collect::<Vec<_>>())
                }
                Operation::LogData { data } => batch.put_log_data(&data.0),
            }
            .map_err(text)?;
        }
        let disable_wal = self.opening.unlogged;
        let options = WriteOptions { sync, disable_wal, ..WriteOptions::default() };
        self.db()?.write(&options, batch).map_err(text)
    }

    /// What was written before is made safe first.
    fn ingest(&mut self, name: &str, operations: &[Operation]) -> Result<()> {
        self.tables += 1;
        match self.opening.unlogged {
            true => self.flush(&[])?,
            false => self.db()?.flush_wal(true).map_err(text)?,
        }
        let (db, family) = (self.db()?, self.family(name)?);
        let path = self.path.with_file_name(format!("external{}.sst", self.tables));
        let mut writer = SstFileWriter::new(&db.get_db_options(), &family.options(), db.context());
        writer.open(&path).map_err(text)?;
        for operation in operations {
            match operation {
                Operation::Put { key, value, .. } => writer.put(&key.0, &value.0),
                Operation::Merge { key, value, .. } => writer.merge(&key.0, &value.0),
                Operation::Delete { key, .. } => writer.delete(&key.0),
                Operation::DeleteRange { begin, end, .. } => writer.delete_range(&begin.0, &end.0),
                other => return Err(format!("{other:?} in a table")),
            }
            .map_err(text)?;
        }
        writer.finish().map_err(text)?;
        // All ways in turn, for tables look different each time.
        let options = match operations.len() % 3 {
            0 => IngestExternalFileOptions::default().move_files(true),
            1 => IngestExternalFileOptions::default().write_global_seqno(true),
            _ => IngestExternalFileOptions::default(),
        };
        db.ingest_external_file(&family, &[path], &options).map_err(text)
    }

    fn flush(&self, names: &[String]) -> Result<()> {
        let names = if names.is_empty() {
            self.families.keys().collect()
        } else {
            names.iter().collect::<Vec<_>>()
        };
        let handles = names.iter().map(|name| self.family(name)).collect::<Result<Vec<_>>>()?;
        let handles: Vec<_> = handles.iter().collect();
        self.db()?.flush(&FlushOptions::default(), &handles).map_err(text)
    }

    /// Where it is the whole range, the last level too.
    fn compact(&self, name: &str, begin: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        let mut options = CompactRangeOptions::default();
        if begin.is_none() && end.is_none() {
            options.bottommost_level_compaction = BottommostLevelCompaction::Force;
        }
        self.db()?.compact_range(&options, &self.family(name)?, begin, end).map_err(text)
    }

    /// The names as the open database has them, which must be those in its directory.
    fn names(&self) -> Result<Answer> {
        let open = self.db()?.column_families();
        let mut open: Vec<_> = open.map(|family| family.name().to_string()).collect();
        open.sort();
        let listed = Db::list_column_families(&self.path, &self.context());
        let mut listed = listed.map_err(text)?;
        listed.sort();
        if !listed.iter().eq(&open) {
            return Err(format!("families {listed:?} are in the directory, {open:?} are open"));
        }
        Ok(Answer::Names(open))
    }

    fn maintain(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Open(opening) => self.open(opening)?,
            Step::Reopen(opening) => {
                self.shut()?;
                self.open(opening)?;
            }
            Step::Crash { power, opening } => {
                self.crash(*power)?;
                self.open(opening)?;
            }
            Step::Create { family, shape } => {
                let options = family_options(&self.opening, *shape)?;
                self.db()?.create_column_family(&options, family).map_err(text)?;
                self.families.insert(family.clone(), *shape);
            }
            Step::Drop { family } => {
                self.db()?.drop_column_family(&self.family(family)?).map_err(text)?;
                self.families.remove(family);
            }
            Step::Flush { families } => self.flush(families)?,
            Step::Compact { family, begin, end } => {
                self.compact(family, begin.as_deref(), end.as_deref())?;
            }
            Step::FlushWal { sync } => self.db()?.flush_wal(*sync).map_err(text)?,
            other => return Err(format!("cannot {other}")),
        }
        Ok(())
    }
}

impl Subject for Engine {
    fn apply(&mut self, step: &Step) -> Result<Option<Answer>> {
        match step {
            Step::Write { sync, operations } => self.write(*sync, operations)?,
            Step::Ingest { family, operations } => self.ingest(family, operations)?,
            Step::Get { family, keys, at } => return self.get(family, keys, *at).map(Some),
            Step::Scan(scan) => return self.scan(scan).map(Some),
            Step::Families => return self.names().map(Some),
            Step::Snapshot(id) => {
                let snapshot = self.db()?.snapshot();
                self.snapshots.insert(*id, snapshot);
            }
            Step::Release(id) => drop(self.snapshots.remove(id)),
            Step::Iterator { id, scan } => {
                let family = self.family(&scan.family)?;
                let iterator = self.db()?.new_iterator(&self.read_options(scan), &family);
                self.iterators.insert(*id, iterator.map_err(text)?);
            }
            Step::Move { id, to } => return self.advance(*id, to).map(Some),
            Step::DropIterator(id) => drop(self.iterators.remove(id)),
            other => self.maintain(other)?,
        }
        Ok(Some(Answer::Done))
    }

    fn log_number(&self) -> Option<u64> {
        // Not through what may fail.
        let names = self.base.get_children(&self.path).ok()?;
        let number = |name: &String| match parse_file_name(name) {
            Some((number, FileType::Wal)) => Some(number),
            _ => None,
        };
        names.iter().filter_map(number).max()
    }

    fn close(&mut self) -> Result<PathBuf> {
        self.shut()?;
        Ok(self.path.clone())
    }

    fn take_over(
        &mut self,
        directory: &Path,
        opening: &Opening,
        families: &[(String, Shape)],
    ) -> Result<()> {
        // What another process wrote is nothing that a crash could undo.
        self.faults = Arc::new(FaultInjectionFileSystem::new(self.base.clone()));
        directory.clone_into(&mut self.path);
        self.families = families.iter().cloned().collect();
        self.open(opening)
    }
}
