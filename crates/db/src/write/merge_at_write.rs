//! Merging when an operand is written (`max_successive_merges`): where the memtable already holds so
//! many operands of the key in a row, the next one becomes a value, so that reads find no long
//! chain. The WAL has the operand as it was given.

use crate::read::get::{LookupScope, get};
use crate::read::read_view::ReadView;
use crate::read::value_resolver::Resolved;
use crate::write::memtable_stage::ActiveFamily;
use base::{PinnableSlice, SequenceNumber, ValueType};
use blob::BlobReadOptions;
use std::sync::Arc;
use table::{ReadOptions, ReadTier};
use wal::check_entry_size;
use wal::write_batch_reader::Entry;

/// What takes the place of an operand.
#[derive(Debug)]
pub(crate) struct MergedAtWrite {
    pub(crate) value_type: ValueType,
    pub(crate) value: PinnableSlice,
}

/// The value of a key with the operand `entry` applied, if there are as many operands before it as
/// the options allow. The entry goes into the family's memtable as `sequence`; entries before
/// that number are in it, be they published or not.
///
/// None too if what is before cannot be read, or not without reading a file where that is not
/// wanted (`strict_max_successive_merges`), or the operator refuses: then the operand stays one.
#[inline]
pub(crate) fn merge_at_write(
    family: &ActiveFamily,
    entry: &Entry<'_>,
    sequence: SequenceNumber,
) -> Option<MergedAtWrite> {
    match family.options.max_successive_merges {
        0 => None,
        max => merge_after(family, entry, sequence, max),
    }
}

fn merge_after(
    family: &ActiveFamily,
    entry: &Entry<'_>,
    sequence: SequenceNumber,
    operands_max: u64,
) -> Option<MergedAtWrite> {
    // A read needs a time to look from there, and RocksDB gives it none.
    let (data, memtable) = (&*family.data, &family.memtable);
    if data.comparator.timestamp_size() > 0 {
        return None;
    }
    if memtable.count_successive_merges(entry.key, sequence, operands_max) < operands_max {
        return None;
    }
    let read_tier = match family.options.strict_max_successive_merges {
        true => ReadTier::default(),
        false => ReadTier::BlockCache,
    };
    let options = ReadOptions { read_tier, ..ReadOptions::default() };
    let super_version = data.super_version.load();
    let uncommitted = Arc::default();
    let view = ReadView { super_version: &super_version, sequence, uncommitted: &uncommitted };
    let recorder = super_version.resolver.recorder();
    let scope = LookupScope { family: data, view, options: &options, recorder };
    let (value_type, existing) = match get(scope, entry.key).ok()?.0?.resolved {
        Resolved::Value(value) => (ValueType::Value, value),
        Resolved::Entity(encoded) => (ValueType::WideColumnEntity, encoded),
    };
    let base = Some((value_type, existing));
    let operands = [PinnableSlice::from(entry.value)];
    let resolver = &super_version.resolver;
    let blobs = BlobReadOptions::default();
    let (value_type, value) =
        match resolver.merge_operands(&blobs, entry.key, base, &operands).ok()? {
            Resolved::Value(value) => (ValueType::Value, value),
            Resolved::Entity(encoded) => (ValueType::WideColumnEntity, encoded),
        };
    check_entry_size(entry.key.len(), value.len()).ok()?;
    Some(MergedAtWrite { value_type, value })
}
