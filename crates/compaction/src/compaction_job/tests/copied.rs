//! Data blocks that go from inputs to outputs as they are stored.

use super::*;
use base::dbformat::extract_user_key;
use base::flush_block_policy::{FlushBlockContext, FlushBlockRequest};
use base::sst_partitioner::SstPartitionerFixedPrefixFactory;
use base::table_properties_collector::CompactOnDeletionCollectorFactory;
use base::{ChecksumType, FlushBlockPolicy, FlushBlockPolicyFactory, InternalIterator};
use env::{FileSystem, PosixFileSystem};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{FilterPolicy, IndexType, ReadOptions, TableBuilderOptions, TableProperties};
use testing::peer;

/// A compaction of files of L0 and L1 to L1.
#[derive(Clone, Debug)]
struct Setup {
    files: Vec<(u32, Vec<Entry>)>,
    snapshots: Vec<u64>,
    /// Of the tables that go in.
    source: TableBuilderOptions,
    /// Of those that come out.
    output: TableBuilderOptions,
    is_bottommost: bool,
    max_output_file_size: u64,
    grandparents: Vec<(Vec<u8>, Vec<u8>)>,
    boundaries: Vec<Vec<u8>>,
    is_read_back: bool,
    copies_blocks: bool,
    /// What else of the job's options is different.
    change: fn(&mut CompactionJobOptions),
}

fn user_key(number: u64) -> Vec<u8> {
    format!("key{number:06}").into_bytes()
}

/// A value that can be compressed, but not to nothing.
fn value(number: u64) -> Vec<u8> {
    let word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{word:016x}-{}", "value ".repeat(3 + (word >> 60) as usize)).into_bytes()
}

/// A value for each number; those of higher sequences are other ones.
fn values(numbers: impl Iterator<Item = u64>, first_sequence: u64) -> Vec<Entry> {
    let entry = |(sequence, number)| {
        let key = InternalKey::new(&user_key(number), sequence, ValueType::Value);
        (key, value(number + first_sequence))
    };
    (first_sequence..).zip(numbers).map(entry).collect()
}

impl Setup {
    /// A run of 2000 keys, of which another has 20 in the middle anew.
    fn new() -> Self {
        let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
        let tables = TableBuilderOptions {
            block_size: 1024,
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
            compression: CompressionType::Lz4,
            ..environment.builder_options()
        };
        Self {
            files: vec![(1, values(0..2000, 1)), (0, values(1000..1020, 5000))],
            snapshots: Vec::new(),
            source: tables.clone(),
            output: tables,
            is_bottommost: false,
            max_output_file_size: 64 << 20,
            grandparents: Vec::new(),
            boundaries: Vec::new(),
            is_read_back: true,
            copies_blocks: true,
            change: |_| (),
        }
    }

    /// As both tables.
    fn of_tables(mut self, change: impl Fn(&mut TableBuilderOptions)) -> Self {
        change(&mut self.source);
        change(&mut self.output);
        self
    }

    fn of_output(mut self, change: impl Fn(&mut TableBuilderOptions)) -> Self {
        change(&mut self.output);
        self
    }

    fn of_job(self, change: fn(&mut CompactionJobOptions)) -> Self {
        Self { change, ..self }
    }

