use super::*;

#[test]
fn builtins_by_name_and_nickname() {
    for (given, name) in [
        ("fixed:4", "rocksdb.FixedPrefix.4"),
        ("rocksdb.FixedPrefix.4", "rocksdb.FixedPrefix.4"),
        ("capped:7", "rocksdb.CappedPrefix.7"),
        ("rocksdb.CappedPrefix.7", "rocksdb.CappedPrefix.7"),
        ("rocksdb.Noop", "rocksdb.Noop"),
    ] {
        assert_eq!(builtin(given).unwrap().name(), name);
    }
    assert!(builtin("rocksdb.FixedPrefix").is_none());
    assert!(builtin("fixed:x").is_none());
}

#[test]
fn short_keys_have_no_fixed_prefix() {
    let fixed = FixedPrefix::new(4);
    assert!(!fixed.in_domain(b"abc"));
    assert_eq!(fixed.transform(b"abcde"), b"abcd");
    let capped = CappedPrefix::new(4);
    assert!(capped.in_domain(b"abc"));
    assert_eq!(capped.transform(b"abc"), b"abc");
    assert_eq!(capped.transform(b"abcde"), b"abcd");
}
