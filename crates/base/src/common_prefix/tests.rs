use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn counts_as_byte_by_byte(
        common in prop::collection::vec(any::<u8>(), 0..40),
        a in prop::collection::vec(0u8..2, 0..20),
        b in prop::collection::vec(0u8..2, 0..20),
    ) {
        let (a, b) = ([&common[..], &a].concat(), [&common[..], &b].concat());
        let expected = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        prop_assert_eq!(common_prefix_length(&a, &b), expected);
    }
}
