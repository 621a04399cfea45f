use super::*;

#[test]
fn keys_are_padded_stripped_or_refused() {
    let mut sizes = TimestampSizes::default();
    sizes.state(1, 8);
    assert_eq!(&*sizes.convert(1, 0, 8, b"keyTTTTTTTT").unwrap(), b"keyTTTTTTTT");
    assert_eq!(&*sizes.convert(1, 0, 0, b"keyTTTTTTTT").unwrap(), b"key");
    assert_eq!(&*sizes.convert(0, 0, 8, b"key").unwrap(), b"key\0\0\0\0\0\0\0\0");
    assert_eq!(&*sizes.convert(0, 0, 0, b"key").unwrap(), b"key");
    assert!(sizes.convert(1, 0, 16, b"keyTTTTTTTT").is_err());
    assert!(sizes.convert(1, 0, 8, b"short").unwrap_err().is_corruption());
}

#[test]
fn a_wal_that_cannot_state_sizes_has_those_of_now() {
    let sizes = TimestampSizes::default();
    assert_eq!(&*sizes.convert(0, 8, 8, b"keyTTTTTTTT").unwrap(), b"keyTTTTTTTT");
}
