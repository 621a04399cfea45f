//! Block handles and the footer at the end of a table.
//!
//! ```text
//! block handle    varint64 offset | varint64 size            size leaves out the block's trailer
//! block trailer   u8 compression type | fixed32 checksum of block and type
//!
//! footer, format_version 0, 48 bytes
//!   handles of metaindex and index, zeros up to 40 bytes | fixed64 legacy magic
//!
//! footer, format_version 1 to 5, 53 bytes
//!   u8 checksum type | handles of metaindex and index, zeros up to 40 bytes
//!   fixed32 format_version | fixed64 magic
//!
//! footer, format_version 6 and 7, 53 bytes
//!    0  u8 checksum type
//!    1  3e 00 7a 00
//!    5  fixed32 checksum of the footer with these four bytes zero, plus the context modifier of
//!       the footer's offset
//!    9  fixed32 base context checksum
//!   13  fixed32 size of the metaindex block, which ends with its trailer where the footer begins
//!   17  24 bytes of zeros
//!   41  fixed32 format_version
//!   45  fixed64 magic
//! ```
//!
//! From format_version 6 on the index is found through the metaindex, and every block checksum has
//! a modifier added that depends on the block's offset and the base context checksum.

use base::checksum::{ChecksumType, context_modifier};
use base::coding::{
    decode_fixed32, decode_fixed64, get_varint64, put_fixed32, put_fixed64, put_varint64,
};
use base::{Result, Status};

/// Bytes after each block: compression type and checksum.
pub const BLOCK_TRAILER_SIZE: usize = 5;
/// Bytes of the footer from format_version 1 on.
pub const FOOTER_SIZE: usize = 53;
/// Bytes of the footer of format_version 0.
pub const LEGACY_FOOTER_SIZE: usize = 48;
/// The newest format_version this crate knows.
pub const FORMAT_VERSION_MAX: u32 = 7;
/// The oldest format_version that is still written.
pub const FORMAT_VERSION_WRITTEN_MIN: u32 = 2;

/// Magic number of block-based tables from format_version 1 on.
pub const BLOCK_BASED_MAGIC: u64 = 0x88e2_41b7_85f4_cff7;
/// Magic number of block-based tables of format_version 0.
pub const LEGACY_BLOCK_BASED_MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Magic number of plain tables.
pub const PLAIN_MAGIC: u64 = 0x8242_2296_63bf_9564;
/// Magic number of plain tables of format_version 0.
pub const LEGACY_PLAIN_MAGIC: u64 = 0x4f34_18eb_7a8f_13b8;
const CUCKOO_MAGIC: u64 = 0x9267_89d0_c5f1_7873;

const MAGIC_SIZE: usize = 8;
const HANDLES_SIZE: usize = 40;
const EXTENDED_MAGIC: [u8; 4] = [0x3e, 0x00, 0x7a, 0x00];

/// First format_version whose footer is checksummed and whose block checksums depend on offsets.
pub(crate) const FORMAT_VERSION_WITH_CONTEXT: u32 = 6;

/// Where a block lies in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockHandle {
    /// First byte of the block.
    pub offset: u64,
    /// Bytes of the block as stored, without its trailer.
    pub size: u64,
}

impl BlockHandle {
    /// Takes a handle from the front of `input`.
    #[inline]
    pub fn decode(input: &mut &[u8]) -> Option<Self> {
        Some(Self { offset: get_varint64(input)?, size: get_varint64(input)? })
    }

    /// Appends the handle.
    pub fn encode_to(self, output: &mut Vec<u8>) {
        put_varint64(output, self.offset);
        put_varint64(output, self.size);
    }

    /// First byte after the block's trailer; `None` if that is no 64-bit number.
    #[inline]
    pub fn end_with_trailer(self) -> Option<u64> {
        self.offset.checked_add(self.size)?.checked_add(BLOCK_TRAILER_SIZE as u64)
    }
}

