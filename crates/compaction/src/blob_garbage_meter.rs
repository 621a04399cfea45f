//! How much of blob files becomes garbage: what went into a job and did not come out.

use base::{Result, Status, ValueType, wide_columns};
use blob::{BlobIndex, BlobLogRecordHeader, BlobReference};
use std::collections::BTreeMap;
use version::BlobFileGarbage;

/// Blobs referred to, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFlow {
    files: BTreeMap<u64, Flow>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flow {
    count: u64,
    bytes: u64,
}

/// Calls `visit` with every reference to a blob file that an entry holds. Values with expiration
/// times, of the stacked BlobDB, are none of the database's concern.
///
/// # Errors
/// `Corruption` or `NotSupported` if the value cannot be decoded; what `visit` gives.
#[inline]
pub fn for_each_blob_reference(
    value_type: ValueType,
    value: &[u8],
    mut visit: impl FnMut(&BlobReference) -> Result<()>,
) -> Result<()> {
    match value_type {
        ValueType::BlobIndex => visit_index(value, &mut visit),
        ValueType::WideColumnEntity if wide_columns::may_have_blob_index(value) => {
            for column in wide_columns::decode(value)? {
                if column.is_blob_index {
                    visit_index(column.value, &mut visit)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn visit_index(index: &[u8], visit: &mut impl FnMut(&BlobReference) -> Result<()>) -> Result<()> {
    match BlobIndex::decode(index)? {
        BlobIndex::Blob(reference) => visit(&reference),
        BlobIndex::InlinedTtl { .. } | BlobIndex::BlobTtl { .. } => Ok(()),
    }
}

impl BlobFlow {
    /// Counts the blobs that an entry refers to.
    ///
    /// # Errors
    /// As [`for_each_blob_reference`].
    #[inline]
    pub fn add(&mut self, user_key: &[u8], value_type: ValueType, value: &[u8]) -> Result<()> {
        for_each_blob_reference(value_type, value, |reference| {
            // Embedded values are no garbage of any file.
            if !reference.is_in_current_file() {
                let flow = self.files.entry(reference.file_number).or_default();
                flow.count += 1;
                let overhead = (BlobLogRecordHeader::SIZE + user_key.len()) as u64;
                flow.bytes = flow.bytes.saturating_add(reference.size).saturating_add(overhead);
            }
            Ok(())
        })
    }

    /// Adds the blobs of another part of the job.
    pub fn merge(&mut self, other: &Self) {
        for (number, flow) in &other.files {
            let sum = self.files.entry(*number).or_default();
            sum.count += flow.count;
            sum.bytes = sum.bytes.saturating_add(flow.bytes);
        }
    }

    /// What of this inflow is garbage now that `outflow` came out. Files that were written by the
    /// job itself have outflow alone and no garbage.
    ///
    /// # Errors
    /// `Corruption` if more came out than went in: the job would have made references up.
    pub fn garbage(&self, outflow: &Self) -> Result<Vec<BlobFileGarbage>> {
        let mut garbages = Vec::new();
        for (&number, inflow) in &self.files {
            let out = outflow.files.get(&number).copied().unwrap_or_default();
            let count = inflow.count.checked_sub(out.count);
            let bytes = inflow.bytes.checked_sub(out.bytes);
            let (Some(garbage_blob_count), Some(garbage_blob_bytes)) = (count, bytes) else {
                return Err(Status::corruption(format!(
                    "blob file {number}: {} blobs of {} bytes went into the compaction, {} of {} came out",
                    inflow.count, inflow.bytes, out.count, out.bytes
                )));
            };
            if garbage_blob_count > 0 {
                garbages.push(BlobFileGarbage {
                    number,
                    garbage_blob_count,
                    garbage_blob_bytes,
                    ..BlobFileGarbage::default()
                });
            }
        }
        Ok(garbages)
    }
}

#[cfg(test)]
mod tests;
