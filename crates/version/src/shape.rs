//! The shape of a tree: what is in memory, how many sorted runs there are, how full each level is.
//!
//! This is what a read has to go through, so it belongs beside every measurement of reads.

use crate::blob_file_metadata::BlobFileMetaData;
use crate::level_targets::{
    CompactionStyle, LevelSize, LevelTargetOptions, LevelTargets, compaction_scores,
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

/// A file of L0, which is a sorted run of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L0FileShape {
    /// Number in the file's name.
    pub number: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Entries, if the table was asked.
    pub entries: Option<u64>,
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
    /// How it is compacted.
    pub compaction_style: CompactionStyle,
    /// The active memtable, then the immutable ones, newest first.
    pub memtables: Vec<MemTableShape>,
    /// The files of L0, newest first.
    pub l0_files: Vec<L0FileShape>,
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
        Self::with_sizes(column_family, version, options, &LevelSize::of_version(version))
    }

    /// As [`TreeShape::new`], where it is known how much of each level compactions may take and
    /// what its deletions will free.
    pub fn with_sizes(
        column_family: &str,
        version: &Version,
        options: &LevelTargetOptions,
        sizes: &[LevelSize],
    ) -> Self {
        let targets = LevelTargets::new(options, sizes);
        let scores = compaction_scores(options, sizes, &targets);
        let levels = sizes.iter().enumerate().map(|(level, size)| LevelShape {
            level,
            files: size.files,
            bytes: size.size_bytes,
            target_bytes: shown_target(options.compaction_style, level, &targets),
            score: scores.get(level).copied(),
            entries: None,
        });
        let l0_files = version.level_files(0).iter().map(|file| L0FileShape {
            number: file.number,
            bytes: file.file_size,
            entries: None,
        });
        let blobs = version.blob_files();
        let blob_sum = |bytes: fn(&BlobFileMetaData) -> u64| {
            blobs.iter().fold(0_u64, |sum, file| sum.saturating_add(bytes(file)))
        };
        Self {
            column_family: column_family.to_owned(),
            compaction_style: options.compaction_style,
            memtables: Vec::new(),
            l0_files: l0_files.collect(),
            levels: levels.collect(),
            base_level: targets.base_level,
            pending_compaction_bytes: estimated_compaction_needed_bytes(options, sizes, &targets),
            blob_files: blobs.len(),
            blob_bytes: blob_sum(|file| file.addition.total_blob_bytes),
            blob_garbage_bytes: blob_sum(|file| file.garbage_blob_bytes),
        }
    }

    /// Fills in entries. `entries` is asked for every table, by its number; none where it is not
    /// known, then that of its level is not known either.
    pub fn set_entries(&mut self, version: &Version, entries: impl Fn(u64) -> Option<u64>) {
        for file in &mut self.l0_files {
            file.entries = entries(file.number);
        }
        for level in &mut self.levels {
            let mut files = version.level_files(level.level).iter();
            level.entries =
                files.try_fold(0_u64, |sum, file| Some(sum.saturating_add(entries(file.number)?)));
        }
    }

    /// Sorted runs in L0: its files.
    pub fn l0_sorted_runs(&self) -> usize {
        self.l0_files.len()
    }

    /// Sorted runs on disk: L0's and one for each deeper level that is not empty.
    pub fn sorted_runs(&self) -> usize {
        let deeper = self.levels.iter().skip(1).filter(|level| level.files > 0).count();
        self.l0_sorted_runs() + deeper
    }

    /// Sorted runs that a scan has to merge, and that a lookup asks one after another until it
    /// finds its key: those on disk, and memtables that are not empty.
    pub fn read_sorted_runs(&self) -> usize {
        self.memtables.iter().filter(|table| table.entries > 0).count() + self.sorted_runs()
    }

    /// Table files in all levels.
    pub fn files(&self) -> usize {
        self.levels.iter().map(|level| level.files).sum()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.levels.iter().fold(0, |sum, level| sum.saturating_add(level.bytes))
    }

    /// Their entries, if all tables were asked.
    pub fn entries(&self) -> Option<u64> {
        self.levels.iter().try_fold(0_u64, |sum, level| Some(sum.saturating_add(level.entries?)))
    }

    /// One JSON object, on one line; `docs/shape.md` tells what is in it. Numbers that are not
    /// known are null.
    pub fn to_json(&self) -> String {
        let memtables = self
            .memtables
            .iter()
            .map(|table| format!("{{\"entries\":{},\"bytes\":{}}}", table.entries, table.bytes));
        let l0_files = self.l0_files.iter().map(|file| {
            format!(
                "{{\"number\":{},\"bytes\":{},\"entries\":{}}}",
                file.number,
                file.bytes,
                or_null(file.entries)
            )
        });
        format!(
            "{{\"column_family\":{},\"compaction_style\":\"{}\",\"memtables\":[{}],\
             \"l0_sorted_runs\":{},\"sorted_runs\":{},\"read_sorted_runs\":{},\"base_level\":{},\
             \"pending_compaction_bytes\":{},\"l0_files\":[{}],\"levels\":[{}],\
             \"total\":{{\"files\":{},\"bytes\":{},\"entries\":{}}},\
             \"blob_files\":{},\"blob_bytes\":{},\"blob_garbage_bytes\":{}}}",
            json_string(&self.column_family),
            self.compaction_style.name(),
            joined(memtables),
            self.l0_sorted_runs(),
            self.sorted_runs(),
            self.read_sorted_runs(),
            or_null(self.base_level),
            self.pending_compaction_bytes,
            joined(l0_files),
            joined(self.levels.iter().map(level_json)),
            self.files(),
            self.bytes(),
            or_null(self.entries()),
            self.blob_files,
            self.blob_bytes,
            self.blob_garbage_bytes
        )
    }
}

