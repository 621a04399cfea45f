//! What follows from the files of a version, by `testdata/property/versions`.

use crate::flow_control::stall_condition::StallState;
use crate::flow_control::write_controller::WriteController;
use crate::property::compaction_need::{FileAges, is_compaction_pending};
use crate::property::level_state::LevelState;
use crate::property::table_stats::TableStats;
use crate::property::text::general;
use crate::property::{live_data_size, sstables};
use crate::sanitize::{delayed_write_rate, sanitize_column_family};
use base::compaction_filter::RemoveEmptyValueCompactionFilter;
use base::{InternalKey, InternalKeyComparator, Status, ValueType};
use options::{ColumnFamilyOptions, CompactionStyle, DbOptions};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use table::TableProperties;
use testing::datadriven::{self, Directive};
use version::{
    BlobFileAddition, BlobFileGarbage, FileMetaData, LevelTargetRule, NewFile, Version,
    VersionBuilder, VersionEdit, VersionOptions,
};

const NOW: u64 = 1_700_000_000;

#[derive(Default)]
struct Spec {
    version: Version,
    /// By file number; files without an entry cannot be read.
    properties: BTreeMap<u64, Arc<TableProperties>>,
}

fn number(words: &BTreeMap<&str, &str>, name: &str) -> u64 {
    words.get(name).map_or(0, |value| value.parse().unwrap())
}

/// `L1 7 a-c size=100 seq=1-5 [entries=10 deletions=2 raw_keys=50 raw_values=500] [age=SECONDS]
/// [blob=9] [marked]` is a file, `blob 9 count=5 bytes=500 garbage=1,100` a blob file, and
/// `cursor 1 b` a compaction cursor.
fn parse(input: &str) -> Spec {
    let mut edit = VersionEdit::default();
    let mut properties = BTreeMap::new();
    for line in input.lines() {
        let mut positional = Vec::new();
        let mut words = BTreeMap::new();
        for word in line.split_whitespace() {
            match word.split_once('=') {
                Some((name, value)) => _ = words.insert(name, value),
                None => positional.push(word),
            }
        }
        let file_number: u64 = positional[1].parse().unwrap();
        match positional[0] {
            "blob" => add_blob_file(&mut edit, file_number, &words),
            "cursor" => {
                let key = InternalKey::new(positional[2].as_bytes(), 5, ValueType::Value);
                edit.compact_cursors.push((file_number as u32, key));
            }
            level => {
                let level = level[1..].parse().unwrap();
                let file = table_file(file_number, positional[2], &words, &positional);
                edit.new_files.push(NewFile { level, file });
                if words.contains_key("entries") {
                    properties.insert(file_number, Arc::new(table_properties(&words)));
                }
            }
        }
    }
    let mut builder = VersionBuilder::new();
    builder.apply(edit).unwrap();
    let options = VersionOptions::new(InternalKeyComparator::bytewise());
    Spec { version: builder.build(&options, false).unwrap(), properties }
}

fn add_blob_file(edit: &mut VersionEdit, number: u64, words: &BTreeMap<&str, &str>) {
    edit.blob_file_additions.push(BlobFileAddition {
        number,
        total_blob_count: self::number(words, "count"),
        total_blob_bytes: self::number(words, "bytes"),
        checksum_method: b"CRC32c".to_vec(),
        checksum_value: vec![0xab, 0x01],
        ..Default::default()
    });
    if let Some((count, bytes)) = words.get("garbage").and_then(|garbage| garbage.split_once(',')) {
        edit.blob_file_garbages.push(BlobFileGarbage {
            number,
            garbage_blob_count: count.parse().unwrap(),
            garbage_blob_bytes: bytes.parse().unwrap(),
            ..Default::default()
        });
    }
}

fn table_file(
    number: u64,
    keys: &str,
    words: &BTreeMap<&str, &str>,
    flags: &[&str],
) -> FileMetaData {
    let (smallest, largest) = keys.split_once('-').unwrap();
    let (first, last) = words.get("seq").map_or(("0", "0"), |seq| seq.split_once('-').unwrap());
    let (first, last) = (first.parse().unwrap(), last.parse().unwrap());
    let mut file = FileMetaData::new(
        number,
        self::number(words, "size"),
        InternalKey::new(smallest.as_bytes(), last, ValueType::Value),
        InternalKey::new(largest.as_bytes(), first, ValueType::Deletion),
    );
    (file.smallest_seqno, file.largest_seqno) = (first, last);
    file.oldest_blob_file_number = words.get("blob").map(|number| number.parse().unwrap());
    file.marked_for_compaction = flags.contains(&"marked");
    if let Some(age) = words.get("age") {
        file.oldest_ancester_time = NOW - age.parse::<u64>().unwrap();
    }
    file
}

