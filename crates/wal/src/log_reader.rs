//! Reads the logical records of a WAL or MANIFEST. The layout is in [`log_format`](crate::log_format).
//!
//! Damage is reported in the order of the file, between the records, and reading may go on after
//! it: where a checksum or length is bad the rest of the block is dropped, since the length cannot
//! be trusted. A caller that stops at the first damage has a prefix of what was written.
//!
//! Stricter than RocksDB, which skips these without a word:
//! - Zeros fill the rest of a block, then something else follows than a control record (which is
//!   never cut and may leave room): a hole, as when the system lost a page ([`DamageKind::Hole`]).
//! - A logical record whose Zstandard frame is bad ([`DamageKind::BadCompression`]).
//!
//! A log that is being written is followed ([`LogReader::follow`]): what is cut at its end is not
//! damage then, but not there yet. Nor are zeros where nothing follows them, in which a log ends that
//! is appended to through a mapping.

use crate::log_compression::LogDecompressor;
use crate::log_format::{
    BLOCK_SIZE, HEADER_SIZE, LogCompression, PhysicalType, PredecessorWalInfo,
    RECORD_TYPE_SAFE_IGNORE_MASK, RECYCLABLE_HEADER_SIZE, TimestampSize, ZERO_TYPE,
    decode_timestamp_sizes,
};
use crate::log_source::LogSource;
use base::coding::{decode_fixed16, decode_fixed32};
use base::{Result, Status, crc32c};
use env::{RandomAccessFile, SequentialFile};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes that a compressed record may take for each of its compressed bytes, and those that any
/// may take. Without compression a record is bounded by its file; a Zstandard frame can claim
/// 32768 times its size.
const EXPANSION_MAX: u64 = 64;
const EXPANDED_SIZE_ALLOWED: u64 = 1 << 30;

/// What every Zstandard frame begins with. Of 2^32 sequence numbers one begins a write batch so.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// One thing met in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogEntry<'a> {
    /// A logical record.
    Record(LogicalRecord<'a>),
    /// The timestamp sizes of column families whose first records follow.
    TimestampSizes(Vec<TimestampSize>),
    /// The WAL before this one.
    PredecessorWalInfo(PredecessorWalInfo),
    /// Bytes that are no record.
    Damage(LogDamage),
}

/// A logical record: a write batch or a version edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogicalRecord<'a> {
    /// Its bytes, uncompressed.
    pub payload: &'a [u8],
    /// Where its first physical record starts.
    pub offset: u64,
    /// Where its last physical record ends.
    pub end_offset: u64,
}

/// A stretch of the file that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogDamage {
    /// What is wrong.
    pub kind: DamageKind,
    /// Where.
    pub offset: u64,
    /// Bytes lost with it, those of the unfinished logical record included.
    pub dropped_bytes: u64,
    /// Whether the file is a recycled one, in which older bytes follow the last record.
    pub in_recycled_log: bool,
}

/// What is wrong with a stretch of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// The file ends inside a header.
    TruncatedHeader,
    /// The file ends inside a payload.
    TruncatedPayload,
    /// The file ends before the last fragment of a record.
    TruncatedRecord,
    /// A record of an earlier life of a recycled file: the end of this life's records.
    OldRecord,
    /// As `OldRecord`, before the last fragment of a record.
    OldRecordInsideRecord,
    /// A length that goes beyond the block.
    BadLength,
    /// A checksum that does not match.
    ChecksumMismatch,
    /// Zeros where a record should be, and more records after them.
    Hole,
    /// As `Hole`, before the last fragment of a record.
    HoleInsideRecord,
    /// A middle or last fragment without a first.
    MissingStart,
    /// A record begins, or the block ends in zeros, before the last fragment of the one before.
    MissingEnd,
    /// Legacy and recyclable records in one file.
    MixedHeaders,
    /// A valid record of a type that no known release writes and that may not be skipped.
    UnknownType(u8),
    /// A compression record that is not the first of the file.
    MisplacedCompressionRecord,
    /// A control record whose payload is wrong.
    BadControlRecord(u8),
    /// A record that does not decompress.
    BadCompression(&'static str),
}