    fn write(&self, environment: &TestEnvironment, entries: &[Entry], epoch: u64) -> FileMetaData {
        let is_tombstone =
            |key: &InternalKey| key.trailer() as u8 == ValueType::RangeDeletion as u8;
        let (tombstones, points): (Vec<_>, Vec<_>) =
            entries.iter().cloned().partition(|(key, _)| is_tombstone(key));
        let tombstones = tombstones.into_iter().map(|(key, end_key)| RangeTombstone {
            start_key: key.user_key().to_vec(),
            end_key,
            sequence: key.trailer() >> 8,
        });
        let list = FragmentedRangeTombstoneList::new(tombstones.collect(), &environment.comparator);
        let points: Vec<_> =
            points.into_iter().map(|(key, value)| (key.as_bytes().to_vec(), value)).collect();
        let tables =
            OutputTableOptions { builder: self.source.clone(), ..table_options(environment) };
        let options = BuildTableOptions {
            tables,
            blob_files: None,
            column_family_id: COLUMN_FAMILY_ID,
            merge_operator: base::merge_operator::builtin("stringappend"),
            enforce_single_del_contracts: true,
            cancellation: Cancellation::default(),
        };
        let input = BuildTableInput {
            expected_entries: Some(points.len() as u64),
            iterators: vec![Box::new(VecIterator::new(environment.comparator.clone(), points))],
            slices: None,
            range_tombstones: vec![Arc::new(list)],
            snapshots: SnapshotRules::new(self.snapshots.clone()),
            compaction_filter: None,
            full_history_ts_low: None,
            epoch_number: epoch,
            oldest_ancester_time: 1_600_000_000,
            oldest_key_time: 0,
            times: SeqnoToTimeMapping::default(),
            hint: OutputFileHint::default(),
        };
        build_table(environment, &options, input).unwrap().table.unwrap().metadata
    }

    fn run_in(&self, environment: &Arc<TestEnvironment>) -> CompactionOutcome {
        let files: Vec<_> = (1..)
            .zip(&self.files)
            .map(|(epoch, (level, entries))| (*level, self.write(environment, entries, epoch)))
            .collect();
        let version = version(&environment.comparator, &files, &[]);
        let mut compaction = compaction(version, &[0, 1], 1, self.is_bottommost);
        compaction.max_output_file_size = self.max_output_file_size;
        compaction.target_output_file_size = self.max_output_file_size;
        compaction.output_compression = self.output.compression;
        compaction.output_compression_options = self.output.compression_options.clone();
        let key = |user_key: &[u8]| InternalKey::new(user_key, 1, ValueType::Value);
        let grandparents = (900..).zip(&self.grandparents).map(|(number, (smallest, largest))| {
            Arc::new(FileMetaData::new(number, 500, key(smallest), key(largest)))
        });
        compaction.grandparents = grandparents.collect();
        let mut options = job_options(environment, &self.snapshots);
        options.tables.builder = self.output.clone();
        options.tables.paranoid_file_checks = self.is_read_back;
        (self.change)(&mut options);
        let compaction = Arc::new(compaction);
        let mut job = CompactionJob::new(compaction, options, Arc::clone(environment) as _);
        job.copies_blocks = self.copies_blocks;
        job.run(&self.boundaries).unwrap()
    }

    fn run(&self) -> Compacted {
        let environment = Arc::new(TestEnvironment::new(self.source.comparator.clone()));
        let outcome = self.run_in(&environment);
        Compacted { environment, outcome }
    }

    /// Runs it, and also without copying, which must give the same entries. Returns how many blocks were
    /// copied.
    fn check(&self) -> u64 {
        let compacted = self.run();
        let reference = Self { copies_blocks: false, ..self.clone() }.run();
        assert_eq!(reference.outcome.stats.iteration.blocks_copied, 0);
        let mut stats = compacted.outcome.stats.iteration;
        let blocks_copied = std::mem::take(&mut stats.blocks_copied);
        assert_eq!(stats, reference.outcome.stats.iteration);
        assert!(compacted.entries() == reference.entries(), "other entries");
        assert_eq!(compacted.sums(), reference.sums());
        blocks_copied
    }
}

/// Counts, bounds of keys and of sequence numbers.
type Sums = ([u64; 6], Option<(InternalKey, InternalKey)>, [Option<u64>; 2]);

struct Compacted {
    environment: Arc<TestEnvironment>,
    outcome: CompactionOutcome,
}

