//! What the builder does beyond entries: sizes, range tombstones, timestamps, checksums, errors.

use crate::block_based::tests::total_order;
use crate::block_based::{BlockBasedTableBuilder, TableTail};
use crate::filter::FilterPolicy;
use crate::index::IndexType;
use crate::properties::names;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, build_table, forward, open};
use base::comparator::U64TimestampComparator;
use base::file_checksum::FileChecksumGenCrc32cFactory;
use base::{InternalKey, InternalKeyComparator, ValueType, crc32c};
use compression::{CompressionOptions, CompressionType};
use env::fault_injection_fs::FaultError;
use env::{FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem};
use std::path::Path;
use std::sync::Arc;

fn key(user_key: &str, sequence: u64, value_type: ValueType) -> Vec<u8> {
    InternalKey::new(user_key.as_bytes(), sequence, value_type).as_bytes().to_vec()
}

fn values(count: u32) -> Pairs {
    (0..count)
        .map(|number| {
            let value = format!("{:x}", u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            (key(&format!("key{number:06}"), 9, ValueType::Value), value.repeat(6).into_bytes())
        })
        .collect()
}

fn in_memory() -> Box<dyn env::WritableFile> {
    MemFileSystem::new().new_writable_file(Path::new("/1.sst"), &FileOptions::default()).unwrap()
}

#[test]
fn sizes_are_estimated_well() {
    let filters = [None, Some(FilterPolicy::Bloom { bits_per_key: 10.0 })];
    let compressions = [CompressionType::None, CompressionType::Lz4];
    let index_types = [IndexType::BinarySearch, IndexType::TwoLevel];
    for number in 0..16 {
        let options = TableBuilderOptions {
            filter_policy: filters[number % 2],
            compression: compressions[number / 2 % 2],
            index_type: index_types[number / 4 % 2],
            partition_filters: number / 8 == 1,
            ..Default::default()
        };
        let mut builder = BlockBasedTableBuilder::new(&options, in_memory()).unwrap();
        assert!(builder.is_empty());
        let mut last_size = 0;
        for (key, value) in values(20_000) {
            builder.add(&key, &value).unwrap();
            assert!(builder.estimated_file_size() >= last_size);
            last_size = builder.estimated_file_size();
        }
        assert_eq!(builder.num_entries(), 20_000);
        let tail_estimate = builder.estimated_tail_size();
        let finished = builder.finish().unwrap();
        // All but the last block.
        let data_size = finished.properties.data_size;
        assert!(last_size <= data_size && data_size - last_size < 6000, "{last_size} {data_size}");
        assert!(finished.tail_size <= tail_estimate, "{options:?}");
        assert!(tail_estimate < finished.tail_size * 3 / 2 + 16_000, "{options:?}");
        assert!(finished.pre_compression_size >= data_size);
        if options.compression == CompressionType::None {
            assert_eq!(finished.pre_compression_size, data_size);
        }
    }
}

#[test]
fn an_empty_table_is_a_table() {
    for index_type in [IndexType::BinarySearch, IndexType::TwoLevel] {
        let filter_policy = Some(FilterPolicy::Bloom { bits_per_key: 10.0 });
        let options = TableBuilderOptions {
            index_type,
            partition_filters: true,
            filter_policy,
            compression: CompressionType::Zstd,
            compression_options: CompressionOptions { max_dict_bytes: 100, ..Default::default() },
            ..Default::default()
        };
        let (bytes, finished) = build_table(&options, &[]).unwrap();
        assert_eq!(finished.properties.num_entries, 0);
        let table = open(bytes, &TableOptions::default()).unwrap();
        assert!(forward(&mut table.new_iterator(&total_order())).unwrap().is_empty());
    }
}

#[test]
fn range_tombstones_are_kept_apart() {
    let mut entries = values(10);
    entries.push((key("a", 5, ValueType::RangeDeletion), b"c".to_vec()));
    entries.push((key("a", 3, ValueType::RangeDeletion), b"b".to_vec()));
    let (bytes, finished) = build_table(&TableBuilderOptions::default(), &entries).unwrap();
    let properties = &finished.properties;
    assert_eq!((properties.num_entries, properties.num_range_deletions), (12, 2));
    assert_eq!((properties.num_deletions, properties.key_smallest_seqno), (2, 3));
    let table = open(bytes, &TableOptions::default()).unwrap();
    let found = table.range_tombstones().unwrap();
    assert_eq!(found.tombstone_count(), 2);
    let covering = |user_key: &str| found.max_covering_sequence(user_key.as_bytes(), 100, None);
    assert_eq!([covering("a"), covering("bb"), covering("c")], [5, 5, 0]);
    assert_eq!(forward(&mut table.new_iterator(&total_order())).unwrap(), entries[..10]);
}

#[test]
fn timestamps_are_collected_or_stripped() {
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let entries: Pairs = (0..2000u64)
        .map(|number| {
            let mut user_key = format!("key{:06}", number / 2).into_bytes();
            user_key.extend_from_slice(&(20 - number % 2 * 10).to_le_bytes());
            let key = InternalKey::new(&user_key, 5000 - number, ValueType::Value);
            (key.as_bytes().to_vec(), b"value".to_vec())
        })
        .collect();
    let options = TableBuilderOptions {
        comparator,
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..Default::default()
    };
    let (bytes, finished) = build_table(&options, &entries).unwrap();
    for (name, expected) in [(names::TIMESTAMP_MIN, 10u64), (names::TIMESTAMP_MAX, 20)] {
        let expected = expected.to_le_bytes();
        assert_eq!(finished.properties.user_collected(name), Some(&expected[..]));
    }
    let table = open(bytes, &TableOptions::default()).unwrap();
    assert_eq!(forward(&mut table.new_iterator(&total_order())).unwrap(), entries);

    for index_type in [IndexType::BinarySearchWithFirstKey, IndexType::TwoLevel] {
        let options = TableBuilderOptions {
            index_type,
            partition_filters: true,
            user_defined_timestamps_persisted: false,
            compression: CompressionType::Zstd,
            compression_options: CompressionOptions { max_dict_bytes: 900, ..Default::default() },
            ..options.clone()
        };
        let (bytes, finished) = build_table(&options, &entries).unwrap();
        assert_eq!(finished.properties.raw_key_size, 2000 * (9 + 8));
        assert_eq!(finished.properties.user_collected(names::TIMESTAMP_MIN), None);
        let table = open(bytes, &TableOptions::default()).unwrap();
        let found = forward(&mut table.new_iterator(&total_order())).unwrap();
        assert_eq!(found.len(), entries.len());
        for ((found, _), (expected, _)) in found.iter().zip(&entries) {
            assert_eq!((&found[..9], &found[9..17]), (&expected[..9], &[0; 8][..]));
            assert_eq!(found[17..], expected[17..]);
        }
    }
}

#[test]
fn the_checksum_of_the_file_is_that_of_its_bytes() {
    let options = TableBuilderOptions {
        file_checksum_gen_factory: Some(Arc::new(FileChecksumGenCrc32cFactory)),
        block_align: true,
        ..Default::default()
    };
    let (bytes, finished) = build_table(&options, &values(500)).unwrap();
    let expected = crc32c::value(&bytes).to_be_bytes().to_vec();
    assert_eq!(finished.file_checksum, Some(("FileChecksumCrc32c".to_owned(), expected)));
}

#[test]
fn the_same_table_has_the_same_bytes() {
    let options = TableBuilderOptions {
        format_version: 7,
        db_session_id: "ABCDEFGHIJ0123456789".to_owned(),
        file_number: 12,
        ..Default::default()
    };
    let build = |options: &TableBuilderOptions| build_table(options, &values(50)).unwrap().0;
    assert_eq!(build(&options), build(&options));
    let base = |bytes: Vec<u8>| {
        let size = bytes.len() as u64;
        TableTail::read(&BytesFile(bytes), size).unwrap().footer.base_context_checksum
    };
    let other = TableBuilderOptions { file_number: 13, ..options.clone() };
    assert_ne!(base(build(&options)), base(build(&other)));
}

#[test]
fn bad_keys_are_refused_and_stay_so() {
    let bad = [
        b"short".to_vec(),
        key("k", 1, ValueType::LogData),
        key("k", 1, ValueType::ColumnFamilyValue),
        [b"k".to_vec(), vec![0x7f; 8]].concat(),
    ];
    for bad in bad {
        let mut builder =
            BlockBasedTableBuilder::new(&TableBuilderOptions::default(), in_memory()).unwrap();
        builder.add(&key("a", 1, ValueType::Value), b"").unwrap();
        let error = builder.add(&bad, b"").unwrap_err().to_string();
        let again = builder.add(&key("z", 1, ValueType::Value), b"").unwrap_err();
        assert_eq!(again.to_string(), error);
        assert_eq!(builder.finish().unwrap_err().to_string(), error);
    }
}

#[test]
fn an_error_of_the_file_comes_out_at_the_end() {
    let entries = values(3000);
    let fs = FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new()));
    let build = |name: &str| -> base::Result<()> {
        let file = fs.new_writable_file(Path::new(name), &FileOptions::default())?;
        let mut builder = BlockBasedTableBuilder::new(&TableBuilderOptions::default(), file)?;
        for (key, value) in &entries {
            builder.add(key, value)?;
        }
        builder.finish().map(drop)
    };
    build("/1.sst").unwrap();
    fs.plan().fail_operation(20, FaultError::Io);
    assert!(build("/2.sst").is_err());
}
