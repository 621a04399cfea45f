//! What is in a table file, for `dump --path` and `dump_live_files`.

use super::failure::Outcome;
use super::session::Session;
use crate::sst_dump::{DumpOptions, KeyRange, READAHEAD_SIZE_BYTES, SstFileDumper};
use std::sync::Arc;

/// What of a table is printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableFormat {
    /// Keys and values as hexadecimal.
    pub(crate) is_hex: bool,
    /// References to blob files in words.
    pub(crate) decode_blob_index: bool,
    /// Which entries.
    pub(crate) range: KeyRange,
}

/// Prints a table's entries and properties. A bad table is no failure of the command.
pub(crate) fn dump_table_file(
    session: &mut Session<'_>,
    path: &str,
    format: &TableFormat,
) -> Outcome {
    if path.len() <= ".sst".len() || !path.ends_with(".sst") {
        writeln!(session.out, "Invalid sst file name.")?;
        return Ok(());
    }
    let options = DumpOptions {
        verify_checksums: false,
        output_hex: format.is_hex,
        decode_blob_index: format.decode_blob_index,
        readahead_size_bytes: READAHEAD_SIZE_BYTES,
    };
    let fs = Arc::clone(&session.fs);
    let dumper = match SstFileDumper::open(&*fs, path, options, session.out)? {
        Ok(dumper) => dumper,
        Err(status) => {
            writeln!(session.err, "Error in reading SST file {path}: {status}")?;
            return Ok(());
        }
    };
    let (_, result) =
        dumper.read_sequential(true, u64::MAX, &format.range, session.out, session.err)?;
    if let Err(status) = result {
        writeln!(session.err, "Error in reading SST file {path}: {status}")?;
        return Ok(());
    }
    if let Some(properties) = dumper.properties() {
        writeln!(session.out, "\nTable Properties:\n{}", properties.to_text("\n", "="))?;
    }
    Ok(())
}
