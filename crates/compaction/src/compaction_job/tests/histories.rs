//! Random histories: every live snapshot reads the same before and after.

use super::*;
use base::compaction_filter::{CompactionFilter, Decision, FilterValue};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::filename::table_file_name;
use base::{InternalIterator, ParsedInternalKey};
use proptest::prelude::*;
use std::collections::BTreeMap;
use table::ReadOptions;

const KEYS: u8 = 12;

#[derive(Clone, Debug)]
enum Operation {
    Put(u8),
    Delete(u8),
    /// Done only if the key was put once, and nothing else, since it was last gone.
    SingleDelete(u8),
    Merge(u8),
    DeleteRange(u8, u8),
    Snapshot,
    Flush,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (0..KEYS).prop_map(Operation::Put),
        2 => (0..KEYS).prop_map(Operation::Delete),
        2 => (0..KEYS).prop_map(Operation::SingleDelete),
        3 => (0..KEYS).prop_map(Operation::Merge),
        2 => (0..KEYS, 1..KEYS)
            .prop_map(|(start, length)| Operation::DeleteRange(start, (start + length).min(KEYS))),
        2 => Just(Operation::Snapshot),
        1 => Just(Operation::Flush),
    ]
}

/// Mostly values, and nothing that has a say in all keys of its range: what goes to open blocks.
fn plain_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        24 => (0..KEYS).prop_map(Operation::Put),
        1 => (0..KEYS).prop_map(Operation::Delete),
        1 => (0..KEYS).prop_map(Operation::SingleDelete),
        1 => (0..KEYS).prop_map(Operation::Merge),
        2 => Just(Operation::Snapshot),
        4 => Just(Operation::Flush),
    ]
}

/// Mostly merge operands, many of them alone where they are flushed.
fn merging_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => (0..KEYS).prop_map(Operation::Merge),
        6 => (0..KEYS).prop_map(Operation::Put),
        1 => (0..KEYS).prop_map(Operation::Delete),
        2 => Just(Operation::Snapshot),
        4 => Just(Operation::Flush),
    ]
}

#[derive(Clone, Debug)]
struct Shape {
    /// Whether outputs are read back, for which each entry is looked at.
    is_read_back: bool,
    /// The first flush is in the output level already.
    has_output_level: bool,
    /// There is data below the output level, which is no input.
    has_base: bool,
    /// A filter has a say in each key ([`ByLastDigit`]).
    is_filtered: bool,
    max_output_file_size: u64,
    boundaries: Vec<u8>,
    grandparent_width: u8,
}

fn shape() -> impl Strategy<Value = Shape> {
    let sizes = prop_oneof![Just(1_u64), Just(300), Just(1 << 20)];
    let boundaries = prop::collection::btree_set(0..KEYS, 0..3);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (flags, sizes, boundaries, 0..5_u8).prop_map(
        |(flags, max_output_file_size, boundaries, grandparent_width)| Shape {
            is_read_back: flags.0,
            has_output_level: flags.1,
            has_base: flags.2,
            is_filtered: flags.3,
            max_output_file_size,
            boundaries: boundaries.into_iter().collect(),
            grandparent_width,
        },
    )
}

/// Drops what some keys hold, changes what others do.
#[derive(Debug)]
struct ByLastDigit;

impl CompactionFilter for ByLastDigit {
    fn name(&self) -> &str {
        "ByLastDigit"
    }

    fn filter(&self, _level: usize, user_key: &[u8], value: FilterValue<'_>) -> Decision {
        let (FilterValue::Value(value) | FilterValue::MergeOperand(value)) = value else {
            return Decision::Keep;
        };
        match user_key.last() {
            Some(b'1') => Decision::Remove,
            Some(b'2') => Decision::ChangeValue([b"changed ", value].concat()),
            Some(b'3') if value.last().is_some_and(|digit| digit % 2 == 0) => Decision::Remove,
            _ => Decision::Keep,
        }
    }
}

fn user_key(index: u8) -> Vec<u8> {
    format!("key{index:02}").into_bytes()
}

/// What happened, as entries, cut into flushes.
struct History {
    flushes: Vec<Vec<Entry>>,
    snapshots: Vec<u64>,
}

/// What a key has been through since it was last gone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Past {
    Nothing,
    PutOnce,
    Other,
}

