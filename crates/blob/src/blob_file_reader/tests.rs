use super::*;
use crate::blob_log_reader::{BlobLogReader, BlobLogRecord};
use crate::test_files::{self, COLUMN_FAMILY_ID, COMPRESSIONS, FILE_NUMBER, open_bytes, read_file};
use testing::corrupt;

const BLOBS: [(&[u8], &[u8]); 3] = [(b"a", b"first value"), (b"key", &[7; 300]), (b"z", b"")];

const UNVERIFIED: BlobReadOptions = BlobReadOptions {
    verify_checksums: false,
    fill_cache: true,
    cache_only: false,
    activity: Activity::Unknown,
    terms: ReadTerms::NONE,
};

fn blob_file(compression: CompressionType) -> (Vec<u8>, Vec<BlobReference>) {
    let file_system = test_files::file_system();
    let references = test_files::write_blobs(&file_system, FILE_NUMBER, compression, &BLOBS);
    (read_file(&file_system, &test_files::path(FILE_NUMBER)), references)
}

fn open(bytes: &[u8]) -> Result<BlobFileReader> {
    BlobFileReader::open(open_bytes(bytes), COLUMN_FAMILY_ID)
}

#[test]
fn values_are_read_back_with_every_compression() {
    for compression in COMPRESSIONS {
        let (bytes, references) = blob_file(compression);
        let reader = open(&bytes).unwrap();
        assert_eq!(reader.blob_count(), 3);
        assert_eq!(reader.compression(), compression);
        assert_eq!(reader.file_size(), bytes.len() as u64);
        for ((key, value), reference) in BLOBS.into_iter().zip(&references) {
            for options in [BlobReadOptions::default(), UNVERIFIED] {
                let found = reader.get(&options, key, reference).unwrap();
                assert_eq!(*found, *value, "{compression:?}");
            }
        }
    }
}

#[test]
fn references_must_lie_between_header_and_footer() {
    let (bytes, references) = blob_file(CompressionType::None);
    let reader = open(&bytes).unwrap();
    let good = references[0];
    let end = bytes.len() as u64 - 32;
    for bad in [
        BlobReference { offset: 0, ..good },
        BlobReference { offset: good.offset - 1, ..good },
        BlobReference { size: end - good.offset + 1, ..good },
        BlobReference { size: u64::MAX, ..good },
        BlobReference { offset: u64::MAX, ..good },
        BlobReference { offset: end, size: 1, ..good },
    ] {
        for options in [BlobReadOptions::default(), UNVERIFIED] {
            let status = reader.get(&options, b"a", &bad).unwrap_err().to_string();
            assert!(status.contains("expected a blob between offsets 63 and "), "{status}");
        }
    }
}

#[test]
fn a_reference_must_name_the_compression_of_the_file() {
    let (bytes, references) = blob_file(CompressionType::Lz4);
    let bad = BlobReference { compression: CompressionType::None, ..references[0] };
    let status = open(&bytes).unwrap().get(&UNVERIFIED, b"a", &bad).unwrap_err();
    assert_eq!(
        status.to_string(),
        format!(
            "Corruption: /db/000010.blob at offset {}: expected values with compression LZ4, found \
             {bad}",
            bad.offset
        )
    );
}

#[test]
fn a_record_must_be_that_of_the_key_and_the_size() {
    let (bytes, references) = blob_file(CompressionType::None);
    let reader = open(&bytes).unwrap();
    let options = BlobReadOptions::default();
    let status = reader.get(&options, b"b", &references[0]).unwrap_err();
    assert_eq!(
        status.to_string(),
        "Corruption: /db/000010.blob at offset 30: expected the blob of key 62, found that of key 61"
    );
    let short = BlobReference { size: references[0].size - 1, ..references[0] };
    let status = reader.get(&options, b"a", &short).unwrap_err();
    assert_eq!(
        status.to_string(),
        "Corruption: /db/000010.blob at offset 30: expected a blob record with key of 1 and value of \
         10 bytes, found 1 and 11"
    );
    assert!(reader.get(&options, b"key", &references[0]).is_err());
}

#[test]
fn files_of_other_column_families_are_refused() {
    let (bytes, _) = blob_file(CompressionType::None);
    let status = BlobFileReader::open(open_bytes(&bytes), 4).unwrap_err();
    assert_eq!(
        status.to_string(),
        "Corruption: /db/000010.blob at offset 0: expected a blob file of column family 4, found one \
         of 3"
    );
}

#[test]
fn files_with_expiration_times_are_refused() {
    let (bytes, _) = blob_file(CompressionType::None);
    for offset in [12, 14, 22] {
        let mut bytes = bytes.clone();
        bytes[offset] = 1;
        let status = open(&bytes).unwrap_err();
        assert_eq!(
            status.to_string(),
            "Not implemented: /db/000010.blob: blob file with expiration times, of the stacked BlobDB"
        );
    }
}

