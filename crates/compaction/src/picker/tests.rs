use super::test_tree::{TestTree, describe};
use super::*;
use std::path::Path;
use testing::datadriven::{self, Directive};

fn pick_text(compaction: Option<&Compaction>) -> String {
    compaction.map_or("nothing\n".to_owned(), describe)
}

/// `define`: a tree. `pick`: what would be compacted now. `start [times=N]`: picks and lets it run.
/// `end INDEX`: the compaction started as that one ends, without effect. `scores`.
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
