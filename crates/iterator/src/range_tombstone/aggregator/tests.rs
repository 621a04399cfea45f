use super::*;
use base::comparator::{BytewiseComparator, ReverseBytewiseComparator, U64TimestampComparator};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{RangeTombstone, ValueType};
use proptest::prelude::*;

/// One memtable's or file's tombstones, kept as they are.
#[derive(Clone, Debug)]
struct Source {
    tombstones: Vec<RangeTombstone>,
    /// Smallest and largest internal key of a file.
    boundaries: Option<(InternalKey, InternalKey)>,
}

#[derive(Clone, Debug)]
enum Step {
    Add(Source),
    Ask(InternalKey, Direction),
    /// Asks the given number of steps along all records, from a place among them.
    Scan(usize, usize, Direction),
}

impl Source {
    fn may_hide(&self, record: &InternalKey, comparator: &InternalKeyComparator) -> bool {
        let Some((smallest, largest)) = &self.boundaries else {
            return true;
        };
        let sequence = |key: &InternalKey| key.trailer() >> 8;
        let to_smallest = comparator.compare_user_keys(record.user_key(), smallest.user_key());
        let to_largest = comparator.compare_user_keys(record.user_key(), largest.user_key());
        let is_after_smallest =
            to_smallest.is_gt() || (to_smallest.is_eq() && sequence(record) <= sequence(smallest));
        let is_before_largest = to_largest.is_lt()
            || (to_largest.is_eq()
                && !largest.is_range_tombstone_sentinel()
                && match sequence(largest) {
                    0 => record.trailer() > largest.trailer(),
                    _ => sequence(record) >= sequence(largest),
                });
        is_after_smallest && is_before_largest
    }

    fn hides(
        &self,
        record: &InternalKey,
        snapshot: SequenceNumber,
        comparator: &InternalKeyComparator,
    ) -> bool {
        let user_key = record.user_key();
        self.may_hide(record, comparator)
            && self.tombstones.iter().any(|tombstone| {
                tombstone.sequence <= snapshot
                    && tombstone.sequence > record.trailer() >> 8
                    && comparator.compare_user_keys(&tombstone.start_key, user_key).is_le()
                    && comparator.compare_user_keys(user_key, &tombstone.end_key).is_lt()
            })
    }

    /// Whether a visible tombstone is over a record, were it old enough.
    fn covers(
        &self,
        record: &InternalKey,
        snapshot: SequenceNumber,
        comparator: &InternalKeyComparator,
    ) -> bool {
        let mut ageless = self.clone();
        for tombstone in &mut ageless.tombstones {
            if tombstone.sequence <= snapshot {
                tombstone.sequence = SequenceNumber::MAX;
            } else {
                tombstone.end_key.clone_from(&tombstone.start_key);
            }
        }
        ageless.hides(record, SequenceNumber::MAX, comparator)
    }
}

/// The records from `key` on to before `target`.
fn between<'a>(
    records: &'a [InternalKey],
    key: &InternalKey,
    target: &[u8],
    direction: Direction,
    comparator: &InternalKeyComparator,
) -> Vec<&'a InternalKey> {
    let (low, high) = match direction {
        Direction::Forward => (key.as_bytes(), target),
        Direction::Backward => (target, key.as_bytes()),
    };
    let is_between = |record: &&InternalKey| {
        comparator.compare(low, record.as_bytes()).is_le()
            && comparator.compare(record.as_bytes(), high).is_lt()
    };
    records.iter().filter(is_between).collect()
}

fn ask(aggregator: &mut RangeTombstoneAggregator, key: &InternalKey, direction: Direction) -> bool {
    let parsed = ParsedInternalKey::parse(key.as_bytes()).unwrap();
    aggregator.should_delete(&parsed, direction)
}

fn user_key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0u8..3, 0..3)
}

fn record() -> impl Strategy<Value = InternalKey> {
    let value_type = prop_oneof![Just(ValueType::Value), Just(ValueType::Deletion)];
    (user_key(), 0u64..12, value_type)
        .prop_map(|(key, seq, kind)| InternalKey::new(&key, seq, kind))
}

fn boundary() -> impl Strategy<Value = InternalKey> {
    let sentinel = user_key()
        .prop_map(|key| InternalKey::new(&key, MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion));
    let tombstone_start = (user_key(), 1u64..12)
        .prop_map(|(key, sequence)| InternalKey::new(&key, sequence, ValueType::RangeDeletion));
    prop_oneof![3 => record(), 1 => sentinel, 1 => tombstone_start]
}

