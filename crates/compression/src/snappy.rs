//! Snappy: the raw format, which begins with the uncompressed size.

use crate::context_memory::Counted;
use crate::size_prefix::Codec;
use base::block_capacity::block_capacity;
use base::{Result, Status};
use std::cell::RefCell;

/// A copy element of 3 bytes yields 64 at most.
const CODEC: Codec = Codec { name: "snappy", expansion_max: 22, expansion_extra: 64 };

/// Two bytes for each of 16,384 places of a block, and the encoder with a small table of these.
const ENCODER_SIZE: usize = (32 << 10) + size_of::<snap::raw::Encoder>();

thread_local! {
    static ENCODER: RefCell<Counted<snap::raw::Encoder>> =
        RefCell::new(Counted::new(snap::raw::Encoder::new(), ENCODER_SIZE));
}

pub(crate) fn decompress(input: &[u8]) -> Result<Vec<u8>> {
    let size = snap::raw::decompress_len(input).map_err(|error| CODEC.corrupt(error))?;
    CODEC.check(size, input)?;
    let mut output = Vec::with_capacity(block_capacity(size));
    output.resize(size, 0);
    let length = snap::raw::Decoder::new()
        .decompress(input, &mut output)
        .map_err(|error| CODEC.corrupt(error))?;
    output.truncate(length);
    CODEC.exactly(output, size)
}

pub(crate) fn compress(input: &[u8]) -> Result<Vec<u8>> {
    ENCODER
        .with_borrow_mut(|encoder| encoder.context.compress_vec(input))
        .map_err(|error| Status::not_supported(format!("snappy: {error}")))
}
