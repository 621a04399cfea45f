//! A database in memory.

use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    FlushOptions, LiveFileMetaData, OpenContext, ReadOptions, WriteOptions,
};
use env::MemFileSystem;
use options::{ColumnFamilyOptions, DbOptions};
use std::path::Path;
use std::sync::Arc;

/// Options, and a place that stays.
pub(crate) struct Fixture {
    pub(crate) options: DbOptions,
    pub(crate) family: ColumnFamilyOptions,
    pub(crate) context: OpenContext,
}

impl Fixture {
    /// Nothing is compacted by itself.
    pub(crate) fn new() -> Self {
        let mut family = ColumnFamilyOptions::default();
        family.disable_auto_compactions = true;
        Self {
            options: DbOptions { create_if_missing: true, ..DbOptions::default() },
            family,
            context: OpenContext {
                file_system: Arc::new(MemFileSystem::new()),
                ..OpenContext::default()
            },
        }
    }

    pub(crate) fn open(&self) -> Db {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open(&self) -> base::Result<Db> {
        let family = ColumnFamilyDescriptor::new("default", self.family.clone());
        Db::open(&self.options, Path::new("/db"), &[family], &self.context)
    }
}

pub(crate) fn family(db: &Db) -> ColumnFamilyHandle {
    db.column_family("default").unwrap()
}

pub(crate) fn put(db: &Db, key: &str, value: &str) {
    db.put(&WriteOptions::default(), &family(db), key.as_bytes(), value.as_bytes()).unwrap();
}

pub(crate) fn get(db: &Db, key: &str) -> Option<String> {
    let value = db.get(&ReadOptions::default(), &family(db), key.as_bytes()).unwrap();
    value.map(|value| String::from_utf8(value.to_vec()).unwrap())
}

pub(crate) fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&family(db)]).unwrap();
}

/// Rewrites everything.
pub(crate) fn try_compact(db: &Db) -> base::Result<()> {
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    db.compact_range(&options, &family(db), None, None)
}

pub(crate) fn compact(db: &Db) {
    try_compact(db).unwrap();
}

/// All keys and values, `a=1 b=2`.
pub(crate) fn content(db: &Db) -> String {
    let mut iterator = db.new_iterator(&ReadOptions::default(), &family(db)).unwrap();
    let mut pairs = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        pairs.push(format!("{}={}", text(iterator.key()), text(iterator.value())));
        iterator.next();
    }
    iterator.status().unwrap();
    pairs.join(" ")
}

pub(crate) fn files(db: &Db) -> Vec<LiveFileMetaData> {
    db.live_files()
}
