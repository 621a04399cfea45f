//! A database in memory, and what scans have added to it.

use crate::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, Db, FlushOptions, IngestExternalFileOptions,
    OpenContext, SstFileWriter, WriteOptions,
};
use env::{FileSystem, MemFileSystem};
use options::{ColumnFamilyOptions, DbOptions};
use statistics::{Statistics, Ticker};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) struct World {
    file_system: Arc<dyn FileSystem>,
    statistics: Arc<Statistics>,
    options: String,
    db: Option<Db>,
}

impl World {
    /// With these options of the column family.
    pub(super) fn new(options: &str) -> Self {
        let mut world = Self {
            file_system: Arc::new(MemFileSystem::new()),
            statistics: Arc::default(),
            options: format!("disable_auto_compactions=true;{options}"),
            db: None,
        };
        world.reopen();
        world
    }

    fn context(&self) -> OpenContext {
        OpenContext {
            file_system: self.file_system.clone(),
            statistics: Some(self.statistics.clone()),
            ..OpenContext::default()
        }
    }

    fn family_options(&self) -> ColumnFamilyOptions {
        ColumnFamilyOptions::from_string(&self.options).unwrap()
    }

    pub(super) fn reopen(&mut self) {
        if let Some(db) = self.db.take() {
            db.close().unwrap();
        }
        let options = DbOptions::from_string("create_if_missing=true").unwrap();
        let family = ColumnFamilyDescriptor::new("default", self.family_options());
        let db = Db::open(&options, Path::new("/db"), &[family], &self.context()).unwrap();
        self.db = Some(db);
    }

    pub(super) fn db(&self) -> &Db {
        self.db.as_ref().unwrap()
    }

    pub(super) fn family(&self) -> ColumnFamilyHandle {
        self.db().column_family("default").unwrap()
    }

    pub(super) fn write(&self, key: &str, deletes: bool) {
        let (options, family) = (WriteOptions::default(), self.family());
        match deletes {
            true => self.db().delete(&options, &family, key.as_bytes()).unwrap(),
            false => self.db().put(&options, &family, key.as_bytes(), b"value").unwrap(),
        }
    }

    /// Keys of one letter each.
    pub(super) fn put(&self, keys: &str) {
        keys.split("").filter(|key| !key.is_empty()).for_each(|key| self.write(key, false));
    }

    pub(super) fn delete(&self, keys: &str) {
        keys.split("").filter(|key| !key.is_empty()).for_each(|key| self.write(key, true));
    }

    pub(super) fn delete_range(&self, start: &str, end: &str) {
        let (options, family) = (WriteOptions::default(), self.family());
        self.db().delete_range(&options, &family, start.as_bytes(), end.as_bytes()).unwrap();
    }

    pub(super) fn flush(&self) {
        self.db().flush(&FlushOptions::default(), &[&self.family()]).unwrap();
    }

    /// A table with these keys, in ascending order.
    pub(super) fn ingest(&self, keys: &[&str], options: &IngestExternalFileOptions) {
        let path = PathBuf::from("/new.sst");
        let mut writer =
            SstFileWriter::new(&DbOptions::default(), &self.family_options(), &self.context());
        writer.open(&path).unwrap();
        keys.iter().for_each(|key| writer.put(key.as_bytes(), b"value").unwrap());
        writer.finish().unwrap();
        self.db().ingest_external_file(&self.family(), &[path], options).unwrap();
    }

    /// The range tombstones in the memtable that takes writes.
    pub(super) fn ranges(&self) -> Vec<String> {
        let super_version = self.family().0.super_version.load_full();
        let tombstones = super_version.memtables[0].range_tombstones();
        let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
        let mut ranges: Vec<_> = tombstones
            .iter()
            .map(|one| format!("{}..{}", text(&one.start_key), text(&one.end_key)))
            .collect();
        ranges.sort();
        ranges
    }

    /// How many scans have added, and how many came to nothing.
    pub(super) fn counted(&self) -> (u64, u64) {
        let count = |ticker| self.statistics.ticker_count(ticker);
        (
            count(Ticker::ReadPathRangeTombstonesInserted),
            count(Ticker::ReadPathRangeTombstonesDiscarded),
        )
    }
}
