use super::*;
use crate::file_metadata::{FileChecksum, FileMetaData, Temperature};
use proptest::prelude::*;
use testing::hexes::{hex, unhex};

const BYTEWISE: &str = "011a6c6576656c64622e4279746577697365436f6d70617261746f72";

fn decode(digits: &str) -> VersionEdit {
    let bytes = unhex(digits);
    let edit = VersionEdit::decode(&bytes).unwrap();
    assert_eq!(hex(&edit.encode()), hex(&bytes), "not encoded as read");
    edit
}

#[test]
fn the_first_edits_of_7_8_3() {
    let comparator = Some(b"leveldb.BytewiseComparator".to_vec());
    assert_eq!(decode(BYTEWISE), VersionEdit { comparator, ..VersionEdit::default() });
    let numbers = decode("02000400");
    let expected =
        VersionEdit { log_number: Some(0), last_sequence: Some(0), ..VersionEdit::default() };
    assert_eq!(numbers, expected);
    let numbers = decode("090003060400");
    let expected = VersionEdit {
        prev_log_number: Some(0),
        next_file_number: Some(6),
        last_sequence: Some(0),
        ..VersionEdit::default()
    };
    assert_eq!(numbers, expected);
}

#[test]
fn the_first_edits_of_11_9() {
    assert_eq!(decode(""), VersionEdit::default());
    let edit = decode(&format!("{BYTEWISE} 89400101"));
    assert_eq!(edit.persist_user_defined_timestamps, Some(true));
    assert_eq!(decode("8b400176").last_compacted_manifest_file_size, Some(118));
}

#[test]
fn a_flush_of_11_9() {
    let edit = decode(
        "0208 0900 030a 0401 67 00 09 b40a 13 6b657930303030303030300101000000000000
         13 6b657930303030303030300101000000000000 01 01
         05 05 90a780d806 06 05 90a780d806 0d 01 01 0c 10 38f62e149b39ae318624518e7ea73ad3
         0f 02 f709 01",
    );
    assert_eq!(edit.log_number, Some(8));
    assert_eq!(edit.new_files.len(), 1);
    assert_eq!(edit.new_files[0].file.number, 9);
    assert!(edit.changes_files() && !edit.changes_wals());
}

#[test]
fn a_column_family_created_by_7_8_3() {
    let edit = decode(&format!("{BYTEWISE} 0204 0306 0400 c80101 c901 03 636631"));
    assert_eq!(edit.column_family, 1);
    assert_eq!(edit.column_family_add.as_deref(), Some(&b"cf1"[..]));
    assert_eq!(decode("0900 030d 0a0a 0402 ac0200").remaining_entries, Some(0));
}

#[test]
fn tags_of_6_15_have_no_length() {
    let edit = VersionEdit::decode(&unhex("8440 04 02 e807 01 8540 03 0405")).unwrap();
    let wal = WalAddition { number: 4, synced_size_bytes: Some(1000) };
    assert_eq!(edit.wal_additions, [wal]);
    assert_eq!(edit.wal_deletion, Some(3));
    assert_eq!(edit.last_sequence, Some(5));
    assert_eq!(hex(&edit.encode()), "0405 8740 05 04 02 e807 01 8840 01 03".replace(' ', ""));
}

#[test]
fn early_blob_tags_have_no_length() {
    let edit = VersionEdit::decode(&unhex("8240 0a 05 a202 00 00 00 8340 0a 02 73 00")).unwrap();
    assert_eq!(edit.blob_file_additions[0].total_blob_bytes, 290);
    assert_eq!(edit.blob_file_garbages[0].garbage_blob_bytes, 115);
    assert_eq!(hex(&edit.encode()), "90030a05a202000000 91030a027300".replace(' ', ""));
}

#[test]
fn skippable_fields_of_later_releases_are_kept() {
    let edit = decode("0405 8c40 03 616263");
    assert_eq!(edit.unknown_fields, [UnknownField { tag: 8204, value: b"abc".to_vec() }]);
}

#[test]
fn what_cannot_be_is_corruption_that_names_the_byte() {
    for (digits, expected) in [
        ("08", "byte 1: unknown tag 8"),
        ("ffff03", "expected value of a skippable field"),
        ("ff1f", "unknown tag 4095"),
        ("0400 80", "byte 2: expected tag"),
        ("02", "byte 1: expected log number"),
        ("04 80808080808080808001", "last sequence number 9223372036854775808"),
        ("01 05 6162", "expected comparator name"),
        ("05 00 07 01020304050607", "compaction cursor of 7 bytes"),
        ("06 ffffffff0f 05", "level 4294967295"),
        ("8640 00", "byte 3: empty full_history_ts_low"),
        ("8940 02 0100", "persist_user_defined_timestamps of 2 bytes"),
        ("8b40 01 80", "byte 3: expected size of the last compacted MANIFEST"),
        ("8c40 05 00", "expected value of a skippable field"),
        ("c801", "expected column family id"),
        ("ac02", "expected remaining entries"),
    ] {
        let error = VersionEdit::decode(&unhex(digits)).unwrap_err();
        assert!(error.is_corruption());
        assert!(error.message().contains(expected), "{digits}: {error}");
    }
}

fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![0..300u64, 0..=(1u64 << 62) - 1]
}

fn byte_strings() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..20)
}

fn keys() -> impl Strategy<Value = InternalKey> {
    prop::collection::vec(any::<u8>(), 8..20)
        .prop_map(|bytes| InternalKey::from_encoded(bytes).unwrap())
}

