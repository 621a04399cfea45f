//! Version edits and versions as RocksDB prints them (`VersionEdit::DebugString`,
//! `Version::DebugString`).

use super::print::{encoded_internal_key, plain_or_hex};
use super::version_files::level_files;
use base::dbformat::hex;
use base::hash::xxh3_128_with_seed;
use std::fmt::Display;
use version::{
    BlobFileAddition, BlobFileMetaData, FileMetaData, NewFile, Temperature, Version, VersionEdit,
};

/// What RocksDB prints of a checksum function where there is none.
const UNKNOWN_CHECKSUM_FUNCTION: &[u8] = b"Unknown";

/// Text in the making; keys in it may be any bytes.
#[derive(Default)]
struct Text(Vec<u8>);

impl Text {
    fn add(&mut self, text: impl Display) -> &mut Self {
        self.0.extend(text.to_string().bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// `label` and a number on a line of its own, if there is one.
    fn number(&mut self, label: &str, number: Option<u64>) -> &mut Self {
        if let Some(number) = number {
            self.add("\n  ").add(label).add(": ").add(number);
        }
        self
    }
}

/// An edit, on several lines.
pub(crate) fn edit_text(edit: &VersionEdit, is_hex: bool) -> Vec<u8> {
    let mut text = Text::default();
    text.add("VersionEdit {");
    add_numbers(&mut text, edit);
    for (level, cursor) in &edit.compact_cursors {
        text.add("\n  CompactCursor: ").add(level).add(" ");
        text.bytes(&encoded_internal_key(cursor.as_bytes(), is_hex));
    }
    for (level, number) in &edit.deleted_files {
        text.add("\n  DeleteFile: ").add(level).add(" ").add(number);
    }
    for file in &edit.new_files {
        add_new_file(&mut text, file, is_hex);
    }
    for addition in &edit.blob_file_additions {
        text.add("\n  BlobFileAddition: ");
        add_blob_file(&mut text, addition);
    }
    for garbage in &edit.blob_file_garbages {
        text.add("\n  BlobFileGarbage: blob_file_number: ").add(garbage.number);
        text.add(" garbage_blob_count: ").add(garbage.garbage_blob_count);
        text.add(" garbage_blob_bytes: ").add(garbage.garbage_blob_bytes);
    }
    for wal in &edit.wal_additions {
        // A log that was only created is of no known size.
        let size = wal.synced_size_bytes.unwrap_or(u64::MAX);
        text.add("\n  WalAddition: log_number: ").add(wal.number);
        text.add(" synced_size_in_bytes: ").add(size);
    }
    if let Some(number) = edit.wal_deletion.filter(|number| *number != 0) {
        text.add("\n  WalDeletion: log_number: ").add(number);
    }
    add_column_family(&mut text, edit, is_hex);
    text.add("\n}\n");
    text.0
}

fn add_numbers(text: &mut Text, edit: &VersionEdit) {
    for (label, name) in [("DB ID", &edit.db_id), ("Comparator", &edit.comparator)] {
        if let Some(name) = name {
            text.add("\n  ").add(label).add(": ").bytes(name);
        }
    }
    text.number("LogNumber", edit.log_number)
        .number("PrevLogNumber", edit.prev_log_number)
        .number("NextFileNumber", edit.next_file_number)
        .number("MaxColumnFamily", edit.max_column_family.map(u64::from))
        .number("MinLogNumberToKeep", edit.min_log_number_to_keep)
        .number("LastSeq", edit.last_sequence);
}

fn add_new_file(text: &mut Text, NewFile { level, file }: &NewFile, is_hex: bool) {
    text.add("\n  AddFile: ").add(level).add(" ").add(file.number).add(" ").add(file.file_size);
    text.add(" ").bytes(&key_range(file, is_hex));
    if let Some(number) = file.oldest_blob_file_number {
        text.add(" blob_file:").add(number);
    }
    text.add(" oldest_ancester_time:").add(file.oldest_ancester_time);
    text.add(" file_creation_time:").add(file.file_creation_time);
    let checksum = file.file_checksum.as_ref();
    text.add(" file_checksum:").add(hex(checksum.map_or(&[], |checksum| &checksum.value)));
    let function = checksum.map_or(UNKNOWN_CHECKSUM_FUNCTION, |checksum| &checksum.function_name);
    text.add(" file_checksum_func_name: ").bytes(function);
    if file.temperature != Temperature::UNKNOWN {
        text.add(" temperature: ").add(file.temperature.0);
    }
    if let Some(id) = &file.unique_id {
        let internal = u128::from_le_bytes(*id);
        text.add(format_args!(" unique_id(internal): {{{},{}}}", internal as u64, internal >> 64));
        let public = public_unique_id(internal).to_le_bytes();
        let (first, second) = public.split_at(8);
        text.add(format_args!(" public_unique_id: {}-{}", hex(first), hex(second)));
    }
}

/// The unique id that the API gives out for the one in the MANIFEST: a bijection of 128 bits that
/// maps zeros to zeros.
fn public_unique_id(internal: u128) -> u128 {
    const LOW_OFFSET: u64 = 6_417_269_962_128_484_497;
    const HIGH_OFFSET: u64 = 17_391_078_804_906_429_400;
    let mut input = [0; 16];
    input[..8].copy_from_slice(&(internal as u64).wrapping_add(LOW_OFFSET).to_le_bytes());
    let high = ((internal >> 64) as u64).wrapping_add(HIGH_OFFSET);
    input[8..].copy_from_slice(&high.to_le_bytes());
    xxh3_128_with_seed(&input, 0)
}

fn key_range(file: &FileMetaData, is_hex: bool) -> Vec<u8> {
    let [smallest, largest] =
        [&file.smallest, &file.largest].map(|key| encoded_internal_key(key.as_bytes(), is_hex));
    [&smallest, b" .. ".as_slice(), &largest].concat()
}

fn add_blob_file(text: &mut Text, blob: &BlobFileAddition) {
    text.add("blob_file_number: ").add(blob.number);
    text.add(" total_blob_count: ").add(blob.total_blob_count);
    text.add(" total_blob_bytes: ").add(blob.total_blob_bytes);
    text.add(" checksum_method: ").bytes(&blob.checksum_method);
    text.add(" checksum_value: ").add(hex(&blob.checksum_value));
}

fn add_column_family(text: &mut Text, edit: &VersionEdit, is_hex: bool) {
    text.add("\n  ColumnFamily: ").add(edit.column_family);
    if let Some(name) = &edit.column_family_add {
        text.add("\n  ColumnFamilyAdd: ").bytes(name);
    }
    if edit.column_family_drop {
        text.add("\n  ColumnFamilyDrop");
    }
    if let Some(remaining) = edit.remaining_entries {
        text.add("\n  AtomicGroup: ").add(remaining).add(" entries remains");
    }
    if let Some(timestamp) = &edit.full_history_ts_low {
        text.add("\n FullHistoryTsLow: ").bytes(&plain_or_hex(timestamp, is_hex));
    }
}

/// The files of a version, level by level. RocksDB numbers versions as it makes them.
pub(crate) fn version_text(version: &Version, version_number: u64, is_hex: bool) -> Vec<u8> {
    let mut text = Text::default();
    for level in 0..version.num_levels() {
        text.add(format_args!("--- level {level} --- version# {version_number}"));
        if let Some(cursor) =
            u32::try_from(level).ok().and_then(|l| version.compact_cursors().get(&l))
        {
            text.add(" --- compact_cursor: ");
            text.bytes(&encoded_internal_key(cursor.as_bytes(), is_hex));
        }
        text.add(" ---\n");
        for file in level_files(version, level) {
            text.add(format_args!(
                " {}:{}[{} .. {}][",
                file.number, file.file_size, file.smallest_seqno, file.largest_seqno
            ));
            text.bytes(&key_range(file, is_hex)).add("]");
            if let Some(number) = file.oldest_blob_file_number {
                text.add(" blob_file:").add(number);
            }
            text.add("\n");
        }
    }
    if !version.blob_files().is_empty() {
        text.add(format_args!("--- blob files --- version# {version_number} ---\n"));
        for blob in version.blob_files() {
            add_blob_file_state(&mut text, blob);
        }
    }
    text.0
}

fn add_blob_file_state(text: &mut Text, blob: &BlobFileMetaData) {
    add_blob_file(text, &blob.addition);
    text.add(" linked_ssts: {");
    for number in &blob.linked_ssts {
        text.add(" ").add(number);
    }
    text.add(" } garbage_blob_count: ").add(blob.garbage_blob_count);
    text.add(" garbage_blob_bytes: ").add(blob.garbage_blob_bytes).add("\n");
}

#[cfg(test)]
mod tests;