impl Compacted {
    /// All entries of the outputs, in order and within what is said of their files, whose filters let pass
    /// all of their keys.
    fn entries(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let Self { environment, outcome } = self;
        let mut entries: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for file in outcome.files.iter().map(|file| &file.metadata) {
            let table = environment.open_table(file, 1).unwrap();
            let mut iterator = table.new_iterator(&ReadOptions::default());
            iterator.seek_to_first().unwrap();
            let is_within = |key: &[u8]| {
                let order =
                    |bound: &InternalKey| environment.comparator.compare(key, bound.as_bytes());
                order(&file.smallest).is_ge() && order(&file.largest).is_le()
            };
            let mut last_user_key = entries.last().map(|(key, _)| extract_user_key(key).to_vec());
            while iterator.valid() {
                let (key, value) = (iterator.key().to_vec(), iterator.value().to_vec());
                assert!(is_within(&key), "{file:?}");
                let user_key = Some(extract_user_key(&key).to_vec());
                assert_ne!(last_user_key.take(), user_key, "a user key in two files");
                assert!(table.key_may_match(&ReadOptions::default(), &key).unwrap());
                if let Some((last, _)) = entries.last() {
                    assert!(environment.comparator.compare(last, &key).is_lt());
                }
                entries.push((key, value));
                iterator.next().unwrap();
            }
            table.verify_checksum(&ReadOptions::default()).unwrap();
        }
        entries
    }

    /// What the properties of all outputs sum up to, and the bounds that the MANIFEST gets.
    fn sums(&self) -> Sums {
        let files = &self.outcome.files;
        let sum = |number: fn(&TableProperties) -> u64| {
            files.iter().map(|file| number(&file.properties)).sum()
        };
        let sums = [
            sum(|properties| properties.num_entries),
            sum(|properties| properties.raw_key_size),
            sum(|properties| properties.raw_value_size),
            sum(|properties| properties.num_deletions),
            sum(|properties| properties.num_merge_operands),
            sum(|properties| properties.num_range_deletions),
        ];
        let bounds = files
            .first()
            .zip(files.last())
            .map(|(first, last)| (first.metadata.smallest.clone(), last.metadata.largest.clone()));
        let smallest = files.iter().map(|file| file.metadata.smallest_seqno).min();
        let largest = files.iter().map(|file| file.metadata.largest_seqno).max();
        (sums, bounds, [smallest, largest])
    }
}

/// How many data blocks the lower run has.
fn block_count(setup: &Setup) -> u64 {
    let environment = TestEnvironment::new(InternalKeyComparator::bytewise());
    let file = setup.write(&environment, &setup.files[0].1, 1);
    environment.open_table(&file, 1).unwrap().properties().num_data_blocks
}

#[test]
fn blocks_go_on_whole_where_nothing_overlaps() {
    for is_read_back in [false, true] {
        for (compression, format_version) in [
            (CompressionType::None, 5),
            (CompressionType::Lz4, 5),
            (CompressionType::Zstd, 6),
            (CompressionType::Snappy, 7),
        ] {
            let setup = Setup { is_read_back, ..Setup::new() };
            let setup = setup.of_tables(|tables| {
                tables.compression = compression;
                tables.format_version = format_version;
            });
            let (copied, blocks) = (setup.check(), block_count(&setup));
            assert!(copied < blocks && copied + 6 >= blocks, "{copied} of {blocks} blocks");
        }
    }
}

/// Behind the keys in the middle the block under way may be less than half full for as long as blocks go
/// there entry by entry.
#[test]
fn blocks_go_on_whole_again_wherever_the_overlap_ends() {
    for length in 1..60 {
        let mut setup = Setup::new();
        setup.files[1].1 = values(700..700 + length, 5000);
        let (copied, blocks) = (setup.check(), block_count(&setup));
        assert!(copied + 5 + length / 10 >= blocks, "{length}: {copied} of {blocks} blocks");
        let outcome = setup.run().outcome;
        // One block ends early before the overlap, two are about half full behind it, and one is the last.
        let outputs: u64 = outcome.files.iter().map(|file| file.properties.num_data_blocks).sum();
        assert!(outputs <= blocks + 3, "{length}: {outputs} blocks of {blocks}");
    }
}

