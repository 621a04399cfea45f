use super::*;
use testing::hexes::{hex, unhex};

const REFERENCE: BlobReference =
    BlobReference { file_number: 10, offset: 66, size: 20, compression: CompressionType::None };

fn encoded(index: &BlobIndex<'_>) -> Vec<u8> {
    let mut output = Vec::new();
    index.encode_to(&mut output);
    output
}

#[test]
fn indexes_of_rocksdb_are_read_and_written() {
    let bytes = unhex("01 0a 42 14 00");
    assert_eq!(BlobReference::decode(&bytes), Ok(REFERENCE));
    assert_eq!(REFERENCE.to_index(), bytes);
    // A column of a wide-column entity (11.9).
    let column = BlobReference::decode(&unhex("010a412800")).unwrap();
    assert_eq!(column, BlobReference { offset: 65, size: 40, ..REFERENCE });
}

#[test]
fn every_type_round_trips() {
    let large = BlobReference {
        file_number: u64::MAX,
        offset: 1 << 40,
        size: u64::MAX,
        compression: CompressionType::ZstdNotFinal,
    };
    for index in [
        BlobIndex::Blob(REFERENCE),
        BlobIndex::Blob(large),
        BlobIndex::BlobTtl { expiration: 1_700_000_000, reference: REFERENCE },
        BlobIndex::InlinedTtl { expiration: 5, value: b"value" },
        BlobIndex::InlinedTtl { expiration: 0, value: b"" },
    ] {
        assert_eq!(BlobIndex::decode(&encoded(&index)), Ok(index));
    }
    assert_eq!(hex(&encoded(&BlobIndex::InlinedTtl { expiration: 5, value: b"v" })), "000576");
}

#[test]
fn cut_or_longer_references_are_corrupt() {
    let with_ttl = encoded(&BlobIndex::BlobTtl { expiration: 300, reference: REFERENCE });
    for whole in [REFERENCE.to_index(), with_ttl] {
        for size in 0..whole.len() {
            assert!(BlobIndex::decode(&whole[..size]).unwrap_err().is_corruption(), "{size}");
        }
        let longer = [whole.as_slice(), b"x"].concat();
        assert!(BlobIndex::decode(&longer).unwrap_err().is_corruption());
    }
    assert_eq!(
        BlobIndex::decode(&unhex("03 0a 42 14 00")).unwrap_err().to_string(),
        "Corruption: malformed blob index of 5 bytes: 030A421400"
    );
}

#[test]
fn unknown_compression_is_refused() {
    let status = BlobIndex::decode(&unhex("01 0a 42 14 20")).unwrap_err();
    assert!(status.message().starts_with("blob index of file 10: "), "{status}");
}

#[test]
fn values_of_the_stacked_blob_db_are_not_supported() {
    for index in [
        BlobIndex::BlobTtl { expiration: 300, reference: REFERENCE },
        BlobIndex::InlinedTtl { expiration: 300, value: b"value" },
    ] {
        assert_eq!(
            BlobReference::decode(&encoded(&index)).unwrap_err().to_string(),
            "Not implemented: value with an expiration time, of the stacked BlobDB (blob_dir)"
        );
    }
}

#[test]
fn references_say_where_they_end_and_where_they_are() {
    assert_eq!(REFERENCE.end_offset(), Some(86));
    assert_eq!(BlobReference { size: u64::MAX, ..REFERENCE }.end_offset(), None);
    assert!(!REFERENCE.is_in_current_file());
    assert!(BlobReference { file_number: 0, ..REFERENCE }.is_in_current_file());
}

#[test]
fn indexes_print_as_in_rocksdb() {
    let ttl = BlobIndex::BlobTtl { expiration: 300, reference: REFERENCE };
    assert_eq!(
        ttl.to_string(),
        "[blob ref] file:10 offset:66 size:20 compression: NoCompression exp:300"
    );
    let same = BlobIndex::Blob(BlobReference { file_number: 0, ..REFERENCE });
    assert_eq!(
        same.to_string(),
        "[blob ref] file:same offset:66 size:20 compression: NoCompression"
    );
    let inlined = BlobIndex::InlinedTtl { expiration: 5, value: b"v" };
    assert_eq!(inlined.to_string(), "[inlined blob] value:76 exp:5");
}
