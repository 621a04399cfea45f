//! Reads blocks from a file: bytes, checksum, compression.
//!
//! ```text
//! block | u8 compression type | fixed32 checksum
//! ```

use crate::block_based::{count_checksum, count_decompression};
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle, Footer};
use base::block_capacity::contents_capacity;
use base::coding::decode_fixed32;
use base::{Result, Status};
use compression::{CompressionType, UncompressionDictionary, decompress};
use env::readahead::SequentialPrefetcher;
use env::{RandomAccessFile, ReadLimit};
use perf_context::{PerfMetric, Timer, count};
use statistics::Statistics;
use std::fmt;
use std::ops::Range;

/// A block as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct RawBlock {
    /// The block, its trailer cut off.
    pub contents: Vec<u8>,
    /// First byte of the trailer.
    pub compression_type: u8,
}

impl fmt::Debug for RawBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawBlock")
            .field("size", &self.contents.len())
            .field("compression_type", &self.compression_type)
            .finish()
    }
}

/// Reads the blocks of one table.
#[derive(Clone, Copy, Debug)]
pub struct BlockFetcher<'a> {
    /// The table file.
    pub file: &'a dyn RandomAccessFile,
    /// Its footer.
    pub footer: &'a Footer,
    /// Whether checksums are verified (`ReadOptions::verify_checksums`).
    pub verify_checksums: bool,
    /// Where it is counted what is verified and uncompressed.
    pub statistics: Option<&'a Statistics>,
    /// Whom reads ask first, if anybody.
    pub limit: Option<ReadLimit<'a>>,
}

impl BlockFetcher<'_> {
    /// Reads a block as stored; through `prefetcher`, where there is one, which must be used with
    /// this file only.
    ///
    /// # Errors
    /// `Corruption` naming file, offset, what was expected and found, if the block does not lie
    /// before the footer or its checksum is wrong.
    pub fn fetch_raw(
        &self,
        handle: BlockHandle,
        prefetcher: Option<&mut SequentialPrefetcher>,
    ) -> Result<RawBlock> {
        let mut contents = self.read(handle, prefetcher)?;
        if self.verify_checksums {
            self.verify(handle, &contents)?;
        }
        let size = contents.len() - BLOCK_TRAILER_SIZE;
        let compression_type = contents[size];
        contents.truncate(size);
        Ok(RawBlock { contents, compression_type })
    }

    /// Reads a block and uncompresses it with `dictionary`, where it has one.
    ///
    /// # Errors
    /// As [`BlockFetcher::fetch_raw`]; `Corruption` if it cannot be uncompressed, `NotSupported`
    /// for compression types of custom managers.
    pub fn fetch(
        &self,
        handle: BlockHandle,
        dictionary: Option<&UncompressionDictionary>,
        prefetcher: Option<&mut SequentialPrefetcher>,
    ) -> Result<Vec<u8>> {
        let raw = self.fetch_raw(handle, prefetcher)?;
        if raw.compression_type == CompressionType::None as u8 {
            return Ok(raw.contents);
        }
        let start = self.statistics.and_then(Statistics::start_detailed_timer);
        count(PerfMetric::BlockDecompressCount, 1);
        let _timer = Timer::start(PerfMetric::BlockDecompressTime);
        let contents = CompressionType::from_u8(raw.compression_type)
            .and_then(|kind| {
                decompress(kind, &raw.contents, self.footer.format_version, dictionary)
            })
            .map_err(|status| self.explain(handle, &status))?;
        if let Some(statistics) = self.statistics {
            count_decompression(statistics, start, raw.contents.len(), contents.len());
        }
        Ok(contents)
    }

    /// Reads a block with its trailer.
    fn read(
        &self,
        handle: BlockHandle,
        prefetcher: Option<&mut SequentialPrefetcher>,
    ) -> Result<Vec<u8>> {
        if !self.footer.contains(handle) {
            return Err(self.corruption(
                handle,
                format_args!(
                    "block of {} bytes does not fit before the footer at offset {}",
                    handle.size, self.footer.offset
                ),
            ));
        }
        // It fits before the footer, so this is no more than the size of the file.
        let length = handle.size as usize + BLOCK_TRAILER_SIZE;
        let mut bytes = Vec::with_capacity(contents_capacity(length));
        bytes.resize(length, 0);
        count(PerfMetric::BlockReadCount, 1);
        count(PerfMetric::BlockReadByte, length as u64);
        let timers =
            (Timer::start(PerfMetric::BlockReadTime), Timer::start(PerfMetric::BlockReadCpuTime));
        let limited = self.limit.map(|limit| limit.limited(self.file));
        let file = limited.as_ref().map_or(self.file, |file| file as &dyn RandomAccessFile);
        let found = match prefetcher {
            Some(prefetcher) => prefetcher.read_at(file, handle.offset, &mut bytes)?,
            None => file.read_at(handle.offset, &mut bytes)?,
        };
        drop(timers);
        if found < length {
            return Err(self.corruption(
                handle,
                format_args!("expected {length} bytes, found {found}: the file is too short"),
            ));
        }
        Ok(bytes)
    }

    /// Verifies the checksum of a block as it would be with zeros in `range`, which must be within
    /// the block.
    ///
    /// # Errors
    /// As [`BlockFetcher::fetch_raw`].
    pub fn verify_with_zeros(&self, handle: BlockHandle, range: Range<usize>) -> Result<()> {
        let mut block_and_trailer = self.read(handle, None)?;
        block_and_trailer[range].fill(0);
        self.verify(handle, &block_and_trailer)
    }

    /// Compares the checksum of a block that was read with its trailer.
    fn verify(&self, handle: BlockHandle, block_and_trailer: &[u8]) -> Result<()> {
        let _timer = Timer::start(PerfMetric::BlockChecksumTime);
        let checksum_offset = block_and_trailer.len() - 4;
        let stored = decode_fixed32(block_and_trailer, checksum_offset);
        let computed =
            self.footer.block_checksum(handle.offset, &block_and_trailer[..checksum_offset]);
        if let Some(statistics) = self.statistics {
            count_checksum(statistics, stored == computed);
        }
        if stored == computed {
            return Ok(());
        }
        Err(self.corruption(
            handle,
            format_args!(
                "block checksum mismatch: stored = {stored}, computed = {computed}, type = {}, \
                 size = {}",
                self.footer.checksum_type as u8, handle.size
            ),
        ))
    }

    /// `Corruption` of a block.
    #[cold]
    pub fn corruption(&self, handle: BlockHandle, what: impl fmt::Display) -> Status {
        Status::corruption_at(self.file.path(), handle.offset, what)
    }

    /// An error found in a block's contents, with file and offset put before it.
    #[cold]
    pub fn explain(&self, handle: BlockHandle, status: &Status) -> Status {
        let path = self.file.path().display();
        status.clone().context(format_args!("{path} at offset {}", handle.offset))
    }
}

#[cfg(test)]
mod tests;
