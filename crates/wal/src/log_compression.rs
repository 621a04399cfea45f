//! The streaming Zstandard of compressed logs: one frame for each logical record.

use crate::log_format::BLOCK_SIZE;
use base::{Result, Status};
use std::fmt;
use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

/// RocksDB compresses logs at level 3, whose window is 2 MiB; a frame that asks for more than 8 MiB
/// (the size that RFC 8878 wants every decoder to manage) is refused before it gets the memory.
const WINDOW_LOG_MAX: u32 = 23;

/// RocksDB's default level of Zstandard.
const LEVEL: i32 = 3;

/// Compresses logical records.
pub(crate) struct LogCompressor(CCtx<'static>);

impl LogCompressor {
    pub(crate) fn new() -> Result<Self> {
        let mut context = CCtx::try_create().ok_or_else(out_of_memory)?;
        context.set_parameter(CParameter::CompressionLevel(LEVEL)).map_err(failed)?;
        Ok(Self(context))
    }

    /// Bytes of memory that it has.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.sizeof()
    }

    /// The frame of `record`. An empty record has an empty frame.
    pub(crate) fn compress(&mut self, record: &[u8]) -> Result<Vec<u8>> {
        let mut frame = Vec::new();
        if record.is_empty() {
            return Ok(frame);
        }
        self.0.reset(ResetDirective::SessionOnly).map_err(failed)?;
        let mut input = InBuffer::around(record);
        let mut chunk = [0u8; 4096];
        loop {
            let mut output = OutBuffer::around(&mut chunk[..]);
            let left = self
                .0
                .compress_stream2(&mut output, &mut input, ZSTD_EndDirective::ZSTD_e_end)
                .map_err(failed)?;
            frame.extend_from_slice(output.as_slice());
            if left == 0 {
                return Ok(frame);
            }
        }
    }
}

/// Decompresses logical records, fragment by fragment.
pub(crate) struct LogDecompressor {
    context: DCtx<'static>,
    chunk: Box<[u8]>,
    state: FrameState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameState {
    Empty,
    Open,
    Ended,
}

impl LogDecompressor {
    pub(crate) fn new() -> Result<Self> {
        let mut context = DCtx::try_create().ok_or_else(out_of_memory)?;
        context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).map_err(failed)?;
        let chunk = vec![0; BLOCK_SIZE].into_boxed_slice();
        Ok(Self { context, chunk, state: FrameState::Empty })
    }

    /// Starts a logical record.
    pub(crate) fn reset(&mut self) -> Result<()> {
        self.state = FrameState::Empty;
        self.context.reset(ResetDirective::SessionOnly).map_err(failed)?;
        Ok(())
    }

    /// Appends to `record` what `fragment` adds to it, up to `size_max` bytes in all.
    ///
    /// # Errors
    /// The reason, if the frame is bad or goes on after its end, or the record gets too large.
    pub(crate) fn decompress(
        &mut self,
        fragment: &[u8],
        record: &mut Vec<u8>,
        size_max: u64,
    ) -> std::result::Result<(), &'static str> {
        if fragment.is_empty() {
            return Ok(());
        }
        let mut input = InBuffer::around(fragment);
        loop {
            if self.state == FrameState::Ended {
                let at_end = input.pos() == fragment.len();
                return if at_end { Ok(()) } else { Err("bytes after the end of a frame") };
            }
            let mut output = OutBuffer::around(&mut self.chunk[..]);
            self.state = FrameState::Open;
            let hint = self
                .context
                .decompress_stream(&mut output, &mut input)
                .map_err(zstd_safe::get_error_name)?;
            let produced = output.as_slice();
            if (record.len() + produced.len()) as u64 > size_max {
                return Err("record too large");
            }
            record.extend_from_slice(produced);
            let full = produced.len() == self.chunk.len();
            if hint == 0 {
                self.state = FrameState::Ended;
            } else if input.pos() == fragment.len() && !full {
                return Ok(());
            }
        }
    }

    /// Whether the fragments so far make a whole record.
    pub(crate) fn is_complete(&self) -> bool {
        self.state != FrameState::Open
    }
}

fn out_of_memory() -> Status {
    Status::io_error("no memory for a Zstandard context")
}

fn failed(code: zstd_safe::ErrorCode) -> Status {
    Status::io_error(format!("Zstandard: {}", zstd_safe::get_error_name(code)))
}

impl fmt::Debug for LogCompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogCompressor")
    }
}

impl fmt::Debug for LogDecompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogDecompressor")
    }
}

#[cfg(test)]
mod tests;
