//! Tables of all shapes: written, read back, and read by RocksDB 7.8.3.

use crate::block_based::TableTail;
use crate::block_based::tests::lookups::{check_gets, check_seeks};
use crate::block_based::tests::total_order;
use crate::filter::FilterPolicy;
use crate::index::IndexType;
use crate::table_builder_options::{IndexShortening, TableBuilderOptions};
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, backward, build_table, forward, open};
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key};
use base::slice_transform::FixedPrefix;
use base::{ChecksumType, InternalKey, Result, SliceTransform, ValueType};
use compression::{CompressionOptions, CompressionType};
use std::sync::Arc;
use testing::{parallel, peer};

/// Entries with versions of one key next to each other, deletions, and long shared prefixes.
pub(super) fn entries(count: u32) -> Pairs {
    let entry = |number: u32| {
        let user_key = format!("key{:05}", number / 3 * 7);
        let sequence = u64::from(1000 - number % 3);
        let value_type = if number % 13 == 5 { ValueType::Deletion } else { ValueType::Value };
        let key = InternalKey::new(user_key.as_bytes(), sequence, value_type);
        let value = match value_type {
            ValueType::Value => format!("value {} of {number:020}", number % 50).into_bytes(),
            _ => Vec::new(),
        };
        (key.as_bytes().to_vec(), value)
    };
    (0..count).map(entry).collect()
}

/// Takes one of several choices after another.
struct Digits(usize);

impl Digits {
    fn take<T: Copy>(&mut self, choices: &[T]) -> T {
        let choice = choices[self.0 % choices.len()];
        self.0 /= choices.len();
        choice
    }
}

const FORMAT_VERSIONS: [u32; 6] = [2, 3, 4, 5, 6, 7];
const INDEX_TYPES: [IndexType; 4] = [
    IndexType::BinarySearch,
    IndexType::HashSearch,
    IndexType::TwoLevel,
    IndexType::BinarySearchWithFirstKey,
];
const COMPRESSIONS: [CompressionType; 7] = [
    CompressionType::None,
    CompressionType::Snappy,
    CompressionType::Zlib,
    CompressionType::Bzip2,
    CompressionType::Lz4,
    CompressionType::Lz4hc,
    CompressionType::Zstd,
];
const FILTERS: [Option<FilterPolicy>; 3] = [
    None,
    Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
    Some(FilterPolicy::Ribbon { bloom_equivalent_bits_per_key: 10.0, bloom_before_level: -1 }),
];
/// Size of the dictionary, and of what it is trained on.
const DICTIONARIES: [(u32, u32); 3] = [(0, 0), (1024, 0), (512, 8192)];

/// The options of a number. Numbers from 0 up to [`SHAPES_COUNT`] go through all pairs of format
/// version, checksum and index type, with ever other choices for the rest.
pub(super) fn shape(number: usize) -> TableBuilderOptions {
    let mut first = Digits(number);
    let format_version = first.take(&FORMAT_VERSIONS);
    let checksum = first.take(&ChecksumType::ALL);
    let index_type = first.take(&INDEX_TYPES);
    // A step that has no factor in common with the number of choices.
    let mut rest = Digits(number.wrapping_mul(10_007));
    let compression = rest.take(&COMPRESSIONS);
    let (max_dict_bytes, zstd_max_train_bytes) = rest.take(&DICTIONARIES);
    let has_prefix = rest.take(&[false, true]) || index_type == IndexType::HashSearch;
    let extractor: Arc<dyn SliceTransform> = Arc::new(FixedPrefix::new(6));
    TableBuilderOptions {
        format_version,
        checksum,
        index_type,
        compression,
        compression_options: CompressionOptions {
            max_dict_bytes,
            zstd_max_train_bytes,
            max_dict_buffer_bytes: rest.take(&[0, 4000]),
            ..Default::default()
        },
        filter_policy: rest.take(&FILTERS),
        partition_filters: rest.take(&[true, false]),
        decouple_partitioned_filters: rest.take(&[true, false]),
        whole_key_filtering: rest.take(&[true, false]),
        prefix_extractor: has_prefix.then_some(extractor),
        data_block_hash_table_util_ratio: rest.take(&[None, Some(0.75)]),
        use_delta_encoding: rest.take(&[true, true, false]),
        block_size: rest.take(&[256, 1024]),
        block_restart_interval: rest.take(&[16, 1, 3]),
        index_block_restart_interval: rest.take(&[1, 4]),
        index_shortening: rest.take(&[
            IndexShortening::Separators,
            IndexShortening::None,
            IndexShortening::SeparatorsAndSuccessor,
        ]),
        enable_index_compression: rest.take(&[true, false]),
        metadata_block_size: rest.take(&[128, 512]),
        block_align: compression == CompressionType::None && rest.take(&[false, true]),
        super_block_alignment_size: rest.take(&[0, 2048]),
        super_block_alignment_space_overhead_ratio: 4,
        verify_compression: rest.take(&[false, true]),
        separate_key_value_in_data_block: format_version > 5 && rest.take(&[false, true]),
        db_id: "db".to_owned(),
        db_session_id: "ABCDEFGHIJ0123456789".to_owned(),
        file_number: number as u64 + 1,
        ..Default::default()
    }
}

