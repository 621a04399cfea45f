use super::*;
use env::{FileOptions, MemFileSystem};

#[test]
fn each_number_once_and_none_that_was_used() {
    let numbers = FileNumbers::new(7);
    assert_eq!((numbers.next(), numbers.next(), numbers.peek()), (7, 8, 9));
    numbers.mark_used(4);
    assert_eq!(numbers.peek(), 9);
    numbers.mark_used(9);
    assert_eq!(numbers.next(), 10);
    numbers.mark_used(u64::MAX);
    numbers.mark_used(FILE_NUMBER_MAX);
    assert_eq!(numbers.peek(), 11);
    numbers.mark_used(FILE_NUMBER_MAX - 1);
    assert_eq!(numbers.peek(), FILE_NUMBER_MAX);
}

#[test]
fn files_of_every_kind_take_their_numbers() {
    let fs = MemFileSystem::new();
    let directory = Path::new("/db");
    fs.create_dir(directory).unwrap();
    let numbers = FileNumbers::new(2);
    for (name, next) in [
        ("LOG", 2),
        ("LOG.old.1700000000000000", 2),
        ("CURRENT", 2),
        ("something-000099", 2),
        ("000004.log", 5),
        ("MANIFEST-000005", 6),
        ("000003.sst", 6),
        ("000009.blob", 10),
        ("OPTIONS-000011.dbtmp", 12),
        ("000020.ldb", 21),
    ] {
        let file = fs.new_writable_file(&directory.join(name), &FileOptions::default()).unwrap();
        file.close().unwrap();
        numbers.mark_directory_used(&fs, directory).unwrap();
        assert_eq!(numbers.peek(), next, "{name}");
    }
    assert!(numbers.mark_directory_used(&fs, Path::new("/nowhere")).is_err());
}