impl DamageKind {
    /// Whether the writer may simply have been stopped here.
    pub fn is_torn_tail(self) -> bool {
        use DamageKind::*;
        matches!(self, TruncatedHeader | TruncatedPayload | TruncatedRecord)
    }
}

impl fmt::Display for DamageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DamageKind::*;
        let text = match self {
            TruncatedHeader => "truncated record header",
            TruncatedPayload => "truncated record body",
            TruncatedRecord => "log ends before the last fragment of a record",
            OldRecord => "record of an earlier log in a recycled file",
            OldRecordInsideRecord => {
                "record of an earlier log before the last fragment of a record"
            }
            BadLength => "bad record length",
            ChecksumMismatch => "checksum mismatch",
            Hole => "zeros where a record should be",
            HoleInsideRecord => "zeros before the last fragment of a record",
            MissingStart => "missing start of fragmented record",
            MissingEnd => "missing end of fragmented record",
            MixedHeaders => "legacy and recyclable records in one log",
            UnknownType(number) => return write!(f, "unknown record type {number}"),
            MisplacedCompressionRecord => "compression record that is not the first record",
            BadControlRecord(number) => return write!(f, "bad control record of type {number}"),
            BadCompression(reason) => return write!(f, "record does not decompress: {reason}"),
        };
        f.write_str(text)
    }
}

impl LogDamage {
    /// The error that names the file and the offset: `NotSupported` for an unknown record type,
    /// else `Corruption`.
    #[cold]
    pub fn to_status(&self, path: &Path) -> Status {
        let what = format_args!("{}, {} bytes dropped", self.kind, self.dropped_bytes);
        match self.kind {
            DamageKind::UnknownType(_) => Status::not_supported(format!(
                "{} at offset {}: {what}",
                path.display(),
                self.offset
            )),
            _ => Status::corruption_at(path, self.offset, what),
        }
    }
}

/// Reads a log from start to end.
#[derive(Debug)]
pub struct LogReader {
    file: LogSource,
    log_number: u32,
    /// What is cut at the end is waited for.
    follows: bool,
    /// What stands at the end and is waited for.
    tail: Option<LogDamage>,
    /// Why reading cannot go on.
    failed: Option<Status>,
    /// The current block; its first `block_length` bytes are from the file.
    block: Box<[u8]>,
    block_length: usize,
    /// File offset of the block.
    block_offset: u64,
    /// Position of the next physical record in the block.
    position: usize,
    /// The current block is not full: nothing follows it.
    eof: bool,
    /// The first record is damaged, which may have been a compression record.
    start_damaged: bool,
    /// Whether headers are of the recyclable form; none before the first that has two forms.
    recyclable: Option<bool>,
    zeros: Option<Zeros>,
    /// Where a log that is followed was read again because a record was damaged, which may have been
    /// under way.
    read_again_at: Option<u64>,
    decompressor: Option<LogDecompressor>,
    timestamp_sizes: BTreeMap<u32, u16>,
    unfinished: Option<Unfinished>,
    /// Bytes of the unfinished logical record, or of the one just finished.
    scratch: Vec<u8>,
}

/// Zeros where a header would be. What they mean is known once something follows in a later block,
/// or nothing does.
#[derive(Clone, Copy, Debug)]
struct Zeros {
    offset: u64,
    /// They fill a whole block, which no writer leaves out.
    whole_block: bool,
    /// Bytes from there to the end of the block, if not all of them are zeros. At the end of a log
    /// that was mapped it is a record of which its writer had not stored the header yet.
    torn_bytes: usize,
    /// Whether records were known to be of the recyclable form when they were met.
    in_recycled_log: bool,
}

/// A logical record whose last fragment was not met yet.
#[derive(Clone, Copy, Debug)]
struct Unfinished {
    offset: u64,
    /// Payload bytes so far.
    size_bytes: u64,
}

/// A physical record whose checksum is right.
#[derive(Clone, Debug)]
struct PhysicalRecord {
    number: u8,
    /// Where it starts in the block.
    start: usize,
    /// Where its payload is in the block.
    payload: Range<usize>,
}

enum Physical {
    Record(PhysicalRecord),
    End,
    Damage(DamageKind, u64, usize),
}

