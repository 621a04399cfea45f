//! Replay of version edits, as text: `testdata/replay/*`.
//!
//! - `edit` takes one field a line and hands the edit to the replay.
//! - `finish` ends the replay: numbers of the database, then the families.
//! - `reset` starts another replay.
//! - `version` builds the version of a family and prints its files in order.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod best_efforts;
mod edit_text;
mod version_set;

use base::{InternalKeyComparator, comparator};
use edit_text::{parse_field, print_version};
use std::fmt::Write;
use std::path::Path;
use testing::datadriven::{self, Directive};
use version::{
    Version, VersionBuilder, VersionEdit, VersionEditHandler, VersionOptions, build_version,
};

struct Replay {
    handler: VersionEditHandler,
    edits: u64,
}

impl Replay {
    fn new() -> Self {
        Self { handler: VersionEditHandler::new(Path::new("/db/MANIFEST-000005")), edits: 0 }
    }

    fn execute(&mut self, directive: &Directive) -> String {
        let result = match directive.command.as_str() {
            "edit" => self.edit(directive),
            "finish" => self.finish(),
            "reset" => {
                *self = Self::new();
                Ok(String::new())
            }
            "version" => self.version(directive),
            other => panic!("{}: unknown command {other}", directive.position),
        };
        result.unwrap_or_else(|status| status.to_string())
    }

    /// The n-th edit is said to be at offset 100 n.
    fn edit(&mut self, directive: &Directive) -> base::Result<String> {
        let mut edit = VersionEdit::default();
        directive.input.lines().for_each(|line| parse_field(&mut edit, line));
        self.edits += 1;
        let decoded = VersionEdit::decode(&edit.encode())?;
        self.handler.handle(100 * self.edits, decoded)?;
        Ok("ok".into())
    }

    fn finish(&mut self) -> base::Result<String> {
        let mut text = String::new();
        if self.handler.in_atomic_group() {
            text.push_str("incomplete atomic group\n");
        }
        let (database, families) = std::mem::replace(self, Self::new()).handler.finish()?;
        writeln!(
            text,
            "next {} sequence {} prev-log {} min-log {} max-family {}",
            database.next_file_number.unwrap(),
            database.last_sequence.unwrap(),
            database.prev_log_number,
            database.min_log_number_to_keep,
            database.max_column_family
        )
        .unwrap();
        if let Some(id) = &database.db_id {
            writeln!(text, "db-id {}", id.escape_ascii()).unwrap();
        }
        for (number, size) in database.wals.wals() {
            writeln!(text, "wal {number} {size:?}").unwrap();
        }
        for family in families.values() {
            let mut files: Vec<_> =
                family.builder.files().map(|(level, file)| (level, file.number)).collect();
            files.sort_unstable();
            let (id, name) = (family.id, family.display_name());
            writeln!(text, "family {id} \"{name}\" log {} files {files:?}", family.log_number)
                .unwrap();
        }
        Ok(text)
    }

    fn version(&mut self, directive: &Directive) -> base::Result<String> {
        let name = directive.value("comparator").unwrap_or(comparator::BYTEWISE_NAME);
        let mut options =
            VersionOptions::new(InternalKeyComparator::new(comparator::builtin(name).unwrap()));
        options.num_levels = directive.parse_or("num_levels", 7);
        options.force_consistency_checks = !directive.has("unchecked");
        options.persist_user_defined_timestamps = !directive.has("memtable-only-timestamps");
        let family = &self.handler.families()[&directive.parse_or("family", 0)];
        let version = build_version(family, &options)?;
        check_rebuilt(&version, &options);
        Ok(print_version(&version))
    }
}

/// A version rebuilt from itself is the same.
fn check_rebuilt(version: &Version, options: &VersionOptions) {
    let rebuilt = VersionBuilder::from_version(version).build(options, false).unwrap();
    assert_eq!(print_version(&rebuilt), print_version(version));
}

#[test]
fn edits_give_the_state_that_the_text_files_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/replay");
    datadriven::run_directory(&directory, Replay::new, Replay::execute);
}
