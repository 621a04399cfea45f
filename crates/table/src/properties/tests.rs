use super::*;
use proptest::prelude::*;

fn with(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    for (name, value) in entries {
        builder.add(name.as_bytes(), value);
    }
    builder.finish()
}

fn decode(entries: &[(&str, &[u8])]) -> Result<TableProperties> {
    TableProperties::decode(&with(entries))
}

const VERSION: &str = names::EXTERNAL_SST_FILE_VERSION;
const SEQNO: &str = names::EXTERNAL_SST_FILE_GLOBAL_SEQNO;

#[test]
fn an_empty_block_gives_the_defaults() {
    let properties = decode(&[]).unwrap();
    assert_eq!(properties, TableProperties::default());
    assert_eq!(properties.column_family_id, UNKNOWN_COLUMN_FAMILY_ID);
    assert_eq!(properties.user_defined_timestamps_persisted, 1);
    assert_eq!(properties.index_type().unwrap(), IndexType::BinarySearch);
    assert!(properties.whole_key_filtering() && properties.prefix_filtering());
    assert_eq!(properties.user_comparator_name(), None);
}

#[test]
fn numbers_texts_and_others_find_their_places() {
    let properties = decode(&[
        ("mine", b"\xff"),
        ("rocksdb.block.based.table.index.type", &[2, 0, 0, 0]),
        ("rocksdb.block.based.table.whole.key.filtering", b"0"),
        ("rocksdb.comparator", b"rocksdb.InternalKeyComparator:leveldb.BytewiseComparator"),
        ("rocksdb.deleted.keys", &[7]),
        ("rocksdb.num.entries", &[0x80, 1]),
    ])
    .unwrap();
    assert_eq!(properties.num_entries, 128);
    assert_eq!(properties.num_deletions, 7);
    assert_eq!(properties.index_type().unwrap(), IndexType::TwoLevel);
    assert!(!properties.whole_key_filtering());
    assert_eq!(properties.user_comparator_name(), Some("leveldb.BytewiseComparator"));
    let others: Vec<_> = properties.user_collected_properties.keys().map(Vec::as_slice).collect();
    assert_eq!(
        others,
        [
            &b"mine"[..],
            b"rocksdb.block.based.table.index.type",
            b"rocksdb.block.based.table.whole.key.filtering",
            b"rocksdb.deleted.keys",
        ]
    );
}

#[test]
fn malformed_properties_are_corruption() {
    let message = |entries: &[(&str, &[u8])]| decode(entries).unwrap_err().message().to_owned();
    assert_eq!(message(&[("b", b""), ("a", b"")]), "properties unsorted");
    assert_eq!(
        message(&[("rocksdb.data.size", b"\x80")]),
        "property rocksdb.data.size is no number"
    );
    let properties = decode(&[("rocksdb.block.based.table.index.type", b"\x02")]).unwrap();
    assert!(properties.index_type().unwrap_err().is_corruption());
    let properties = decode(&[("rocksdb.block.based.table.index.type", &[9, 0, 0, 0])]).unwrap();
    assert_eq!(
        properties.index_type().unwrap_err().to_string(),
        "Not implemented: index of type 9"
    );
}

#[test]
fn global_sequence_numbers_come_from_the_file_or_the_manifest() {
    let ingested = |version: u8, sequence: u64| {
        decode(&[(SEQNO, &sequence.to_le_bytes()), (VERSION, &[version, 0, 0, 0])]).unwrap()
    };
    let plain = TableProperties::default();
    assert_eq!(plain.global_seqno(Some(5)).unwrap(), None);
    assert_eq!(ingested(2, 0).global_seqno(Some(5)).unwrap(), Some(5));
    assert_eq!(ingested(2, 5).global_seqno(Some(5)).unwrap(), Some(5));
    assert_eq!(ingested(2, 5).global_seqno(None).unwrap(), Some(5));
    assert_eq!(ingested(2, 0).global_seqno(None).unwrap(), Some(0));
    assert!(ingested(2, 5).global_seqno(Some(6)).unwrap_err().is_corruption());
    assert!(ingested(2, 1 << 60).global_seqno(None).unwrap_err().is_corruption());
    assert!(ingested(1, 5).global_seqno(Some(5)).unwrap_err().is_corruption());
    let first_version = decode(&[(VERSION, &[1, 0, 0, 0])]).unwrap();
    assert_eq!(first_version.global_seqno(Some(5)).unwrap(), None);
    let second_without = decode(&[(VERSION, &[2, 0, 0, 0])]).unwrap();
    assert_eq!(second_without.global_seqno(Some(5)).unwrap(), Some(5));
    let not_ingested = decode(&[(SEQNO, &[0; 8])]).unwrap();
    assert!(not_ingested.global_seqno(None).unwrap_err().is_corruption());
}

#[test]
fn the_global_sequence_number_is_found_in_its_block() {
    let block = with(&[(SEQNO, &[9, 8, 7, 6, 5, 4, 3, 2]), (VERSION, &[2, 0, 0, 0])]);
    let range = find_global_seqno(&block).unwrap().unwrap();
    assert_eq!(block[range], [9, 8, 7, 6, 5, 4, 3, 2]);
    assert_eq!(find_global_seqno(&with(&[(SEQNO, b"short")])).unwrap(), None);
    assert_eq!(find_global_seqno(&with(&[(VERSION, &[2, 0, 0, 0])])).unwrap(), None);
}

#[test]
fn fields_are_declared_once_and_in_no_others_place() {
    let mut names: Vec<_> = NUMBERS
        .iter()
        .map(|property| property.name)
        .chain(TEXTS.iter().map(|property| property.name))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    let mut properties = TableProperties::default();
    for (index, property) in NUMBERS.iter().enumerate() {
        *(property.get_mut)(&mut properties) = index as u64 + 1000;
    }
    for (index, property) in NUMBERS.iter().enumerate() {
        assert_eq!((property.get)(&properties), index as u64 + 1000, "{}", property.name);
    }
}

proptest! {
    #[test]
    fn properties_round_trip(
        numbers in prop::collection::vec(any::<u64>(), NUMBERS.len()),
        texts in prop::collection::vec("[a-z]{0,9}", TEXTS.len()),
        seqno_to_time_mapping: Vec<u8>,
        mut user_collected_properties: BTreeMap<Vec<u8>, Vec<u8>>,
        is_set: u64,
    ) {
        let mut properties = TableProperties { seqno_to_time_mapping, ..Default::default() };
        for (index, (property, &number)) in NUMBERS.iter().zip(&numbers).enumerate() {
            if is_set >> (index % 64) & 1 == 1 {
                *(property.get_mut)(&mut properties) = number;
            }
        }
        for (property, text) in TEXTS.iter().zip(texts) {
            *(property.get_mut)(&mut properties) = text;
        }
        for (name, number) in ALSO_USER_COLLECTED
            .into_iter()
            .zip([properties.num_deletions, properties.num_merge_operands])
        {
            let mut encoded = Vec::new();
            put_varint64(&mut encoded, number);
            user_collected_properties.insert(name.into(), encoded);
        }
        properties.user_collected_properties = user_collected_properties;
        prop_assert_eq!(TableProperties::decode(&properties.encode()).unwrap(), properties);
    }
}