fn tombstone() -> impl Strategy<Value = RangeTombstone> {
    (user_key(), user_key(), 1u64..14).prop_map(|(start_key, end_key, sequence)| RangeTombstone {
        start_key,
        end_key,
        sequence,
    })
}

fn source() -> impl Strategy<Value = Source> {
    (prop::collection::vec(tombstone(), 0..5), prop::option::of((boundary(), boundary())))
        .prop_map(|(tombstones, boundaries)| Source { tombstones, boundaries })
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Forward), Just(Direction::Backward)]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => source().prop_map(Step::Add),
        2 => (record(), direction()).prop_map(|(key, direction)| Step::Ask(key, direction)),
        2 => (0usize..1000, 1usize..40, direction())
            .prop_map(|(from, count, direction)| Step::Scan(from, count, direction)),
    ];
    prop::collection::vec(step, 1..20)
}

fn all_records(comparator: &InternalKeyComparator) -> Vec<InternalKey> {
    let user_keys: Vec<Vec<u8>> = (0..3u8)
        .flat_map(|a| [vec![a], vec![a, 0], vec![a, 1], vec![a, 2]])
        .chain([vec![]])
        .collect();
    let mut records: Vec<_> = user_keys
        .iter()
        .flat_map(|key| (0..12).map(|sequence| InternalKey::new(key, sequence, ValueType::Value)))
        .collect();
    records.sort_by(|a, b| comparator.compare(a.as_bytes(), b.as_bytes()));
    records
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn answers_as_all_tombstones_one_by_one(
        steps in steps(),
        snapshot in 0u64..14,
        reverse in any::<bool>(),
    ) {
        let comparator = InternalKeyComparator::new(if reverse {
            Arc::new(ReverseBytewiseComparator)
        } else {
            Arc::new(BytewiseComparator)
        });
        let records = all_records(&comparator);
        let mut aggregator = RangeTombstoneAggregator::new(comparator.clone(), snapshot, None);
        let sink = aggregator.sink();
        let mut sources: Vec<Source> = Vec::new();
        for step in steps {
            let (asked, direction): (Vec<&InternalKey>, _) = match &step {
                Step::Add(source) => {
                    let list =
                        FragmentedRangeTombstoneList::new(source.tombstones.clone(), &comparator);
                    match &source.boundaries {
                        None => sink.add(Arc::new(list), 0),
                        Some((smallest, largest)) => {
                            sink.add_file(sources.len() as u64, Arc::new(list), smallest, largest, 0);
                        }
                    }
                    sources.push(source.clone());
                    continue;
                }
                Step::Ask(key, direction) => (vec![key], *direction),
                Step::Scan(from, count, Direction::Forward) => {
                    let from = from % records.len();
                    (records[from..].iter().take(*count).collect(), Direction::Forward)
                }
                Step::Scan(from, count, Direction::Backward) => {
                    let from = from % records.len();
                    (records[..from].iter().rev().take(*count).collect(), Direction::Backward)
                }
            };
            for key in asked {
                let expected = sources.iter().any(|s| s.hides(key, snapshot, &comparator));
                prop_assert_eq!(
                    ask(&mut aggregator, key, direction),
                    expected,
                    "{:?} {:?} with {:?}", key, direction, &sources
                );
                let mut target = Vec::new();
                let reach = aggregator.hidden_reach(0, &mut target);
                prop_assert!(!expected || reach.is_some());
                if expected {
                    let passed = between(&records, key, &target, direction, &comparator);
                    let is_covered = |record: &&InternalKey| {
                        sources.iter().any(|s| s.covers(record, snapshot, &comparator))
                    };
                    prop_assert!(passed.iter().all(is_covered), "{key:?} to {target:?}");
                }
            }
        }
    }

    /// Records of one level, split into files at any place, even between versions of one key: each
    /// file's tombstones, which reach beyond it, hide together what they would hide unsplit.
    #[test]
    fn a_split_level_hides_what_the_whole_would(
        tombstones in prop::collection::vec(tombstone(), 1..6),
        cuts in prop::collection::btree_set(1usize..150, 0..6),
        backward in any::<bool>(),
    ) {
        let comparator = InternalKeyComparator::bytewise();
        let mut records = all_records(&comparator);
        records.retain(|record| record.trailer() >> 8 > 0);
        let whole = Source { tombstones: tombstones.clone(), boundaries: None };
        let list = Arc::new(FragmentedRangeTombstoneList::new(tombstones, &comparator));
        let mut aggregator =
            RangeTombstoneAggregator::new(comparator.clone(), MAX_SEQUENCE_NUMBER, None);
        let sink = aggregator.sink();
        let mut ends: Vec<usize> =
            cuts.into_iter().filter(|cut| *cut < records.len()).chain([records.len()]).collect();
        let mut starts: Vec<usize> = [0].into_iter().chain(ends.clone()).collect();
        starts.pop();
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        if backward {
            starts.reverse();
            ends.reverse();
        }
        for (start, end) in starts.into_iter().zip(ends) {
            prop_assert!(!sink.has_file(start as u64));
            sink.add_file(start as u64, list.clone(), &records[start], &records[end - 1], 0);
            prop_assert!(sink.has_file(start as u64));
            let mut in_file: Vec<_> = records[start..end].iter().collect();
            if backward {
                in_file.reverse();
            }
            for record in in_file {
                let expected = whole.hides(record, MAX_SEQUENCE_NUMBER, &comparator);
                prop_assert_eq!(ask(&mut aggregator, record, direction), expected);
            }
        }
    }
}

