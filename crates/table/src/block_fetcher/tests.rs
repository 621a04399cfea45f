use super::*;
use crate::test_files::BytesFile;
use base::checksum::ChecksumType;
use compression::{CompressionOptions, compress};

fn footer(format_version: u32, offset: u64) -> Footer {
    Footer {
        format_version,
        checksum_type: ChecksumType::Xxh3,
        base_context_checksum: if format_version >= 6 { 0x1234_5678 } else { 0 },
        metaindex_handle: BlockHandle::default(),
        index_handle: None,
        offset,
    }
}

/// A file of some bytes, then one block with its trailer.
fn file_with(
    block: &[u8],
    compression_type: u8,
    format_version: u32,
) -> (BytesFile, BlockHandle, Footer) {
    let handle = BlockHandle { offset: 11, size: block.len() as u64 };
    let footer = footer(format_version, 11 + block.len() as u64 + 5);
    let mut bytes = vec![b'.'; 11];
    bytes.extend_from_slice(block);
    bytes.push(compression_type);
    let checksum = footer.block_checksum(11, &bytes[11..]);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    (BytesFile(bytes), handle, footer)
}

#[test]
fn blocks_come_back_uncompressed() {
    let plain = b"some text, some text, some text".repeat(10);
    for kind in [CompressionType::Lz4, CompressionType::Snappy, CompressionType::Zstd] {
        let stored = compress(kind, &CompressionOptions::default(), &plain, None).unwrap();
        for format_version in [5, 7] {
            let (file, handle, footer) = file_with(&stored, kind as u8, format_version);
            let fetcher = BlockFetcher {
                file: &file,
                footer: &footer,
                verify_checksums: true,
                statistics: None,
                limit: None,
            };
            assert_eq!(fetcher.fetch(handle, None, None).unwrap(), plain);
            let raw = fetcher.fetch_raw(handle, None).unwrap();
            assert_eq!((raw.contents, raw.compression_type), (stored.clone(), kind as u8));
            let mut prefetcher = SequentialPrefetcher::new(&env::ReadaheadOptions::default());
            assert_eq!(fetcher.fetch(handle, None, Some(&mut prefetcher)).unwrap(), plain);
        }
    }
}

#[test]
fn a_wrong_checksum_names_file_offset_expected_and_found() {
    let (mut file, handle, footer) = file_with(b"block", 0, 5);
    let expected = footer.block_checksum(11, b"block\0");
    let found = footer.block_checksum(11, b"blo\x63j\0");
    file.0[11 + 4] ^= 1;
    let fetcher = BlockFetcher {
        file: &file,
        footer: &footer,
        verify_checksums: true,
        statistics: None,
        limit: None,
    };
    assert_eq!(
        fetcher.fetch(handle, None, None).unwrap_err().to_string(),
        format!(
            "Corruption: /db/000009.sst at offset 11: block checksum mismatch: stored = {expected}, \
             computed = {found}, type = 4, size = 5"
        )
    );
    let unverified = BlockFetcher { verify_checksums: false, ..fetcher };
    assert_eq!(unverified.fetch(handle, None, None).unwrap(), b"blocj");
}

#[test]
fn blocks_must_lie_before_the_footer_and_in_the_file() {
    let (mut file, handle, footer) = file_with(b"block", 0, 5);
    let beyond = BlockHandle { size: handle.size + 1, ..handle };
    let fetch = |file: &BytesFile, handle| {
        BlockFetcher {
            file,
            footer: &footer,
            verify_checksums: true,
            statistics: None,
            limit: None,
        }
        .fetch(handle, None, None)
    };
    let message = fetch(&file, beyond).unwrap_err().to_string();
    assert_eq!(
        message,
        "Corruption: /db/000009.sst at offset 11: block of 6 bytes does not fit before the footer \
         at offset 21"
    );
    file.0.truncate(15);
    assert!(fetch(&file, handle).unwrap_err().is_corruption());
}

#[test]
fn unknown_compression_types_are_refused_by_number() {
    let (file, handle, footer) = file_with(b"block", 0x80, 7);
    let fetcher = BlockFetcher {
        file: &file,
        footer: &footer,
        verify_checksums: true,
        statistics: None,
        limit: None,
    };
    let status = fetcher.fetch(handle, None, None).unwrap_err();
    assert!(status.to_string().contains("/db/000009.sst at offset 11"), "{status}");
    assert!(status.to_string().contains("128") || status.to_string().contains("0x80"), "{status}");
}

#[test]
fn checksums_from_before_a_patch_are_accepted_with_zeros() {
    let (mut file, handle, footer) = file_with(&[0; 20], 0, 5);
    file.0[11 + 4..11 + 8].fill(7);
    let fetcher = BlockFetcher {
        file: &file,
        footer: &footer,
        verify_checksums: true,
        statistics: None,
        limit: None,
    };
    assert!(fetcher.fetch_raw(handle, None).is_err());
    fetcher.verify_with_zeros(handle, 4..8).unwrap();
    assert!(fetcher.verify_with_zeros(handle, 4..7).unwrap_err().is_corruption());
}