/// The footer, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Version of the table format, 0 to 7.
    pub format_version: u32,
    /// How blocks are checked.
    pub checksum_type: ChecksumType,
    /// Added in parts to every checksum; 0 before format_version 6.
    pub base_context_checksum: u32,
    /// The metaindex block.
    pub metaindex_handle: BlockHandle,
    /// The index block; from format_version 6 on the metaindex says where it is.
    pub index_handle: Option<BlockHandle>,
    /// Where the footer begins. Every block ends before.
    pub offset: u64,
}

impl Footer {
    /// Decodes the footer of a file of `file_size` bytes that ends in `tail`, its last
    /// [`FOOTER_SIZE`] bytes or the whole of a shorter file.
    ///
    /// # Errors
    /// `Corruption` if this is no footer or of a newer format version, as RocksDB has it;
    /// `NotSupported` for plain and cuckoo tables.
    pub fn decode(tail: &[u8], file_size: u64) -> Result<Self> {
        if tail.len() < LEGACY_FOOTER_SIZE {
            return Err(Status::corruption(format!(
                "file is too short ({file_size} bytes) to be an sstable"
            )));
        }
        let magic = decode_fixed64(tail, tail.len() - MAGIC_SIZE);
        match magic {
            LEGACY_BLOCK_BASED_MAGIC => {
                Self::decode_legacy(&tail[tail.len() - LEGACY_FOOTER_SIZE..], file_size)
            }
            BLOCK_BASED_MAGIC if tail.len() >= FOOTER_SIZE => {
                Self::decode_current(&tail[tail.len() - FOOTER_SIZE..], file_size)
            }
            BLOCK_BASED_MAGIC => Err(Status::corruption(format!(
                "file is too short ({file_size} bytes) to be an sstable"
            ))),
            PLAIN_MAGIC | LEGACY_PLAIN_MAGIC => Err(Status::not_supported("plain table")),
            CUCKOO_MAGIC => Err(Status::not_supported("cuckoo table")),
            _ => Err(Status::corruption(format!(
                "Bad table magic number: expected {BLOCK_BASED_MAGIC}, found {magic}"
            ))),
        }
    }

    fn decode_legacy(footer: &[u8], file_size: u64) -> Result<Self> {
        let offset = file_size - LEGACY_FOOTER_SIZE as u64;
        let [metaindex_handle, index_handle] = decode_handles(&footer[..HANDLES_SIZE], offset)?;
        Ok(Self {
            format_version: 0,
            checksum_type: ChecksumType::Crc32c,
            base_context_checksum: 0,
            metaindex_handle,
            index_handle: Some(index_handle),
            offset,
        })
    }

    fn decode_current(footer: &[u8], file_size: u64) -> Result<Self> {
        let offset = file_size - FOOTER_SIZE as u64;
        let format_version = decode_fixed32(footer, FOOTER_SIZE - MAGIC_SIZE - 4);
        if !(1..=FORMAT_VERSION_MAX).contains(&format_version) {
            return Err(Status::corruption(format!(
                "Corrupt or unsupported format_version: {format_version}"
            )));
        }
        let checksum_type = ChecksumType::from_u8(footer[0]).ok_or_else(|| {
            Status::corruption(format!("Corrupt or unsupported checksum type: {}", footer[0]))
        })?;
        if format_version >= FORMAT_VERSION_WITH_CONTEXT {
            return Self::decode_with_context(footer, offset, format_version, checksum_type);
        }
        let [metaindex_handle, index_handle] =
            decode_handles(&footer[1..1 + HANDLES_SIZE], offset)?;
        Ok(Self {
            format_version,
            checksum_type,
            base_context_checksum: 0,
            metaindex_handle,
            index_handle: Some(index_handle),
            offset,
        })
    }

