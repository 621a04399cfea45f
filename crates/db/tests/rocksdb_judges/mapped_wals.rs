//! WALs that are appended to through a mapping, as a process leaves them that is killed at any moment:
//! RocksDB reads from them what was acknowledged, and so does this engine.

use crate::lost_pages::{MODES, copy, descriptor, ours, theirs};
use db::{CompactRangeOptions, Db, FlushOptions, OpenContext, WriteOptions};
use env::FileOptions;
use options::DbOptions;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testing::judges::{self, Judge, Session};
use testing::scratch;

/// Sizes of values: records inside of a block, across a border, and of several blocks.
const SIZES: [usize; 6] = [10, 3_000, 20_000, 15_000, 70_000, 100];

/// How the records of a WAL are framed.
#[derive(Clone, Copy, Debug)]
enum Framing {
    Legacy,
    /// With the low bytes of the WAL's number, in a file that was another WAL before.
    Recyclable([u8; 4]),
}

impl Framing {
    fn header_size(self) -> usize {
        if matches!(self, Self::Legacy) { 7 } else { 11 }
    }

    /// The length of the fragment at `at` with its header; none if none of this WAL is there.
    fn fragment_length(self, log: &[u8], at: usize) -> Option<usize> {
        let header = log.get(at..at + self.header_size())?;
        let is_one = match self {
            Self::Legacy => header[6] != 0,
            Self::Recyclable(number) => header[7..] == number,
        };
        let payload = usize::from(u16::from_le_bytes([header[4], header[5]]));
        is_one.then_some(header.len() + payload)
    }

    /// The fragments from `at` on.
    fn fragments_from(self, log: &[u8], mut at: usize) -> Vec<Range<usize>> {
        let mut fragments = Vec::new();
        while let Some(length) = self.fragment_length(log, at) {
            fragments.push(at..at + length);
            at += length;
            let left = (1 << 15) - at % (1 << 15);
            if left < self.header_size() {
                at += left;
            }
        }
        fragments
    }

    /// The fragments that `after` has and `before` has not.
    fn new_fragments(self, before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
        let count = self.fragments_from(before, 0).len();
        self.fragments_from(after, 0).split_off(count)
    }
}

fn newest_wal(directory: &Path) -> PathBuf {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|name| name == "log")).max().unwrap()
}

/// The directory and its newest WAL, as a process leaves it that is killed after each of the writes.
/// Where `recycles` says so, the file was a longer WAL before, of records of the same sizes, and
/// nothing of it is left in tables.
fn written(place: &Path, recycles: bool) -> Vec<(PathBuf, PathBuf)> {
    let options = "create_if_missing=true;create_missing_column_families=true;wal_io=mapped";
    let recycled = usize::from(recycles);
    let options = format!("{options};recycle_log_file_num={recycled}");
    let options = DbOptions::from_string(&options).unwrap();
    let (directory, context) = (place.join("db"), OpenContext::default());
    let families = ["default", "other"].map(descriptor);
    let db = Db::open(&options, &directory, &families, &context).unwrap();
    let family = db.column_family("default").unwrap();
    let put = |key: &str, value: &[u8]| {
        db.put(&WriteOptions::default(), &family, key.as_bytes(), value).unwrap();
    };
    // A file is there to be a WAL again some time after it has ended as one.
    let is_longer = || fs::metadata(newest_wal(&directory)).unwrap().len() > 200_000;
    for round in 0..50 * recycled {
        if round >= 4 && is_longer() {
            break;
        }
        for (number, size) in SIZES.iter().chain(&[100_000]).enumerate() {
            put(&format!("old{number}"), &vec![b'o' + round as u8; *size]);
        }
        for number in 0..=SIZES.len() {
            let key = format!("old{number}");
            db.delete(&WriteOptions::default(), &family, key.as_bytes()).unwrap();
        }
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    }
    let states = SIZES.iter().enumerate().map(|(number, size)| {
        put(&format!("key{number}"), &vec![b'a' + number as u8; *size]);
        let killed = place.join(format!("killed{number}"));
        copy(&directory, &killed);
        let wal = newest_wal(&killed);
        (killed, wal)
    });
    states.collect()
}