impl History {
    /// With `has_base` every second key has a value before the history begins.
    fn of(operations: &[Operation], has_base: bool) -> Self {
        let (mut flushes, mut snapshots, mut sequence) = (vec![Vec::new()], Vec::new(), 100);
        let mut pasts = [Past::Nothing; KEYS as usize];
        if has_base {
            pasts.iter_mut().step_by(2).for_each(|past| *past = Past::Other);
        }
        for operation in operations {
            let value = format!("v{}", sequence + 1).into_bytes();
            let past = |key: u8| pasts[usize::from(key)];
            let (key, value_type, value, next) = match *operation {
                Operation::Put(key) if past(key) == Past::Nothing => {
                    (key, ValueType::Value, value, Past::PutOnce)
                }
                Operation::Put(key) => (key, ValueType::Value, value, Past::Other),
                Operation::Merge(key) => (key, ValueType::Merge, value, Past::Other),
                Operation::Delete(key) => (key, ValueType::Deletion, Vec::new(), Past::Other),
                Operation::SingleDelete(key) if past(key) == Past::PutOnce => {
                    (key, ValueType::SingleDeletion, Vec::new(), Past::Nothing)
                }
                Operation::DeleteRange(start, end) if start < end => {
                    (start, ValueType::RangeDeletion, user_key(end), past(start))
                }
                Operation::Snapshot => {
                    snapshots.push(sequence);
                    continue;
                }
                Operation::Flush => {
                    flushes.push(Vec::new());
                    continue;
                }
                Operation::SingleDelete(_) | Operation::DeleteRange(..) => continue,
            };
            pasts[usize::from(key)] = next;
            sequence += 1;
            let entry = (InternalKey::new(&user_key(key), sequence, value_type), value);
            flushes.last_mut().unwrap().push(entry);
        }
        flushes.retain(|flush| !flush.is_empty());
        snapshots.dedup();
        Self { flushes, snapshots }
    }
}

/// Sequence number, type and value of an entry.
type Found<'a> = (u64, ValueType, &'a [u8]);

#[derive(Debug, Default, PartialEq)]
struct Content {
    entries: Vec<Entry>,
    tombstones: Vec<RangeTombstone>,
}

impl Content {
    fn add_entries(&mut self, entries: &[Entry]) {
        for (key, value) in entries {
            let sequence = key.trailer() >> 8;
            if key.trailer() as u8 == ValueType::RangeDeletion as u8 {
                let (start_key, end_key) = (key.user_key().to_vec(), value.clone());
                self.tombstones.push(RangeTombstone { start_key, end_key, sequence });
            } else {
                self.entries.push((key.clone(), value.clone()));
            }
        }
    }

    /// Adds what is in a file, tombstones as far as the file goes.
    fn add_file(&mut self, environment: &TestEnvironment, file: &FileMetaData) {
        let table = environment.open_table(file, 1).unwrap();
        let mut iterator = table.new_iterator(&ReadOptions::default());
        iterator.seek_to_first().unwrap();
        let compare = |a: &InternalKey, b: &InternalKey| {
            environment.comparator.compare(a.as_bytes(), b.as_bytes())
        };
        while iterator.valid() {
            let key = InternalKey::from_encoded(iterator.key().to_vec()).unwrap();
            assert!(compare(&file.smallest, &key).is_le(), "{key:?} before {file:?}");
            assert!(compare(&key, &file.largest).is_le(), "{key:?} after {file:?}");
            let sequence = key.trailer() >> 8;
            assert!((file.smallest_seqno..=file.largest_seqno).contains(&sequence));
            self.entries.push((key, iterator.value().to_vec()));
            iterator.next().unwrap();
        }
        for fragment in table.range_tombstones().iter().flat_map(|list| list.fragments()) {
            for tombstone in &fragment.tombstones {
                let sequence = tombstone.sequence;
                assert!((file.smallest_seqno..=file.largest_seqno).contains(&sequence));
                let start_key = fragment.start_key.max(file.smallest.user_key()).to_vec();
                let end_key = match file.largest.is_range_tombstone_sentinel() {
                    true => fragment.end_key.min(file.largest.user_key()).to_vec(),
                    false => fragment.end_key.to_vec(),
                };
                self.tombstones.push(RangeTombstone { start_key, end_key, sequence });
            }
        }
    }

