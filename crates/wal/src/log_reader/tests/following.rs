//! Logs that grow while they are read.

use super::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A file that somebody is writing.
#[derive(Debug, Default)]
struct Growing(Mutex<Vec<u8>>);

impl RandomAccessFile for Growing {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let bytes = self.0.lock().unwrap();
        let rest = bytes.get(offset as usize..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }

    fn path(&self) -> &Path {
        Path::new("000004.log")
    }
}

/// The next records, up to where the log ends for now, each with its end.
fn news(reader: &mut LogReader) -> Vec<(Vec<u8>, u64)> {
    let mut records = Vec::new();
    while let Some(entry) = reader.read().unwrap() {
        match entry {
            LogEntry::Record(record) => records.push((record.payload.to_vec(), record.end_offset)),
            other => panic!("{other:?}"),
        }
    }
    records
}

/// Sizes around those of fragments and blocks.
const SIZES: [usize; 9] = [1, 0, 300, 32_740, 5, 70_000, 32_768 - 7, 40_000, 17];

#[test]
fn records_come_when_their_last_byte_is_there() {
    for form in FORMS {
        let written = records(&SIZES);
        let bytes = form.write(&written);
        let file = Arc::new(Growing::default());
        let mut reader = LogReader::follow(file.clone(), LOG_NUMBER);
        let mut seen = Vec::new();
        // Steps of all lengths, so that every place is cut in some log.
        let (mut end, mut step) = (0, 1);
        while end < bytes.len() {
            end = (end + step).min(bytes.len());
            step = step * 7 % 211 + 1;
            let mut grown = file.0.lock().unwrap();
            let from = grown.len();
            grown.extend_from_slice(&bytes[from..end]);
            drop(grown);
            for (payload, record_end) in news(&mut reader) {
                assert!(from < record_end as usize && record_end as usize <= end, "{form:?}");
                seen.push(Record(payload));
            }
        }
        assert_eq!(seen.len(), written.len(), "{form:?}");
        assert!(seen == written, "{form:?}");
        assert_eq!(reader.tail(), None);
    }
}

#[test]
fn a_recycled_file_is_overwritten_byte_by_byte() {
    let old = RECYCLABLE.write_numbered(&records(&[900; 80]), LOG_NUMBER - 1);
    let written = records(&[50, 1200, 3, 40_000]);
    let bytes = RECYCLABLE.write(&written);
    let file = Arc::new(Growing(Mutex::new(old)));
    let mut reader = LogReader::follow(file.clone(), LOG_NUMBER);
    assert_eq!(news(&mut reader), []);
    let mut seen = Vec::new();
    for (place, byte) in bytes.iter().enumerate() {
        file.0.lock().unwrap()[place] = *byte;
        // Inside a block copy a reader can meet any state; here the header is whole or not begun.
        if place % 97 == 0 || place + 1 == bytes.len() {
            seen.extend(news(&mut reader).into_iter().map(|(payload, _)| Record(payload)));
        }
    }
    assert!(seen == written, "{}", seen.len());
    assert!(matches!(reader.tail(), Some(tail) if tail.in_recycled_log));
}

