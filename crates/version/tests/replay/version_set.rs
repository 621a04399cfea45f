//! A version set that is written to, as text: `testdata/version_set/*`.
//!
//! - `create` makes a new database; `reopen` opens what is on disk.
//! - `use N` marks a file number as given out.
//! - `apply [atomic] [sequence=N]` applies the edits, one after each line `edit`, and prints the
//!   versions that change.
//! - `create-family NAME log=N`, `drop-family N`, `new-manifest`.
//! - `state` prints what the set knows, `manifest` the edits of its MANIFEST.
//! - `hold` keeps the current versions alive until `release`; `obsolete` prints what became
//!   obsolete, `live` what is not.

use crate::edit_text::{parse_field, print_version};
use base::InternalKeyComparator;
use env::{FileSystem, MemFileSystem};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use testing::datadriven::{self, Directive};
use version::{
    ApplyContext, ManifestReader, ObsoleteFile, Version, VersionEdit, VersionOptions, VersionSet,
    VersionSetOptions, read_current,
};

const DB: &str = "/db";

fn family_options() -> VersionOptions {
    VersionOptions::new(InternalKeyComparator::bytewise())
}

struct Database {
    fs: Arc<dyn FileSystem>,
    set: Option<VersionSet>,
    held: Vec<Arc<Version>>,
}

impl Database {
    fn new() -> Self {
        let fs = MemFileSystem::new();
        fs.create_dir(Path::new(DB)).unwrap();
        Self { fs: Arc::new(fs), set: None, held: Vec::new() }
    }

    fn execute(&mut self, directive: &Directive) -> String {
        self.try_execute(directive).unwrap_or_else(|status| status.to_string())
    }

    fn try_execute(&mut self, directive: &Directive) -> base::Result<String> {
        match directive.command.as_str() {
            "create" => self.create(),
            "reopen" => self.reopen(directive),
            "state" => Ok(self.state()),
            "manifest" => self.manifest(),
            "hold" => {
                let set = self.set.as_ref().unwrap();
                self.held.extend(set.column_families().map(|f| Arc::clone(f.version())));
                Ok("ok".into())
            }
            "release" => {
                self.held.clear();
                Ok("ok".into())
            }
            _ => change(self.set.as_mut().unwrap(), directive),
        }
    }

    fn create(&mut self) -> base::Result<String> {
        let options = VersionSetOptions::default();
        let fs = Arc::clone(&self.fs);
        let set = VersionSet::create(fs, Path::new(DB), options, b"the id", &family_options())?;
        self.set = Some(set);
        Ok("ok".into())
    }

    fn reopen(&mut self, directive: &Directive) -> base::Result<String> {
        let closed = directive.value("without").unwrap_or_default().as_bytes().to_vec();
        self.set = None;
        let fs = Arc::clone(&self.fs);
        let options = VersionSetOptions::default();
        let set = VersionSet::recover(fs, Path::new(DB), options, |family| {
            Ok((family.name != closed).then(family_options))
        })?;
        self.set = Some(set);
        Ok("ok".into())
    }

    fn state(&self) -> String {
        let set = self.set.as_ref().unwrap();
        let mut text = format!(
            "next {} sequence {} min-log {} max-family {} manifest {}\n",
            set.file_numbers().peek(),
            set.last_sequence(),
            set.min_log_number_to_keep(),
            set.max_column_family(),
            set.manifest_number(),
        );
        for (number, size) in set.wals().wals() {
            writeln!(text, "wal {number} {size:?}").unwrap();
        }
        for family in set.column_families() {
            let state = family.state();
            let (id, name, log) = (state.id, state.name.escape_ascii(), state.log_number);
            let epoch = family.epoch_numbers().peek();
            writeln!(text, "family {id} {name} log {log} next epoch {epoch}").unwrap();
            text.push_str(&print_version(&state.version));
        }
        text
    }

    fn manifest(&self) -> base::Result<String> {
        let (path, _) = read_current(&*self.fs, Path::new(DB))?;
        let mut text = String::new();
        for record in ManifestReader::open(&*self.fs, &path)? {
            writeln!(text, "{}", print_edit(&record?.edit)).unwrap();
        }
        Ok(text)
    }
}

