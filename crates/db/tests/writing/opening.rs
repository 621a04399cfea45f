//! What an open asks of the file system, and what it finds out.

use crate::fixture::{Fixture, default_family, get, put};
use base::Result;
use db::FlushOptions;
use env::file_system_wrapper::FileSystemWrapper;
use env::{FileSystem, MemFileSystem};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what takes long where there are many tables.
#[derive(Debug, Default)]
struct CountingFileSystem {
    base: MemFileSystem,
    lists: AtomicUsize,
    sizes_of_tables: AtomicUsize,
    files_expected: AtomicUsize,
}

impl FileSystemWrapper for CountingFileSystem {
    fn target(&self) -> &dyn FileSystem {
        &self.base
    }

    fn get_children(&self, path: &Path) -> Result<Vec<String>> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        self.base.get_children(path)
    }

    fn get_file_size(&self, path: &Path) -> Result<u64> {
        let is_table = path.extension().is_some_and(|extension| extension == "sst");
        self.sizes_of_tables.fetch_add(usize::from(is_table), Ordering::Relaxed);
        self.base.get_file_size(path)
    }

    fn expect_open_files(&self, count: usize) {
        self.files_expected.store(count, Ordering::Relaxed);
    }
}

/// A closed database of so many tables.
fn tables(fixture: &mut Fixture, count: usize) -> Vec<String> {
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for number in 0..count {
        put(&db, &format!("key {number}"), "value");
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    }
    db.close().unwrap();
    let tables = fixture.files_with(".sst");
    assert_eq!(tables.len(), count);
    tables
}

#[test]
fn a_directory_is_listed_once_and_tables_are_looked_at_when_they_are_opened() {
    let mut fixture = Fixture::new();
    let counting = Arc::new(CountingFileSystem::default());
    fixture.context.file_system = counting.clone();
    tables(&mut fixture, 5);
    for (max_open_files, sizes) in [(-1, 0), (100, 5)] {
        fixture.options.max_open_files = max_open_files;
        counting.lists.store(0, Ordering::Relaxed);
        counting.sizes_of_tables.store(0, Ordering::Relaxed);
        let db = fixture.open();
        assert_eq!(counting.lists.load(Ordering::Relaxed), 1);
        assert_eq!(counting.sizes_of_tables.load(Ordering::Relaxed), sizes, "{max_open_files}");
        assert_eq!(counting.files_expected.load(Ordering::Relaxed), 5);
        assert_eq!(get(&db, "key 3").as_deref(), Some("value"));
    }
}

#[test]
fn all_tables_that_are_missing_or_cut_are_named() {
    let mut fixture = Fixture::new();
    let tables = tables(&mut fixture, 6);
    let fs = fixture.context.file_system.clone();
    let path = |name: &String| fixture.path.join(name);
    let (missing, cut, longer) = (path(&tables[1]), path(&tables[3]), path(&tables[4]));
    let size = fs.get_file_size(&cut).unwrap();
    fs.rename_file(&missing, &missing.with_extension("away")).unwrap();
    fs.truncate(&cut, size - 1).unwrap();
    fs.truncate(&longer, size + 1).unwrap();
    for (max_open_files, paranoid_checks) in [(-1, true), (-1, false), (100, true), (100, false)] {
        fixture.options.max_open_files = max_open_files;
        fixture.options.paranoid_checks = paranoid_checks;
        let status = fixture.try_open().unwrap_err();
        assert!(status.is_corruption(), "{status}");
        let lines: Vec<&str> = status.message().lines().collect();
        assert_eq!(lines.len(), 3, "{status}");
        let expected = [
            (&missing, "Can't access ".to_owned()),
            (&cut, format!("Size recorded in manifest {size}, actual size {}", size - 1)),
            (&longer, format!("Size recorded in manifest {size}, actual size {}", size + 1)),
        ];
        for (path, words) in expected {
            let of_file = |line: &&&str| line.contains(&*path.to_string_lossy());
            let line = lines.iter().find(of_file).unwrap();
            assert!(line.contains(&words), "{line}");
        }
    }
}

#[test]
fn old_options_files_and_manifests_go_without_another_look() {
    let fixture = Fixture::new();
    for _ in 0..4 {
        fixture.open().close().unwrap();
        let options = fixture.files().iter().filter(|name| name.starts_with("OPTIONS-")).count();
        let manifests = fixture.files().iter().filter(|name| name.starts_with("MANIFEST-")).count();
        assert!((1..=2).contains(&options), "{:?}", fixture.files());
        assert_eq!(manifests, 1, "{:?}", fixture.files());
    }
}
