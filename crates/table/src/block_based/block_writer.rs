//! Writes blocks to a table file, each with its trailer.

use crate::format::{BLOCK_TRAILER_SIZE, BlockHandle, Footer};
use base::file_checksum::FileChecksumGenerator;
use base::{Result, Status};
use env::WritableFile;
use statistics::{HistogramType, Statistics};
use std::sync::Arc;

/// Appends blocks to a new file. After an error what is in the file is unknown, and every later
/// append fails too, as [`WritableFile`] has it.
#[derive(Debug)]
pub(super) struct BlockWriter {
    file: Box<dyn WritableFile>,
    offset: u64,
    /// Without handles: what block checksums depend on.
    footer: Footer,
    file_checksum: Option<Box<dyn FileChecksumGenerator>>,
    statistics: Option<Arc<Statistics>>,
}

/// A file that is complete.
#[derive(Debug)]
pub(super) struct WrittenFile {
    pub(super) file: Box<dyn WritableFile>,
    pub(super) size: u64,
    /// Function and value.
    pub(super) checksum: Option<(String, Vec<u8>)>,
}

impl BlockWriter {
    /// `footer` says how blocks are checked; its handles don't count.
    pub(super) fn new(
        file: Box<dyn WritableFile>,
        footer: Footer,
        file_checksum: Option<Box<dyn FileChecksumGenerator>>,
        statistics: Option<Arc<Statistics>>,
    ) -> Self {
        Self { file, offset: 0, footer, file_checksum, statistics }
    }

    /// Bytes appended.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.append(bytes)?;
        if let Some(checksum) = &mut self.file_checksum {
            checksum.update(bytes);
        }
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Appends a block; puts its trailer behind it, in one piece with it.
    pub(super) fn write(
        &mut self,
        block: &mut Vec<u8>,
        compression_type: u8,
    ) -> Result<BlockHandle> {
        let start = self.statistics.as_ref().and_then(|statistics| statistics.start_timer());
        let handle = BlockHandle { offset: self.offset, size: block.len() as u64 };
        // A filter has megabytes, which are not to become twice as many.
        block.reserve_exact(BLOCK_TRAILER_SIZE);
        block.push(compression_type);
        let checksum = self.footer.block_checksum(self.offset, block);
        block.extend_from_slice(&checksum.to_le_bytes());
        self.append(block)?;
        if let Some(statistics) = &self.statistics {
            statistics.stop_timer(HistogramType::WriteRawBlockMicros, start);
        }
        Ok(handle)
    }

    /// Leaves bytes of zeros up to `offset`.
    pub(super) fn pad_to(&mut self, offset: u64) -> Result<()> {
        const ZEROS: [u8; 4096] = [0; 4096];
        while self.offset < offset {
            let count = (offset - self.offset).min(ZEROS.len() as u64);
            self.append(&ZEROS[..count as usize])?;
        }
        Ok(())
    }

    /// Appends the footer.
    pub(super) fn finish(
        mut self,
        metaindex: BlockHandle,
        index: BlockHandle,
    ) -> Result<WrittenFile> {
        if metaindex.size > u64::from(u32::MAX) {
            return Err(Status::not_supported("a metaindex of 4 GiB or more"));
        }
        let footer = Footer {
            metaindex_handle: metaindex,
            index_handle: Some(index),
            offset: self.offset,
            ..self.footer
        };
        let mut bytes = Vec::new();
        footer.encode_to(&mut bytes);
        self.append(&bytes)?;
        let checksum = self.file_checksum.map(|generator| {
            let name = generator.name().to_owned();
            (name, generator.finalize())
        });
        Ok(WrittenFile { file: self.file, size: self.offset, checksum })
    }
}
