//! Writes that go to a table made apart, which the database then takes in.

use crate::operation::{Entry, Operation};
use crate::random::Random;
use base::Result;
use db::{ColumnFamilyHandle, Db, IngestExternalFileOptions, SstFileWriter};
use std::path::Path;

/// Writes by way of a table at `path`, if one can hold the entries; returns whether it could. When it
/// returns they are safe from a power loss, which what was written before may not be. `handles` are those
/// of [`FAMILIES`](crate::operation::FAMILIES).
///
/// # Errors
/// Of writing the table and of taking it in.
pub fn ingest(
    db: &Db,
    handles: &[ColumnFamilyHandle],
    operation: &Operation,
    path: &Path,
    random: &mut Random,
) -> Result<bool> {
    let Some(entries) = operation.as_table() else { return Ok(false) };
    let Some(first) = operation.entries.first() else { return Ok(false) };
    let family = &handles[first.family()];
    let mut writer = SstFileWriter::new(&db.get_db_options(), &family.options(), db.context());
    writer.open(path)?;
    for entry in entries.values() {
        match entry {
            Entry::Put { key, value, .. } => writer.put(key, value)?,
            Entry::PutEntity { key, columns, .. } => writer.put_entity(key, columns)?,
            Entry::Merge { key, operand, .. } => writer.merge(key, operand)?,
            Entry::Delete { key, .. } => writer.delete(key)?,
            Entry::DeleteRange { begin, end, .. } => writer.delete_range(begin, end)?,
        }
    }
    writer.finish()?;
    let options = IngestExternalFileOptions::default()
        .write_global_seqno(random.one_in(4))
        .verify_checksums_before_ingest(random.one_in(4));
    let options = match random.below(3) {
        0 => options.move_files(true),
        1 => options.link_files(true),
        _ => options,
    };
    db.ingest_external_file(family, &[path.to_owned()], &options)?;
    Ok(true)
}
