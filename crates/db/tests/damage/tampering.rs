//! Files that are well formed, checksums included, and say something else than before.

use crate::mem_database::MemDatabase;
use base::coding::{decode_fixed32, put_varint32};
use env::{FileOptions, FileSystem, read_file_to_vec};
use table::{BlockHandle, TableTail};
use version::{ManifestReader, NewFile, VersionEdit};
use wal::LogWriter;

/// The bytes of a file.
pub(crate) fn bytes(database: &MemDatabase, name: &str) -> Vec<u8> {
    read_file_to_vec(&*database.fs, &database.path(name), u64::MAX).unwrap()
}

fn tail(database: &MemDatabase, name: &str) -> TableTail {
    let path = database.path(name);
    let file = database.fs.new_random_access_file(&path, &FileOptions::default()).unwrap();
    let size = file.size().unwrap();
    TableTail::read(&*file, size).unwrap()
}

/// Changes the stored bytes of a block of a table, its compression type included, and corrects its
/// checksum.
fn change_block(
    database: &MemDatabase,
    name: &str,
    block: impl Fn(&TableTail) -> BlockHandle,
    change: impl Fn(&mut [u8]),
) {
    let tail = tail(database, name);
    let handle = block(&tail);
    let mut file = bytes(database, name);
    let start = handle.offset as usize;
    let end = start + handle.size as usize + 1;
    let before = tail.footer.block_checksum(handle.offset, &file[start..end]);
    assert_eq!(before, decode_fixed32(&file, end), "{name}: the checksum is not where it seems");
    change(&mut file[start..end]);
    let checksum = tail.footer.block_checksum(handle.offset, &file[start..end]);
    file[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
    database.write(name, &file);
}

/// Gives the metaindex block of a table another compression type.
pub(crate) fn set_compression_type(database: &MemDatabase, name: &str, number: u8) {
    change_block(
        database,
        name,
        |tail| tail.footer.metaindex_handle,
        |block| {
            let end = block.len() - 1;
            block[end] = number;
        },
    );
}

/// Sets bits of the last word of a table's metaindex block.
pub(crate) fn set_block_footer_bits(database: &MemDatabase, name: &str, bits: u32) {
    change_block(
        database,
        name,
        |tail| tail.footer.metaindex_handle,
        |block| {
            let word = block.len() - 1 - 4;
            let value = decode_fixed32(block, word) | bits;
            block[word..word + 4].copy_from_slice(&value.to_le_bytes());
        },
    );
}

/// Replaces a text in the properties of a table by one of the same length.
pub(crate) fn replace_in_properties(database: &MemDatabase, name: &str, old: &[u8], new: &[u8]) {
    assert_eq!(old.len(), new.len());
    change_block(
        database,
        name,
        |tail| tail.metaindex.properties().unwrap(),
        |block| {
            let at = block.windows(old.len()).position(|window| window == old).unwrap();
            block[at..at + new.len()].copy_from_slice(new);
        },
    );
}

fn payloads(database: &MemDatabase) -> Vec<Vec<u8>> {
    let path = database.path(&database.original.manifest());
    let reader = ManifestReader::open(&*database.fs, &path).unwrap();
    reader.map(|record| record.unwrap().edit.encode()).collect()
}

/// Appends a record to the MANIFEST.
pub(crate) fn append_record(database: &MemDatabase, record: &[u8]) {
    let mut payloads = payloads(database);
    payloads.push(record.to_vec());
    let path = database.path(&database.original.manifest());
    let file = database.fs.new_writable_file(&path, &FileOptions::default()).unwrap();
    let mut log = LogWriter::new(file);
    for payload in payloads {
        log.add_record(&payload).unwrap();
    }
    log.close().unwrap();
}

/// Appends a record with a tag that no release knows.
pub(crate) fn append_tag(database: &MemDatabase, tag: u32) {
    let mut record = Vec::new();
    put_varint32(&mut record, tag);
    record.extend_from_slice(b"\x03abc");
    append_record(database, &record);
}

/// The newest addition of a file.
pub(crate) fn file(database: &MemDatabase, number: u64) -> (u32, NewFile) {
    let edits = payloads(database).into_iter().map(|payload| VersionEdit::decode(&payload));
    let mut found = None;
    for edit in edits.map(Result::unwrap) {
        for new_file in edit.new_files {
            if new_file.file.number == number {
                found = Some((edit.column_family, new_file));
            }
        }
    }
    found.unwrap()
}

/// Removes a file from the MANIFEST and adds it again, changed.
pub(crate) fn change_file(database: &MemDatabase, number: u64, change: impl FnOnce(&mut NewFile)) {
    let (column_family, mut new_file) = file(database, number);
    let deleted_files = [(new_file.level, number)].into();
    change(&mut new_file);
    let edit = VersionEdit {
        column_family,
        deleted_files,
        new_files: vec![new_file],
        ..VersionEdit::default()
    };
    append_record(database, &edit.encode());
}
