use super::*;
use testing::hexes::{hex, unhex};

#[test]
fn numbers_and_types_are_inverse() {
    for number in 0..=u8::MAX {
        if let Some((kind, recyclable)) = PhysicalType::from_number(number) {
            assert_eq!(kind.number(recyclable), number);
        }
    }
    let known: Vec<u8> =
        (0..=u8::MAX).filter(|&number| PhysicalType::from_number(number).is_some()).collect();
    assert_eq!(known, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 130, 131]);
}

#[test]
fn control_records_round_trip() {
    let info = PredecessorWalInfo { log_number: 4, size_bytes: 97, last_sequence: 3 };
    assert_eq!(hex(&info.encode()), "040000000000000061000000000000000300000000000000");
    assert_eq!(PredecessorWalInfo::decode(&info.encode()), Ok(info));

    let sizes = [(0, 8), (70_000, 2)];
    assert_eq!(hex(&encode_timestamp_sizes(&sizes)), "000000000800701101000200");
    assert_eq!(decode_timestamp_sizes(&encode_timestamp_sizes(&sizes)), Ok(sizes.to_vec()));
    assert_eq!(decode_timestamp_sizes(b""), Ok(vec![]));

    let payload = LogCompression::Zstd.encode().unwrap();
    assert_eq!(LogCompression::decode(&payload), Ok(LogCompression::Zstd));
}

#[test]
fn control_records_of_a_wrong_length_are_corrupt() {
    let info = PredecessorWalInfo { log_number: 4, size_bytes: 97, last_sequence: 3 }.encode();
    for payload in [&info[..23], &[info.as_slice(), b"x"].concat()] {
        assert!(PredecessorWalInfo::decode(payload).unwrap_err().is_corruption());
    }
    for digits in ["0000000008", "00000000080001", "000000000000"] {
        let status = decode_timestamp_sizes(&unhex(digits)).unwrap_err();
        assert!(status.is_corruption(), "{status}");
    }
    for digits in ["070000", "0700000000"] {
        assert!(LogCompression::decode(&unhex(digits)).unwrap_err().is_corruption());
    }
}

#[test]
fn unknown_compression_is_not_supported() {
    let status = LogCompression::decode(&unhex("04000000")).unwrap_err();
    assert_eq!(status.to_string(), "Not implemented: log compressed with compression type 4");
}
