//! The shape of a tree: what is in memory, how many sorted runs there are, how full each level is.
//!
//! This is what a read has to go through, so it belongs beside every measurement of reads.

use crate::level_targets::{
    LevelSize, LevelTargetOptions, LevelTargets, compaction_scores,
    estimated_compaction_needed_bytes,
};
use crate::version::Version;
use std::fmt::{self, Write};

/// A memtable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemTableShape {
    /// Entries, deletions included.
    pub entries: u64,
    /// Bytes of memory.
    pub bytes: u64,
}

/// A level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelShape {
    /// Its number.
    pub level: usize,
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that it should have at most; none for L0 and where nothing is compacted from.
    pub target_bytes: Option<u64>,
    /// How much it needs compaction, see [`compaction_scores`].
    pub score: Option<f64>,
    /// Entries, if the tables were asked.
    pub entries: Option<u64>,
}

/// The tree of a column family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeShape {
    /// Name of the column family.
    pub column_family: String,
    /// The active memtable, then the immutable ones, newest first.
    pub memtables: Vec<MemTableShape>,
    /// Levels from L0 on, empty ones included.
    pub levels: Vec<LevelShape>,
    /// The level that L0 is compacted to, in leveled compaction.
    pub base_level: Option<usize>,
    /// Bytes that compactions would rewrite until every level is within its target.
    pub pending_compaction_bytes: u64,
    /// Blob files.
    pub blob_files: usize,
    /// Bytes of blob records.
    pub blob_bytes: u64,
    /// Of these, bytes that nothing refers to.
    pub blob_garbage_bytes: u64,
}

impl TreeShape {
    /// The shape of a version, without memtables and entries.
    pub fn new(column_family: &str, version: &Version, options: &LevelTargetOptions) -> Self {
        let sizes = LevelSize::of_version(version);
        let targets = LevelTargets::new(options, &sizes);
        let scores = compaction_scores(options, &sizes, &targets);
        let levels = sizes.iter().enumerate().map(|(level, size)| LevelShape {
            level,
            files: size.files,
            bytes: size.size_bytes,
            target_bytes: targets
                .target_bytes
                .get(level)
                .copied()
                .filter(|target| level > 0 && *target != u64::MAX),
            score: scores.get(level).copied(),
            entries: None,
        });
        let blobs = version.blob_files();
        Self {
            column_family: column_family.to_owned(),
            memtables: Vec::new(),
            levels: levels.collect(),
            base_level: targets.base_level,
            pending_compaction_bytes: estimated_compaction_needed_bytes(options, &sizes, &targets),
            blob_files: blobs.len(),
            blob_bytes: blobs.iter().map(|file| file.addition.total_blob_bytes).sum(),
            blob_garbage_bytes: blobs.iter().map(|file| file.garbage_blob_bytes).sum(),
        }
    }

    /// Sorted runs in L0: its files.
    pub fn l0_sorted_runs(&self) -> usize {
        self.levels.first().map_or(0, |level| level.files)
    }

    /// Sorted runs on disk: L0's and one for each deeper level that is not empty.
    pub fn sorted_runs(&self) -> usize {
        let deeper = self.levels.iter().skip(1).filter(|level| level.files > 0).count();
        self.l0_sorted_runs() + deeper
    }

    /// One JSON object, on one line. Numbers that are not known are null.
    pub fn to_json(&self) -> String {
        let memtables = self
            .memtables
            .iter()
            .map(|table| format!("{{\"entries\":{},\"bytes\":{}}}", table.entries, table.bytes));
        let levels = self.levels.iter().map(|level| {
            format!(
                "{{\"level\":{},\"files\":{},\"bytes\":{},\"target_bytes\":{},\"score\":{},\
                 \"entries\":{}}}",
                level.level,
                level.files,
                level.bytes,
                or_null(level.target_bytes),
                or_null(level.score.filter(|score| score.is_finite())),
                or_null(level.entries)
            )
        });
        format!(
            "{{\"column_family\":{},\"memtables\":[{}],\"l0_sorted_runs\":{},\"sorted_runs\":{},\
             \"base_level\":{},\"pending_compaction_bytes\":{},\"levels\":[{}],\"blob_files\":{},\
             \"blob_bytes\":{},\"blob_garbage_bytes\":{}}}",
            json_string(&self.column_family),
            memtables.collect::<Vec<_>>().join(","),
            self.l0_sorted_runs(),
            self.sorted_runs(),
            or_null(self.base_level),
            self.pending_compaction_bytes,
            levels.collect::<Vec<_>>().join(","),
            self.blob_files,
            self.blob_bytes,
            self.blob_garbage_bytes
        )
    }
}

fn or_null(value: Option<impl fmt::Display>) -> String {
    value.map_or("null".into(), |value| value.to_string())
}

fn json_string(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..' ' => {
                let _ = write!(json, "\\u{:04x}", character as u32);
            }
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

fn or_dash(value: Option<impl fmt::Display>) -> String {
    value.map_or("-".into(), |value| value.to_string())
}

/// A table for people; sizes in bytes.
impl fmt::Display for TreeShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "column family {}", self.column_family)?;
        for (index, table) in self.memtables.iter().enumerate() {
            let kind = if index == 0 { "active" } else { "immutable" };
            writeln!(f, "{kind} memtable: {} entries, {} bytes", table.entries, table.bytes)?;
        }
        writeln!(
            f,
            "sorted runs: {} in L0, {} in all; base level {}; pending compaction {} bytes",
            self.l0_sorted_runs(),
            self.sorted_runs(),
            self.base_level.map_or("-".into(), |level| format!("L{level}")),
            self.pending_compaction_bytes
        )?;
        let (level, files, bytes, target, score) = ("level", "files", "bytes", "target", "score");
        writeln!(f, "{level:5} {files:>7} {bytes:>15} {target:>15} {score:>8} {:>12}", "entries")?;
        for level in &self.levels {
            writeln!(
                f,
                "L{:<4} {:>7} {:>15} {:>15} {:>8} {:>12}",
                level.level,
                level.files,
                level.bytes,
                or_dash(level.target_bytes),
                or_dash(level.score.map(|score| format!("{score:.2}"))),
                or_dash(level.entries)
            )?;
        }
        let files: usize = self.levels.iter().map(|level| level.files).sum();
        let bytes: u64 = self.levels.iter().map(|level| level.bytes).sum();
        let entries: Option<u64> = self.levels.iter().map(|level| level.entries).sum();
        let (dash, entries) = ("-", or_dash(entries));
        writeln!(f, "{:5} {files:>7} {bytes:>15} {dash:>15} {dash:>8} {entries:>12}", "sum")?;
        if self.blob_files > 0 {
            writeln!(
                f,
                "blob files: {}, {} bytes, of which {} garbage",
                self.blob_files, self.blob_bytes, self.blob_garbage_bytes
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
