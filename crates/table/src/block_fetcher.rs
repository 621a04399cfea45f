//! Reads blocks from a file: bytes, checksum, compression.
//!
//! ```text
//! block | u8 compression type | fixed32 checksum
//! ```

use crate::block_based::{count_checksum, count_decompression};
use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle, Footer};
use crate::read_window::{ReadWindow, StoredRange, WindowBlock};
use base::block_capacity::block_capacity;
use base::coding::decode_fixed32;
use base::{Result, Status};
use compression::{CompressionType, UncompressionDictionary, decompress};
use env::readahead::SequentialPrefetcher;
use env::{RandomAccessFile, ReadLimit};
use perf_context::{PerfMetric, Timer, count};
use statistics::Statistics;
use std::borrow::Cow;
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
        let (size, compression_type) = self.check(handle, &contents)?;
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
        let read = self.read(handle, prefetcher)?;
        self.unpack_owned(handle, read, dictionary)
    }

    /// As [`Self::fetch`], read to `buffer`, whose contents are replaced. The block is there unless it was
    /// compressed.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn fetch_to<'b>(
        &self,
        handle: BlockHandle,
        dictionary: Option<&UncompressionDictionary>,
        prefetcher: Option<&mut SequentialPrefetcher>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<Cow<'b, [u8]>> {
        buffer.clear();
        self.read_to(handle, prefetcher, buffer)?;
        self.unpack(handle, buffer, dictionary)
    }

    /// Before a block is read by others: counts that and asks for leave. How many bytes it takes, its
    /// trailer among them.
    ///
    /// # Errors
    /// `Corruption` if the block does not lie before the footer, `TimedOut` when it is too late.
    pub(crate) fn prepare(&self, handle: BlockHandle) -> Result<usize> {
        let length = self.length_with_trailer(handle)?;
        if let Some(limit) = self.limit {
            limit.limited(self.file).ask(handle.offset, length)?;
        }
        Ok(length)
    }

    /// As [`Self::fetch`], of what was read of the block and its trailer.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn unpack<'b>(
        &self,
        handle: BlockHandle,
        read: &'b [u8],
        dictionary: Option<&UncompressionDictionary>,
    ) -> Result<Cow<'b, [u8]>> {
        self.check_length(handle, handle.size as usize + BLOCK_TRAILER_SIZE, read.len())?;
        let (size, compression_type) = self.check(handle, read)?;
        let stored = &read[..size];
        match compression_type == CompressionType::None as u8 {
            true => Ok(Cow::Borrowed(stored)),
            false => self.uncompress(handle, stored, compression_type, dictionary).map(Cow::Owned),
        }
    }

    /// As [`Self::unpack`]; a block that is not compressed stays in the memory that it was read to.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn unpack_owned(
        &self,
        handle: BlockHandle,
        mut read: Vec<u8>,
        dictionary: Option<&UncompressionDictionary>,
    ) -> Result<Vec<u8>> {
        match self.unpack(handle, &read, dictionary)? {
            Cow::Owned(contents) => Ok(contents),
            Cow::Borrowed(block) => {
                let size = block.len();
                read.truncate(size);
                Ok(read)
            }
        }
    }

    /// As [`Self::fetch`], out of `window`, which is moved on if it does not hold the block yet. Used
    /// with this file only, as `prefetcher`. Says also where the block is as it is stored.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub(crate) fn fetch_from(
        &self,
        window: &mut ReadWindow,
        handle: BlockHandle,
        dictionary: Option<&UncompressionDictionary>,
        prefetcher: &mut SequentialPrefetcher,
    ) -> Result<(WindowBlock, StoredRange)> {
        let length = self.length_with_trailer(handle)?;
        let mut range = window.range_of(handle.offset, length);
        if range.end > window.bytes().len() {
            let _timers = read_timers();
            self.with_file(|file| window.move_to(file, handle.offset, length, prefetcher))?;
            range = window.range_of(handle.offset, length);
        }
        let found = &window.bytes()[range.start..range.end.min(window.bytes().len())];
        self.check_length(handle, length, found.len())?;
        let (size, compression_type) = self.check(handle, found)?;
        let stored = StoredRange { range: range.start..range.start + size, compression_type };
        if compression_type == CompressionType::None as u8 {
            return Ok((WindowBlock::Inside(stored.range.clone()), stored));
        }
        let contents = self.uncompress(handle, &found[..size], compression_type, dictionary)?;
        Ok((WindowBlock::Apart(contents), stored))
    }

    fn uncompress(
        &self,
        handle: BlockHandle,
        stored: &[u8],
        compression_type: u8,
        dictionary: Option<&UncompressionDictionary>,
    ) -> Result<Vec<u8>> {
        let start = self.statistics.and_then(Statistics::start_detailed_timer);
        count(PerfMetric::BlockDecompressCount, 1);
        let _timer = Timer::start(PerfMetric::BlockDecompressTime);
        let contents = CompressionType::from_u8(compression_type)
            .and_then(|kind| decompress(kind, stored, self.footer.format_version, dictionary))
            .map_err(|status| self.explain(handle, &status))?;
        if let Some(statistics) = self.statistics {
            count_decompression(statistics, start, stored.len(), contents.len());
        }
        Ok(contents)
    }

    /// Reads a block with its trailer.
    fn read(
        &self,
        handle: BlockHandle,
        prefetcher: Option<&mut SequentialPrefetcher>,
    ) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_to(handle, prefetcher, &mut bytes)?;
        Ok(bytes)
    }

    /// As [`Self::read`], to an empty buffer.
    fn read_to(
        &self,
        handle: BlockHandle,
        prefetcher: Option<&mut SequentialPrefetcher>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let length = self.length_with_trailer(handle)?;
        buffer.reserve_exact(block_capacity(length));
        let timers = read_timers();
        let found = self.with_file(|file| match prefetcher {
            Some(prefetcher) => prefetcher.read_append(file, handle.offset, length, buffer),
            None => file.read_append(handle.offset, length, buffer),
        })?;
        drop(timers);
        self.check_length(handle, length, found)
    }

    /// Bytes of a block that is about to be read, which is counted, and of its trailer.
    fn length_with_trailer(&self, handle: BlockHandle) -> Result<usize> {
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
        count(PerfMetric::BlockReadCount, 1);
        count(PerfMetric::BlockReadByte, length as u64);
        Ok(length)
    }

    /// Calls `read` with the file as it is to be read.
    fn with_file<T>(&self, read: impl FnOnce(&dyn RandomAccessFile) -> T) -> T {
        match self.limit {
            None => read(self.file),
            Some(limit) => read(&limit.limited(self.file)),
        }
    }

    fn check_length(&self, handle: BlockHandle, length: usize, found: usize) -> Result<()> {
        if found >= length {
            return Ok(());
        }
        Err(self.corruption(
            handle,
            format_args!("expected {length} bytes, found {found}: the file is too short"),
        ))
    }

    /// Checks a block that was read with its trailer, if that is wanted. Its size without, and its
    /// compression type.
    fn check(&self, handle: BlockHandle, block_and_trailer: &[u8]) -> Result<(usize, u8)> {
        if self.verify_checksums {
            self.verify(handle, block_and_trailer)?;
        }
        let size = block_and_trailer.len() - BLOCK_TRAILER_SIZE;
        Ok((size, block_and_trailer[size]))
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

/// While they live, a read is timed.
pub(crate) fn read_timers() -> (Timer<PerfMetric>, Timer<PerfMetric>) {
    (Timer::start(PerfMetric::BlockReadTime), Timer::start(PerfMetric::BlockReadCpuTime))
}

#[cfg(test)]
mod tests;
