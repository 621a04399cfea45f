use super::*;
use proptest::prelude::*;

#[test]
fn known_values() {
    assert_eq!(value(b"123456789"), 0xe306_9283);
    assert_eq!(mask(value(b"123456789")), 0xc78a_b0e5);
    assert_eq!(value(b""), 0);
    assert_eq!(value(&[0; 32]), 0x8a91_36aa);
    assert_eq!(value(&[0xff; 32]), 0x62a8_ab43);
}

proptest! {
    #[test]
    fn mask_round_trip(crc: u32) {
        prop_assert_eq!(unmask(mask(crc)), crc);
        prop_assert_ne!(mask(crc), crc);
    }

    #[test]
    fn extend_is_value_of_the_whole(first: Vec<u8>, second: Vec<u8>) {
        let whole = [&first[..], &second[..]].concat();
        prop_assert_eq!(extend(value(&first), &second), value(&whole));
    }
}