fn table_properties(words: &BTreeMap<&str, &str>) -> TableProperties {
    TableProperties {
        num_entries: number(words, "entries"),
        num_deletions: number(words, "deletions"),
        raw_key_size: number(words, "raw_keys"),
        raw_value_size: number(words, "raw_values"),
        creation_time: words.get("made").map_or(0, |age| NOW - age.parse::<u64>().unwrap()),
        ..Default::default()
    }
}

fn family_options(directive: &Directive) -> ColumnFamilyOptions {
    let mut options = ColumnFamilyOptions::default();
    options.compaction_style = match directive.value("style") {
        None => CompactionStyle::Level,
        Some("universal") => CompactionStyle::Universal,
        Some("fifo") => CompactionStyle::Fifo,
        Some("none") => CompactionStyle::None,
        Some(other) => panic!("style {other}"),
    };
    options.level_compaction_dynamic_level_bytes = directive.has("dynamic");
    options.max_bytes_for_level_base = directive.parse_or("base", 256 << 20);
    options.level0_slowdown_writes_trigger = directive.parse_or("slowdown", 20);
    options.level0_stop_writes_trigger = directive.parse_or("stop", 36);
    options.soft_pending_compaction_bytes_limit = directive.parse_or("soft", 64 << 30);
    options.hard_pending_compaction_bytes_limit = directive.parse_or("hard", 256 << 30);
    options.disable_auto_compactions = directive.has("manual");
    options.ttl = directive.parse_or("ttl", u64::MAX - 1);
    options.enable_blob_garbage_collection = directive.has("gc");
    options.blob_garbage_collection_age_cutoff = 0.5;
    options.blob_garbage_collection_force_threshold = directive.parse_or("threshold", 1.0);
    options.compaction_options_fifo.max_table_files_size = directive.parse_or("fifo_max", 1 << 30);
    options.compaction_options_fifo.allow_compaction = directive.has("fifo_compaction");
    if directive.has("filter") {
        options.compaction_filter = Some(Arc::new(RemoveEmptyValueCompactionFilter));
    }
    sanitize_column_family(&DbOptions::default(), &options)
}

fn state(spec: &Spec, directive: &Directive) -> String {
    let options = family_options(directive);
    let properties = |_: usize, file: &FileMetaData| {
        let known = spec.properties.get(&file.number).cloned();
        known.ok_or_else(|| Status::corruption("unreadable"))
    };
    let stats = TableStats::collect(&spec.version, !directive.has("sample"), properties);
    let ages = FileAges { tables: &stats, modification_time: &|_| Ok(NOW - 9_000_000), now: NOW };
    let rule = match directive.value("rule") {
        None => LevelTargetRule::Steady,
        Some("draining") => LevelTargetRule::Draining,
        Some(other) => panic!("rule {other}"),
    };
    let state = LevelState::new(&spec.version, &options, &ages, rule);
    let mut text = String::new();
    for (level, size) in state.sizes.iter().enumerate().filter(|(_, size)| size.files > 0) {
        writeln!(
            text,
            "L{level} {} compensated {} score {} shown {} compression {}",
            size.size_bytes,
            size.idle_compensated_bytes,
            state.scores.get(level).map_or("-".to_owned(), |score| general(*score)),
            general(state.shown_score(level)),
            general(stats.compression_ratio(&spec.version, level))
        )
        .unwrap();
    }
    let stall = StallState {
        immutable_memtables: directive.parse_or("immutable", 0),
        l0_runs: state.delaying_runs(),
        pending_compaction_bytes: state.pending_compaction_bytes,
        bottommost_bytes: 0,
    };
    let mut controller = WriteController::new(delayed_write_rate(&DbOptions::default()));
    controller.add(&stall, &options);
    let is_pending = is_compaction_pending(&spec.version, &options, &state.scores, &ages);
    writeln!(
        text,
        "keys {}\ncompaction {}, {} bytes\nwrites {:?}, stopped {}, rate {}",
        stats.estimated_keys(spec.version.files().count()),
        if is_pending { "pending" } else { "not pending" },
        state.pending_compaction_bytes,
        stall.condition(&options),
        controller.is_stopped(),
        controller.actual_delayed_write_rate(),
    )
    .unwrap();
    text
}

#[test]
fn what_follows_from_the_files_of_a_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/property/versions");
    let mut spec = Spec::default();
    datadriven::run(&path, |directive| match directive.command.as_str() {
        "version" => {
            spec = parse(&directive.input);
            String::new()
        }
        "sstables" => sstables::listing(&spec.version, directive.parse_or("number", 1)),
        "live-data-size" => {
            let size = live_data_size::estimate(&spec.version, &InternalKeyComparator::bytewise());
            format!("{size}\n")
        }
        "state" => state(&spec, directive),
        other => panic!("{}: {other}", directive.position),
    });
}
