use super::*;
use crate::file_metadata::NewFile;
use crate::version_builder::{VersionBuilder, VersionOptions};
use crate::version_edit::VersionEdit;
use base::{InternalKey, InternalKeyComparator, ValueType};
use env::{FileOptions, MemFileSystem};

fn file(number: u64, path_id: u32) -> FileMetaData {
    let key = InternalKey::new(&number.to_be_bytes(), 1, ValueType::Value);
    let mut file = FileMetaData::new(number, 100, key.clone(), key);
    file.path_id = path_id;
    file
}

fn version(files: &[FileMetaData]) -> Version {
    let new_files = files.iter().map(|file| NewFile { level: 1, file: file.clone() }).collect();
    let mut builder = VersionBuilder::new();
    builder.apply(VersionEdit { new_files, ..VersionEdit::default() }).unwrap();
    builder.build(&VersionOptions::new(InternalKeyComparator::bytewise()), false).unwrap()
}

fn file_system(files: &[(&str, usize)]) -> MemFileSystem {
    let fs = MemFileSystem::new();
    for (path, size) in files {
        let path = Path::new(path);
        env::create_dir_all(&fs, &env::parent_directory(path)).unwrap();
        let mut file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
        file.append(&vec![0; *size]).unwrap();
        file.close().unwrap();
    }
    fs
}

#[test]
fn tables_are_found_in_their_directories_under_both_spellings() {
    let paths = [PathBuf::from("/one"), PathBuf::from("/two")];
    let fs = file_system(&[
        ("/one/000005.sst", 100),
        ("/two/000006.ldb", 100),
        ("/two/1234567.sst", 100),
    ]);
    // A path id beyond the paths means the last.
    let version = version(&[file(5, 0), file(6, 1), file(1234567, 3)]);
    assert_eq!(check_files(&fs, &paths, &version), Ok(()));
    let found = find_table_file(&fs, &paths, &file(6, 1));
    assert_eq!(found, Ok((PathBuf::from("/two/000006.ldb"), 100)));
    for (table, path) in [(file(5, 0), "/one/000005.sst"), (file(6, 1), "/two/000006.ldb")] {
        let (opened, size) = open_table_file(&fs, &paths, &table, &FileOptions::default()).unwrap();
        assert_eq!((opened.path(), size), (Path::new(path), 100));
    }
    let status = open_table_file(&fs, &paths, &file(7, 1), &FileOptions::default()).unwrap_err();
    assert!(status.is_path_not_found() && status.message().contains("/two/000007.sst"), "{status}");
}

#[test]
fn a_table_in_a_path_that_is_not_set_is_said_to_be_there() {
    let fs = file_system(&[("/db/000005.sst", 100)]);
    let paths = [PathBuf::from("/db")];
    let status = check_files(&fs, &paths, &version(&[file(5, 0), file(6, 2)])).unwrap_err();
    assert!(status.message().contains("000006.sst: IO error: "), "{status}");
    let hint = "; the MANIFEST has it in path 2 of db_paths or cf_paths (counted from 0), of which 1 are set";
    assert!(status.message().ends_with(hint), "{status}");
}

#[test]
fn every_missing_table_and_wrong_size_is_named() {
    let paths = [PathBuf::from("/db")];
    let fs = file_system(&[("/db/000005.sst", 99), ("/db/000007.sst", 100)]);
    let status = check_files(&fs, &paths, &version(&[file(5, 0), file(6, 0), file(7, 0)]));
    let status = status.unwrap_err();
    assert!(status.is_corruption());
    let lines: Vec<_> = status.message().lines().collect();
    assert_eq!(lines.len(), 2, "{status}");
    assert_eq!(
        lines[0],
        "Sst file size mismatch: /db/000005.sst. Size recorded in manifest 100, actual size 99"
    );
    assert!(lines[1].starts_with("Can't access /db/000006.sst: IO error: "), "{status}");
}
