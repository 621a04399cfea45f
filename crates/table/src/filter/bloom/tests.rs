use super::*;
use crate::filter::tests::{build, false_positives};
use crate::filter::{FilterBitsReader, FilterKind};

/// Of RocksDB 7.8.3, 10 bits per key, the key `key00000000` alone.
fn golden() -> Vec<u8> {
    let mut contents = vec![0; 64];
    for (at, byte) in [(8, 0x01), (28, 0x02), (29, 0x10), (45, 0x01), (54, 0x08), (55, 0x04)] {
        contents[at] = byte;
    }
    contents.extend_from_slice(&[0xff, 0, 6, 0, 0]);
    contents
}

#[test]
fn golden_filter_of_rocksdb_7_8_3() {
    let reader = FilterBitsReader::new(golden());
    assert_eq!(
        reader.kind(),
        FilterKind::FastLocalBloom(FastLocalBloom { probes: 6, line_count: 1 })
    );
    assert!(reader.may_match(b"key00000000"));
    assert_eq!(false_positives(reader.contents()), 0);
    let keys = [b"key00000000".to_vec()];
    assert_eq!(build(&mut FastLocalBloomBuilder::new(10_000), &keys), golden());
}

#[test]
fn probes_by_bits_per_key() {
    let probes = |bits: f64| choose_probes((bits * 1000.0) as u32);
    let expected = [(1.0, 1), (2.08, 1), (2.09, 2), (5.0, 3), (8.0, 5), (10.0, 6), (12.0, 8)];
    for (bits, expected) in expected {
        assert_eq!(probes(bits), expected, "{bits}");
    }
    assert_eq!((probes(25.501), probes(26.0), probes(50.0), probes(50.1)), (12, 11, 23, 24));
}

#[test]
fn fewer_false_positives_with_more_bits() {
    let keys: Vec<Vec<u8>> = (0..10_000).map(|i| format!("key{i:08}").into_bytes()).collect();
    // Percent, as RocksDB documents for its cache-local filter.
    for (millibits, low, high) in [(5000, 8.5, 11.5), (10_000, 0.7, 1.2), (20_000, 0.0, 0.08)] {
        let contents = build(&mut FastLocalBloomBuilder::new(millibits), &keys);
        let percent = false_positives(&contents) as f64 / 100.0;
        assert!((low..high).contains(&percent), "{millibits}: {percent}");
    }
}

#[test]
fn lengths_are_whole_lines() {
    assert_eq!(lines_length(1, 10_000), 64);
    assert_eq!(lines_length(51, 10_000), 64);
    assert_eq!(lines_length(52, 10_000), 128);
    assert_eq!(lines_length(usize::MAX, 100_000), 0xffff_ffc0);
}
