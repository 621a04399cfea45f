use super::*;
use proptest::prelude::*;
use testing::hexes::unhex;

type Owned = (Vec<u8>, BlockHandle, Option<Vec<u8>>);

fn entries(block: &[u8], format: IndexBlockFormat) -> Result<Vec<Owned>> {
    let mut walker = IndexBlockWalker::new(block, format)?;
    let mut found = Vec::new();
    while let Some(entry) = walker.next()? {
        let first_key = entry.first_internal_key.map(<[u8]>::to_vec);
        found.push((entry.key.to_vec(), entry.handle, first_key));
    }
    Ok(found)
}

fn build(entries: &[Owned], format: IndexBlockFormat, restart_interval: usize) -> Vec<u8> {
    let mut builder = IndexBlockBuilder::new(format, restart_interval);
    for (key, handle, first_key) in entries {
        let first_internal_key = first_key.as_deref();
        builder.add(&IndexEntry { key, handle: *handle, first_internal_key });
    }
    builder.finish()
}

const DELTA: IndexBlockFormat = IndexBlockFormat {
    keys_are_user_keys: true,
    values_are_delta_encoded: true,
    has_first_keys: false,
};

#[test]
fn index_written_by_11_9_with_restart_interval_4() {
    let block = unhex(
        "000b6b65793030303030303232 0064 0901 35 00 0901 38 04 0802 3131 06
         000b6b65793030303030313333 ab0368 00000000 1c000000 02000000",
    );
    let expected: [(&[u8], u64, u64); 5] = [
        (b"key00000022", 0, 100),
        (b"key0000005", 105, 100),
        (b"key0000008", 210, 102),
        (b"key0000011", 317, 105),
        (b"key00000133", 427, 104),
    ];
    let found = entries(&block, DELTA).unwrap();
    let expected =
        expected.map(|(key, offset, size)| (key.to_vec(), BlockHandle { offset, size }, None));
    assert_eq!(found, expected);
    assert_eq!(build(&found, DELTA, 4), block);
}

#[test]
fn index_of_one_block_written_by_7_8_3() {
    let block = unhex("000b6b6579303030303030303000 24 00000000 01000000");
    let found = entries(&block, DELTA).unwrap();
    assert_eq!(found, [(b"key00000000".to_vec(), BlockHandle { offset: 0, size: 36 }, None)]);
    assert_eq!(build(&found, DELTA, 1), block);
}

#[test]
fn index_of_an_empty_table() {
    let block = unhex("0000000001000000");
    assert_eq!(entries(&block, DELTA).unwrap(), []);
    assert_eq!(entries(&block, IndexBlockFormat::default()).unwrap(), []);
    assert_eq!(build(&[], DELTA, 1), block);
}

#[test]
fn numbers_of_index_types() {
    for number in 0..4 {
        assert_eq!(IndexType::from_u32(number).map(|kind| kind as u32), Some(number));
    }
    assert_eq!(IndexType::from_u32(4), None);
}

fn owned_entries() -> impl Strategy<Value = Vec<Owned>> {
    let key = prop::collection::vec(prop::sample::select(&b"ab"[..]), 0..8);
    prop::collection::vec((key, 1u64..500, any::<bool>(), 0usize..20), 0..50).prop_map(|raw| {
        let mut keys: Vec<_> = raw.iter().map(|(key, ..)| key.clone()).collect();
        keys.sort();
        let mut offset = 0;
        let mut entries = Vec::new();
        for (key, (_, size, has_gap, first_key_size)) in keys.into_iter().zip(raw) {
            offset += if has_gap { 1000 } else { 0 };
            entries.push((key, BlockHandle { offset, size }, Some(vec![7; first_key_size])));
            offset += size + 5;
        }
        entries
    })
}

proptest! {
    #[test]
    fn entries_round_trip(
        mut owned in owned_entries(),
        restart_interval in 1usize..6,
        values_are_delta_encoded: bool,
        has_first_keys: bool,
    ) {
        let format =
            IndexBlockFormat { keys_are_user_keys: true, values_are_delta_encoded, has_first_keys };
        if !has_first_keys {
            owned.iter_mut().for_each(|(_, _, first_key)| *first_key = None);
        }
        let block = build(&owned, format, restart_interval);
        prop_assert_eq!(entries(&block, format).unwrap(), owned);
    }

    #[test]
    fn damaged_blocks_end(
        owned in owned_entries(),
        values_are_delta_encoded: bool,
        has_first_keys: bool,
        index: prop::sample::Index,
        mask in 1u8..,
    ) {
        let format =
            IndexBlockFormat { keys_are_user_keys: true, values_are_delta_encoded, has_first_keys };
        let mut block = build(&owned, format, 3);
        *index.get_mut(&mut block) ^= mask;
        // Whatever it is, an answer comes.
        let _ = entries(&block, format);
    }
}
