//! One table file, open for a look inside.

use super::comparator;
use super::internal_key::is_of_table;
use crate::print::{push_bytes, push_internal_key, until_zero};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalIterator, InternalKey, ParsedInternalKey, Result, Status, ValueType};
use blob::BlobIndex;
use env::{FileOptions, FileSystem, RandomAccessFile, read_exact_at};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use table::format::{FOOTER_SIZE, LEGACY_PLAIN_MAGIC, PLAIN_MAGIC};
use table::{BlockBasedTable, Footer, ReadOptions, TableProperties, TableTail};

/// How a table is dumped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DumpOptions {
    /// Whether checksums of data blocks are compared while entries are read. Those of all other
    /// blocks always are.
    pub verify_checksums: bool,
    /// Whether keys and values are printed in hexadecimal.
    pub output_hex: bool,
    /// Whether references to blob files are printed in words.
    pub decode_blob_index: bool,
    /// How far entries are read ahead, in bytes; 0 lets the table find out by itself.
    pub readahead_size_bytes: u64,
}

/// Which entries are read. User keys are as stored, timestamps included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// The first user key. Not together with a prefix.
    pub from: Option<Vec<u8>>,
    /// The reading stops at the first user key that is not before this one bytewise, whatever the
    /// comparator.
    pub to: Option<Vec<u8>>,
    /// The reading starts at this user key and stops at the first that does not begin with it.
    pub prefix: Option<Vec<u8>>,
}

impl KeyRange {
    /// Where the reading starts; none for the table's first entry.
    pub fn start(&self) -> Option<&[u8]> {
        self.from.as_deref().or(self.prefix.as_deref())
    }

    fn contains(&self, user_key: &[u8]) -> bool {
        self.prefix.as_ref().is_none_or(|prefix| user_key.starts_with(prefix))
            && self.to.as_deref().is_none_or(|to| user_key < to)
    }
}

/// A table file.
#[derive(Debug)]
pub struct SstFileDumper {
    table: Arc<BlockBasedTable>,
    has_properties: bool,
    options: DumpOptions,
}

impl SstFileDumper {
    /// Opens the table at `path`, and prints path and format. The outer error is that of the output.
    ///
    /// # Errors
    /// What opening the table gives; `InvalidArgument` if its comparator is not built in.
    pub fn open(
        file_system: &dyn FileSystem,
        path: &str,
        options: DumpOptions,
        out: &mut dyn Write,
    ) -> io::Result<Result<Self>> {
        writeln!(out, "Process {path}")?;
        let (file, file_size) = match open_file(file_system, Path::new(path)) {
            Ok(opened) => opened,
            Err(status) => return Ok(Err(status)),
        };
        let tail = match TableTail::read(&*file, file_size) {
            Ok(tail) => tail,
            Err(status) => {
                out.write_all(format_without_tail(&*file, file_size).as_bytes())?;
                return Ok(Err(status));
            }
        };
        let has_properties = tail.properties.is_some();
        out.write_all(if has_properties { BLOCK_BASED } else { WITHOUT_PROPERTIES }.as_bytes())?;
        let table = comparator::open_table(&file, file_size, tail);
        Ok(table.map(|table| Self { table, has_properties, options }))
    }

    /// The table.
    pub fn table(&self) -> &Arc<BlockBasedTable> {
        &self.table
    }

    /// The properties, if the table has any.
    pub fn properties(&self) -> Option<&TableProperties> {
        self.has_properties.then(|| &**self.table.properties())
    }

    /// Compares the checksum of every block.
    ///
    /// # Errors
    /// `Corruption` naming the first block that is damaged.
    pub fn verify_checksum(&self) -> Result<()> {
        self.table.verify_checksum(&self.read_options())
    }

