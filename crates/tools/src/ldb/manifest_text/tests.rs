use super::*;
use base::{InternalKey, ValueType};
use version::FileChecksum;

#[test]
fn an_edit_with_a_file_reads_as_rocksdbs() {
    let smallest = InternalKey::new(b"a", 3, ValueType::Value);
    let largest = InternalKey::new(b"b", 5, ValueType::Deletion);
    let mut file = FileMetaData::new(12, 4559, smallest, largest);
    file.oldest_blob_file_number = Some(10);
    file.file_creation_time = 99;
    file.temperature = Temperature::COLD;
    let checksum = FileChecksum { value: vec![0xab], function_name: b"F".to_vec() };
    file.file_checksum = Some(checksum);
    let edit = VersionEdit {
        log_number: Some(4),
        last_sequence: Some(5),
        new_files: vec![NewFile { level: 1, file }],
        remaining_entries: Some(0),
        ..VersionEdit::default()
    };
    let expected = "VersionEdit {\n  LogNumber: 4\n  LastSeq: 5\n  AddFile: 1 12 4559 'a' seq:3, \
                    type:1 .. 'b' seq:5, type:0 blob_file:10 oldest_ancester_time:0 \
                    file_creation_time:99 file_checksum:AB file_checksum_func_name: F \
                    temperature: 12\n  ColumnFamily: 0\n  AtomicGroup: 0 entries remains\n}\n";
    assert_eq!(String::from_utf8_lossy(&edit_text(&edit, false)), expected);
}

#[test]
fn the_public_unique_id_is_a_bijection_of_the_one_in_the_manifest() {
    // As RocksDB's ldb prints both of one table.
    let internal = 7_147_177_787_290_935_364 | 5_077_615_756_681_330_539 << 64;
    let public = public_unique_id(internal).to_le_bytes();
    assert_eq!(hex(&public), "F1094293B941B8C8145AB6A0481EF0C3");
    assert_eq!(public_unique_id(0), 0);
}
