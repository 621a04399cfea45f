use super::*;
use crate::test_environment::{
    COLUMN_FAMILY_ID, TestEnvironment, parse_entry, type_name, vec_iterator,
};
use base::compaction_filter::{CompactionFilter, Decision, FilterValue};
use base::comparator::U64TimestampComparator;
use base::{InternalKey, ParsedInternalKey, RangeTombstone};
use blob::BlobReference;
use compression::CompressionType;
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use table::ReadOptions;
use testing::random::Random;
use version::FileMetaData;

fn options(environment: &TestEnvironment) -> BuildTableOptions {
    BuildTableOptions {
        tables: OutputTableOptions {
            builder: environment.builder_options(),
            use_fsync: false,
            paranoid_file_checks: true,
            now_seconds: 1_700_000_000,
        },
        blob_files: None,
        column_family_id: COLUMN_FAMILY_ID,
        merge_operator: base::merge_operator::builtin("stringappend"),
        enforce_single_del_contracts: true,
        cancellation: Cancellation::default(),
    }
}

/// Memtables, newest first, each of words for [`parse_entry`].
fn input(environment: &TestEnvironment, memtables: &[&str], snapshots: &[u64]) -> BuildTableInput {
    let comparator = &environment.comparator;
    let mut input = BuildTableInput {
        iterators: Vec::new(),
        slices: None,
        range_tombstones: Vec::new(),
        expected_entries: Some(0),
        snapshots: SnapshotRules::new(snapshots.to_vec()),
        compaction_filter: None,
        full_history_ts_low: None,
        epoch_number: 7,
        oldest_ancester_time: 1_600_000_000,
        oldest_key_time: 0,
        times: SeqnoToTimeMapping::default(),
        hint: OutputFileHint::default(),
    };
    for memtable in memtables {
        let (tombstones, entries): (Vec<_>, Vec<_>) = memtable
            .split_whitespace()
            .map(parse_entry)
            .partition(|(key, _)| key.trailer() as u8 == ValueType::RangeDeletion as u8);
        let tombstones = tombstones.into_iter().map(|(key, end_key)| RangeTombstone {
            start_key: key.user_key().to_vec(),
            end_key,
            sequence: key.trailer() >> 8,
        });
        let list = FragmentedRangeTombstoneList::new(tombstones.collect(), comparator);
        input.range_tombstones.push(Arc::new(list));
        *input.expected_entries.as_mut().unwrap() += entries.len() as u64;
        input.iterators.push(Box::new(vec_iterator(comparator, &entries)));
    }
    input
}

/// The entries of a table and its range tombstones.
fn content(environment: &TestEnvironment, output: &OutputFile) -> String {
    let table = environment.open_table(&output.metadata, output.level).unwrap();
    let mut iterator = table.new_iterator(&ReadOptions::default());
    let mut words = Vec::new();
    iterator.seek_to_first().unwrap();
    while iterator.valid() {
        let key = ParsedInternalKey::parse(iterator.key()).unwrap();
        words.push(format!(
            "{}@{}:{}={}",
            key.user_key.escape_ascii(),
            key.sequence,
            type_name(key.value_type),
            iterator.value().escape_ascii()
        ));
        iterator.next().unwrap();
    }
    for fragment in table.range_tombstones().iter().flat_map(|list| list.fragments()) {
        for tombstone in &fragment.tombstones {
            let (start, end) = (fragment.start_key.escape_ascii(), fragment.end_key.escape_ascii());
            words.push(format!("{start}@{}:RANGEDEL={end}", tombstone.sequence));
        }
    }
    words.join(" ")
}

#[test]
fn a_flush_writes_what_snapshots_need_and_says_what_it_wrote() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let memtables = ["b@9:SET=new a@8:DEL d@7:MERGE=2", "b@4:SET=old b@3:SET=older d@2:MERGE=1"];
    let input = input(&environment, &memtables, &[3]);
    let built = build_table(&environment, &options(&environment), input).unwrap();
    let output = built.table.as_ref().unwrap();
    let expected = "a@8:DEL= b@9:SET=new b@3:SET=older d@7:MERGE=2 d@2:MERGE=1";
    assert_eq!(content(&environment, output), expected);
    let metadata = &output.metadata;
    assert_eq!(metadata.smallest, InternalKey::new(b"a", 8, ValueType::Deletion));
    assert_eq!(metadata.largest, InternalKey::new(b"d", 2, ValueType::Merge));
    assert_eq!((metadata.smallest_seqno, metadata.largest_seqno), (2, 9));
    assert_eq!((metadata.epoch_number, metadata.oldest_ancester_time), (7, 1_600_000_000));
    assert_eq!(metadata.file_creation_time, 1_700_000_000);
    assert!(metadata.tail_size > 0 && metadata.unique_id.is_some());
    assert_eq!(metadata.file_checksum, Some(version::FileChecksum::default()));
    assert_eq!(built.stats.dropped_hidden, 1);
    let mut edit = VersionEdit::default();
    built.add_to(&mut edit);
    assert_eq!(edit.new_files[0].file, *metadata);
    assert_eq!(environment.file_names(), ["000010.sst"]);
}

