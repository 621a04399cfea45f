//! The engine's own reading of a directory, in the judges' terms.

use std::path::Path;
use std::sync::Arc;

use base::merge_operator::{builtin, builtin_with_delimiter};
use base::{Result, comparator};
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions};
use options::{ColumnFamilyOptions, DbOptions};
use testing::content::{ColumnsHash, ContentHash};
use testing::judges::protocol::{
    Bytes, Comparator, Content, Contents, FamilyOpening, LiveFile, MergeOperator,
};

/// What the engine finds in a directory.
pub(crate) fn read(
    directory: &Path,
    families: &[FamilyOpening],
) -> std::result::Result<(Contents, Vec<LiveFile>, u64), String> {
    let failed = |error| format!("the engine: {error}");
    let descriptors =
        families.iter().map(descriptor).collect::<std::result::Result<Vec<_>, String>>()?;
    let context = OpenContext::default();
    let db = Db::open_for_read_only(&DbOptions::default(), directory, &descriptors, &context);
    let db = db.map_err(failed)?;
    let mut contents = Contents::new();
    for family in db.column_families() {
        contents.insert(family.name().into(), content(&db, &family).map_err(failed)?);
    }
    let files = db.live_files().into_iter().map(|file| LiveFile {
        name: file.name.trim_start_matches('/').to_owned(),
        family: Some(file.column_family.as_str().into()),
        level: u32::try_from(file.level).unwrap_or(u32::MAX),
        size_bytes: file.size_bytes,
        smallest: Bytes(file.smallest_key),
        largest: Bytes(file.largest_key),
    });
    let mut files: Vec<LiveFile> = files.collect();
    files.sort();
    Ok((contents, files, db.latest_sequence_number()))
}

fn descriptor(family: &FamilyOpening) -> std::result::Result<ColumnFamilyDescriptor, String> {
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