fn change(set: &mut VersionSet, directive: &Directive) -> base::Result<String> {
    let first = directive.arguments.first().map_or("", |argument| argument.key.as_str());
    let mut text = String::new();
    match directive.command.as_str() {
        "use" => set.file_numbers().mark_used(first.parse().unwrap()),
        "apply" => {
            for (id, version) in apply(set, directive)? {
                write!(text, "family {id}\n{}", print_version(&version)).unwrap();
            }
        }
        "create-family" => {
            let log = directive.parse_or("log", 0);
            let id = set.create_column_family(first.as_bytes(), &family_options(), log)?;
            writeln!(text, "family {id}").unwrap();
        }
        "drop-family" => set.drop_column_family(first.parse().unwrap())?,
        "new-manifest" => set.write_new_manifest()?,
        "obsolete" => {
            for file in set.take_obsolete_files() {
                match file {
                    ObsoleteFile::Table { number, .. } => writeln!(text, "table {number}"),
                    ObsoleteFile::Blob { number, .. } => writeln!(text, "blob {number}"),
                }
                .unwrap();
            }
        }
        "live" => {
            let live = set.live_files();
            writeln!(text, "tables {:?} blobs {:?}", live.tables, live.blob_files).unwrap();
        }
        other => unreachable!("{}: unknown command {other}", directive.position),
    }
    Ok(if text.is_empty() { "ok".into() } else { text })
}

fn apply(set: &mut VersionSet, directive: &Directive) -> base::Result<Vec<(u32, Arc<Version>)>> {
    let mut edits = Vec::new();
    for line in directive.input.lines() {
        if line == "edit" {
            edits.push(VersionEdit::default());
        } else {
            parse_field(edits.last_mut().unwrap(), line);
        }
    }
    let edits = edits.into_iter().map(|edit| (edit.column_family, edit)).collect();
    let context = ApplyContext {
        atomic: directive.has("atomic"),
        last_sequence: directive.parse_or("sequence", 0),
    };
    set.log_and_apply(edits, &context)
}

/// The fields in the order in which they are written.
fn print_edit(edit: &VersionEdit) -> String {
    let mut text = format!("family {}", edit.column_family);
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            write!(text, ", {name} {value}").unwrap();
        }
    };
    let bytes = |value: &Option<Vec<u8>>| value.as_ref().map(|v| v.escape_ascii().to_string());
    let number = |value: Option<u64>| value.map(|number| number.to_string());
    field("db-id", bytes(&edit.db_id));
    field("comparator", bytes(&edit.comparator));
    field("log", number(edit.log_number));
    field("prev-log", number(edit.prev_log_number));
    field("next", number(edit.next_file_number));
    field("max-family", number(edit.max_column_family.map(u64::from)));
    field("min-log", number(edit.min_log_number_to_keep));
    field("sequence", number(edit.last_sequence));
    for (level, _) in &edit.compact_cursors {
        field("cursor", Some(format!("L{level}")));
    }
    for (level, file) in &edit.deleted_files {
        field("delete", Some(format!("L{level} {file}")));
    }
    for new in &edit.new_files {
        let (level, file, epoch) = (new.level, new.file.number, new.file.epoch_number);
        field("add", Some(format!("L{level} {file} epoch {epoch}")));
    }
    for blob in &edit.blob_file_additions {
        field("blob", Some(blob.number.to_string()));
    }
    for garbage in &edit.blob_file_garbages {
        field("garbage", Some(format!("{} {}", garbage.number, garbage.garbage_blob_count)));
    }
    for wal in &edit.wal_additions {
        field("wal", Some(format!("{} {:?}", wal.number, wal.synced_size_bytes)));
    }
    field("delete-wals-before", number(edit.wal_deletion));
    field("add-family", bytes(&edit.column_family_add));
    field("drop-family", edit.column_family_drop.then(String::new));
    field("remaining", number(edit.remaining_entries.map(u64::from)));
    field("persist", edit.persist_user_defined_timestamps.map(|persist| persist.to_string()));
    text
}

#[test]
fn changes_of_a_version_set() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/version_set");
    datadriven::run_directory(&directory, Database::new, Database::execute);
}
