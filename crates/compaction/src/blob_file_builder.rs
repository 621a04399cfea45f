//! Writes large values of a job's outputs to blob files.

use crate::checksummed_file::{RunningChecksum, checksummed};
use crate::created_files::CreatedFiles;
use base::{FileChecksumGenContext, FileChecksumGenFactory, Result};
use blob::{BlobLogWriter, BlobReference};
use compression::{CompressionOptions, CompressionType};
use statistics::Statistics;
use std::sync::Arc;
use version::BlobFileAddition;

/// Which values go to blob files, and how.
#[derive(Clone, Debug)]
pub struct BlobFileOptions {
    /// Values of this many bytes and more (`min_blob_size`). Default: 0.
    pub min_blob_size: u64,
    /// A file that has this many bytes is finished (`blob_file_size`). Default: 256 MiB.
    pub blob_file_size: u64,
    /// How values are compressed (`blob_compression_type`). Default: not.
    pub compression: CompressionType,
    /// With these options.
    pub compression_options: CompressionOptions,
    /// Where it is timed how long that takes (`statistics`). Default: none.
    pub statistics: Option<Arc<Statistics>>,
}

impl Default for BlobFileOptions {
    fn default() -> Self {
        Self {
            min_blob_size: 0,
            blob_file_size: 256 << 20,
            compression: CompressionType::None,
            compression_options: CompressionOptions::default(),
            statistics: None,
        }
    }
}

/// Writes blob files one after another.
pub(crate) struct BlobFileBuilder<'a> {
    files: &'a CreatedFiles<'a>,
    column_family_id: u32,
    options: BlobFileOptions,
    /// The file being written, with its number.
    writer: Option<(u64, BlobLogWriter)>,
    /// Makes the checksums of whole files, if they have some.
    checksums: Option<Arc<dyn FileChecksumGenFactory>>,
    /// The checksum of that file, as far as it is written.
    checksum: RunningChecksum,
    additions: Vec<BlobFileAddition>,
}

impl<'a> BlobFileBuilder<'a> {
    /// Creates no file yet.
    pub(crate) fn new(
        files: &'a CreatedFiles<'a>,
        column_family_id: u32,
        options: BlobFileOptions,
        checksums: Option<Arc<dyn FileChecksumGenFactory>>,
    ) -> Self {
        Self {
            files,
            column_family_id,
            options,
            writer: None,
            checksums,
            checksum: RunningChecksum::default(),
            additions: Vec::new(),
        }
    }

    /// Writes a value to a blob file and says where it is; none if it is to stay in the table.
    ///
    /// # Errors
    /// `IoError` that names the file.
    pub(crate) fn add(&mut self, user_key: &[u8], value: &[u8]) -> Result<Option<BlobReference>> {
        if (value.len() as u64) < self.options.min_blob_size {
            return Ok(None);
        }
        if self.writer.is_none() {
            self.writer = Some(self.open()?);
        }
        let Some((_, writer)) = &mut self.writer else { return Ok(None) };
        let reference = writer.add_record(user_key, value)?;
        if writer.file_size() >= self.options.blob_file_size {
            self.close()?;
        }
        Ok(Some(reference))
    }

    fn open(&mut self) -> Result<(u64, BlobLogWriter)> {
        let output = self.files.new_blob_file()?;
        let mut file = output.file;
        if let Some(factory) = &self.checksums {
            let path = file.path().to_string_lossy().into_owned();
            let context = FileChecksumGenContext { file_name: &path, requested_function_name: "" };
            if let Some(generator) = factory.create(&context) {
                (file, self.checksum) = checksummed(file, generator);
            }
        }
        let writer = BlobLogWriter::new(
            file,
            output.number,
            self.column_family_id,
            self.options.compression,
            self.options.compression_options.clone(),
        )?
        .with_statistics(self.options.statistics.clone());
        Ok((output.number, writer))
    }

    fn close(&mut self) -> Result<()> {
        let Some((number, writer)) = self.writer.take() else { return Ok(()) };
        let mut addition = BlobFileAddition {
            number,
            total_blob_count: writer.blob_count(),
            total_blob_bytes: writer.blob_bytes(),
            ..BlobFileAddition::default()
        };
        writer.finish()?;
        if let Some((name, value)) = std::mem::take(&mut self.checksum).take() {
            addition.checksum_method = name.into_bytes();
            addition.checksum_value = value;
        }
        self.files.environment().blob_file_finished(&addition);
        self.additions.push(addition);
        Ok(())
    }

    /// Finishes the last file, synced. Returns what was written.
    ///
    /// # Errors
    /// `IoError` that names the file.
    pub(crate) fn finish(mut self) -> Result<Vec<BlobFileAddition>> {
        self.close()?;
        Ok(self.additions)
    }
}
