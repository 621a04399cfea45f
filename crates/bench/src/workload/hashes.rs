//! `crc32c`, `xxhash`, `xxhash64` and `xxh3`: a block of `--block_size` bytes, hashed until that comes
//! to 5000 MiB. No database is needed.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use base::checksum::ChecksumType;
use base::crc32c;
use engines::Engine;

const BYTES_MAX: u64 = 5000 << 20;

pub(super) fn run_crc32c<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    run(workload, thread, OperationType::Crc, crc32c::value)
}

pub(super) fn run_xxhash<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    run(workload, thread, OperationType::Hash, |data| hash(ChecksumType::XxHash, data))
}

pub(super) fn run_xxhash64<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, OperationType::Hash, |data| hash(ChecksumType::XxHash64, data))
}

pub(super) fn run_xxh3<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    run(workload, thread, OperationType::Hash, |data| hash(ChecksumType::Xxh3, data))
}

fn hash(kind: ChecksumType, data: &[u8]) -> u32 {
    kind.compute_contiguous(data)
}

fn run<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    operation: OperationType,
    hash: impl Fn(&[u8]) -> u32,
) -> Result<()> {
    let size = workload.flags.uint("block_size").max(1);
    let data = vec![b'x'; size as usize];
    let (mut sum, mut bytes) = (0u32, 0);
    while bytes < BYTES_MAX {
        sum = sum.wrapping_add(hash(std::hint::black_box(&data)));
        bytes += size;
        thread.stats.finished_operations(1, operation);
    }
    // Printed so that it has to be computed.
    eprint!("... val=0x{sum:x}\r");
    thread.stats.add_bytes(bytes);
    thread.stats.add_message(&format!("({size} per op)"));
    Ok(())
}
