use super::*;
use blob::BlobReference;
use compression::CompressionType;

#[test]
fn internal_keys_as_rocksdb_prints_them() {
    let key = ParsedInternalKey { user_key: b"k\x01", sequence: 7, value_type: ValueType::Merge };
    assert_eq!(internal_key(&key, true), b"'6B01' seq:7, type:2");
    assert_eq!(internal_key(&key, false), b"'k\x01' seq:7, type:2");
    let mut encoded = Vec::new();
    key.append_to(&mut encoded);
    assert_eq!(encoded_internal_key(&encoded, true), b"'6B01' seq:7, type:2");
}

#[test]
fn bytes_that_are_no_internal_key_are_marked() {
    assert_eq!(encoded_internal_key(b"a\x00~", false), b"(bad)a\\x00~");
    // A record of a WAL, which no table holds.
    let bad = [b"k".as_slice(), &[0x03, 0, 0, 0, 0, 0, 0, 0]].concat();
    assert!(encoded_internal_key(&bad, true).starts_with(b"(bad)k\\x03"));
}

#[test]
fn blob_indexes_in_words() {
    let compression = CompressionType::Lz4;
    let reference = BlobReference { file_number: 5, offset: 60, size: 9, compression };
    let text = "[blob ref] file:5 offset:60 size:9 compression: LZ4";
    assert_eq!(blob_index(&BlobIndex::Blob(reference), true), text.as_bytes());
    let index = BlobIndex::BlobTtl { expiration: 3, reference };
    assert_eq!(blob_index(&index, false), format!("{text} exp:3").as_bytes());
    let index = BlobIndex::InlinedTtl { expiration: 4, value: b"v" };
    assert_eq!(blob_index(&index, true), b"[inlined blob] value:76 exp:4");
}
