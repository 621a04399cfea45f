//! What `shape` prints.

use options::Release;
use std::io::{self, Write};
use std::path::PathBuf;
use version::TreeShape;

/// The shapes of a database, and what to say about them.
pub(super) struct Report {
    pub(super) path: PathBuf,
    pub(super) options_file: Option<PathBuf>,
    pub(super) rocksdb_version: Option<Release>,
    pub(super) notes: Vec<String>,
    pub(super) shapes: Vec<TreeShape>,
}

impl Report {
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "database {}", self.path.display())?;
        if let Some(file) = &self.options_file {
            let file = file.file_name().unwrap_or_default().display();
            match self.rocksdb_version {
                Some(release) => writeln!(out, "options from {file}, by RocksDB {release}")?,
                None => writeln!(out, "options from {file}")?,
            }
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        for shape in &self.shapes {
            write!(out, "\n{shape}")?;
        }
        Ok(())
    }

    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = self.options_file.as_ref();
        let file = file.map(|file| file.file_name().unwrap_or_default().display().to_string());
        let version = self.rocksdb_version.map(|version| version.to_string());
        let shapes: Vec<_> = self.shapes.iter().map(TreeShape::to_json).collect();
        writeln!(
            out,
            "{{\"database\":{},\"options_file\":{},\"rocksdb_version\":{},\"notes\":{},\
             \"column_families\":[{}]}}",
            serde_json::to_string(&self.path.display().to_string())?,
            serde_json::to_string(&file)?,
            serde_json::to_string(&version)?,
            serde_json::to_string(&self.notes)?,
            shapes.join(",")
        )
    }
}