#[test]
fn range_tombstones_widen_the_file_and_hide_entries() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let memtables = ["b@9:SET=x c@3:SET=hidden a@5:RANGEDEL=z"];
    let input = input(&environment, &memtables, &[]);
    let built = build_table(&environment, &options(&environment), input).unwrap();
    let output = built.table.unwrap();
    assert_eq!(content(&environment, &output), "b@9:SET=x a@5:RANGEDEL=z");
    assert_eq!(output.metadata.smallest, InternalKey::new(b"a", 5, ValueType::RangeDeletion));
    assert!(output.metadata.largest.is_range_tombstone_sentinel());
    assert_eq!(output.metadata.largest.user_key(), b"z");
    assert_eq!((output.metadata.smallest_seqno, output.metadata.largest_seqno), (5, 9));
    assert_eq!(built.stats.dropped_by_range_deletion, 1);
}

#[test]
fn a_flush_of_range_tombstones_alone_makes_a_table() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let input = input(&environment, &["a@5:RANGEDEL=m c@8:RANGEDEL=f"], &[6]);
    let built = build_table(&environment, &options(&environment), input).unwrap();
    let expected = "a@5:RANGEDEL=c c@8:RANGEDEL=f c@5:RANGEDEL=f f@5:RANGEDEL=m";
    assert_eq!(content(&environment, &built.table.unwrap()), expected);
}

#[test]
fn nothing_left_makes_no_file() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let input = input(&environment, &["a@5:SINGLEDEL a@4:SET=x"], &[]);
    let built = build_table(&environment, &options(&environment), input).unwrap();
    assert!(built.table.is_none());
    assert_eq!(environment.file_names(), Vec::<String>::new());
}

#[test]
fn large_values_go_to_blob_files() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let mut options = options(&environment);
    let blob_files = BlobFileOptions { min_blob_size: 5, blob_file_size: 1, ..Default::default() };
    options.blob_files = Some(blob_files);
    let input = input(&environment, &["a@5:SET=large b@6:SET=tiny c@7:SET=larger"], &[]);
    let built = build_table(&environment, &options, input).unwrap();
    let output = built.table.as_ref().unwrap();
    assert_eq!(output.metadata.oldest_blob_file_number, Some(10));
    let numbers: Vec<_> = built.blob_files.iter().map(|file| file.number).collect();
    assert_eq!(numbers, [10, 12]);
    assert_eq!(built.blob_files[1].total_blob_bytes, 32 + 1 + 6);
    let table = environment.open_table(&output.metadata, 0).unwrap();
    let mut iterator = table.new_iterator(&ReadOptions::default());
    iterator.seek(InternalKey::for_seek(b"c", 100).as_bytes()).unwrap();
    let reference = BlobReference::decode(iterator.value()).unwrap();
    assert_eq!(&*environment.read_blob(b"c", &reference).unwrap(), b"larger");
}

#[test]
fn timed_puts_become_plain_values() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let input = input(&environment, &["a@5:TIMED=value12345678"], &[]);
    let built = build_table(&environment, &options(&environment), input).unwrap();
    assert_eq!(content(&environment, &built.table.unwrap()), "a@5:SET=value");
}

#[test]
fn timestamps_that_are_not_kept_make_no_versions() {
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let environment = TestEnvironment::new(comparator);
    let mut options = options(&environment);
    options.tables.builder.user_defined_timestamps_persisted = false;
    let memtable = "a\x02\0\0\0\0\0\0\0@6:SET=2 a\x01\0\0\0\0\0\0\0@5:SET=1";
    let mut input = input(&environment, &[memtable], &[]);
    // Of keys that go to the table otherwise than they are in memtables there are no slices.
    let (asked, border) = (Arc::default(), b"a\x01\0\0\0\0\0\0\0".to_vec());
    input.slices =
        Some(slices(&environment.comparator, &[memtable.to_owned()], vec![border], &asked));
    let built = build_table(&environment, &options, input).unwrap();
    let output = built.table.unwrap();
    assert!(!output.metadata.user_defined_timestamps_persisted);
    let zeros = "\\x00".repeat(8);
    assert_eq!(content(&environment, &output), format!("a{zeros}@6:SET=2"));
    let key = InternalKey::new(b"a\0\0\0\0\0\0\0\0", 6, ValueType::Value);
    assert_eq!((&output.metadata.smallest, &output.metadata.largest), (&key, &key));
}

