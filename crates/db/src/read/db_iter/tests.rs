use super::*;
use crate::read::blob_reads::BlobReads;
use crate::read::scan_cursor::ScanRun;
use crate::{ColumnFamilyHandle, Db, DbIterator};
use base::merge_operator;
use base::{InternalKey, RangeTombstone};
use blob::{BlobFileCache, BlobSource, OpenBlobFiles};
use env::{FileOptions, MemFileSystem};
use iterator::{FragmentedRangeTombstoneList, VecIterator};
use perf_context::{PerfLevel, perf_context, reset_perf_context, set_perf_level};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use version::Version;

/// Deletions and what they hide, that a move of a new iterator goes over.
pub(crate) fn passed(
    db: &Db,
    family: &ColumnFamilyHandle,
    walk: impl FnOnce(&mut DbIterator),
) -> u64 {
    let mut iterator = db.new_iterator(&ReadOptions::default(), family).unwrap();
    reset_perf_context();
    set_perf_level(PerfLevel::EnableCount);
    walk(&mut iterator);
    set_perf_level(PerfLevel::Disable);
    iterator.status().unwrap();
    let counted = perf_context();
    counted.get(PerfMetric::InternalDeleteSkippedCount)
        + counted.get(PerfMetric::InternalKeySkippedCount)
}

/// One write to a database whose keys are single letters.
#[derive(Clone, Debug)]
enum Write {
    Put(u8),
    Merge(u8),
    Delete(u8),
    SingleDelete(u8),
    DeleteRange(u8, u8),
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let key = || b'a'..b'i';
    let write = prop_oneof![
        4 => key().prop_map(Write::Put),
        3 => key().prop_map(Write::Merge),
        2 => key().prop_map(Write::Delete),
        1 => key().prop_map(Write::SingleDelete),
        1 => (key(), key()).prop_map(|(a, b)| Write::DeleteRange(a.min(b), a.max(b) + 1)),
    ];
    prop::collection::vec(write, 0..60)
}

#[derive(Clone, Debug)]
enum Move {
    First,
    Last,
    Seek(u8),
    SeekForPrev(u8),
    Next,
    Prev,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let key = || b'`'..b'k';
    let step = prop_oneof![
        1 => Just(Move::First),
        1 => Just(Move::Last),
        2 => key().prop_map(Move::Seek),
        2 => key().prop_map(Move::SeekForPrev),
        6 => Just(Move::Next),
        6 => Just(Move::Prev),
    ];
    prop::collection::vec(step, 0..60)
}

fn value(sequence: SequenceNumber) -> Vec<u8> {
    format!("v{sequence}").into_bytes()
}

/// The live keys after the first `sequence` writes.
fn model(writes: &[Write], sequence: SequenceNumber) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut live = BTreeMap::new();
    for (at, write) in (1..).zip(writes).take_while(|(at, _)| *at <= sequence) {
        match *write {
            Write::Put(key) => {
                live.insert(vec![key], value(at));
            }
            Write::Merge(key) => match live.get_mut(&vec![key]) {
                Some(old) => *old = [old, &b","[..], &value(at)].concat(),
                None => {
                    live.insert(vec![key], value(at));
                }
            },
            Write::Delete(key) | Write::SingleDelete(key) => {
                live.remove(&vec![key]);
            }
            Write::DeleteRange(from, to) => live.retain(|key, _| key[0] < from || key[0] >= to),
        }
    }
    live
}

/// Internal keys and values, in any order.
type Entries = Vec<(Vec<u8>, Vec<u8>)>;

fn db_iterator(
    writes: &[Write],
    sequence: SequenceNumber,
    skips_max: u64,
    options: &ReadOptions,
) -> DbIter {
    let (entries, ranges) = records(writes, 1);
    iterator_over(InternalKeyComparator::bytewise(), entries, ranges, sequence, skips_max, options)
}

/// What so many writes leave, the first with this sequence number.
fn records(writes: &[Write], first: SequenceNumber) -> (Entries, Vec<RangeTombstone>) {
    let (mut entries, mut ranges) = (Vec::new(), Vec::new());
    for (at, write) in (first..).zip(writes) {
        let (key, value_type, value) = match *write {
            Write::Put(key) => (key, ValueType::Value, value(at)),
            Write::Merge(key) => (key, ValueType::Merge, value(at)),
            Write::Delete(key) => (key, ValueType::Deletion, Vec::new()),
            Write::SingleDelete(key) => (key, ValueType::SingleDeletion, Vec::new()),
            Write::DeleteRange(from, to) => {
                let (start_key, end_key) = (vec![from], vec![to]);
                ranges.push(RangeTombstone { start_key, end_key, sequence: at });
                continue;
            }
        };
        entries.push((InternalKey::new(&[key], at, value_type).as_bytes().to_vec(), value));
    }
    (entries, ranges)
}

