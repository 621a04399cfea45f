//! The write-ahead logs that the MANIFEST keeps account of (`track_and_verify_wals_in_manifest`).
//!
//! ```text
//! addition (8199)  lps { number v64 | [2 v32 | synced size v64] | 1 v32 }
//! deletion (8200)  lps { number v64 }
//! ```
//!
//! 6.15 and 6.16 wrote the same without the length, under tags 8196 and 8197.

use crate::decoder::Decoder;
use base::coding::{put_varint32, put_varint64};
use base::{Result, Status};
use std::collections::BTreeMap;

const TERMINATE: u32 = 1;
const SYNCED_SIZE: u32 = 2;

/// A log was created, or synced up to a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalAddition {
    /// Number in the log's name.
    pub number: u64,
    /// Bytes known to be synced; none when the log was only created.
    pub synced_size_bytes: Option<u64>,
}

impl WalAddition {
    pub(crate) fn encode_to(&self, output: &mut Vec<u8>) {
        put_varint64(output, self.number);
        if let Some(size) = self.synced_size_bytes {
            put_varint32(output, SYNCED_SIZE);
            put_varint64(output, size);
        }
        put_varint32(output, TERMINATE);
    }

    pub(crate) fn decode(input: &mut Decoder<'_>) -> Result<Self> {
        let number = input.file_number("log number")?;
        let mut synced_size_bytes = None;
        loop {
            match input.varint32("tag of a log")? {
                TERMINATE => return Ok(Self { number, synced_size_bytes }),
                SYNCED_SIZE => synced_size_bytes = Some(input.varint64("synced size of a log")?),
                tag => return Err(input.error(format_args!("unknown tag {tag} of a log"))),
            }
        }
    }
}

/// The logs that must exist at the next open, and how much of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalSet {
    wals: BTreeMap<u64, Option<u64>>,
    /// Additions of older logs come too late and are ignored.
    min_wal_number_to_keep: u64,
}

impl WalSet {
    /// Takes note of a log.
    ///
    /// # Errors
    /// `Corruption` if the log is known and no size is given: it cannot be created twice.
    pub fn add(&mut self, wal: WalAddition) -> Result<()> {
        if wal.number < self.min_wal_number_to_keep {
            return Ok(());
        }
        match (self.wals.get_mut(&wal.number), wal.synced_size_bytes) {
            (None, size) => {
                self.wals.insert(wal.number, size);
            }
            (Some(_), None) => {
                return Err(Status::corruption(format!(
                    "WAL {} is created more than once",
                    wal.number
                )));
            }
            // Syncs of one log may be recorded out of order.
            (Some(known), size) => *known = (*known).max(size),
        }
        Ok(())
    }

    /// Forgets the logs before `number`.
    pub fn delete_before(&mut self, number: u64) {
        if number > self.min_wal_number_to_keep {
            self.min_wal_number_to_keep = number;
            self.wals = self.wals.split_off(&number);
        }
    }

    /// Logs with a smaller number are gone.
    pub fn min_wal_number_to_keep(&self) -> u64 {
        self.min_wal_number_to_keep
    }

    /// The logs by number, with the bytes known to be synced. A log that was never synced may be
    /// missing.
    pub fn wals(&self) -> &BTreeMap<u64, Option<u64>> {
        &self.wals
    }
}

/// Checks tracked logs against those on disk. `size_bytes_of` gives the size of a log, none if
/// there is none of that number. A log that was never synced may be missing: the directory may not
/// have been synced either.
///
/// # Errors
/// `Corruption` that names the log, and the size expected and found; errors of `size_bytes_of`.
pub fn check_tracked_wals(
    tracked: &BTreeMap<u64, Option<u64>>,
    mut size_bytes_of: impl FnMut(u64) -> Result<Option<u64>>,
) -> Result<()> {
    for (&number, &synced_size_bytes) in tracked {
        let Some(expected) = synced_size_bytes else { continue };
        match size_bytes_of(number)? {
            None => {
                return Err(Status::corruption(format!("Missing WAL with log number: {number}.")));
            }
            Some(found) if found < expected => {
                return Err(Status::corruption(format!(
                    "Size mismatch: WAL (log number: {number}) in MANIFEST is {expected} bytes, \
                     but actually is {found} bytes on disk."
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
