//! Values that lie as blobs between the data blocks of the same file.
//!
//! ```text
//! record   payload | u8 compression type | fixed32 checksum, as that of a block
//! ```
//!
//! They are referred to by blob indexes with file number 0, either as the value of an entry or as a
//! column of an entity. Which file that is only the table knows, so such references are replaced by
//! what they stand for before anybody sees them.

use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::format::BlockHandle;
use base::wide_columns::{self, Column};
use base::{PinnableSlice, Result, Status, ValueType};
use blob::{BlobIndex, BlobReference};
use compression::CompressionType;
use statistics::Activity;

/// Marks a table that has embedded blobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmbeddedBlobs;

/// An entry as it shows.
#[derive(Debug)]
pub(super) struct ResolvedEntry {
    pub(super) value_type: ValueType,
    pub(super) value: PinnableSlice,
}

impl EmbeddedBlobs {
    /// The entry as it shows; none if it refers to no embedded blob.
    pub(super) fn resolve(
        self,
        table: &BlockBasedTable,
        value_type: ValueType,
        value: &[u8],
        options: BlockReadOptions,
    ) -> Result<Option<ResolvedEntry>> {
        match value_type {
            ValueType::BlobIndex => match reference_to_this_file(value)? {
                Some(reference) => {
                    let value = PinnableSlice::from(read(table, &reference, options)?);
                    Ok(Some(ResolvedEntry { value_type: ValueType::Value, value }))
                }
                None => Ok(None),
            },
            ValueType::WideColumnEntity => resolve_columns(table, value, options),
            _ => Ok(None),
        }
    }
}

fn resolve_columns(
    table: &BlockBasedTable,
    entity: &[u8],
    options: BlockReadOptions,
) -> Result<Option<ResolvedEntry>> {
    let columns = wide_columns::decode(entity)?;
    let mut blobs = Vec::with_capacity(columns.len());
    for column in &columns {
        let reference =
            if column.is_blob_index { reference_to_this_file(column.value)? } else { None };
        blobs.push(match reference {
            Some(reference) => Some(read(table, &reference, options)?),
            None => None,
        });
    }
    if blobs.iter().all(Option::is_none) {
        return Ok(None);
    }
    let resolved: Vec<Column<'_>> = columns
        .iter()
        .zip(&blobs)
        .map(|(column, blob)| match blob {
            Some(blob) => Column { value: blob, is_blob_index: false, ..*column },
            None => *column,
        })
        .collect();
    let value = PinnableSlice::from(wide_columns::encode(&resolved));
    Ok(Some(ResolvedEntry { value_type: ValueType::WideColumnEntity, value }))
}

fn reference_to_this_file(index: &[u8]) -> Result<Option<BlobReference>> {
    Ok(match BlobIndex::decode(index)? {
        BlobIndex::Blob(reference) if reference.is_in_current_file() => Some(reference),
        _ => None,
    })
}

/// The payload of the record that `reference` leads to.
fn read(
    table: &BlockBasedTable,
    reference: &BlobReference,
    options: BlockReadOptions,
) -> Result<Vec<u8>> {
    if !options.may_read_files {
        return Err(Status::incomplete("embedded blobs are not in the block cache"));
    }
    let handle = BlockHandle { offset: reference.offset, size: reference.size };
    let fetcher = table.fetcher(options.verify_checksums, options.terms());
    let record = fetcher.fetch_raw(handle, None)?;
    if record.compression_type != reference.compression as u8
        || reference.compression != CompressionType::None
    {
        return Err(fetcher.corruption(
            handle,
            format_args!(
                "embedded blob: expected no compression, found type {} in its index and {} in its \
                 record",
                reference.compression as u8, record.compression_type
            ),
        ));
    }
    Ok(record.contents)
}

impl BlockBasedTable {
    /// The value that a blob index with file number 0 in this table leads to.
    ///
    /// # Errors
    /// `InvalidArgument` if it leads elsewhere; `Corruption` if there is no such record.
    pub fn read_embedded_blob(&self, index: &[u8]) -> Result<Vec<u8>> {
        let Some(reference) = reference_to_this_file(index)? else {
            return Err(Status::invalid_argument("blob index does not refer to this file"));
        };
        let options = BlockReadOptions {
            verify_checksums: true,
            fill_cache: false,
            may_read_files: true,
            rate_limiter_priority: None,
            deadline_micros: 0,
            activity: Activity::Unknown,
        };
        read(self, &reference, options)
    }
}
