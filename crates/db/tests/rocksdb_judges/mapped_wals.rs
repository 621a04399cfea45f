//! WALs that are appended to through a mapping, as a process leaves them that is killed at any moment:
//! RocksDB reads from them what was acknowledged, and so does this engine.

use crate::lost_pages::{MODES, copy, descriptor, ours, theirs};
use db::{Db, OpenContext, WriteOptions};
use options::DbOptions;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use testing::judges::{self, Judge, Session};

const HEADER_SIZE: usize = 7;

/// Sizes of values: records inside of a block, across a border, and of several blocks.
const SIZES: [usize; 6] = [10, 3_000, 20_000, 15_000, 70_000, 100];

/// The directory and its newest WAL, as a process leaves it that is killed after each of the writes.
fn written(place: &Path) -> Vec<(PathBuf, PathBuf)> {
    let options = "create_if_missing=true;create_missing_column_families=true;wal_io=mapped";
    let options = DbOptions::from_string(options).unwrap();
    let (directory, context) = (place.join("db"), OpenContext::default());
    let families = ["default", "other"].map(descriptor);
    let db = Db::open(&options, &directory, &families, &context).unwrap();
    let family = db.column_family("default").unwrap();
    let states = SIZES.iter().enumerate().map(|(number, size)| {
        let key = format!("key{number}");
        let value = vec![b'a' + number as u8; *size];
        db.put(&WriteOptions::default(), &family, key.as_bytes(), &value).unwrap();
        let killed = place.join(format!("killed{number}"));
        copy(&directory, &killed);
        let names = fs::read_dir(&killed).unwrap().map(|entry| entry.unwrap().path());
        let wals = names.filter(|path| path.extension().is_some_and(|name| name == "log"));
        let wal = wals.max().unwrap();
        (killed, wal)
    });
    states.collect()
}

/// Where `after` has other bytes than `before`, cut where fragments begin.
fn fragments(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let is_changed = |at: &usize| before.get(*at).copied().unwrap_or(0) != after[*at];
    let Some(mut at) = (0..after.len()).find(is_changed) else { return Vec::new() };
    let mut fragments = Vec::new();
    while at + HEADER_SIZE <= after.len() && after[at + 6] != 0 {
        let length = usize::from(u16::from_le_bytes([after[at + 4], after[at + 5]]));
        fragments.push(at..at + HEADER_SIZE + length);
        at += HEADER_SIZE + length;
        let left = (1 << 15) - at % (1 << 15);
        if left < HEADER_SIZE {
            at += left;
        }
    }
    fragments
}

/// What a process has stored of a record when it is killed: each fragment from behind, its first
/// eight bytes last and at once.
fn states(before: &[u8], after: &[u8]) -> Vec<Vec<u8>> {
    let mut log = before.to_vec();
    log.resize(after.len(), 0);
    let mut states = vec![log.clone()];
    for fragment in fragments(before, after) {
        let head = (fragment.start + 8).min(fragment.end);
        let middle = (head + fragment.end) / 2;
        for part in [head..middle, middle..fragment.end, fragment.start..head] {
            log[part.clone()].copy_from_slice(&after[part]);
            states.push(log.clone());
        }
    }
    states
}

#[test]
fn a_killed_process_leaves_what_it_acknowledged() {
    let place = tempfile::tempdir().unwrap();
    let killed = written(place.path());
    let size = fs::metadata(&killed[0].1).unwrap().len();
    if size < 1 << 16 {
        println!("skipped: WALs are not mapped in {}", place.path().display());
        return;
    }
    let releases: Vec<Judge> =
        ["7.8.3", "11.8.1"].into_iter().filter_map(judges::library).collect();
    let mut sessions: Vec<Session> = releases.iter().map(Judge::session).collect();
    let mut trials = 0;
    for (number, pair) in killed.windows(2).enumerate() {
        let (before, after) = (fs::read(&pair[0].1).unwrap(), fs::read(&pair[1].1).unwrap());
        let states = states(&before, &after);
        let is_cut = states.len() > 4;
        for (place_of, state) in states.iter().enumerate() {
            let is_whole = place_of + 1 == states.len();
            let count = number + 1 + usize::from(is_whole);
            let expected: Vec<_> = (0..count).map(|number| format!("key{number}")).collect();
            for mode in MODES {
                // Those two take a record for damage that is not all there. No log is mapped with
                // them.
                let is_strict = mode == "kAbsoluteConsistency";
                let tells_ends = is_strict || mode == "kTolerateCorruptedTailRecords";
                let may_refuse = place_of > 0 && !is_whole && tells_ends && (is_strict || is_cut);
                let options = format!("wal_recovery_mode={mode}");
                let trial = |name: &str| {
                    let directory = place.path().join(name);
                    let _ = fs::remove_dir_all(&directory);
                    copy(&pair[0].0, &directory);
                    fs::write(directory.join(pair[0].1.file_name().unwrap()), state).unwrap();
                    directory
                };
                let what = format!("record {number}, state {place_of}, {mode}");
                let found = ours(&trial("ours"), &options).unwrap();
                if !(may_refuse && found.is_none()) {
                    assert_eq!(found.as_ref(), Some(&expected), "{what}");
                }
                for session in &mut sessions {
                    let found = theirs(session, &trial("theirs"), &options).unwrap();
                    if !(may_refuse && is_cut && found.is_none()) {
                        assert_eq!(found.as_ref(), Some(&expected), "{what}, RocksDB");
                    }
                    trials += 1;
                }
            }
        }
    }
    assert!(trials > 100 || releases.is_empty(), "{trials}");
}
