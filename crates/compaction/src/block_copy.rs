//! When a data block of an input goes to an output as it is stored.
//!
//! It does where no other input has a key from its first to its last (`merge_kernel`), where no output
//! ends within it (`output_splitter`), where the output's blocks are such as it is
//! ([`table::BlockForm::fit`]), and where the rules of the compaction iterator change nothing of its
//! entries, which is what is said here. Then nothing is compressed that was compressed already, and
//! values are not even looked at.

use base::dbformat::{TRAILER_SIZE, extract_user_key};
use base::{SequenceNumber, ValueType};
use std::ops::ControlFlow;
use table::StoredEntry;

/// Why the entries of a block are looked at one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// One of them is no value, and so may be dropped, or drop others.
    Type,
    /// One of them may hide the next, which is an older version of its key.
    Version,
    /// One of them loses its sequence number.
    Sequence,
}

/// Entries of a block that goes on as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockSums {
    pub(crate) entries: u64,
    /// Bytes of internal keys.
    pub(crate) key_bytes: u64,
    pub(crate) value_bytes: u64,
}

/// Sums up the entries of a block, if all of them go on as they are where nothing but the rules about
/// versions of a key has a say, and every read sees all values up to `zeroed_up_to`, if that is given.
pub(crate) fn sum_up<'e>(
    mut entries: impl Iterator<Item = StoredEntry<'e>>,
    zeroed_up_to: Option<SequenceNumber>,
) -> Result<BlockSums, Change> {
    let mut last_user_key = None;
    let sums = entries.try_fold(BlockSums::default(), |mut sums, entry| {
        let user_key = extract_user_key(entry.key);
        if let Some(change) = change_of(&entry, last_user_key, zeroed_up_to) {
            return ControlFlow::Break(change);
        }
        last_user_key = Some(user_key);
        sums.entries += 1;
        sums.key_bytes += entry.key.len() as u64;
        sums.value_bytes += entry.value_size as u64;
        ControlFlow::Continue(sums)
    });
    match sums {
        ControlFlow::Continue(sums) => Ok(sums),
        ControlFlow::Break(change) => Err(change),
    }
}

/// What may change of an entry that follows one of `last_user_key`.
fn change_of(
    entry: &StoredEntry<'_>,
    last_user_key: Option<&[u8]>,
    zeroed_up_to: Option<SequenceNumber>,
) -> Option<Change> {
    let trailer = entry.key.last_chunk::<TRAILER_SIZE>().map(|bytes| u64::from_le_bytes(*bytes));
    let trailer = trailer.filter(|trailer| *trailer as u8 == ValueType::Value as u8);
    let Some(trailer) = trailer else { return Some(Change::Type) };
    let sequence = trailer >> 8;
    if sequence != 0 && zeroed_up_to.is_some_and(|limit| sequence <= limit) {
        return Some(Change::Sequence);
    }
    // Keys that do not ascend are damage, which is noticed where entries are added.
    last_user_key.is_some_and(|last| last >= extract_user_key(entry.key)).then_some(Change::Version)
}

#[cfg(test)]
mod tests;
