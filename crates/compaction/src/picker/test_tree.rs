//! Trees as text, for the tests of pickers.
//!
//! ```text
//! L0
//! 9:c-k seq=30-39 size=4
//! L5
//! 3:a@7-d marked 4:d@3-h) size=64
//! ```
//!
//! A file is `number:smallest-largest` and attributes; keys are user keys, with `@sequence` where
//! it matters and `)` where a range tombstone's end makes the largest key exclusive. Sizes are in
//! MB. L0 stands newest first.

use super::options::{CompactionPri, CompactionStopStyle, UniversalOptions};
use super::tree::TreeState;
use super::*;
use crate::compaction::{Compaction, CompactionInputFiles};
use crate::in_progress::{CompactionId, RunningCompaction};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::sst_partitioner::SstPartitionerFixedPrefixFactory;
use base::{InternalKey, ValueType};
use compression::CompressionType;
use std::fmt::Write as _;
use testing::datadriven::Directive;
use version::{
    BlobFileAddition, BlobFileGarbage, LevelTargetOptions, NewFile, VersionBuilder, VersionEdit,
    VersionOptions,
};

pub(super) const MB: u64 = 1 << 20;

/// A tree, its options and what runs in it.
pub(super) struct TestTree {
    pub(super) version: Arc<Version>,
    pub(super) comparator: InternalKeyComparator,
    pub(super) options: PickerOptions,
    pub(super) in_progress: CompactionsInProgress,
    pub(super) table_facts: HashMap<u64, TableFacts>,
    pub(super) oldest_snapshot: SequenceNumber,
    pub(super) now_seconds: u64,
    pub(super) started: Vec<Option<CompactionId>>,
    pub(super) next_file_number: u64,
}

impl TestTree {
    pub(super) fn new() -> Self {
        Self {
            version: Arc::new(Version::new(7)),
            comparator: InternalKeyComparator::bytewise(),
            options: PickerOptions::default(),
            in_progress: CompactionsInProgress::new(),
            table_facts: HashMap::new(),
            oldest_snapshot: 0,
            now_seconds: 1_000_000,
            started: Vec::new(),
            next_file_number: 100,
        }
    }

