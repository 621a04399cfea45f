//! What it costs to find out whether a range tombstone hides a key, beside a binary search of numbers: `cargo bench -p
//! touchstone-iterator --bench range_tombstones`, with parts of names to measure those alone, and with `--short`.

use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalKeyComparator, RangeTombstone, SequenceNumber};
use iterator::{Direction, FragmentedRangeTombstoneList, RangeTombstoneAggregator};
use microbench::{Benches, each, prepared, scatter};
use std::hint::black_box;
use std::sync::Arc;

const OPERATIONS: u64 = 10_000;
const COUNTS: [u64; 3] = [1, 1_000, 100_000];
/// Keys from the start of one tombstone to that of the next.
const DISTANCE: u64 = 10;
/// Of these so many are covered.
const LENGTH: u64 = 5;

fn user_key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

fn tombstones(count: u64) -> Vec<RangeTombstone> {
    let tombstone = |number: u64| RangeTombstone {
        start_key: user_key(number * DISTANCE).to_vec(),
        end_key: user_key(number * DISTANCE + LENGTH).to_vec(),
        sequence: 100 + number % 100,
    };
    (0..count).map(tombstone).collect()
}

/// Where the answer changes.
fn bounds(count: u64) -> Vec<u64> {
    (0..count).flat_map(|number| [number * DISTANCE, number * DISTANCE + LENGTH]).collect()
}

fn lookups(benches: &Benches, count: u64) {
    let name = format!("range tombstones: lookup among {count}");
    let older = format!("range tombstones: lookup of older, {count}");
    if !benches.wants(&name) && !benches.wants(&older) {
        return;
    }
    let list =
        FragmentedRangeTombstoneList::new(tombstones(count), &InternalKeyComparator::bytewise());
    let bounds = bounds(count);
    let lookup = |snapshot: SequenceNumber| {
        let list = &list;
        each(OPERATIONS, move |number| {
            let key = user_key(scatter(number, count * DISTANCE));
            list.max_covering_sequence(&key, snapshot, None)
        })
    };
    let search = || {
        each(OPERATIONS, |number| {
            let wanted = scatter(number, count * DISTANCE);
            bounds.partition_point(|&bound| bound <= wanted)
        })
    };
    benches.compare(&name, lookup(MAX_SEQUENCE_NUMBER), "binary search of numbers", search());
    // Half of the tombstones are too new for this snapshot.
    benches.compare(&older, lookup(150), "binary search of numbers", search());
}

/// Of every key of a scan, in order, that begins where the tombstones do.
fn scans(benches: &Benches, count: u64) {
    let name = format!("range tombstones: key of a scan, {count}");
    if !benches.wants(&name) {
        return;
    }
    let comparator = InternalKeyComparator::bytewise();
    let list = Arc::new(FragmentedRangeTombstoneList::new(tombstones(count), &comparator));
    let bounds = bounds(count);
    let scan = || {
        let aggregator =
            RangeTombstoneAggregator::new(comparator.clone(), MAX_SEQUENCE_NUMBER, None);
        aggregator.sink().add(Arc::clone(&list), 0);
        aggregator
    };
    benches.compare(
        &name,
        prepared(OPERATIONS, scan, |aggregator| {
            for number in 0..OPERATIONS {
                black_box(aggregator.hides_value(&user_key(number), 1, Direction::Forward));
            }
        }),
        "a comparison with the next bound",
        prepared(
            OPERATIONS,
            || 0,
            |position| {
                for number in 0..OPERATIONS {
                    while bounds.get(*position).is_some_and(|&bound| bound <= number) {
                        *position += 1;
                    }
                    black_box(*position % 2 == 1);
                }
            },
        ),
    );
}

fn main() {
    let benches = Benches::from_arguments();
    for count in COUNTS {
        lookups(&benches, count);
        scans(&benches, count);
    }
}