    /// What a read at `snapshot` sees.
    fn read(&self, snapshot: u64) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut versions: BTreeMap<&[u8], Vec<Found<'_>>> = BTreeMap::new();
        for (key, value) in &self.entries {
            let parsed = ParsedInternalKey::parse(key.as_bytes()).unwrap();
            if parsed.sequence <= snapshot {
                let version = (parsed.sequence, parsed.value_type, &value[..]);
                versions.entry(parsed.user_key).or_default().push(version);
            }
        }
        let mut found = BTreeMap::new();
        for (user_key, mut versions) in versions {
            versions.sort_by_key(|version| std::cmp::Reverse(version.0));
            let covered = self.covered(user_key, snapshot);
            let mut operands: Vec<&[u8]> = Vec::new();
            for (sequence, value_type, value) in versions {
                if sequence < covered || value_type.is_point_deletion() {
                    break;
                }
                operands.push(value);
                if value_type == ValueType::Value {
                    break;
                }
            }
            operands.reverse();
            if !operands.is_empty() {
                found.insert(user_key.to_vec(), operands.join(&b","[..]));
            }
        }
        found
    }

    fn covered(&self, user_key: &[u8], snapshot: u64) -> u64 {
        let covering = self.tombstones.iter().filter(|tombstone| {
            tombstone.sequence <= snapshot
                && *tombstone.start_key <= *user_key
                && *user_key < *tombstone.end_key
        });
        covering.map(|tombstone| tombstone.sequence).max().unwrap_or(0)
    }
}

/// A value for every second key, older than all else.
fn base_entries() -> Vec<Entry> {
    (0..KEYS)
        .step_by(2)
        .map(|index| (InternalKey::new(&user_key(index), 1, ValueType::Value), b"base".to_vec()))
        .collect()
}

fn grandparents(width: u8) -> Vec<Arc<FileMetaData>> {
    let key = |index: u8| InternalKey::new(&user_key(index), 1, ValueType::Value);
    (0..KEYS)
        .step_by(usize::from(width))
        .map(|start| {
            let number = 900 + u64::from(start);
            Arc::new(FileMetaData::new(number, 500, key(start), key(start + width - 1)))
        })
        .collect()
}

fn check_order(comparator: &InternalKeyComparator, files: &[OutputFile]) {
    for pair in files.windows(2) {
        let (left, right) = (&pair[0].metadata, &pair[1].metadata);
        let order = comparator.compare(left.largest.as_bytes(), right.smallest.as_bytes());
        assert!(order.is_lt(), "files overlap: {left:?} {right:?}");
        assert!(
            left.largest.is_range_tombstone_sentinel()
                || left.largest.user_key() != right.smallest.user_key(),
            "files share a user key: {left:?} {right:?}"
        );
    }
}

/// A compaction of a history, with the files that it was made of.
struct Compacted {
    environment: Arc<TestEnvironment>,
    before: Content,
    base: Content,
    outcome: CompactionOutcome,
}

/// How a compaction goes over its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As it does.
    Usual,
    /// As it does, but for blocks that go on as they are stored.
    WithoutCopies,
    /// By iterators, and asking the rules about each entry.
    Iterators,
}

