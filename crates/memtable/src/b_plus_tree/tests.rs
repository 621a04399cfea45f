//! What the suite of all representations does not reach: the tree's own form.

use super::*;
use crate::block_source::BlockSource;
use crate::memtable_rep::EXPECTED_KEYS_MAX;
use crate::rep_iterator::RepCursor;
use base::dbformat::pack_sequence_and_type;
use base::{InternalKey, ValueType};

fn trailer(sequence: u64) -> u64 {
    pack_sequence_and_type(sequence, ValueType::Value)
}

/// Goes through the whole tree: keys are in order and where the nodes above say, ranks are those of
/// the keys, counts are right. Returns the user keys.
fn check(tree: &BPlusTree) -> Vec<Vec<u8>> {
    let root = tree.root().unwrap();
    let mut counts = vec![0; tree.node(root).level() as usize + 1];
    let mut keys = Vec::new();
    check_node(tree, root, &mut counts, &mut keys);
    assert_eq!(tree.record_count.load(Ordering::Relaxed), keys.len() as u64);
    for (level, count) in counts.iter().enumerate() {
        assert_eq!(tree.node_counts[level].load(Ordering::Relaxed), *count, "level {level}");
    }
    for pair in keys.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let (a, b) = (
            (extract_user_key(a), std::cmp::Reverse(extract_trailer(a))),
            (extract_user_key(b), std::cmp::Reverse(extract_trailer(b))),
        );
        assert!(a <= b, "{a:?} before {b:?}");
    }
    keys.iter().map(|key| extract_user_key(key).to_vec()).collect()
}

fn check_node(tree: &BPlusTree, address: NodeAddress, counts: &mut [u64], keys: &mut Vec<Vec<u8>>) {
    let node = tree.node(address);
    counts[node.level() as usize] += 1;
    assert!(node.count() > 0 || keys.is_empty());
    assert!((node.count()..node::CAPACITY).all(|index| node.rank(index) == node::UNUSED));
    for index in 0..node.count() {
        let record = node.record(index).unwrap();
        let target = tree.target(tree.key(record)).unwrap();
        if index >= node.lowest() {
            assert!(node.start() <= target.common, "{} of {}", node.start(), target.common);
            // SAFETY: the tree holds its arenas.
            let (before, at) = unsafe {
                let count = node.count();
                (node.search(count, &target, false), node.search(count, &target, true))
            };
            assert!(before <= index && index < at, "{index} is not in {before}..{at}");
        }
        // SAFETY: as above.
        if let Some(child) = unsafe { address.child(index) } {
            let first = keys.len();
            check_node(tree, child, counts, keys);
            if index > 0 {
                assert_eq!(keys[first], tree.key(record), "what leads to a child is its first");
            }
        } else {
            keys.push(tree.key(record).to_vec());
        }
    }
}

fn filled(keys: impl Iterator<Item = Vec<u8>>) -> (Arc<BPlusTree>, Vec<Vec<u8>>) {
    let (tree, mut writer) = BPlusTree::new(BlockSource::default());
    let mut all = Vec::new();
    for (sequence, key) in (1..).zip(keys) {
        writer.insert(&key, trailer(sequence), b"value");
        all.push(key);
    }
    all.sort();
    (tree, all)
}

/// The key that comes as the nth.
type Order = Box<dyn Fn(u64) -> Vec<u8>>;

const COUNT: u64 = if cfg!(miri) { 60 } else { 5000 };

#[test]
fn trees_are_whole_whatever_the_order_of_keys() {
    let scattered = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let text = |number: u64| format!("user{number:020}").into_bytes();
    let orders: [(&str, Order); 7] = [
        ("ascending", Box::new(|number| number.to_be_bytes().to_vec())),
        ("descending", Box::new(|number| (COUNT - number).to_be_bytes().to_vec())),
        ("scattered", Box::new(move |number| scattered(number).to_be_bytes().to_vec())),
        ("alike at first", Box::new(move |number| text(scattered(number)))),
        ("several runs", Box::new(move |number| text((number % 7) * 1_000_000 + number))),
        ("few keys", Box::new(move |number| text(scattered(number) % 5))),
        (
            "of all lengths",
            Box::new(move |number| {
                text(scattered(number))[..(scattered(number) % 24) as usize].to_vec()
            }),
        ),
    ];
    for (name, key) in orders {
        let (tree, keys) = filled((0..COUNT).map(&key));
        assert!(check(&tree) == keys, "{name}");
        let (tree, keys) = filled_as_expected((0..COUNT).map(&key));
        assert!(check(&tree) == keys, "{name}, expected");
    }
}

/// As [`filled`], with keys told before they come, but for each third group, of which others are told.
fn filled_as_expected(keys: impl Iterator<Item = Vec<u8>>) -> (Arc<BPlusTree>, Vec<Vec<u8>>) {
    let (tree, mut writer) = BPlusTree::new(BlockSource::default());
    let keys: Vec<_> = keys.collect();
    for (index, group) in keys.chunks(EXPECTED_KEYS_MAX + 3).enumerate() {
        let mut told: Vec<_> = group.iter().map(Vec::as_slice).collect();
        if index % 3 == 2 {
            told.rotate_left(1);
        }
        writer.expect(&told);
        for key in group {
            writer.insert(key, trailer(index as u64), b"value");
        }
    }
    let mut sorted = keys;
    sorted.sort();
    (tree, sorted)
}

