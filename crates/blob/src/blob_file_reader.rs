//! Reads values out of one blob file. The layout is in
//! [`blob_log_format`](crate::blob_log_format).

use crate::blob_index::BlobReference;
use crate::blob_log_format::{BlobLogFooter, BlobLogHeader, BlobLogRecordHeader};
use base::{PinnableSlice, Result, Status};
use compression::{CompressionType, decompress};
use env::{RandomAccessFile, ReadGate, ReadTerms, read_exact_at, read_exact_into};
use perf_context::{PerfMetric, Timer, count};
use statistics::{Activity, HistogramType, Statistics};
use std::fmt;
use std::sync::Arc;

/// Values are laid out as in tables of this `format_version`.
const COMPRESSION_FORMAT_VERSION: u32 = 2;

/// How to read a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobReadOptions {
    /// Read the whole record and check its checksums and its key (`verify_checksums`, default on).
    pub verify_checksums: bool,
    /// Keep the value in the blob cache (`fill_cache`, default on).
    pub fill_cache: bool,
    /// Answer from the blob cache or not at all (`read_tier` = `kBlockCacheTier`, default off).
    pub cache_only: bool,
    /// What is read for, to who counts, where nobody has said what the thread does (default
    /// `Unknown`).
    pub activity: Activity,
    /// What reading from the file asks before (`rate_limiter_priority`, `deadline`; default nothing).
    pub terms: ReadTerms,
}

impl Default for BlobReadOptions {
    fn default() -> Self {
        Self {
            verify_checksums: true,
            fill_cache: true,
            cache_only: false,
            activity: Activity::Unknown,
            terms: ReadTerms::NONE,
        }
    }
}

/// An open blob file.
#[derive(Debug)]
pub struct BlobFileReader {
    file: Arc<dyn RandomAccessFile>,
    compression: CompressionType,
    footer: BlobLogFooter,
    /// Where records end.
    end_offset: u64,
    statistics: Option<Arc<Statistics>>,
    read_gate: ReadGate,
}

impl BlobFileReader {
    /// Checks header and footer of a finished file of a column family.
    ///
    /// # Errors
    /// `IoError` from the file; `Corruption` if the file is too short, is none, has no footer, or
    /// belongs to another column family; `NotSupported` if it holds expiration times (of the stacked
    /// BlobDB) or its compression type is unknown.
    pub fn open(file: Arc<dyn RandomAccessFile>, column_family_id: u32) -> Result<Self> {
        let size = file.size()?;
        let size_min = (BlobLogHeader::SIZE + BlobLogFooter::SIZE) as u64;
        if size < size_min {
            let what = format!("expected a blob file of at least {size_min} bytes, found {size}");
            return Err(Status::corruption_at(file.path(), size, what));
        }
        let header = read_header(&*file, column_family_id)?;
        let end_offset = size - BlobLogFooter::SIZE as u64;
        let footer = read_footer(&*file, end_offset)?;
        let compression = header.compression;
        let (statistics, read_gate) = Default::default();
        Ok(Self { file, compression, footer, end_offset, statistics, read_gate })
    }

    /// Times how long values take to be uncompressed.
    pub(crate) fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> Self {
        self.statistics = statistics;
        self
    }

    /// Reads with terms ask `gate`.
    pub(crate) fn with_read_gate(mut self, gate: ReadGate) -> Self {
        self.read_gate = gate;
        self
    }

    /// How all values are compressed.
    pub fn compression(&self) -> CompressionType {
        self.compression
    }

    /// Number of records.
    pub fn blob_count(&self) -> u64 {
        self.footer.blob_count
    }

    /// Bytes of the file.
    pub fn file_size(&self) -> u64 {
        self.end_offset + BlobLogFooter::SIZE as u64
    }

    /// The value at `reference`, uncompressed. `user_key` is the key that refers to it, with its
    /// timestamp where the column family has them.
    ///
    /// # Errors
    /// `IoError` from the file; `Corruption` if `reference` is not to a value of this file, or the
    /// record is bad or another key's.
    pub fn get(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        reference: &BlobReference,
    ) -> Result<PinnableSlice> {
        let prefix_size = self.check_reference(user_key, reference)?;
        let size = self.to_usize(reference.size)?;
        if !options.verify_checksums {
            let stored = self.read(options, reference.offset, size)?;
            return match self.compression {
                CompressionType::None => Ok(stored.into()),
                _ => self.decompress(reference, &stored),
            };
        }
        let record_offset = reference.offset - prefix_size as u64;
        let record = self.read(options, record_offset, prefix_size + size)?;
        self.verify_record(record_offset, user_key, &record)?;
        match self.compression {
            CompressionType::None => {
                let range = prefix_size..record.len();
                Ok(PinnableSlice::pinned(Arc::new(record), range))
            }
            _ => self.decompress(reference, &record[prefix_size..]),
        }
    }

