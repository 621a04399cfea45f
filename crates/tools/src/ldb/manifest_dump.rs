//! `manifest_dump`: what a MANIFEST comes to, and [`dump_manifest_file`], which `dump --path` and
//! `dump_live_files` use too.
//!
//! The MANIFEST is shown as it is: without the database's options its comparators are unknown, so
//! that files stand in bytewise order.

use super::failure::{Failure, Outcome};
use super::manifest_text::{edit_text, version_text};
use super::session::Session;
use base::comparator::BytewiseComparator;
use base::filename::{FileType, parse_file_name};
use base::{Comparator, InternalKeyComparator, Result};
use env::FileSystem;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use version::version_edit_handler::DEFAULT_COLUMN_FAMILY_NAME;
use version::{
    ColumnFamilyReplay, DatabaseReplay, ManifestReader, ManifestRecord, VersionEdit,
    VersionEditHandler, VersionOptions,
};

/// The family in which RocksDB keeps its statistics. It is opened even where it is not listed.
const STATS_COLUMN_FAMILY_NAME: &[u8] = b"___rocksdb_stats_history___";

/// More levels than any database has.
const NUM_LEVELS: usize = 64;
/// Levels of the family of statistics, which always has RocksDB's default.
const STATS_NUM_LEVELS: usize = 7;

/// What of a MANIFEST is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ManifestFormat {
    /// All edits before the outcome.
    pub(crate) print_edits: bool,
    /// Keys as hexadecimal.
    pub(crate) is_hex: bool,
}

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let arguments = session.arguments;
    let path = match arguments.option("path") {
        Some(path) => path.to_owned(),
        None => find_manifest(session)?,
    };
    let verbose = arguments.flag("verbose");
    // RocksDB's JSON is not implemented either: it prints the same text.
    let print_edits = verbose || arguments.flag("json");
    if verbose {
        writeln!(session.out, "Processing Manifest file {path}")?;
    }
    dump_manifest_file(session, &path, ManifestFormat { print_edits, is_hex: session.is_key_hex })?;
    if verbose {
        writeln!(session.out, "Processing Manifest file {path} done")?;
    }
    Ok(())
}

/// The only MANIFEST in the database's directory; which one is live does not count.
fn find_manifest(session: &Session<'_>) -> Outcome<String> {
    let db_path = &session.db_path;
    let children = session.fs.get_children(Path::new(db_path)).map_err(|status| {
        Failure::new(format!("{status}: Failed to list the content of {db_path}"))
    })?;
    let is_manifest =
        |name: &&String| matches!(parse_file_name(name), Some((_, FileType::Descriptor)));
    let mut manifests = children.iter().filter(is_manifest);
    match (manifests.next(), manifests.next()) {
        (Some(name), None) => {
            let slash = if db_path.ends_with('/') { "" } else { "/" };
            Ok(format!("{db_path}{slash}{name}"))
        }
        (None, _) => Err(Failure::new(format!("No MANIFEST found in {db_path}"))),
        _ => Err(Failure::new("Multiple MANIFEST files found; use --path to select one")),
    }
}

/// Prints a MANIFEST. A bad one is no failure of the command.
pub(crate) fn dump_manifest_file(
    session: &mut Session<'_>,
    path: &str,
    format: ManifestFormat,
) -> Outcome {
    let fs = Arc::clone(&session.fs);
    let names = match family_names(&*fs, Path::new(path)) {
        Ok(names) => names,
        Err(status) => {
            writeln!(session.err, "Error in processing file {path} {status}")?;
            return Ok(());
        }
    };
    match Dump::read(&*fs, Path::new(path), &names, format, session.out)? {
        Ok(dump) => dump.write(format, session.out)?,
        Err(status) => {
            writeln!(session.out, "{status}")?;
            writeln!(session.err, "Error in processing file {path} {status}")?;
        }
    }
    Ok(())
}

/// Names of the column families that exist at the end of a MANIFEST.
fn family_names(fs: &dyn FileSystem, path: &Path) -> Result<BTreeSet<Vec<u8>>> {
    let mut families = BTreeMap::from([(0, DEFAULT_COLUMN_FAMILY_NAME.as_bytes().to_vec())]);
    for record in ManifestReader::open(fs, path)? {
        let ManifestRecord { edit, .. } = record?;
        if let Some(name) = edit.column_family_add {
            families.insert(edit.column_family, name);
        } else if edit.column_family_drop {
            families.remove(&edit.column_family);
        }
    }
    Ok(families.into_values().collect())
}

