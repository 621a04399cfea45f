//! Writes the logical records of a WAL or MANIFEST. The layout is in
//! [`log_format`](crate::log_format).

use crate::log_compression::LogCompressor;
use crate::log_format::{
    BLOCK_SIZE, HEADER_SIZE, LogCompression, PhysicalType, PredecessorWalInfo,
    RECYCLABLE_HEADER_SIZE, TIMESTAMP_SIZE_LENGTH, TimestampSize, encode_timestamp_sizes,
    put_physical_record,
};
use base::{Result, Status};
use env::WritableFile;

/// Bytes of a long record that are gathered before the file gets them.
const OUTPUT_SIZE_MAX: usize = 1 << 20;

/// Appends logical records to a file.
///
/// Records are handed to the file and neither flushed nor synced: the caller decides how many to
/// write between. After an error the end of the file is unknown, so all later calls fail.
#[derive(Debug)]
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    /// The file number, in a log of recyclable records.
    recyclable_number: Option<u32>,
    compressor: Option<LogCompressor>,
    /// Bytes in the current block.
    block_position: usize,
    failed: bool,
    output: Vec<u8>,
    /// Zeros that `output` begins with: the rest of the block before its first record.
    padding: usize,
}

impl LogWriter {
    /// Bytes of memory for what is to be written, and for compressing it.
    pub fn buffer_bytes(&self) -> usize {
        let compressor = self.compressor.as_ref().map_or(0, LogCompressor::memory_bytes);
        self.output.capacity() + compressor
    }

    /// A log of legacy records, such as every MANIFEST. `file` may hold whole records already.
    pub fn new(file: Box<dyn WritableFile>) -> Self {
        let block_position = (file.size() % BLOCK_SIZE as u64) as usize;
        Self {
            file,
            recyclable_number: None,
            compressor: None,
            block_position,
            failed: false,
            output: Vec::new(),
            padding: 0,
        }
    }

    /// A log of recyclable records (`recycle_log_file_num`); `log_number` is the one in its name.
    pub fn new_recyclable(file: Box<dyn WritableFile>, log_number: u64) -> Self {
        // Records hold the low 32 bits.
        Self { recyclable_number: Some(log_number as u32), ..Self::new(file) }
    }

    /// Compresses the records from here on. Nothing may have been written.
    ///
    /// # Errors
    /// `InvalidArgument` if the file is not empty; `IoError` from the file.
    pub fn add_compression_record(&mut self, compression: LogCompression) -> Result<()> {
        let Some(payload) = compression.encode() else {
            return Ok(());
        };
        if self.file.size() != 0 {
            return Err(Status::invalid_argument(format!(
                "{}: compression record after other records",
                self.file.path().display()
            )));
        }
        self.compressor = Some(LogCompressor::new()?);
        self.put_record(PhysicalType::SetCompressionType, |output| {
            output.extend_from_slice(&payload);
        });
        self.append()
    }

    /// Appends a logical record.
    ///
    /// # Errors
    /// `IoError` from the file, or because of an earlier error.
    pub fn add_record(&mut self, record: &[u8]) -> Result<()> {
        self.add_record_of_parts(&[record])
    }

    /// Appends one logical record that consists of `parts`, one after the other.
    ///
    /// # Errors
    /// As [`LogWriter::add_record`].
    pub fn add_record_of_parts(&mut self, parts: &[&[u8]]) -> Result<()> {
        if let (None, [record]) = (&self.compressor, parts)
            && self.fits_block(record.len())
        {
            self.put_record(PhysicalType::Full, |output| output.extend_from_slice(record));
            return self.append();
        }
        match (&mut self.compressor, parts) {
            (None, _) => self.put_fragments(parts)?,
            (Some(compressor), [record]) => {
                let frame = compressor.compress(record)?;
                self.put_fragments(&[&frame])?;
            }
            (Some(compressor), _) => {
                let frame = compressor.compress(&parts.concat())?;
                self.put_fragments(&[&frame])?;
            }
        }
        self.append()
    }

    /// Appends the timestamp sizes of column families that have not been in this log yet.
    ///
    /// # Errors
    /// As [`LogWriter::add_record`].
    pub fn add_timestamp_sizes(&mut self, sizes: &[TimestampSize]) -> Result<()> {
        let count_max = (BLOCK_SIZE - self.header_size()) / TIMESTAMP_SIZE_LENGTH;
        for sizes in sizes.chunks(count_max) {
            let payload = encode_timestamp_sizes(sizes);
            self.add_control_record(PhysicalType::UserDefinedTimestampSize, &payload)?;
        }
        Ok(())
    }