    fn read(&self, options: &BlobReadOptions, offset: u64, size: usize) -> Result<Vec<u8>> {
        count(PerfMetric::BlobReadCount, 1);
        count(PerfMetric::BlobReadByte, size as u64);
        let _timer = Timer::start(PerfMetric::BlobReadTime);
        match self.read_gate.limit(options.terms) {
            None => read_exact_at(&*self.file, offset, size),
            Some(limit) => read_exact_at(&limit.limited(&*self.file), offset, size),
        }
    }

    /// Checks that the whole record lies between header and footer. Returns how many bytes of it
    /// are before the value.
    fn check_reference(&self, user_key: &[u8], reference: &BlobReference) -> Result<usize> {
        let prefix_size = BlobLogRecordHeader::SIZE + user_key.len();
        let offset_min = (BlobLogHeader::SIZE + prefix_size) as u64;
        let in_file = reference.offset >= offset_min
            && reference.end_offset().is_some_and(|end_offset| end_offset <= self.end_offset);
        if !in_file {
            let what = format!(
                "expected a blob between offsets {offset_min} and {}, found {reference}",
                self.end_offset
            );
            return Err(self.corruption(reference.offset, what));
        }
        if reference.compression != self.compression {
            let what = format!(
                "expected values with compression {}, found {reference}",
                self.compression.property_name()
            );
            return Err(self.corruption(reference.offset, what));
        }
        Ok(prefix_size)
    }

    fn verify_record(&self, offset: u64, user_key: &[u8], record: &[u8]) -> Result<()> {
        let _timer = Timer::start(PerfMetric::BlobChecksumTime);
        let at = |status: Status| self.corruption(offset, status.message());
        let Some((header, body)) = record.split_first_chunk::<{ BlobLogRecordHeader::SIZE }>()
        else {
            return Err(self.corruption(offset, "blob record without a header"));
        };
        let header = BlobLogRecordHeader::decode(header).map_err(at)?;
        let (key, value) = body.split_at(user_key.len());
        if (header.key_size, header.value_size) != (key.len() as u64, value.len() as u64) {
            let what = format!(
                "expected a blob record with key of {} and value of {} bytes, found {} and {}",
                key.len(),
                value.len(),
                header.key_size,
                header.value_size
            );
            return Err(self.corruption(offset, what));
        }
        if key != user_key {
            let [expected, found] = [user_key, key].map(base::dbformat::hex);
            let what = format!("expected the blob of key {expected}, found that of key {found}");
            return Err(self.corruption(offset, what));
        }
        header.check_blob_crc(key, value).map_err(at)
    }

    fn decompress(&self, reference: &BlobReference, stored: &[u8]) -> Result<PinnableSlice> {
        let _timer = Timer::start(PerfMetric::BlobDecompressTime);
        let start = self.statistics.as_ref().and_then(|statistics| statistics.start_timer());
        let value = decompress(self.compression, stored, COMPRESSION_FORMAT_VERSION, None)
            .map(PinnableSlice::from)
            .map_err(|status| {
                let path = self.file.path().display();
                status.context(format_args!("{path} at offset {}", reference.offset))
            });
        if let Some(statistics) = &self.statistics {
            statistics.stop_timer(HistogramType::BlobDbDecompressionMicros, start);
        }
        value
    }

    fn to_usize(&self, size: u64) -> Result<usize> {
        usize::try_from(size).map_err(|_| {
            let path = self.file.path().display();
            Status::not_supported(format!("{path}: value of {size} bytes"))
        })
    }

    #[cold]
    fn corruption(&self, offset: u64, what: impl fmt::Display) -> Status {
        Status::corruption_at(self.file.path(), offset, what)
    }
}

fn read_header(file: &dyn RandomAccessFile, column_family_id: u32) -> Result<BlobLogHeader> {
    let mut bytes = [0; BlobLogHeader::SIZE];
    read_exact_into(file, 0, &mut bytes)?;
    let path = file.path();
    let header = BlobLogHeader::decode(&bytes)
        .map_err(|status| status.context(format_args!("{} at offset 0", path.display())))?;
    if header.has_ttl || header.expiration_range != (0, 0) {
        return Err(with_expiration(file));
    }
    if header.column_family_id != column_family_id {
        let what = format!(
            "expected a blob file of column family {column_family_id}, found one of {}",
            header.column_family_id
        );
        return Err(Status::corruption_at(path, 0, what));
    }
    Ok(header)
}

fn read_footer(file: &dyn RandomAccessFile, offset: u64) -> Result<BlobLogFooter> {
    let mut bytes = [0; BlobLogFooter::SIZE];
    read_exact_into(file, offset, &mut bytes)?;
    let footer = BlobLogFooter::decode(&bytes)
        .map_err(|status| Status::corruption_at(file.path(), offset, status.message()))?;
    if footer.expiration_range != (0, 0) {
        return Err(with_expiration(file));
    }
    Ok(footer)
}

#[cold]
fn with_expiration(file: &dyn RandomAccessFile) -> Status {
    let path = file.path().display();
    Status::not_supported(format!("{path}: blob file with expiration times, of the stacked BlobDB"))
}

#[cfg(test)]
mod tests;