/// What [`LogReader::advance`] came to: a [`LogEntry`] that borrows nothing.
enum Step {
    Record { payload: Payload, offset: u64 },
    TimestampSizes(Vec<TimestampSize>),
    PredecessorWalInfo(PredecessorWalInfo),
    Damage(LogDamage),
    End,
}

enum Payload {
    Block(Range<usize>),
    Scratch,
}

impl LogReader {
    /// Reads `file` from its start. `log_number` is the number in the name of a WAL, which
    /// recyclable records repeat; 0 for a MANIFEST.
    pub fn new(file: Box<dyn SequentialFile>, log_number: u64) -> Self {
        Self::of(LogSource::Whole(file), log_number)
    }

    /// Reads a log that somebody else may still be appending to. Where it ends for now
    /// [`LogReader::read`] gives none, and when it is called again what has come since. What is cut
    /// there, and in a recycled log what is not of its present life, is not there yet: see
    /// [`LogReader::tail`].
    pub fn follow(file: Arc<dyn RandomAccessFile>, log_number: u64) -> Self {
        let follows = true;
        Self { follows, eof: true, ..Self::of(LogSource::Growing(file), log_number) }
    }

    fn of(file: LogSource, log_number: u64) -> Self {
        Self {
            file,
            follows: false,
            tail: None,
            // Records hold the low 32 bits.
            log_number: log_number as u32,
            failed: None,
            block: vec![0; BLOCK_SIZE].into_boxed_slice(),
            block_length: 0,
            block_offset: 0,
            position: 0,
            eof: false,
            start_damaged: false,
            recyclable: None,
            zeros: None,
            read_again_at: None,
            decompressor: None,
            timestamp_sizes: BTreeMap::new(),
            unfinished: None,
            scratch: Vec::new(),
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Up to where the file was read: the end of the last entry.
    pub fn offset(&self) -> u64 {
        self.block_offset + self.position as u64
    }

    /// Whether records have the recyclable form, so that older bytes may follow the last.
    pub fn is_recycled(&self) -> bool {
        self.recyclable == Some(true)
    }

    /// What was found at the end of a log that is followed, when it was last read: part of a record
    /// that is being written, or damage. None if the last record is whole.
    pub fn tail(&self) -> Option<&LogDamage> {
        self.tail.as_ref()
    }

    /// Nothing will be appended any more to the log that was followed: what is cut at its end is
    /// damage from now on.
    ///
    /// # Errors
    /// `IoError` from the file.
    pub fn stop_following(&mut self) -> Result<()> {
        if std::mem::take(&mut self.follows) {
            self.refill()?;
        }
        Ok(())
    }

    /// The next thing in the log; none at its end and ever after, or until there is more of a log
    /// that is followed.
    ///
    /// # Errors
    /// `IoError` from the file; `NotSupported` if the log is compressed in an unknown way. After
    /// either, all calls return it. Damage is no error here, and reading may go on after it.
    pub fn read(&mut self) -> Result<Option<LogEntry<'_>>> {
        if let Some(status) = &self.failed {
            return Err(status.clone());
        }
        let step = self.advance().inspect_err(|status| self.failed = Some(status.clone()))?;
        Ok(Some(match step {
            Step::Record { payload, offset } => {
                let end_offset = self.offset();
                let payload = match payload {
                    Payload::Block(range) => &self.block[range],
                    Payload::Scratch => self.scratch.as_slice(),
                };
                LogEntry::Record(LogicalRecord { payload, offset, end_offset })
            }
            Step::TimestampSizes(sizes) => LogEntry::TimestampSizes(sizes),
            Step::PredecessorWalInfo(info) => LogEntry::PredecessorWalInfo(info),
            Step::Damage(damage) => LogEntry::Damage(damage),
            Step::End => return Ok(None),
        }))
    }

    fn advance(&mut self) -> Result<Step> {
        self.tail = None;
        if self.follows && self.eof {
            self.refill()?;
        }
        loop {
            let record = match self.read_physical()? {
                Physical::Record(record) => record,
                Physical::Damage(kind, offset, dropped) if self.may_be_unwritten(kind) => {
                    self.wait_at(offset);
                    self.tail = Some(self.damage_at(kind, offset, dropped));
                    return Ok(Step::End);
                }
                Physical::Damage(kind, offset, _) if self.may_be_torn(kind, offset) => {
                    self.wait_at(offset);
                    self.refill()?;
                    continue;
                }
                Physical::Damage(kind, offset, dropped) => {
                    let start = usize::try_from(offset.saturating_sub(self.block_offset));
                    return Ok(match self.report_zeros(start.unwrap_or(self.position)) {
                        Some(hole) => hole,
                        None => self.damage(kind, offset, dropped),
                    });
                }
                Physical::End => {
                    if let Some(end) = self.take_zeros_at_the_end() {
                        return Ok(end);
                    }
                    return Ok(match self.unfinished {
                        None => Step::End,
                        Some(Unfinished { offset, .. }) if self.follows => {
                            self.tail =
                                Some(self.damage_at(DamageKind::TruncatedRecord, offset, 0));
                            Step::End
                        }
                        Some(Unfinished { offset, .. }) => {
                            self.damage(DamageKind::TruncatedRecord, offset, 0)
                        }
                    });
                }
            };
            if let Some(step) = self.take(&record)? {
                return Ok(step);
            }
        }
    }

    /// Whether what looks like damage of this kind may be what a writer has not written yet.
    fn may_be_unwritten(&self, kind: DamageKind) -> bool {
        use DamageKind::{MissingEnd, OldRecord, OldRecordInsideRecord};
        let is_of_another_life = matches!(kind, OldRecord | OldRecordInsideRecord);
        let may_follow_the_last = self.is_recycled() && kind != MissingEnd;
        self.follows && (kind.is_torn_tail() || is_of_another_life || may_follow_the_last)
    }

    /// Whether a record at `offset` that looks like damage of this kind may have been stored while
    /// it was read, and be whole by now.
    fn may_be_torn(&mut self, kind: DamageKind, offset: u64) -> bool {
        self.follows
            && matches!(kind, DamageKind::ChecksumMismatch | DamageKind::BadLength)
            && self.read_again_at.replace(offset) != Some(offset)
    }

    /// Goes on at `offset` of the current block the next time, with what the file has there then.
    fn wait_at(&mut self, offset: u64) {
        self.position = (offset - self.block_offset) as usize;
        self.block_length = self.position;
        self.eof = true;
    }

    /// Takes a physical record into the logical one; a step if that came to something.
    fn take(&mut self, record: &PhysicalRecord) -> Result<Option<Step>> {
        let kind = PhysicalType::from_number(record.number).map(|(kind, _)| kind);
        if let Some(damage) = self.check_zeros(kind, record) {
            return Ok(Some(damage));
        }
        if let Some(PhysicalType::Middle | PhysicalType::Last) = kind {
            return Ok(self.continue_record(record, kind == Some(PhysicalType::Last)));
        }
        if let Some(damage) = self.interrupt_record(record) {
            return Ok(Some(damage));
        }
        match kind {
            Some(PhysicalType::Full) if self.decompressor.is_none() && !self.start_damaged => {
                let offset = self.offset_of(record);
                Ok(Some(Step::Record { payload: Payload::Block(record.payload.clone()), offset }))
            }
            Some(PhysicalType::Full) => self.start_record(record, true),
            Some(PhysicalType::First) => self.start_record(record, false),
            Some(kind) => self.take_control_record(kind, record),
            None if record.number & RECORD_TYPE_SAFE_IGNORE_MASK != 0 => Ok(None),
            None => Ok(Some(self.damage_record(DamageKind::UnknownType(record.number), record))),
        }
    }

    fn start_record(&mut self, record: &PhysicalRecord, whole: bool) -> Result<Option<Step>> {
        if self.start_damaged && self.block[record.payload.clone()].starts_with(&ZSTD_MAGIC) {
            let kind = DamageKind::BadCompression("the compression record is missing");
            return Ok(Some(self.damage_record(kind, record)));
        }
        if let Some(decompressor) = &mut self.decompressor {
            decompressor.reset()?;
        }
        self.scratch.clear();
        self.unfinished = Some(Unfinished { offset: self.offset_of(record), size_bytes: 0 });
        Ok(self.continue_record(record, whole))
    }

    fn continue_record(&mut self, record: &PhysicalRecord, last: bool) -> Option<Step> {
        let Some(unfinished) = &mut self.unfinished else {
            return Some(self.damage_record(DamageKind::MissingStart, record));
        };
        let offset = unfinished.offset;
        let fragment = &self.block[record.payload.clone()];
        unfinished.size_bytes += fragment.len() as u64;
        match &mut self.decompressor {
            None => self.scratch.extend_from_slice(fragment),
            Some(decompressor) => {
                let size_max = EXPANDED_SIZE_ALLOWED + EXPANSION_MAX * unfinished.size_bytes;
                let mut result = decompressor.decompress(fragment, &mut self.scratch, size_max);
                if result.is_ok() && last && !decompressor.is_complete() {
                    result = Err("frame without an end");
                }
                if let Err(reason) = result {
                    return Some(self.damage(DamageKind::BadCompression(reason), offset, 0));
                }
            }
        }
        if !last {
            return None;
        }
        self.unfinished = None;
        Some(Step::Record { payload: Payload::Scratch, offset })
    }

    /// Reports the unfinished record that `record` does not go on with. `record` is read again.
    fn interrupt_record(&mut self, record: &PhysicalRecord) -> Option<Step> {
        let unfinished = self.unfinished?;
        if unfinished.size_bytes == 0 {
            // Old releases of LevelDB left an empty first fragment at the end of a block and then
            // began anew.
            self.unfinished = None;
            return None;
        }
        self.position = record.start;
        Some(self.damage(DamageKind::MissingEnd, unfinished.offset, 0))
    }

    /// Reports zeros before `record` that no writer leaves. `record` is read again.
    fn check_zeros(&mut self, kind: Option<PhysicalType>, record: &PhysicalRecord) -> Option<Step> {
        use PhysicalType::{PredecessorWalInfo, UserDefinedTimestampSize};
        let zeros = self.zeros?;
        if let Some(hole) = self.report_zeros(record.start) {
            return Some(hole);
        }
        self.zeros = None;
        let may_leave_room =
            matches!(kind, None | Some(PredecessorWalInfo | UserDefinedTimestampSize));
        if may_leave_room && !zeros.whole_block {
            return None;
        }
        self.position = record.start;
        Some(self.damage(DamageKind::Hole, zeros.offset, 0))
    }

    /// Reports zeros that something follows and that are a hole whatever it is. It stands at `start`
    /// of the current block, and is read again.
    fn report_zeros(&mut self, start: usize) -> Option<Step> {
        let Zeros { offset, torn_bytes, in_recycled_log, .. } = self.zeros?;
        let (kind, offset) = match (self.unfinished, torn_bytes) {
            (None, 0) => return None,
            (None, _) => (DamageKind::Hole, offset),
            (Some(unfinished), 0) => (DamageKind::MissingEnd, unfinished.offset),
            (Some(_), _) => (DamageKind::HoleInsideRecord, offset),
        };
        self.zeros = None;
        self.position = start;
        Some(Step::Damage(LogDamage { in_recycled_log, ..self.lose(kind, offset, torn_bytes) }))
    }

    /// What zeros mean that only zeros follow: none if they are the clean end of a log. Bytes behind a
    /// header of zeros are a record whose header was not stored yet; inside a record, zeros are
    /// damage, since they are more likely pages that the system lost.
    fn take_zeros_at_the_end(&mut self) -> Option<Step> {
        let Zeros { offset, torn_bytes, .. } = self.zeros?;
        if self.unfinished.is_some() && !self.follows {
            return self.report_zeros(self.position);
        }
        self.zeros = None;
        (self.unfinished.is_none() && torn_bytes > 0)
            .then(|| self.damage(DamageKind::TruncatedPayload, offset, torn_bytes))
    }

    fn take_control_record(
        &mut self,
        kind: PhysicalType,
        record: &PhysicalRecord,
    ) -> Result<Option<Step>> {
        let payload = &self.block[record.payload.clone()];
        let step = match kind {
            PhysicalType::SetCompressionType if self.offset_of(record) != 0 => {
                return Ok(Some(
                    self.damage_record(DamageKind::MisplacedCompressionRecord, record),
                ));
            }
            PhysicalType::SetCompressionType => match LogCompression::decode(payload) {
                Ok(_) => {
                    self.decompressor = Some(LogDecompressor::new()?);
                    return Ok(None);
                }
                Err(status) if !status.is_corruption() => {
                    return Err(status.context(self.path().display()));
                }
                Err(_) => None,
            },
            PhysicalType::UserDefinedTimestampSize => decode_timestamp_sizes(payload)
                .ok()
                .filter(|sizes| self.record_timestamp_sizes(sizes))
                .map(Step::TimestampSizes),
            _ => PredecessorWalInfo::decode(payload).ok().map(Step::PredecessorWalInfo),
        };
        let number = record.number;
        Ok(Some(
            step.unwrap_or_else(|| {
                self.damage_record(DamageKind::BadControlRecord(number), record)
            }),
        ))
    }

    /// Whether each column family is here for the first time.
    fn record_timestamp_sizes(&mut self, sizes: &[TimestampSize]) -> bool {
        sizes.iter().all(|&(id, size_bytes)| self.timestamp_sizes.insert(id, size_bytes).is_none())
    }

    /// Finds the next physical record and checks it.
    fn read_physical(&mut self) -> Result<Physical> {
        loop {
            let left = &self.block[self.position..self.block_length];
            if left.len() < HEADER_SIZE {
                if !self.eof {
                    self.next_block()?;
                    continue;
                }
                if left.iter().all(|&byte| byte == 0) {
                    match self.follows {
                        true => self.wait_at(self.offset()),
                        false => self.position = self.block_length,
                    }
                    return Ok(Physical::End);
                }
                return Ok(self.drop_block(DamageKind::TruncatedHeader));
            }
            if is_zeros(left) {
                if self.follows {
                    if !self.is_behind_zeros()? {
                        let offset = self.offset();
                        return Ok(Physical::Damage(DamageKind::TruncatedHeader, offset, 0));
                    }
                    // What is there now that the next block has begun.
                    if !is_zeros(&self.block[self.position..self.block_length]) {
                        continue;
                    }
                }
                match self.skip_zeros() {
                    Some(damage) => return Ok(damage),
                    None => continue,
                }
            }
            return Ok(self.parse_physical());
        }
    }

    /// Checks the physical record at the current position.
    fn parse_physical(&mut self) -> Physical {
        let left = &self.block[self.position..self.block_length];
        let length = usize::from(decode_fixed16(left, 4));
        let number = left[6];
        let form = PhysicalType::from_number(number)
            .and_then(|(kind, form)| (kind != PhysicalType::SetCompressionType).then_some(form));
        let recyclable = form == Some(true);
        let header_size = if recyclable { RECYCLABLE_HEADER_SIZE } else { HEADER_SIZE };
        let is_current =
            !recyclable || left.len() < header_size || decode_fixed32(left, 7) == self.log_number;
        if recyclable && is_current && self.recyclable.is_none() {
            self.recyclable = form;
        }
        if left.len() < header_size + length {
            let truncated = match left.len() < header_size {
                true => DamageKind::TruncatedHeader,
                false => DamageKind::TruncatedPayload,
            };
            return self.drop_block(if self.eof { truncated } else { DamageKind::BadLength });
        }
        let crc = crc32c::value(&left[6..header_size + length]);
        if crc32c::mask(crc) != decode_fixed32(left, 0) {
            return self.drop_block(DamageKind::ChecksumMismatch);
        }
        if form.is_some_and(|form| form != *self.recyclable.get_or_insert(form)) {
            return self.drop_block(DamageKind::MixedHeaders);
        }
        let start = self.position;
        let payload = start + header_size..start + header_size + length;
        self.position = payload.end;
        if !is_current {
            let kind = match self.unfinished {
                None => DamageKind::OldRecord,
                Some(_) => DamageKind::OldRecordInsideRecord,
            };
            return Physical::Damage(kind, self.block_offset + start as u64, payload.end - start);
        }
        Physical::Record(PhysicalRecord { number, start, payload })
    }

    /// Skips zeros up to the end of the block.
    fn skip_zeros(&mut self) -> Option<Physical> {
        let left = &self.block[self.position..self.block_length];
        let is_torn = left.iter().any(|&byte| byte != 0);
        if is_torn && self.block_length < BLOCK_SIZE {
            // A mapped log has whole blocks.
            let kind = match self.unfinished {
                None => DamageKind::Hole,
                Some(_) => DamageKind::HoleInsideRecord,
            };
            return Some(self.drop_block(kind));
        }
        let torn_bytes = if is_torn { left.len() } else { 0 };
        // Too short for a recyclable header: the ordinary end of a block.
        if self.is_recycled() && left.len() < RECYCLABLE_HEADER_SIZE {
            self.position = self.block_length;
            return None;
        }
        let (offset, whole_block) = (self.offset(), left.len() == BLOCK_SIZE);
        self.position = self.block_length;
        match &mut self.zeros {
            // The first of two was not the end.
            Some(Zeros { torn_bytes: 1.., .. }) if is_torn => {
                return Some(Physical::Damage(DamageKind::Hole, offset, torn_bytes));
            }
            Some(zeros) => {
                zeros.whole_block |= whole_block;
                zeros.torn_bytes += torn_bytes;
            }
            None => {
                let in_recycled_log = self.is_recycled();
                self.zeros = Some(Zeros { offset, whole_block, torn_bytes, in_recycled_log });
            }
        }
        if self.unfinished.is_some_and(|unfinished| unfinished.size_bytes == 0) {
            self.unfinished = None;
        }
        None
    }

    /// Whether there is more of a log that is followed behind the block whose rest is zeros. If so,
    /// the rest was read again after that had come: it is as it stays.
    fn is_behind_zeros(&mut self) -> Result<bool> {
        if self.eof {
            return Ok(false);
        }
        let mut header = [0; HEADER_SIZE];
        let next = self.block_offset + BLOCK_SIZE as u64;
        self.file.read(next, &mut header)?;
        if header.iter().all(|byte| *byte == 0) {
            return Ok(false);
        }
        self.block_length = self.position;
        self.refill()?;
        Ok(true)
    }

    fn next_block(&mut self) -> Result<()> {
        self.block_offset += self.block_length as u64;
        (self.block_length, self.position) = (0, 0);
        self.refill()
    }

    /// Reads what the file has of the rest of the current block.
    fn refill(&mut self) -> Result<()> {
        // A short read alone does not end the log: records after it would be lost without a word.
        while self.block_length < BLOCK_SIZE {
            let offset = self.block_offset + self.block_length as u64;
            match self.file.read(offset, &mut self.block[self.block_length..])? {
                0 => break,
                count => self.block_length += count,
            }
        }
        self.eof = self.block_length < BLOCK_SIZE;
        Ok(())
    }

    /// Drops the rest of the block.
    fn drop_block(&mut self, kind: DamageKind) -> Physical {
        let offset = self.offset();
        let dropped = self.block_length - self.position;
        self.position = self.block_length;
        Physical::Damage(kind, offset, dropped)
    }

    fn offset_of(&self, record: &PhysicalRecord) -> u64 {
        self.block_offset + record.start as u64
    }

    fn damage_record(&mut self, kind: DamageKind, record: &PhysicalRecord) -> Step {
        self.damage(kind, self.offset_of(record), record.payload.end - record.start)
    }

    /// Reports damage.
    fn damage(&mut self, kind: DamageKind, offset: u64, dropped: usize) -> Step {
        Step::Damage(self.lose(kind, offset, dropped))
    }

    /// Goes on behind damage: what was read of a logical record is lost with it.
    fn lose(&mut self, kind: DamageKind, offset: u64, dropped: usize) -> LogDamage {
        self.zeros = None;
        self.start_damaged |= offset == 0 && self.decompressor.is_none();
        let damage = self.damage_at(kind, offset, dropped);
        self.unfinished = None;
        damage
    }

    fn damage_at(&self, kind: DamageKind, offset: u64, dropped: usize) -> LogDamage {
        let unfinished = self.unfinished.map_or(0, |unfinished| unfinished.size_bytes);
        LogDamage {
            kind,
            offset,
            dropped_bytes: unfinished + dropped as u64,
            in_recycled_log: self.is_recycled(),
        }
    }
}

/// Whether zeros stand where `left` of a block should begin with a header.
fn is_zeros(left: &[u8]) -> bool {
    left.len() >= HEADER_SIZE && left[6] == ZERO_TYPE && decode_fixed16(left, 4) == 0
}

#[cfg(test)]
mod tests;
