//! What a script works on: a database of this engine, or one of a release of RocksDB.

use env::FileSystem;
use std::path::Path;
use testing::judges::protocol::Operation;

/// A table of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiveTable {
    pub(crate) level: u32,
    pub(crate) name: String,
    pub(crate) size_bytes: u64,
    pub(crate) smallest: Vec<u8>,
}

/// Words of a command: `fill count=10 sync`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command<'a> {
    pub(crate) name: &'a str,
    pub(crate) line: &'a str,
}

impl<'a> Command<'a> {
    pub(crate) fn parse(line: &'a str) -> Self {
        Self { name: line.split_whitespace().next().unwrap_or_default(), line }
    }

    /// The words behind the name.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'a str> {
        self.line.split_whitespace().skip(1)
    }

    /// The value of `key=value`.
    pub(crate) fn value(&self, key: &str) -> Option<&'a str> {
        self.words().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub(crate) fn number(&self, key: &str, default: u64) -> u64 {
        self.value(key).map_or(default, |text| {
            text.parse().unwrap_or_else(|_| panic!("{}: {key} is no number", self.line))
        })
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.words().any(|other| other == word)
    }
}

/// Commands that both sides know. All of them panic where the database gives an error.
pub(crate) trait Subject {
    fn write(&mut self, operations: &[Operation]);
    fn flush(&mut self);
    /// Compacts everything, the last level too.
    fn compact(&mut self);
    /// Until no flush or compaction runs or is due.
    fn settle(&mut self);
    fn reopen(&mut self);
    fn tables(&mut self) -> Vec<LiveTable>;
    fn property(&mut self, name: &str) -> Option<String>;
    /// Where the files are.
    fn file_system(&self) -> &dyn FileSystem;
    fn directory(&self) -> &Path;
    /// A command that only this side knows.
    fn special(&mut self, command: Command<'_>) -> Option<String>;
}

/// What a table says of itself.
pub(crate) fn table_tail(
    subject: &dyn Subject,
    table: &LiveTable,
) -> table::block_based::TableTail {
    let path = subject.directory().join(&table.name);
    let options = env::FileOptions::default();
    let file = subject.file_system().new_random_access_file(&path, &options).unwrap();
    table::block_based::TableTail::read(&*file, file.size().unwrap()).unwrap()
}