    fn decode_with_context(
        footer: &[u8],
        offset: u64,
        format_version: u32,
        checksum_type: ChecksumType,
    ) -> Result<Self> {
        if footer[1..5] != EXTENDED_MAGIC {
            return Err(Status::corruption(format!(
                "bad extended magic number: expected {EXTENDED_MAGIC:02x?}, found {:02x?}",
                &footer[1..5]
            )));
        }
        let base_context_checksum = decode_fixed32(footer, 9);
        let stored = decode_fixed32(footer, 5);
        let mut zeroed = [0; FOOTER_SIZE];
        zeroed.copy_from_slice(footer);
        zeroed[5..9].fill(0);
        let actual = checksum_type
            .compute_contiguous(&zeroed)
            .wrapping_add(context_modifier(base_context_checksum, offset));
        if stored != actual {
            return Err(Status::corruption(format!(
                "footer checksum mismatch: stored = {stored}, computed = {actual}, type = {}",
                checksum_type as u8
            )));
        }
        if footer[17..41].iter().any(|&byte| byte != 0) {
            return Err(Status::corruption("footer's reserved bytes are not zero"));
        }
        let size = u64::from(decode_fixed32(footer, 13));
        let Some(metaindex_offset) = offset.checked_sub(size + BLOCK_TRAILER_SIZE as u64) else {
            return Err(Status::corruption(format!(
                "metaindex block of {size} bytes does not fit before the footer at offset {offset}"
            )));
        };
        Ok(Self {
            format_version,
            checksum_type,
            base_context_checksum,
            metaindex_handle: BlockHandle { offset: metaindex_offset, size },
            index_handle: None,
            offset,
        })
    }

    /// Appends the footer. Up to format_version 5 the index handle must be there; from 6 on the
    /// metaindex block must end, trailer included, at the footer's offset.
    pub fn encode_to(&self, output: &mut Vec<u8>) {
        let start = output.len();
        if self.format_version >= 1 {
            output.push(self.checksum_type as u8);
        }
        if self.format_version >= FORMAT_VERSION_WITH_CONTEXT {
            output.extend_from_slice(&EXTENDED_MAGIC);
            put_fixed32(output, 0);
            put_fixed32(output, self.base_context_checksum);
            put_fixed32(output, self.metaindex_handle.size as u32);
            output.resize(start + 1 + HANDLES_SIZE, 0);
        } else {
            let handles_start = output.len();
            self.metaindex_handle.encode_to(output);
            self.index_handle.unwrap_or_default().encode_to(output);
            output.resize(handles_start + HANDLES_SIZE, 0);
        }
        if self.format_version == 0 {
            put_fixed64(output, LEGACY_BLOCK_BASED_MAGIC);
            return;
        }
        put_fixed32(output, self.format_version);
        put_fixed64(output, BLOCK_BASED_MAGIC);
        if self.format_version >= FORMAT_VERSION_WITH_CONTEXT {
            let checksum = self
                .checksum_type
                .compute_contiguous(&output[start..])
                .wrapping_add(context_modifier(self.base_context_checksum, self.offset));
            output[start + 5..start + 9].copy_from_slice(&checksum.to_le_bytes());
        }
    }

    /// Whether a block with this handle ends, trailer included, before the footer.
    #[inline]
    pub fn contains(&self, handle: BlockHandle) -> bool {
        handle.end_with_trailer().is_some_and(|end| end <= self.offset)
    }

    /// The checksum that must stand after the block at `offset`.
    #[inline]
    pub fn block_checksum(&self, offset: u64, block_and_type: &[u8]) -> u32 {
        self.checksum_type
            .compute_contiguous(block_and_type)
            .wrapping_add(context_modifier(self.base_context_checksum, offset))
    }
}

fn decode_handles(mut input: &[u8], footer_offset: u64) -> Result<[BlockHandle; 2]> {
    let mut take = |what: &str| {
        let handle = BlockHandle::decode(&mut input)
            .ok_or_else(|| Status::corruption(format!("bad {what} handle in footer")))?;
        if handle.end_with_trailer().is_none_or(|end| end > footer_offset) {
            return Err(Status::corruption(format!(
                "{what} block at offset {} of {} bytes does not fit before the footer at offset \
                 {footer_offset}",
                handle.offset, handle.size
            )));
        }
        Ok(handle)
    };
    Ok([take("metaindex")?, take("index")?])
}

#[cfg(test)]
mod tests;
