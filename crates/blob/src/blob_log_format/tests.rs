use super::*;
use testing::corrupt;
use testing::hexes::{hex, unhex};

fn array<const N: usize>(digits: &str) -> [u8; N] {
    unhex(digits).try_into().unwrap()
}

const HEADER: &str = "378f2400 01000000 00000000 00 00 00000000000000000000000000000000";
const RECORD: &str = "0400000000000000 1400000000000000 0000000000000000 555744c1 81bb5f2e
    6b657930 6161616161616161616161616161616161616161";
const FOOTER: &str = "378f2400 0500000000000000 00000000000000000000000000000000 c42df52c";

#[test]
fn header_is_that_of_rocksdb() {
    let header = BlobLogHeader::new(0, CompressionType::None);
    assert_eq!(BlobLogHeader::decode(&array(HEADER)), Ok(header));
    assert_eq!(header.encode(), unhex(HEADER));
}

#[test]
fn record_is_that_of_rocksdb() {
    let record = unhex(RECORD);
    let header = BlobLogRecordHeader::decode(&record[..32].try_into().unwrap()).unwrap();
    assert_eq!(header, BlobLogRecordHeader::new(b"key0", &[b'a'; 20]));
    assert_eq!(header.record_size(), Some(record.len() as u64));
    assert_eq!(record_size_bytes(4, 20), record.len() as u64);
    header.check_blob_crc(b"key0", &[b'a'; 20]).unwrap();
    let mut encoded = Vec::new();
    header.encode_to(&mut encoded);
    assert_eq!(hex(&encoded), hex(&record[..32]));
}

#[test]
fn footer_is_that_of_rocksdb() {
    let footer = BlobLogFooter { blob_count: 5, expiration_range: (0, 0) };
    assert_eq!(BlobLogFooter::decode(&array(FOOTER)), Ok(footer));
    assert_eq!(footer.encode(), unhex(FOOTER));
}

#[test]
fn all_fields_round_trip() {
    let header = BlobLogHeader {
        column_family_id: 7,
        has_ttl: true,
        compression: CompressionType::Lz4,
        expiration_range: (1, 2),
    };
    assert_eq!(BlobLogHeader::decode(&header.encode().try_into().unwrap()), Ok(header));
    let footer = BlobLogFooter { blob_count: 9, expiration_range: (3, 4) };
    assert_eq!(BlobLogFooter::decode(&footer.encode().try_into().unwrap()), Ok(footer));
}

#[test]
fn every_flipped_byte_of_a_footer_or_record_header_is_noticed() {
    let footer = unhex(FOOTER);
    for flip in corrupt::flips(footer.len(), &corrupt::MASKS) {
        let damaged = flip.apply(&footer).try_into().unwrap();
        assert!(BlobLogFooter::decode(&damaged).unwrap_err().is_corruption(), "{flip}");
    }
    let record = unhex(RECORD);
    let whole = BlobLogRecordHeader::decode(&record[..32].try_into().unwrap()).unwrap();
    for flip in corrupt::flips(32, &corrupt::MASKS) {
        let damaged = flip.apply(&record[..32]).try_into().unwrap();
        // The last four bytes are checked with the value.
        match BlobLogRecordHeader::decode(&damaged) {
            Ok(header) => {
                assert_ne!(header, whole, "{flip}");
                header.check_blob_crc(b"key0", &[b'a'; 20]).unwrap_err();
            }
            Err(status) => assert!(status.is_corruption(), "{flip}: {status}"),
        }
    }
}

#[test]
fn bad_headers_say_what_is_wrong() {
    let decode = |offset: usize, byte: u8| {
        let mut bytes: [u8; 30] = array(HEADER);
        bytes[offset] = byte;
        BlobLogHeader::decode(&bytes).unwrap_err().to_string()
    };
    assert_eq!(
        decode(0, 0),
        "Corruption: blob file header: expected magic number 0x00248f37, found 0x00248f00"
    );
    assert_eq!(decode(4, 2), "Corruption: blob file header: expected version 1, found 2");
    assert_eq!(decode(12, 2), "Corruption: blob file header: unknown flags 0x02");
    assert!(decode(13, 0x20).contains("0x20") || decode(13, 0x20).contains("32"));
}

#[test]
fn sizes_that_cannot_be_counted_have_no_sum() {
    let header =
        BlobLogRecordHeader { key_size: u64::MAX, value_size: 1, expiration: 0, blob_crc: 0 };
    assert_eq!(header.record_size(), None);
    assert_eq!(BlobLogRecordHeader { value_size: 0, ..header }.record_size(), None);
}
