//! What it costs to append a record to a log, beside its checksum and a copy of its bytes: `cargo bench -p
//! touchstone-wal`, with parts of names to measure those alone, and with `--short`. Files go to the directory of
//! temporary ones.

use base::{Result, crc32c};
use env::{FileOptions, FileSystem, PosixFileSystem, WritableFile};
use microbench::{Benches, Timed, prepared};
use std::hint::black_box;
use std::path::Path;
use tempfile::TempDir;
use wal::LogWriter;

/// Of one round, which begins a new file: a mapped one prepares three windows meanwhile.
const RECORDS: u64 = 3_000;
/// A key of 16 bytes and a value of 100.
const RECORD: [u8; 116] = [b'r'; 116];
/// What a recyclable record has before its payload.
const HEADER_SIZE: usize = 11;

/// A file in memory that is in the cache.
#[derive(Debug)]
struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    fn new() -> Self {
        // Touched once, so that no page is missing later.
        let mut bytes = vec![1; RECORDS as usize * 2 * RECORD.len()];
        bytes.clear();
        Self { bytes }
    }
}

impl WritableFile for Memory {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn fsync(&mut self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("000004.log")
    }
}

/// The checksum and a copy of each record.
fn floor() -> Timed<'static> {
    prepared(
        RECORDS,
        || Memory::new().bytes,
        |bytes| {
            for number in 0..RECORDS {
                let sum = crc32c::value(black_box(&RECORD));
                bytes.extend_from_slice(&[number as u8; HEADER_SIZE - 4]);
                bytes.extend_from_slice(&sum.to_le_bytes());
                bytes.extend_from_slice(black_box(&RECORD));
            }
        },
    )
}

/// Appends each record, and hands it to the operating system where `flushes`.
fn appends<'a>(mut open: impl FnMut() -> Box<dyn WritableFile> + 'a, flushes: bool) -> Timed<'a> {
    prepared(
        RECORDS,
        move || LogWriter::new_recyclable(open(), 4),
        move |log| {
            for _ in 0..RECORDS {
                log.add_record(black_box(&RECORD)).expect("room");
                if flushes {
                    log.file_mut().flush().expect("room");
                }
            }
        },
    )
}

fn open(directory: &TempDir, use_mapped_writes: bool) -> Box<dyn WritableFile> {
    let options = FileOptions { use_mapped_writes, ..FileOptions::default() };
    let path = directory.path().join("000004.log");
    PosixFileSystem.new_writable_file(&path, &options).expect("a file")
}

fn main() {
    let benches = Benches::from_arguments();
    let directory = TempDir::new().expect("a directory");
    let floor_name = "its checksum and a copy";
    let in_memory = || Box::new(Memory::new()) as Box<dyn WritableFile>;
    benches.compare("log: append in memory", appends(in_memory, false), floor_name, floor());
    if open(&directory, true).mapped_size().is_some() {
        let mapped = || open(&directory, true);
        benches.compare("log: append by a mapping", appends(mapped, false), floor_name, floor());
    } else {
        println!("log: append by a mapping: left out, {} has none", directory.path().display());
    }
    let written = || open(&directory, false);
    benches.compare("log: append and write", appends(written, true), floor_name, floor());
}
