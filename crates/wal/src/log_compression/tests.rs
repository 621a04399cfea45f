use super::*;

const UNLIMITED: u64 = u64::MAX;

fn compressed(record: &[u8]) -> Vec<u8> {
    LogCompressor::new().unwrap().compress(record).unwrap()
}

#[test]
fn records_survive_any_fragmentation() {
    let record: Vec<u8> = (0..100_000u32).flat_map(|number| (number / 3).to_le_bytes()).collect();
    let frame = compressed(&record);
    let mut decompressor = LogDecompressor::new().unwrap();
    for size in [1, 2, 7, 1000, BLOCK_SIZE, frame.len()] {
        decompressor.reset().unwrap();
        assert!(decompressor.is_complete(), "nothing is an empty record");
        let mut found = Vec::new();
        for fragment in frame.chunks(size) {
            decompressor.decompress(fragment, &mut found, UNLIMITED).unwrap();
            decompressor.decompress(b"", &mut found, UNLIMITED).unwrap();
        }
        assert!(decompressor.is_complete());
        assert!(found == record, "{size}");
    }
}

#[test]
fn an_empty_record_has_an_empty_frame() {
    assert!(compressed(b"").is_empty());
}

#[test]
fn a_record_stops_at_its_limit() {
    let frame = compressed(&vec![0; 1 << 20]);
    assert!(frame.len() < 1000);
    let mut decompressor = LogDecompressor::new().unwrap();
    let mut found = Vec::new();
    let result = decompressor.decompress(&frame, &mut found, 100_000);
    assert_eq!(result, Err("record too large"));
    assert!(found.len() <= 100_000);
}

#[test]
fn after_a_bad_frame_a_good_one_is_read() {
    let mut decompressor = LogDecompressor::new().unwrap();
    let mut found = Vec::new();
    decompressor.decompress(b"no frame at all", &mut found, UNLIMITED).unwrap_err();
    decompressor.reset().unwrap();
    found.clear();
    decompressor.decompress(&compressed(b"good"), &mut found, UNLIMITED).unwrap();
    assert_eq!(found, b"good");
}
