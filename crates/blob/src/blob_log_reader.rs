//! Reads a blob file from start to end. The layout is in
//! [`blob_log_format`](crate::blob_log_format).

use crate::blob_log_format::{BlobLogFooter, BlobLogHeader, BlobLogRecordHeader};
use base::{Result, Status};
use env::{RandomAccessFile, read_exact_at, read_exact_into};
use std::sync::Arc;

/// Reads the records of a blob file in order, without an index and also where the file has no
/// footer yet.
#[derive(Debug)]
pub struct BlobLogReader {
    file: Arc<dyn RandomAccessFile>,
    header: BlobLogHeader,
    footer: Option<BlobLogFooter>,
    /// Where records end.
    end_offset: u64,
    /// Where the next record starts.
    offset: u64,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobLogRecord {
    /// Where it starts.
    pub offset: u64,
    /// Its header.
    pub header: BlobLogRecordHeader,
    /// The user key, then the stored value.
    body: Vec<u8>,
}

impl BlobLogRecord {
    /// The user key, with its timestamp where the column family has them.
    pub fn key(&self) -> &[u8] {
        &self.body[..self.header.key_size as usize]
    }

    /// The value as stored.
    pub fn stored_value(&self) -> &[u8] {
        &self.body[self.header.key_size as usize..]
    }

    /// Where the stored value starts: what blob indexes hold.
    pub fn value_offset(&self) -> u64 {
        self.offset + BlobLogRecordHeader::SIZE as u64 + self.header.key_size
    }
}

impl BlobLogReader {
    /// Reads header and footer. A file whose last bytes are no footer has none.
    ///
    /// # Errors
    /// `IoError` from the file; `Corruption` if the header is bad; `NotSupported` if its
    /// compression type is unknown.
    pub fn open(file: Arc<dyn RandomAccessFile>) -> Result<Self> {
        let size = file.size()?;
        let mut bytes = [0; BlobLogHeader::SIZE];
        read_exact_into(&*file, 0, &mut bytes)?;
        let header = BlobLogHeader::decode(&bytes).map_err(|status| {
            status.context(format_args!("{} at offset 0", file.path().display()))
        })?;
        let offset = BlobLogHeader::SIZE as u64;
        let mut footer = None;
        let footer_offset = size.saturating_sub(BlobLogFooter::SIZE as u64);
        if footer_offset >= offset {
            let mut bytes = [0; BlobLogFooter::SIZE];
            read_exact_into(&*file, footer_offset, &mut bytes)?;
            footer = BlobLogFooter::decode(&bytes).ok();
        }
        let end_offset = if footer.is_some() { footer_offset } else { size };
        Ok(Self { file, header, footer, end_offset, offset })
    }

    /// The header.
    pub fn header(&self) -> &BlobLogHeader {
        &self.header
    }

    /// The footer, if the file was finished.
    pub fn footer(&self) -> Option<&BlobLogFooter> {
        self.footer.as_ref()
    }

    /// Where the next record starts.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Where records end.
    pub fn end_offset(&self) -> u64 {
        self.end_offset
    }

    /// The next record; none at the end. Whether key and value are checked against their checksum
    /// is the caller's choice; that of the header always is.
    ///
    /// # Errors
    /// `IoError` from the file; `Corruption` if the record is bad. Nothing is read after that.
    pub fn read_record(&mut self, verify_checksums: bool) -> Result<Option<BlobLogRecord>> {
        let offset = self.offset;
        if offset == self.end_offset {
            return Ok(None);
        }
        // Nothing is known of what follows a bad record.
        self.offset = self.end_offset;
        let record = self.read_record_at(offset)?;
        if verify_checksums {
            record
                .header
                .check_blob_crc(record.key(), record.stored_value())
                .map_err(|status| self.at(offset, &status))?;
        }
        self.offset = offset + BlobLogRecordHeader::SIZE as u64 + record.body.len() as u64;
        Ok(Some(record))
    }

    fn read_record_at(&self, offset: u64) -> Result<BlobLogRecord> {
        let left = self.end_offset - offset;
        if left < BlobLogRecordHeader::SIZE as u64 {
            return Err(self.cut_short(offset, BlobLogRecordHeader::SIZE as u64, left));
        }
        let mut bytes = [0; BlobLogRecordHeader::SIZE];
        read_exact_into(&*self.file, offset, &mut bytes)?;
        let header =
            BlobLogRecordHeader::decode(&bytes).map_err(|status| self.at(offset, &status))?;
        match header.record_size() {
            Some(size) if size <= left => {}
            size => return Err(self.cut_short(offset, size.unwrap_or(u64::MAX), left)),
        }
        let body_size = (header.key_size + header.value_size) as usize;
        let body = read_exact_at(&*self.file, offset + bytes.len() as u64, body_size)?;
        Ok(BlobLogRecord { offset, header, body })
    }

    #[cold]
    fn at(&self, offset: u64, status: &Status) -> Status {
        Status::corruption_at(self.file.path(), offset, status.message())
    }

    #[cold]
    fn cut_short(&self, offset: u64, size: u64, left: u64) -> Status {
        let what = format!("expected a blob record of {size} bytes, found {left}");
        Status::corruption_at(self.file.path(), offset, what)
    }
}

#[cfg(test)]
mod tests;
