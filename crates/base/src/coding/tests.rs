use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn varint64_round_trip(value: u64, tail: Vec<u8>) {
        let mut bytes = Vec::new();
        put_varint64(&mut bytes, value);
        prop_assert_eq!(bytes.len(), varint_length(value));
        bytes.extend_from_slice(&tail);
        let mut input = &bytes[..];
        prop_assert_eq!(get_varint64(&mut input), Some(value));
        prop_assert_eq!(input, &tail[..]);
    }

    #[test]
    fn varint32_round_trip(value: u32) {
        let mut bytes = Vec::new();
        put_varint32(&mut bytes, value);
        prop_assert_eq!(get_varint32(&mut &bytes[..]), Some(value));
    }

    #[test]
    fn varsignedint64_round_trip(value: i64) {
        let mut bytes = Vec::new();
        put_varsignedint64(&mut bytes, value);
        prop_assert_eq!(get_varsignedint64(&mut &bytes[..]), Some(value));
    }

    #[test]
    fn length_prefixed_round_trip(value: Vec<u8>) {
        let mut bytes = Vec::new();
        put_length_prefixed(&mut bytes, &value);
        prop_assert_eq!(get_length_prefixed(&mut &bytes[..]), Some(&value[..]));
        prop_assert_eq!(get_length_prefixed(&mut &bytes[..bytes.len() - 1]), None);
    }
}

#[test]
fn varints_too_long_or_too_large_are_refused() {
    assert_eq!(get_varint32(&mut &[0xff, 0xff, 0xff, 0xff, 0x0f][..]), Some(u32::MAX));
    assert_eq!(get_varint32(&mut &[0xff, 0xff, 0xff, 0xff, 0x1f][..]), None);
    assert_eq!(get_varint32(&mut &[0x80; 6][..]), None);
    assert_eq!(get_varint64(&mut &[0x80; 11][..]), None);
    let mut max = vec![0xff; 9];
    max.push(1);
    assert_eq!(get_varint64(&mut &max[..]), Some(u64::MAX));
    max[9] = 2;
    assert_eq!(get_varint64(&mut &max[..]), None);
    assert_eq!(get_varint64(&mut &[0x80][..]), None);
}

#[test]
fn golden_bytes() {
    // Offset 1171 and size 79 of a metaindex handle that RocksDB 7.8.3 wrote.
    assert_eq!(get_varint64(&mut &[0x93, 0x09][..]), Some(1171));
    // 23-bit length prefix: blob bytes 290 in a MANIFEST of 7.8.3.
    assert_eq!(get_varint64(&mut &[0xa2, 0x02][..]), Some(290));
}
