use super::*;
use proptest::prelude::*;

fn build(keys: &[Vec<u8>]) -> KeyArena {
    let mut builder = KeyArenaBuilder::default();
    for key in keys {
        builder.push(key).unwrap();
    }
    builder.finish()
}

proptest! {
    #[test]
    fn keys_come_back(
        prefix_size in 0usize..2000,
        mut tails in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..100),
    ) {
        tails.sort();
        let keys: Vec<Vec<u8>> =
            tails.iter().map(|tail| [&vec![b'x'; prefix_size][..], tail].concat()).collect();
        let arena = build(&keys);
        prop_assert_eq!(arena.len(), keys.len());
        let mut scratch = Vec::new();
        for (index, key) in keys.iter().enumerate().rev() {
            prop_assert_eq!(arena.get(index, &mut scratch), &key[..]);
        }
    }
}

#[test]
fn memory_is_bounded_by_what_keys_add() {
    let keys: Vec<Vec<u8>> =
        (0..2000u32).map(|n| [&[b'x'; 20_000][..], &n.to_be_bytes()].concat()).collect();
    let arena = build(&keys);
    assert!(arena.memory_usage_bytes() < 1 << 20, "{}", arena.memory_usage_bytes());
    assert_eq!(arena.get(1999, &mut Vec::new()), &keys[1999][..]);
}

#[test]
fn usual_keys_are_kept_whole() {
    let keys: Vec<Vec<u8>> =
        (0..100u32).map(|n| format!("a usual key of an index {n:08}").into_bytes()).collect();
    let arena = build(&keys);
    assert!((0..100).all(|index| arena.parts(index).0 == 0));
}