/// None if there is nothing to compact.
fn compact(history: &History, shape: &Shape, way: Way) -> Option<Compacted> {
    let comparator = InternalKeyComparator::bytewise();
    let environment = Arc::new(TestEnvironment::new(comparator.clone()));
    let (mut before, mut base, mut files) = (Content::default(), Content::default(), Vec::new());
    if shape.has_base {
        files.push((3, flush(&environment, &base_entries(), &[], 1, None).unwrap()));
        before.add_entries(&base_entries());
        base.add_entries(&base_entries());
    }
    for (index, entries) in history.flushes.iter().enumerate() {
        before.add_entries(entries);
        let level = u32::from(index == 0 && shape.has_output_level);
        let epoch = 2 + index as u64;
        let file = flush(&environment, entries, &history.snapshots, epoch, None);
        files.extend(file.map(|file| (level, file)));
    }
    let version = version(&comparator, &files, &[]);
    if version.level_files(0).is_empty() && version.level_files(1).is_empty() {
        return None;
    }
    let mut compaction = compaction(version, &[0, 1], 1, !shape.has_base);
    compaction.max_output_file_size = shape.max_output_file_size;
    compaction.target_output_file_size = shape.max_output_file_size;
    if shape.grandparent_width > 0 && shape.has_base {
        compaction.grandparents = grandparents(shape.grandparent_width);
        compaction.max_compaction_bytes = 600;
    }
    let boundaries: Vec<_> = shape.boundaries.iter().map(|index| user_key(*index)).collect();
    let mut options = job_options(&environment, &history.snapshots);
    options.tables.paranoid_file_checks = shape.is_read_back;
    options.compaction_filter = shape.is_filtered.then(|| Arc::new(ByLastDigit) as _);
    let mut job = CompactionJob::new(Arc::new(compaction), options, Arc::clone(&environment) as _);
    job.uses_kernel = way != Way::Iterators;
    job.copies_blocks = way == Way::Usual;
    let outcome = job.run(&boundaries).unwrap();
    Some(Compacted { environment, before, base, outcome })
}

/// The bytes of the outputs of a compaction of one part. The numbers of files, and with them their
/// checksums, follow from the order in which they are made.
fn bytes_of_outputs(compacted: &Compacted) -> Vec<Vec<u8>> {
    let Compacted { environment, outcome, .. } = compacted;
    let bytes = |file: &OutputFile| {
        let path = table_file_name(&environment.directory, file.metadata.number);
        env::file_util::read_file_to_vec(&*environment.file_system, &path, 1 << 30).unwrap()
    };
    outcome.files.iter().map(bytes).collect()
}

/// What is in the outputs of a compaction, in their order.
fn content_of_outputs(compacted: &Compacted) -> Content {
    let mut content = Content::default();
    for file in &compacted.outcome.files {
        content.add_file(&compacted.environment, &file.metadata);
    }
    content
}

fn check(operations: &[Operation], shape: &Shape) {
    let history = History::of(operations, shape.has_base);
    let Some(reference) = compact(&history, shape, Way::Iterators) else { return };
    let Some(compacted) = compact(&history, shape, Way::WithoutCopies) else { return };
    assert_eq!(compacted.outcome.stats.iteration, reference.outcome.stats.iteration);
    let expected = content_of_outputs(&reference);
    assert_eq!(content_of_outputs(&compacted), expected);
    if shape.boundaries.is_empty() {
        assert_eq!(bytes_of_outputs(&compacted), bytes_of_outputs(&reference));
    }
    let Some(usual) = compact(&history, shape, Way::Usual) else { return };
    assert_eq!(content_of_outputs(&usual).entries, expected.entries);
    // What a filter has changed reads differently.
    if !shape.is_filtered {
        check_reads(&history, shape, compacted);
        check_reads(&history, shape, usual);
    }
}

fn check_reads(history: &History, shape: &Shape, compacted: Compacted) {
    let Compacted { environment, before, base: mut after, outcome } = compacted;
    check_order(&environment.comparator, &outcome.files);
    for file in &outcome.files {
        after.add_file(&environment, &file.metadata);
    }
    for &snapshot in history.snapshots.iter().chain([&MAX_SEQUENCE_NUMBER]) {
        assert_eq!(after.read(snapshot), before.read(snapshot), "at snapshot {snapshot}");
    }
    if history.snapshots.is_empty() && !shape.has_base {
        for file in &outcome.files {
            let properties = &file.properties;
            assert_eq!((properties.num_deletions, properties.num_merge_operands), (0, 0));
            assert_eq!(file.metadata.largest_seqno, 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn live_snapshots_read_the_same_before_and_after(
        operations in prop::collection::vec(operation(), 1..60),
        shape in shape(),
    ) {
        check(&operations, &shape);
    }

    #[test]
    fn values_go_to_the_same_blocks_one_by_one_and_together(
        operations in prop::collection::vec(plain_operation(), 1..150),
        shape in shape(),
    ) {
        check(&operations, &shape);
    }

    #[test]
    fn operands_that_are_alone_go_to_the_same_blocks_as_values(
        operations in prop::collection::vec(merging_operation(), 1..150),
        shape in shape(),
    ) {
        check(&operations, &shape);
    }
}
