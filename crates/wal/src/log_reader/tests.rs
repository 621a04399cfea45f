use super::*;
use crate::log_writer::LogWriter;
use crate::recovery_mode::{Verdict, WalRecoveryMode};
use crate::test_files::{Sink, Source};
use crate::write_batch_reader::WriteBatchReader;
use DamageKind::*;
use testing::hexes::{hex, unhex};

mod damage;
mod following;
mod golden;

const LOG_NUMBER: u64 = 4;

/// A [`LogEntry`] that owns its bytes.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Record(Vec<u8>),
    TimestampSizes(Vec<TimestampSize>),
    PredecessorWalInfo(PredecessorWalInfo),
    Damage(LogDamage),
}

use Seen::Record;

fn read_all(bytes: &[u8]) -> Vec<Seen> {
    read_numbered(bytes, LOG_NUMBER)
}

fn read_numbered(bytes: &[u8], log_number: u64) -> Vec<Seen> {
    let mut reader = LogReader::new(Source::new(bytes), log_number);
    let mut seen = Vec::new();
    let mut end = 0;
    while let Some(entry) = reader.read().unwrap() {
        seen.push(match entry {
            LogEntry::Record(LogicalRecord { payload, offset, end_offset }) => {
                assert!(end <= offset && offset < end_offset, "{end} {offset} {end_offset}");
                end = end_offset;
                Record(payload.to_vec())
            }
            LogEntry::TimestampSizes(sizes) => Seen::TimestampSizes(sizes),
            LogEntry::PredecessorWalInfo(info) => Seen::PredecessorWalInfo(info),
            LogEntry::Damage(damage) => Seen::Damage(damage),
        });
        assert!(seen.len() <= bytes.len(), "endless");
    }
    assert_eq!(reader.read(), Ok(None), "the end is the end");
    seen
}

/// The kinds of damage only.
fn damage_kinds(seen: &[Seen]) -> Vec<DamageKind> {
    seen.iter()
        .filter_map(|entry| match entry {
            Seen::Damage(damage) => Some(damage.kind),
            _ => None,
        })
        .collect()
}

/// What comes before the first damage, and the damage.
fn until_damage(seen: &[Seen]) -> (&[Seen], Option<LogDamage>) {
    for (index, entry) in seen.iter().enumerate() {
        if let Seen::Damage(damage) = entry {
            return (&seen[..index], Some(*damage));
        }
    }
    (seen, None)
}

/// The three kinds of log that RocksDB writes, and both together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Form {
    recyclable: bool,
    compression: LogCompression,
}

const FORMS: [Form; 4] = [
    Form { recyclable: false, compression: LogCompression::None },
    Form { recyclable: true, compression: LogCompression::None },
    Form { recyclable: false, compression: LogCompression::Zstd },
    Form { recyclable: true, compression: LogCompression::Zstd },
];

impl Form {
    fn writer(self, sink: &Sink, log_number: u64) -> LogWriter {
        let mut writer = match self.recyclable {
            true => LogWriter::new_recyclable(Box::new(sink.clone()), log_number),
            false => LogWriter::new(Box::new(sink.clone())),
        };
        writer.add_compression_record(self.compression).unwrap();
        writer
    }

    fn write(self, entries: &[Seen]) -> Vec<u8> {
        self.write_numbered(entries, LOG_NUMBER)
    }

    fn write_numbered(self, entries: &[Seen], log_number: u64) -> Vec<u8> {
        let sink = Sink::new();
        let mut writer = self.writer(&sink, log_number);
        for entry in entries {
            match entry {
                Record(payload) => writer.add_record(payload).unwrap(),
                Seen::TimestampSizes(sizes) => writer.add_timestamp_sizes(sizes).unwrap(),
                Seen::PredecessorWalInfo(info) => writer.add_predecessor_wal_info(info).unwrap(),
                Seen::Damage(_) => unreachable!(),
            }
        }
        sink.bytes()
    }
}

const LEGACY: Form = FORMS[0];
const RECYCLABLE: Form = FORMS[1];

