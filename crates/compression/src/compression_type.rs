//! The compression algorithms by number and name.

use base::{Result, Status};
use std::fmt;

/// A compression algorithm. Numbers are on disk: `rocksdb::CompressionType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompressionType {
    /// Stored as is.
    #[default]
    None = 0x00,
    /// Snappy.
    Snappy = 0x01,
    /// Raw deflate.
    Zlib = 0x02,
    /// Bzip2.
    Bzip2 = 0x03,
    /// LZ4.
    Lz4 = 0x04,
    /// LZ4, written by its slower and tighter compressor.
    Lz4hc = 0x05,
    /// Windows' Xpress: known by name only.
    Xpress = 0x06,
    /// Zstandard.
    Zstd = 0x07,
    /// Zstandard under the number it had before its release 1.0.
    ZstdNotFinal = 0x40,
}

/// Number, table property name, option name, benchmark flag name.
const NAMES: [(CompressionType, &str, &str, &str); 9] = [
    (CompressionType::None, "NoCompression", "kNoCompression", "none"),
    (CompressionType::Snappy, "Snappy", "kSnappyCompression", "snappy"),
    (CompressionType::Zlib, "Zlib", "kZlibCompression", "zlib"),
    (CompressionType::Bzip2, "BZip2", "kBZip2Compression", "bzip2"),
    (CompressionType::Lz4, "LZ4", "kLZ4Compression", "lz4"),
    (CompressionType::Lz4hc, "LZ4HC", "kLZ4HCCompression", "lz4hc"),
    (CompressionType::Xpress, "Xpress", "kXpressCompression", "xpress"),
    (CompressionType::Zstd, "ZSTD", "kZSTD", "zstd"),
    (CompressionType::ZstdNotFinal, "ZSTDNotFinal", "kZSTDNotFinalCompression", "zstdnotfinal"),
];

impl CompressionType {
    /// Every algorithm, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|row| row.0)
    }

    /// The algorithm of this number.
    ///
    /// # Errors
    /// `NotSupported` that names the number for custom compression (0x80 to 0xfe) and numbers kept
    /// for later; `Corruption` for 0xff, which never is on disk.
    #[inline]
    pub fn from_u8(number: u8) -> Result<Self> {
        match number {
            0x00 => Ok(Self::None),
            0x01 => Ok(Self::Snappy),
            0x02 => Ok(Self::Zlib),
            0x03 => Ok(Self::Bzip2),
            0x04 => Ok(Self::Lz4),
            0x05 => Ok(Self::Lz4hc),
            0x06 => Ok(Self::Xpress),
            0x07 => Ok(Self::Zstd),
            0x40 => Ok(Self::ZstdNotFinal),
            _ => Err(unknown(number)),
        }
    }

    /// The name in the table property `rocksdb.compression` before format version 7, as `Snappy`.
    pub fn property_name(self) -> &'static str {
        self.names().1
    }

    /// The name in option strings, as `kSnappyCompression`.
    pub fn option_name(self) -> &'static str {
        self.names().2
    }

    /// The name in `--compression_type` of the benchmark, as `snappy`.
    pub fn flag_name(self) -> &'static str {
        self.names().3
    }

    /// The algorithm of this table property, if there is one.
    pub fn from_property_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The algorithm of this option name, if there is one. `kDisableCompressionOption` is a choice
    /// and no algorithm.
    pub fn from_option_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|row| row.2 == name).map(|row| row.0)
    }

    /// The algorithm of this flag, if there is one; case does not matter.
    pub fn from_flag_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|row| row.3.eq_ignore_ascii_case(name)).map(|row| row.0)
    }

    /// Whether a dictionary makes a difference.
    pub fn uses_dictionary(self) -> bool {
        match self {
            Self::Zlib | Self::Lz4 | Self::Lz4hc | Self::Zstd | Self::ZstdNotFinal => true,
            Self::None | Self::Snappy | Self::Bzip2 | Self::Xpress => false,
        }
    }

    fn names(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        let index =
            if self == Self::ZstdNotFinal { NAMES.len() - 1 } else { usize::from(self as u8) };
        &NAMES[index]
    }
}

/// As the table property.
impl fmt::Display for CompressionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.property_name())
    }
}

#[cold]
fn unknown(number: u8) -> Status {
    match number {
        0x80..=0xfe => Status::not_supported(format!(
            "custom compression type 0x{number:02X} needs the CompressionManager that wrote it"
        )),
        0xff => Status::corruption("expected a compression type, found 0xFF"),
        _ => Status::not_supported(format!("compression type 0x{number:02X} is unknown")),
    }
}

#[cfg(test)]
mod tests;