#[test]
fn a_failed_flush_leaves_no_file() {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let mut input = input(&environment, &["a@5:SET=x"], &[]);
    input.expected_entries = Some(2);
    let status = build_table(&environment, &options(&environment), input).unwrap_err();
    assert!(status.message().contains("expected 2, found 1"), "{status}");
    assert_eq!(environment.file_names(), Vec::<String>::new());
    assert_eq!(*environment.discarded.lock().unwrap(), [10]);
}

/// The file that a flush makes of many values, and what other threads took for it.
fn flushed(compression: CompressionType, parallel_threads: u32) -> (Vec<u8>, u64) {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let mut options = options(&environment);
    let builder = &mut options.tables.builder;
    builder.compression = compression;
    builder.compression_options.parallel_threads = parallel_threads;
    let word = |number: u32| {
        let hash = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("key{number:06}@{}:SET={}", number + 1, format!("{hash:x}").repeat(4))
    };
    let memtable: Vec<_> = (0..20_000).map(word).collect();
    let input = input(&environment, &[&memtable.join(" ")], &[]);
    let built = build_table(&environment, &options, input).unwrap();
    let number = built.table.unwrap().metadata.number;
    let path = environment.directory.join(format!("{number:06}.sst"));
    let bytes = env::read_file_to_vec(&*environment.file_system, &path, 4 << 20).unwrap();
    (bytes, built.other_cpu_micros)
}

#[test]
fn a_table_is_the_same_however_many_threads_compress_it() {
    for compression in [CompressionType::Lz4, CompressionType::Zstd] {
        let (alone, other_micros) = flushed(compression, 1);
        assert_eq!(other_micros, 0);
        for threads in [2, 3] {
            let (helped, other_micros) = flushed(compression, threads);
            assert!(helped == alone, "{compression:?}, {threads} threads");
            assert!(other_micros > 0, "{compression:?}, {threads} threads");
        }
    }
}

/// Keeps all there is, and by that has every entry looked at.
#[derive(Debug)]
struct KeepsAll;

impl CompactionFilter for KeepsAll {
    fn name(&self) -> &str {
        "KeepsAll"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], _value: FilterValue<'_>) -> Decision {
        Decision::Keep
    }
}

/// Two memtables by numbers: of each the key, and what was done to it.
fn memtables(operations: &[(u8, u8)]) -> [String; 2] {
    let mut memtables = [Vec::new(), Vec::new()];
    for (sequence, (key, what)) in (1..).zip(operations) {
        let (name, value) = match what {
            0..12 => ("SET", format!("value{sequence}").repeat(3)),
            12..18 => ("MERGE", format!("operand{sequence}")),
            _ => ("DEL", String::new()),
        };
        // Newer entries are in newer memtables.
        let is_old = sequence < operations.len() / 2;
        memtables[usize::from(is_old)].push((key, std::cmp::Reverse(sequence), name, value));
    }
    memtables.map(|mut entries| {
        entries.sort();
        let word = |(key, sequence, name, value): (&u8, std::cmp::Reverse<usize>, _, String)| {
            format!("key{key:03}@{}:{name}={value}", sequence.0)
        };
        entries.into_iter().map(word).collect::<Vec<_>>().join(" ")
    })
}

proptest! {
    /// Values and lone operands go to open blocks together where nothing has a say in them.
    #[test]
    fn a_flush_makes_the_same_table_of_entries_together_and_one_by_one(
        operations in prop::collection::vec((0..60_u8, 0..20_u8), 1..300),
        snapshots in prop::collection::btree_set(1..300_u64, 0..3),
    ) {
        let snapshots: Vec<u64> = snapshots.into_iter().collect();
        let memtables = memtables(&operations);
        let memtables = memtables.each_ref().map(String::as_str);
        let tables = [false, true].map(|is_filtered| {
            let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
            let mut options = options(&environment);
            options.tables.paranoid_file_checks = false;
            options.tables.builder.block_size = 200;
            let mut input = input(&environment, &memtables, &snapshots);
            input.compaction_filter = is_filtered.then(|| Box::new(KeepsAll) as _);
            let built = build_table(&environment, &options, input).unwrap();
            let number = built.table.unwrap().metadata.number;
            let path = environment.directory.join(format!("{number:06}.sst"));
            env::read_file_to_vec(&*environment.file_system, &path, 4 << 20).unwrap()
        });
        prop_assert!(tables[0] == tables[1]);
    }
}

