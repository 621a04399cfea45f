use super::*;
use crate::{FileOptions, FileSystem, PosixFileSystem};
use std::sync::Arc;

fn file_of(size: usize) -> (tempfile::TempDir, Arc<dyn RandomAccessFile>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000001.sst");
    std::fs::write(&path, (0..size).map(|i| i as u8).collect::<Vec<_>>()).unwrap();
    let file = PosixFileSystem.new_random_access_file(&path, &FileOptions::default()).unwrap();
    (directory, file)
}

#[test]
fn whole_ranges_are_read() {
    let (_directory, file) = file_of(100);
    assert_eq!(read_exact_at(&*file, 0, 0).unwrap(), b"");
    assert_eq!(read_exact_at(&*file, 100, 0).unwrap(), b"");
    assert_eq!(read_exact_at(&*file, 98, 2).unwrap(), [98, 99]);
    let mut three = [0; 3];
    read_exact_into(&*file, 7, &mut three).unwrap();
    assert_eq!(three, [7, 8, 9]);
}

#[test]
fn a_short_file_is_corruption_with_every_number() {
    let (directory, file) = file_of(100);
    let status = read_exact_at(&*file, 90, 20).unwrap_err();
    let path = directory.path().join("000001.sst");
    assert_eq!(
        status.to_string(),
        format!(
            "Corruption: {} at offset 90: expected 20 bytes, found 10: the file is too short",
            path.display()
        )
    );
    assert!(read_exact_at(&*file, u64::MAX, 1).unwrap_err().is_corruption());
}

#[test]
fn a_length_no_file_has_takes_no_memory() {
    let (_directory, file) = file_of(100);
    let status = read_exact_at(&*file, 10, usize::MAX).unwrap_err();
    assert!(status.message().ends_with("found 90: the file is too short"), "{status}");
}
