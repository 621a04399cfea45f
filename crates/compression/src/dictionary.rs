//! Compression dictionaries: what the meta block `rocksdb.compression_dict` holds.
//!
//! The block is the dictionary's raw bytes and says nothing of the codec. Zstandard takes them as a
//! trained dictionary when they start with its magic number and as plain content otherwise; zlib and
//! LZ4 always take them as content. Digesting one for Zstandard costs more than decompressing many
//! blocks, so both forms here keep the digest.

use crate::{CompressionOptions, CompressionType};
use base::{Result, Status};
use std::fmt;
use std::sync::OnceLock;
use zstd_safe::{CDict, DDict};

/// A dictionary to read blocks with. Share it in an `Arc`.
pub struct UncompressionDictionary {
    raw: Box<[u8]>,
    zstd: OnceLock<Option<DDict<'static>>>,
}

impl UncompressionDictionary {
    /// A dictionary of these raw bytes. Empty bytes are the same as no dictionary.
    pub fn new(raw: impl Into<Box<[u8]>>) -> Self {
        Self { raw: raw.into(), zstd: OnceLock::new() }
    }

    /// The raw bytes.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Bytes of memory held, as a cache would charge them.
    pub fn memory_usage_bytes(&self) -> usize {
        let digest = self.zstd.get().and_then(Option::as_ref).map_or(0, DDict::sizeof);
        size_of::<Self>() + self.raw.len() + digest
    }

    /// The form for Zstandard, digested at the first call.
    pub(crate) fn zstd(&self) -> Result<&DDict<'static>> {
        let digest = self.zstd.get_or_init(|| DDict::try_create(&self.raw));
        digest.as_ref().ok_or_else(|| {
            let length = self.raw.len();
            Status::corruption(format!("zstd refuses the dictionary of {length} bytes"))
        })
    }
}

impl fmt::Debug for UncompressionDictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UncompressionDictionary({} bytes)", self.raw.len())
    }
}

/// A dictionary to write blocks with: raw bytes, digested for one algorithm at one level.
pub struct CompressionDictionary {
    raw: Box<[u8]>,
    zstd: Option<CDict<'static>>,
}

impl CompressionDictionary {
    /// A dictionary of these raw bytes for `kind` at the level of `options`.
    ///
    /// # Errors
    /// `InvalidArgument` when zstd refuses the bytes: they start with the magic number of a trained
    /// dictionary and are none.
    pub fn new(
        kind: CompressionType,
        options: &CompressionOptions,
        raw: impl Into<Box<[u8]>>,
    ) -> Result<Self> {
        let raw = raw.into();
        let zstd = match kind {
            CompressionType::Zstd | CompressionType::ZstdNotFinal if !raw.is_empty() => {
                let level = crate::zstd::level(options);
                Some(CDict::try_create(&raw, level).ok_or_else(|| {
                    let length = raw.len();
                    Status::invalid_argument(format!("no zstd dictionary: {length} bytes"))
                })?)
            }
            _ => None,
        };
        Ok(Self { raw, zstd })
    }

    /// Raw bytes of a dictionary of at most `size_bytes_max` that zstd's trainer makes of samples,
    /// which lie one after another in `samples`.
    ///
    /// # Errors
    /// `InvalidArgument` when the samples are too few or too small to train on.
    ///
    /// # Panics
    /// If the lengths don't add up to the length of `samples`.
    pub fn train_zstd(
        samples: &[u8],
        sample_lengths: &[usize],
        size_bytes_max: usize,
    ) -> Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(size_bytes_max);
        match zstd_safe::train_from_buffer(&mut raw, samples, sample_lengths) {
            Ok(_) => Ok(raw),
            Err(code) => Err(Status::invalid_argument(format!(
                "training a dictionary on {} samples: {}",
                sample_lengths.len(),
                zstd_safe::get_error_name(code)
            ))),
        }
    }

    /// The raw bytes: contents of the meta block.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    pub(crate) fn zstd(&self) -> Option<&CDict<'static>> {
        self.zstd.as_ref()
    }
}

impl fmt::Debug for CompressionDictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompressionDictionary({} bytes)", self.raw.len())
    }
}
