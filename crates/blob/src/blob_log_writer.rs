//! Writes blob files. The layout is in [`blob_log_format`](crate::blob_log_format).

use crate::blob_index::BlobReference;
use crate::blob_log_format::{
    BlobLogFooter, BlobLogHeader, BlobLogRecordHeader, record_size_bytes,
};
use base::Result;
use compression::{CompressionOptions, CompressionType, compress};
use env::WritableFile;
use statistics::{HistogramType, Statistics};
use std::sync::Arc;

/// Writes one blob file from its start to its end.
#[derive(Debug)]
pub struct BlobLogWriter {
    file: Box<dyn WritableFile>,
    file_number: u64,
    compression: CompressionType,
    compression_options: CompressionOptions,
    offset: u64,
    blob_count: u64,
    blob_bytes: u64,
    /// The record being put together.
    buffer: Vec<u8>,
    statistics: Option<Arc<Statistics>>,
}

impl BlobLogWriter {
    /// Starts the file of this number.
    ///
    /// # Errors
    /// `IoError` from the file.
    pub fn new(
        mut file: Box<dyn WritableFile>,
        file_number: u64,
        column_family_id: u32,
        compression: CompressionType,
        compression_options: CompressionOptions,
    ) -> Result<Self> {
        let header = BlobLogHeader::new(column_family_id, compression).encode();
        file.append(&header)?;
        Ok(Self {
            file,
            file_number,
            compression,
            compression_options,
            offset: header.len() as u64,
            blob_count: 0,
            blob_bytes: 0,
            buffer: Vec::new(),
            statistics: None,
        })
    }

    /// Times how long values take to be compressed.
    pub fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> Self {
        self.statistics = statistics;
        self
    }

    /// Appends a value and tells where it is. `key` is the user key, with its timestamp.
    ///
    /// # Errors
    /// `IoError` from the file; as [`compress`].
    pub fn add_record(&mut self, key: &[u8], value: &[u8]) -> Result<BlobReference> {
        let compressed;
        let stored_value = match self.compression {
            CompressionType::None => value,
            kind => {
                let statistics = self.statistics.as_deref();
                let start = statistics.and_then(Statistics::start_timer);
                compressed = compress(kind, &self.compression_options, value, None)?;
                if let Some(statistics) = statistics {
                    statistics.stop_timer(HistogramType::BlobDbCompressionMicros, start);
                }
                &compressed
            }
        };
        let header = BlobLogRecordHeader::new(key, stored_value);
        self.buffer.clear();
        header.encode_to(&mut self.buffer);
        self.buffer.extend_from_slice(key);
        self.file.append(&self.buffer)?;
        self.file.append(stored_value)?;
        let reference = BlobReference {
            file_number: self.file_number,
            offset: self.offset + self.buffer.len() as u64,
            size: header.value_size,
            compression: self.compression,
        };
        self.blob_count += 1;
        let size = record_size_bytes(header.key_size, header.value_size);
        self.blob_bytes += size;
        self.offset += size;
        Ok(reference)
    }

    /// Number of records so far.
    pub fn blob_count(&self) -> u64 {
        self.blob_count
    }

    /// Bytes of all records so far, headers and keys included: what the MANIFEST records.
    pub fn blob_bytes(&self) -> u64 {
        self.blob_bytes
    }

    /// Bytes of the file so far.
    pub fn file_size(&self) -> u64 {
        self.offset
    }

    /// Appends the footer, syncs and closes.
    ///
    /// # Errors
    /// `IoError` from the file.
    pub fn finish(mut self) -> Result<()> {
        let footer = BlobLogFooter { blob_count: self.blob_count, expiration_range: (0, 0) };
        self.file.append(&footer.encode())?;
        self.file.sync()?;
        self.file.close()
    }
}

#[cfg(test)]
mod tests;
