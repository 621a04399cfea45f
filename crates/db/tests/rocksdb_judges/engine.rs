//! The engine's own reading of a directory, in the judges' terms.

use std::path::Path;
use std::sync::Arc;

use base::merge_operator::{builtin, builtin_with_delimiter};
use base::{Result, comparator};
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    FlushOptions, OpenContext, ReadOptions, WriteBatch, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use testing::content::{ColumnsHash, ContentHash};
use testing::judges::protocol::{
    Bytes, Comparator, Content, Contents, FamilyOpening, LiveFile, MergeOperator, Operation,
};

/// What the engine finds in a directory.
pub(crate) fn read(
    directory: &Path,
    families: &[FamilyOpening],
) -> std::result::Result<(Contents, Vec<LiveFile>, u64), String> {
    read_with(directory, "", families)
}

/// As [`read`], with these options of the database.
pub(crate) fn read_with(
    directory: &Path,
    options: &str,
    families: &[FamilyOpening],
) -> std::result::Result<(Contents, Vec<LiveFile>, u64), String> {
    let failed = |error| format!("the engine: {error}");
    let descriptors =
        families.iter().map(descriptor).collect::<std::result::Result<Vec<_>, String>>()?;
    let options = DbOptions::from_string(options).map_err(failed)?;
    let context = OpenContext::default();
    let db = Db::open_for_read_only(&options, directory, &descriptors, &context);
    found(&db.map_err(failed)?).map_err(failed)
}

/// What is in each family of an open database.
pub(crate) fn contents(db: &Db) -> Result<Contents> {
    let mut contents = Contents::new();
    for family in db.column_families() {
        contents.insert(family.name().as_bytes().into(), content(db, &family)?);
    }
    Ok(contents)
}

/// What an open database holds.
fn found(db: &Db) -> Result<(Contents, Vec<LiveFile>, u64)> {
    let contents = contents(db)?;
    let files = db.live_files().into_iter().map(|file| LiveFile {
        name: file.name.trim_start_matches('/').to_owned(),
        family: Some(file.column_family.as_bytes().into()),
        level: u32::try_from(file.level).unwrap_or(u32::MAX),
        size_bytes: file.size_bytes,
        smallest: Bytes(file.smallest_key),
        largest: Bytes(file.largest_key),
    });
    let mut files: Vec<LiveFile> = files.collect();
    files.sort();
    Ok((contents, files, db.latest_sequence_number()))
}

/// A family as the engine opens it.
pub(crate) fn descriptor(
    family: &FamilyOpening,
) -> std::result::Result<ColumnFamilyDescriptor, String> {
    let options = ColumnFamilyOptions::from_string(&family.options);
    let mut options = options.map_err(|error| error.to_string())?;
    match family.comparator {
        None => {}
        Some(Comparator::Reverse) => {
            options.comparator = Arc::new(comparator::ReverseBytewiseComparator);
        }
        Some(other) => return Err(format!("the matrix has no {other:?}")),
    }
    options.merge_operator = match family.merge_operator {
        None => None,
        Some(MergeOperator::StringAppend) => builtin_with_delimiter("stringappend", b","),
        Some(MergeOperator::Uint64Add) => builtin("uint64add"),
        Some(other) => return Err(format!("the matrix has no {other:?}")),
    };
    Ok(ColumnFamilyDescriptor::new(family.name.to_text(), options))
}

/// Has the engine write batches, round by round; what it holds before it closes the database. All
/// rounds are flushed, the last one only with `flush_last`. The first is also compacted, while a
/// snapshot holds on to it.
pub(crate) fn write(
    directory: &Path,
    options: &str,
    families: &[FamilyOpening],
    rounds: &[Vec<Vec<Operation>>],
    flush_last: bool,
) -> std::result::Result<(Contents, Vec<LiveFile>, u64), String> {
    let descriptors =
        families.iter().map(descriptor).collect::<std::result::Result<Vec<_>, String>>()?;
    write_rounds(directory, options, &descriptors, rounds, flush_last)
        .map_err(|error| format!("the engine, writing: {error}"))
}

fn write_rounds(
    directory: &Path,
    options: &str,
    descriptors: &[ColumnFamilyDescriptor],
    rounds: &[Vec<Vec<Operation>>],
    flush_last: bool,
) -> Result<(Contents, Vec<LiveFile>, u64)> {
    let options = DbOptions::from_string(options)?;
    let db = Db::open(&options, directory, descriptors, &OpenContext::default())?;
    let mut snapshots = Vec::new();
    for (number, round) in rounds.iter().enumerate() {
        for operations in round {
            let mut batch = WriteBatch::new();
            for operation in operations {
                add(&mut batch, &db, operation)?;
            }
            db.write(&WriteOptions::default(), batch)?;
        }
        if flush_last || number + 1 < rounds.len() {
            for family in db.column_families() {
                db.flush(&FlushOptions::default(), &[&family])?;
            }
        }
        if number == 0 {
            snapshots.push(db.snapshot());
            for family in db.column_families() {
                let options = CompactRangeOptions {
                    bottommost_level_compaction: BottommostLevelCompaction::Force,
                    ..CompactRangeOptions::default()
                };
                db.compact_range(&options, &family, None, None)?;
            }
        }
    }
    let found = found(&db)?;
    db.close()?;
    Ok(found)
}

fn add(batch: &mut WriteBatch, db: &Db, operation: &Operation) -> Result<()> {
    let id = |name: &Bytes| db.column_family(name.to_text()).expect("an open family").id();
    match operation {
        Operation::Put { family, key, value } => batch.put(id(family), &key.0, &value.0),
        Operation::Merge { family, key, value } => batch.merge(id(family), &key.0, &value.0),
        Operation::Delete { family, key } => batch.delete(id(family), &key.0),
        Operation::SingleDelete { family, key } => batch.single_delete(id(family), &key.0),
        Operation::DeleteRange { family, begin, end } => {
            batch.delete_range(id(family), &begin.0, &end.0)
        }
        Operation::PutEntity { family, key, columns } => {
            let columns: Vec<(&[u8], &[u8])> =
                columns.iter().map(|(name, value)| (&name.0[..], &value.0[..])).collect();
            batch.put_entity(id(family), &key.0, &columns)
        }
        Operation::LogData { data } => batch.put_log_data(&data.0),
    }
}

/// Forwards, then backwards, and every key looked up.
fn content(db: &Db, family: &ColumnFamilyHandle) -> Result<Content> {
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let mut iterator = db.new_iterator(&options, family)?;
    let (mut pairs, mut columns) = (ContentHash::new(), ColumnsHash::new());
    let mut seen = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        pairs.push(iterator.key(), iterator.value());
        columns.push(iterator.key(), &iterator.columns());
        seen.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next();
    }
    iterator.status()?;
    iterator.seek_to_last();
    let mut error = None;
    for (key, value) in seen.iter().rev() {
        let is_there = iterator.valid() && iterator.key() == key && iterator.value() == value;
        if !is_there || db.get(&options, family, key)?.as_deref() != Some(value) {
            error = Some(format!("the engine has another {}", key.escape_ascii()));
            break;
        }
        iterator.prev();
    }
    iterator.status()?;
    Ok(Content {
        count: pairs.count(),
        sha256: pairs.sha256(),
        columns_sha256: Some(columns.sha256()),
        error,
    })
}
