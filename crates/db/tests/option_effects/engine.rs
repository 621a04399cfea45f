//! This engine as the subject of a script, in memory.

use crate::changed::{Place, place};
use crate::choice::Choice;
use crate::recording_fs::{RecordingFileSystem, database_path};
use crate::subject::{Command, LiveTable, Subject};
use base::status::Code;
use compression::CompressionType;
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactFilesOptions,
    CompactRangeOptions, Db, FlushOptions, OpenContext, ReadOptions, Snapshot,
    WaitForCompactOptions, WriteBatch, WriteOptions,
};
use env::{FileSystem, MemFileSystem};
use options::{ColumnFamilyOptions, DbOptions};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testing::judges::protocol::Operation;

/// A database of this engine on a file system that counts.
pub(crate) struct Engine {
    file_system: Arc<RecordingFileSystem>,
    path: PathBuf,
    choice: Choice,
    write_options: WriteOptions,
    snapshots: Vec<Snapshot>,
    db: Option<Db>,
}

impl Engine {
    pub(crate) fn new(choice: &Choice) -> Self {
        let memory: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
        let mut engine = Self {
            file_system: Arc::new(RecordingFileSystem::new(memory)),
            path: database_path(),
            choice: choice.clone(),
            write_options: WriteOptions::default(),
            snapshots: Vec::new(),
            db: None,
        };
        engine.db = Some(engine.open().unwrap());
        engine
    }

    fn open(&self) -> base::Result<Db> {
        let options = DbOptions::from_string(&self.choice.database())?;
        let family = ColumnFamilyOptions::from_string(&self.choice.family())?;
        let descriptors = [ColumnFamilyDescriptor::new("default", family)];
        let context =
            OpenContext { file_system: self.file_system.clone(), ..OpenContext::default() };
        Db::open(&options, &self.path, &descriptors, &context)
    }

    /// Sets an option of the open database, which is opened by `after` when it is opened again.
    pub(crate) fn change_option(&mut self, option: &str, value: &str, after: &Choice) {
        let result = match place(option).expect("an option that can be changed") {
            Place::Database => self.db().set_db_options(&[(option, value)]),
            Place::Family => self.db().set_options(&self.family(), &[(option, value)]),
            Place::Table => {
                // What is an object in RocksDB is made anew, with all that it is to have.
                let text = match option.split_once('.') {
                    Some((owner, _)) => format!("{{{owner}={{{}}}}}", after.fields(owner)),
                    None => format!("{{{option}={value}}}"),
                };
                let change = ("block_based_table_factory", text.as_str());
                self.db().set_options(&self.family(), &[change])
            }
        };
        result.unwrap_or_else(|status| panic!("{option}={value}: {status}"));
        self.choice = after.clone();
    }

    /// Has writes go to another memtable and another WAL, and leaves the tree without tables.
    pub(crate) fn turn_over(&mut self) {
        for _ in 0..2 {
            self.file_system.recording.clear();
            let (options, family) = (WriteOptions::default(), self.family());
            self.db().put(&options, &family, b"turn", b"over").unwrap();
            self.db().delete(&options, &family, b"turn").unwrap();
            self.flush();
        }
        self.compact();
        assert_eq!(self.tables().len(), 0);
    }

    fn db(&self) -> &Db {
        self.db.as_ref().expect("an open database")
    }

    fn family(&self) -> ColumnFamilyHandle {
        self.db().column_family("default").unwrap()
    }

    fn add(batch: &mut WriteBatch, operation: &Operation) {
        match operation {
            Operation::Put { key, value, .. } => batch.put(0, &key.0, &value.0),
            Operation::Delete { key, .. } => batch.delete(0, &key.0),
            Operation::SingleDelete { key, .. } => batch.single_delete(0, &key.0),
            Operation::Merge { key, value, .. } => batch.merge(0, &key.0, &value.0),
            Operation::DeleteRange { begin, end, .. } => batch.delete_range(0, &begin.0, &end.0),
            other => panic!("no script has {other:?}"),
        }
        .unwrap();
    }

    /// Changes how later writes are done: `write_options sync disable_wal`.
    fn set_write_options(&mut self, command: Command<'_>) {
        self.write_options = WriteOptions {
            sync: command.has("sync"),
            disable_wal: command.has("disable_wal"),
            no_slowdown: command.has("no_slowdown"),
            ..WriteOptions::default()
        };
    }