/// The target of a level. L0 is compacted by its number of files, and beside leveled compaction
/// levels have no targets.
fn shown_target(style: CompactionStyle, level: usize, targets: &LevelTargets) -> Option<u64> {
    let target = targets.target_bytes.get(level).copied()?;
    (style == CompactionStyle::Level && level > 0 && target != u64::MAX).then_some(target)
}

fn level_json(level: &LevelShape) -> String {
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
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(",")
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
        writeln!(
            f,
            "column family {}: {} compaction",
            self.column_family,
            self.compaction_style.name()
        )?;
        for (index, table) in self.memtables.iter().enumerate() {
            let kind = if index == 0 { "active" } else { "immutable" };
            writeln!(f, "{kind} memtable: {} entries, {} bytes", table.entries, table.bytes)?;
        }
        writeln!(
            f,
            "sorted runs: {} in L0, {} on disk, {} for a read; base level {}; pending compaction \
             {} bytes",
            self.l0_sorted_runs(),
            self.sorted_runs(),
            self.read_sorted_runs(),
            self.base_level.map_or("-".into(), |level| format!("L{level}")),
            self.pending_compaction_bytes
        )?;
        self.fmt_levels(f)?;
        if !self.l0_files.is_empty() {
            writeln!(f, "L0, newest first")?;
            writeln!(f, "{:>12} {:>15} {:>12}", "file", "bytes", "entries")?;
        }
        for file in &self.l0_files {
            let entries = or_dash(file.entries);
            writeln!(f, "{:>12} {:>15} {entries:>12}", file.number, file.bytes)?;
        }
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

impl TreeShape {
    fn fmt_levels(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        let (dash, entries) = ("-", or_dash(self.entries()));
        let (files, bytes) = (self.files(), self.bytes());
        writeln!(f, "{:5} {files:>7} {bytes:>15} {dash:>15} {dash:>8} {entries:>12}", "sum")
    }
}

#[cfg(test)]
mod tests;