    /// Reads the entries of a range, at most `limit` of them unless that is 0, and prints them if
    /// `prints`. Returns how many were read, the one at which the reading stopped included, and what
    /// came of it. The outer error is that of the output. An entry that is malformed is named on
    /// `err` and left out.
    pub fn read_sequential(
        &self,
        prints: bool,
        limit: u64,
        range: &KeyRange,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> io::Result<(u64, Result<()>)> {
        let mut entries = self.table.new_raw_iterator(&self.read_options());
        let mut line = Vec::new();
        let mut count = 0;
        let mut moved = self.seek(&mut entries, range);
        while moved.is_ok() && entries.valid() {
            count += 1;
            if limit > 0 && count > limit {
                break;
            }
            match ParsedInternalKey::parse(entries.key()) {
                Ok(key) if is_of_table(key.value_type) => {
                    if !range.contains(key.user_key) {
                        break;
                    }
                    if prints {
                        self.print_entry(&key, entries.value(), &mut line, out, err)?;
                    }
                }
                Ok(key) => writeln!(err, "Corrupted Key: {key:?} is of no type that tables hold")?,
                Err(status) => writeln!(err, "{status}")?,
            }
            moved = entries.next();
        }
        Ok((count, moved))
    }

    fn seek(&self, entries: &mut impl InternalIterator, range: &KeyRange) -> Result<()> {
        let Some(start) = range.start() else {
            return entries.seek_to_first();
        };
        let timestamp_size = self.table.comparator().timestamp_size();
        if start.len() < timestamp_size {
            return Err(Status::invalid_argument(format!(
                "keys of this table end in a timestamp of {timestamp_size} bytes, and the key to \
                 start from has {} bytes",
                start.len()
            )));
        }
        entries.seek(InternalKey::for_seek(start, MAX_SEQUENCE_NUMBER).as_bytes())
    }

    /// Prints one entry. `line` is memory to use again.
    fn print_entry(
        &self,
        key: &ParsedInternalKey<'_>,
        value: &[u8],
        line: &mut Vec<u8>,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> io::Result<()> {
        let in_hex = self.options.output_hex;
        line.clear();
        push_internal_key(line, key, in_hex);
        line.truncate(until_zero(line).len());
        if !self.options.decode_blob_index || key.value_type != ValueType::BlobIndex {
            line.extend_from_slice(b" => ");
            push_bytes(line, if in_hex { value } else { until_zero(value) }, in_hex);
            line.push(b'\n');
            return out.write_all(line);
        }
        match BlobIndex::decode(value) {
            Ok(index) => {
                line.extend_from_slice(b" => ");
                push_blob_index(line, &index, in_hex);
                line.push(b'\n');
                out.write_all(line)
            }
            Err(status) => {
                err.write_all(line)?;
                writeln!(err, " => error decoding blob index: {status}")
            }
        }
    }

    fn read_options(&self) -> ReadOptions {
        ReadOptions {
            verify_checksums: self.options.verify_checksums,
            fill_cache: false,
            total_order_seek: true,
            readahead_size: self.options.readahead_size_bytes,
            ..ReadOptions::default()
        }
    }
}

/// Appends a blob index in words, a value in it as C prints it.
fn push_blob_index(line: &mut Vec<u8>, index: &BlobIndex<'_>, in_hex: bool) {
    match index {
        BlobIndex::InlinedTtl { expiration, value } if !in_hex => {
            let start = line.len();
            line.extend_from_slice(b"[inlined blob] value:");
            line.extend_from_slice(value);
            line.extend_from_slice(format!(" exp:{expiration}").as_bytes());
            line.truncate(start + until_zero(&line[start..]).len());
        }
        index => line.extend_from_slice(index.to_string().as_bytes()),
    }
}

/// What is printed of the format of a table.
const BLOCK_BASED: &str = "Sst file format: block-based\n";
const PLAIN: &str = "Sst file format: plain table\n";
const WITHOUT_PROPERTIES: &str =
    "Not able to read table properties\nSst file format: block-based(old version)\n";
const NOT_SAID: &str = "";

fn open_file(
    file_system: &dyn FileSystem,
    path: &Path,
) -> Result<(Arc<dyn RandomAccessFile>, u64)> {
    let file = file_system.new_random_access_file(path, &FileOptions::default())?;
    let size = file.size()?;
    if size == 0 {
        return Err(Status::aborted(format!("{}: Empty file", path.display())));
    }
    Ok((file, size))
}

/// What is printed of the format of a table whose tail cannot be read.
fn format_without_tail(file: &dyn RandomAccessFile, file_size: u64) -> &'static str {
    let length = file_size.min(FOOTER_SIZE as u64);
    let Ok(bytes) = read_exact_at(file, file_size - length, length as usize) else {
        return NOT_SAID;
    };
    let magic = bytes.last_chunk().map_or(0, |raw| u64::from_le_bytes(*raw));
    if [PLAIN_MAGIC, LEGACY_PLAIN_MAGIC].contains(&magic) {
        PLAIN
    } else if Footer::decode(&bytes, file_size).is_ok() {
        WITHOUT_PROPERTIES
    } else {
        NOT_SAID
    }
}

#[cfg(test)]
mod tests;