/// One thread helps each job.
#[derive(Debug)]
struct OneHelper;

impl crate::compaction_job::Helpers for OneHelper {
    fn engage(&self) -> Option<Box<dyn Send>> {
        Some(Box::new(()))
    }
}

/// The words of a memtable with entries of many kinds, of which each key has some; with timestamps, of those that there
/// are then.
fn history(seed: u64, has_timestamps: bool) -> String {
    let mut random = Random::new(seed);
    let kinds: &[&str] = match has_timestamps {
        true => &["SET", "SET", "DELTS"],
        false => &["SET", "SET", "SET", "MERGE", "DEL", "SINGLEDEL"],
    };
    let mut words = Vec::new();
    for sequence in seed * 2_000 + 1..=seed * 2_000 + 2_000 {
        let (kind, number) = (random.choose(kinds), random.below(500));
        let value = if kind.contains("DEL") { String::new() } else { format!("=v{sequence}") };
        let timestamp = if has_timestamps { timestamp(sequence / 7) } else { String::new() };
        words.push(format!("key{number:03}{timestamp}@{sequence}:{kind}{value}"));
    }
    if !has_timestamps {
        words.push(format!("key100@{}:RANGEDEL=key150", 1_000 + seed * 2_000));
    }
    words.join(" ")
}

/// One that can be read, and is newer where the number is larger.
fn timestamp(number: u64) -> String {
    format!("{number:08}").chars().rev().collect()
}

/// Memtables of such words, divided at `starts`. Sets `asked` once it is asked where.
fn slices(
    comparator: &InternalKeyComparator,
    memtables: &[String],
    starts: Vec<Vec<u8>>,
    asked: &Arc<AtomicBool>,
) -> MemTableSlices {
    let (comparator, asked) = (comparator.clone(), asked.clone());
    let is_point =
        |(key, _): &(InternalKey, _)| key.trailer() as u8 != ValueType::RangeDeletion as u8;
    let points = |words: &String| -> Vec<_> {
        words.split_whitespace().map(parse_entry).filter(is_point).collect()
    };
    let entries: Vec<Vec<_>> = memtables.iter().map(points).collect();
    MemTableSlices {
        new_starts: Box::new(move || {
            asked.store(true, Ordering::Relaxed);
            starts
        }),
        new_iterators: Box::new(move || {
            let cursor = |entries: &Vec<_>| {
                Box::new(vec_iterator(&comparator, entries)) as Box<dyn InternalIterator>
            };
            entries.iter().map(cursor).collect()
        }),
        helpers: Arc::new(OneHelper),
    }
}

/// The file that a flush makes of such memtables, and what it says of it.
fn flushed_history(
    memtables: &[String],
    has_timestamps: bool,
    starts: Option<Vec<Vec<u8>>>,
) -> (Vec<u8>, IterationStats, Option<FileMetaData>) {
    let comparator = match has_timestamps {
        true => InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE)),
        false => InternalKeyComparator::bytewise(),
    };
    let environment = TestEnvironment::new(comparator.clone());
    let words: Vec<&str> = memtables.iter().map(String::as_str).collect();
    let mut input = input(&environment, &words, &[300, 2_500]);
    let (asked, is_divided) = (Arc::<AtomicBool>::default(), starts.is_some());
    input.slices = starts.map(|starts| slices(&comparator, memtables, starts, &asked));
    input.full_history_ts_low = has_timestamps.then(|| timestamp(400).into_bytes());
    let mut options = options(&environment);
    // Single deletions and deletions of one key are mixed here.
    options.enforce_single_del_contracts = false;
    let built = build_table(&environment, &options, input).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), is_divided && FastPath::FlushSlices.is_on());
    let [name] = &environment.file_names()[..] else { panic!("one file is made") };
    let path = environment.directory.join(name);
    let bytes =
        env::file_util::read_file_to_vec(&*environment.file_system, &path, 1 << 20).unwrap();
    (bytes, built.stats, built.table.map(|table| table.metadata))
}

#[test]
fn memtables_in_slices_become_the_same_file() {
    for has_timestamps in [false, true] {
        let memtables = [1, 0].map(|seed| history(seed, has_timestamps));
        // Among the versions of the key.
        let timestamp = if has_timestamps { timestamp(300) } else { String::new() };
        let key = |number| format!("key{number:03}{timestamp}").into_bytes();
        let expected = flushed_history(&memtables, has_timestamps, None);
        for starts in [vec![key(120)], (0..500).step_by(7).map(key).collect()] {
            let count = starts.len();
            let found = flushed_history(&memtables, has_timestamps, Some(starts));
            assert!(found == expected, "{count} borders, timestamps: {has_timestamps}");
        }
    }
}
