//! A release of RocksDB as the subject of a script, to compare with.

use crate::choice::Choice;
use crate::subject::{Command, LiveTable, Subject};
use env::FileSystem;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use testing::judges::protocol::{FamilyOpening, Mode, Move, Opening, Operation};
use testing::judges::{Judge, Session};

/// A database of RocksDB, in a directory of its own.
pub(crate) struct RocksDb {
    session: Session,
    directory: TempDir,
    choice: Choice,
    file_system: Arc<dyn FileSystem>,
}

impl RocksDb {
    pub(crate) fn new(judge: &Judge, choice: &Choice) -> Self {
        let mut subject = Self {
            session: judge.session(),
            directory: directory_in_memory(),
            choice: choice.clone(),
            file_system: env::default_file_system(),
        };
        subject.open();
        subject
    }

    fn open(&mut self) {
        let opening = Opening {
            directory: self.directory.path().to_owned(),
            mode: Mode::ReadWrite,
            options: self.choice.database_in_rocksdb(),
            families: vec![FamilyOpening::new(b"default", &self.choice.family())],
            ..Opening::default()
        };
        self.session.open(&opening).unwrap();
    }

    fn count_pairs(&mut self) -> u64 {
        let iterator = self.session.iterator(b"default", None).unwrap();
        let mut count = 0;
        let mut pair = self.session.go(iterator, Move::SeekToFirst).unwrap();
        while pair.is_some() {
            count += 1;
            pair = self.session.go(iterator, Move::Next).unwrap();
        }
        self.session.drop_iterator(iterator).unwrap();
        count
    }
}

/// A new directory; where there is a file system in memory, on that: nothing of it needs to last.
fn directory_in_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

impl Subject for RocksDb {
    fn write(&mut self, operations: &[Operation]) {
        self.session.write(operations.to_vec()).unwrap();
    }

    fn flush(&mut self) {
        self.session.flush(&[]).unwrap();
    }

    fn compact(&mut self) {
        self.session.compact(b"default").unwrap();
    }

    fn settle(&mut self) {
        self.session.wait_for_idle().unwrap();
    }

    fn reopen(&mut self) {
        self.session.close().unwrap();
        self.open();
    }

    fn tables(&mut self) -> Vec<LiveTable> {
        let files = self.session.live_files().unwrap().into_iter().map(|file| LiveTable {
            level: file.level,
            name: file.name.trim_start_matches('/').to_owned(),
            size_bytes: file.size_bytes,
            smallest: file.smallest.0,
        });
        files.collect()
    }

    fn property(&mut self, name: &str) -> Option<String> {
        self.session.property(b"default", name).unwrap()
    }

    fn file_system(&self) -> &dyn FileSystem {
        &*self.file_system
    }

    fn directory(&self) -> &Path {
        self.directory.path()
    }

    fn special(&mut self, command: Command<'_>) -> Option<String> {
        match command.name {
            "set" => {
                self.choice.set_all(command);
                Some(String::new())
            }
            "pairs" => Some(format!("{} pairs", self.count_pairs())),
            _ => None,
        }
    }
}
