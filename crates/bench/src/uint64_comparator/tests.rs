use super::*;

#[test]
fn keys_are_numbers_and_what_is_none_comes_first() {
    let order = |a: &[u8], b: &[u8]| Uint64Comparator.compare(a, b);
    let key = |number: u64| number.to_ne_bytes();
    assert_eq!(order(&key(255), &key(256)), Ordering::Less);
    assert_eq!(order(&key(u64::MAX), &key(1)), Ordering::Greater);
    assert_eq!(order(&key(7), &key(7)), Ordering::Equal);
    assert_eq!(order(b"abc", &key(0)), Ordering::Less);
    assert_eq!(order(b"abd", b"abc"), Ordering::Greater);
}
