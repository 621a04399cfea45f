use super::{ColumnsHash, ContentHash, sha256};

#[test]
fn no_pairs_hash_as_the_empty_string() {
    let hash = ContentHash::new();
    assert_eq!(hash.sha256(), sha256(b""));
    assert_eq!(hash.count(), 0);
}

#[test]
fn pairs_hash_as_lengths_and_bytes() {
    let mut hash = ContentHash::new();
    hash.push(b"k", b"val");
    assert_eq!(hash.sha256(), sha256(b"\x01\0\0\0k\x03\0\0\0val"));
    hash.push_with_timestamp(b"", b"12345678", b"x");
    let all = b"\x01\0\0\0k\x03\0\0\0val\0\0\0\0\x11\0\0\0\x08\0\0\x0012345678\x01\0\0\0x";
    assert_eq!(hash.sha256(), sha256(all));
}

#[test]
fn a_mark_is_left_after_every_128th_pair() {
    let mut hash = ContentHash::new();
    for n in 1..=300_u32 {
        hash.push(&n.to_be_bytes(), b"");
        if n == 256 {
            assert!(hash.sha256().starts_with(&hash.marks()[1].digits));
        }
    }
    let counts: Vec<u64> = hash.marks().iter().map(|mark| mark.count).collect();
    assert_eq!(counts, [128, 256]);
    assert_eq!(hash.marks()[0].key, 128_u32.to_be_bytes());
}

#[test]
fn columns_hash_with_their_number_and_plain_values_are_no_entities() {
    let mut hash = ColumnsHash::new();
    hash.push(b"k", &[(b"".as_slice(), b"v".as_slice())]);
    assert_eq!(hash.entities(), 0);
    assert_eq!(hash.sha256(), sha256(b"\x01\0\0\0k\x01\0\0\0\0\0\0\0\x01\0\0\0v"));
    hash.push(b"l", &[] as &[(&[u8], &[u8])]);
    hash.push(b"m", &[("", "v"), ("n", "w")]);
    assert_eq!(hash.entities(), 2);
}
