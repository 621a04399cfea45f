//! `load`: writes the pairs on standard input.
//!
//! ```text
//! key ==> value
//! ```

use super::arguments::bytes;
use super::failure::{Failure, Outcome};
use super::session::Session;
use super::writing::WritingDb;
use db::CompactRangeOptions;
use options::{ColumnFamilyOptions, DbOptions};

/// What parts a key from its value.
pub(crate) const DELIMITER: &[u8] = b" ==> ";

/// How lines begin that `dump` prints around the pairs.
const PASSED_OVER: [&[u8]; 2] = [b"Keys in range:", b"Created bg thread 0x"];

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let arguments = session.arguments;
    let (create, bulk_load) = (arguments.flag("create_if_missing"), arguments.flag("bulk_load"));
    let mut writing = session.open_for_writing_with(|db, family| {
        db.create_if_missing = create;
        if bulk_load {
            prepare_for_bulk_load(db, family);
        }
    })?;
    writing.options.disable_wal = arguments.flag("disable_wal");
    let bad_lines = load(session, &writing)?;
    if bad_lines > 0 {
        writeln!(session.out, "Warning: {bad_lines} bad lines ignored.")?;
    }
    if arguments.flag("compact") {
        let options = CompactRangeOptions::default();
        let compacted = writing.db.compact_range(&options, &writing.family, None, None);
        compacted.map_err(|status| Failure::new(format!("Compaction failed: {status}")))?;
    }
    writing.close()?;
    Ok(())
}

/// Writes the pairs and returns the number of lines that are none.
fn load(session: &mut Session<'_>, writing: &WritingDb) -> Outcome<usize> {
    let mut bad_lines = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        if session.input.read_until(b'\n', &mut line)? == 0 {
            return Ok(bad_lines);
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let Some(at) = text.windows(DELIMITER.len()).position(|window| window == DELIMITER) else {
            bad_lines += usize::from(!PASSED_OVER.iter().any(|start| text.starts_with(start)));
            continue;
        };
        let key = bytes(&text[..at], session.is_key_hex)?;
        let value = bytes(&text[at + DELIMITER.len()..], session.is_value_hex)?;
        writing
            .put(&key, &value)
            .map_err(|status| Failure::new(format!("Load failed: {status}")))?;
    }
}

/// Sets what RocksDB's `PrepareForBulkLoad` does: all goes to L0 until somebody compacts it.
fn prepare_for_bulk_load(db: &mut DbOptions, family: &mut ColumnFamilyOptions) {
    const NEVER: i32 = 1 << 30;
    family.level0_file_num_compaction_trigger = NEVER;
    family.level0_slowdown_writes_trigger = NEVER;
    family.level0_stop_writes_trigger = NEVER;
    family.soft_pending_compaction_bytes_limit = 0;
    family.hard_pending_compaction_bytes_limit = 0;
    family.disable_auto_compactions = true;
    family.max_compaction_bytes = 1 << 60;
    family.num_levels = 2;
    family.max_write_buffer_number = 6;
    family.min_write_buffer_number_to_merge = 1;
    family.target_file_size_base = 256 << 20;
    db.max_background_flushes = 4;
    db.max_background_compactions = 2;
}
