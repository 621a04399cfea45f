//! Compactions that are done in parts.

use crate::work::{Step, do_both};
use crate::{jobs_of, pairs};
use testing::judges;

/// Names, and options of the family.
const CASES: [(&str, &str); 3] = [
    ("leveled", "level_compaction_dynamic_level_bytes=false"),
    ("dynamic", "level_compaction_dynamic_level_bytes=true"),
    (
        "universal",
        "compaction_style=kCompactionStyleUniversal;num_levels=5;\
         compaction_options_universal={size_ratio=1000}",
    ),
];
const FAMILY: &str = "level0_file_num_compaction_trigger=3;target_file_size_base=60000;\
                      max_bytes_for_level_base=10000000;block_based_table_factory={block_size=1000}";

/// Pairs of a flush, between those of others. No two flushes have a key in common: of anchors of equal keys
/// RocksDB keeps the one that its sorting happens to put first.
fn interleaved(flush: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let key = |index| format!("key{index}of{flush}").into_bytes();
    pairs(flush, true)
        .into_iter()
        .enumerate()
        .map(|(index, (_, value))| (key(index), value))
        .collect()
}

/// Files of one job come in any order: parts run side by side.
fn sorted(mut jobs: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let is_of_files = |event: &String| event.starts_with("table_file_");
    for job in &mut jobs {
        job.chunk_by_mut(|a, b| is_of_files(a) && is_of_files(b)).for_each(<[_]>::sort);
    }
    jobs
}

#[test]
fn parts_of_compactions_are_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    for (name, family) in CASES {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let places = (theirs.path(), ours.path());
        let mut steps = Vec::new();
        for flush in 0..9 {
            steps.extend([Step::Put(interleaved(flush)), Step::Flush, Step::Settle]);
        }
        let family = format!("{family};{FAMILY}");
        let options = "max_subcompactions=4;max_background_jobs=4";
        let refused = do_both(&judge, places, (options, &family), &steps);
        assert_eq!(refused, (vec![], vec![]), "{name}");
        let found = sorted(jobs_of(ours.path()));
        assert_eq!(found, sorted(jobs_of(theirs.path())), "{name}");
        let parts = (2..=4).map(|parts| format!("num_subcompactions={parts}"));
        let has_parts = |parts: String| found.iter().flatten().any(|event| event.contains(&parts));
        assert!(parts.into_iter().any(has_parts), "{name}: {found:?}");
    }
}
