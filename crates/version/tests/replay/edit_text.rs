//! Edits and versions as text.
//!
//! A key is `USERKEY#SEQUENCE`, or `USERKEY#max` for the exclusive end of a range tombstone.

use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_trailer};
use base::{InternalKey, ValueType};
use std::fmt::Write;
use version::{
    BlobFileAddition, BlobFileGarbage, FileMetaData, NewFile, Version, VersionEdit, WalAddition,
};

fn key(text: &str) -> InternalKey {
    let (user_key, sequence) = text.split_once('#').unwrap();
    match sequence {
        "max" => {
            InternalKey::new(user_key.as_bytes(), MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion)
        }
        number => InternalKey::new(user_key.as_bytes(), number.parse().unwrap(), ValueType::Value),
    }
}

fn print_key(key: &InternalKey) -> String {
    let user_key = key.user_key().escape_ascii();
    match extract_trailer(key.as_bytes()) >> 8 {
        MAX_SEQUENCE_NUMBER => format!("{user_key}#max"),
        sequence => format!("{user_key}#{sequence}"),
    }
}

/// `add LEVEL NUMBER SMALLEST LARGEST [seq=A-B] [epoch=N] [blob=N] [no-timestamps]`
fn new_file(words: &[&str]) -> NewFile {
    let mut file = FileMetaData::new(words[1].parse().unwrap(), 1000, key(words[2]), key(words[3]));
    for word in &words[4..] {
        match word.split_once('=') {
            Some(("seq", range)) => {
                let (first, last) = range.split_once('-').unwrap();
                file.smallest_seqno = first.parse().unwrap();
                file.largest_seqno = last.parse().unwrap();
            }
            Some(("epoch", number)) => file.epoch_number = number.parse().unwrap(),
            Some(("blob", number)) => file.oldest_blob_file_number = number.parse().ok(),
            None if *word == "no-timestamps" => file.user_defined_timestamps_persisted = false,
            _ => panic!("{word}"),
        }
    }
    NewFile { level: words[0].parse().unwrap(), file }
}

/// One field of an edit.
pub(super) fn parse_field(edit: &mut VersionEdit, line: &str) {
    let (field, rest) = line.split_once(' ').unwrap_or((line, ""));
    let words: Vec<_> = rest.split_whitespace().collect();
    let number = |index: usize| words[index].parse::<u64>().unwrap();
    match field {
        "family" => edit.column_family = number(0) as u32,
        "add-family" => edit.column_family_add = Some(rest.into()),
        "drop-family" => edit.column_family_drop = true,
        "max-family" => edit.max_column_family = Some(number(0) as u32),
        "comparator" => edit.comparator = Some(rest.into()),
        "persist-timestamps" => edit.persist_user_defined_timestamps = Some(rest == "true"),
        "ts-low" => edit.full_history_ts_low = Some(rest.into()),
        "db-id" => edit.db_id = Some(rest.into()),
        "log" => edit.log_number = Some(number(0)),
        "prev-log" => edit.prev_log_number = Some(number(0)),
        "min-log" => edit.min_log_number_to_keep = Some(number(0)),
        "next" => edit.next_file_number = Some(number(0)),
        "sequence" => edit.last_sequence = Some(number(0)),
        "remaining" => edit.remaining_entries = Some(number(0) as u32),
        "add" => edit.new_files.push(new_file(&words)),
        "delete" => drop(edit.deleted_files.insert((number(0) as u32, number(1)))),
        "cursor" => edit.compact_cursors.push((number(0) as u32, key(words[1]))),
        "blob" => edit.blob_file_additions.push(BlobFileAddition {
            number: number(0),
            total_blob_count: number(1),
            total_blob_bytes: number(2),
            ..BlobFileAddition::default()
        }),
        "garbage" => edit.blob_file_garbages.push(BlobFileGarbage {
            number: number(0),
            garbage_blob_count: number(1),
            garbage_blob_bytes: number(2),
            ..BlobFileGarbage::default()
        }),
        "wal" => edit.wal_additions.push(WalAddition {
            number: number(0),
            synced_size_bytes: words.get(1).map(|size| size.parse().unwrap()),
        }),
        "delete-wals-before" => edit.wal_deletion = Some(number(0)),
        _ => panic!("unknown field {field}"),
    }
}

pub(super) fn print_version(version: &Version) -> String {
    let mut text = String::new();
    for (level, file) in version.files() {
        let FileMetaData { number, epoch_number, smallest_seqno, largest_seqno, .. } = **file;
        let (smallest, largest) = (print_key(&file.smallest), print_key(&file.largest));
        writeln!(
            text,
            "L{level} {number} {smallest} {largest} seq={smallest_seqno}-{largest_seqno} \
             epoch={epoch_number}"
        )
        .unwrap();
    }
    for blob in version.blob_files() {
        let (number, total) = (blob.number(), blob.addition.total_blob_count);
        let (garbage, linked) = (blob.garbage_blob_count, &blob.linked_ssts);
        writeln!(text, "blob {number} garbage {garbage}/{total} linked {linked:?}").unwrap();
    }
    for (level, key) in version.compact_cursors() {
        writeln!(text, "cursor {level} {}", print_key(key)).unwrap();
    }
    writeln!(text, "next epoch {}", version.next_epoch_number()).unwrap();
    text
}
