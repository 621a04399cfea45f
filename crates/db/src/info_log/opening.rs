//! What a log begins with: who writes it, what is in the directory, and every option. Then what is
//! found when the database is opened.

use super::{InfoLog, outcome};
use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor};
use crate::open::found_files::{FoundFile, FoundFiles};
use crate::recovery::wal_directory;
use base::Status;
use base::filename::{CURRENT, FileType, IDENTITY, descriptor_file_name};
use env::{FileSystem, host_name};
use options::{BlockBasedTableOptions, ColumnFamilyOptions, DbOptions, TableFactory};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Options of so many column families are listed.
const FAMILIES_LISTED_MAX: usize = 10;
/// Tables of which the summary has the names.
const TABLES_NAMED_MAX: usize = 9;

/// What an open found before it replays WALs.
pub(crate) struct FoundDatabase<'a> {
    pub(crate) db_id: &'a [u8],
    pub(crate) manifest_path: &'a Path,
    pub(crate) next_file_number: u64,
    pub(crate) last_sequence: u64,
    pub(crate) families: &'a [Arc<ColumnFamilyData>],
    pub(crate) warnings: &'a [String],
}

impl InfoLog {
    /// Says what is about to be opened, and how.
    pub(crate) fn describe(
        &self,
        options: &DbOptions,
        path: &Path,
        families: &[ColumnFamilyDescriptor],
        fs: &dyn FileSystem,
        found: Option<&FoundFiles>,
        session_id: &str,
    ) {
        self.header(format_args!("Touchstone version: {}", env!("CARGO_PKG_VERSION")));
        self.header(format_args!("DB SUMMARY"));
        self.header(format_args!("Host name (Env):  {}", host_name()));
        self.header(format_args!("DB Session ID:  {session_id}"));
        if let Some(found) = found {
            self.describe_files(options, path, fs, found);
        }
        for (name, value) in options.listing() {
            self.option(&name, &value);
        }
        for (index, family) in families.iter().enumerate() {
            match index < FAMILIES_LISTED_MAX {
                true => self.describe_family(family),
                false => self.header(format_args!(
                    "--------------- Options for column family [{}]: (skipping printing options)",
                    family.name
                )),
            }
        }
    }

    /// Says what options a column family has.
    pub(crate) fn describe_family(&self, family: &ColumnFamilyDescriptor) {
        self.header(format_args!("--------------- Options for column family [{}]:", family.name));
        for (name, value) in family.options.listing() {
            self.option(&name, &value);
        }
        if let Some(table) = block_based(&family.options) {
            let mut text = String::new();
            for (name, value) in table.listing() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "  {name}: {value}");
            }
            let text = text.trim();
            self.header(format_args!("           table_factory options:   {text}"));
        }
    }

    fn option(&self, name: &str, value: &str) {
        self.header(format_args!("{:>47}: {value}", format!("Options.{name}")));
    }

    /// Says what files there are.
    fn describe_files(
        &self,
        options: &DbOptions,
        path: &Path,
        fs: &dyn FileSystem,
        found: &FoundFiles,
    ) {
        for (title, name) in [("CURRENT", CURRENT), ("IDENTITY", IDENTITY)] {
            if found.within(path).iter().any(|file| file.name == name) {
                self.header(format_args!("{title} file:  {name}"));
            }
        }
        let size = |path: &Path| fs.get_file_size(path).unwrap_or(0);
        for number in found.numbers(path, FileType::Descriptor) {
            let manifest = descriptor_file_name(path, number);
            let name = manifest.file_name().unwrap_or_default().display();
            self.header(format_args!("MANIFEST file:  {name} size: {} Bytes", size(&manifest)));
        }
        let is = |kind: FileType| move |file: &&FoundFile| file.kind == kind;
        let mut tables: Vec<&FoundFile> =
            found.within(path).iter().filter(is(FileType::Table)).collect();
        let count = tables.len();
        if count > TABLES_NAMED_MAX {
            tables.select_nth_unstable_by(TABLES_NAMED_MAX, |a, b| a.name.cmp(&b.name));
            tables.truncate(TABLES_NAMED_MAX);
        }
        tables.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let named: String = tables.iter().map(|file| format!("{} ", file.name)).collect();
        self.header(format_args!(
            "SST files in {} dir, Total Num: {count}, files: {named}",
            path.display()
        ));
        let wal_directory = wal_directory(options, path);
        let mut wals: Vec<&FoundFile> =
            found.within(&wal_directory).iter().filter(is(FileType::Wal)).collect();
        wals.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let sizes: String = wals
            .iter()
            .map(|FoundFile { name, .. }| {
                format!("{name} size: {} ; ", size(&wal_directory.join(name)))
            })
            .collect();
        self.header(format_args!("Write Ahead Log file in {}: {sizes}", wal_directory.display()));
    }

    /// Says what the MANIFEST has, and what to know of the options.
    pub(crate) fn found(&self, found: &FoundDatabase<'_>) {
        self.info(format_args!("DB ID: {}", String::from_utf8_lossy(found.db_id)));
        self.info(format_args!(
            "Recovered from manifest file:{} succeeded, next_file_number is {}, last_sequence is {}",
            found.manifest_path.display(),
            found.next_file_number,
            found.last_sequence
        ));
        for family in found.families {
            self.info(format_args!(
                "Column family [{}] (ID {}), log number is {}",
                family.name,
                family.id,
                family.log_number.load(Ordering::Acquire)
            ));
        }
        for warning in found.warnings {
            self.warn(format_args!("{warning}"));
        }
    }

    /// WALs of these numbers are about to be replayed.
    pub(crate) fn recovery_started(&self, job: u64, wal_numbers: &[u64]) {
        self.event(|event| {
            event.field("job", job).field("event", "recovery_started");
            event.array("wal_files", wal_numbers);
        });
    }

    /// They are.
    pub(crate) fn recovery_finished(&self, job: u64, result: Result<&(), &Status>) {
        self.event(|event| {
            event.field("job", job).field("event", "recovery_finished");
            event.field("status", outcome(result));
        });
    }

    /// The database is open, or is not.
    pub(crate) fn opened(&self, result: Result<(), &Status>) {
        match result {
            Ok(()) => self.info(format_args!("Database opened")),
            Err(status) => self.error(format_args!("Opening the database failed: {status}")),
        }
        self.flush();
    }
}

/// The options of tables, where they are of the kind that is written.
fn block_based(family: &ColumnFamilyOptions) -> Option<&BlockBasedTableOptions> {
    (family.table_factory == TableFactory::BlockBased).then_some(&family.table)
}