prop_compose! {
    fn files()(
        (level, number, path_id, file_size) in (0..10u32, numbers(), 0..4u32, any::<u64>()),
        (smallest, largest, seqnos) in (keys(), keys(), any::<(u64, u64)>()),
        (marked, temperature, persisted) in any::<(bool, u8, bool)>(),
        (blob, id) in (prop::option::of(1..1000u64), prop::option::of(any::<[u8; 16]>())),
        times in any::<[u64; 5]>(),
        checksum in prop::option::of((byte_strings(), byte_strings())),
        (min_timestamp, max_timestamp, open) in (byte_strings(), byte_strings(), byte_strings()),
        unknown in prop::collection::vec((18..64u32, byte_strings()), 0..3),
    ) -> NewFile {
        let mut file = FileMetaData::new(number, file_size, smallest, largest);
        (file.smallest_seqno, file.largest_seqno) = seqnos;
        file.path_id = path_id;
        file.marked_for_compaction = marked;
        file.temperature = Temperature(temperature);
        file.user_defined_timestamps_persisted = persisted;
        file.oldest_blob_file_number = blob;
        file.unique_id = id.filter(|id| *id != [0; 16]);
        file.oldest_ancester_time = times[0];
        file.file_creation_time = times[1];
        file.epoch_number = times[2];
        file.compensated_range_deletion_size = times[3];
        file.tail_size = times[4];
        file.file_checksum = checksum
            .map(|(value, function_name)| FileChecksum { value, function_name });
        file.min_timestamp = min_timestamp;
        file.max_timestamp = max_timestamp;
        file.file_open_metadata = open;
        file.unknown_fields =
            unknown.into_iter().map(|(tag, value)| UnknownField { tag, value }).collect();
        NewFile { level, file }
    }
}

prop_compose! {
    fn edits()(
        names in prop::array::uniform5(prop::option::of(byte_strings())),
        numbers in prop::array::uniform5(prop::option::of(numbers())),
        (last_sequence, size) in prop::option::of((0..1u64 << 56, any::<u64>()))
            .prop_map(Option::unzip),
        ids in any::<(u32, Option<u32>, Option<u32>)>(),
        (drop, persist) in any::<(bool, Option<bool>)>(),
        compact_cursors in prop::collection::vec((0..10u32, keys()), 0..3),
        deleted_files in prop::collection::btree_set((0..10u32, 0..1u64 << 62), 0..4),
        new_files in prop::collection::vec(files(), 0..3),
        blobs in prop::collection::vec((any::<[u64; 2]>(), byte_strings(), byte_strings()), 0..3),
        wals in prop::collection::vec((0..1u64 << 62, any::<Option<u64>>()), 0..3),
        unknown in prop::collection::vec((8204..16000u32, byte_strings()), 0..3),
    ) -> VersionEdit {
        let [db_id, comparator, name, timestamp, progress] = names;
        let [log_number, prev_log_number, next_file_number, min_log_number_to_keep, deletion] = numbers;
        let (column_family, max_column_family, remaining_entries) = ids;
        let garbage = |(number, [garbage_blob_count, garbage_blob_bytes]): (u64, [u64; 2])| {
            BlobFileGarbage { number, garbage_blob_count, garbage_blob_bytes, ..Default::default() }
        };
        VersionEdit {
            db_id,
            comparator,
            log_number,
            prev_log_number,
            next_file_number,
            max_column_family,
            min_log_number_to_keep,
            last_sequence,
            compact_cursors,
            deleted_files,
            new_files,
            blob_file_garbages: (0..).zip(blobs.iter().map(|blob| blob.0)).map(garbage).collect(),
            blob_file_additions: (0..)
                .zip(blobs)
                .map(|(number, (counts, checksum_method, checksum_value))| BlobFileAddition {
                    number,
                    total_blob_count: counts[0],
                    total_blob_bytes: counts[1],
                    checksum_method,
                    checksum_value,
                    unknown_fields: vec![UnknownField { tag: 9, value: Vec::new() }],
                })
                .collect(),
            wal_additions: wals
                .into_iter()
                .map(|(number, synced_size_bytes)| WalAddition { number, synced_size_bytes })
                .collect(),
            wal_deletion: deletion,
            column_family,
            column_family_add: name,
            column_family_drop: drop,
            remaining_entries,
            full_history_ts_low: timestamp.filter(|timestamp| !timestamp.is_empty()),
            persist_user_defined_timestamps: persist,
            subcompaction_progress: progress,
            last_compacted_manifest_file_size: size,
            unknown_fields: unknown
                .into_iter()
                .map(|(tag, value)| UnknownField { tag, value })
                .collect(),
        }
    }
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(edit in edits()) {
        prop_assert_eq!(VersionEdit::decode(&edit.encode()), Ok(edit));
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes: Vec<u8>) {
        if let Ok(edit) = VersionEdit::decode(&bytes) {
            prop_assert_eq!(VersionEdit::decode(&edit.encode()), Ok(edit));
        }
    }

    #[test]
    fn damaged_edits_do_not_panic(edit in edits(), at: prop::sample::Index, byte: u8, cut: bool) {
        let mut bytes = edit.encode();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if cut {
                bytes.truncate(at);
            }
            if let Ok(edit) = VersionEdit::decode(&bytes) {
                prop_assert_eq!(VersionEdit::decode(&edit.encode()), Ok(edit));
            }
        }
    }
}