    /// `compact_range change_level target_level=2`, with the names of the options.
    fn compact_range(&self, command: Command<'_>) -> String {
        let options = CompactRangeOptions {
            change_level: command.has("change_level"),
            target_level: command.value("target_level").map_or(-1, |text| text.parse().unwrap()),
            max_subcompactions: u32::try_from(command.number("max_subcompactions", 0)).unwrap(),
            bottommost_level_compaction: match command.value("bottommost_level_compaction") {
                None | Some("IfHaveCompactionFilter") => {
                    BottommostLevelCompaction::IfHaveCompactionFilter
                }
                Some("Skip") => BottommostLevelCompaction::Skip,
                Some("Force") => BottommostLevelCompaction::Force,
                Some("ForceOptimized") => BottommostLevelCompaction::ForceOptimized,
                Some(other) => panic!("no such choice: {other}"),
            },
            ..CompactRangeOptions::default()
        };
        let bound = |name| command.value(name).map(str::as_bytes);
        let result =
            self.db().compact_range(&options, &self.family(), bound("begin"), bound("end"));
        result.map_or_else(|status| status.to_string(), |()| String::new())
    }

    /// Closes the database and changes the last byte of the files whose names end in `suffix`.
    fn damage(&mut self, suffix: &str) {
        drop(self.db.take());
        for name in self.file_system.get_children(&self.path).unwrap() {
            if name.ends_with(suffix) {
                let path = self.path.join(name);
                let mut bytes = env::read_file_to_vec(&*self.file_system, &path, u64::MAX).unwrap();
                *bytes.last_mut().unwrap() ^= 1;
                let options = env::FileOptions::default();
                let mut file = self.file_system.new_writable_file(&path, &options).unwrap();
                file.append(&bytes).unwrap();
                file.close().unwrap();
            }
        }
    }

    /// Puts until one would have to wait; how many there were.
    fn fill_until_stall(&self) -> u64 {
        let options = WriteOptions { no_slowdown: true, ..WriteOptions::default() };
        let mut count = 0;
        loop {
            let key = format!("stall{count:08}");
            match self.db().put(&options, &self.family(), key.as_bytes(), &[b'v'; 1000]) {
                Ok(()) => count += 1,
                Err(status) if status.code() == Code::Incomplete => return count,
                Err(status) => panic!("{status}"),
            }
        }
    }

    /// Versions of one key that snapshots hold on to.
    fn put_versions(&mut self, count: u64) {
        for _ in 0..count {
            self.db().put(&self.write_options, &self.family(), b"versions", &[b'v'; 100]).unwrap();
            self.snapshots.push(self.db().snapshot());
        }
    }

    /// `compact_files output_level=2 output_file_size_limit=1000 …`: all files of L0.
    fn compact_files(&mut self, command: Command<'_>) -> String {
        let version = self.family().version();
        let numbers: Vec<u64> = version.level_files(0).iter().map(|file| file.number).collect();
        let mut options = CompactFilesOptions {
            output_file_size_limit: command.number("output_file_size_limit", u64::MAX),
            max_subcompactions: u32::try_from(command.number("max_subcompactions", 0)).unwrap(),
            allow_trivial_move: command.has("allow_trivial_move"),
            ..CompactFilesOptions::default()
        };
        if let Some(name) = command.value("compression") {
            options.compression = match name {
                "kZSTD" => Some(CompressionType::Zstd),
                _ => Some(CompressionType::None),
            };
        }
        let level = usize::try_from(command.number("output_level", 0)).unwrap();
        let result = self.db().compact_files(&options, &self.family(), &numbers, level);
        result.map_or_else(|status| status.to_string(), |_| String::new())
    }

    fn count_pairs(&self) -> u64 {
        let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
        let mut iterator = self.db().new_iterator(&options, &self.family()).unwrap();
        let mut count = 0;
        iterator.seek_to_first();
        while iterator.valid() {
            count += 1;
            iterator.next();
        }
        iterator.status().unwrap();
        count
    }

    fn calls(&self, command: Command<'_>) -> String {
        let mut words = command.words();
        let calls = self.file_system.recording.calls(words.next().unwrap());
        let counted = words.map(|name| match name {
            "opening_threads" => {
                let threads = calls.opening_threads.len();
                if threads > 1 { format!("several {name}") } else { format!("{threads} {name}") }
            }
            "read_bytes_max" => format!("{name} {}", calls.read_bytes_max),
            name => format!("{name} {}", calls.counts.get(name).copied().unwrap_or(0)),
        });
        counted.collect::<Vec<_>>().join(", ")
    }

