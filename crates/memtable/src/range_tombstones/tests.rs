use super::*;
use base::Comparator;
use proptest::prelude::*;
use std::cmp::Ordering as KeyOrder;

/// Bytewise, and counts what it is asked. Its name is its own, so that it is asked at all.
#[derive(Debug, Default)]
struct CountingComparator {
    comparisons: AtomicU64,
}

impl Comparator for CountingComparator {
    fn name(&self) -> &str {
        "counting"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> KeyOrder {
        self.comparisons.fetch_add(1, Ordering::Relaxed);
        a.cmp(b)
    }

    fn find_shortest_separator(&self, _start: &mut Vec<u8>, _limit: &[u8]) {}

    fn find_short_successor(&self, _key: &mut Vec<u8>) {}
}

fn tombstone(sequence: u64, start: u64, end: u64) -> RangeTombstone {
    let key = |number: u64| number.to_be_bytes().to_vec();
    RangeTombstone { start_key: key(start), end_key: key(end), sequence }
}

fn newest_over(parts: &RangeTombstoneParts, key: u64, snapshot: u64) -> u64 {
    let over = |part: &Arc<FragmentedRangeTombstoneList>| {
        part.max_covering_sequence(&key.to_be_bytes(), snapshot, None)
    };
    parts.iter().map(over).max().unwrap_or(0)
}

/// Comparisons that `count` tombstones cost of which each is read before the next, and those of a
/// read afterwards.
fn cost(count: u64) -> (u64, u64) {
    let counting = Arc::new(CountingComparator::default());
    let tombstones = RangeTombstones::new(InternalKeyComparator::new(counting.clone()));
    let scattered = |sequence: u64| sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    for sequence in 1..=count {
        let start = scattered(sequence);
        tombstones.add(tombstone(sequence, start, start + 1000));
        assert!(newest_over(&tombstones.parts(), start, sequence) == sequence);
    }
    let writing = counting.comparisons.swap(0, Ordering::Relaxed);
    newest_over(&tombstones.parts(), scattered(1), count);
    (writing, counting.comparisons.load(Ordering::Relaxed))
}

#[test]
#[cfg_attr(miri, ignore = "counts comparisons, which takes long")]
fn a_new_tombstone_is_cut_up_with_few_others() {
    let (small, _) = cost(1_000);
    let (large, read) = cost(8_000);
    // Eight times as many, each with a logarithm squared more; cut up anew each time it were 80.
    assert!(large < 8 * 2 * small, "{small} comparisons, then {large}");
    // Parts: less than log4 of 8,000 and one more; in each a binary search of its bounds.
    assert!(read < 7 * 15, "{read} comparisons of one read");
}

#[test]
fn parts_shrink_from_the_oldest_to_the_newest() {
    let tombstones = RangeTombstones::new(InternalKeyComparator::bytewise());
    assert!(tombstones.parts().is_empty());
    for sequence in 1..=300 {
        tombstones.add(tombstone(sequence, 1000 - sequence, 1000));
        if sequence % 7 == 0 {
            continue;
        }
        let parts = tombstones.parts();
        let counts: Vec<_> = parts.iter().map(|part| part.tombstone_count()).collect();
        assert!(counts.windows(2).all(|pair| pair[0] >= GROWTH * pair[1]), "{counts:?}");
        assert_eq!(counts.iter().sum::<usize>() as u64, sequence);
        assert!(Arc::ptr_eq(&parts, &tombstones.parts()));
    }
}

#[test]
fn one_list_takes_the_place_of_the_parts() {
    let tombstones = RangeTombstones::new(InternalKeyComparator::bytewise());
    assert!(tombstones.fragmented().is_empty());
    for sequence in 1..=10 {
        tombstones.add(tombstone(sequence, sequence, 100));
        tombstones.parts();
    }
    assert!(tombstones.parts().len() > 1);
    let whole = tombstones.fragmented();
    assert_eq!(whole.tombstone_count(), 10);
    assert!(matches!(&*tombstones.parts(), [only] if Arc::ptr_eq(only, &whole)));
    tombstones.add(tombstone(11, 0, 1));
    tombstones.mark_immutable();
    assert_eq!(tombstones.fragmented().tombstone_count(), 11);
    assert_eq!(tombstones.parts().len(), 1);
}

proptest! {
    #[test]
    fn parts_hide_what_the_whole_hides(
        ranges in prop::collection::vec((0u64..40, 0u64..40, any::<bool>()), 1..60),
        snapshot in 0u64..60,
    ) {
        let comparator = InternalKeyComparator::bytewise();
        let tombstones = RangeTombstones::new(comparator.clone());
        let mut all = Vec::new();
        for ((start, end, is_read), sequence) in ranges.into_iter().zip(1..) {
            all.push(tombstone(sequence, start, end));
            tombstones.add(tombstone(sequence, start, end));
            if !is_read {
                continue;
            }
            let whole = FragmentedRangeTombstoneList::new(all.clone(), &comparator);
            let parts = tombstones.parts();
            for key in 0..40u64 {
                let expected = whole.max_covering_sequence(&key.to_be_bytes(), snapshot, None);
                prop_assert_eq!(newest_over(&parts, key, snapshot), expected);
            }
        }
    }
}