/// Over runs of which each has writes older than those of the runs before.
fn iterator_over_layers(
    writes: &[Write],
    cuts: &BTreeSet<usize>,
    sequence: SequenceNumber,
    skips_max: u64,
    options: &ReadOptions,
) -> DbIter {
    let (mut runs, mut lists, mut end) = (Vec::new(), Vec::new(), writes.len());
    for start in cuts.iter().rev().map(|cut| cut % writes.len().max(1)).chain([0]) {
        let start = start.min(end);
        let (entries, ranges) = records(&writes[start..end], start as u64 + 1);
        runs.push(entries);
        lists.push((ranges, runs.len()));
        end = start;
    }
    let comparator = InternalKeyComparator::bytewise();
    iterator_over_runs(comparator, runs, lists, sequence, skips_max, options)
}

fn iterator_over(
    comparator: InternalKeyComparator,
    entries: Entries,
    ranges: Vec<RangeTombstone>,
    sequence: SequenceNumber,
    skips_max: u64,
    options: &ReadOptions,
) -> DbIter {
    let mut runs = vec![Vec::new(); 3];
    for (at, entry) in entries.into_iter().enumerate() {
        // More in the first run than in others, so that it has versions in a row.
        runs[(at % 5).saturating_sub(2)].push(entry);
    }
    // All runs have newer entries as well.
    let lists = vec![(ranges, usize::MAX)];
    iterator_over_runs(comparator, runs, lists, sequence, skips_max, options)
}

/// Of the range tombstones come several lists, each with the first run that is older than its own.
fn iterator_over_runs(
    comparator: InternalKeyComparator,
    runs: Vec<Entries>,
    lists: Vec<(Vec<RangeTombstone>, usize)>,
    sequence: SequenceNumber,
    skips_max: u64,
    options: &ReadOptions,
) -> DbIter {
    let timestamp = options.timestamp.as_deref();
    let tombstones = RangeTombstoneAggregator::new(comparator.clone(), sequence, timestamp);
    for (ranges, older_from) in lists {
        let list = FragmentedRangeTombstoneList::new(ranges, &comparator);
        tombstones.sink().add(Arc::new(list), older_from);
    }
    let files = BlobFileCache::new(
        Arc::new(MemFileSystem::new()),
        PathBuf::from("/"),
        FileOptions::default(),
        0,
        Arc::new(OpenBlobFiles::new(1)),
    );
    let runs = runs
        .into_iter()
        .map(|entries| ScanRun::Other(Box::new(VecIterator::new(comparator.clone(), entries))));
    let parts = DbIterParts {
        internal: ScanCursor::new(&comparator, runs.collect()),
        tombstones,
        comparator: comparator.clone(),
        resolver: ValueResolver {
            comparator,
            merge_operator: merge_operator::builtin("stringappend"),
            statistics: None,
            blobs: BlobReads {
                version: Arc::new(Version::new(7)),
                source: Arc::new(BlobSource::new(files, None)),
            },
        },
        prefix_extractor: None,
        sequence,
        uncommitted: Arc::from([]),
        skips_max,
        stats: ScanStats::default(),
        super_version_number: 1,
        hidden_run: HiddenRun::none(),
        has_active: false,
    };
    DbIter::new(parts, options)
}

/// The same moves over a sorted map.
fn expect<'m>(
    live: &'m BTreeMap<Vec<u8>, Vec<u8>>,
    at: Option<&Vec<u8>>,
    step: &Move,
) -> Option<(&'m Vec<u8>, &'m Vec<u8>)> {
    let after = |key: &Vec<u8>| live.range::<Vec<u8>, _>(key..).find(|(found, _)| *found > key);
    match step {
        Move::First => live.first_key_value(),
        Move::Last => live.last_key_value(),
        Move::Seek(key) => live.range(vec![*key]..).next(),
        Move::SeekForPrev(key) => live.range(..=vec![*key]).next_back(),
        Move::Next => at.and_then(after),
        Move::Prev => at.and_then(|key| live.range::<Vec<u8>, _>(..key).next_back()),
    }
}