#[test]
fn a_cut_record_is_damage_once_nothing_more_will_come() {
    for form in FORMS {
        let bytes = form.write(&records(&[10, 50_000]));
        let file = Arc::new(Growing(Mutex::new(bytes[..bytes.len() - 1].to_vec())));
        let mut reader = LogReader::follow(file, LOG_NUMBER);
        assert_eq!(news(&mut reader).len(), 1);
        assert_eq!(reader.tail().map(|tail| tail.kind), Some(TruncatedPayload));
        reader.stop_following().unwrap();
        match reader.read().unwrap() {
            Some(LogEntry::Damage(damage)) => assert_eq!(damage.kind, TruncatedPayload),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn damage_before_the_end_is_told_at_once() {
    let mut bytes = LEGACY.write(&records(&[10, 10, 10]));
    bytes[20] ^= 1;
    let mut reader = LogReader::follow(Arc::new(Growing(Mutex::new(bytes))), LOG_NUMBER);
    assert!(matches!(reader.read(), Ok(Some(LogEntry::Record(_)))));
    match reader.read().unwrap() {
        Some(LogEntry::Damage(damage)) => assert_eq!(damage.kind, ChecksumMismatch),
        other => panic!("{other:?}"),
    }
}

/// A log that is appended to through a mapping ends in zeros, into which records are stored.
#[test]
fn a_mapped_file_is_followed_through_all_states_of_a_record() {
    for form in FORMS {
        let written = records(&SIZES);
        let bytes = form.write(&written);
        let mapped_size = bytes.len().next_multiple_of(BLOCK_SIZE) + 3 * BLOCK_SIZE;
        let file = Arc::new(Growing(Mutex::new(vec![0; mapped_size])));
        let mut reader = LogReader::follow(file.clone(), LOG_NUMBER);
        assert_eq!(news(&mut reader), []);
        let mut seen = Vec::new();
        for range in fragments(&bytes) {
            // From behind: the payload, in two steps, then the header at once.
            let head = (range.start + 8).min(range.end);
            let middle = (head + range.end) / 2;
            for part in [head..middle, middle..range.end, range.start..head] {
                file.0.lock().unwrap()[part.clone()].copy_from_slice(&bytes[part]);
                seen.extend(news(&mut reader).into_iter().map(|(payload, _)| Record(payload)));
            }
        }
        assert!(seen == written, "{form:?}: {} of {}", seen.len(), written.len());
    }
}

/// A file that its writer has finished after it was read once.
#[derive(Debug)]
struct Overtaken {
    first: Mutex<Option<Vec<u8>>>,
    then: Growing,
}

impl RandomAccessFile for Overtaken {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        match self.first.lock().unwrap().take() {
            Some(bytes) => Growing(Mutex::new(bytes)).read_at(offset, buffer),
            None => self.then.read_at(offset, buffer),
        }
    }

    fn size(&self) -> Result<u64> {
        self.then.size()
    }

    fn path(&self) -> &Path {
        self.then.path()
    }
}

/// The reader has a header of zeros with bytes behind it, and the next block has begun by the time it
/// looks there: what it has is old, not damaged.
#[test]
fn a_block_that_was_read_while_it_was_stored_is_read_again() {
    for form in FORMS {
        let written = records(&[100, 20_000, 30_000, 5]);
        let bytes = form.write(&written);
        let mut whole = bytes.clone();
        whole.resize(3 * BLOCK_SIZE, 0);
        for torn in fragments(&bytes).into_iter().take_while(|range| range.end < BLOCK_SIZE) {
            let mut first = whole.clone();
            first[torn.start..torn.start + 8].fill(0);
            first[BLOCK_SIZE..].fill(0);
            let first = Mutex::new(Some(first));
            let file = Overtaken { first, then: Growing(Mutex::new(whole.clone())) };
            let mut reader = LogReader::follow(Arc::new(file), LOG_NUMBER);
            let seen: Vec<_> = news(&mut reader).into_iter().map(|(it, _)| Record(it)).collect();
            assert!(seen == written, "{form:?} {torn:?}: {} records", seen.len());
        }
    }
}

/// Where the physical records of a log are.
fn fragments(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut fragments, mut at) = (Vec::new(), 0);
    while at + HEADER_SIZE <= bytes.len() {
        let is_recyclable = (5..=8).contains(&bytes[at + 6]);
        let header = if is_recyclable { RECYCLABLE_HEADER_SIZE } else { HEADER_SIZE };
        let end = at + header + usize::from(decode_fixed16(bytes, at + 4));
        if bytes[at + 6] != 0 {
            fragments.push(at..end);
            at = end;
        }
        let left = BLOCK_SIZE - at % BLOCK_SIZE;
        let next = &bytes[at..(at + left).min(bytes.len())];
        if next.iter().all(|byte| *byte == 0) {
            at += left;
        }
    }
    fragments
}
