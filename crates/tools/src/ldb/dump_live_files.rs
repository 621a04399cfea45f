//! `dump_live_files`: what is in all files that make up the database.

use super::blob_file_dump::{BlobFormat, dump_blob_file};
use super::dump_wal::{WalFormat, dump_wal_file, ends_log};
use super::failure::Outcome;
use super::manifest_dump::{ManifestFormat, dump_manifest_file};
use super::open::OpenDb;
use super::session::Session;
use super::table_file_dump::{TableFormat, dump_table_file};
use super::version_files::{blob_path, newest_first, normalized, table_path};
use base::Result;
use base::filename::{ARCHIVE, FileType, parse_file_name};
use db::ColumnFamilyHandle;
use env::{FileOptions, FileSystem};
use std::collections::BTreeMap;
use std::path::Path;
use wal::{LogEntry, LogReader, WriteBatchReader};

const DOUBLE_RULE: &str = "==============================";
const RULE: &str = "------------------------------";

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let OpenDb { db, .. } = session.open()?;
    let manifest_path = normalized(&db.recovered().manifest_path.to_string_lossy());
    writeln!(session.out, "Manifest File\n{DOUBLE_RULE}\n{manifest_path}")?;
    let format = ManifestFormat { print_edits: false, is_hex: false };
    dump_manifest_file(session, &manifest_path, format)?;
    writeln!(session.out)?;
    for family in db.column_families() {
        dump_family(session, &family)?;
    }
    writeln!(session.out, "\nWrite Ahead Log Files\n{DOUBLE_RULE}")?;
    let directory = match db.get_db_options().wal_dir.as_str() {
        "" => session.db_path.clone(),
        directory => normalized(&format!("{directory}/")),
    };
    match sorted_wals(&*session.fs, Path::new(&directory)) {
        Err(_) => writeln!(session.err, "Error when getting WAL files")?,
        Ok(names) => {
            for name in names {
                let path = format!("{directory}/{name}");
                writeln!(session.out, "{path}")?;
                dump_wal_file(session, &path, WalFormat::EVERYTHING)?;
            }
        }
    }
    Ok(())
}

fn dump_family(session: &mut Session<'_>, family: &ColumnFamilyHandle) -> Outcome {
    writeln!(session.out, "Column family name: {}\n{DOUBLE_RULE}\n", family.name())?;
    writeln!(session.out, "SST Files\n{DOUBLE_RULE}")?;
    let format = TableFormat {
        decode_blob_index: session.arguments.flag("decode_blob_index"),
        ..TableFormat::default()
    };
    for (level, file) in newest_first(&family.version()) {
        let path = table_path(family, file);
        writeln!(session.out, "{path} level:{level}\n{RULE}")?;
        dump_table_file(session, &path, &format)?;
        writeln!(session.out)?;
    }
    writeln!(session.out, "Blob Files\n{DOUBLE_RULE}")?;
    let format = BlobFormat {
        is_key_hex: false,
        is_value_hex: false,
        uncompressed: session.arguments.flag("dump_uncompressed_blobs"),
    };
    for file in family.version().blob_files() {
        let path = blob_path(family, file);
        writeln!(session.out, "{path}\n{RULE}")?;
        dump_blob_file(session, &path, format)?;
        writeln!(session.out)?;
    }
    Ok(())
}

/// Names of the logs that hold something, oldest first, archived ones among them.
fn sorted_wals(fs: &dyn FileSystem, directory: &Path) -> Result<Vec<String>> {
    let archived = match wals_in(fs, &directory.join(ARCHIVE)) {
        Err(status) if status.is_path_not_found() => BTreeMap::new(),
        archived => archived?,
    };
    let mut live = wals_in(fs, directory)?;
    // One that is there too was moved a moment ago.
    if let Some((newest_archived, _)) = archived.last_key_value() {
        live.retain(|number, _| number > newest_archived);
    }
    let archived = archived.into_values().map(|name| format!("{ARCHIVE}/{name}"));
    Ok(archived.chain(live.into_values()).collect())
}

/// Names of the logs in a directory that hold something.
fn wals_in(fs: &dyn FileSystem, directory: &Path) -> Result<BTreeMap<u64, String>> {
    let mut wals = BTreeMap::new();
    for name in fs.get_children(directory)? {
        if let Some((number, FileType::Wal)) = parse_file_name(&name)
            && holds_a_batch(fs, &directory.join(&name), number)?
        {
            wals.insert(number, name);
        }
    }
    Ok(wals)
}

/// Whether a log begins with a write batch. Damage before it is an error.
fn holds_a_batch(fs: &dyn FileSystem, path: &Path, number: u64) -> Result<bool> {
    let file = fs.new_sequential_file(path, &FileOptions::default())?;
    let mut reader = LogReader::new(file, number);
    while let Some(entry) = reader.read()? {
        match entry {
            LogEntry::Record(record) => {
                return Ok(WriteBatchReader::new(record.payload)?.sequence() != 0);
            }
            LogEntry::Damage(damage) if ends_log(&damage) => return Ok(false),
            LogEntry::Damage(damage) => return Err(damage.to_status(path)),
            LogEntry::TimestampSizes(_) | LogEntry::PredecessorWalInfo(_) => {}
        }
    }
    Ok(false)
}