/// With a key that begins otherwise, eight bytes do not tell apart those next to each other.
#[test]
fn keys_that_rank_the_same_are_compared() {
    let other = (InternalKey::new(b"other", 9000, ValueType::Value), b"o".to_vec());
    for number in 700..740 {
        let mut setup = Setup::new();
        setup.files[1].1 = values(number..=number, 5000);
        let copied = setup.check();
        setup.files[1].1.push(other.clone());
        assert_eq!(setup.check(), copied, "{number}");
    }
}

/// Other threads have blocks that come before one that is copied.
#[test]
fn blocks_go_on_whole_behind_those_that_other_threads_compress() {
    let outputs = |parallel_threads| {
        let mut setup =
            Setup { max_output_file_size: 30_000, ..Setup::new() }.of_output(|tables| {
                tables.compression_options.parallel_threads = parallel_threads;
            });
        let in_places = (0..2000).filter(|number| number % 150 < 40);
        setup.files[1].1 = values(in_places, 5000);
        assert!(setup.check() > 20);
        let Compacted { environment, outcome } = setup.run();
        let bytes = |file: &OutputFile| {
            let name = format!("{:06}.sst", file.metadata.number);
            let path = environment.directory.join(name);
            env::read_file_to_vec(&*environment.file_system, &path, 1 << 20).unwrap()
        };
        outcome.files.iter().map(bytes).collect::<Vec<_>>()
    };
    let alone = outputs(1);
    assert!(alone.len() > 2);
    for threads in [2, 4] {
        assert!(outputs(threads) == alone, "{threads} threads");
    }
}

/// Every part and every file that begins in the middle.
#[test]
fn blocks_go_on_whole_in_parts_and_in_small_files() {
    let mut setup = Setup::new();
    setup.boundaries = vec![user_key(300), user_key(301), user_key(1500)];
    setup.max_output_file_size = 10_000;
    let (copied, blocks) = (setup.check(), block_count(&setup));
    assert!(copied + 20 >= blocks, "{copied} of {blocks} blocks");
    assert!(setup.run().outcome.files.len() > 4);
}

#[test]
fn blocks_go_on_whole_between_the_borders_of_grandparents() {
    let grandparents = |width: u64| {
        (0..2000)
            .step_by(width as usize)
            .map(move |start| (user_key(start), user_key(start + width - 2)))
    };
    let setup = Setup { grandparents: grandparents(400).collect(), ..Setup::new() };
    let (copied, blocks) = (setup.check(), block_count(&setup));
    assert!(copied + 20 >= blocks, "{copied} of {blocks} blocks");
    let setup = Setup { grandparents: grandparents(5).collect(), ..Setup::new() };
    assert_eq!(setup.check(), 0);
}

#[derive(Debug)]
struct EveryNinth;

impl FlushBlockPolicy for EveryNinth {
    fn update(&mut self, request: &FlushBlockRequest<'_>) -> bool {
        request.entry_count >= 9
    }
}

impl FlushBlockPolicyFactory for EveryNinth {
    fn name(&self) -> &str {
        "EveryNinth"
    }

    fn create(&self, _context: &FlushBlockContext) -> Option<Box<dyn FlushBlockPolicy>> {
        Some(Box::new(EveryNinth))
    }
}

/// A setup whose lower run has `value_type` at every fifth key, or a second version.
fn with_every_fifth(value_type: ValueType, is_version: bool) -> Setup {
    let mut setup = Setup::new();
    for index in (0..2000_u64).step_by(5) {
        let sequence = if is_version { 10_000 + index } else { index + 1 };
        let entry = (InternalKey::new(&user_key(index), sequence, value_type), b"5".to_vec());
        match is_version {
            true => setup.files[0].1.push(entry),
            false => setup.files[0].1[index as usize] = entry,
        }
    }
    setup.files[0]
        .1
        .sort_by(|a, b| InternalKeyComparator::bytewise().compare(a.0.as_bytes(), b.0.as_bytes()));
    setup
}

