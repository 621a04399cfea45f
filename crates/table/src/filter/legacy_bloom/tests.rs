use super::*;
use crate::filter::tests::{build, false_positives, from_hex};
use crate::filter::{FilterBitsReader, FilterKind};

const KEYS: [&[u8]; 3] = [b"key00000000", b"key00000007", b"key00000014"];

/// Of RocksDB 7.8.3, format version 4, 10 bits per key.
fn golden() -> Vec<u8> {
    let mut contents = vec![0; 64];
    let bytes = [
        (4, 0xa0),
        (15, 0x02),
        (16, 0x10),
        (18, 0x20),
        (21, 0x10),
        (28, 0x20),
        (31, 0x40),
        (36, 0x01),
        (37, 0x08),
        (38, 0x20),
        (42, 0x01),
        (48, 0x28),
        (56, 0x80),
        (58, 0x24),
    ];
    for (at, byte) in bytes {
        contents[at] = byte;
    }
    contents.extend_from_slice(&[6, 1, 0, 0, 0]);
    contents
}

#[test]
fn golden_filter_of_rocksdb_7_8_3() {
    let reader = FilterBitsReader::new(golden());
    let expected = LegacyBloom { probes: 6, line_count: 1, line_length_log2: 6 };
    assert_eq!(reader.kind(), FilterKind::LegacyBloom(expected));
    assert!(KEYS.iter().all(|key| reader.may_match(key)));
    assert!(false_positives(reader.contents()) < 10);
    let keys = KEYS.map(<[u8]>::to_vec);
    assert_eq!(build(&mut LegacyBloomBuilder::new(10), &keys), golden());
}

/// Of RocksDB 4.13.5, 10 bits per key, keys `key000000` to `key000139`.
const GOLDEN_140: &str = "\
    bb058102c1422e3198040a8740930e75416214a4c247ba2104c904109176280432761814403ab33a51886111b0442a88 \
    a90ca10f3ee703192e40dc90a72b5354f346b61b97f2a7118f7457c76b128a5078f3de321b9da9d181c24f818e1aa60c \
    79344824263166331652127a1edd3c980803643dc87c91ce31dc1c8315d4d4647a15cb21b6322c71588c0555815d6c60 \
    496ba8501216ccc41180713544c08a3937109880005c14408972ce81d5c60520400548fded55131c3cc00410ea553418 \
    0603000000";

#[test]
fn golden_filter_of_rocksdb_4_13_5() {
    let keys: Vec<Vec<u8>> = (0..140).map(|i| format!("key{i:06}").into_bytes()).collect();
    let reader = FilterBitsReader::new(from_hex(GOLDEN_140));
    assert!(keys.iter().all(|key| reader.may_match(key)));
    assert_eq!(false_positives(reader.contents()), 61);
    assert_eq!(build(&mut LegacyBloomBuilder::new(10), &keys), *reader.contents());
}

#[test]
fn lines_of_other_machines_are_read() {
    // One bit at a time: a line of 128 bytes, as RocksDB wrote where cache lines are that long.
    let hash = hash32(b"key", hash::LEGACY_BLOOM_SEED);
    for line_length in [1usize, 2, 32, 128, 1024] {
        let mut contents = vec![0; 3 * line_length];
        let bit = hash as usize % (8 * line_length);
        contents[(hash % 3) as usize * line_length + bit / 8] = 1 << (bit % 8);
        contents.extend_from_slice(&[1, 3, 0, 0, 0]);
        let reader = FilterBitsReader::new(contents);
        assert!(reader.may_match(b"key"), "{line_length}");
        assert!(false_positives(reader.contents()) < 10_000, "{line_length}");
    }
}

#[test]
fn probes_by_bits_per_key() {
    let probes = [1, 2, 5, 10, 20, 100].map(|bits| LegacyBloomBuilder::new(bits).probes());
    assert_eq!(probes, [1, 1, 3, 6, 13, 30]);
}
