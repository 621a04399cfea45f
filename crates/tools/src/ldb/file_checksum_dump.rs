//! `file_checksum_dump`: the checksums of whole files that the MANIFEST holds.

use super::failure::Outcome;
use super::print::plain_or_0x;
use super::session::Session;
use crate::print::until_zero;
use base::Result;
use env::{FileOptions, FileSystem};
use std::collections::BTreeMap;
use std::path::Path;
use table::{BlockBasedTable, TableOptions};
use version::{FileChecksum, FileMetaData, VersionOptions};

/// More levels than any database has.
const NUM_LEVELS: usize = 64;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let is_hex = session.arguments.flag("hex");
    for (number, checksum) in checksums(session)? {
        write!(session.out, "{number}, ")?;
        session.out.write_all(until_zero(&checksum.function_name))?;
        session.out.write_all(b", ")?;
        session.out.write_all(until_zero(&plain_or_0x(&checksum.value, is_hex)))?;
        writeln!(session.out)?;
    }
    writeln!(session.out, "Print SST file checksum information finished ")?;
    Ok(())
}

/// The checksum of each file by its number. All tables are opened, so that a bad one is
/// met; write-ahead logs are not read.
fn checksums(session: &Session<'_>) -> Outcome<BTreeMap<u64, FileChecksum>> {
    let fs = &*session.fs;
    let path = Path::new(&session.db_path);
    let recovered = version::recover(fs, path, |_| {
        let mut options = VersionOptions::new(TableOptions::default().comparator);
        options.num_levels = NUM_LEVELS;
        Ok(Some(options))
    })?;
    let mut checksums = BTreeMap::new();
    for family in recovered.column_families {
        for (_, file) in family.version.files() {
            open_table(fs, path, file)?;
            checksums.insert(file.number, file.file_checksum.clone().unwrap_or_default());
        }
        for file in family.version.blob_files() {
            let addition = &file.addition;
            let checksum = match addition.checksum_method.is_empty() {
                true => FileChecksum::default(),
                false => FileChecksum {
                    function_name: addition.checksum_method.clone(),
                    value: addition.checksum_value.clone(),
                },
            };
            checksums.insert(file.number(), checksum);
        }
    }
    Ok(checksums)
}

fn open_table(fs: &dyn FileSystem, db_path: &Path, file: &FileMetaData) -> Result<()> {
    let (path, size) = version::find_table_file(fs, &[db_path.to_path_buf()], file)?;
    let opened = fs.new_random_access_file(&path, &FileOptions::default())?;
    BlockBasedTable::open(opened, size, &TableOptions::default()).map(drop)
}