/// Checks setups that differ from [`Setup::new`], of which most blocks are copied.
fn check_that_none_is_copied(cases: Vec<(&str, Setup)>) {
    assert!(Setup::new().check() > 40);
    for (name, setup) in cases {
        assert_eq!(setup.check(), 0, "{name}");
    }
}

#[test]
fn no_block_goes_on_whole_where_entries_may_change() {
    let new = Setup::new;
    let every_other = values((0..2000).step_by(2), 5000);
    let tombstone = |start, end| {
        let key = InternalKey::new(&user_key(start), 6000, ValueType::RangeDeletion);
        (0, vec![(key, user_key(end))])
    };
    let with_file = |file| {
        let mut setup = new();
        setup.files.push(file);
        setup
    };
    check_that_none_is_copied(vec![
        ("keys of another run within", with_file((0, every_other))),
        ("sequence numbers become 0", Setup { is_bottommost: true, ..new() }),
        ("deletions", with_every_fifth(ValueType::Deletion, false)),
        ("single deletions", with_every_fifth(ValueType::SingleDeletion, false)),
        ("merge operands", with_every_fifth(ValueType::Merge, false)),
        ("versions", {
            Setup { snapshots: (1..9000).collect(), ..with_every_fifth(ValueType::Value, true) }
        }),
        ("a range tombstone", with_file(tombstone(0, 1990))),
        ("a range tombstone at the end", with_file(tombstone(1995, 1996))),
        ("a filter", {
            new().of_job(|job| {
                job.compaction_filter =
                    base::compaction_filter::builtin("RemoveEmptyValueCompactionFilter");
            })
        }),
        ("blob files", new().of_job(|job| job.blob_files = Some(BlobFileOptions::default()))),
        ("a partitioner", {
            new().of_job(|job| {
                job.sst_partitioner_factory =
                    Some(Arc::new(SstPartitionerFixedPrefixFactory::new(4)));
            })
        }),
        ("files of a size that counts all", {
            new().of_job(|job| job.target_file_size_is_upper_bound = true)
        }),
    ]);
}

#[test]
fn no_block_goes_on_whole_to_a_table_of_other_blocks() {
    let new = Setup::new;
    check_that_none_is_copied(vec![
        ("another compression", {
            new().of_output(|output| output.compression = CompressionType::Zstd)
        }),
        ("no compression", {
            new().of_output(|output| output.compression = CompressionType::None)
        }),
        ("another level", new().of_output(|output| output.compression_options.level = -3)),
        ("a dictionary", {
            new().of_tables(|tables| tables.compression_options.max_dict_bytes = 1000)
        }),
        ("a hash index", {
            new().of_tables(|tables| tables.data_block_hash_table_util_ratio = Some(0.75))
        }),
        ("a hash index from now on", {
            new().of_output(|output| output.data_block_hash_table_util_ratio = Some(0.75))
        }),
        ("a hash index that goes", {
            let mut setup = new();
            setup.source.data_block_hash_table_util_ratio = Some(0.75);
            setup
        }),
        ("values apart", new().of_tables(|tables| tables.separate_key_value_in_data_block = true)),
        ("values apart from now on", {
            new().of_output(|output| output.separate_key_value_in_data_block = true)
        }),
        ("values apart no more", {
            let mut setup = new();
            setup.source.separate_key_value_in_data_block = true;
            setup
        }),
        ("other restart points", new().of_output(|output| output.block_restart_interval = 7)),
        ("whole keys", new().of_tables(|tables| tables.use_delta_encoding = false)),
        ("whole keys from now on", new().of_output(|output| output.use_delta_encoding = false)),
        ("whole keys no more", {
            let mut setup = new();
            setup.source.use_delta_encoding = false;
            setup
        }),
        ("larger blocks", new().of_output(|output| output.block_size = 4096)),
        ("smaller blocks", new().of_output(|output| output.block_size = 300)),
        ("a policy for blocks", {
            new().of_tables(|tables| tables.flush_block_policy_factory = Some(Arc::new(EveryNinth)))
        }),
        ("collectors", {
            new().of_tables(|tables| {
                tables.collector_factories = vec![Arc::new(CompactOnDeletionCollectorFactory {
                    window_size: 128,
                    deletion_trigger: 100,
                    ..Default::default()
                })];
            })
        }),
        ("aligned blocks", {
            new().of_tables(|tables| {
                tables.compression = CompressionType::None;
                tables.block_align = true;
            })
        }),
    ]);
}

