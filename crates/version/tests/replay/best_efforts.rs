//! Best-efforts recovery, as text: `testdata/best_efforts/*`.
//!
//! - `edit` appends an edit to the MANIFEST, one field a line.
//! - `manifest N` begins another one of that number.
//! - `recover [without=(N, N)]` recovers without these files and prints the versions.

use crate::edit_text::{parse_field, print_version};
use base::InternalKeyComparator;
use base::filename::descriptor_file_name;
use env::{FileSystem, MemFileSystem};
use std::fmt::Write;
use std::path::Path;
use testing::datadriven::{self, Directive};
use version::{
    BlobFileAddition, ColumnFamilyReplay, FileChecker, FileMetaData, ManifestWriter, VersionEdit,
    VersionOptions, recover_best_efforts,
};

const DB: &str = "/db";

struct Manifests {
    fs: MemFileSystem,
    number: u64,
    edits: Vec<VersionEdit>,
}

/// Numbers of the files that are missing.
struct Missing(Vec<u64>);

impl FileChecker for Missing {
    fn is_table_usable(
        &mut self,
        _family: &ColumnFamilyReplay,
        _level: u32,
        file: &FileMetaData,
    ) -> base::Result<bool> {
        Ok(!self.0.contains(&file.number))
    }

    fn is_blob_file_usable(
        &mut self,
        _family: &ColumnFamilyReplay,
        addition: &BlobFileAddition,
    ) -> base::Result<bool> {
        Ok(!self.0.contains(&addition.number))
    }
}

impl Manifests {
    fn new() -> Self {
        let fs = MemFileSystem::new();
        fs.create_dir(Path::new(DB)).unwrap();
        Self { fs, number: 5, edits: Vec::new() }
    }

    fn execute(&mut self, directive: &Directive) -> String {
        match directive.command.as_str() {
            "edit" => {
                let mut edit = VersionEdit::default();
                directive.input.lines().for_each(|line| parse_field(&mut edit, line));
                self.edits.push(edit);
                self.write();
                "ok".into()
            }
            "manifest" => {
                self.number = directive.arguments[0].key.parse().unwrap();
                self.edits.clear();
                self.write();
                "ok".into()
            }
            "recover" => self.recover(directive).unwrap_or_else(|status| status.to_string()),
            other => panic!("{}: unknown command {other}", directive.position),
        }
    }

    fn write(&self) {
        let mut writer =
            ManifestWriter::create(&self.fs, Path::new(DB), self.number, false).unwrap();
        self.edits.iter().for_each(|edit| writer.add(edit).unwrap());
        writer.close().unwrap();
    }

    fn recover(&self, directive: &Directive) -> base::Result<String> {
        let without = directive.arguments.iter().find(|argument| argument.key == "without");
        let values = without.map_or(&[][..], |argument| &argument.values);
        let mut missing = Missing(values.iter().map(|value| value.parse().unwrap()).collect());
        let options = VersionOptions::new(InternalKeyComparator::bytewise());
        let open = |_: &ColumnFamilyReplay| Ok(Some(options.clone()));
        let recovered = recover_best_efforts(&self.fs, Path::new(DB), open, &mut missing)?;
        let manifest = recovered.manifest;
        let name = descriptor_file_name(Path::new(""), manifest.manifest_number);
        let mut text = format!("{}", name.display());
        if recovered.files_missing {
            text.push_str(", files are missing");
        }
        text.push('\n');
        for family in &manifest.column_families {
            let (id, version) = (family.id, print_version(&family.version));
            write!(text, "family {id}\n{version}").unwrap();
        }
        Ok(text)
    }
}

#[test]
fn what_is_left_when_files_are_missing() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/best_efforts");
    datadriven::run_directory(&directory, Manifests::new, Manifests::execute);
}
