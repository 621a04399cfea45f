//! `compress`, `compressreject` and `uncompress`: one block of generated values, again and again, until that comes to
//! 1 GiB. No database is needed.

use super::{Thread, Workload};
use crate::family_options::compression;
use crate::stats::OperationType;
use ::compression::{CompressionOptions, CompressionType, compress, decompress};
use base::{Result, Status};
use engines::Engine;

const BYTES_MAX: u64 = 1 << 30;
/// So much less of a block than `--compression_ratio` promises would be kept.
const REJECTED_BELOW: f64 = 0.1;
/// As in tables since format version 2.
const FORMAT_VERSION: u32 = 2;

pub(super) fn run_compress<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let codec = codec(workload)?;
    let block = block(workload, thread);
    let (mut bytes, mut produced) = (0, 0);
    while bytes < BYTES_MAX {
        produced += compressed(codec, &block)?.len() as u64;
        bytes += block.len() as u64;
        thread.stats.finished_operations(1, OperationType::Compress);
    }
    let percent = produced as f64 * 100.0 / bytes as f64;
    thread.stats.add_message(&format!("(output: {percent:.1}%)"));
    thread.stats.add_bytes(bytes);
    Ok(())
}

/// As a table does with what is not worth it: what was compressed is thrown away, since it is not as
/// small as it would have to be.
pub(super) fn run_compress_reject<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let codec = codec(workload)?;
    let block = block(workload, thread);
    let share = (workload.flags.double("compression_ratio") - REJECTED_BELOW).max(0.0);
    let room = ((share * block.len() as f64) as usize).max(1);
    let mut bytes = 0;
    while bytes < BYTES_MAX {
        if compressed(codec, &block)?.len() <= room {
            return Err(Status::aborted(
                "compression unexpectedly not rejected; try a smaller --compression_ratio",
            ));
        }
        bytes += block.len() as u64;
        thread.stats.finished_operations(1, OperationType::Compress);
    }
    let percent = room as f64 * 100.0 / block.len() as f64;
    thread.stats.add_message(&format!("(rejected; output buffer {percent:.1}% of input)"));
    thread.stats.add_bytes(bytes);
    Ok(())
}

pub(super) fn run_uncompress<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let codec = codec(workload)?;
    let block = block(workload, thread);
    let compressed = compressed(codec, &block)?;
    let mut bytes = 0;
    while bytes < BYTES_MAX {
        decompress_block(codec, &compressed)?;
        bytes += block.len() as u64;
        thread.stats.finished_operations(1, OperationType::Uncompress);
    }
    thread.stats.add_bytes(bytes);
    Ok(())
}

/// `--compression_type`, by the name that the codec has in flags.
fn codec<E: Engine>(workload: &Workload<'_, E>) -> Result<CompressionType> {
    compression(workload.flags, "compression_type")?;
    let name = workload.flags.text("compression_type").to_ascii_lowercase();
    match name.as_str() {
        "none" => Err(Status::invalid_argument("--compression_type=none: there is nothing to do")),
        name => CompressionType::from_flag_name(name)
            .ok_or_else(|| Status::not_supported(format!("--compression_type={name}"))),
    }
}

fn block<E: Engine>(workload: &Workload<'_, E>, thread: &Thread) -> Vec<u8> {
    let size = workload.flags.uint("block_size").clamp(1, 1 << 20) as usize;
    workload.values(thread).next_of_size(size).to_vec()
}

fn compressed(codec: CompressionType, block: &[u8]) -> Result<Vec<u8>> {
    compress(codec, &CompressionOptions::default(), block, None)
}

fn decompress_block(codec: CompressionType, compressed: &[u8]) -> Result<Vec<u8>> {
    decompress(codec, compressed, FORMAT_VERSION, None)
}
