//! As of when a read looks.

use crate::super_version::SuperVersion;
use base::SequenceNumber;
use std::sync::Arc;

/// A super version and the newest sequence number visible in it. Borrowed, so that a point lookup
/// counts no reference that other threads count too; a scan takes references of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadView<'v> {
    pub(crate) super_version: &'v Arc<SuperVersion>,
    pub(crate) sequence: SequenceNumber,
    /// Sequence numbers of prepared and not committed writes, ascending.
    pub(crate) uncommitted: &'v Arc<[SequenceNumber]>,
}