    pub(super) fn input(&self) -> PickerInput<'_> {
        PickerInput {
            version: &self.version,
            comparator: &self.comparator,
            options: &self.options,
            in_progress: &self.in_progress,
            table_facts: &self.table_facts,
            oldest_snapshot: self.oldest_snapshot,
            now_seconds: self.now_seconds,
        }
    }

    /// `define option=… …` with the tree as input: everything is new.
    pub(super) fn define(&mut self, directive: &Directive) -> String {
        *self = Self::new();
        self.options = options(directive);
        self.now_seconds = directive.parse_or("now", 1_000_000);
        self.oldest_snapshot = directive.parse_or("snapshot", 0);
        let mut level = 0;
        let mut edit = VersionEdit::default();
        let mut epoch_number = 1_000_000;
        for line in directive.input.lines() {
            if let Some(number) = line.strip_prefix("L").and_then(|rest| rest.parse().ok()) {
                level = number;
            } else if let Some(rest) = line.strip_prefix("blob ") {
                add_blob_file(rest, &mut edit);
            } else if let Some(rest) = line.strip_prefix("cursor ") {
                let key = InternalKey::for_seek(rest.as_bytes(), MAX_SEQUENCE_NUMBER);
                edit.compact_cursors.push((level, key));
            } else {
                for text in files_of(line) {
                    epoch_number -= 1;
                    let mut file = self.parse_file(&text);
                    file.epoch_number = epoch_number;
                    edit.new_files.push(NewFile { level, file });
                }
            }
        }
        let mut builder = VersionBuilder::new();
        builder.apply(edit).unwrap();
        let mut version_options = VersionOptions::new(self.comparator.clone());
        version_options.num_levels = self.options.levels.num_levels;
        self.version = Arc::new(builder.build(&version_options, false).unwrap());
        self.scores()
    }

    /// Levels with their bytes and scores, where they are not empty.
    pub(super) fn scores(&self) -> String {
        let tree = TreeState::new(&self.input());
        let mut text = String::new();
        for (level, size) in tree.sizes.iter().enumerate().filter(|(_, size)| size.files > 0) {
            let score = tree.scores.get(level).map_or("-".into(), |score| format!("{score:.4}"));
            let megabytes = size.size_bytes as f64 / MB as f64;
            writeln!(text, "L{level} files {} MB {megabytes} score {score}", size.files).unwrap();
        }
        if let Some(base) = tree.targets.base_level {
            writeln!(text, "base L{base}").unwrap();
        }
        text
    }

    /// Registers the compaction as running.
    pub(super) fn start(&mut self, compaction: &Compaction) {
        let id = self.in_progress.register(RunningCompaction::of(compaction));
        self.started.push(Some(id));
    }

    /// What the compaction would leave, modelled on metadata: inputs in the order of keys become
    /// files of the size that outputs should have, and no entry is dropped.
    pub(super) fn carry_out(&mut self, compaction: &Compaction) {
        let mut edit = VersionEdit::default();
        if compaction.is_trivial_move {
            compaction.move_inputs(&self.comparator, &mut edit);
        } else {
            compaction.delete_inputs(&mut edit);
            if !compaction.is_deletion_only {
                self.add_outputs(compaction, &mut edit);
            }
        }
        self.apply(edit);
    }

    /// The same files in a tree of this many levels.
    pub(super) fn apply_to_levels(&mut self, num_levels: usize) {
        self.options.levels.num_levels = num_levels;
        self.apply(VersionEdit::default());
    }

    pub(super) fn apply(&mut self, edit: VersionEdit) {
        let mut builder = VersionBuilder::from_version(&self.version);
        builder.apply(edit).unwrap();
        let mut options = VersionOptions::new(self.comparator.clone());
        options.num_levels = self.options.levels.num_levels;
        self.version = Arc::new(builder.build(&options, false).unwrap());
    }

    fn add_outputs(&mut self, compaction: &Compaction, edit: &mut VersionEdit) {
        let level = compaction.output_level as u32;
        let mut files: Vec<_> = compaction.input_files().map(|(_, file)| file).collect();
        files.sort_by(|a, b| a.smallest.user_key().cmp(b.smallest.user_key()));
        let mut outputs: Vec<FileMetaData> = Vec::new();
        for file in files {
            let joins = |last: &FileMetaData| {
                let overlaps = last.largest.user_key() >= file.smallest.user_key();
                level == 0
                    || overlaps
                    || last.file_size.saturating_add(file.file_size)
                        <= compaction.max_output_file_size
            };
            match outputs.last_mut().filter(|last| joins(last)) {
                Some(last) => {
                    last.file_size = last.file_size.saturating_add(file.file_size);
                    last.smallest_seqno = last.smallest_seqno.min(file.smallest_seqno);
                    last.largest_seqno = last.largest_seqno.max(file.largest_seqno);
                    if last.largest.user_key() < file.largest.user_key() {
                        last.largest = file.largest.clone();
                    }
                }
                None => {
                    let mut output = FileMetaData::clone(file);
                    output.number = self.next_file_number;
                    output.marked_for_compaction = false;
                    output.file_creation_time = self.now_seconds;
                    self.next_file_number += 1;
                    outputs.push(output);
                }
            }
        }
        for mut file in outputs {
            file.epoch_number = compaction.min_input_file_epoch_number();
            if compaction.is_bottommost_level {
                (file.smallest_seqno, file.largest_seqno) = (0, 0);
            }
            edit.new_files.push(NewFile { level, file });
        }
    }

    /// The files of each level that has any.
    pub(super) fn levels(&self) -> String {
        let levels = 0..self.version.num_levels();
        levels
            .map(|level| (level, self.version.level_files(level)))
            .filter(|(_, files)| !files.is_empty())
            .map(|(level, files)| format!("L{level}: {}\n", names(files)))
            .collect()
    }

    fn parse_file(&mut self, text: &str) -> FileMetaData {
        let mut words = text.split(' ');
        let (number, range) = words.next().unwrap().split_once(':').unwrap();
        let (smallest, largest) = range.split_once('-').unwrap();
        let mut file = FileMetaData::new(
            number.parse().unwrap(),
            MB,
            InternalKey::default(),
            InternalKey::default(),
        );
        (file.smallest_seqno, file.largest_seqno) = (file.number * 10, file.number * 10 + 9);
        let mut compensated = None;
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let number = || value.parse::<u64>().unwrap_or_else(|_| panic!("{text}: {word}"));
            match key {
                "size" => file.file_size = (value.parse::<f64>().unwrap() * MB as f64) as u64,
                "comp" => compensated = Some(number() * MB),
                "seq" => {
                    let (low, high) = value.split_once('-').unwrap();
                    file.smallest_seqno = low.parse().unwrap();
                    file.largest_seqno = high.parse().unwrap();
                }
                "marked" => file.marked_for_compaction = true,
                "born" => file.oldest_ancester_time = number(),
                "made" => file.file_creation_time = number(),
                "path" => file.path_id = number() as u32,
                "blob" => file.oldest_blob_file_number = Some(number()),
                _ => panic!("{text}: {word}"),
            }
        }
        file.smallest = boundary(smallest, file.largest_seqno);
        file.largest = boundary(largest, file.smallest_seqno);
        if let Some(bytes) = compensated {
            let facts = TableFacts { compensated_file_size: bytes, newest_key_time: None };
            self.table_facts.insert(file.number, facts);
        }
        file
    }
}

