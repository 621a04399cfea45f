use super::*;
use base::ValueType;

#[test]
fn c_strings_end_at_zero_bytes() {
    assert_eq!(until_zero(b"ab\0c"), b"ab");
    assert_eq!(until_zero(b"abc"), b"abc");
    assert_eq!(until_zero(b"\0"), b"");
}

#[test]
fn internal_keys_show_their_parts() {
    let key = ParsedInternalKey { user_key: b"k\x0f", sequence: 5, value_type: ValueType::Merge };
    let show = |in_hex| {
        let mut text = Vec::new();
        push_internal_key(&mut text, &key, in_hex);
        text
    };
    assert_eq!(show(true), b"'6B0F' seq:5, type:2");
    assert_eq!(show(false), b"'k\x0f' seq:5, type:2");
}

#[test]
fn hexadecimal_is_decoded_in_pairs() {
    assert_eq!(decode_hex(b"00fFa1"), Some(vec![0, 0xff, 0xa1]));
    assert_eq!(decode_hex(b""), Some(Vec::new()));
    assert_eq!(decode_hex(b"0"), None);
    assert_eq!(decode_hex(b"0g"), None);
    assert_eq!(decode_hex("é".as_bytes()), None);
}
