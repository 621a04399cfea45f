use super::compact_files::{CompactFilesOptions, compact_files};
use super::manual::{BottommostLevelCompaction, CompactRangeOptions, ManualCompaction, ManualStep};
use super::refit::refit_level;
use super::test_tree::{TestTree, describe};
use super::*;
use crate::in_progress::{OutputRange, RunningCompaction};
use compression::CompressionType;
use std::path::Path;
use testing::datadriven::{self, Directive};

mod simulation;

fn pick_text(compaction: Option<&Compaction>) -> String {
    compaction.map_or("nothing\n".to_owned(), describe)
}

/// `compact_range [begin=K] [end=K] [bottommost=…] [change_level target=N]`: every step, each
/// compaction being carried out before the next.
fn compact_range(tree: &mut TestTree, directive: &Directive) -> String {
    let options = CompactRangeOptions {
        change_level: directive.has("change_level"),
        target_level: directive.parse_or("target", -1),
        bottommost_level_compaction: match directive.value("bottommost") {
            None | Some("filter") => BottommostLevelCompaction::IfHaveCompactionFilter,
            Some("skip") => BottommostLevelCompaction::Skip,
            Some("force") => BottommostLevelCompaction::Force,
            Some("force_optimized") => BottommostLevelCompaction::ForceOptimized,
            Some(other) => panic!("bottommost {other}"),
        },
        ..CompactRangeOptions::default()
    };
    let target_level = options.target_level;
    let (begin, end) = (directive.value("begin"), directive.value("end"));
    let (begin, end) = (begin.map(str::as_bytes), end.map(str::as_bytes));
    let mut manual = ManualCompaction::new(options, begin, end, tree.next_file_number);
    let mut text = String::new();
    for _ in 0..30 {
        match manual.next_step(&tree.input()) {
            ManualStep::Run(compaction) => {
                text.push_str(&describe(&compaction));
                tree.carry_out(&compaction);
            }
            ManualStep::Wait => return text + "wait\n",
            ManualStep::Done => return text + &tree.levels(),
            ManualStep::RefitLevel(level) => {
                match refit_level(&tree.input(), level, target_level) {
                    Ok(Some(compaction)) => {
                        text.push_str(&describe(&compaction));
                        tree.carry_out(&compaction);
                    }
                    Ok(None) => text.push_str("refit of nothing\n"),
                    Err(error) => text.push_str(&format!("{error}\n")),
                }
            }
        }
    }
    panic!("{}: no end after\n{text}", directive.position)
}

/// `compact_files files=(N, …) level=N [move] [zstd]`.
fn compact_files_text(tree: &TestTree, directive: &Directive) -> String {
    let argument = directive.arguments.iter().find(|argument| argument.key == "files");
    let values = argument.map_or(&[][..], |argument| &argument.values);
    let numbers: Vec<u64> = values.iter().map(|value| value.parse().unwrap()).collect();
    let options = CompactFilesOptions {
        allow_trivial_move: directive.has("move"),
        compression: directive.has("zstd").then_some(CompressionType::Zstd),
        ..CompactFilesOptions::default()
    };
    match compact_files(&tree.input(), &numbers, directive.parse_or("level", 0), &options) {
        Ok(compaction) => describe(&compaction),
        Err(error) => format!("{error}\n"),
    }
}

/// `define`: a tree. `pick`: what would be compacted now. `start [times=N]`: picks and lets it run.
/// `end INDEX`: the compaction started as that one ends, without effect. `run [times=N]`: picks and
/// carries out, until there is nothing. `hold level=N from=K to=K`: something else, as an ingestion,
/// writes there. `scores`. `compact_range`, `compact_files`.
fn execute(tree: &mut TestTree, directive: &Directive) -> String {
    match directive.command.as_str() {
        "define" => tree.define(directive),
        "scores" => tree.scores(),
        "pick" => {
            let picked = pick_compaction(&tree.input());
            let waits = picked.is_none() && needs_compaction(&tree.input());
            if waits { "nothing now\n".to_owned() } else { pick_text(picked.as_ref()) }
        }
        "start" => {
            let mut text = String::new();
            for _ in 0..directive.parse_or("times", 1) {
                let picked = pick_compaction(&tree.input());
                text.push_str(&pick_text(picked.as_ref()));
                if let Some(picked) = picked {
                    tree.start(&picked);
                }
            }
            text
        }
        "run" => {
            let mut text = String::new();
            for _ in 0..directive.parse_or("times", 1000) {
                let Some(picked) = pick_compaction(&tree.input()) else {
                    return text + "nothing\n" + &tree.levels();
                };
                text.push_str(&describe(&picked));
                tree.carry_out(&picked);
            }
            text + &tree.levels()
        }
        "compact_range" => compact_range(tree, directive),
        "compact_files" => compact_files_text(tree, directive),
        "hold" => {
            let key = |key| directive.value(key).unwrap().as_bytes().to_vec();
            let output = OutputRange {
                level: directive.parse_or("level", 0),
                smallest_user_key: key("from"),
                largest_user_key: key("to"),
            };
            let held = RunningCompaction { output: Some(output), ..RunningCompaction::default() };
            tree.in_progress.register(held);
            String::new()
        }
        "end" => {
            let index: usize = directive.arguments[0].key.parse().unwrap();
            tree.in_progress.unregister(tree.started[index].take().unwrap());
            String::new()
        }
        other => panic!("{}: {other}", directive.position),
    }
}

