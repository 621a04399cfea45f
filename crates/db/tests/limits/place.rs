//! A database on the disk, and what must be in it.

use base::status::Code;
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions, WriteOptions};
use options::{ColumnFamilyOptions, CompressionType, DbOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options and a directory to open a database with, again and again.
pub(crate) struct Place {
    pub(crate) options: DbOptions,
    pub(crate) family_options: ColumnFamilyOptions,
    pub(crate) path: PathBuf,
    pub(crate) families: Vec<String>,
    /// What was acknowledged, by column family and key.
    pub(crate) written: BTreeMap<(String, Vec<u8>), Vec<u8>>,
}

impl Place {
    pub(crate) fn new(path: &Path) -> Self {
        let options = DbOptions {
            create_if_missing: true,
            create_missing_column_families: true,
            ..DbOptions::default()
        };
        let mut family_options = ColumnFamilyOptions::default();
        family_options.compression = CompressionType::NoCompression;
        let families = vec!["default".to_owned()];
        let written = BTreeMap::new();
        Self { options, family_options, path: path.to_owned(), families, written }
    }

    pub(crate) fn descriptors(&self) -> Vec<ColumnFamilyDescriptor> {
        let descriptor =
            |name: &String| ColumnFamilyDescriptor::new(name.clone(), self.family_options.clone());
        self.families.iter().map(descriptor).collect()
    }

    pub(crate) fn try_open(&self) -> base::Result<Db> {
        Db::open(&self.options, &self.path, &self.descriptors(), &OpenContext::default())
    }

    pub(crate) fn open(&self) -> Db {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open_for_reading(&self) -> base::Result<Db> {
        let context = OpenContext::default();
        Db::open_for_read_only(&self.options, &self.path, &self.descriptors(), &context)
    }

    /// Writes, and keeps in mind what was acknowledged.
    pub(crate) fn try_put(
        &mut self,
        db: &Db,
        family: &ColumnFamilyHandle,
        key: &[u8],
        value: &[u8],
    ) -> base::Result<()> {
        db.put(&WriteOptions::default(), family, key, value)?;
        self.written.insert((family.name().to_string(), key.to_vec()), value.to_vec());
        Ok(())
    }

    /// Checks that the database has what was acknowledged, and nothing else.
    pub(crate) fn check(&self, db: &Db) {
        let mut found = BTreeMap::new();
        for name in &self.families {
            let family = db.column_family(name).unwrap();
            let mut iterator = db.new_iterator(&ReadOptions::default(), &family).unwrap();
            iterator.seek_to_first();
            while iterator.valid() {
                let value = iterator.value().to_vec();
                found.insert((name.clone(), iterator.key().to_vec()), value);
                iterator.next();
            }
            iterator.status().unwrap();
        }
        let shown = |all: &BTreeMap<(String, Vec<u8>), Vec<u8>>| -> Vec<_> {
            all.keys()
                .map(|(name, key)| (name.clone(), String::from_utf8_lossy(key).into_owned()))
                .collect()
        };
        assert!(found == self.written, "{:?}, expected {:?}", shown(&found), shown(&self.written));
        for ((name, key), value) in &self.written {
            let family = db.column_family(name).unwrap();
            let read = db.get(&ReadOptions::default(), &family, key).unwrap();
            assert_eq!(read.as_deref(), Some(&value[..]), "{name}");
        }
    }

    /// Names and contents of the files there.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(&self.path).unwrap().map(Result::unwrap);
        let file = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap_or_default())
        };
        entries.map(file).collect()
    }
}

/// Of a file in a database, for messages.
pub(crate) fn name_in(place: &Place, name: &str) -> String {
    place.path.join(name).display().to_string()
}

#[track_caller]
pub(crate) fn expect_error<T>(result: base::Result<T>, code: Code, words: &[&str]) {
    let error = result.map(drop).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    for word in words {
        assert!(error.message().contains(word), "{word}: {error}");
    }
}