#[test]
fn leaves_of_keys_that_are_expected_are_known() {
    let key = |number: u64| format!("user{number:020}").into_bytes();
    let (tree, mut writer) = BPlusTree::new(BlockSource::default());
    for number in 0..COUNT {
        writer.insert(&key(number * 10), trailer(1), b"value");
    }
    let expected: Vec<_> =
        (0..EXPECTED_KEYS_MAX as u64).map(|n| key(n * 7919 % COUNT * 10 + 5)).collect();
    writer.expect(&expected.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let leaf_of = |key: &Vec<u8>| {
        let target = Target::new(key, trailer(2), tree.base_key().unwrap());
        tree.path(&target).last().unwrap().node
    };
    let leaves: Vec<_> = expected.iter().rev().map(leaf_of).collect();
    assert_eq!(writer.expected, leaves);
    for key in &expected {
        writer.insert(key, trailer(2), b"value");
    }
    assert_eq!(check(&tree).len(), COUNT as usize + expected.len());
    // Keys that ascend need none.
    writer.expect(&[]);
    writer.insert(&key(COUNT * 20), trailer(2), b"value");
    writer.expect(&[&key(COUNT * 20 + 1), &key(COUNT * 20 + 2)]);
    assert_eq!(writer.expected, []);
}

#[test]
fn a_key_unlike_all_others_costs_nothing_but_its_place() {
    let odd = [&b""[..], b"a", b"user", b"user1", b"z", b"user0000000000000002500x"];
    for odd in odd {
        let keys = (0..COUNT).map(|number| format!("user{number:020}").into_bytes());
        let (first, last) = (std::iter::once(odd.to_vec()), std::iter::once(odd.to_vec()));
        let (tree, keys) = filled(first.chain(keys).chain(last));
        assert!(check(&tree) == keys, "{odd:?}");
    }
}

#[test]
fn ascending_keys_fill_their_leaves() {
    let (tree, _) = filled((0..COUNT).map(|number| number.to_be_bytes().to_vec()));
    let leaves = tree.node_counts[0].load(Ordering::Relaxed);
    assert_eq!(leaves, COUNT.div_ceil(node::CAPACITY as u64));
}

#[test]
fn seeks_by_one_cursor_find_what_was_put_meanwhile() {
    let (tree, mut writer) = BPlusTree::new(BlockSource::default());
    let mut cursor = BPlusTreeCursor::new(tree.clone());
    let mut keys = std::collections::BTreeSet::new();
    // Of many keys the ranks are equal.
    let long_key = |key: u64| [&[(key >> 16) as u8][..], &[0; 8], &key.to_be_bytes()].concat();
    let mut random = 1u64;
    for number in 0..COUNT {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(99);
        // Scattered, then all over the place in order, then in front of each other, between 0 and 2^20.
        let key = match number * 3 / COUNT {
            0 => random >> 44,
            1 => (number << 20) / COUNT,
            _ => (1 << 19) - number,
        };
        writer.insert(&long_key(key), trailer(number + 1), b"value");
        keys.insert(key);
        // Near each other most of the time, and also beyond both ends.
        for target in [key, key.saturating_sub(1), key + 1, key + (random >> 60), random >> 43] {
            cursor.seek(InternalKey::for_seek(&long_key(target), COUNT + 1).as_bytes());
            let found = cursor.valid().then(|| extract_user_key(cursor.entry().key()).to_vec());
            let expected = keys.range(target..).next().map(|&key| long_key(key));
            assert_eq!(found, expected, "{target} after {number}");
        }
    }
}

#[test]
fn a_cursor_goes_on_where_its_leaf_was_split() {
    let (tree, mut writer) = BPlusTree::new(BlockSource::default());
    let key = |number: u64| number.to_be_bytes();
    for number in (0..20).map(|number| number * 1000) {
        writer.insert(&key(number), trailer(1), b"old");
    }
    let at = tree.seek(InternalKey::for_seek(&key(7000), 9).as_bytes()).unwrap();
    let (before, after) = (tree.previous(at).unwrap(), tree.after(at).unwrap());
    for number in 1..COUNT.min(900) {
        writer.insert(&key(6000 + number), trailer(2), b"new");
        writer.insert(&key(7000 + number), trailer(2), b"new");
    }
    let number = |position: Option<Position>| {
        let key = extract_user_key(tree.key(position.unwrap().record));
        u64::from_be_bytes(*key.first_chunk().unwrap())
    };
    assert_eq!(number(tree.after(at)), 7001);
    assert_eq!(number(tree.previous(at)), 6000 + COUNT.min(900) - 1);
    assert_eq!(number(tree.after(before)), 6001);
    assert_eq!(number(tree.previous(after)), 7000 + COUNT.min(900) - 1);
    assert_eq!(number(tree.after(after)), 9000);
}