/// The files of a line, each with its attributes.
fn files_of(line: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        match files.last_mut() {
            Some(last) if !word.contains(':') => {
                last.push(' ');
                last.push_str(word);
            }
            _ => files.push(word.to_owned()),
        }
    }
    files
}

fn boundary(text: &str, sequence: SequenceNumber) -> InternalKey {
    if let Some(key) = text.strip_suffix(')') {
        return InternalKey::new(key.as_bytes(), MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
    }
    let (key, sequence) = match text.split_once('@') {
        Some((key, sequence)) => (key, sequence.parse().unwrap()),
        None => (text, sequence),
    };
    InternalKey::new(key.as_bytes(), sequence, ValueType::Value)
}

/// `blob NUMBER TOTAL GARBAGE`, in MB.
fn add_blob_file(text: &str, edit: &mut VersionEdit) {
    let numbers: Vec<u64> = text.split(' ').map(|word| word.parse().unwrap()).collect();
    let [number, total, garbage] = numbers[..] else { panic!("blob {text}") };
    edit.blob_file_additions.push(BlobFileAddition {
        number,
        total_blob_count: total,
        total_blob_bytes: total * MB,
        ..BlobFileAddition::default()
    });
    edit.blob_file_garbages.push(BlobFileGarbage {
        number,
        garbage_blob_count: garbage,
        garbage_blob_bytes: garbage * MB,
        ..BlobFileGarbage::default()
    });
}

fn options(directive: &Directive) -> PickerOptions {
    let mut options = PickerOptions {
        levels: LevelTargetOptions {
            compaction_style: match directive.value("style") {
                None => CompactionStyle::Level,
                Some("universal") => CompactionStyle::Universal,
                Some("fifo") => CompactionStyle::Fifo,
                Some("none") => CompactionStyle::None,
                Some(other) => panic!("style {other}"),
            },
            num_levels: directive.parse_or("levels", 7),
            level_compaction_dynamic_level_bytes: !directive.has("static"),
            max_bytes_for_level_base: directive.parse_or("base", 64) * MB,
            level0_file_num_compaction_trigger: directive.parse_or("trigger", 4),
            fifo_max_table_files_size: directive.parse_or("fifo_max", 1024) * MB,
            fifo_allow_compaction: directive.has("fifo_compaction"),
            ..LevelTargetOptions::default()
        },
        compaction_pri: match directive.value("pri") {
            None | Some("ratio") => CompactionPri::MinOverlappingRatio,
            Some("size") => CompactionPri::ByCompensatedSize,
            Some("largest_seq") => CompactionPri::OldestLargestSeqFirst,
            Some("smallest_seq") => CompactionPri::OldestSmallestSeqFirst,
            Some("round_robin") => CompactionPri::RoundRobin,
            Some(other) => panic!("pri {other}"),
        },
        target_file_size_base: directive.parse_or("target", 8) * MB,
        target_file_size_multiplier: directive.parse_or("target_multiplier", 1),
        write_buffer_size: directive.parse_or("write_buffer", 8) * MB,
        max_compaction_bytes: directive.parse_or("max_compaction", 200) * MB,
        ttl_seconds: directive.parse_or("ttl", 0),
        periodic_compaction_seconds: directive.parse_or("periodic", 0),
        bottommost_file_compaction_delay_seconds: directive.parse_or("delay", 0),
        compression: CompressionType::Lz4,
        enable_blob_garbage_collection: directive.has("blob_gc"),
        blob_garbage_collection_age_cutoff: directive.parse_or("blob_cutoff", 0.5),
        blob_garbage_collection_force_threshold: directive.parse_or("blob_force", 0.5),
        has_compaction_filter: directive.has("filter"),
        sst_partitioner_factory: directive
            .has("partition")
            .then(|| Arc::new(SstPartitionerFixedPrefixFactory::new(1)) as _),
        allow_ingest_behind: directive.has("ingest_behind"),
        max_subcompactions: directive.parse_or("subcompactions", 1),
        level0_stop_writes_trigger: directive.parse_or("stop", 36),
        universal: UniversalOptions {
            size_ratio: directive.parse_or("ratio", 1),
            min_merge_width: directive.parse_or("min_width", 2),
            max_merge_width: directive.parse_or("max_width", u32::MAX),
            max_size_amplification_percent: directive.parse_or("amp", 200),
            compression_size_percent: directive.parse_or("compress", -1),
            max_read_amp: directive.parse_or("read_amp", -1),
            stop_style: match directive.has("similar") {
                true => CompactionStopStyle::SimilarSize,
                false => CompactionStopStyle::TotalSize,
            },
            allow_trivial_move: directive.has("move"),
        },
        ..PickerOptions::default()
    };
    let list = |key: &str| {
        let argument = directive.arguments.iter().find(|argument| argument.key == key);
        argument.map_or(Vec::new(), |argument| argument.values.clone())
    };
    let compression = |name: &String| CompressionType::from_flag_name(name).unwrap();
    options.compression_per_level = list("per_level").iter().map(compression).collect();
    options.bottommost_compression = list("bottommost").first().map(compression);
    options.path_target_sizes =
        list("paths").iter().map(|size| size.parse::<u64>().unwrap() * MB).collect();
    options
}

fn names(files: &[Arc<FileMetaData>]) -> String {
    files.iter().map(|file| file.number.to_string()).collect::<Vec<_>>().join(" ")
}

/// What a compaction takes and how its outputs look; what is as usual is left out.
pub(super) fn describe(compaction: &Compaction) -> String {
    let level = |input: &CompactionInputFiles| format!("L{}[{}]", input.level, names(&input.files));
    let inputs: Vec<_> = compaction.inputs.iter().map(level).collect();
    let mut text = format!("{} -> L{}", inputs.join(" + "), compaction.output_level);
    write!(text, " {}", compaction.reason.name()).unwrap();
    if compaction.is_trivial_move {
        text.push_str(" move");
    }
    if compaction.is_deletion_only {
        text.push_str(" delete");
    }
    if compaction.is_bottommost_level {
        text.push_str(" bottommost");
    }
    if compaction.is_full_compaction {
        text.push_str(" full");
    }
    if !compaction.grandparents.is_empty() {
        write!(text, " grandparents[{}]", names(&compaction.grandparents)).unwrap();
    }
    if compaction.output_compression != CompressionType::Lz4 {
        write!(text, " {}", compaction.output_compression.flag_name()).unwrap();
    }
    if compaction.output_path_id != 0 {
        write!(text, " path {}", compaction.output_path_id).unwrap();
    }
    if let Some((level, key)) = &compaction.compact_cursor {
        let key = String::from_utf8_lossy(key.user_key());
        write!(text, " cursor L{level} {key}").unwrap();
    }
    if let Some(key) = &compaction.output_split_key {
        write!(text, " split {}", String::from_utf8_lossy(key.user_key())).unwrap();
    }
    if compaction.max_output_file_size == u64::MAX {
        text.push_str(" file unlimited");
    } else if !compaction.is_trivial_move && !compaction.is_deletion_only {
        write!(text, " file {}", compaction.max_output_file_size / MB).unwrap();
    }
    text.push('\n');
    text
}
