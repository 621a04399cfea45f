use super::*;
use base::ValueType;
use testing::hexes::unhex;

fn key(user_key: &[u8], sequence: SequenceNumber) -> InternalKey {
    InternalKey::new(user_key, sequence, ValueType::Value)
}

fn decode(form: u32, bytes: &[u8]) -> Result<NewFile> {
    let mut input = Decoder::new(bytes);
    let file = NewFile::decode(form, &mut input, &mut None)?;
    if input.is_empty() { Ok(file) } else { Err(input.error("more than a file")) }
}

/// A flush by 11.9.
const FLUSHED: &str = "00 09 b40a 13 6b657930303030303030300101000000000000
    13 6b657930303030303030300101000000000000 01 01
    05 05 90a780d806 06 05 90a780d806 0d 01 01 0c 10 38f62e149b39ae318624518e7ea73ad3
    0f 02 f709 01";

#[test]
fn a_flushed_file_as_11_9_wrote_it() {
    let bytes = unhex(FLUSHED);
    let new = decode(tag::NEW_FILE4, &bytes).unwrap();
    let mut file = FileMetaData::new(9, 1332, key(b"key00000000", 1), key(b"key00000000", 1));
    file.smallest_seqno = 1;
    file.largest_seqno = 1;
    file.oldest_ancester_time = 1795167120;
    file.file_creation_time = 1795167120;
    file.epoch_number = 1;
    file.unique_id = unhex("38f62e149b39ae318624518e7ea73ad3").try_into().ok();
    file.tail_size = 1271;
    assert_eq!(new, NewFile { level: 0, file });
    let mut output = Vec::new();
    new.encode_to(&mut output, None);
    assert_eq!(output[0], 103);
    assert_eq!(output[1..], bytes);
}

/// A file with every field set.
fn full_file() -> FileMetaData {
    let mut file = FileMetaData::new(1 << 40, 1 << 33, key(b"", 9), key(b"zz", 3));
    file.path_id = 3;
    file.smallest_seqno = 3;
    file.largest_seqno = 9;
    file.marked_for_compaction = true;
    file.temperature = Temperature::COLD;
    file.oldest_blob_file_number = Some(8);
    file.oldest_ancester_time = 5;
    file.file_creation_time = 6;
    file.epoch_number = 300;
    file.file_checksum = Some(FileChecksum {
        value: vec![1, 2, 3, 4],
        function_name: b"FileChecksumCrc32c".to_vec(),
    });
    file.unique_id = Some([7; 16]);
    file.compensated_range_deletion_size = 1000;
    file.tail_size = 200;
    file.user_defined_timestamps_persisted = false;
    file.min_timestamp = vec![1; 8];
    file.max_timestamp = vec![2; 8];
    file.file_open_metadata = vec![0; 300];
    file.unknown_fields = vec![UnknownField { tag: 40, value: b"later".to_vec() }];
    file
}

#[test]
fn every_field_round_trips() {
    let new = NewFile { level: 6, file: full_file() };
    let mut bytes = Vec::new();
    new.encode_to(&mut bytes, Some(77));
    let mut min_log_number_to_keep = None;
    let mut input = Decoder::new(&bytes[1..]);
    let found = NewFile::decode(tag::NEW_FILE4, &mut input, &mut min_log_number_to_keep);
    assert_eq!(found, Ok(new));
    assert_eq!(min_log_number_to_keep, Some(77));
}

#[test]
fn older_forms_are_read() {
    let tail = "0a 09 61 0105000000000000 09 62 0106000000000000";
    let first = decode(tag::NEW_FILE, &unhex(&format!("02 05 {tail}"))).unwrap();
    let mut file = FileMetaData::new(5, 10, key(b"a", 5), key(b"b", 6));
    assert_eq!(first, NewFile { level: 2, file: file.clone() });
    file.smallest_seqno = 5;
    file.largest_seqno = 6;
    let second = decode(tag::NEW_FILE2, &unhex(&format!("02 05 {tail} 05 06"))).unwrap();
    assert_eq!(second, NewFile { level: 2, file: file.clone() });
    file.path_id = 1;
    let third = decode(tag::NEW_FILE3, &unhex(&format!("02 05 01 {tail} 05 06"))).unwrap();
    assert_eq!(third, NewFile { level: 2, file });
}

#[test]
fn a_cut_file_is_corruption_at_every_length() {
    let mut bytes = Vec::new();
    NewFile { level: 6, file: full_file() }.encode_to(&mut bytes, Some(77));
    for length in 1..bytes.len() {
        let mut input = Decoder::new(&bytes[1..length]);
        let error = NewFile::decode(tag::NEW_FILE4, &mut input, &mut None).unwrap_err();
        assert!(error.is_corruption(), "{length}: {error}");
    }
}

#[test]
fn values_that_cannot_be_are_corruption() {
    let with = |custom: &str| {
        let text = format!("00 09 0a 08 0101000000000000 08 0101000000000000 01 01 {custom} 01");
        decode(tag::NEW_FILE4, &unhex(&text))
    };
    assert!(with("").is_ok());
    for (custom, expected) in [
        ("02 00", "need compaction of 0 bytes"),
        ("0c 0f 000000000000000000000000000000", "unique id of 15 bytes"),
        ("41 01 04", "path id 4"),
        ("41 02 0000", "path id of 2 bytes"),
        ("03 04 00000000", "min log number to keep"),
        ("03 08 0000000000000040", "min log number to keep 4611686018427387904"),
        ("0d 01 80", "epoch number"),
        ("42 00", "unknown custom tag 66"),
        ("10 00", "user-defined timestamps persisted of 0 bytes"),
    ] {
        let error = with(custom).unwrap_err();
        assert!(error.is_corruption());
        assert!(error.message().contains(expected), "{custom}: {error}");
    }
    let short_key = decode(tag::NEW_FILE, &unhex("00 09 0a 07 01010000000000 08 0101000000000000"));
    assert!(short_key.unwrap_err().message().contains("smallest key of 7 bytes"));
    let number = "ffffffffffffffff7f";
    let large = decode(tag::NEW_FILE, &unhex(&format!("00 {number} 0a 08 0101000000000000")));
    assert!(large.unwrap_err().message().contains("less than 2^62"));
}

#[test]
fn a_checksum_named_unknown_is_none() {
    let mut file = full_file();
    assert_eq!(file.checksum().map(|sum| sum.value.len()), Some(4));
    file.file_checksum = Some(FileChecksum::default());
    assert_eq!(file.checksum(), None);
    file.file_checksum = None;
    assert_eq!(file.checksum(), None);
}

#[test]
fn boundaries_get_timestamps_and_lose_them_again() {
    let mut file = FileMetaData::new(5, 10, key(b"a", 5), key(b"b", 6));
    let stored = file.clone();
    file.pad_boundary_timestamps(8);
    assert_eq!(file.smallest, key(b"a\0\0\0\0\0\0\0\0", 5));
    assert_eq!(file.largest, key(b"b\0\0\0\0\0\0\0\0", 6));
    file.strip_boundary_timestamps(8);
    assert_eq!(file, stored);

    file.largest =
        InternalKey::new(b"c", base::dbformat::MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
    file.pad_boundary_timestamps(8);
    assert_eq!(file.largest.user_key(), b"c\xff\xff\xff\xff\xff\xff\xff\xff");
    assert!(file.largest.is_range_tombstone_sentinel());
}
