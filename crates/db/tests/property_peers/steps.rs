//! The same steps, by this engine and by a release of RocksDB.

use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    FlushOptions, OpenContext, Snapshot, WriteOptions,
};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions};
use statistics::Statistics;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use testing::judges::protocol::{FamilyOpening, Mode, Opening, Operation};
use testing::judges::{Judge, Session};

/// So that both do the same at the same time.
pub(crate) const FAMILY: &str = "disable_auto_compactions=true;compression=kNoCompression;\
     level_compaction_dynamic_level_bytes=false;block_based_table_factory={block_cache=8M;format_version=5}";

/// A database of each.
pub(crate) struct Both {
    ours: Option<Db>,
    theirs: Session,
    directories: [TempDir; 2],
    options: (String, String),
}

/// Snapshots of both.
pub(crate) struct Snapshots {
    ours: Snapshot,
    theirs: u64,
}

impl Both {
    /// Empty databases, with these options besides.
    pub(crate) fn open(judge: &Judge, options: &str, family_options: &str) -> Self {
        let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let options = (format!("create_if_missing=true;{options}"), family_options.to_owned());
        let mut both = Self { ours: None, theirs: judge.session(), directories, options };
        both.reopen();
        both
    }

    /// Closes and opens them.
    pub(crate) fn reopen(&mut self) {
        let [ours, theirs] = &self.directories;
        let (options, family_options) = &self.options;
        self.ours = None;
        let opening = Opening {
            directory: theirs.path().to_owned(),
            mode: Mode::ReadWrite,
            options: options.clone(),
            families: vec![FamilyOpening::new(b"default", family_options)],
            ..Opening::default()
        };
        self.theirs.open(&opening).unwrap();
        let db = DbOptions { create_if_missing: true, ..DbOptions::default() };
        let mut family = ColumnFamilyOptions::default();
        family.apply_string(family_options, &ConfigOptions::default()).unwrap();
        let context =
            OpenContext { statistics: Some(Arc::new(Statistics::new())), ..OpenContext::default() };
        let families = [ColumnFamilyDescriptor::new("default", family)];
        self.ours = Some(Db::open(&db, ours.path(), &families, &context).unwrap());
    }

    fn db(&self) -> (&Db, ColumnFamilyHandle) {
        let db = self.ours.as_ref().unwrap();
        (db, db.column_family("default").unwrap())
    }

    /// Jobs end a little after those who wait for them go on.
    fn wait(&mut self) {
        let running = ["rocksdb.num-running-flushes", "rocksdb.num-running-compactions"];
        while running.iter().any(|name| self.numbers(name) != (Some(0), Some(0))) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// A property of both as text.
    pub(crate) fn texts(&mut self, name: &str) -> (Option<String>, Option<String>) {
        let (db, family) = self.db();
        let ours = db.property(&family, name);
        (ours, self.theirs.property(b"default", name).unwrap())
    }

    /// A property of both as number.
    pub(crate) fn numbers(&mut self, name: &str) -> (Option<u64>, Option<u64>) {
        let (db, family) = self.db();
        let ours = db.int_property(&family, name);
        (ours, self.theirs.int_property(b"default", name).unwrap())
    }

    /// Puts `count` keys from the number `first` on.
    pub(crate) fn fill(&mut self, first: usize, count: usize) {
        let (db, family) = self.db();
        for index in first..first + count {
            db.put(&WriteOptions::default(), &family, &key(index), &value(index)).unwrap();
        }
        for index in first..first + count {
            let put = Operation::Put {
                family: "default".into(),
                key: key(index).as_slice().into(),
                value: value(index).as_slice().into(),
            };
            self.theirs.write(vec![put]).unwrap();
        }
    }

    /// Deletes every other key from the number `first` to before `end`.
    pub(crate) fn delete(&mut self, first: usize, end: usize) {
        let (db, family) = self.db();
        for index in (first..end).step_by(2) {
            db.delete(&WriteOptions::default(), &family, &key(index)).unwrap();
        }
        for index in (first..end).step_by(2) {
            let delete =
                Operation::Delete { family: "default".into(), key: key(index).as_slice().into() };
            self.theirs.write(vec![delete]).unwrap();
        }
    }

    pub(crate) fn flush(&mut self) {
        let (db, family) = self.db();
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        self.theirs.flush(&[]).unwrap();
        self.wait();
    }

    /// Everything, the last level too.
    pub(crate) fn compact(&mut self) {
        let (db, family) = self.db();
        let forced = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(&forced, &family, None, None).unwrap();
        self.theirs.compact(b"default").unwrap();
        self.wait();
    }

    pub(crate) fn snapshot(&mut self) -> Snapshots {
        let ours = self.db().0.snapshot();
        Snapshots { ours, theirs: self.theirs.snapshot().unwrap() }
    }

    pub(crate) fn release(&mut self, snapshots: Snapshots) {
        drop(snapshots.ours);
        self.theirs.release_snapshot(snapshots.theirs).unwrap();
    }
}

fn key(index: usize) -> Vec<u8> {
    format!("key{index:08}").into_bytes()
}

/// Of 100 to 199 bytes.
fn value(index: usize) -> Vec<u8> {
    vec![b'a' + (index % 26) as u8; 100 + index % 100]
}
