//! Bzip2.

use crate::size_prefix::{self, Codec};
use ::bzip2::{Action, Compress, Compression, Decompress, Status as StreamStatus};
use base::{Result, Status};

/// Runs of equal bytes collapse without a useful limit: 45 MB fit into some 40 bytes. So the output
/// grows while it is decoded and the promised size is no reason to allocate.
const CODEC: Codec = Codec { name: "bzip2", expansion_max: 2_000_000, expansion_extra: 0 };
/// What is allocated without evidence, per byte of input.
const EXPECTED_EXPANSION: usize = 64;
/// Blocks of 100 kB, as RocksDB chooses.
const LEVEL: u32 = 1;
const WORK_FACTOR: u32 = 30;

pub(crate) fn decompress(mut input: &[u8], format_version: u32) -> Result<Vec<u8>> {
    let expected = input.len().saturating_mul(EXPECTED_EXPANSION);
    if format_version >= 2 {
        let size = CODEC.take_varint32(&mut input)?;
        // The end of the stream is only found with a byte of room left.
        let output = decode(input, Vec::with_capacity(expected.min(size) + 1), size)?;
        CODEC.exactly(output, size)
    } else {
        let capacity = input.len().saturating_mul(5);
        decode(input, Vec::with_capacity(capacity), CODEC.size_bound(input.len()))
    }
}

fn decode(input: &[u8], output: Vec<u8>, size_max: usize) -> Result<Vec<u8>> {
    let mut state = Decompress::new(false);
    let output = size_prefix::grow_until_end(&CODEC, output, size_max, |output| {
        let rest = &input[state.total_in() as usize..];
        match state.decompress_vec(rest, output) {
            Ok(status) => Ok(status == StreamStatus::StreamEnd),
            Err(error) => Err(CODEC.corrupt(error)),
        }
    })?;
    if state.total_in() != input.len() as u64 {
        return Err(CODEC.corrupt("expected the end of the stream, found more bytes"));
    }
    Ok(output)
}

pub(crate) fn compress(input: &[u8]) -> Result<Vec<u8>> {
    let mut state = Compress::new(Compression::new(LEVEL), WORK_FACTOR);
    let mut output = CODEC.output_with_size(input, input.len() + input.len() / 100 + 600)?;
    loop {
        let rest = &input[state.total_in() as usize..];
        match state.compress_vec(rest, &mut output, Action::Finish) {
            Ok(StreamStatus::StreamEnd) => return Ok(output),
            Ok(_) => output.reserve(output.len()),
            Err(error) => return Err(Status::aborted(format!("bzip2: {error}"))),
        }
    }
}
