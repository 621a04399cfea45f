use super::*;
use proptest::prelude::*;

fn separator(comparator: &dyn Comparator, start: &[u8], limit: &[u8]) -> Vec<u8> {
    let mut key = start.to_vec();
    comparator.find_shortest_separator(&mut key, limit);
    key
}

proptest! {
    #[test]
    fn separators_separate(a: Vec<u8>, b: Vec<u8>) {
        for comparator in [&BytewiseComparator as &dyn Comparator, &ReverseBytewiseComparator] {
            let (start, limit) = match comparator.compare(&a, &b) {
                Ordering::Less => (&a, &b),
                Ordering::Greater => (&b, &a),
                Ordering::Equal => return Ok(()),
            };
            let key = separator(comparator, start, limit);
            prop_assert_ne!(comparator.compare(&key, start), Ordering::Less);
            prop_assert_eq!(comparator.compare(&key, limit), Ordering::Less);
            let mut successor = a.clone();
            comparator.find_short_successor(&mut successor);
            prop_assert_ne!(comparator.compare(&successor, &a), Ordering::Less);
        }
    }
}

#[test]
fn a_successor_leaves_no_room_between() {
    let is = |s: &[u8], t: &[u8]| BytewiseComparator.is_same_length_immediate_successor(s, t);
    assert!(is(b"ab", b"ac") && is(b"\x00", b"\x01") && is(b"a\xfe", b"a\xff"));
    assert!(!is(b"ab", b"ad") && !is(b"ab", b"ab") && !is(b"ac", b"ab") && !is(b"", b""));
    assert!(!is(b"ab", b"acd") && !is(b"ab", b"bc"));
    // `b` lies between, and does not begin with the first.
    assert!(!is(b"a\xff", b"b\x00"));
    assert!(!ReverseBytewiseComparator.is_same_length_immediate_successor(b"ab", b"aa"));
}

#[test]
fn timestamps_have_bounds() {
    let comparator = U64TimestampComparator::BYTEWISE;
    let (oldest, newest) = (comparator.min_timestamp(), comparator.max_timestamp());
    assert_eq!((oldest.len(), newest.len()), (8, 8));
    assert!(comparator.compare_timestamp(&oldest, &1_u64.to_le_bytes()).is_lt());
    assert!(comparator.compare_timestamp(&newest, &1_u64.to_le_bytes()).is_gt());
    assert_eq!(BytewiseComparator.max_timestamp(), []);
}

#[test]
fn separators_are_rocksdbs() {
    let cases: [(&[u8], &[u8], &[u8]); 6] = [
        (b"key00000013", b"key00000027", b"key0000002"),
        (b"abc", b"acd", b"ac"),
        (b"abcxyz", b"abz", b"abd"),
        (b"a\xff\xff", b"b", b"a\xff\xff"),
        (b"a\xff\x01z", b"b", b"a\xff\x02"),
        (b"prefix", b"prefix1", b"prefix"),
    ];
    for (start, limit, expected) in cases {
        assert_eq!(separator(&BytewiseComparator, start, limit), expected, "{start:?}");
    }
    assert_eq!(separator(&ReverseBytewiseComparator, b"zzz", b"zaa"), b"zz");
    assert_eq!(separator(&ReverseBytewiseComparator, b"zz", b"za"), b"zz");
}

#[test]
fn newest_timestamp_first() {
    let with = |key: &[u8], time: u64| [key, &time.to_le_bytes()].concat();
    for comparator in [U64TimestampComparator::BYTEWISE, U64TimestampComparator::REVERSE_BYTEWISE] {
        assert_eq!(comparator.compare(&with(b"a", 300), &with(b"a", 2)), Ordering::Less);
        assert_eq!(
            comparator.compare_without_timestamp(&with(b"a", 1), true, b"a", false),
            Ordering::Equal
        );
    }
    let order = U64TimestampComparator::BYTEWISE.compare(&with(b"a", 1), &with(b"b", 9));
    assert_eq!(order, Ordering::Less);
    let order = U64TimestampComparator::REVERSE_BYTEWISE.compare(&with(b"a", 1), &with(b"b", 9));
    assert_eq!(order, Ordering::Greater);
}

#[test]
fn keys_are_equal_where_neither_comes_first() {
    let keys = [&b"12345678"[..], b"a12345678", b"a1234567", b"b12345678"];
    for name in
        [BYTEWISE_NAME, REVERSE_BYTEWISE_NAME, BYTEWISE_U64_TS_NAME, REVERSE_BYTEWISE_U64_TS_NAME]
    {
        let comparator = builtin(name).unwrap();
        for (a, b) in keys.iter().flat_map(|a| keys.iter().map(move |b| (a, b))) {
            assert_eq!(comparator.equal(a, b), comparator.compare(a, b).is_eq(), "{name}");
        }
    }
}

#[test]
fn timestamps_are_numbers_or_their_bytes() {
    let timestamped = U64TimestampComparator::BYTEWISE;
    assert_eq!(timestamped.timestamp_to_string(&300_u64.to_le_bytes()), "300");
    assert_eq!(timestamped.timestamp_to_string(&[1, 0xab]), "01AB");
    assert_eq!(BytewiseComparator.timestamp_to_string(b"a"), "61");
}

#[test]
fn builtin_names() {
    for name in
        [BYTEWISE_NAME, REVERSE_BYTEWISE_NAME, BYTEWISE_U64_TS_NAME, REVERSE_BYTEWISE_U64_TS_NAME]
    {
        assert_eq!(builtin(name).unwrap().name(), name);
    }
    assert!(builtin("golden.shortlex").is_none());
}
