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

/// A block that was tried.
#[derive(Debug)]
pub(super) enum Attempt {
    /// It got small enough.
    Small(Vec<u8>),
    /// It did not.
    Large,
    /// The codec cannot do what it is tuned to. The block need not be compressed.
    Refused,
}

/// Compresses blocks by one table's options, whichever thread asks.
#[derive(Debug)]
pub(super) struct BlockCodec {
    kind: CompressionType,
    options: CompressionOptions,
    /// Bytes of a compressed block per 1024 that it had.
    bytes_per_kb_max: u64,
    format_version: u32,
    /// Of data blocks, where they have one; the other form is there if blocks are verified.
    dictionary: Option<(CompressionDictionary, Option<UncompressionDictionary>)>,
    verifies: bool,
    statistics: Option<Arc<Statistics>>,
}

/// Blocks this long are left as they are: codecs count in signed integers.
const SIZE_LIMIT: usize = i32::MAX as usize;

impl BlockCodec {
    /// What a block of this length may have when it is compressed; none if that is not to be tried.
    fn size_max(&self, length: usize) -> Option<u64> {
        let size_max = (self.bytes_per_kb_max * length as u64) >> 10;
        let is_tried = self.kind != CompressionType::None && length < SIZE_LIMIT && size_max > 0;
        is_tried.then_some(size_max)
    }

    /// Tries to compress a block. The time that it took comes with it, in nanoseconds, where that is
    /// wanted.
    pub(super) fn attempt(
        &self,
        block: &[u8],
        is_data_block: bool,
    ) -> (Result<Attempt>, Option<u64>) {
        let statistics = self.statistics.as_ref();
        let start = statistics.and_then(|statistics| statistics.start_detailed_timer());
        let attempt = self.attempt_untimed(block, is_data_block);
        (attempt, statistics.and_then(|statistics| statistics.nanos_since(start)))
    }

    /// What doing nothing takes, where that is wanted.
    fn no_time(&self) -> Option<u64> {
        self.statistics.as_ref().filter(|statistics| statistics.has_detailed_timers()).map(|_| 0)
    }

    fn attempt_untimed(&self, block: &[u8], is_data_block: bool) -> Result<Attempt> {
        let dictionary = self.dictionary.as_ref().filter(|_| is_data_block);
        let compressed =
            compress(self.kind, &self.options, block, dictionary.map(|(dictionary, _)| dictionary));
        let compressed = match compressed {
            Ok(compressed) => compressed,
            Err(status) if matches!(status.code(), Code::InvalidArgument | Code::NotSupported) => {
                return Ok(Attempt::Refused);
            }
            Err(status) => return Err(status),
        };
        if self.size_max(block.len()).is_none_or(|size_max| compressed.len() as u64 > size_max) {
            return Ok(Attempt::Large);
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
        Ok(Attempt::Small(compressed))
    }
}

/// Compresses the blocks of one table, in their order.
#[derive(Debug)]
pub(super) struct BlockCompressor {
    /// Others may compress beside it once all data blocks have the dictionary that they will have.
    codec: Arc<BlockCodec>,
    is_used: bool,
    discouragement: Discouragement,
}

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
        let codec = BlockCodec {
            kind,
            options: options.clone(),
            bytes_per_kb_max: bytes_per_kb_max as u64,
            format_version,
            dictionary: None,
            verifies,
            statistics,
        };
        let (is_used, discouragement) = (false, Discouragement::default());
        Self { codec: Arc::new(codec), is_used, discouragement }
    }

    pub(super) fn kind(&self) -> CompressionType {
        self.codec.kind
    }

    /// What compresses, for other threads.
    pub(super) fn codec(&self) -> &Arc<BlockCodec> {
        &self.codec
    }

    /// Whether any block was kept compressed.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// A block was kept that was compressed elsewhere, as it would be here.
    pub(super) fn note_copied(&mut self) {
        self.is_used |= self.kind() != CompressionType::None;
    }

    /// Compresses all data blocks from now on with a dictionary. Nobody else may have the codec yet.
    pub(super) fn set_dictionary(&mut self, raw: Vec<u8>) -> Result<()> {
        let Some(codec) = Arc::get_mut(&mut self.codec) else {
            return Err(Status::aborted("a dictionary for data blocks that are being compressed"));
        };
        let reverse = codec.verifies.then(|| UncompressionDictionary::new(raw.clone()));
        let dictionary = CompressionDictionary::new(codec.kind, &codec.options, raw)?;
        codec.dictionary = Some((dictionary, reverse));
        Ok(())
    }

    /// The dictionary's raw bytes.
    pub(super) fn dictionary(&self) -> Option<&[u8]> {
        self.codec.dictionary.as_ref().map(|(dictionary, _)| dictionary.raw())
    }

    /// Whether it is worth while to try a data block before its turn: where blocks before it were
    /// rejected it may be left out.
    pub(super) fn is_worth_a_try(&self, length: usize) -> bool {
        self.discouragement.rejected_in_row < Discouragement::REJECTED_MIN
            && self.codec.size_max(length).is_some()
    }

    pub(super) fn compress(&mut self, block: &[u8], is_data_block: bool) -> Result<Compressed> {
        let codec = Arc::clone(&self.codec);
        self.compress_by(block.len(), is_data_block, || codec.attempt(block, is_data_block))
    }

    /// As [`Self::compress`], of a block of this length that `attempt` compresses, or has compressed.
    pub(super) fn compress_by(
        &mut self,
        length: usize,
        is_data_block: bool,
        attempt: impl FnOnce() -> (Result<Attempt>, Option<u64>),
    ) -> Result<Compressed> {
        let (compressed, nanos) = if self.codec.size_max(length).is_none() {
            (Compressed::Bypassed, None)
        } else if is_data_block && self.discouragement.leaves_out() {
            (Compressed::Rejected, self.codec.no_time())
        } else {
            let (attempt, nanos) = attempt();
            (self.judge(attempt?, is_data_block), nanos)
        };
        if let Some(statistics) = &self.codec.statistics {
            let outcome = match &compressed {
                Compressed::Kept(compressed) => CompressionOutcome::Compressed(compressed.len()),
                Compressed::Bypassed => CompressionOutcome::Bypassed,
                Compressed::Rejected => CompressionOutcome::Rejected,
            };
            count_compression(statistics, nanos, length, outcome);
        }
        Ok(compressed)
    }

    fn judge(&mut self, attempt: Attempt, is_data_block: bool) -> Compressed {
        if is_data_block && !matches!(attempt, Attempt::Refused) {
            self.discouragement.note(matches!(attempt, Attempt::Small(_)));
        }
        match attempt {
            Attempt::Small(compressed) => {
                self.is_used = true;
                Compressed::Kept(compressed)
            }
            Attempt::Large | Attempt::Refused => Compressed::Rejected,
        }
    }
}

#[cfg(test)]
mod tests;