    fn get(&self, key: &str) -> String {
        match self.db().get(&ReadOptions::default(), &self.family(), key.as_bytes()) {
            Ok(None) => "not found".to_owned(),
            Ok(Some(value)) => format!("{} bytes", value.len()),
            Err(status) => status.to_string(),
        }
    }
}

impl Subject for Engine {
    fn write(&mut self, operations: &[Operation]) {
        let mut batch = WriteBatch::new();
        for operation in operations {
            Self::add(&mut batch, operation);
        }
        self.db().write(&self.write_options, batch).unwrap();
    }

    fn flush(&mut self) {
        self.db().flush(&FlushOptions::default(), &[&self.family()]).unwrap();
    }

    fn compact(&mut self) {
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        self.db().compact_range(&options, &self.family(), None, None).unwrap();
    }

    fn settle(&mut self) {
        self.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    }

    fn reopen(&mut self) {
        if let Some(db) = self.db.take() {
            db.close().unwrap();
        }
        self.db = Some(self.open().unwrap());
    }

    fn tables(&mut self) -> Vec<LiveTable> {
        let files = self.db().live_files().into_iter().map(|file| LiveTable {
            level: u32::try_from(file.level).unwrap(),
            name: file.name,
            size_bytes: file.size_bytes,
            smallest: file.smallest_key,
        });
        files.collect()
    }

    fn property(&mut self, name: &str) -> Option<String> {
        self.db().property(&self.family(), name)
    }

    fn file_system(&self) -> &dyn FileSystem {
        &*self.file_system
    }

    fn directory(&self) -> &Path {
        &self.path
    }

    fn special(&mut self, command: Command<'_>) -> Option<String> {
        match self.change(command) {
            true => Some(String::new()),
            false => self.show(command),
        }
    }
}

impl Engine {
    /// Carries out a command that shows nothing; whether it is one.
    fn change(&mut self, command: Command<'_>) -> bool {
        match command.name {
            "write_options" => self.set_write_options(command),
            "set" => self.choice.set_all(command),
            "damage" => self.damage(command.words().next().unwrap()),
            "snapshot" => self.snapshots.push(self.db().snapshot()),
            "release" => self.snapshots.clear(),
            "pause" => self.db().pause_background_work().unwrap(),
            "continue" => self.db().continue_background_work().unwrap(),
            "versions" => self.put_versions(command.number("count", 1)),
            "gets" => self.get_many(command),
            "forget_calls" => self.file_system.recording.clear(),
            _ => return false,
        }
        true
    }

    /// Carries out a command and says what came of it, or nothing where that is as wanted.
    fn show(&mut self, command: Command<'_>) -> Option<String> {
        let argument = command.words().next().unwrap_or_default();
        let calls = || self.file_system.recording.calls(argument);
        let list = |texts: BTreeSet<String>| texts.into_iter().collect::<Vec<_>>().join(" | ");
        Some(match command.name {
            "try_reopen" => self.try_reopen(),
            "try_flush" => {
                let result = self.db().flush(&FlushOptions::default(), &[&self.family()]);
                result.map_or_else(|status| status.to_string(), |()| "flushed".to_owned())
            }
            "compact_range" => self.compact_range(command),
            "compact_files" => self.compact_files(command),
            "fill_until_stall" => format!("stalled after {} puts", self.fill_until_stall()),
            "get" => self.get(argument),
            "pairs" => format!("{} pairs", self.count_pairs()),
            "calls" => self.calls(command),
            "written_with" => list(calls().written_with),
            "read_with" => list(calls().read_with),
            _ => return None,
        })
    }

    fn try_reopen(&mut self) -> String {
        drop(self.db.take());
        match self.open() {
            Ok(db) => {
                self.db = Some(db);
                "open".to_owned()
            }
            Err(status) => status.to_string(),
        }
    }

    /// `gets count=10 from=0 stride=1`: reads keys that are there.
    fn get_many(&self, command: Command<'_>) {
        let (from, stride) = (command.number("from", 0), command.number("stride", 1));
        for index in 0..command.number("count", 1) {
            let found = self.get(&format!("{:08}", from + index * stride));
            assert!(found.ends_with(" bytes"), "{found}");
        }
    }
}