#[test]
fn unfinished_files_are_refused() {
    let (bytes, _) = blob_file(CompressionType::None);
    let status = open(&bytes[..61]).unwrap_err();
    assert_eq!(
        status.to_string(),
        "Corruption: /db/000010.blob at offset 61: expected a blob file of at least 62 bytes, found \
         61"
    );
    let status = open(&bytes[..bytes.len() - 32]).unwrap_err().to_string();
    assert!(status.contains("blob file footer: expected magic number"), "{status}");
}

#[test]
fn every_damage_gives_an_error_or_the_value() {
    for compression in COMPRESSIONS {
        let (bytes, references) = blob_file(compression);
        for damage in corrupt::all(bytes.len()) {
            let Ok(reader) = open(&damage.apply(&bytes)) else {
                continue;
            };
            for ((key, value), reference) in BLOBS.into_iter().zip(&references) {
                if let Ok(found) = reader.get(&BlobReadOptions::default(), key, reference) {
                    assert_eq!(*found, *value, "{compression:?} {damage}");
                }
                // Without the checksum values may be wrong, no worse.
                let _ = reader.get(&UNVERIFIED, key, reference);
            }
        }
    }
}

#[test]
fn blob_files_of_every_release_hold_what_they_claim() {
    let fixtures = testing::fixtures::matching(|_, name| name.starts_with(['g', 'm', 'z']));
    let with_blobs: Vec<_> =
        fixtures.into_iter().filter(|fixture| fixture.case.facts.blob_files > 0).collect();
    assert!(!with_blobs.is_empty());
    testing::parallel::for_each(&with_blobs, |fixture| {
        for (path, bytes) in fixture.files() {
            if path.ends_with(".blob") {
                check_golden(&bytes).map_err(|why| format!("{path}: {why}"))?;
            }
        }
        Ok::<_, String>(())
    });
}

#[test]
fn a_damaged_blob_file_of_rocksdb_gives_errors_or_the_values() {
    let fixture = testing::fixtures::one("11.8.1", "g01");
    let files = fixture.files().into_iter().filter(|(path, _)| path.ends_with(".blob"));
    let (_, bytes) = files.min_by_key(|(_, bytes)| bytes.len()).unwrap();
    let mut log = BlobLogReader::open(open_bytes(&bytes)).unwrap();
    let column_family_id = log.header().column_family_id;
    let mut records = Vec::new();
    while let Some(record) = log.read_record(true).unwrap() {
        records.push(record);
    }
    let mut unharmed = 0;
    for damage in corrupt::all(bytes.len()) {
        let file = open_bytes(&damage.apply(&bytes));
        let Ok(reader) = BlobFileReader::open(file, column_family_id) else {
            continue;
        };
        let mut failed = 0;
        for record in &records {
            let reference = reference_to(record, log.header().compression);
            match reader.get(&BlobReadOptions::default(), record.key(), &reference) {
                Ok(found) => assert_eq!(*found, *record.stored_value(), "{damage}"),
                Err(status) => {
                    assert!(status.is_corruption(), "{damage}: {status}");
                    failed += 1;
                }
            }
        }
        assert!(failed <= 1 || failed == records.len(), "{damage}: {failed} failed");
        unharmed += usize::from(failed == 0);
    }
    // No byte of a record can be flipped without notice.
    assert_eq!(unharmed, 0);
}

fn reference_to(record: &BlobLogRecord, compression: CompressionType) -> BlobReference {
    BlobReference {
        file_number: FILE_NUMBER,
        offset: record.value_offset(),
        size: record.stored_value().len() as u64,
        compression,
    }
}

/// Reads every record both ways.
fn check_golden(bytes: &[u8]) -> std::result::Result<(), String> {
    let mut log = BlobLogReader::open(open_bytes(bytes)).map_err(|status| status.to_string())?;
    let column_family_id = log.header().column_family_id;
    let reader = BlobFileReader::open(open_bytes(bytes), column_family_id)
        .map_err(|status| status.to_string())?;
    let mut count = 0;
    while let Some(record) = log.read_record(true).map_err(|status| status.to_string())? {
        let reference = reference_to(&record, reader.compression());
        let verified = reader.get(&BlobReadOptions::default(), record.key(), &reference);
        let unverified = reader.get(&UNVERIFIED, record.key(), &reference);
        let verified = verified.map_err(|status| status.to_string())?;
        if Ok(&verified) != unverified.as_ref() {
            return Err(format!("{reference} reads differently without checksums"));
        }
        count += 1;
    }
    if count == 0 || count != reader.blob_count() {
        return Err(format!("{count} records, the footer says {}", reader.blob_count()));
    }
    Ok(())
}