/// Bytes that do not compress to nothing, other ones for each seed.
fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..size).map(|_| step()).collect()
}

fn records(sizes: &[usize]) -> Vec<Seen> {
    sizes.iter().enumerate().map(|(seed, &size)| Record(noise(seed as u64, size))).collect()
}

/// A physical record of any type, with a right checksum.
fn physical(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    crate::log_format::put_physical_record(&mut bytes, number, None, |output| {
        output.extend_from_slice(payload);
    });
    bytes
}

fn damage(kind: DamageKind, offset: u64, dropped_bytes: u64) -> Seen {
    Seen::Damage(LogDamage { kind, offset, dropped_bytes, in_recycled_log: false })
}

#[test]
fn records_of_rocksdb_are_read() {
    let batch = unhex("0100000000000000 01000000 01 0161 0131");
    for digits in ["e99f7819 1100 01", "3f516551 1100 05 04000000"] {
        let bytes = [unhex(digits), batch.clone()].concat();
        assert_eq!(read_all(&bytes), [Record(batch.clone())]);
    }
    let prepare = "4df411be 1d00 01 0100000000000000 02000000 09 01 0161 0131 01 0162 0132 0a
        0478696431";
    let commit = "ebcfe3b6 1200 01 0200000000000000 00000000 0b 0478696431";
    let seen = read_all(&[unhex(prepare), unhex(commit)].concat());
    let digits: Vec<String> = seen
        .iter()
        .map(|entry| match entry {
            Record(payload) => hex(payload),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        digits,
        [
            "0100000000000000020000000901016101310101620132 0a0478696431".replace(' ', ""),
            "0200000000000000000000000b0478696431".to_owned()
        ]
    );
}

#[test]
fn control_records_of_rocksdb_are_read() {
    assert_eq!(
        read_all(&unhex("da5ab0bc 0600 0a 00000000 0800")),
        [Seen::TimestampSizes(vec![(0, 8)])]
    );
    let info = PredecessorWalInfo { log_number: 4, size_bytes: 97, last_sequence: 3 };
    assert_eq!(
        read_all(&unhex("e031e850 1800 82 0400000000000000 6100000000000000 0300000000000000")),
        [Seen::PredecessorWalInfo(info)]
    );
    assert_eq!(read_all(&unhex("e12c08f8 0400 09 07000000")), []);
}

#[test]
fn an_empty_file_holds_nothing() {
    assert_eq!(read_all(b""), []);
}

#[test]
fn logs_round_trip_in_every_form() {
    // Around the places where a header just fits and just does not.
    for near in (BLOCK_SIZE - 40)..(BLOCK_SIZE + 3) {
        let entries = records(&[near, 0, 5, 3 * BLOCK_SIZE, 1]);
        for form in FORMS {
            assert_eq!(read_all(&form.write(&entries)), entries, "{form:?} {near}");
        }
    }
}

#[test]
fn control_records_keep_their_place() {
    let info = PredecessorWalInfo { log_number: 3, size_bytes: 5, last_sequence: 9 };
    for size in [5, BLOCK_SIZE - 60, BLOCK_SIZE - 30, BLOCK_SIZE - 20] {
        let entries = [
            Seen::PredecessorWalInfo(info),
            Record(noise(1, size)),
            Seen::TimestampSizes(vec![(0, 8), (5, 16)]),
            Record(b"with timestamps".to_vec()),
            Seen::TimestampSizes(vec![(7, 8)]),
            Record(noise(2, 2 * BLOCK_SIZE)),
        ];
        for form in FORMS {
            assert_eq!(read_all(&form.write(&entries)), entries, "{form:?} {size}");
        }
    }
}

#[test]
fn compressed_logs_are_smaller_and_large_records_survive() {
    let entries = [Record(b"abcdefgh".repeat(100_000)), Record(vec![0; 1 << 20])];
    let bytes = FORMS[2].write(&entries);
    assert!(bytes.len() < 10_000, "{}", bytes.len());
    assert_eq!(read_all(&bytes), entries);
}

#[test]
fn offsets_are_those_of_physical_records() {
    let bytes = LEGACY.write(&records(&[10, BLOCK_SIZE, 3]));
    let mut reader = LogReader::new(Source::new(bytes.clone()), 0);
    let mut offsets = Vec::new();
    while let Some(LogEntry::Record(record)) = reader.read().unwrap() {
        offsets.push((record.offset, record.end_offset));
    }
    let second_end = 17 + BLOCK_SIZE as u64 + 2 * 7;
    assert_eq!(offsets, [(0, 17), (17, second_end), (second_end, second_end + 10)]);
    assert_eq!(reader.offset(), bytes.len() as u64);
    assert_eq!(reader.path(), Path::new("000004.log"));
}

#[test]
fn zeros_at_the_end_are_a_clean_end() {
    for form in FORMS {
        let entries = records(&[100, 40_000]);
        let bytes = form.write(&entries);
        for zeros in [1, 3, 6, 7, 10, 11, 4000, BLOCK_SIZE, 3 * BLOCK_SIZE + 5] {
            let bytes = [bytes.as_slice(), &vec![0; zeros]].concat();
            assert_eq!(read_all(&bytes), entries, "{form:?} {zeros}");
        }
    }
}

#[test]
fn an_empty_first_fragment_may_be_abandoned() {
    let bytes = [physical(2, b""), physical(1, b"one"), physical(2, b""), physical(2, b"t")];
    let bytes = [bytes.concat(), physical(4, b"wo")].concat();
    assert_eq!(read_all(&bytes), [Record(b"one".to_vec()), Record(b"two".to_vec())]);
}

#[test]
fn fragments_out_of_order_are_reported_and_the_rest_is_read() {
    let bytes = [physical(3, b"middle"), physical(4, b"last"), physical(1, b"one")].concat();
    assert_eq!(
        read_all(&bytes),
        [damage(MissingStart, 0, 13), damage(MissingStart, 13, 11), Record(b"one".to_vec())]
    );
    let bytes = [physical(2, b"first"), physical(1, b"one")].concat();
    assert_eq!(read_all(&bytes), [damage(MissingEnd, 0, 5), Record(b"one".to_vec())]);
    let bytes =
        [physical(2, b"first"), physical(3, b"middle"), physical(2, b"o"), physical(4, b"ne")];
    assert_eq!(read_all(&bytes.concat()), [damage(MissingEnd, 0, 11), Record(b"one".to_vec())]);
    let bytes = [physical(2, b"first"), physical(10, &unhex("000000000800"))].concat();
    assert_eq!(read_all(&bytes), [damage(MissingEnd, 0, 5), Seen::TimestampSizes(vec![(0, 8)])]);
}

#[test]
fn a_bad_checksum_drops_the_rest_of_the_block() {
    let entries = records(&[100, 100, BLOCK_SIZE, 50]);
    let mut bytes = LEGACY.write(&entries);
    bytes[107 + 50] ^= 1;
    let dropped = (BLOCK_SIZE - 107) as u64;
    assert_eq!(
        read_all(&bytes),
        [
            entries[0].clone(),
            damage(ChecksumMismatch, 107, dropped),
            damage(MissingStart, BLOCK_SIZE as u64, 7 + 214 + 7),
            entries[3].clone(),
        ]
    );
}

#[test]
fn a_bad_length_is_a_torn_tail_only_at_the_end_of_the_file() {
    let mut bytes = LEGACY.write(&records(&[100, BLOCK_SIZE]));
    bytes[5] = 0xff;
    let seen = read_all(&bytes);
    assert_eq!(seen[0], damage(BadLength, 0, BLOCK_SIZE as u64));
    bytes.truncate(5000);
    assert_eq!(read_all(&bytes), [damage(TruncatedPayload, 0, 5000)]);
}

#[test]
fn unknown_types_are_skipped_only_if_they_may_be() {
    let one = Record(b"one".to_vec());
    let bytes = [physical(200, b"from the future"), physical(1, b"one")].concat();
    assert_eq!(read_all(&bytes), std::slice::from_ref(&one));
    let bytes = [physical(12, b"from the future"), physical(1, b"one")].concat();
    assert_eq!(read_all(&bytes), [damage(UnknownType(12), 0, 22), one]);
    let (_, found) = until_damage(&read_all(&bytes));
    assert_eq!(
        found.unwrap().to_status(Path::new("000004.log")).to_string(),
        "Not implemented: 000004.log at offset 0: unknown record type 12, 22 bytes dropped"
    );
}

#[test]
fn zeros_between_records_are_a_hole() {
    let entries = records(&[100, BLOCK_SIZE]);
    let one = Record(b"one".to_vec());
    let mut bytes = LEGACY.write(&entries[..1]);
    // In the same block.
    bytes.resize(1000, 0);
    let same_block = [bytes.as_slice(), &physical(1, b"one")].concat();
    assert_eq!(read_all(&same_block), [entries[0].clone(), damage(Hole, 107, 903)]);
    // Up to the end of the block.
    bytes.resize(BLOCK_SIZE, 0);
    let next_block = [bytes.as_slice(), &physical(1, b"one")].concat();
    assert_eq!(read_all(&next_block), [entries[0].clone(), damage(Hole, 107, 0), one.clone()]);
    // Control records may leave room before them, but not a block.
    let control = physical(10, &unhex("000000000800"));
    let sizes = Seen::TimestampSizes(vec![(0, 8)]);
    let next_block = [bytes.as_slice(), &control].concat();
    assert_eq!(read_all(&next_block), [entries[0].clone(), sizes.clone()]);
    bytes.resize(2 * BLOCK_SIZE, 0);
    let later_block = [bytes.as_slice(), &control].concat();
    assert_eq!(read_all(&later_block), [entries[0].clone(), damage(Hole, 107, 0), sizes]);
}

#[test]
fn zeros_inside_a_record_end_it() {
    let mut bytes = [physical(2, b"first"), physical(3, b"middle")].concat();
    bytes.resize(BLOCK_SIZE, 0);
    let bytes = [bytes, physical(4, b"last"), physical(1, b"one")].concat();
    assert_eq!(
        read_all(&bytes),
        [
            damage(MissingEnd, 0, 11),
            damage(MissingStart, BLOCK_SIZE as u64, 11),
            Record(b"one".to_vec())
        ]
    );
}

#[test]
fn bad_control_records_are_reported() {
    for (number, digits) in [(9, "0700"), (10, "0000000008"), (10, "000000000000"), (130, "00")] {
        let bytes = physical(number, &unhex(digits));
        assert_eq!(read_all(&bytes), [damage(BadControlRecord(number), 0, bytes.len() as u64)]);
    }
    // A column family's size is recorded once.
    let sizes = physical(10, &unhex("000000000800"));
    assert_eq!(
        read_all(&[sizes.clone(), sizes].concat()),
        [Seen::TimestampSizes(vec![(0, 8)]), damage(BadControlRecord(10), 13, 13)]
    );
    let bytes = [physical(1, b"one"), physical(9, &unhex("07000000"))].concat();
    assert_eq!(
        read_all(&bytes),
        [Record(b"one".to_vec()), damage(MisplacedCompressionRecord, 10, 11)]
    );
}

#[test]
fn unknown_compression_fails_for_good() {
    let bytes = [physical(9, &unhex("04000000")), physical(1, b"one")].concat();
    let mut reader = LogReader::new(Source::new(bytes), 4);
    for _ in 0..2 {
        assert_eq!(
            reader.read().unwrap_err().to_string(),
            "Not implemented: 000004.log: log compressed with compression type 4"
        );
    }
}

#[test]
fn bad_frames_are_reported() {
    let header = physical(9, &unhex("07000000"));
    let sink = Sink::new();
    FORMS[2].writer(&sink, 0).add_record(&noise(1, 200)).unwrap();
    let frame = sink.bytes().split_off(header.len() + HEADER_SIZE);
    let whole = Record(noise(1, 200));
    let read = |records: &[Vec<u8>]| {
        let seen = read_all(&[header.clone(), records.concat()].concat());
        (seen.first().cloned(), damage_kinds(&seen))
    };
    let (first, kinds) = read(&[physical(1, &frame)]);
    assert_eq!((first, kinds), (Some(whole.clone()), vec![]));
    let halves = [physical(2, &frame[..50]), physical(3, b""), physical(4, &frame[50..])];
    assert_eq!(read(&halves), (Some(whole), vec![]));
    // Cut short, with bytes behind it, and no frame at all.
    let (_, kinds) = read(&[physical(1, &frame[..frame.len() - 1])]);
    assert_eq!(kinds, [BadCompression("frame without an end")]);
    let (_, kinds) = read(&[physical(1, &[frame.as_slice(), b"x"].concat())]);
    assert_eq!(kinds, [BadCompression("bytes after the end of a frame")]);
    let (_, kinds) = read(&[physical(1, b"no frame"), physical(1, &frame)]);
    assert!(matches!(kinds[..], [BadCompression(_)]), "{kinds:?}");
}

#[test]
fn a_frame_with_a_huge_window_is_refused() {
    // Frame header: no content size, window descriptor of 2^(10 + 20) bytes.
    let bytes =
        [physical(9, &unhex("07000000")), physical(1, &unhex("28b52ffd 00 a0 010000"))].concat();
    let kinds = damage_kinds(&read_all(&bytes));
    assert!(matches!(kinds[..], [BadCompression(_)]), "{kinds:?}");
}

#[test]
fn frames_are_not_taken_for_records_when_the_compression_record_is_lost() {
    let entries = records(&[BLOCK_SIZE, 40_000, 10, BLOCK_SIZE, 10]);
    for form in &FORMS[2..] {
        let mut bytes = form.write(&entries);
        bytes[0] ^= 1;
        for entry in read_all(&bytes) {
            assert!(matches!(entry, Seen::Damage(_)), "{form:?} {entry:?}");
        }
    }
}

#[test]
fn old_records_of_a_recycled_file_end_it() {
    // Records of equal size, so that old ones follow the new at a record's border.
    let new = RECYCLABLE.write_numbered(&records(&[100, 100]), 9);
    let old = RECYCLABLE.write_numbered(&records(&[100; 5]), 4);
    let bytes = [new.as_slice(), &old[new.len()..]].concat();
    let seen = read_numbered(&bytes, 9);
    assert_eq!(seen[..2], records(&[100, 100]));
    let (_, first) = until_damage(&seen);
    let first = first.unwrap();
    assert_eq!((first.kind, first.offset), (OldRecord, new.len() as u64));
    assert!(first.in_recycled_log);
    assert_eq!(damage_kinds(&seen), [OldRecord; 3]);
    // A file not written since it was renamed.
    assert_eq!(damage_kinds(&read_numbered(&old, 9)), [OldRecord; 5]);
}

#[test]
fn old_bytes_at_any_alignment_end_a_recycled_file() {
    let old = RECYCLABLE.write_numbered(&records(&[700, 40_000, 300, 80, 9000]), 4);
    let entries = records(&[333, 5]);
    let new = RECYCLABLE.write_numbered(&entries, 9);
    for size in 0..2000 {
        let bytes = [new.as_slice(), &old[size..]].concat();
        let seen = read_numbered(&bytes, 9);
        let (before, first) = until_damage(&seen);
        assert_eq!(before, entries, "{size}");
        let first = first.unwrap();
        assert!(first.in_recycled_log);
        let verdict = WalRecoveryMode::TolerateCorruptedTailRecords.verdict(&first);
        assert_eq!(verdict, Verdict::EndOfLog, "{size} {first:?}");
    }
}

#[test]
fn legacy_and_recyclable_records_do_not_mix() {
    let legacy = LEGACY.write(&records(&[10]));
    let recyclable = RECYCLABLE.write(&records(&[10]));
    for pair in [[&legacy, &recyclable], [&recyclable, &legacy]] {
        let bytes = pair.map(Vec::as_slice).concat();
        let kinds = damage_kinds(&read_all(&bytes));
        assert_eq!(kinds, [MixedHeaders]);
    }
}

#[test]
fn short_reads_are_not_the_end() {
    let entries = records(&[100, 3 * BLOCK_SIZE, 7]);
    let bytes = LEGACY.write(&entries);
    let mut reader = LogReader::new(Source::with_read_max(bytes, 1000), 0);
    for entry in &entries {
        let Some(LogEntry::Record(record)) = reader.read().unwrap() else { panic!() };
        assert_eq!(Record(record.payload.to_vec()), *entry);
    }
    assert_eq!(reader.read(), Ok(None));
}

#[test]
fn errors_of_the_file_are_kept() {
    #[derive(Debug)]
    struct Broken;
    impl SequentialFile for Broken {
        fn read(&mut self, _: &mut [u8]) -> Result<usize> {
            Err(Status::io_error("broken"))
        }
        fn skip(&mut self, _: u64) -> Result<()> {
            Ok(())
        }
        fn path(&self) -> &Path {
            Path::new("broken")
        }
    }
    let mut reader = LogReader::new(Box::new(Broken), 4);
    for _ in 0..2 {
        assert_eq!(reader.read(), Err(Status::io_error("broken")));
    }
}

#[test]
fn damage_names_file_and_offset() {
    let mut bytes = LEGACY.write(&records(&[10]));
    bytes[8] ^= 1;
    let (_, found) = until_damage(&read_all(&bytes));
    assert_eq!(
        found.unwrap().to_status(Path::new("db/000004.log")).to_string(),
        "Corruption: db/000004.log at offset 0: checksum mismatch, 17 bytes dropped"
    );
}

/// A process that was killed while it stored a record into a mapped log.
#[test]
fn a_record_without_its_header_is_a_torn_end() {
    let written = records(&[100, 40_000, 60]);
    let bytes = LEGACY.write(&written);
    let (first, second) = (100 + 7, bytes.len() - 60 - 7);
    let mapped = |parts: &[Range<usize>]| {
        let mut log = vec![0; 4 * BLOCK_SIZE];
        for part in parts {
            log[part.clone()].copy_from_slice(&bytes[part.clone()]);
        }
        read_all(&log)
    };
    let until = |end: usize| mapped(&[0..end, end..end]);
    let tail = |seen: &[Seen]| {
        let (before, damage) = until_damage(seen);
        (before.len(), damage.map(|damage| damage.kind))
    };
    // Nothing but zeros behind the last record.
    assert_eq!(tail(&until(first)), (1, None));
    // Some of the first fragment, all of it but its header, all of it.
    for end in [first + 20, BLOCK_SIZE] {
        let seen = mapped(&[0..first, first + 8..end]);
        assert_eq!(tail(&seen), (1, Some(TruncatedPayload)));
    }
    // Lost pages look the same, and a mode that tells an end from damage must refuse those.
    assert_eq!(tail(&until(BLOCK_SIZE)), (1, Some(MissingEnd)));
    // The second fragment, of which the header is missing.
    let seen = mapped(&[0..BLOCK_SIZE, BLOCK_SIZE + 8..second]);
    assert_eq!(tail(&seen), (1, Some(HoleInsideRecord)));
    assert_eq!(tail(&until(second)), (2, None));
    assert_eq!(tail(&mapped(&[0..second, second + 8..bytes.len()])), (2, Some(TruncatedPayload)));
    assert_eq!(tail(&until(bytes.len())), (3, None));
    // What follows in a later block shows that the system lost something.
    let seen = mapped(&[0..first, first + 8..BLOCK_SIZE, BLOCK_SIZE..bytes.len()]);
    assert_eq!(tail(&seen), (1, Some(Hole)));
}