    /// Appends what is known of the WAL before this one.
    ///
    /// # Errors
    /// As [`LogWriter::add_record`].
    pub fn add_predecessor_wal_info(&mut self, info: &PredecessorWalInfo) -> Result<()> {
        self.add_control_record(PhysicalType::PredecessorWalInfo, &info.encode())
    }

    /// Bytes appended since the start of the file, unflushed ones included.
    pub fn size_bytes(&self) -> u64 {
        self.file.size()
    }

    /// Whether the file is appended to through a mapping.
    pub fn is_mapped(&self) -> bool {
        self.file.mapped_size().is_some()
    }

    /// The file, to flush or sync it.
    pub fn file_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.file
    }

    /// Flushes and closes the file.
    ///
    /// # Errors
    /// `IoError` from the file.
    pub fn close(self) -> Result<()> {
        self.file.close()
    }

    fn header_size(&self) -> usize {
        if self.recyclable_number.is_some() { RECYCLABLE_HEADER_SIZE } else { HEADER_SIZE }
    }

    /// Whether the block has room for a payload of this length and a header before it.
    #[inline]
    fn fits_block(&self, length: usize) -> bool {
        length <= BLOCK_SIZE && self.block_position + self.header_size() + length <= BLOCK_SIZE
    }

    /// A control record is never cut.
    fn add_control_record(&mut self, kind: PhysicalType, payload: &[u8]) -> Result<()> {
        self.make_room(self.header_size() + payload.len());
        self.put_record(kind, |output| output.extend_from_slice(payload));
        self.append()
    }

    fn put_fragments(&mut self, parts: &[&[u8]]) -> Result<()> {
        let mut left: usize = parts.iter().map(|part| part.len()).sum();
        let mut rest = parts.iter().copied();
        let mut part: &[u8] = &[];
        let mut first = true;
        loop {
            self.make_room(self.header_size());
            let mut room = BLOCK_SIZE - self.block_position - self.header_size();
            if self.compressor.is_some() && self.block_position == 0 && left >= room {
                // RocksDB before 7.10.2 takes a compressed fragment for the one before it if both
                // start at the same place of their blocks, so none may fill a block.
                room /= 2;
            }
            let mut wanted = left.min(room);
            left -= wanted;
            let kind = match (first, left == 0) {
                (true, true) => PhysicalType::Full,
                (true, false) => PhysicalType::First,
                (false, true) => PhysicalType::Last,
                (false, false) => PhysicalType::Middle,
            };
            self.put_record(kind, |output| {
                while wanted > 0 {
                    if part.is_empty() {
                        part = rest.next().expect("all parts are as long as the record");
                    }
                    let (head, tail) = part.split_at(part.len().min(wanted));
                    output.extend_from_slice(head);
                    wanted -= head.len();
                    part = tail;
                }
            });
            if left == 0 {
                return Ok(());
            }
            first = false;
            // Of a mapped file each header appears after its payload, and after those before it.
            if self.output.len() >= OUTPUT_SIZE_MAX || self.is_mapped() {
                self.append()?;
            }
        }
    }

    /// Fills the block with zeros if fewer than `size` bytes are left in it.
    fn make_room(&mut self, size: usize) {
        let left = BLOCK_SIZE - self.block_position;
        if left < size {
            if self.output.is_empty() {
                self.padding = left;
            }
            self.output.resize(self.output.len() + left, 0);
            self.block_position = 0;
        }
    }

    fn put_record(&mut self, kind: PhysicalType, put_payload: impl FnOnce(&mut Vec<u8>)) {
        let number = kind.number(self.recyclable_number.is_some());
        let log_number = self
            .recyclable_number
            .filter(|_| PhysicalType::from_number(number).is_some_and(|(_, form)| form));
        let length_before = self.output.len();
        put_physical_record(&mut self.output, number, log_number, put_payload);
        self.block_position += self.output.len() - length_before;
        debug_assert!(self.block_position <= BLOCK_SIZE);
    }

    fn append(&mut self) -> Result<()> {
        if self.failed {
            return Err(Status::io_error(format!(
                "{}: an earlier write failed",
                self.file.path().display()
            )));
        }
        // A header begins what it is appended with: of a file that is mapped that comes last, so that
        // no reader meets a record that is not all there.
        let (padding, records) = self.output.split_at(std::mem::take(&mut self.padding));
        let mut result = Ok(());
        if !padding.is_empty() {
            result = self.file.append(padding);
        }
        result = result.and_then(|()| self.file.append(records));
        self.failed = result.is_err();
        self.output.clear();
        result
    }
}

#[cfg(test)]
mod tests;
