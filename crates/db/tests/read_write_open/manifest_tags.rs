//! MANIFESTs with tags of releases to come: those that may be passed over are, of files they are
//! kept; others refuse the open, and nothing is changed.

use crate::copies::Copied;
use crate::features::Facts;
use base::filename::{FileType, descriptor_file_name, parse_file_name};
use base::status::Code;
use db::{FlushOptions, WriteOptions};
use env::FileOptions;
use std::path::PathBuf;
use testing::fixtures;
use version::ManifestReader;
use wal::LogWriter;

fn manifest(copied: &Copied) -> PathBuf {
    let names = copied.options.context.file_system.get_children(&copied.options.path).unwrap();
    let number = names.iter().filter_map(|name| match parse_file_name(name) {
        Some((number, FileType::Descriptor)) => Some(number),
        _ => None,
    });
    descriptor_file_name(&copied.options.path, number.max().unwrap())
}

/// Appends a record to the MANIFEST.
fn append(copied: &Copied, record: &[u8]) {
    let fs = &copied.options.context.file_system;
    let file = fs.reopen_writable_file(&manifest(copied), &FileOptions::default()).unwrap();
    let mut writer = LogWriter::new(file);
    writer.add_record(record).unwrap();
    writer.close().unwrap();
}

fn put_varint32(record: &mut Vec<u8>, number: u32) {
    base::coding::put_varint32(record, number);
}

/// A field of the edit that no release knows, with a value as those have that may be passed over.
fn unknown_field(tag: u32) -> Vec<u8> {
    let mut record = Vec::new();
    put_varint32(&mut record, tag);
    record.extend([3, b'n', b'e', b'w']);
    record
}

/// The last record that adds a table, with one more custom tag for that table.
fn with_custom_tag(copied: &Copied, tag: u32) -> Vec<u8> {
    let fs = &*copied.options.context.file_system;
    let mut found = None;
    for record in ManifestReader::open(fs, &manifest(copied)).unwrap() {
        let mut edit = record.unwrap().edit;
        if let Some(new) = edit.new_files.pop() {
            edit.new_files = vec![new.clone()];
            edit.deleted_files = [(new.level, new.file.number)].into();
            edit.blob_file_additions.clear();
            edit.blob_file_garbages.clear();
            edit.remaining_entries = None;
            found = Some(edit);
        }
    }
    let mut edit = found.unwrap();
    let new = &mut edit.new_files[0];
    new.file.unknown_fields.push(version::UnknownField { tag, value: b"new".to_vec() });
    edit.encode()
}

fn write_and_rewrite(copied: &Copied) {
    let db = copied.open_for_writing().unwrap();
    let family = db.column_family("default").unwrap();
    db.put(&WriteOptions::default(), &family, b"~new", b"value").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    drop(family);
    db.close().unwrap();
}

fn check_refused(copied: &Copied, tag: u32) {
    let fs = &copied.options.context.file_system;
    let bytes = || env::read_file_to_vec(&**fs, &manifest(copied), u64::MAX).unwrap();
    let before = (manifest(copied), bytes());
    for error in [copied.open_for_writing().err(), copied.options.open().err()] {
        let error = error.unwrap();
        assert_eq!(error.code(), Code::Corruption, "{error}");
        assert!(error.message().contains("MANIFEST") && error.message().contains("tag"), "{error}");
        assert!(error.message().contains(&tag.to_string()), "{error}");
    }
    assert_eq!(before, (manifest(copied), bytes()));
}

fn fixtures_of_now() -> Vec<fixtures::Fixture> {
    fixtures::matching(|release, name| {
        name.starts_with("a02") && ["6.29.5", "8.11.4", "10.10.1"].contains(&release)
    })
}

#[test]
fn fields_of_an_edit_are_passed_over_if_they_may_be() {
    for fixture in fixtures_of_now() {
        let copied = Copied::of(&fixture).unwrap();
        let before = Facts::of(&copied.options.open().unwrap());
        append(&copied, &unknown_field((1 << 13) | 700));
        crate::features::check_files(&copied, &before).unwrap();
        // As RocksDB's, the next MANIFEST is without.
        write_and_rewrite(&copied);
        crate::features::check_files(&copied, &before).unwrap();

        let copied = Copied::of(&fixture).unwrap();
        append(&copied, &unknown_field(700));
        check_refused(&copied, 700);
    }
}

#[test]
fn custom_tags_of_a_table_are_kept_if_they_may_be_passed_over() {
    const SAFE: u32 = 50;
    const NOT_IGNORABLE: u32 = (1 << 6) | 30;
    for fixture in fixtures_of_now() {
        let copied = Copied::of(&fixture).unwrap();
        let record = with_custom_tag(&copied, SAFE);
        append(&copied, &record);
        let before = Facts::of(&copied.options.open().unwrap());
        assert_eq!(before.unknown_fields(), [(SAFE, b"new".to_vec())], "{fixture}");
        for _ in 0..2 {
            write_and_rewrite(&copied);
            crate::features::check_files(&copied, &before).unwrap();
            let now = Facts::of(&copied.options.open().unwrap());
            assert_eq!(now.unknown_fields(), before.unknown_fields(), "{fixture}");
        }

        let copied = Copied::of(&fixture).unwrap();
        let record = with_custom_tag(&copied, NOT_IGNORABLE);
        append(&copied, &record);
        check_refused(&copied, NOT_IGNORABLE);
    }
}
