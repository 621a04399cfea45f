use super::{Damage, MASKS, all, flips, truncations};

#[test]
fn every_byte_and_every_length_is_there_once() {
    let damages = all(3);
    let texts: Vec<String> = damages.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "byte 0 xor 0xff",
            "byte 1 xor 0xff",
            "byte 2 xor 0xff",
            "cut to 0 bytes",
            "cut to 1 bytes",
            "cut to 2 bytes"
        ]
    );
    assert_eq!(flips(10, &MASKS).count(), 30);
    assert_eq!(truncations(0).count(), 0);
}

#[test]
fn damage_changes_what_it_says_and_nothing_else() {
    assert_eq!(Damage::Flip { offset: 1, mask: 0x80 }.apply(b"abc"), [b'a', b'b' ^ 0x80, b'c']);
    assert_eq!(Damage::Truncate { size_bytes: 2 }.apply(b"abc"), b"ab");
    for damage in all(3) {
        assert_ne!(damage.apply(b"abc"), b"abc");
    }
}