/// Where that changes nothing.
#[test]
fn blocks_go_on_whole_at_the_bottom_if_their_sequence_numbers_stay() {
    let mut setup = Setup { is_bottommost: true, ..Setup::new() };
    setup.files[0].1 = without_sequences(values(0..2000, 1));
    assert!(setup.check() > 40);
    // A snapshot that is older than all.
    let mut setup = Setup { is_bottommost: true, snapshots: vec![3], ..Setup::new() };
    setup.files[0].1 = values(0..2000, 10);
    assert!(setup.check() > 40);
}

#[test]
fn filters_and_indexes_of_all_kinds_know_the_keys_of_copied_blocks() {
    for index_type in [
        IndexType::BinarySearch,
        IndexType::TwoLevel,
        IndexType::HashSearch,
        IndexType::BinarySearchWithFirstKey,
    ] {
        let setup = Setup::new().of_tables(|tables| {
            tables.index_type = index_type;
            tables.partition_filters = true;
            tables.metadata_block_size = 200;
            tables.prefix_extractor = Some(Arc::new(base::slice_transform::FixedPrefix::new(5)));
        });
        assert!(setup.check() > 40, "{index_type:?}");
    }
}

/// A part of a run: its keys, and the step from one to the next.
type Piece = (u64, u64, u64);

fn piece() -> impl Strategy<Value = Piece> {
    (0..3000_u64, 1..400_u64, prop::sample::select(vec![1_u64, 1, 2, 7]))
}

fn values_of(pieces: &[Piece], first_sequence: u64) -> Vec<Entry> {
    let numbers =
        pieces.iter().flat_map(|&(start, count, step)| (0..count).map(move |at| start + at * step));
    let numbers: BTreeSet<u64> = numbers.collect();
    values(numbers.into_iter(), first_sequence)
}

fn without_sequences(mut entries: Vec<Entry>) -> Vec<Entry> {
    for (key, _) in &mut entries {
        *key = InternalKey::new(key.user_key(), 0, ValueType::Value);
    }
    entries
}

/// Some of the values are deletions instead.
fn with_deletions(mut entries: Vec<Entry>) -> Vec<Entry> {
    for (key, value) in entries.iter_mut().skip(3).step_by(97) {
        *key = InternalKey::new(key.user_key(), key.trailer() >> 8, ValueType::Deletion);
        value.clear();
    }
    entries
}

