use super::*;
use crate::test_files::{self, FILE_NUMBER};
use env::{FileOptions, FileSystem};
use testing::hexes::hex;

#[test]
fn a_file_is_as_rocksdb_writes_it() {
    let file_system = test_files::file_system();
    let path = test_files::path(FILE_NUMBER);
    let file = file_system.new_writable_file(&path, &FileOptions::default()).unwrap();
    let options = CompressionOptions::default();
    let mut writer =
        BlobLogWriter::new(file, FILE_NUMBER, 0, CompressionType::None, options).unwrap();
    let mut references = Vec::new();
    for (index, letter) in (b'a'..=b'e').enumerate() {
        let key = format!("key{index}");
        references.push(writer.add_record(key.as_bytes(), &vec![letter; 20 + index]).unwrap());
    }
    // What the MANIFEST of that database says.
    assert_eq!((writer.blob_count(), writer.blob_bytes()), (5, 290));
    let size = writer.file_size();
    writer.finish().unwrap();

    let bytes = test_files::read_file(&file_system, &path);
    let digits = hex(&bytes);
    assert!(digits.starts_with(
        "378f240001000000000000000000000000000000000000000000000000000400000000000000140000000000\
         00000000000000000000555744c181bb5f2e6b6579306161616161616161616161616161616161616161"
    ));
    assert!(digits.ends_with("378f2400050000000000000000000000000000000000000000000000c42df52c"));
    assert_eq!(hex(&references[0].to_index()), "010a421400");
    assert_eq!(bytes.len() as u64, size + 32);
}
