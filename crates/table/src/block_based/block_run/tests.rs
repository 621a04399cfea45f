use super::*;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::data_block::{DataBlockDecoder, KeyTransform};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalKey, InternalKeyComparator, ValueType};

type Entries = Vec<(Vec<u8>, SequenceNumber, ValueType)>;

fn values(user_keys: impl IntoIterator<Item = String>) -> Entries {
    user_keys.into_iter().map(|key| (key.into_bytes(), 7, ValueType::Value)).collect()
}

fn block(entries: &Entries) -> Arc<DataBlock> {
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    for (user_key, sequence, value_type) in entries {
        let key = InternalKey::new(user_key, *sequence, *value_type);
        builder.add(key.as_bytes(), user_key);
    }
    let comparator = InternalKeyComparator::bytewise();
    let decoder = DataBlockDecoder::new(&comparator, KeyTransform::default());
    Arc::new(decoder.decode(&builder.finish()).unwrap())
}

fn at(block: &DataBlock, index: usize) -> BlockCursor {
    let mut cursor = BlockCursor::new();
    cursor.seek_to_first(block);
    (0..index).for_each(|_| assert!(cursor.next(block)));
    cursor
}

fn limits<'a>(is_backward: bool, ends: [Option<&'a [u8]>; 2]) -> RunLimits<'a> {
    RunLimits { is_backward, sequence: 7, ends }
}

/// The user keys that a run shows after its first; that is where it leaves the cursor.
fn walk(block: &Arc<DataBlock>, index: usize, limits: &RunLimits<'_>) -> Vec<Vec<u8>> {
    let (mut run, mut cursor, mut shown) = (BlockRun::default(), at(block, index), Vec::new());
    let begun = run.begin(block, &cursor, limits);
    assert_eq!(begun, run.is_active());
    let step =
        |run: &mut BlockRun| if limits.is_backward { run.step_back() } else { run.step_on() };
    while step(&mut run) {
        assert_eq!((run.user_key(), &run.pinned_value()[..]), (run.value(), run.value()));
        assert_eq!(run.shown_bytes(), 2 * run.value().len());
        shown.push(run.user_key().to_vec());
    }
    run.end(&mut cursor);
    assert!(!run.is_active() && !run.step_on() && !run.step_back());
    let end = if limits.is_backward { index - shown.len() } else { index + shown.len() };
    let expected = at(block, end);
    assert_eq!((cursor.index(), cursor.key()), (end, expected.key()));
    assert_eq!(cursor.value(block), expected.value(block));
    shown
}

#[test]
fn a_run_goes_as_far_as_its_limits_and_no_further() {
    // Numbers of eight bytes tell them apart, with and without bytes in common.
    let short: Vec<_> = (10..50).map(|number| format!("{number}")).collect();
    let long: Vec<_> = (10..50)
        .map(|number| format!("what all of them begin with {number} and then some more bytes"))
        .collect();
    for keys in [short, long] {
        let entries = values(keys.clone());
        let block = block(&entries);
        // Also ends between keys, before all and after all.
        let ends: Vec<Vec<u8>> = [vec![], vec![0xff]]
            .into_iter()
            .chain(keys.iter().map(|key| key.clone().into_bytes()))
            .chain(keys.iter().map(|key| [key.as_bytes(), b"5"].concat()))
            .collect();
        for index in 0..keys.len() {
            for end in &ends {
                let after = entries[index + 1..].iter().map(|entry| entry.0.clone());
                let wanted: Vec<_> = after.take_while(|key| key < end).collect();
                let shown = walk(&block, index, &limits(false, [None, Some(end)]));
                check(&shown, &wanted, keys.len());
                // The first one is left out.
                let before = entries[1..index.max(1)].iter().rev().map(|entry| entry.0.clone());
                let wanted: Vec<_> = before.take_while(|key| key > end).collect();
                let shown = walk(&block, index, &limits(true, [Some(end), None]));
                check(&shown, &wanted, keys.len());
            }
        }
    }
}

/// A run may stop early where numbers do not tell keys from its end; no run is shorter than some steps.
fn check(shown: &[Vec<u8>], wanted: &[Vec<u8>], entries: usize) {
    assert!(wanted.starts_with(shown), "{shown:?} of {wanted:?}");
    let missing = wanted.len() - shown.len();
    assert!(missing <= STEPS_MIN, "{shown:?} of {wanted:?} of {entries}");
}

#[test]
fn a_run_is_long_where_nothing_ends_it() {
    let block = block(&values((10..50).map(|number| format!("{number}"))));
    assert_eq!(walk(&block, 0, &limits(false, [None, None])).len(), 39);
    assert_eq!(walk(&block, 39, &limits(true, [None, None])).len(), 38);
    assert_eq!(walk(&block, 5, &limits(false, [Some(b"30"), Some(b"20")])).len(), 4);
}

#[test]
fn only_values_of_keys_of_their_own_that_are_old_enough_make_runs() {
    let plain = || values((10..30).map(|number| format!("{number}")));
    let begins = |entries: &Entries| {
        let block = block(entries);
        let mut run = BlockRun::default();
        run.begin(&block, &at(&block, 0), &limits(false, [None, None]))
    };
    assert!(begins(&plain()));
    let mut newer = plain();
    newer[11].1 = 8;
    assert!(!begins(&newer));
    for value_type in [ValueType::Deletion, ValueType::Merge, ValueType::BlobIndex] {
        let mut other = plain();
        other[11].2 = value_type;
        assert!(!begins(&other), "{value_type:?}");
    }
    let mut twice = plain();
    twice.insert(12, (twice[11].0.clone(), 3, ValueType::Value));
    assert!(!begins(&twice));
    // Not told apart by numbers.
    let tied = ["1234567", "1234567\0", "a", "b", "c", "d"].map(String::from);
    assert!(!begins(&values(tied)));
    let none = BlockRun::default();
    assert!(none.value().is_empty() && none.pinned_value().is_empty());
    assert!(block(&plain()).holds_plain_values(MAX_SEQUENCE_NUMBER));
}
