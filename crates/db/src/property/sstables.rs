//! `rocksdb.sstables`: every table and blob file of a version, one a line.

use base::dbformat::hex;
use base::{InternalKey, ParsedInternalKey};
use std::fmt::Write;
use version::{BlobFileMetaData, FileMetaData, Version};

/// The listing. `version_number` is how many versions RocksDB would have made before this one.
pub(crate) fn listing(version: &Version, version_number: u64) -> String {
    let mut text = String::new();
    for level in 0..version.num_levels() {
        // Writing to a string cannot fail.
        let _ = write!(text, "--- level {level} --- version# {version_number}");
        let cursor =
            u32::try_from(level).ok().and_then(|level| version.compact_cursors().get(&level));
        if let Some(cursor) = cursor {
            let _ = write!(text, " --- compact_cursor: {}", internal_key(cursor));
        }
        text.push_str(" ---\n");
        for file in version.level_files(level) {
            write_table(&mut text, file);
        }
    }
    if !version.blob_files().is_empty() {
        let _ = writeln!(text, "--- blob files --- version# {version_number} ---");
        for file in version.blob_files() {
            write_blob_file(&mut text, file);
        }
    }
    text
}

fn write_table(text: &mut String, file: &FileMetaData) {
    let _ = write!(
        text,
        " {}:{}[{} .. {}][{} .. {}]",
        file.number,
        file.file_size,
        file.smallest_seqno,
        file.largest_seqno,
        internal_key(&file.smallest),
        internal_key(&file.largest)
    );
    if let Some(number) = file.oldest_blob_file_number {
        let _ = write!(text, " blob_file:{number}");
    }
    // Reads of the file that were sampled.
    text.push_str("(0)\n");
}

fn write_blob_file(text: &mut String, file: &BlobFileMetaData) {
    let addition = &file.addition;
    let linked: String = file.linked_ssts.iter().map(|number| format!(" {number}")).collect();
    let _ = writeln!(
        text,
        "blob_file_number: {} total_blob_count: {} total_blob_bytes: {} checksum_method: {} \
         checksum_value: {} linked_ssts: {{{linked} }} garbage_blob_count: {} \
         garbage_blob_bytes: {}",
        file.number(),
        addition.total_blob_count,
        addition.total_blob_bytes,
        String::from_utf8_lossy(&addition.checksum_method),
        hex(&addition.checksum_value),
        file.garbage_blob_count,
        file.garbage_blob_bytes
    );
}

fn internal_key(key: &InternalKey) -> String {
    match ParsedInternalKey::parse(key.as_bytes()) {
        Ok(ParsedInternalKey { user_key, sequence, value_type }) => {
            format!("'{}' seq:{sequence}, type:{}", hex(user_key), value_type as u8)
        }
        Err(_) => key.as_bytes().iter().fold("(bad)".to_owned(), |mut text, &byte| {
            let _ = match byte {
                b' '..=b'~' => write!(text, "{}", char::from(byte)),
                _ => write!(text, "\\x{byte:02x}"),
            };
            text
        }),
    }
}