fn tombstone_list(raw: &[(&str, &str, u64)]) -> Arc<FragmentedRangeTombstoneList> {
    let tombstones = raw
        .iter()
        .map(|(start, end, sequence)| RangeTombstone {
            start_key: start.as_bytes().to_vec(),
            end_key: end.as_bytes().to_vec(),
            sequence: *sequence,
        })
        .collect();
    Arc::new(FragmentedRangeTombstoneList::new(tombstones, &InternalKeyComparator::bytewise()))
}

#[test]
fn files_that_were_left_are_forgotten_by_seeks_and_may_come_again() {
    let comparator = InternalKeyComparator::bytewise();
    let mut aggregator =
        RangeTombstoneAggregator::new(comparator.clone(), MAX_SEQUENCE_NUMBER, None);
    let sink = aggregator.sink();
    let key = |name: &str| InternalKey::new(name.as_bytes(), 5, ValueType::Value);
    let names = ["a", "b", "c", "d", "e", "f"];
    let add = |file: usize| {
        let name = names[file];
        let end = format!("{name}9");
        let list = tombstone_list(&[(name, &end, 10)]);
        sink.add_file(file as u64, list, &key(name), &key(&end), 0);
    };
    let hides = |aggregator: &mut RangeTombstoneAggregator| {
        names.map(|name| ask(aggregator, &key(&format!("{name}5")), Direction::Forward))
    };
    (0..names.len()).for_each(add);
    assert_eq!(hides(&mut aggregator), [true; 6]);
    // Few are kept.
    (1..=LEFT_FILES_MAX as u64).for_each(|file| sink.leave_file(file));
    aggregator.begin_seek();
    assert_eq!(hides(&mut aggregator), [true; 6]);
    // One that the scan has come to again was not left.
    sink.leave_file(5);
    add(4);
    sink.leave_file(99);
    aggregator.begin_seek();
    assert_eq!(hides(&mut aggregator), [true; 6]);
    sink.leave_file(4);
    // Who goes on without a seek still sees them.
    assert_eq!(hides(&mut aggregator), [true; 6]);
    aggregator.begin_seek();
    assert_eq!(hides(&mut aggregator), [true, false, false, false, false, false]);
    assert!(sink.has_file(0) && !sink.has_file(3));
    (2..4).for_each(add);
    assert_eq!(hides(&mut aggregator), [true, false, true, true, false, false]);
}

#[test]
fn nothing_added_hides_nothing() {
    let comparator = InternalKeyComparator::bytewise();
    let mut aggregator = RangeTombstoneAggregator::new(comparator, MAX_SEQUENCE_NUMBER, None);
    assert!(aggregator.is_empty());
    aggregator.sink().add(tombstone_list(&[]), 0);
    assert!(aggregator.is_empty());
    let key = InternalKey::new(b"k", 1, ValueType::Value);
    assert!(!ask(&mut aggregator, &key, Direction::Forward));
    aggregator.sink().add(tombstone_list(&[("a", "z", 5)]), 0);
    assert!(!aggregator.is_empty());
    assert!(ask(&mut aggregator, &key, Direction::Forward));
}

#[test]
fn a_file_is_added_once() {
    let comparator = InternalKeyComparator::bytewise();
    let mut aggregator = RangeTombstoneAggregator::new(comparator, MAX_SEQUENCE_NUMBER, None);
    let sink = aggregator.sink();
    let [a, z] = [b"a", b"z"].map(|key| InternalKey::new(key, 9, ValueType::Value));
    for _ in 0..3 {
        sink.add_file(7, tombstone_list(&[("a", "z", 5)]), &a, &z, 0);
        assert!(ask(
            &mut aggregator,
            &InternalKey::new(b"k", 1, ValueType::Value),
            Direction::Forward
        ));
    }
    assert_eq!(aggregator.cursors.len(), 1);
}