/// Runs of pieces; what follows from each by chance.
fn setup() -> impl Strategy<Value = Setup> {
    let pieces = prop::collection::vec(piece(), 1..4);
    let runs = prop::collection::vec(pieces, 1..4);
    let compressions = vec![CompressionType::None, CompressionType::Lz4, CompressionType::Zstd];
    let tables = (
        prop::sample::select(compressions),
        2..8_u32,
        prop::sample::select(ChecksumType::ALL.to_vec()),
        prop::sample::select(vec![None, Some(FilterPolicy::Bloom { bits_per_key: 10.0 })]),
        prop::sample::select(vec![300_u64, 1024]),
    );
    let shape = (
        any::<[bool; 4]>(),
        prop::collection::vec(1..6000_u64, 0..3),
        prop::sample::select(vec![3000_u64, 20_000, 64 << 20]),
        prop::collection::btree_set(0..3000_u64, 0..3),
        prop::sample::select(vec![0_u64, 50, 1000]),
    );
    (runs, tables, shape).prop_map(|(runs, tables, shape)| {
        let ([is_bottommost, is_zeroed, is_read_back, deletes], mut snapshots, size, starts, width) =
            shape;
        snapshots.sort_unstable();
        let mut files = Vec::new();
        for (index, pieces) in runs.iter().enumerate() {
            let entries = match (index, is_zeroed) {
                (0, true) => without_sequences(values_of(pieces, 1)),
                _ if deletes => with_deletions(values_of(pieces, 1 + 2000 * index as u64)),
                _ => values_of(pieces, 1 + 2000 * index as u64),
            };
            files.push((u32::from(index == 0), entries));
        }
        let widths = (0..3000).step_by(width.max(1) as usize).take_while(|_| width > 0);
        let grandparents = match is_bottommost {
            true => Vec::new(),
            false => widths.map(|at| (user_key(at), user_key(at + width - 1))).collect(),
        };
        let (compression, format_version, checksum, filter_policy, block_size) = tables;
        let base = Setup::new();
        Setup {
            files,
            snapshots,
            is_bottommost,
            max_output_file_size: size,
            grandparents,
            boundaries: starts.into_iter().map(user_key).collect(),
            is_read_back,
            ..base
        }
        .of_tables(|tables| {
            tables.compression = compression;
            tables.filter_policy = filter_policy;
            tables.block_size = block_size;
        })
        .of_output(|output| {
            output.format_version = format_version;
            output.checksum = checksum;
        })
    })
}

#[test]
fn entries_are_the_same_with_copied_blocks_and_without() {
    static COPIED: AtomicU64 = AtomicU64::new(0);
    let config = ProptestConfig { cases: 150, ..ProptestConfig::default() };
    proptest!(config, |(setup in setup())| {
        COPIED.fetch_add(setup.check(), Ordering::Relaxed);
    });
    let copied = COPIED.load(Ordering::Relaxed);
    assert!(copied > 1000, "{copied} blocks copied");
}

#[test]
fn rocksdb_reads_tables_with_copied_blocks() {
    let (Some(sst_dump), Some(_)) = (peer::find("sst_dump"), peer::find("ldb")) else { return };
    for compression in [CompressionType::None, CompressionType::Lz4, CompressionType::Zstd] {
        for checksum in [ChecksumType::Crc32c, ChecksumType::XxHash64, ChecksumType::Xxh3] {
            let directory = tempfile::tempdir().unwrap();
            let file_system: Arc<dyn FileSystem> = PosixFileSystem::shared();
            let (path, comparator) = (directory.path(), InternalKeyComparator::bytewise());
            let environment = TestEnvironment::over(file_system, path.to_owned(), comparator);
            let setup = Setup::new().of_tables(|tables| tables.compression = compression);
            let setup = Setup { max_output_file_size: 20_000, ..setup }
                .of_output(|output| output.checksum = checksum);
            let outcome = setup.run_in(&Arc::new(environment));
            assert!(outcome.stats.iteration.blocks_copied > 40);
            let mut found = 0;
            for file in &outcome.files {
                let file = base::filename::table_file_name(path, file.metadata.number);
                let file = format!("--file={}", file.display());
                let output = sst_dump.run(&[&*file, "--command=verify"]);
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success() && text.contains("The file is ok"), "{text}");
                let output = sst_dump.run(&[&*file, "--command=scan", "--verify_checksum"]);
                found += String::from_utf8_lossy(&output.stdout).matches(" => ").count();
            }
            assert_eq!(found, 2000, "{compression:?} {checksum:?}");
        }
    }
}
