//! Keys in a WAL may have timestamps of another size than the column family has now.

use base::dbformat::hex;
use base::{Result, Status};
use std::borrow::Cow;
use std::collections::HashMap;

/// The timestamp sizes that a WAL states for its column families.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimestampSizes(HashMap<u32, usize>);

impl TimestampSizes {
    /// Takes what a record of the WAL states.
    pub(crate) fn state(&mut self, column_family_id: u32, size: usize) {
        self.0.insert(column_family_id, size);
    }

    /// The key as the family has it now: with zero timestamp bytes added, or its timestamp taken
    /// off. `unstated_size` is what the keys of a family have that the WAL does not name.
    ///
    /// # Errors
    /// `InvalidArgument` if both sizes are set and differ, `Corruption` if the key is shorter than
    /// its timestamp.
    pub(crate) fn convert<'k>(
        &self,
        column_family_id: u32,
        unstated_size: usize,
        running_size: usize,
        key: &'k [u8],
    ) -> Result<Cow<'k, [u8]>> {
        let recorded_size = self.0.get(&column_family_id).copied().unwrap_or(unstated_size);
        let Some(plain_length) = key.len().checked_sub(recorded_size) else {
            return Err(Status::corruption(format!(
                "key {} is shorter than its timestamp of {recorded_size} bytes",
                hex(key)
            )));
        };
        match (recorded_size, running_size) {
            (recorded, running) if recorded == running => Ok(key.into()),
            (0, running) => Ok([key, &vec![0; running]].concat().into()),
            (_, 0) => Ok(key[..plain_length].into()),
            (recorded, running) => Err(Status::invalid_argument(format!(
                "WAL has timestamps of {recorded} bytes for column family {column_family_id}, its \
                 comparator has timestamps of {running} bytes"
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