#[test]
fn trees_are_compacted_as_the_text_files_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/picker");
    datadriven::run_directory(&directory, TestTree::new, execute);
}

#[test]
fn compensated_sizes_count_what_deletions_beyond_half_free() {
    let mut file =
        FileMetaData::new(1, 1000, base::InternalKey::default(), base::InternalKey::default());
    let counts = |entries, deletions, range_deletions| FileEntryCounts {
        entries,
        deletions,
        range_deletions,
    };
    for (counts, expected) in [
        (counts(10, 0, 0), 1000),
        (counts(10, 5, 0), 1000),
        (counts(10, 6, 0), 1000 + 2 * 2 * 7),
        (counts(10, 6, 1), 1000),
        (counts(10, 10, 0), 1000 + 10 * 2 * 7),
        // Damaged properties.
        (counts(0, 1, 2), 1000),
        (counts(0, u64::MAX, 0), u64::MAX),
    ] {
        assert_eq!(compensated_file_size(&file, counts, 7), expected, "{counts:?}");
    }
    file.compensated_range_deletion_size = 50;
    assert_eq!(compensated_file_size(&file, counts(10, 0, 0), 7), 1050);
}

/// Options come from files that anyone may have written.
#[test]
fn extreme_options_make_no_picker_panic_or_run_for_ever() {
    let input = "L0\n9:a-z size=1e30\n8:c-d size=0\n7:e-f\nL1\n1:a-c size=1e30 2:d-e size=0\n\
                 L2\n3:b-z marked";
    let directive = Directive {
        position: String::new(),
        command: "define".into(),
        arguments: Vec::new(),
        input: input.into(),
        expected: String::new(),
    };
    let mut tree = TestTree::new();
    tree.define(&directive);
    tree.apply_to_levels(3);
    let styles = [CompactionStyle::Level, CompactionStyle::Universal, CompactionStyle::Fifo];
    let start = tree.version.clone();
    let mut carried_out = 0;
    for style in styles {
        for (base, multiplier) in [(0, 0.0), (1, -1.0), (u64::MAX, 1e300), (1 << 20, f64::NAN)] {
            for (trigger, max_bytes) in [(0, 0), (-1, 1), (1, u64::MAX), (i32::MAX, 1)] {
                for is_dynamic in [false, true] {
                    tree.version = start.clone();
                    let options = &mut tree.options;
                    options.levels.compaction_style = style;
                    options.levels.max_bytes_for_level_base = base;
                    options.levels.max_bytes_for_level_multiplier = multiplier;
                    options.levels.level0_file_num_compaction_trigger = trigger;
                    options.levels.fifo_max_table_files_size = base;
                    options.levels.level_compaction_dynamic_level_bytes = is_dynamic;
                    options.max_compaction_bytes = max_bytes;
                    options.target_file_size_base = max_bytes;
                    options.target_file_size_multiplier = trigger;
                    options.path_target_sizes = vec![base, max_bytes, 0];
                    options.universal.max_read_amp = trigger.min(0);
                    options.universal.size_ratio = u32::MAX;
                    options.universal.max_size_amplification_percent = u32::MAX;
                    options.universal.compression_size_percent = trigger;
                    for _ in 0..20 {
                        let Some(picked) = pick_compaction(&tree.input()) else { break };
                        tree.carry_out(&picked);
                        carried_out += 1;
                    }
                }
            }
        }
    }
    assert!(carried_out > 50, "{carried_out}");
}
