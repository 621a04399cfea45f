//! The database under test: its options by a seed, and all it holds.

use crate::model::Content;
use crate::operation::FAMILIES;
use crate::random::Random;
use base::{Result, Status, merge_operator};
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions};
use env::FileSystem;
use options::{ColumnFamilyOptions, CompressionType, DbOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A database to open again and again.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its directory.
    pub path: PathBuf,
    /// Its options.
    pub options: DbOptions,
    /// Those of all its column families.
    pub family_options: ColumnFamilyOptions,
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
            family_options,
            context: OpenContext { file_system, ..OpenContext::default() },
        }
    }

    /// With options as `random` decides, of those that bear on what survives a crash.
    #[must_use]
    pub fn with_random_options(mut self, random: &mut Random) -> Self {
        let options = &mut self.options;
        options.wal_compression =
            random.pick(&[CompressionType::NoCompression, CompressionType::Zstd]);
        options.recycle_log_file_num = random.pick(&[0, 0, 1, 3]);
        options.manual_wal_flush = random.one_in(4);
        options.avoid_flush_during_recovery = random.one_in(3);
        options.max_total_wal_size = random.pick(&[0, 0, 100_000]);
        options.max_manifest_file_size = random.pick(&[1 << 30, 1_000]);
        options.use_fsync = random.one_in(4);
        options.wal_bytes_per_sync = random.pick(&[0, 0, 8_192]);
        options.track_and_verify_wals_in_manifest = random.one_in(4);
        if random.one_in(5) {
            options.wal_dir = self.path.join("wals").to_string_lossy().into_owned();
        }
        let family = &mut self.family_options;
        family.write_buffer_size = random.pick(&[16 << 10, 32 << 10, 64 << 10, 256 << 10]);
        family.max_write_buffer_number = random.pick(&[2, 3, 4]);
        family.min_write_buffer_number_to_merge =
            random.pick(&[1, 1, 2]).min(family.max_write_buffer_number - 1);
        family.enable_blob_files = random.one_in(5);
        family.min_blob_size = 100;
        family.compression = random.pick(&[CompressionType::NoCompression, CompressionType::Lz4]);
        // Where nothing compacts yet, writes must not stop for it.
        family.level0_slowdown_writes_trigger = 1_000;
        family.level0_stop_writes_trigger = 2_000;
        self
    }

    fn descriptors(&self, names: &[String]) -> Vec<ColumnFamilyDescriptor> {
        let descriptor =
            |name: &String| ColumnFamilyDescriptor::new(name.clone(), self.family_options.clone());
        names.iter().map(descriptor).collect()
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
        let descriptors = self.descriptors(&names);
        let db = Db::open_for_read_only(&self.options, &self.path, &descriptors, &self.context)?;
        content(&db)
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
    let options = ReadOptions::default();
    for (name, map) in FAMILIES.iter().zip(&mut content.0) {
        let Some(family) = db.column_family(name) else { continue };
        let mut iterator = db.new_iterator(&options, &family)?;
        iterator.seek_to_first();
        while iterator.valid() {
            map.insert(iterator.key().to_vec(), iterator.value().to_vec());
            iterator.next();
        }
        iterator.status()?;
        for (key, value) in map.iter() {
            let found = db.get(&options, &family, key)?;
            if found.as_deref() != Some(value.as_slice()) {
                let key = String::from_utf8_lossy(key);
                return Err(Status::corruption(format!(
                    "family {name}, key {key}: get and an iterator differ"
                )));
            }
        }
    }
    Ok(content)
}
