//! What is in a blob file, for `dump --path` and `dump_live_files`.

use super::failure::Outcome;
use super::print::plain_or_hex;
use super::session::Session;
use crate::print::until_zero;
use base::{Result, Status};
use blob::blob_log_format::{BlobLogFooter, BlobLogHeader, BlobLogRecordHeader};
use blob::blob_log_reader::{BlobLogReader, BlobLogRecord};
use compression::CompressionType;
use env::{FileOptions, RandomAccessFile};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Version of the layout of blob values, see [`compression::decompress`].
const COMPRESSION_FORMAT_VERSION: u32 = 2;

/// What of a blob file is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlobFormat {
    /// Keys as hexadecimal.
    pub(crate) is_key_hex: bool,
    /// Values as hexadecimal.
    pub(crate) is_value_hex: bool,
    /// Values uncompressed instead of as stored.
    pub(crate) uncompressed: bool,
}

/// Sums for the end.
#[derive(Default)]
struct Totals {
    record_count: u64,
    key_bytes: u64,
    stored_bytes: u64,
    uncompressed_bytes: u64,
}

/// Prints a blob file. A bad one is no failure of the command.
pub(crate) fn dump_blob_file(session: &mut Session<'_>, path: &str, format: BlobFormat) -> Outcome {
    let file = session.fs.new_random_access_file(Path::new(path), &FileOptions::default());
    let result = match file.and_then(check_not_empty) {
        Ok(file) => write_file(file, format, session.out)?,
        Err(status) => Err(status),
    };
    if let Err(status) = result {
        writeln!(session.err, "Failed: {status}")?;
    }
    Ok(())
}

fn check_not_empty(file: Arc<dyn RandomAccessFile>) -> Result<Arc<dyn RandomAccessFile>> {
    match file.size()? {
        0 => Err(Status::corruption_at(file.path(), 0, "expected a blob file, found no bytes")),
        _ => Ok(file),
    }
}

fn write_file(
    file: Arc<dyn RandomAccessFile>,
    format: BlobFormat,
    out: &mut dyn Write,
) -> io::Result<Result<()>> {
    let mut reader = match BlobLogReader::open(file) {
        Ok(reader) => reader,
        Err(status) => return Ok(Err(status)),
    };
    write_header(reader.header(), out)?;
    write_footer(reader.footer(), out)?;
    let compression = reader.header().compression;
    let mut totals = Totals::default();
    let mut result = Ok(());
    while reader.offset() < reader.end_offset() {
        let offset = reader.offset();
        writeln!(out, "Read record with offset {offset:#x} ({offset}):")?;
        result = match reader.read_record(false) {
            Ok(None) => break,
            Ok(Some(record)) => write_record(&record, compression, format, &mut totals, out)?,
            Err(status) => Err(status),
        };
        if result.is_err() {
            break;
        }
    }
    writeln!(out, "Summary:")?;
    writeln!(out, "  total records: {}", totals.record_count)?;
    writeln!(out, "  total key size: {}", totals.key_bytes)?;
    writeln!(out, "  total blob size: {}", totals.stored_bytes)?;
    if compression != CompressionType::None {
        writeln!(out, "  total raw blob size: {}", totals.uncompressed_bytes)?;
    }
    Ok(result)
}

fn write_header(header: &BlobLogHeader, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Blob log header:")?;
    writeln!(out, "  Version          : {}", BlobLogHeader::VERSION)?;
    writeln!(out, "  Column Family ID : {}", header.column_family_id)?;
    writeln!(out, "  Compression      : {}", header.compression.option_name())?;
    writeln!(out, "  Expiration range : {}", range(header.expiration_range))
}

fn write_footer(footer: Option<&BlobLogFooter>, out: &mut dyn Write) -> io::Result<()> {
    let Some(footer) = footer else {
        return writeln!(out, "No blob log footer.");
    };
    writeln!(out, "Blob log footer:")?;
    writeln!(out, "  Blob count       : {}", footer.blob_count)?;
    writeln!(out, "  Expiration Range : {}", range(footer.expiration_range))
}

fn range((earliest, latest): (u64, u64)) -> String {
    match (earliest, latest) {
        (0, 0) => "nil".to_owned(),
        _ => format!("({earliest}, {latest})"),
    }
}

fn write_record(
    record: &BlobLogRecord,
    compression: CompressionType,
    format: BlobFormat,
    totals: &mut Totals,
    out: &mut dyn Write,
) -> io::Result<Result<()>> {
    let BlobLogRecordHeader { key_size, value_size, expiration, .. } = record.header;
    writeln!(out, "  key size   : {key_size}")?;
    writeln!(out, "  value size : {value_size}")?;
    writeln!(out, "  expiration : {expiration}")?;
    let stored = record.stored_value();
    let uncompressed = match compression {
        // RocksDB takes a value that is not compressed for one that cannot be uncompressed.
        CompressionType::None => Ok(Vec::new()),
        _ => compression::decompress(compression, stored, COMPRESSION_FORMAT_VERSION, None),
    };
    let uncompressed = match uncompressed {
        Ok(uncompressed) => uncompressed,
        Err(status) => return Ok(Err(status)),
    };
    write_bytes("  key        : ", record.key(), format.is_key_hex, out)?;
    match format.uncompressed {
        false => write_bytes("  blob       : ", stored, format.is_value_hex, out)?,
        true => write_bytes("  raw blob   : ", &uncompressed, format.is_value_hex, out)?,
    }
    totals.record_count += 1;
    totals.key_bytes += key_size;
    totals.stored_bytes += value_size;
    totals.uncompressed_bytes += uncompressed.len() as u64;
    Ok(Ok(()))
}

fn write_bytes(label: &str, bytes: &[u8], is_hex: bool, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(label.as_bytes())?;
    out.write_all(until_zero(&plain_or_hex(bytes, is_hex)))?;
    out.write_all(b"\n")
}
