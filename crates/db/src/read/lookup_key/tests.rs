use super::*;
use base::InternalKey;

#[test]
fn short_and_long_keys_are_laid_out_alike() {
    for length in [0, 1, 100, 111, 112, 113, 300] {
        let user_key = vec![b'k'; length];
        let lookup = LookupKey::new(&user_key, b"", 77);
        assert_eq!(lookup.internal_key(), InternalKey::for_seek(&user_key, 77).as_bytes());
        assert_eq!(lookup.user_key(), user_key);
        let timed = LookupKey::new(&user_key, &[9; 8], 77);
        assert_eq!(timed.user_key(), [&user_key[..], &[9; 8]].concat());
    }
}
