use super::append_read;
use std::fs::{self, File};

#[test]
fn reads_go_behind_what_is_there_and_no_further_than_asked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, b"0123456789").unwrap();
    let file = File::open(&path).unwrap();
    let mut buffer = Vec::with_capacity(100);
    buffer.extend_from_slice(b"ab");
    assert_eq!(append_read(&file, 3, 4, &mut buffer).unwrap(), 4);
    assert_eq!(buffer, b"ab3456");
    assert_eq!(append_read(&file, 8, 1000, &mut buffer).unwrap(), 2);
    assert_eq!(buffer, b"ab345689");
    assert_eq!(append_read(&file, 10, 5, &mut buffer).unwrap(), 0);
    assert_eq!(append_read(&file, 0, 0, &mut Vec::new()).unwrap(), 0);
    assert_eq!(buffer, b"ab345689");
}

#[test]
fn a_failure_leaves_the_buffer() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::open(directory.path()).unwrap();
    let mut buffer = b"ab".to_vec();
    assert!(append_read(&file, 0, 10, &mut buffer).is_err(), "a directory cannot be read");
    assert_eq!(buffer, b"ab");
}
