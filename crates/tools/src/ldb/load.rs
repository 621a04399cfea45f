//! `load`: writes the pairs on standard input.
//!
//! ```text
//! key ==> value
//! ```

use super::arguments::bytes;
use super::failure::{Failure, Outcome};
use super::session::Session;
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
    let mut pairs = Pairs::new(session);
    while let Some((key, value)) = pairs.next()? {
        writing
            .put(&key, &value)
            .map_err(|status| Failure::new(format!("Load failed: {status}")))?;
    }
    let bad_lines = pairs.bad_lines;
    tell_bad_lines(session.out, bad_lines)?;
    if arguments.flag("compact") {
        let options = CompactRangeOptions::default();
        let compacted = writing.db.compact_range(&options, &writing.family, None, None);
        compacted.map_err(|status| Failure::new(format!("Compaction failed: {status}")))?;
    }
    writing.close()?;
    Ok(())
}

/// The pairs on standard input.
pub(crate) struct Pairs<'a, 's> {
    session: &'a mut Session<'s>,
    line: Vec<u8>,
    /// Lines so far that are no pairs.
    pub(crate) bad_lines: usize,
}

impl<'a, 's> Pairs<'a, 's> {
    /// Those that are still to be read.
    pub(crate) fn new(session: &'a mut Session<'s>) -> Self {
        Self { session, line: Vec::new(), bad_lines: 0 }
    }

    /// The next key and value; none at the end.
    pub(crate) fn next(&mut self) -> Outcome<Option<(Vec<u8>, Vec<u8>)>> {
        loop {
            self.line.clear();
            if self.session.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            let mut windows = text.windows(DELIMITER.len());
            let Some(at) = windows.position(|window| window == DELIMITER) else {
                let is_passed_over = PASSED_OVER.iter().any(|start| text.starts_with(start));
                self.bad_lines += usize::from(!is_passed_over);
                continue;
            };
            let key = bytes(&text[..at], self.session.is_key_hex)?;
            let value = bytes(&text[at + DELIMITER.len()..], self.session.is_value_hex)?;
            return Ok(Some((key, value)));
        }
    }
}

/// Says how many lines were no pairs, if any were.
pub(crate) fn tell_bad_lines(to: &mut dyn std::io::Write, bad_lines: usize) -> Outcome {
    if bad_lines > 0 {
        writeln!(to, "Warning: {bad_lines} bad lines ignored.")?;
    }
    Ok(())
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
