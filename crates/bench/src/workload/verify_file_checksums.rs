//! `verifyfilechecksums`: the checksums of whole files, in one operation.

use super::{Thread, Workload};
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    workload.select_target(&mut thread.random).db.verify_file_checksums()
}
