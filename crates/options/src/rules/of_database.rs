//! Rules about the options of a database.

use super::{DatabaseRule, invalid, unsupported};

/// Directories of tables.
const PATHS_MAX: usize = 4;

pub(super) const RULES: &[DatabaseRule] = &[
    unsupported("db_paths", "names more than four directories: name four at most", |db| {
        db.db_paths.len() > PATHS_MAX
    }),
    unsupported(
        "allow_mmap_reads",
        "contradicts use_direct_reads=true: set one of them to false",
        |db| db.allow_mmap_reads && db.use_direct_reads,
    ),
    unsupported(
        "allow_mmap_reads",
        "contradicts use_direct_io_for_compaction_reads=true: set one of them to false",
        |db| db.allow_mmap_reads && db.use_direct_io_for_compaction_reads,
    ),
    unsupported(
        "allow_mmap_writes",
        "contradicts use_direct_io_for_flush_and_compaction=true: set one of them to false",
        |db| db.allow_mmap_writes && db.use_direct_io_for_flush_and_compaction,
    ),
    invalid(
        "unordered_write",
        "needs concurrent writes: set allow_concurrent_memtable_write=true, or unordered_write=false",
        |db| db.unordered_write && !db.allow_concurrent_memtable_write,
    ),
    invalid(
        "unordered_write",
        "contradicts enable_pipelined_write=true: set one of them to false",
        |db| db.unordered_write && db.enable_pipelined_write,
    ),
    invalid(
        "atomic_flush",
        "contradicts enable_pipelined_write=true: set one of them to false",
        |db| db.atomic_flush && db.enable_pipelined_write,
    ),
    invalid(
        "writable_file_max_buffer_size",
        "leaves use_direct_io_for_flush_and_compaction=true without a buffer: set it above 0",
        |db| db.use_direct_io_for_flush_and_compaction && db.writable_file_max_buffer_size == 0,
    ),
    invalid(
        "write_identity_file",
        "with write_dbid_to_manifest=false keeps the database's identity nowhere: set one of them \
         to true",
        |db| !db.write_dbid_to_manifest && !db.write_identity_file,
    ),
    invalid(
        "open_files_async",
        "does not help where statistics are read first: set skip_stats_update_on_db_open=true, or \
         open_files_async=false",
        |db| db.open_files_async && !db.skip_stats_update_on_db_open,
    ),
    invalid(
        "daily_offpeak_time_utc",
        "is no range of time: write it as HH:mm-HH:mm, for instance 04:30-07:30",
        |db| matches!(offpeak_minutes(&db.daily_offpeak_time_utc), Err(NoRange)),
    ),
    invalid(
        "daily_offpeak_time_utc",
        "ends when it begins: give it two times, for instance 04:30-07:30",
        |db| matches!(offpeak_minutes(&db.daily_offpeak_time_utc), Ok(Some((a, b))) if a == b),
    ),
];

struct NoRange;

/// `HH:mm-HH:mm` in minutes of the day; none for the empty text.
fn offpeak_minutes(text: &str) -> Result<Option<(u32, u32)>, NoRange> {
    if text.is_empty() {
        return Ok(None);
    }
    let minutes = |time: &str| {
        let (hour, minute) = time.split_once(':')?;
        let is_number = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let number = |part: &str| part.parse::<u32>().ok().filter(|_| is_number(part));
        let (hour, minute) = (number(hour)?, number(minute)?);
        (hour < 24 && minute < 60).then_some(hour * 60 + minute)
    };
    let range =
        text.split_once('-').and_then(|(start, end)| Some((minutes(start)?, minutes(end)?)));
    range.map(Some).ok_or(NoRange)
}
