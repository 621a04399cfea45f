//! A primary's directory and what it is opened with.

use base::merge_operator::UInt64AddOperator;
use base::{MergeOperator, Result};
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions};
use options::{ColumnFamilyOptions, DbOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// A directory of the primary's, and one of the secondary's.
pub(crate) struct Place {
    pub(crate) options: DbOptions,
    pub(crate) family_options: ColumnFamilyOptions,
    pub(crate) context: OpenContext,
    pub(crate) families: Vec<String>,
    directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let merge_operator: Arc<dyn MergeOperator> = Arc::new(UInt64AddOperator);
        let mut family_options = ColumnFamilyOptions::default();
        family_options.merge_operator = Some(merge_operator);
        Self {
            options: DbOptions {
                create_if_missing: true,
                create_missing_column_families: true,
                max_open_files: -1,
                ..DbOptions::default()
            },
            family_options,
            context: OpenContext::default(),
            families: vec!["default".to_owned()],
            directory: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn primary(&self) -> PathBuf {
        self.directory.path().join("primary")
    }

    pub(crate) fn secondary(&self) -> PathBuf {
        self.directory.path().join("secondary")
    }

    pub(crate) fn descriptors(&self) -> Vec<ColumnFamilyDescriptor> {
        let descriptor =
            |name: &String| ColumnFamilyDescriptor::new(name.clone(), self.family_options.clone());
        self.families.iter().map(descriptor).collect()
    }

    pub(crate) fn open_primary(&self) -> Db {
        Db::open(&self.options, &self.primary(), &self.descriptors(), &self.context).unwrap()
    }

    pub(crate) fn try_open_secondary(&self) -> Result<Db> {
        self.try_open_secondary_of(&self.primary())
    }

    pub(crate) fn try_open_secondary_of(&self, path: &Path) -> Result<Db> {
        let descriptors = self.descriptors();
        Db::open_as_secondary(&self.options, path, &self.secondary(), &descriptors, &self.context)
    }

    pub(crate) fn open_secondary(&self) -> Db {
        self.try_open_secondary().unwrap()
    }

    /// Names, sizes and times of the files in the primary's directory. One that the primary deletes meanwhile
    /// is not among them.
    pub(crate) fn primary_files(&self) -> BTreeMap<String, (u64, std::time::SystemTime)> {
        let entries = std::fs::read_dir(self.primary()).unwrap();
        let describe = |entry: std::fs::DirEntry| {
            let metadata = match entry.metadata() {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                metadata => metadata.unwrap(),
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            Some((name, (metadata.len(), metadata.modified().unwrap())))
        };
        entries.filter_map(|entry| describe(entry.unwrap())).collect()
    }
}

pub(crate) fn family(db: &Db, name: &str) -> ColumnFamilyHandle {
    db.column_family(name).unwrap()
}

/// All pairs of a family.
pub(crate) fn scan(db: &Db, name: &str) -> Pairs {
    try_scan(db, name).unwrap()
}

pub(crate) fn try_scan(db: &Db, name: &str) -> Result<Pairs> {
    let mut iterator = db.new_iterator(&ReadOptions::default(), &family(db, name))?;
    iterator.seek_to_first();
    let mut pairs = Vec::new();
    while iterator.valid() {
        pairs.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next();
    }
    iterator.status()?;
    Ok(pairs)
}

/// That both have the same in all families, by iterators, by keys and by several keys at once.
pub(crate) fn assert_same(primary: &Db, secondary: &Db, when: &str) {
    assert_eq!(primary.latest_sequence_number(), secondary.latest_sequence_number(), "{when}");
    for handle in secondary.column_families() {
        let name = handle.name().to_string();
        let (expected, found) = (scan(primary, &name), scan(secondary, &name));
        assert!(expected == found, "{when}: {name}: {} and {}", expected.len(), found.len());
        let keys: Vec<&[u8]> = expected.iter().map(|(key, _)| &key[..]).step_by(7).collect();
        let options = ReadOptions::default();
        let values = secondary.multi_get(&options, &handle, &keys);
        for (key, value) in keys.iter().zip(values) {
            let own = primary.get(&options, &family(primary, &name), key).unwrap();
            assert_eq!(own.as_deref(), value.unwrap().as_deref(), "{when}: {name}");
        }
    }
}
