//! The code in RocksDB.

use super::{Asked, Code, Entries, FAMILY, Subject, Verdict};
use librocksdb::{
    CompactRange, Database, Family, Filtered, Hooks, Library, Options, ReadOption, ReadOptions,
    WriteOptions,
};
use std::cmp::Ordering;
use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

impl Hooks for Code {
    fn name(&self) -> &CStr {
        c"example.Code"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        Code::compare(self, a, b)
    }
    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        self.merged(operands.len(), true);
        Some(Code::merge(existing, operands))
    }
    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.merged(operands.len(), false);
        Some(Code::merge(None, operands))
    }
    fn has_one_filter(&self) -> bool {
        self.has_one_filter
    }
    fn create_filter(&self, is_full_compaction: bool, is_manual_compaction: bool) {
        Code::create_filter(self, is_full_compaction, is_manual_compaction);
    }
    fn filter(&self, _level: i32, key: &[u8], value: &[u8]) -> Filtered {
        match Code::filter(self, key, value) {
            Verdict::Keep => Filtered::Keep,
            Verdict::Remove => Filtered::Remove,
            Verdict::Change(value) => Filtered::Change(value),
        }
    }
    fn prefix_length(&self, key: &[u8]) -> Option<usize> {
        Code::prefix_length(self, key)
    }
}

/// `BottommostLevelCompaction::kSkip`: otherwise releases differ in whether a file is filtered again
/// that the same call has just written.
const SKIP: u8 = 0;

struct Theirs {
    database: Database,
    family: Family,
    write: WriteOptions,
    read: ReadOptions,
    read_prefix: ReadOptions,
    code: Arc<Code>,
}

impl Subject for Theirs {
    fn put(&self, key: &[u8], value: &[u8]) {
        self.database.put(&self.write, &self.family, key, value).unwrap();
    }
    fn merge(&self, key: &[u8], operand: &[u8]) {
        self.database.merge(&self.write, &self.family, key, operand).unwrap();
    }
    fn delete(&self, key: &[u8]) {
        self.database.delete(&self.write, &self.family, key).unwrap();
    }
    fn get(&self, key: &[u8]) -> bool {
        self.database.get(&self.read, &self.family, key).unwrap().is_some()
    }
    fn flush(&self) {
        self.database.flush(&self.family).unwrap();
    }
    fn compact(&self) {
        let how = CompactRange { bottommost_level: Some(SKIP), ..CompactRange::default() };
        self.database.compact_range(how, &self.family, None, None).unwrap();
    }
    fn scan(&self, backwards: bool) -> Entries {
        let mut cursor = self.database.cursor(&self.read, &self.family).unwrap();
        let mut entries = Entries::new();
        match backwards {
            true => cursor.seek_to_last(),
            false => cursor.seek_to_first(),
        }
        while cursor.valid() {
            entries.push((cursor.key().to_vec(), cursor.value().to_vec()));
            match backwards {
                true => cursor.prev(),
                false => cursor.next(),
            }
        }
        cursor.status().unwrap();
        entries
    }
    fn scan_prefix(&self, key: &[u8]) -> Entries {
        let mut cursor = self.database.cursor(&self.read_prefix, &self.family).unwrap();
        let mut entries = Entries::new();
        cursor.seek(key);
        while cursor.valid() {
            entries.push((cursor.key().to_vec(), cursor.value().to_vec()));
            cursor.next();
        }
        cursor.status().unwrap();
        entries
    }
    fn calls(&self) -> (u64, u64) {
        (self.code.compares.load(Relaxed), self.code.prefixes.load(Relaxed))
    }
}

pub(super) fn with_database<S>(
    library: &Arc<Library>,
    path: &Path,
    has_one_filter: bool,
    work: impl FnOnce(&dyn Subject) -> Vec<S>,
) -> (Vec<S>, Asked) {
    let code = Arc::new(Code { has_one_filter, ..Code::default() });
    let text = format!("create_if_missing=true;{FAMILY}");
    let mut options = Options::new(library).unwrap().with_string(&text).unwrap();
    options.set_hooks(&(code.clone() as Arc<dyn Hooks>)).unwrap();
    let database =
        Database::open(library, path, &options, &[("default", &options)], false).unwrap();
    let family = database.family("default").unwrap();
    let reading = |option| ReadOptions::new(library, &[(option, 1)]).unwrap();
    let shown = work(&Theirs {
        write: WriteOptions::new(library, false, false, false, false).unwrap(),
        read: reading(ReadOption::TotalOrderSeek),
        read_prefix: reading(ReadOption::PrefixSameAsStart),
        code: code.clone(),
        database,
        family,
    });
    (shown, code.asked())
}
