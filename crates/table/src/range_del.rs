//! The range tombstones of a table.
//!
//! ```text
//! key     internal key: first user key covered, sequence number, type RangeDeletion
//! value   first user key after the range
//! ```
//!
//! RocksDB writes them cut into pieces that do not overlap; readers don't rely on that.

use crate::block::EntryWalker;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::data_block::KeyTransform;
use base::{
    InternalKey, InternalKeyComparator, ParsedInternalKey, RangeTombstone, Result, Status,
    ValueType,
};

/// Decodes an uncompressed block of range tombstones, in the order of the block.
///
/// # Errors
/// `Corruption` if an entry is anything but a range tombstone.
pub fn decode(
    block: &[u8],
    transform: &KeyTransform,
    comparator: &InternalKeyComparator,
) -> Result<Vec<RangeTombstone>> {
    let mut walker = EntryWalker::new(block)?;
    let mut tombstones = Vec::new();
    let mut key = Vec::new();
    while let Some((stored_key, value)) = walker.next()? {
        transform.apply(stored_key, &mut key)?;
        let parsed = ParsedInternalKey::parse(&key)?;
        if parsed.value_type != ValueType::RangeDeletion {
            return Err(Status::corruption(format!(
                "range tombstone of type {:?}",
                parsed.value_type
            )));
        }
        let mut end_key = value.to_vec();
        end_key.resize(end_key.len() + transform.missing_timestamp_size, 0);
        let size_min = comparator.timestamp_size();
        if parsed.user_key.len() < size_min || end_key.len() < size_min {
            return Err(Status::corruption("range tombstone with keys shorter than a timestamp"));
        }
        tombstones.push(RangeTombstone {
            start_key: parsed.user_key.to_vec(),
            end_key,
            sequence: parsed.sequence,
        });
    }
    Ok(tombstones)
}

/// A builder of such blocks.
pub(crate) fn block_builder() -> BlockBuilder {
    BlockBuilder::new(BlockBuilderOptions { restart_interval: 1, ..Default::default() })
}

/// The block of these tombstones, which must ascend by start key, newest first of equal ones.
pub fn encode(tombstones: &[RangeTombstone]) -> Vec<u8> {
    let mut builder = block_builder();
    for RangeTombstone { start_key, end_key, sequence } in tombstones {
        let key = InternalKey::new(start_key, *sequence, ValueType::RangeDeletion);
        builder.add(key.as_bytes(), end_key);
    }
    builder.finish()
}

#[cfg(test)]
mod tests;
