use super::*;
use crate::test_files::Sink;
use testing::hexes::hex;

const PUT_A_1: &[u8] = b"\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\x01a\x011";

/// What a log holds after `write`.
fn written(write: impl FnOnce(&mut LogWriter)) -> Vec<u8> {
    let sink = Sink::new();
    write(&mut LogWriter::new(Box::new(sink.clone())));
    sink.bytes()
}

#[test]
fn legacy_record_is_as_rocksdb_writes_it() {
    let bytes = written(|log| log.add_record(PUT_A_1).unwrap());
    assert_eq!(hex(&bytes), "e99f781911000101000000000000000100000001016101 31".replace(' ', ""));
}

#[test]
fn recyclable_record_is_as_rocksdb_writes_it() {
    let sink = Sink::new();
    LogWriter::new_recyclable(Box::new(sink.clone()), 4).add_record(PUT_A_1).unwrap();
    assert_eq!(hex(&sink.bytes()), "3f516551110005040000000100000000000000010000000101610131");
}

#[test]
fn control_records_are_as_rocksdb_writes_them() {
    let bytes = written(|log| log.add_compression_record(LogCompression::Zstd).unwrap());
    assert_eq!(hex(&bytes), "e12c08f804000907000000");
    let bytes = written(|log| log.add_timestamp_sizes(&[(0, 8)]).unwrap());
    assert_eq!(hex(&bytes), "da5ab0bc06000a000000000800");
    let info = PredecessorWalInfo { log_number: 4, size_bytes: 97, last_sequence: 3 };
    let bytes = written(|log| log.add_predecessor_wal_info(&info).unwrap());
    assert_eq!(hex(&bytes), "e031e850180082040000000000000061000000000000000300000000000000");
    let bytes = written(|log| log.add_compression_record(LogCompression::None).unwrap());
    assert!(bytes.is_empty());
}

#[test]
fn a_first_fragment_may_be_empty_and_padding_is_zeros() {
    // The first record leaves exactly a header's room.
    let bytes = written(|log| {
        log.add_record(&vec![b'x'; BLOCK_SIZE - 2 * HEADER_SIZE]).unwrap();
        log.add_record(b"second").unwrap();
    });
    assert_eq!(bytes[BLOCK_SIZE - HEADER_SIZE..BLOCK_SIZE][4..], [0, 0, 2]);
    assert_eq!(bytes[BLOCK_SIZE..][4..], *b"\x06\0\x04second");

    // The first record leaves one byte less.
    let bytes = written(|log| {
        log.add_record(&vec![b'x'; BLOCK_SIZE - 2 * HEADER_SIZE + 1]).unwrap();
        log.add_record(b"second").unwrap();
    });
    assert_eq!(bytes[BLOCK_SIZE - HEADER_SIZE + 1..BLOCK_SIZE], [0; 6]);
    assert_eq!(bytes[BLOCK_SIZE..][4..], *b"\x06\0\x01second");
}

#[test]
fn control_records_are_never_cut() {
    let bytes = written(|log| {
        log.add_record(&vec![b'x'; BLOCK_SIZE - 2 * HEADER_SIZE - 5]).unwrap();
        log.add_timestamp_sizes(&[(0, 8)]).unwrap();
    });
    assert_eq!(bytes.len(), BLOCK_SIZE + HEADER_SIZE + 6);
    assert_eq!(bytes[BLOCK_SIZE - HEADER_SIZE - 5..BLOCK_SIZE], [0; 12]);
}

#[test]
fn many_timestamp_sizes_take_several_records() {
    let sizes: Vec<_> = (0..20_000).map(|id| (id, 8)).collect();
    let bytes = written(|log| log.add_timestamp_sizes(&sizes).unwrap());
    assert!(bytes.len() > 3 * BLOCK_SIZE, "{}", bytes.len());
}

#[test]
fn no_compressed_fragment_fills_a_block() {
    let record: Vec<u8> = (0..200_000u64)
        .map(|n| ((n * n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13) as u8)
        .collect();
    let bytes = written(|log| {
        log.add_compression_record(LogCompression::Zstd).unwrap();
        log.add_record(&record).unwrap();
    });
    assert!(bytes.len() > 4 * BLOCK_SIZE, "{}", bytes.len());
    for block in bytes.chunks(BLOCK_SIZE) {
        let length = usize::from(base::coding::decode_fixed16(block, 4));
        assert!(length < BLOCK_SIZE - HEADER_SIZE);
    }
}

#[test]
fn a_compression_record_must_be_first() {
    let sink = Sink::new();
    let mut log = LogWriter::new(Box::new(sink));
    log.add_record(b"first").unwrap();
    let status = log.add_compression_record(LogCompression::Zstd).unwrap_err();
    assert_eq!(
        status.to_string(),
        "Invalid argument: 000004.log: compression record after other records"
    );
}

#[test]
fn writing_stops_after_an_error() {
    let sink = Sink::with_size_max(20);
    let mut log = LogWriter::new(Box::new(sink.clone()));
    log.add_record(b"fits").unwrap();
    assert_eq!(log.add_record(b"fits not").unwrap_err().to_string(), "IO error: file full");
    let size = sink.bytes().len();
    let status = log.add_record(b"").unwrap_err();
    assert_eq!(status.to_string(), "IO error: 000004.log: an earlier write failed");
    assert_eq!(sink.bytes().len(), size);
}

#[test]
fn a_log_with_records_is_continued() {
    let sink = Sink::new();
    for chunk in ["one", "two", "three"] {
        LogWriter::new(Box::new(sink.clone()))
            .add_record(&[chunk.as_bytes(); 9000].concat())
            .unwrap();
    }
    let mut log = LogWriter::new(Box::new(Sink::new()));
    let whole = Sink::new();
    log.file = Box::new(whole.clone());
    for chunk in ["one", "two", "three"] {
        log.add_record(&[chunk.as_bytes(); 9000].concat()).unwrap();
    }
    assert_eq!(sink.bytes(), whole.bytes());
}

#[test]
fn parts_of_a_record_are_written_as_the_whole() {
    let record: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
    for compression in [LogCompression::None, LogCompression::Zstd] {
        let write = |parts: &[&[u8]]| {
            written(|log| {
                log.add_compression_record(compression).unwrap();
                log.add_record_of_parts(parts).unwrap();
                log.add_record(b"after").unwrap();
            })
        };
        let whole = write(&[&record]);
        for cut in [0, 1, 12, 32_757, 32_768, 99_999, 100_000] {
            let (head, tail) = record.split_at(cut);
            assert_eq!(write(&[head, &[], tail]), whole, "cut at {cut}, {compression:?}");
        }
    }
}

#[test]
fn a_long_record_reaches_the_file_piece_by_piece() {
    let record = vec![7; 3 << 20];
    let sink = Sink::new();
    let mut log = LogWriter::new(Box::new(sink.clone()));
    log.add_record(&record).unwrap();
    assert!(log.output.capacity() < 3 << 20, "{}", log.output.capacity());
    assert!(sink.bytes().len() > record.len());
}
