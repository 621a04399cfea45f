use super::{EntryColumns, KEYS_SIZE_ENOUGH, RankOrder, StoredEntry};
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use base::{InternalKey, Result, ValueType};
use proptest::prelude::*;

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn block_of(pairs: &Pairs, restart_interval: usize) -> Vec<u8> {
    let options = BlockBuilderOptions { restart_interval, ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    for (key, value) in pairs {
        builder.add(key, value);
    }
    builder.finish()
}

fn internal_key(user_key: &[u8]) -> Vec<u8> {
    InternalKey::new(user_key, 7, ValueType::Value).as_bytes().to_vec()
}

/// Rank, key and value.
type LaidOut = (u64, Vec<u8>, Vec<u8>);

/// What is stored of an entry is the end of its key, and its value.
fn check_stored(entry: &StoredEntry<'_>, key: &[u8], value: &[u8]) {
    let stored_key = &entry.stored[..entry.stored.len() - entry.value_size];
    assert!(entry.key == key && entry.value() == value && key.ends_with(stored_key));
}

/// All entries of a block, and how many were laid out at most at once.
fn laid_out(block: &[u8], order: &RankOrder) -> Result<(Vec<LaidOut>, usize)> {
    let (mut columns, mut found, mut most) = (EntryColumns::default(), Vec::new(), 0);
    columns.begin(block)?;
    while columns.fill(block, order)? {
        most = most.max(columns.len());
        found.extend((0..columns.len()).map(|index| {
            let (key, value) = (columns.key(index), columns.value(block, index));
            check_stored(&columns.stored_entry(block, index).unwrap(), key, value);
            (columns.rank(index).unwrap(), key.to_vec(), value.to_vec())
        }));
    }
    Ok((found, most))
}

fn pairs() -> impl Strategy<Value = Pairs> {
    let part = prop_oneof![
        prop::collection::vec(0..3_u8, 0..5),
        prop::collection::vec(any::<u8>(), 0..40),
        Just(vec![0xff; 12]),
    ];
    let user_key = (part.clone(), part).prop_map(|(head, tail)| [head, tail].concat());
    let value = prop::collection::vec(any::<u8>(), 0..200);
    prop::collection::btree_map(user_key, value, 0..40).prop_map(|map| {
        map.into_iter().map(|(user_key, value)| (internal_key(&user_key), value)).collect()
    })
}

proptest! {
    #[test]
    fn entries_come_out_as_they_went_in(
        pairs in pairs(),
        restart_interval in 1..20_usize,
        common in prop::collection::vec(0..3_u8, 0..4),
    ) {
        let block = block_of(&pairs, restart_interval);
        let (found, _) = laid_out(&block, &RankOrder::new(&common)).unwrap();
        prop_assert!(found.is_sorted_by_key(|(rank, _, _)| *rank));
        let found: Pairs = found.into_iter().map(|(_, key, value)| (key, value)).collect();
        prop_assert_eq!(found, pairs);
    }

    #[test]
    fn damage_is_an_error_or_leaves_internal_keys(
        pairs in pairs(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut block = block_of(&pairs, 4);
        let at = at.index(block.len());
        block[at] = byte;
        if let Ok((found, _)) = laid_out(&block, &RankOrder::default()) {
            for (_, key, _) in found {
                prop_assert!(base::ParsedInternalKey::parse(&key).is_ok());
            }
        }
    }
}

#[test]
fn ranks_are_what_follows_the_common_bytes() {
    let user_keys: [&[u8]; 6] = [b"a", b"key", b"key1", b"key12345678x", b"key2", b"l"];
    let pairs = user_keys.map(|user_key| (internal_key(user_key), Vec::new()));
    let (found, _) = laid_out(&block_of(&pairs.to_vec(), 16), &RankOrder::new(b"key")).unwrap();
    let ranks: Vec<u64> = found.into_iter().map(|(rank, _, _)| rank).collect();
    let number = |bytes: &[u8; 8]| u64::from_be_bytes(*bytes);
    let wanted =
        [0, 0, number(b"1\0\0\0\0\0\0\0"), number(b"12345678"), number(b"2\0\0\0\0\0\0\0")];
    assert_eq!(ranks[..5], wanted);
    assert_eq!(ranks[5], u64::MAX);
}

#[test]
fn keys_longer_than_their_block_are_laid_out_some_at_a_time() {
    let key = |number: u32| {
        let number = number.to_be_bytes();
        internal_key(&[&vec![b'k'; 5000][..], &number[..]].concat())
    };
    let pairs: Pairs = (0..100).map(|number| (key(number), vec![1; 3])).collect();
    let block = block_of(&pairs, 1000);
    let (found, most) = laid_out(&block, &RankOrder::new(&[b'k'; 5000])).unwrap();
    assert!(most * 5000 <= KEYS_SIZE_ENOUGH + 5012, "{most} at once");
    assert_eq!(
        found.iter().map(|(rank, _, _)| rank >> 32).collect::<Vec<_>>(),
        (0..100).collect::<Vec<_>>()
    );
    let found: Pairs = found.into_iter().map(|(_, key, value)| (key, value)).collect();
    assert_eq!(found, pairs);
}

#[test]
fn keys_that_are_longer_than_what_is_laid_out_at_once_come_one_at_a_time() {
    let key = |number: u8| internal_key(&[&vec![b'k'; 70_000][..], &[number]].concat());
    let pairs: Pairs = (0..5).map(|number| (key(number), vec![number])).collect();
    for restart_interval in [1, 16] {
        let (found, most) =
            laid_out(&block_of(&pairs, restart_interval), &RankOrder::new(b"k")).unwrap();
        assert_eq!(most, 1);
        let found: Pairs = found.into_iter().map(|(_, key, value)| (key, value)).collect();
        assert!(found == pairs, "{} of {} with {restart_interval}", found.len(), pairs.len());
    }
}

#[test]
fn blocks_that_no_table_holds_are_refused() {
    let refused = |pairs: &Pairs, message: &str| {
        let status = laid_out(&block_of(pairs, 16), &RankOrder::default()).unwrap_err();
        assert!(status.to_string().contains(message), "{status}");
    };
    let [a, b] = [internal_key(b"a"), internal_key(b"b")];
    refused(&vec![(b"short".to_vec(), Vec::new())], "bad entry in block at its byte 0");
    refused(&vec![(b, Vec::new()), (a, Vec::new())], "keys of block out of order at its byte 12");
    let log_data = InternalKey::new(b"a", 7, ValueType::LogData).as_bytes().to_vec();
    refused(&vec![(log_data, Vec::new())], "unknown value type 0x03 in block at its byte 0");
}

#[test]
fn values_stored_apart_are_refused() {
    let options = BlockBuilderOptions { separate_values: true, ..Default::default() };
    let mut builder = BlockBuilder::new(options);
    builder.add(&internal_key(b"a"), b"value");
    let status = EntryColumns::default().begin(&builder.finish()).unwrap_err();
    assert!(status.to_string().contains("stored apart"), "{status}");
}
