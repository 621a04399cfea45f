use super::*;
use base::comparator::builtin;
use proptest::prelude::*;

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(&[0u8, 1, 0x61, 0xff][..]), 0..12)
}

proptest! {
    #[test]
    fn numbers_order_as_keys_do(
        common in key(),
        a in key(),
        b in key(),
        other in key(),
        name in prop::sample::select(&[
            BYTEWISE_NAME, REVERSE_BYTEWISE_NAME, BYTEWISE_U64_TS_NAME, REVERSE_BYTEWISE_U64_TS_NAME,
        ][..]),
    ) {
        let comparator = builtin(name).unwrap();
        let compare = |a: &[u8], b: &[u8]| comparator.compare_without_timestamp(a, false, b, false);
        let order = SortPrefixOrder::new(&InternalKeyComparator::new(comparator.clone()));
        let (a, b) = ([&common[..], &a].concat(), [&common[..], &b].concat());
        let number = |key: &[u8]| match order.locate(key, &common) {
            Location::Number(number) => number,
            location => panic!("{location:?}"),
        };
        let by_number = number(&a).cmp(&number(&b));
        prop_assert!(by_number.is_eq() || by_number == compare(&a, &b));
        match order.locate(&other, &common) {
            Location::BeforeAll => prop_assert!(compare(&other, &a).is_lt()),
            Location::AfterAll => prop_assert!(compare(&other, &a).is_gt()),
            Location::Number(_) => prop_assert!(other.starts_with(&common)),
        }
        let raw = order.raw_of(number(&a));
        prop_assert_eq!(raw, key_prefix(&a[common.len()..]));
    }
}

#[test]
fn keeps_the_first_bytes() {
    assert_eq!(keep_bytes(u64::MAX, 0), 0);
    assert_eq!(keep_bytes(u64::MAX, 1), 0xff << 56);
    assert_eq!(keep_bytes(u64::MAX, 8), u64::MAX);
    assert_eq!(keep_bytes(u64::MAX, 9), u64::MAX);
    assert_eq!(key_prefix(&[1, 2]), 0x0102 << 48);
}
