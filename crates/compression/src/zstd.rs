//! Zstandard, also under the number it had before 1.0.

use crate::context_memory::Counted;
use crate::size_prefix::Codec;
use crate::{CompressionDictionary, CompressionOptions, UncompressionDictionary};
use base::block_capacity::block_capacity;
use base::{Result, Status};
use std::cell::RefCell;
use std::io::Cursor;
use zstd_safe::{CCtx, CParameter, DCtx, ResetDirective};

/// A block of 4 bytes may stand for 128 KiB of one byte.
const CODEC: Codec = Codec { name: "zstd", expansion_max: 32 << 10, expansion_extra: 128 << 10 };
const LEVEL_DEFAULT: i32 = 3;

thread_local! {
    static DECOMPRESSOR: RefCell<Counted<DCtx<'static>>> =
        RefCell::new(Counted::new(DCtx::create(), 0));
    static COMPRESSOR: RefCell<Counted<CCtx<'static>>> =
        RefCell::new(Counted::new(CCtx::create(), 0));
}

pub(crate) fn level(options: &CompressionOptions) -> i32 {
    options.level_or(LEVEL_DEFAULT)
}

pub(crate) fn decompress(
    mut input: &[u8],
    dictionary: Option<&UncompressionDictionary>,
) -> Result<Vec<u8>> {
    let size = CODEC.take_varint32(&mut input)?;
    let mut output = Vec::with_capacity(block_capacity(size));
    let dictionary = match dictionary {
        Some(dictionary) if !dictionary.raw().is_empty() => Some(dictionary.zstd()?),
        _ => None,
    };
    DECOMPRESSOR
        .with_borrow_mut(|counted| {
            let context = &mut counted.context;
            let result = match dictionary {
                Some(dictionary) => context.decompress_using_ddict(&mut output, input, dictionary),
                None => context.decompress(&mut output, input),
            };
            let bytes = context.sizeof();
            counted.set_bytes(bytes);
            result
        })
        .map_err(|code| CODEC.corrupt(zstd_safe::get_error_name(code)))?;
    CODEC.exactly(output, size)
}

pub(crate) fn compress(
    options: &CompressionOptions,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
) -> Result<Vec<u8>> {
    let output = CODEC.output_with_size(input, zstd_safe::compress_bound(input.len()))?;
    let mut output = Cursor::new(output);
    output.set_position(output.get_ref().len() as u64);
    let result = COMPRESSOR.with_borrow_mut(|counted| {
        let context = &mut counted.context;
        let result = compress_frame(context, options, input, dictionary, &mut output);
        // The context may not keep a pointer to the dictionary beyond this call.
        let result = context.reset(ResetDirective::SessionAndParameters).and(result);
        let bytes = context.sizeof();
        counted.set_bytes(bytes);
        result
    });
    match result {
        Ok(_) => Ok(output.into_inner()),
        Err(code) => Err(Status::aborted(format!("zstd: {}", zstd_safe::get_error_name(code)))),
    }
}

fn compress_frame(
    context: &mut CCtx<'static>,
    options: &CompressionOptions,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
    output: &mut Cursor<Vec<u8>>,
) -> zstd_safe::SafeResult {
    context.set_parameter(CParameter::ChecksumFlag(options.checksum))?;
    match dictionary.and_then(CompressionDictionary::zstd) {
        Some(dictionary) => context.ref_cdict(dictionary)?,
        None => context.set_parameter(CParameter::CompressionLevel(level(options)))?,
    };
    context.compress2(output, input)
}

#[cfg(test)]
mod tests;
