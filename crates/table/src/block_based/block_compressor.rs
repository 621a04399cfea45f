//! Compresses the blocks of a table, and decides whether that is worth it.

use crate::block_based::table_stats::{CompressionOutcome, count_compression};
use base::status::Code;
use base::{Result, Status};
use compression::{
    CompressionDictionary, CompressionOptions, CompressionType, UncompressionDictionary, compress,
    decompress,
};
use statistics::Statistics;
use std::sync::Arc;

/// What became of a block.
#[derive(Debug)]
pub(super) enum Compressed {
    /// Its compressed form, to be written.
    Kept(Vec<u8>),
    /// Nobody tried.
    Bypassed,
    /// It was not small enough, or would not have been, as those before it.
    Rejected,
}

/// Which data blocks are not even tried, because blocks before them did not get small enough.
///
/// The more of these there are in a row, the more blocks are left out until the next is tried, so that
/// data that cannot be compressed costs little, and data that can be is not missed for long.
#[derive(Debug, Default)]
struct Discouragement {
    rejected_in_row: u32,
    left_out: u32,
}

impl Discouragement {
    /// So many in a row are chance.
    const REJECTED_MIN: u32 = 4;
    /// No more blocks than these are left out in a row.
    const LEFT_OUT_MAX: u32 = 15;

    /// Whether to leave out the next block.
    fn leaves_out(&mut self) -> bool {
        let doublings = self.rejected_in_row.saturating_sub(Self::REJECTED_MIN).min(31);
        let due = ((1_u32 << doublings) - 1).min(Self::LEFT_OUT_MAX);
        let leaves_out = self.left_out < due;
        self.left_out += u32::from(leaves_out);
        leaves_out
    }

    /// A block was tried.
    fn note(&mut self, is_kept: bool) {
        self.left_out = 0;
        self.rejected_in_row = if is_kept { 0 } else { self.rejected_in_row.saturating_add(1) };
    }
}

/// Compresses blocks by one table's options.
#[derive(Debug)]
pub(super) struct BlockCompressor {
    kind: CompressionType,
    options: CompressionOptions,
    /// Bytes of a compressed block per 1024 that it had.
    bytes_per_kb_max: u64,
    format_version: u32,
    /// Of data blocks, where they have one; the other form is there if blocks are verified.
    dictionary: Option<(CompressionDictionary, Option<UncompressionDictionary>)>,
    verifies: bool,
    is_used: bool,
    discouragement: Discouragement,
    statistics: Option<Arc<Statistics>>,
}

/// Blocks this long are left as they are: codecs count in signed integers.
const SIZE_LIMIT: usize = i32::MAX as usize;

impl BlockCompressor {
    pub(super) fn new(
        kind: CompressionType,
        options: &CompressionOptions,
        format_version: u32,
        verifies: bool,
        statistics: Option<Arc<Statistics>>,
    ) -> Self {
        /// Compressed blocks must be smaller, whatever the option says.
        const BYTES_PER_KB_LIMIT: i32 = 1023;
        let bytes_per_kb_max = options.max_compressed_bytes_per_kb.clamp(0, BYTES_PER_KB_LIMIT);
        Self {
            kind,
            options: options.clone(),
            bytes_per_kb_max: bytes_per_kb_max as u64,
            format_version,
            dictionary: None,
            verifies,
            is_used: false,
            discouragement: Discouragement::default(),
            statistics,
        }
    }

    pub(super) fn kind(&self) -> CompressionType {
        self.kind
    }

    /// Whether any block was kept compressed.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// A block was kept that was compressed elsewhere, as it would be here.
    pub(super) fn note_copied(&mut self) {
        self.is_used |= self.kind != CompressionType::None;
    }

    /// Compresses all data blocks from now on with a dictionary.
    pub(super) fn set_dictionary(&mut self, raw: Vec<u8>) -> Result<()> {
        let reverse = self.verifies.then(|| UncompressionDictionary::new(raw.clone()));
        let dictionary = CompressionDictionary::new(self.kind, &self.options, raw)?;
        self.dictionary = Some((dictionary, reverse));
        Ok(())
    }

    /// The dictionary's raw bytes.
    pub(super) fn dictionary(&self) -> Option<&[u8]> {
        self.dictionary.as_ref().map(|(dictionary, _)| dictionary.raw())
    }

    pub(super) fn compress(&mut self, block: &[u8], is_data_block: bool) -> Result<Compressed> {
        let start =
            self.statistics.as_ref().and_then(|statistics| statistics.start_detailed_timer());
        let compressed = self.compress_uncounted(block, is_data_block)?;
        if let Some(statistics) = &self.statistics {
            let outcome = match &compressed {
                Compressed::Kept(compressed) => CompressionOutcome::Compressed(compressed.len()),
                Compressed::Bypassed => CompressionOutcome::Bypassed,
                Compressed::Rejected => CompressionOutcome::Rejected,
            };
            count_compression(statistics, start, block.len(), outcome);
        }
        Ok(compressed)
    }

    fn compress_uncounted(&mut self, block: &[u8], is_data_block: bool) -> Result<Compressed> {
        let size_max = (self.bytes_per_kb_max * block.len() as u64) >> 10;
        if self.kind == CompressionType::None || block.len() >= SIZE_LIMIT || size_max == 0 {
            return Ok(Compressed::Bypassed);
        }
        if is_data_block && self.discouragement.leaves_out() {
            return Ok(Compressed::Rejected);
        }
        let dictionary = self.dictionary.as_ref().filter(|_| is_data_block);
        let compressed =
            compress(self.kind, &self.options, block, dictionary.map(|(dictionary, _)| dictionary));
        let compressed = match compressed {
            Ok(compressed) => compressed,
            // The codec cannot do what it is tuned to. The block need not be compressed.
            Err(status) if matches!(status.code(), Code::InvalidArgument | Code::NotSupported) => {
                return Ok(Compressed::Rejected);
            }
            Err(status) => return Err(status),
        };
        let is_kept = compressed.len() as u64 <= size_max;
        if is_data_block {
            self.discouragement.note(is_kept);
        }
        if !is_kept {
            return Ok(Compressed::Rejected);
        }
        if self.verifies {
            let dictionary = dictionary.and_then(|(_, reverse)| reverse.as_ref());
            let restored = decompress(self.kind, &compressed, self.format_version, dictionary)
                .map_err(|status| status.context("Could not decompress"))?;
            if restored != block {
                return Err(Status::corruption(
                    "Decompressed block did not match pre-compression block",
                ));
            }
        }
        self.is_used = true;
        Ok(Compressed::Kept(compressed))
    }
}

#[cfg(test)]
mod tests;
