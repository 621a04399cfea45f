//! One file per codec of RocksDB's block compression, and its dictionaries.
//!
//! [`decompress`] and [`compress`] take the payload of a block or blob value, without the trailer
//! that names its type. What lies in a payload:
//!
//! ```text
//! type      format_version >= 2, blob values      format_version 0 and 1
//! none      the bytes                             same
//! snappy    raw snappy (has its own size)         same
//! zlib      varint32 size | raw deflate           raw deflate
//! bzip2     varint32 size | bzip2 stream          bzip2 stream
//! lz4(hc)   varint32 size | lz4 block             fixed64 size | lz4 block
//! zstd      varint32 size | zstd frame            same
//! ```
//!
//! `size` is that of the uncompressed bytes. Input is hostile: a size that the codec cannot reach
//! from that many bytes is refused before anything is allocated for it, and a payload that holds
//! other than exactly `size` bytes is `Corruption`.
//!
//! Contexts of the codecs are kept per thread, and what they take is counted. This crate knows no file.

#![deny(unsafe_code)]

mod bzip2;
pub mod compression_options;
pub mod compression_type;
mod context_memory;
pub mod dictionary;
mod lz4;
mod size_prefix;
mod snappy;
mod zlib;
mod zstd;

pub use compression_options::CompressionOptions;
pub use compression_type::CompressionType;
pub use context_memory::context_memory_bytes;
pub use dictionary::{CompressionDictionary, UncompressionDictionary};

use base::{Result, Status};

/// The uncompressed bytes of `input`.
///
/// `format_version` is that of the table file; blob values are laid out as from version 2 on.
/// `dictionary` is the file's, if it has one; codecs that know no dictionary don't look at it.
///
/// # Errors
/// `Corruption` when `input` is not what `kind` writes; `NotSupported` for Xpress.
pub fn decompress(
    kind: CompressionType,
    input: &[u8],
    format_version: u32,
    dictionary: Option<&UncompressionDictionary>,
) -> Result<Vec<u8>> {
    match kind {
        CompressionType::None => Ok(input.to_vec()),
        CompressionType::Snappy => snappy::decompress(input),
        CompressionType::Zlib => zlib::decompress(input, format_version, dictionary),
        CompressionType::Bzip2 => bzip2::decompress(input, format_version),
        CompressionType::Lz4 | CompressionType::Lz4hc => {
            lz4::decompress(input, format_version, dictionary)
        }
        CompressionType::Xpress => Err(xpress_not_supported()),
        CompressionType::Zstd | CompressionType::ZstdNotFinal => {
            zstd::decompress(input, dictionary)
        }
    }
}

/// `input` compressed, laid out as from table format version 2 on.
///
/// The result may be longer than `input`: whether to keep it is the caller's choice
/// (`max_compressed_bytes_per_kb`). `dictionary` must have been made for `kind`.
///
/// # Errors
/// `InvalidArgument` for options out of the codec's range, `NotSupported` for Xpress, for options no
/// reader could undo, and for inputs of 4 GiB or more.
pub fn compress(
    kind: CompressionType,
    options: &CompressionOptions,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
) -> Result<Vec<u8>> {
    match kind {
        CompressionType::None => Ok(input.to_vec()),
        CompressionType::Snappy => snappy::compress(input),
        CompressionType::Zlib => zlib::compress(options, input, dictionary),
        CompressionType::Bzip2 => bzip2::compress(input),
        CompressionType::Lz4 => lz4::compress(options, input, dictionary),
        CompressionType::Lz4hc => lz4::compress_hc(options, input, dictionary),
        CompressionType::Xpress => Err(xpress_not_supported()),
        CompressionType::Zstd | CompressionType::ZstdNotFinal => {
            zstd::compress(options, input, dictionary)
        }
    }
}

#[cold]
fn xpress_not_supported() -> Status {
    Status::not_supported("Xpress compression exists on Windows only")
}

#[cfg(test)]
mod tests;
