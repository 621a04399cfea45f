//! A database to write to.

use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, Db, FlushOptions, OpenContext, ReadOptions,
    WriteOptions,
};
use env::{FileSystem, MemFileSystem, read_file_to_vec};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options and a place to open a database with, again and again.
pub(crate) struct Fixture {
    pub(crate) options: DbOptions,
    pub(crate) family_options: ColumnFamilyOptions,
    pub(crate) context: OpenContext,
    pub(crate) path: PathBuf,
    pub(crate) families: Vec<String>,
}

impl Fixture {
    /// In memory, created when it is first opened.
    pub(crate) fn new() -> Self {
        let file_system: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
        Self {
            options: DbOptions { create_if_missing: true, ..DbOptions::default() },
            family_options: ColumnFamilyOptions::default(),
            context: OpenContext { file_system, ..OpenContext::default() },
            path: PathBuf::from("/db"),
            families: vec!["default".to_owned()],
        }
    }

    pub(crate) fn descriptors(&self) -> Vec<ColumnFamilyDescriptor> {
        let descriptor =
            |name: &String| ColumnFamilyDescriptor::new(name.clone(), self.family_options.clone());
        self.families.iter().map(descriptor).collect()
    }

    pub(crate) fn try_open(&self) -> base::Result<Db> {
        Db::open(&self.options, &self.path, &self.descriptors(), &self.context)
    }

    pub(crate) fn open(&self) -> Db {
        self.try_open().unwrap()
    }

    /// Fills level 0 with as many files as stop writes; the next open compacts them.
    pub(crate) fn fill_level0_to_a_stop(&mut self) {
        self.family_options.level0_file_num_compaction_trigger = 2;
        self.family_options.level0_slowdown_writes_trigger = 3;
        self.family_options.level0_stop_writes_trigger = 4;
        self.family_options.disable_auto_compactions = true;
        let db = self.open();
        for _ in 0..4 {
            put(&db, "a", "1");
            put(&db, "b", "1");
            db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
        }
        drop(db);
        self.family_options.disable_auto_compactions = false;
    }

    /// Names in the directory, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut names = self.context.file_system.get_children(Path::new(&self.path)).unwrap();
        names.sort();
        names
    }

    /// Names that end in `suffix`.
    pub(crate) fn files_with(&self, suffix: &str) -> Vec<String> {
        self.files().into_iter().filter(|name| name.ends_with(suffix)).collect()
    }

    /// A text file.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> String {
        let fs = &*self.context.file_system;
        String::from_utf8(read_file_to_vec(fs, path.as_ref(), 1 << 24).unwrap()).unwrap()
    }
}

pub(crate) fn default_family(db: &Db) -> ColumnFamilyHandle {
    db.column_family("default").unwrap()
}

pub(crate) fn put(db: &Db, key: &str, value: &str) {
    let family = default_family(db);
    db.put(&WriteOptions::default(), &family, key.as_bytes(), value.as_bytes()).unwrap();
}

pub(crate) fn get(db: &Db, key: &str) -> Option<String> {
    get_as_of(db, key, None)
}

pub(crate) fn get_as_of(db: &Db, key: &str, snapshot: Option<u64>) -> Option<String> {
    let options = ReadOptions { snapshot, ..ReadOptions::default() };
    let value = db.get(&options, &default_family(db), key.as_bytes()).unwrap();
    value.map(|value| String::from_utf8(value.to_vec()).unwrap())
}

/// All keys and values of the default family.
pub(crate) fn scan(db: &Db) -> Vec<(String, String)> {
    let mut iterator = db.new_iterator(&ReadOptions::default(), &default_family(db)).unwrap();
    let mut all = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        all.push((text(iterator.key()), text(iterator.value())));
        iterator.next();
    }
    iterator.status().unwrap();
    all
}
