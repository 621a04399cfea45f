use super::*;
use proptest::prelude::*;
use testing::hexes::unhex as bytes;

#[test]
fn footer_of_format_version_5_written_by_7_8_3() {
    let zeros = "00".repeat(40 - 4);
    let raw = bytes(&format!("01 9308 4f 73 17 {} 05000000 f7cff485b741e288", &zeros[2..]));
    let footer = Footer::decode(&raw, 1127 + 53).unwrap();
    assert_eq!(
        footer,
        Footer {
            format_version: 5,
            checksum_type: ChecksumType::Crc32c,
            base_context_checksum: 0,
            metaindex_handle: BlockHandle { offset: 1043, size: 79 },
            index_handle: Some(BlockHandle { offset: 115, size: 23 }),
            offset: 1127,
        }
    );
    let mut encoded = Vec::new();
    footer.encode_to(&mut encoded);
    assert_eq!(encoded, raw);
}

#[test]
fn footer_of_format_version_6_written_by_11_9() {
    let raw = footer_6();
    let footer = Footer::decode(&raw, 1332).unwrap();
    assert_eq!(footer.format_version, 6);
    assert_eq!(footer.checksum_type, ChecksumType::Xxh3);
    assert_eq!(footer.base_context_checksum, 0x7e80_b67b);
    assert_eq!(footer.metaindex_handle, BlockHandle { offset: 1220, size: 54 });
    assert_eq!(footer.index_handle, None);
    let mut encoded = Vec::new();
    footer.encode_to(&mut encoded);
    assert_eq!(encoded, raw);
}

fn footer_6() -> Vec<u8> {
    let zeros = "00".repeat(24);
    bytes(&format!("04 3e007a00 d976b078 7bb6807e 36000000 {zeros} 06000000 f7cff485b741e288"))
}

#[test]
fn block_checksums_of_format_version_6_depend_on_the_offset() {
    let footer = Footer::decode(&footer_6(), 1332).unwrap();
    let block = bytes(&format!(
        "00131a6b65793030303030303030010100000000000076616c756530 {} 00000000 01000000 00",
        "61".repeat(20)
    ));
    assert_eq!(footer.block_checksum(0, &block), 0x4159_dbca);
    assert_ne!(footer.block_checksum(1, &block), 0x4159_dbca);
}

#[test]
fn every_flipped_byte_of_a_checksummed_footer_is_noticed() {
    let raw = footer_6();
    for damage in testing::corrupt::flips(raw.len(), &testing::corrupt::MASKS) {
        assert!(Footer::decode(&damage.apply(&raw), 1332).is_err(), "{damage}");
    }
}

#[test]
fn other_tables_and_other_files_are_refused_by_name() {
    let with_magic = |magic: u64| {
        let mut file = vec![0; 100];
        put_fixed64(&mut file, magic);
        Footer::decode(&file[file.len() - FOOTER_SIZE..], file.len() as u64).unwrap_err()
    };
    for magic in [PLAIN_MAGIC, LEGACY_PLAIN_MAGIC] {
        assert_eq!(with_magic(magic).to_string(), "Not implemented: plain table");
    }
    assert_eq!(with_magic(CUCKOO_MAGIC).to_string(), "Not implemented: cuckoo table");
    assert_eq!(
        with_magic(7).to_string(),
        "Corruption: Bad table magic number: expected 9863518390377041911, found 7"
    );
    assert_eq!(
        Footer::decode(&[0; 10], 10).unwrap_err().to_string(),
        "Corruption: file is too short (10 bytes) to be an sstable"
    );
}

#[test]
fn newer_format_versions_and_unknown_checksums_are_refused() {
    let mut footer = Footer::decode(&footer_6(), 1332).unwrap();
    footer.format_version = 8;
    let mut raw = Vec::new();
    footer.encode_to(&mut raw);
    assert_eq!(
        Footer::decode(&raw, 1332).unwrap_err().to_string(),
        "Corruption: Corrupt or unsupported format_version: 8"
    );
    let mut raw = footer_6();
    raw[0] = 5;
    assert_eq!(
        Footer::decode(&raw, 1332).unwrap_err().to_string(),
        "Corruption: Corrupt or unsupported checksum type: 5"
    );
}

#[test]
fn handles_must_lie_before_the_footer() {
    let footer = Footer {
        format_version: 4,
        checksum_type: ChecksumType::Crc32c,
        base_context_checksum: 0,
        metaindex_handle: BlockHandle { offset: 0, size: 10 },
        index_handle: Some(BlockHandle { offset: u64::MAX, size: 10 }),
        offset: 15,
    };
    let mut raw = Vec::new();
    footer.encode_to(&mut raw);
    assert!(Footer::decode(&raw, 15 + 53).unwrap_err().is_corruption());
    assert!(footer.contains(BlockHandle { offset: 0, size: 10 }));
    assert!(!footer.contains(BlockHandle { offset: 0, size: 11 }));
    assert!(!footer.contains(BlockHandle { offset: 1, size: u64::MAX }));
}

proptest! {
    #[test]
    fn footers_round_trip(
        format_version in 0..=FORMAT_VERSION_MAX,
        checksum_type in 0..5u8,
        base_context_checksum in 1u32..,
        offset in 200_000u64..1 << 40,
        size in 0u64..100_000,
        index in 0u64..100_000,
    ) {
        let modern = format_version >= 6;
        let checksum_type =
            if format_version == 0 { 1 } else { checksum_type };
        let footer = Footer {
            format_version,
            checksum_type: ChecksumType::from_u8(checksum_type).unwrap(),
            base_context_checksum: if modern { base_context_checksum } else { 0 },
            metaindex_handle: BlockHandle { offset: offset - 5 - size, size },
            index_handle: (!modern).then_some(BlockHandle { offset: index, size: index }),
            offset,
        };
        let mut raw = Vec::new();
        footer.encode_to(&mut raw);
        let file_size = offset + raw.len() as u64;
        prop_assert_eq!(Footer::decode(&raw, file_size).unwrap(), footer);
    }
}
