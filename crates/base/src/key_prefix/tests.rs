use super::*;

#[test]
fn numbers_differ_as_keys_do() {
    let keys: [&[u8]; 9] =
        [b"", b"\0", b"\x01", b"a", b"a\x01", b"abcdefg", b"abcdefgh", b"b", &[0xff; 8]];
    for (a, b) in keys.iter().flat_map(|a| keys.map(|b| (a, b))) {
        let order = key_prefix(a).cmp(&key_prefix(b));
        assert!(order.is_eq() || order == a.cmp(&b), "{a:?} {b:?}");
    }
    assert_eq!(key_prefix(b"abcdefgh"), 0x6162_6364_6566_6768);
    assert_eq!(key_prefix(b"abc"), 0x6162_6300_0000_0000);
    assert_eq!(key_prefix(b"abcdefghi"), key_prefix(b"abcdefgh"));
}
