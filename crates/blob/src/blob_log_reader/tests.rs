use super::*;
use crate::test_files::{self, COMPRESSIONS, FILE_NUMBER, open_bytes};
use compression::CompressionType;
use testing::corrupt;

const BLOBS: [(&[u8], &[u8]); 4] =
    [(b"a", b"first value"), (b"", b""), (b"key", &[7; 300]), (b"z", b"last")];

fn blob_file(compression: CompressionType) -> Vec<u8> {
    let file_system = test_files::file_system();
    test_files::write_blobs(&file_system, FILE_NUMBER, compression, &BLOBS);
    test_files::read_file(&file_system, &test_files::path(FILE_NUMBER))
}

/// The records before the first error, and the error.
fn read_all(bytes: &[u8], verify_checksums: bool) -> (Vec<BlobLogRecord>, Option<Status>) {
    let mut records = Vec::new();
    let mut reader = match BlobLogReader::open(open_bytes(bytes)) {
        Ok(reader) => reader,
        Err(status) => return (records, Some(status)),
    };
    loop {
        match reader.read_record(verify_checksums) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return (records, None),
            Err(status) => {
                assert_eq!(reader.read_record(verify_checksums), Ok(None));
                return (records, Some(status));
            }
        }
    }
}

#[test]
fn records_are_read_in_order() {
    for compression in COMPRESSIONS {
        let file_system = test_files::file_system();
        let references = test_files::write_blobs(&file_system, FILE_NUMBER, compression, &BLOBS);
        let bytes = test_files::read_file(&file_system, &test_files::path(FILE_NUMBER));
        let mut reader = BlobLogReader::open(open_bytes(&bytes)).unwrap();
        assert_eq!(reader.header().compression, compression);
        assert_eq!(reader.footer().unwrap().blob_count, 4);
        for ((key, value), reference) in BLOBS.into_iter().zip(references) {
            let record = reader.read_record(true).unwrap().unwrap();
            assert_eq!(record.key(), key);
            assert_eq!(record.value_offset(), reference.offset);
            assert_eq!(record.stored_value().len() as u64, reference.size);
            let stored = record.stored_value();
            assert_eq!(compression::decompress(compression, stored, 2, None).unwrap(), value);
        }
        assert_eq!(reader.read_record(true), Ok(None));
    }
}

#[test]
fn a_file_without_a_footer_is_read_to_its_end() {
    let bytes = blob_file(CompressionType::None);
    let (whole, _) = read_all(&bytes, true);
    let unfinished = &bytes[..bytes.len() - BlobLogFooter::SIZE];
    assert_eq!(read_all(unfinished, true), (whole, None));
    assert!(BlobLogReader::open(open_bytes(unfinished)).unwrap().footer().is_none());
}

#[test]
fn a_value_may_be_read_without_its_checksum() {
    let mut bytes = blob_file(CompressionType::None);
    bytes[30 + 32 + 1] ^= 0xff;
    let (records, status) = read_all(&bytes, true);
    assert!(records.is_empty());
    let status = status.unwrap().to_string();
    assert!(
        status.starts_with("Corruption: /db/000010.blob at offset 30: blob checksum mismatch"),
        "{status}"
    );
    let (records, status) = read_all(&bytes, false);
    assert_eq!((records.len(), status), (4, None));
}

#[test]
fn every_damage_gives_a_prefix_and_an_error() {
    let bytes = blob_file(CompressionType::Zlib);
    let (whole, _) = read_all(&bytes, true);
    for damage in corrupt::all(bytes.len()) {
        let (records, status) = read_all(&damage.apply(&bytes), true);
        // The header has no checksum: what depends on it is checked by who knows better.
        assert_eq!(records, whole[..records.len()], "{damage}");
        assert!(status.is_some() || records.len() == whole.len() || is_cut(damage), "{damage}");
    }
}

/// A file cut between records is one still being written.
fn is_cut(damage: corrupt::Damage) -> bool {
    matches!(damage, corrupt::Damage::Truncate { .. })
}

#[test]
fn huge_lengths_cost_nothing() {
    let header =
        BlobLogRecordHeader { key_size: 1 << 40, value_size: 1 << 50, expiration: 0, blob_crc: 0 };
    let mut bytes = BlobLogHeader::new(3, CompressionType::None).encode();
    header.encode_to(&mut bytes);
    bytes.extend_from_slice(b"short");
    let (_, status) = read_all(&bytes, true);
    let status = status.unwrap().to_string();
    assert!(status.ends_with("bytes, found 37"), "{status}");
}
