use super::*;
use proptest::prelude::*;
use twox_hash::XxHash3_64;

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (7 * i + 3) as u8).collect()
}

/// Values of a decoder whose hashes find every key of filters in files that RocksDB wrote.
#[test]
fn hash64_known_values() {
    const KNOWN: &[(usize, u64)] = &[
        (0, 0x5342_c301_0fe1_dd04),
        (1, 0x81b7_8b21_c2ce_4f18),
        (3, 0x6731_a716_813e_e5f1),
        (4, 0x3a5a_fd96_7aca_f5c3),
        (8, 0xbcb5_6b6f_8d4b_12da),
        (9, 0x0378_7b4e_ec57_bf4b),
        (16, 0x8172_0cc0_702e_dd73),
        (17, 0x0b51_5520_f462_e96f),
        (32, 0x48f0_3961_87b5_6dd5),
        (33, 0xd020_587a_3c72_b988),
        (64, 0xc71b_2c5a_712e_7f61),
        (65, 0xd401_43de_1bea_dd46),
        (100, 0x9405_1957_d141_ed9f),
        (128, 0x8ea7_6d83_8ce7_563f),
        (129, 0x3992_d120_c8c4_677a),
        (200, 0x4ddc_3e63_692b_0196),
        (240, 0xdf41_bc5f_ea3a_61e8),
        (241, 0x91d1_0f06_82af_4ac3),
        (500, 0x0f7a_99d5_bddd_833a),
        (1024, 0x7d54_b94e_0436_75ba),
        (1025, 0x90ac_daaa_aca6_75b0),
        (5000, 0x0dda_1962_3d7c_49df),
    ];
    for &(length, expected) in KNOWN {
        assert_eq!(hash64(&pattern(length)), expected, "length {length}");
    }
    assert_eq!(hash64(b"key00000000"), 0x70a1_9ea5_1310_85ec);
}

#[test]
fn hash64_is_not_the_final_xxh3() {
    assert_eq!(XxHash3_64::oneshot(&pattern(16)), 0xb8c8_59b0_f030_b585);
    for length in 0..600 {
        let data = pattern(length);
        assert_ne!(hash64(&data), XxHash3_64::oneshot(&data), "length {length}");
    }
}

#[test]
fn hash32_known_values() {
    assert_eq!(hash32(b"key00000000", LEGACY_BLOOM_SEED), 0x41ae_2350);
    assert_eq!(hash32(b"key00000000", DATA_BLOCK_HASH_INDEX_SEED), 0xd322_24e7);
    assert_eq!(hash32(&[0x80, 0xff, 0x7f], LEGACY_BLOOM_SEED), 0x95eb_e0e2);
    assert_eq!(hash32(b"", LEGACY_BLOOM_SEED), LEGACY_BLOOM_SEED);
}

proptest! {
    #[test]
    fn ranges_hold(hash: u64, range in 1u64..) {
        prop_assert!(fastrange64(hash, range) < range);
        let (hash, range) = (hash as u32, (range as u32).max(1));
        prop_assert!(fastrange32(hash, range) < range);
    }
}

#[test]
fn ranges_are_even() {
    assert_eq!(fastrange32(0x8000_0000, 10), 5);
    assert_eq!(fastrange64(1 << 63, 10), 5);
    assert_eq!(fastrange64(u64::MAX, 10), 9);
}
