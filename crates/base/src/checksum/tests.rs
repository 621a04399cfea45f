use super::*;
use crate::coding::decode_fixed32;
use proptest::prelude::*;

/// A data block of RocksDB 7.8.3: key00000000 -> value0, one restart.
const BLOCK: &[u8] = b"\x00\x13\x06key00000000\x01\x01\0\0\0\0\0\0value0\0\0\0\0\x01\0\0\0";

#[test]
fn golden_checksums_of_a_real_block() {
    let expected =
        [0, u32::from_le_bytes([0x43, 0x14, 0xf3, 0x6c]), 0xbebe_6ba3, 0x49fa_4ef7, 0x13d0_e615];
    for (kind, expected) in ChecksumType::ALL.into_iter().zip(expected) {
        assert_eq!(kind.compute(BLOCK, 0), expected, "{kind:?}");
        let whole = [BLOCK, &[0]].concat();
        assert_eq!(kind.compute_contiguous(&whole), expected, "{kind:?}");
    }
}

/// Footer of a file of RocksDB 11.9, format version 6, at offset 1279; and its first data block.
#[test]
fn golden_checksums_with_context() {
    let mut footer = [0; 53];
    footer[..17]
        .copy_from_slice(b"\x04\x3e\x00\x7a\x00\xd9\x76\xb0\x78\x7b\xb6\x80\x7e\x36\x00\x00\x00");
    footer[41..].copy_from_slice(b"\x06\x00\x00\x00\xf7\xcf\xf4\x85\xb7\x41\xe2\x88");
    let stored = decode_fixed32(&footer, 5);
    let base = decode_fixed32(&footer, 9);
    footer[5..9].fill(0);
    let computed = ChecksumType::Xxh3.compute_contiguous(&footer);
    assert_eq!(computed.wrapping_add(context_modifier(base, 1279)), stored);

    let block = [
        b"\x00\x13\x1akey00000000\x01\x01\0\0\0\0\0\0value0",
        &[0x61; 20][..],
        b"\0\0\0\0\x01\0\0\0",
    ]
    .concat();
    assert_eq!(block.len(), 56);
    let expected = u32::from_le_bytes([0xca, 0xdb, 0x59, 0x41]);
    let computed = ChecksumType::Xxh3.compute(&block, 0);
    assert_eq!(computed.wrapping_add(context_modifier(base, 0)), expected);
}

#[test]
fn context_modifier_folds_the_offset() {
    assert_eq!(context_modifier(0, 0x1234_5678_9abc), 0);
    assert_eq!(context_modifier(0xf000_000f, 0x5_0000_0007), 0xf000_000f ^ 12);
    assert_eq!(context_modifier(1, 0xffff_ffff_0000_0001), 1);
}

#[test]
fn xxh3_of_nothing_is_zero() {
    assert_eq!(ChecksumType::Xxh3.compute_contiguous(b""), 0);
}

#[test]
fn numbers_and_names() {
    for kind in ChecksumType::ALL {
        assert_eq!(ChecksumType::from_u8(kind as u8), Some(kind));
        assert_eq!(ChecksumType::from_option_name(kind.option_name()), Some(kind));
    }
    assert_eq!(ChecksumType::from_u8(5), None);
    assert_eq!(ChecksumType::from_option_name("crc32c"), None);
}

proptest! {
    #[test]
    fn both_forms_agree(data: Vec<u8>, last: u8) {
        let whole = [&data[..], &[last]].concat();
        for kind in ChecksumType::ALL {
            prop_assert_eq!(kind.compute(&data, last), kind.compute_contiguous(&whole));
        }
    }
}
