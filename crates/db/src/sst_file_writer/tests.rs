#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use super::SstFileWriter;
use crate::db::OpenContext;
use base::status::Code;
use env::{FileSystem, MemFileSystem};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::Path;
use std::sync::Arc;

fn writer() -> (SstFileWriter, Arc<dyn FileSystem>) {
    let file_system: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    let context = OpenContext { file_system: file_system.clone(), ..OpenContext::default() };
    let writer =
        SstFileWriter::new(&DbOptions::default(), &ColumnFamilyOptions::default(), &context);
    (writer, file_system)
}

#[test]
fn what_was_written_is_told() {
    let (mut writer, file_system) = writer();
    let path = Path::new("/new.sst");
    writer.open(path).unwrap();
    writer.delete_range(b"x", b"z").unwrap();
    writer.put(b"a", b"1").unwrap();
    writer.merge(b"b", b"2").unwrap();
    writer.delete(b"c").unwrap();
    writer.delete_range(b"d", b"f").unwrap();
    writer.delete_range(b"q", b"q").unwrap();
    let info = writer.finish().unwrap();
    assert_eq!((&info.smallest_key[..], &info.largest_key[..]), (&b"a"[..], &b"c"[..]));
    let ranges = (&info.smallest_range_del_key[..], &info.largest_range_del_key[..]);
    assert_eq!(ranges, (&b"d"[..], &b"z"[..]));
    assert_eq!((info.num_entries, info.num_range_del_entries), (3, 2));
    assert_eq!(info.file_size, file_system.get_file_size(path).unwrap());
}

#[test]
fn keys_ascend_and_a_table_is_begun_first() {
    let (mut writer, file_system) = writer();
    let code = |result: base::Result<()>| result.unwrap_err().code();
    assert_eq!(code(writer.put(b"a", b"1")), Code::InvalidArgument);
    assert_eq!(writer.finish().unwrap_err().code(), Code::InvalidArgument);
    let path = Path::new("/new.sst");
    writer.open(path).unwrap();
    assert_eq!(writer.finish().unwrap_err().code(), Code::InvalidArgument, "no entries");
    assert!(!file_system.file_exists(path).unwrap());
    writer.open(path).unwrap();
    writer.put(b"b", b"1").unwrap();
    assert_eq!(code(writer.put(b"b", b"1")), Code::InvalidArgument);
    assert_eq!(code(writer.delete(b"a")), Code::InvalidArgument);
    assert_eq!(code(writer.delete_range(b"d", b"c")), Code::InvalidArgument);
    drop(writer);
    assert!(!file_system.file_exists(path).unwrap(), "a table that was not finished is given up");
}