#[test]
fn a_read_timestamp_bounds_what_is_seen() {
    let comparator = InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE));
    let at = |key: &str, timestamp: u64| [key.as_bytes(), &timestamp.to_le_bytes()].concat();
    let tombstones = [("a", "m", 10, 100), ("c", "z", 20, 200)]
        .map(|(start, end, sequence, timestamp)| RangeTombstone {
            start_key: at(start, timestamp),
            end_key: at(end, timestamp),
            sequence,
        })
        .to_vec();
    let list = Arc::new(FragmentedRangeTombstoneList::new(tombstones, &comparator));
    for (read_timestamp, expected) in [(99, ""), (150, "abl"), (200, "ablxy")] {
        let mut aggregator = RangeTombstoneAggregator::new(
            comparator.clone(),
            MAX_SEQUENCE_NUMBER,
            Some(&u64::to_le_bytes(read_timestamp)),
        );
        aggregator.sink().add(list.clone(), 0);
        let mut hidden = String::new();
        for key in ["A", "a", "b", "l", "x", "y", "z"] {
            let record = InternalKey::new(&at(key, 50), 5, ValueType::Value);
            if ask(&mut aggregator, &record, Direction::Forward) {
                hidden.push_str(key);
            }
        }
        assert_eq!(hidden, expected);
    }
}

#[test]
fn a_scan_compares_little_within_a_stretch() {
    let comparator = InternalKeyComparator::bytewise();
    let mut aggregator = RangeTombstoneAggregator::new(comparator, MAX_SEQUENCE_NUMBER, None);
    for sequence in 0..100 {
        aggregator.sink().add(tombstone_list(&[("b", "y", 10 + sequence)]), 0);
    }
    let record = |key: u8| InternalKey::new(&[key], 5, ValueType::Value);
    assert!(!ask(&mut aggregator, &record(b'a'), Direction::Forward));
    assert!(ask(&mut aggregator, &record(b'b'), Direction::Forward));
    let place = aggregator.stretch.anchor.clone();
    for key in b'c'..b'y' {
        assert!(ask(&mut aggregator, &record(key), Direction::Forward));
    }
    assert_eq!(aggregator.stretch.anchor.as_bound().user_key, place.as_bound().user_key);
    assert!(!ask(&mut aggregator, &record(b'y'), Direction::Forward));
}

/// Bytewise under another name, so that it is asked, and counts that.
#[derive(Debug, Default)]
struct CountingComparator {
    comparisons: std::sync::atomic::AtomicU64,
}

impl base::Comparator for CountingComparator {
    fn name(&self) -> &str {
        "counting"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        self.comparisons.fetch_add(1, MemoryOrder::Relaxed);
        a.cmp(b)
    }

    fn find_shortest_separator(&self, _start: &mut Vec<u8>, _limit: &[u8]) {}

    fn find_short_successor(&self, _key: &mut Vec<u8>) {}
}

/// Comparisons of a seek among `count` tombstones, on the average over places far apart.
fn comparisons_of_a_seek(count: u64) -> u64 {
    let counting = Arc::new(CountingComparator::default());
    let comparator = InternalKeyComparator::new(counting.clone());
    let key = |number: u64| number.to_be_bytes().to_vec();
    let tombstones = (0..count)
        .map(|number| RangeTombstone {
            start_key: key(4 * number),
            end_key: key(4 * number + 2),
            sequence: 10 + number,
        })
        .collect();
    let list = FragmentedRangeTombstoneList::new(tombstones, &comparator);
    let mut aggregator = RangeTombstoneAggregator::new(comparator, MAX_SEQUENCE_NUMBER, None);
    aggregator.sink().add(Arc::new(list), 0);
    counting.comparisons.store(0, MemoryOrder::Relaxed);
    for step in 0..100 {
        let number = step * 7919 % count;
        let hidden = InternalKey::new(&key(4 * number + 1), 5, ValueType::Value);
        assert!(ask(&mut aggregator, &hidden, Direction::Forward));
    }
    counting.comparisons.load(MemoryOrder::Relaxed) / 100
}

#[test]
fn a_seek_among_many_tombstones_takes_a_logarithm_of_steps() {
    // Out from the last place and back in: twice the logarithm of the bounds, and a few for the ends.
    for (count, log2_of_bounds) in [(1_000, 11), (32_000, 16)] {
        let comparisons = comparisons_of_a_seek(count);
        assert!(comparisons <= 2 * log2_of_bounds + 10, "{comparisons} comparisons among {count}");
    }
}