pub(super) const SHAPES_COUNT: usize = 6 * 5 * 4 * 4;

fn check(options: &TableBuilderOptions, pairs: &Pairs) -> Result<()> {
    let (bytes, finished) = build_table(options, pairs)?;
    assert_eq!(finished.file_size, bytes.len() as u64);
    let tail = TableTail::read(&BytesFile(bytes.clone()), finished.file_size)?;
    assert_eq!(tail.properties.as_ref(), Some(&finished.properties));
    assert_eq!(finished.tail_size, finished.file_size - finished.properties.tail_start_offset);
    let table_options =
        TableOptions { prefix_extractor: options.prefix_extractor.clone(), ..Default::default() };
    let table = open(bytes, &table_options)?;
    assert_eq!(&forward(&mut table.new_iterator(&total_order()))?, pairs);
    assert_eq!(&backward(&mut table.new_iterator(&total_order()))?, pairs);
    check_seeks(&table, "table")?;
    check_gets(&table, pairs, "table")?;
    table.verify_checksum(&total_order())?;
    let mut absent_matches = 0;
    for (key, _) in pairs.iter().step_by(7) {
        assert!(table.prefix_may_match(&total_order(), key)?);
        let absent = [extract_user_key(key), b"x"].concat();
        let absent = InternalKey::for_seek(&absent, MAX_SEQUENCE_NUMBER);
        absent_matches += usize::from(table.key_may_match(&total_order(), absent.as_bytes())?);
    }
    let has_filter = tail.metaindex.filter().is_some();
    assert_eq!(
        has_filter,
        options.filter_policy.is_some() && finished.properties.num_filter_entries > 0
    );
    if has_filter && options.whole_key_filtering {
        assert!(absent_matches < pairs.len() / 7 / 5, "{absent_matches}");
    }
    Ok(())
}

#[test]
fn all_shapes_read_back() {
    let pairs = entries(400);
    let numbers: Vec<_> = (0..SHAPES_COUNT).collect();
    parallel::for_each(&numbers, |&number| {
        let options = shape(number);
        check(&options, &pairs).map_err(|status| status.context(format!("{options:?}")))
    });
}

#[test]
fn rocksdb_reads_them_all() {
    let Some(sst_dump) = peer::find("sst_dump") else { return };
    let directory = tempfile::tempdir().unwrap();
    let pairs = entries(200);
    let mut count = 0;
    for number in (0..SHAPES_COUNT).filter(|&number| shape(number).format_version <= 5) {
        let (bytes, _) = build_table(&shape(number), &pairs).unwrap();
        std::fs::write(directory.path().join(format!("{number:06}.sst")), bytes).unwrap();
        count += 1;
    }
    assert!(count > 300);
    let file = format!("--file={}", directory.path().display());
    let output = sst_dump.run(&[&file, "--command=verify"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("The file is ok").count(), count, "{text}");
    let output = sst_dump.run(&[&file, "--command=scan", "--verify_checksum"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches(" => ").count(), count * pairs.len(), "{text}");
    for (key, value) in pairs.iter().step_by(19) {
        let user_key = String::from_utf8_lossy(extract_user_key(key));
        let line = format!("=> {}\n", String::from_utf8_lossy(value));
        let found = text.lines().filter(|found| found.contains(&*user_key));
        assert!(found.clone().any(|found| line.contains(found.rsplit("=> ").next().unwrap())));
    }
}
