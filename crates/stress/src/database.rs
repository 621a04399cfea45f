//! The database under test: its options by a seed, and all it holds.

use crate::model::{Content, default_column};
use crate::operation::{Columns, FAMILIES};
use crate::random::Random;
use crate::random_options::{self, Traits};
use base::{Result, Status, merge_operator};
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions};
use env::{FileSystem, NullLogger};
use options::{ColumnFamilyOptions, DbOptions, WalRecoveryMode};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A database to open again and again.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its directory.
    pub path: PathBuf,
    /// Its options.
    pub options: DbOptions,
    /// Those of each of [`FAMILIES`].
    pub family_options: Vec<ColumnFamilyOptions>,
    /// What stays of them, if they were drawn.
    pub traits: Option<Traits>,
    /// What was drawn, for a failure.
    pub text: String,
    /// Its file system.
    pub context: OpenContext,
}

impl Database {
    /// With default options, but for the merge operator, and that what is missing is made.
    pub fn new(path: &Path, file_system: Arc<dyn FileSystem>) -> Self {
        let mut family_options = ColumnFamilyOptions::default();
        family_options.merge_operator = merge_operator::builtin("stringappend");
        Self {
            path: path.to_owned(),
            options: DbOptions {
                create_if_missing: true,
                create_missing_column_families: true,
                ..DbOptions::default()
            },
            family_options: vec![family_options; FAMILIES.len()],
            traits: None,
            text: String::new(),
            context: OpenContext { file_system, ..OpenContext::default() },
        }
    }

    /// With options as `random` decides, beside those that `traits` has.
    ///
    /// # Errors
    /// If an option string is not understood.
    pub fn with_random_options(mut self, traits: Traits, random: &mut Random) -> Result<Self> {
        let (base, family_base) = (&self.options, &self.family_options[0]);
        let drawn = random_options::draw(random, traits, &self.path, base, family_base)?;
        (self.options, self.family_options, self.text) =
            (drawn.options, drawn.families, drawn.text);
        self.traits = Some(traits);
        Ok(self)
    }

    /// All through the page cache: a file system in memory has no direct I/O.
    #[must_use]
    pub fn without_direct_io(mut self) -> Self {
        self.options.use_direct_reads = false;
        self.options.use_direct_io_for_flush_and_compaction = false;
        self
    }

    /// Without an info log. Writing one takes more operations of the file system than all else, so
    /// that few of those that fail or are the last would matter.
    #[must_use]
    pub fn without_info_log(mut self) -> Self {
        self.context.info_log = Some(Arc::new(NullLogger));
        self
    }

    fn descriptors(&self, names: &[String]) -> Vec<ColumnFamilyDescriptor> {
        let options = |name: &String| {
            let place = FAMILIES.iter().position(|family| family == name).unwrap_or_default();
            self.family_options[place].clone()
        };
        names.iter().map(|name| ColumnFamilyDescriptor::new(name.clone(), options(name))).collect()
    }

    /// Opens it for writing.
    ///
    /// # Errors
    /// As [`Db::open`].
    pub fn open(&self) -> Result<Db> {
        let names = FAMILIES.map(str::to_owned);
        Db::open(&self.options, &self.path, &self.descriptors(&names), &self.context)
    }

    /// What it holds, by an open that changes nothing. Families that are not there hold nothing,
    /// and neither does a database that is not there.
    ///
    /// # Errors
    /// As [`Db::open_for_read_only`], and of reading.
    pub fn read(&self) -> Result<Content> {
        if !self.context.file_system.file_exists(&self.path.join("CURRENT"))? {
            return Ok(Content::new());
        }
        let names = Db::list_column_families(&self.path, &self.context)?;
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let descriptors = self.descriptors(&names);
        let db = Db::open_for_read_only(&self.options, &self.path, &descriptors, &self.context)?;
        content(&db)
    }

    /// As [`Database::read`], with another `wal_recovery_mode`.
    ///
    /// # Errors
    /// As [`Database::read`].
    pub fn read_in_mode(&self, mode: WalRecoveryMode) -> Result<Content> {
        let mut database = self.clone();
        database.options.wal_recovery_mode = mode;
        database.read()
    }
}

/// Handles of [`FAMILIES`], in their order.
///
/// # Errors
/// If one was not opened.
pub fn families(db: &Db) -> Result<Vec<ColumnFamilyHandle>> {
    let handle = |name: &&str| {
        let missing = || Status::invalid_argument(format!("no column family {name}"));
        db.column_family(name).ok_or_else(missing)
    };
    FAMILIES.iter().map(handle).collect()
}

/// All that an open database holds, read forwards; every key is looked up besides.
///
/// # Errors
/// Of reading; `Corruption` if the two ways of reading differ.
pub fn content(db: &Db) -> Result<Content> {
    let mut content = Content::new();
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    for (name, map) in FAMILIES.iter().zip(&mut content.0) {
        let Some(family) = db.column_family(name) else { continue };
        let mut iterator = db.new_iterator(&options, &family)?;
        iterator.seek_to_first();
        while iterator.valid() {
            let columns = iterator.columns().into_iter();
            let columns = columns.map(|(name, value)| (name.to_vec(), value.to_vec()));
            map.insert(iterator.key().to_vec(), columns.collect::<Columns>());
            iterator.next();
        }
        iterator.status()?;
        for (key, columns) in map.iter() {
            let found = db.get(&options, &family, key)?;
            if found.as_deref() != Some(default_column(columns)) {
                let key = String::from_utf8_lossy(key);
                return Err(Status::corruption(format!(
                    "family {name}, key {key}: get and an iterator differ"
                )));
            }
        }
    }
    Ok(content)
}