/// What a process has stored of a record when it is killed: each fragment from behind, its first
/// eight bytes last and at once.
fn states(framing: Framing, before: &[u8], after: &[u8]) -> Vec<Vec<u8>> {
    let mut log = before.to_vec();
    log.resize(after.len(), 0);
    let mut states = vec![log.clone()];
    for fragment in framing.new_fragments(before, after) {
        let head = (fragment.start + 8).min(fragment.end);
        let middle = (head + fragment.end) / 2;
        for part in [head..middle, middle..fragment.end, fragment.start..head] {
            log[part.clone()].copy_from_slice(&after[part]);
            states.push(log.clone());
        }
    }
    states
}

/// A directory where WALs can be mapped.
fn place() -> Option<TempDir> {
    scratch::directory("mapped WALs", |directory| {
        let options = FileOptions { use_mapped_writes: true, ..FileOptions::default() };
        let path = directory.join("tried");
        let file = env::default_file_system().new_writable_file(&path, &options).unwrap();
        file.mapped_size().is_some()
    })
}

/// A copy of `directory` at `name`, in which `wal` is as `state` says.
fn trial(name: PathBuf, (directory, wal): &(PathBuf, PathBuf), state: &[u8]) -> PathBuf {
    let _ = fs::remove_dir_all(&name);
    copy(directory, &name);
    fs::write(name.join(wal.file_name().unwrap()), state).unwrap();
    name
}

#[test]
fn a_killed_process_leaves_what_it_acknowledged() {
    let Some(place) = place() else { return };
    let killed = written(place.path(), false);
    assert!(fs::metadata(&killed[0].1).unwrap().len() >= 1 << 16, "it is mapped");
    let releases: Vec<Judge> =
        ["7.8.3", "11.8.1"].into_iter().filter_map(judges::library).collect();
    let mut sessions: Vec<Session> = releases.iter().map(Judge::session).collect();
    let mut trials = 0;
    for (number, pair) in killed.windows(2).enumerate() {
        let (before, after) = (fs::read(&pair[0].1).unwrap(), fs::read(&pair[1].1).unwrap());
        let states = states(Framing::Legacy, &before, &after);
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
                let trial = |name: &str| trial(place.path().join(name), &pair[0], state);
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

/// In a file that was another WAL before: what comes behind the last record are bytes of that one.
#[test]
fn nothing_of_an_earlier_wal_is_read_from_one_that_was_written_over_it() {
    let Some(place) = place() else { return };
    let killed = written(place.path(), true);
    assert!(fs::metadata(&killed[0].1).unwrap().len() >= 1 << 16, "it is mapped");
    let releases: Vec<Judge> =
        ["7.8.3", "11.8.1"].into_iter().filter_map(judges::library).collect();
    let mut sessions: Vec<Session> = releases.iter().map(Judge::session).collect();
    let mut trials = 0;
    for (number, pair) in killed.windows(2).enumerate() {
        let (before, after) = (fs::read(&pair[0].1).unwrap(), fs::read(&pair[1].1).unwrap());
        let name = pair[0].1.file_stem().unwrap().to_str().unwrap();
        let framing = Framing::Recyclable(name.parse::<u32>().unwrap().to_le_bytes());
        assert!(before.len() > 200_000, "it was a longer WAL: {}", before.len());
        let states = states(framing, &before, &after);
        assert!(states.len() >= 4, "{}", states.len());
        for (place_of, state) in states.iter().enumerate() {
            let is_whole = place_of + 1 == states.len();
            let count = number + 1 + usize::from(is_whole);
            let expected: Vec<_> = (0..count).map(|number| format!("key{number}")).collect();
            let trial = |name: &str| trial(place.path().join(name), &pair[0], state);
            let what = format!("record {number}, state {place_of}");
            for mode in ["kPointInTimeRecovery", "kSkipAnyCorruptedRecords"] {
                let options = format!("wal_recovery_mode={mode}");
                let found = ours(&trial("ours"), &options).unwrap();
                assert_eq!(found.as_ref(), Some(&expected), "{what}, {mode}");
            }
            for (judge, session) in releases.iter().zip(&mut sessions) {
                let options = "wal_recovery_mode=kPointInTimeRecovery";
                let found = theirs(session, &trial("theirs"), options).unwrap();
                assert_eq!(found.as_ref(), Some(&expected), "{what}, {judge}");
                trials += 1;
            }
        }
    }
    assert!(trials >= 20 * releases.len(), "{trials}");
}
