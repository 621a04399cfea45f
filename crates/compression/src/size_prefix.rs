//! The uncompressed size in front of a compressed stream.
//!
//! ```text
//! format_version >= 2    varint32
//! format_version 0, 1    LZ4: fixed64. zlib, bzip2: none
//! ```

use base::coding;
use base::{Result, Status};

/// A codec by name and by how far it can expand.
pub(crate) struct Codec {
    pub(crate) name: &'static str,
    /// No stream of `n` bytes holds more than `n * expansion_max + expansion_extra` bytes.
    pub(crate) expansion_max: usize,
    pub(crate) expansion_extra: usize,
}

impl Codec {
    /// The most bytes a stream of this length can hold.
    pub(crate) fn size_bound(&self, stream_length: usize) -> usize {
        stream_length.saturating_mul(self.expansion_max).saturating_add(self.expansion_extra)
    }

    /// Takes a varint32 size off the front of `input`.
    pub(crate) fn take_varint32(&self, input: &mut &[u8]) -> Result<usize> {
        match coding::get_varint32(input) {
            Some(size) => self.check(size as usize, input),
            None => Err(self.no_size()),
        }
    }

    /// Takes a fixed64 size off the front of `input`.
    pub(crate) fn take_fixed64(&self, input: &mut &[u8]) -> Result<usize> {
        match coding::get_fixed64(input).map(usize::try_from) {
            Some(Ok(size)) => self.check(size, input),
            _ => Err(self.no_size()),
        }
    }

    /// Refuses a size that a stream of this length cannot have.
    pub(crate) fn check(&self, size: usize, stream: &[u8]) -> Result<usize> {
        let bound = self.size_bound(stream.len());
        if size <= bound {
            return Ok(size);
        }
        let Self { name, .. } = self;
        let length = stream.len();
        Err(Status::corruption(format!(
            "{name}: expected at most {bound} bytes in a stream of {length}, found a size of {size}"
        )))
    }

    /// `output` if it has the size that was promised.
    pub(crate) fn exactly(&self, output: Vec<u8>, size: usize) -> Result<Vec<u8>> {
        if output.len() == size {
            return Ok(output);
        }
        let (Self { name, .. }, found) = (self, output.len());
        Err(Status::corruption(format!("{name}: expected {size} bytes, found {found}")))
    }

    /// The stream is no stream of this codec.
    #[cold]
    pub(crate) fn corrupt(&self, what: impl std::fmt::Display) -> Status {
        Status::corruption(format!("{}: {what}", self.name))
    }

    #[cold]
    fn no_size(&self) -> Status {
        self.corrupt("expected an uncompressed size, found the end")
    }

    /// A vector of `capacity` that starts with the size of `input` as varint32.
    pub(crate) fn output_with_size(&self, input: &[u8], capacity: usize) -> Result<Vec<u8>> {
        let size = u32::try_from(input.len()).map_err(|_| {
            Status::not_supported(format!("{}: inputs of 4 GiB and more", self.name))
        })?;
        let mut output = Vec::with_capacity(coding::MAX_VARINT32_LENGTH + capacity);
        coding::put_varint32(&mut output, size);
        Ok(output)
    }
}

/// Calls `step`, which appends within the capacity and says whether the stream ended, with ever more
/// room, until it ended or holds more than `size_max` bytes.
pub(crate) fn grow_until_end(
    codec: &Codec,
    mut output: Vec<u8>,
    size_max: usize,
    mut step: impl FnMut(&mut Vec<u8>) -> Result<bool>,
) -> Result<Vec<u8>> {
    const GROWTH_MIN: usize = 4096;
    loop {
        if step(&mut output)? {
            return Ok(output);
        }
        if output.len() < output.capacity() {
            return Err(codec.corrupt("expected more of the stream, found its end"));
        }
        if output.len() > size_max {
            return Err(codec.corrupt(format_args!("expected {size_max} bytes, found more")));
        }
        // One byte more than allowed, so that a stream that is too long shows itself.
        let room = (size_max - output.len()).saturating_add(1);
        output.reserve_exact(room.min(output.len().max(GROWTH_MIN)));
    }
}
