//! zlib: raw deflate, without zlib's header and checksum.

use crate::context_memory::Counted;
use crate::size_prefix::{self, Codec};
use crate::{CompressionDictionary, CompressionOptions, UncompressionDictionary};
use base::{Result, Status};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use std::cell::RefCell;

/// Deflate's densest code: 258 bytes for 2 bits.
const CODEC: Codec = Codec { name: "zlib", expansion_max: 1032, expansion_extra: 1032 };
const LEVEL_DEFAULT: i32 = 6;

/// Bytes of a decompressor: a window, and tables.
const INFLATE_SIZE: usize = 40 << 10;

thread_local! {
    static INFLATE: RefCell<Counted<Decompress>> =
        RefCell::new(Counted::new(Decompress::new(false), INFLATE_SIZE));
    static DEFLATE: RefCell<Option<Counted<(DeflateParameters, Compress)>>> =
        const { RefCell::new(None) };
}

pub(crate) fn decompress(
    mut input: &[u8],
    format_version: u32,
    dictionary: Option<&UncompressionDictionary>,
) -> Result<Vec<u8>> {
    let dictionary = dictionary.map_or(&[][..], |dictionary| dictionary.raw());
    if format_version >= 2 {
        let size = CODEC.take_varint32(&mut input)?;
        let output = inflate(input, Vec::with_capacity(size), size, dictionary)?;
        CODEC.exactly(output, size)
    } else {
        // RocksDB's own first guess for blocks without a size.
        let output = Vec::with_capacity(input.len().saturating_mul(5));
        inflate(input, output, CODEC.size_bound(input.len()), dictionary)
    }
}

fn inflate(input: &[u8], output: Vec<u8>, size_max: usize, dictionary: &[u8]) -> Result<Vec<u8>> {
    INFLATE.with_borrow_mut(|counted| {
        let state = &mut counted.context;
        state.reset(false);
        if !dictionary.is_empty() {
            state.set_dictionary(dictionary).map_err(|error| CODEC.corrupt(error))?;
        }
        let output = size_prefix::grow_until_end(&CODEC, output, size_max, |output| {
            let rest = &input[state.total_in() as usize..];
            match state.decompress_vec(rest, output, FlushDecompress::Finish) {
                Ok(status) => Ok(status == flate2::Status::StreamEnd),
                Err(error) => Err(CODEC.corrupt(error)),
            }
        })?;
        if state.total_in() != input.len() as u64 {
            return Err(CODEC.corrupt("expected the end of the stream, found more bytes"));
        }
        Ok(output)
    })
}

pub(crate) fn compress(
    options: &CompressionOptions,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
) -> Result<Vec<u8>> {
    let parameters = DeflateParameters::new(options)?;
    DEFLATE.with_borrow_mut(|state| {
        let deflate = match state {
            Some(Counted { context: (current, deflate), .. }) if *current == parameters => {
                deflate.reset();
                deflate
            }
            _ => {
                let context = (parameters, parameters.compressor());
                &mut state.insert(Counted::new(context, parameters.compressor_size())).context.1
            }
        };
        compress_with(deflate, input, dictionary)
    })
}

fn compress_with(
    deflate: &mut Compress,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
) -> Result<Vec<u8>> {
    if let Some(dictionary) = dictionary.filter(|dictionary| !dictionary.raw().is_empty()) {
        deflate
            .set_dictionary(dictionary.raw())
            .map_err(|error| Status::invalid_argument(format!("zlib: {error}")))?;
    }
    let mut output = CODEC.output_with_size(input, input.len() + input.len() / 8 + 64)?;
    loop {
        let rest = &input[deflate.total_in() as usize..];
        match deflate.compress_vec(rest, &mut output, FlushCompress::Finish) {
            Ok(flate2::Status::StreamEnd) => return Ok(output),
            Ok(_) => output.reserve(output.len()),
            Err(error) => return Err(Status::aborted(format!("zlib: {error}"))),
        }
    }
}

/// What a compressor is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DeflateParameters {
    level: u32,
    window_bits: u8,
}

impl DeflateParameters {
    fn new(options: &CompressionOptions) -> Result<Self> {
        let window_bits = options.window_bits;
        let window_bits = match u8::try_from(-i64::from(window_bits)) {
            Ok(bits @ 9..=15) => bits,
            _ => {
                return Err(Status::invalid_argument(format!(
                    "zlib window_bits: expected -15 to -9, found {window_bits}"
                )));
            }
        };
        // -1 is zlib's own way to ask for the default.
        let level = match options.level_or(LEVEL_DEFAULT) {
            -1 => LEVEL_DEFAULT as u32,
            level @ 0..=9 => level as u32,
            level => {
                return Err(Status::invalid_argument(format!(
                    "zlib level: expected -1 to 9, found {level}"
                )));
            }
        };
        Ok(Self { level, window_bits })
    }

    /// Bytes of a compressor, as zlib-rs makes it: four for each of the window, and tables, what is pending and
    /// its state.
    fn compressor_size(self) -> usize {
        (4 << self.window_bits) + (246 << 10)
    }

    fn compressor(self) -> Compress {
        Compress::new_with_window_bits(Compression::new(self.level), false, self.window_bits)
    }
}
