//! `list_file_range_deletes`: the range tombstones in tables, cut up so that none overlap unless
//! they are over the same range.

use super::failure::Outcome;
use super::open::OpenDb;
use super::session::Session;
use super::version_files::newest_first;
use base::dbformat::hex;
use std::fmt::Write as _;

/// How many are printed where no number is given.
const MAX_KEYS: i32 = 1000;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let max_keys = session.arguments.int("max_keys")?.unwrap_or(MAX_KEYS);
    let opened = session.open()?;
    if max_keys <= 0 {
        writeln!(session.out)?;
        return Ok(());
    }
    let text = describe(&opened, max_keys)?;
    writeln!(session.out, "{text}")?;
    Ok(())
}

fn describe(opened: &OpenDb, max_keys: i32) -> Outcome<String> {
    let OpenDb { family, .. } = opened;
    let mut text = String::new();
    let mut left = max_keys;
    for (level, file) in newest_first(&family.version()) {
        let directory = family.table_directory(file).display();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "=== file : {directory}/{:06}.sst ===", file.number);
        let table = family.open_table(level, file)?;
        for fragment in table.range_tombstones().iter().flat_map(|list| list.fragments()) {
            let (start, end) = (hex(fragment.start_key), hex(fragment.end_key));
            for tombstone in fragment.tombstones {
                if left == 0 {
                    break;
                }
                let _ = writeln!(text, "start: {start} end: {end} seq: {}", tombstone.sequence);
                left -= 1;
            }
        }
        if left == 0 {
            text.push_str("(results may not be complete)\n");
            break;
        }
    }
    Ok(text)
}
