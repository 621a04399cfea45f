//! `verifychecksum` and `verifyfilechecksums`: what is on disk is what was written, in one operation.

use super::{Thread, Workload};
use base::Result;
use engines::Engine;

pub(super) fn run_blocks<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let target = workload.select_target(&mut thread.random);
    target.db.verify_checksum(&workload.read_options)
}

pub(super) fn run_files<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    workload.select_target(&mut thread.random).db.verify_file_checksums()
}
