//! A fixture's database in memory, whose files a test may replace.

use crate::case_options::CaseOptions;
use crate::content::{Content, Outcome};
use base::Result;
use db::Db;
use env::{FileOptions, FileSystem, MemFileSystem};
use options::ConfigOptions;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testing::fixtures::{self, Fixture};

/// Options of column families: which container memtables are.
const MEMTABLES: [&str; 3] =
    ["", "memtable_factory={id=SkipListFactory;lookahead=0}", "memtable_factory=vector"];

/// A fixture and its files, read once.
pub(crate) struct Original {
    pub(crate) fixture: Fixture,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Original {
    /// The fixture of a release with exactly this name.
    pub(crate) fn of(release: &str, case: &str) -> Arc<Self> {
        let mut found = fixtures::matching(|other, name| other == release && name == case);
        let fixture = found.pop().unwrap_or_else(|| panic!("no fixture {release}/{case}"));
        let files = fixture.files();
        Arc::new(Self { fixture, files })
    }

    /// The largest table that is in use, of at most `size_max` bytes; else the smallest.
    pub(crate) fn table(&self, size_max: u64) -> String {
        let live = self.fixture.case.live_files.as_ref().expect("a list of tables");
        let fits = live.iter().filter(|file| file.size_bytes <= size_max);
        let file = fits
            .max_by_key(|file| file.size_bytes)
            .or_else(|| live.iter().min_by_key(|file| file.size_bytes))
            .unwrap_or_else(|| panic!("{} has no table", self.fixture));
        file.name.clone()
    }

    /// The smallest file of which `wanted` holds and that is not empty.
    pub(crate) fn smallest(&self, wanted: impl Fn(&str) -> bool) -> String {
        self.files
            .iter()
            .filter(|(name, bytes)| wanted(name) && !bytes.is_empty())
            .min_by_key(|(_, bytes)| bytes.len())
            .map(|(name, _)| name.clone())
            .unwrap_or_else(|| panic!("{} has no such file", self.fixture))
    }

    /// The one MANIFEST that CURRENT names.
    pub(crate) fn manifest(&self) -> String {
        String::from_utf8_lossy(&self.files["CURRENT"]).trim_end().to_owned()
    }

    pub(crate) fn in_memory(self: &Arc<Self>) -> MemDatabase {
        MemDatabase::new(self)
    }
}

impl fmt::Display for Original {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fixture.fmt(formatter)
    }
}

/// A copy in memory.
pub(crate) struct MemDatabase {
    pub(crate) original: Arc<Original>,
    pub(crate) fs: Arc<MemFileSystem>,
    pub(crate) options: CaseOptions,
}

impl MemDatabase {
    fn new(original: &Arc<Original>) -> Self {
        let fs = Arc::new(MemFileSystem::new());
        let mut options = CaseOptions::of(&original.fixture, Path::new("/"))
            .unwrap_or_else(|why| panic!("{original}: {why}"));
        options.context.file_system = fs.clone();
        let database = Self { original: original.clone(), fs, options };
        for (name, bytes) in &original.files {
            database.write(name, bytes);
        }
        database
    }

    /// Other ways to hold what is recovered, by a number; 0 leaves it as it is.
    pub(crate) fn vary(&mut self, number: usize) {
        let text = MEMTABLES[number % MEMTABLES.len()];
        // A vector takes one writer at a time.
        self.options.db.allow_concurrent_memtable_write &= !text.ends_with("vector");
        for family in &mut self.options.families {
            family.options.apply_string(text, &ConfigOptions::default()).unwrap();
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.options.path.join(name)
    }

    /// Writes a file, or writes over it.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        self.try_write(&self.path(name), bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    fn try_write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        env::create_dir_all(&*self.fs, path.parent().unwrap_or(path))?;
        let mut file = self.fs.new_writable_file(path, &FileOptions::default())?;
        file.append(bytes)?;
        file.close()
    }

    pub(crate) fn delete(&self, name: &str) {
        self.fs.delete_file(&self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    pub(crate) fn open(&self) -> Result<Db> {
        self.options.open()
    }

    /// What is there while nothing is damaged.
    pub(crate) fn content(&self) -> Content {
        self.open()
            .and_then(|db| Content::read(&db, &self.original.fixture))
            .unwrap_or_else(|error| panic!("{}: {error}", self.original))
    }

    /// Opens and reads everything.
    pub(crate) fn compare(&self, content: &Content) -> std::result::Result<Outcome, String> {
        match self.open() {
            Ok(db) => content.compare(&db),
            Err(error) => Ok(Outcome::Error(error)),
        }
    }
}
