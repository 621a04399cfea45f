//! As of when a read looks.

use crate::super_version::SuperVersion;
use base::SequenceNumber;
use std::sync::Arc;

/// A pinned super version and the newest sequence number visible in it.
#[derive(Clone, Debug)]
pub(crate) struct ReadView {
    pub(crate) super_version: Arc<SuperVersion>,
    pub(crate) sequence: SequenceNumber,
    /// Sequence numbers of prepared and not committed writes, ascending.
    pub(crate) uncommitted: Arc<[SequenceNumber]>,
}