fn apply(iterator: &mut DbIter, step: &Move) {
    match step {
        Move::First => iterator.seek_to_first(),
        Move::Last => iterator.seek_to_last(),
        Move::Seek(key) => iterator.seek(&[*key]),
        Move::SeekForPrev(key) => iterator.seek_for_prev(&[*key]),
        Move::Next => iterator.next(),
        Move::Prev => iterator.prev(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_sequence_of_moves_agrees_with_a_map(
        writes in writes(),
        moves in moves(),
        visible in 0.0..1.2f64,
        skips_max in 0u64..10,
        bounds in prop::option::of((b'a'..b'i', b'a'..b'i')),
        cuts in prop::option::of(prop::collection::btree_set(0usize..60, 0..4)),
    ) {
        let sequence = (writes.len() as f64 * visible) as SequenceNumber;
        let mut live = model(&writes, sequence);
        let mut options = ReadOptions::default();
        if let Some((a, b)) = bounds {
            let (lower, upper) = (a.min(b), a.max(b));
            live.retain(|key, _| key[0] >= lower && key[0] < upper);
            options.iterate_lower_bound = Some(vec![lower]);
            options.iterate_upper_bound = Some(vec![upper]);
        }
        let mut iterator = match cuts {
            Some(cuts) => iterator_over_layers(&writes, &cuts, sequence, skips_max, &options),
            None => db_iterator(&writes, sequence, skips_max, &options),
        };
        let mut at: Option<Vec<u8>> = None;
        for step in &moves {
            if matches!(step, Move::Next | Move::Prev) && at.is_none() {
                continue;
            }
            apply(&mut iterator, step);
            let expected = expect(&live, at.as_ref(), step);
            let found = iterator.valid().then(|| (iterator.key(), iterator.value()));
            prop_assert_eq!(
                found,
                expected.map(|(key, value)| (&key[..], &value[..])),
                "{:?} from {:?}", step, at
            );
            prop_assert_eq!(iterator.status(), Ok(()));
            at = expected.map(|(key, _)| key.clone());
        }
    }
}

#[test]
fn what_a_range_tombstone_hides_in_older_runs_is_passed_at_once() {
    let puts = (b'b'..=b'y').map(Write::Put);
    let writes: Vec<Write> = puts.chain([Write::DeleteRange(b'c', b'y')]).collect();
    let cuts = BTreeSet::from([writes.len() - 1]);
    let mut iterator = iterator_over_layers(&writes, &cuts, 100, 8, &ReadOptions::default());
    let reseeks = || perf_context().get(PerfMetric::InternalRangeDelReseekCount);
    let hidden = || perf_context().get(PerfMetric::InternalDeleteSkippedCount);
    for (start, end, step) in [
        (Move::Seek(b'c'), b'y', Move::Prev),
        (Move::SeekForPrev(b'x'), b'b', Move::Next),
        (Move::First, b'b', Move::Next),
        (Move::Last, b'y', Move::Prev),
    ] {
        let before = (reseeks(), hidden());
        apply(&mut iterator, &start);
        assert_eq!(iterator.key(), [end]);
        apply(&mut iterator, &step);
        assert_eq!(iterator.key(), [b'b' + b'y' - end], "{step:?}");
        let passed = (reseeks() - before.0, hidden() - before.1);
        assert!((1..=2).contains(&passed.0) && passed.1 <= 6, "{start:?}: {passed:?}");
    }
}

#[test]
fn a_pinned_value_outlives_the_move() {
    let writes = [Write::Put(b'a'), Write::Put(b'b')];
    let mut iterator = db_iterator(&writes, 2, 8, &ReadOptions::default());
    iterator.seek_to_first();
    let pinned = iterator.pinned_value();
    iterator.next();
    assert_eq!((&*pinned, iterator.value()), (&b"v1"[..], &b"v2"[..]));
}

#[test]
fn operands_without_an_operator_end_the_scan_with_an_error() {
    let writes = [Write::Put(b'a'), Write::Merge(b'b'), Write::Put(b'c')];
    let mut iterator = db_iterator(&writes, 3, 8, &ReadOptions::default());
    iterator.resolver.merge_operator = None;
    iterator.seek_to_first();
    assert_eq!(iterator.key(), b"a");
    iterator.next();
    assert!(!iterator.valid());
    assert_eq!(iterator.status().unwrap_err().code(), base::status::Code::InvalidArgument);
    iterator.seek(b"c");
    assert_eq!((iterator.key(), iterator.status()), (&b"c"[..], Ok(())));
}

/// A deleted key, from which deletions in a row are passed, and versions of the next, of which the second is
/// a deletion that is not seen.
#[test]
fn a_deletion_that_is_not_seen_does_not_stand_for_one_that_is() {
    use ValueType::{Deletion, DeletionWithTimestamp, Value};
    let entries = |versions: [(&[u8], SequenceNumber, ValueType); 4]| -> Entries {
        let entry = |(user_key, sequence, value_type): (&[u8], _, _)| {
            let key = InternalKey::new(user_key, sequence, value_type);
            (key.as_bytes().to_vec(), value(sequence))
        };
        versions.map(entry).into()
    };
    let at = |key: u8, time: u64| [&[key][..], &time.to_le_bytes()].concat();
    let (before, early, late) = (at(b'a', 0), at(b'b', 0), at(b'b', 1));
    let timed = entries([
        (&before, 3, DeletionWithTimestamp),
        (&late, 2, DeletionWithTimestamp),
        (&early, 9, DeletionWithTimestamp),
        (&early, 1, Value),
    ]);
    let comparator =
        InternalKeyComparator::new(Arc::new(base::comparator::U64TimestampComparator::BYTEWISE));
    let options = ReadOptions { timestamp: Some(late[1..].to_vec()), ..Default::default() };
    let by_time = iterator_over(comparator, timed, Vec::new(), 5, 8, &options);

    let plain =
        entries([(b"a", 3, Deletion), (b"b", 6, Deletion), (b"b", 5, Deletion), (b"b", 1, Value)]);
    let (comparator, options) = (InternalKeyComparator::bytewise(), ReadOptions::default());
    let mut by_commit = iterator_over(comparator, plain, Vec::new(), 7, 8, &options);
    by_commit.uncommitted = Arc::from([5]);

    for mut iterator in [by_time, by_commit] {
        iterator.seek_to_first();
        assert!(!iterator.valid(), "{:?}", iterator.key());
        iterator.seek_to_last();
        assert!(!iterator.valid(), "{:?}", iterator.key());
        assert_eq!(iterator.status(), Ok(()));
    }
}

proptest! {
    /// Sequence numbers need not ascend with time.
    #[test]
    fn of_versions_with_timestamps_the_latest_visible_shows(
        versions in prop::collection::vec((b'a'..b'd', 0u64..12, any::<bool>()), 0..60),
        sequence in 0u64..60,
        time in 0u64..12,
        skips_max in 0u64..4,
    ) {
        let comparator = InternalKeyComparator::new(Arc::new(
            base::comparator::U64TimestampComparator::BYTEWISE,
        ));
        let (mut entries, mut latest) = (Vec::new(), BTreeMap::new());
        for (at, (key, written, is_deletion)) in (1..).zip(versions) {
            let user_key = [&[key][..], &written.to_le_bytes()].concat();
            let value_type =
                if is_deletion { ValueType::DeletionWithTimestamp } else { ValueType::Value };
            let internal_key = InternalKey::new(&user_key, at, value_type);
            entries.push((internal_key.as_bytes().to_vec(), value(at)));
            if at <= sequence && written <= time {
                let shown = latest.entry(key).or_insert((written, at, is_deletion));
                *shown = (*shown).max((written, at, is_deletion));
            }
        }
        let mut expected: Vec<_> = latest
            .into_iter()
            .filter(|(_, (_, _, is_deletion))| !is_deletion)
            .map(|(key, (written, at, _))| (vec![key], written.to_le_bytes(), value(at)))
            .collect();
        let options =
            ReadOptions { timestamp: Some(time.to_le_bytes().to_vec()), ..Default::default() };
        let mut iterator =
            iterator_over(comparator, entries, Vec::new(), sequence, skips_max, &options);
        let here = |iterator: &DbIter| {
            let timestamp: [u8; 8] = iterator.timestamp().try_into().expect("8 bytes");
            (iterator.key().to_vec(), timestamp, iterator.value().to_vec())
        };
        let mut found = Vec::new();
        iterator.seek_to_first();
        while iterator.valid() {
            found.push(here(&iterator));
            iterator.next();
        }
        prop_assert_eq!(&found, &expected);
        found.clear();
        iterator.seek_to_last();
        while iterator.valid() {
            found.push(here(&iterator));
            iterator.prev();
        }
        expected.reverse();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(iterator.status(), Ok(()));
    }
}
