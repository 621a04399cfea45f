use super::*;
use crate::memtable_rep::rank_of;
use base::InternalKey;
use base::{ValueType, key_prefix};
use proptest::prelude::*;

fn keys() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(0u8..2, 0..12),
        prop::collection::vec(prop::sample::select(&[0u8, 7, 255][..]), 6..20),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 6 } else { 500 }))]

    #[test]
    fn a_target_knows_where_it_is_from_the_base(key in keys(), base in keys()) {
        let target = Target::new(&key, 0, &base);
        prop_assert_eq!(&key[..target.common], &base[..target.common]);
        prop_assert!(key.get(target.common) != base.get(target.common) || key == base);
        prop_assert_eq!(target.is_after_base, key > base);
    }

    #[test]
    fn keys_of_equal_rank_are_ordered_by_the_rest(
        (a, b) in (keys(), keys()), sequences in (0u64..3, 0u64..3), or_at: bool,
    ) {
        for start in 0..=common_prefix_length(&a, &b) {
            prop_assert_eq!(rank_of(&a, start), key_prefix(&a[start..]));
            if rank_of(&a, start) != rank_of(&b, start) {
                prop_assert_eq!(rank_of(&a, start) < rank_of(&b, start), a < b);
                continue;
            }
            let key = |user_key: &[u8], sequence| {
                InternalKey::new(user_key, sequence, ValueType::Value).as_bytes().to_vec()
            };
            let (a_key, b_key) = (key(&a, sequences.0), key(&b, sequences.1));
            let target = Target::new(&b, extract_trailer(&b_key), b"");
            let order = a.cmp(&b).then_with(|| sequences.1.cmp(&sequences.0));
            let expected = order.is_lt() || (or_at && order.is_eq());
            prop_assert_eq!(target.is_behind(&a_key, start + 8, or_at), expected);
        }
    }
}
