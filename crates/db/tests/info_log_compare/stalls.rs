//! What is said of writes that are delayed or stopped.

use crate::work::{Step, do_both, lines_with};
use crate::{jobs_of, pairs};
use std::path::Path;
use std::time::Duration;
use testing::judges;

/// Names, and options of the family: level 0 is full with the third file, or is to be compacted then, and
/// both end with the compaction.
const CASES: [(&str, &str); 5] = [
    ("Stalling", "level0_slowdown_writes_trigger=3;level0_stop_writes_trigger=9"),
    ("Stopping", "level0_slowdown_writes_trigger=3;level0_stop_writes_trigger=3"),
    ("Stalling", "soft_pending_compaction_bytes_limit=150000"),
    (
        "Stopping",
        "soft_pending_compaction_bytes_limit=150000;hard_pending_compaction_bytes_limit=250000",
    ),
    ("Increasing", "level0_slowdown_writes_trigger=4;level0_stop_writes_trigger=9"),
];
/// What a put of a memtable's size has.
const MEMTABLE_BYTES: usize = 1_000_000;
const LEVELED: &str =
    "level0_file_num_compaction_trigger=3;level_compaction_dynamic_level_bytes=false";

#[test]
fn stalls_are_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    for (word, family) in CASES {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let places = (theirs.path(), ours.path());
        let mut steps = Vec::new();
        for flush in 0..6 {
            steps.extend([Step::Put(pairs(flush, true)), Step::Flush, Step::Settle]);
        }
        let family = format!("{LEVELED};{family}");
        let refused = do_both(&judge, places, ("", &family), &steps);
        assert_eq!(refused, (vec![], vec![]), "{family}");
        let words = ["Stalling writes", "Stopping writes", "Increasing compaction threads"];
        let found = lines_with(ours.path(), &words);
        assert_eq!(found, lines_with(theirs.path(), &words), "{family}");
        assert!(found.iter().any(|line| line.starts_with(word)), "{family}: {found:?}");
        assert_eq!(jobs_of(ours.path()), jobs_of(theirs.path()), "{family}");
    }
}

/// Each put fills a memtable, and flushes take seconds: with four memtables at most writes are delayed from
/// the third on that waits, and stop with the fourth.
#[test]
fn stalls_by_memtables_are_told_as_by_rocksdb() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let wait = |_: &Path| std::thread::sleep(Duration::from_millis(200));
    let mut steps = Vec::new();
    for put in 0..7_u8 {
        let (key, value) = (format!("key{put}").into_bytes(), vec![put; MEMTABLE_BYTES]);
        steps.extend([Step::Put(vec![(key, value)]), Step::Do(&wait)]);
    }
    steps.push(Step::Settle);
    let rate = MEMTABLE_BYTES / 2;
    let db = format!("rate_limiter_bytes_per_sec={rate};delayed_write_rate=100000000");
    let family = format!(
        "write_buffer_size={};max_write_buffer_number=4;{LEVELED};compression=kNoCompression",
        MEMTABLE_BYTES / 2
    );
    let refused = do_both(&judge, (theirs.path(), ours.path()), (&db, &family), &steps);
    assert_eq!(refused, (vec![], vec![]));
    let words = ["Stalling writes", "Stopping writes"];
    let found = lines_with(ours.path(), &words);
    assert_eq!(found, lines_with(theirs.path(), &words));
    for word in words {
        assert!(found.iter().any(|line| line.starts_with(word)), "{found:?}");
    }
}
