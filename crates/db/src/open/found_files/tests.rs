use super::*;
use env::{FileOptions, MemFileSystem, create_dir_all};

fn listed(directories: &[(&str, &[&str])]) -> FoundFiles {
    let fs = MemFileSystem::new();
    for (directory, names) in directories {
        create_dir_all(&fs, Path::new(directory)).unwrap();
        for name in *names {
            let path = Path::new(directory).join(name);
            fs.new_writable_file(&path, &FileOptions::default()).unwrap().close().unwrap();
        }
    }
    let paths = directories.iter().map(|(directory, _)| PathBuf::from(directory)).collect();
    FoundFiles::list(&fs, paths).unwrap()
}

#[test]
fn files_are_known_by_directory_kind_and_number() {
    let names = ["000012.sst", "7.ldb", "000009.log", "CURRENT", "OPTIONS-000004", "notes.txt"];
    let found = listed(&[("/db", &names), ("/wal", &["000011.log", "000010.log"])]);
    assert_eq!(found.numbers(Path::new("/db"), FileType::Table), [7, 12]);
    assert_eq!(found.numbers(Path::new("/db"), FileType::Options), [4]);
    assert_eq!(found.numbers(Path::new("/wal"), FileType::Wal), [10, 11]);
    assert_eq!(found.within(Path::new("/db")).len(), 5, "notes are nobody's");
    assert_eq!(found.within(Path::new("/elsewhere")), []);
    assert_eq!(found.all().count(), 7);
}

#[test]
fn a_directory_that_is_missing_is_an_error() {
    let fs = MemFileSystem::new();
    let paths = BTreeSet::from([PathBuf::from("/none")]);
    assert!(FoundFiles::list(&fs, paths).unwrap_err().is_path_not_found());
}