/// A MANIFEST read to its end.
struct Dump {
    database: DatabaseReplay,
    families: BTreeMap<u32, ColumnFamilyReplay>,
    /// Ids of the families, in the order in which they were made.
    order: Vec<u32>,
    /// The number of the first version at the end. RocksDB makes one for every family when it is
    /// made, and then another at the end.
    next_version_number: u64,
}

impl Dump {
    /// Reads the edits, and prints them on the way if they are asked for.
    fn read(
        fs: &dyn FileSystem,
        path: &Path,
        names: &BTreeSet<Vec<u8>>,
        format: ManifestFormat,
        out: &mut dyn Write,
    ) -> Outcome<Result<Self>> {
        let mut reader = match ManifestReader::open(fs, path) {
            Ok(reader) => reader,
            Err(status) => return Ok(Err(status)),
        };
        let mut handler = VersionEditHandler::new(path);
        let mut order = vec![0];
        let mut next_version_number = 1;
        // Edits of an atomic group count when its last is there.
        let mut group = Vec::new();
        loop {
            let record = match reader.read() {
                Ok(Some(record)) => record,
                Ok(None) => break,
                Err(status) => return Ok(Err(status)),
            };
            group.push(record.edit.clone());
            if record.edit.remaining_entries.is_none_or(|remaining| remaining == 0) {
                for edit in group.drain(..) {
                    if format.print_edits {
                        out.write_all(&edit_text(&edit, format.is_hex))?;
                    }
                    note_family(&edit, names, &mut order, &mut next_version_number);
                }
            }
            if let Err(status) = handler.handle(record.offset, record.edit) {
                return Ok(Err(status));
            }
        }
        Ok(handler.finish().map(|(database, families)| Self {
            database,
            families,
            order,
            next_version_number,
        }))
    }

    /// Prints the column families and the numbers of the database.
    fn write(self, format: ManifestFormat, out: &mut dyn Write) -> Outcome {
        let families = self.order.iter().filter_map(|id| self.families.get(id));
        for (version_number, family) in (self.next_version_number..).zip(families) {
            write_family(family, version_number, format, out)?;
        }
        let database = &self.database;
        writeln!(
            out,
            "next_file_number {} last_sequence {}  prev_log_number {} max_column_family {} \
             min_log_number_to_keep {}",
            database.next_file_number.unwrap_or(0).saturating_add(1),
            database.last_sequence.unwrap_or(0),
            database.prev_log_number,
            database.max_column_family,
            database.min_log_number_to_keep
        )?;
        Ok(())
    }
}

fn write_family(
    family: &ColumnFamilyReplay,
    version_number: u64,
    format: ManifestFormat,
    out: &mut dyn Write,
) -> Outcome {
    write!(out, "--------------- Column family \"")?;
    out.write_all(&family.name)?;
    writeln!(out, "\"  (ID {}) --------------", family.id)?;
    writeln!(out, "log number: {}", family.log_number)?;
    let name = BytewiseComparator.name();
    match family.comparator_name.as_deref().filter(|other| *other != name.as_bytes()) {
        None => writeln!(out, "comparator: {name}")?,
        Some(other) => {
            let other = String::from_utf8_lossy(other);
            writeln!(out, "comparator: <{other}>, but the comparator object is not available.")?;
        }
    }
    let mut options = VersionOptions::new(InternalKeyComparator::new(Arc::new(BytewiseComparator)));
    let is_stats = family.name == STATS_COLUMN_FAMILY_NAME;
    options.num_levels = if is_stats { STATS_NUM_LEVELS } else { NUM_LEVELS };
    options.force_consistency_checks = false;
    let version = family.builder.build(&options, false)?;
    out.write_all(&version_text(&version, version_number, format.is_hex))?;
    Ok(())
}

/// Follows which families are made and dropped.
fn note_family(
    edit: &VersionEdit,
    names: &BTreeSet<Vec<u8>>,
    order: &mut Vec<u32>,
    next_version_number: &mut u64,
) {
    if let Some(name) = &edit.column_family_add {
        if names.contains(name) || name == STATS_COLUMN_FAMILY_NAME {
            order.push(edit.column_family);
            *next_version_number += 1;
        }
    } else if edit.column_family_drop {
        order.retain(|id| *id != edit.column_family);
    }
}
