use super::*;
use crate::filter::tests::{build, false_positives, from_hex};
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
    assert_eq!(build(&mut FastLocalBloomBuilder::new(10_000, false), &keys), golden());
}

/// Of RocksDB 7.9.2 and, with `optimize_filters_for_memory`, of 11.8.1: 10 bits per key, keys
/// `key000000` to `key000139`.
const GOLDEN_140: &str = "\
    10520321119246c05c065508890a277c305d1329b17e4bd0cac186058f028000612d63014b9110cd37cb1e2583030286 \
    99231cdbc00033fa6985d2043034474c374728b183ac82f4d3a3c86664a68c1e5e8e20001f7b85934010480d8a8e395e \
    5a23aba45b19f618757d2241822240c97a070c9e2c6a016a2e92cc22de43906e2ce8beeee657d991c7dbdcaed7e82e7b \
    8f4ba34d694c18e4886b4a1dc4590187478392004163ab1f322ac4d76040269f15c208e0945874689f0087111f2315de \
    ff00060000";
const GOLDEN_140_OPTIMIZED: &str = "\
    19530721119646e05c06550c890a277c3a5d1729b17f4bd0cac186858f028000712f63054fb110cd37cb1e25a3030286 \
    9b231cdbc00877fe6985d2043474474c37472cb583ac82f4d3a7d86764a69c1e5e8e20005f7b85934092492d8b8e395e \
    7b2baba47b19f71875fd6241c22768c97a070c9e2c6b016a2e92cc27dec7906e2ce8beeee757d993e7dbfcaef7e8ae7b \
    af4ba34d694c98ece86b4a5de45d018747a39280496baf9f722ac5f76060669f15c208e0955877789f0087111f2315de \
    ff00070000";

#[test]
fn golden_filters_of_140_keys() {
    let keys: Vec<Vec<u8>> = (0..140).map(|i| format!("key{i:06}").into_bytes()).collect();
    let expected = [(GOLDEN_140, false, 64, 6), (GOLDEN_140_OPTIMIZED, true, 65, 7)];
    for (golden, optimize, passing, probes) in expected {
        let reader = FilterBitsReader::new(from_hex(golden));
        assert!(keys.iter().all(|key| reader.may_match(key)));
        assert_eq!(false_positives(reader.contents()), passing);
        let FilterKind::FastLocalBloom(bloom) = reader.kind() else {
            panic!("{:?}", reader.kind())
        };
        assert_eq!(bloom.probes(), probes);
        let mut builder = FastLocalBloomBuilder::new(10_000, optimize);
        assert_eq!(build(&mut builder, &keys), *reader.contents());
    }
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
        let contents = build(&mut FastLocalBloomBuilder::new(millibits, false), &keys);
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
