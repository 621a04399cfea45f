//! A deletion of a range of keys, as one record says it.

use crate::dbformat::SequenceNumber;

/// Hides every version of keys in `[start_key, end_key)` older than `sequence`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RangeTombstone {
    /// First user key covered.
    pub start_key: Vec<u8>,
    /// First user key after the range.
    pub end_key: Vec<u8>,
    /// Number of the write.
    pub sequence: SequenceNumber,
}
