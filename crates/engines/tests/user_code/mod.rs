//! One program's code, and the same work done with it in RocksDB and in this engine. A process loads
//! one library, so that each release has a test program of its own.

mod calls;
mod ours;
mod theirs;

pub(crate) use calls::compare_calls_with;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Keys and values, in order.
type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// What the code was asked of its filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Asked {
    /// For each filter that was made: whether of a full, and of a manual compaction.
    filters: Vec<(bool, bool)>,
    /// For each full and each partial merge how many operands there were, ascending.
    full_merges: Vec<usize>,
    partial_merges: Vec<usize>,
    /// Keys and values that filters decided about, in order of both.
    values: Entries,
}

/// The code.
#[derive(Debug, Default)]
struct Code {
    asked: Mutex<Asked>,
    /// One filter serves all compactions.
    has_one_filter: bool,
    /// How often keys were compared, and the extractor asked.
    compares: AtomicU64,
    prefixes: AtomicU64,
}

/// What a filter says.
enum Verdict {
    Keep,
    Remove,
    Change(Vec<u8>),
}

impl Code {
    /// Short keys first, then by bytes from the end.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compares.fetch_add(1, Relaxed);
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }

    /// What was there and the operands, and no more than the last 60 bytes of that.
    fn merge(existing: Option<&[u8]>, operands: &[&[u8]]) -> Vec<u8> {
        let joined = existing.into_iter().chain(operands.iter().copied()).collect::<Vec<_>>();
        let joined = joined.join(&b'|');
        joined[joined.len().saturating_sub(60)..].to_vec()
    }

    fn merged(&self, operands: usize, is_full: bool) {
        let mut asked = self.asked.lock().unwrap();
        match is_full {
            true => asked.full_merges.push(operands),
            false => asked.partial_merges.push(operands),
        }
    }

    fn create_filter(&self, is_full: bool, is_manual: bool) {
        self.asked.lock().unwrap().filters.push((is_full, is_manual));
    }

    /// Values with an odd last digit stay; of the others some go and some change.
    fn filter(&self, key: &[u8], value: &[u8]) -> Verdict {
        self.asked.lock().unwrap().values.push((key.to_vec(), value.to_vec()));
        match value.last() {
            Some(b'2' | b'6') => Verdict::Remove,
            Some(b'4' | b'8') => Verdict::Change([b"changed:", value].concat()),
            _ => Verdict::Keep,
        }
    }

    /// The first two bytes of keys that have three.
    fn prefix_length(&self, key: &[u8]) -> Option<usize> {
        self.prefixes.fetch_add(1, Relaxed);
        (key.len() >= 3).then_some(2)
    }

    fn asked(&self) -> Asked {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.values.sort();
        asked.full_merges.sort_unstable();
        asked.partial_merges.sort_unstable();
        asked
    }
}

/// An engine with the code in it, and an open database.
trait Subject {
    fn put(&self, key: &[u8], value: &[u8]);
    fn merge(&self, key: &[u8], operand: &[u8]);
    fn delete(&self, key: &[u8]);
    /// Whether the key is there.
    fn get(&self, key: &[u8]) -> bool;
    fn flush(&self);
    fn compact(&self);
    /// All entries; those from the end back first, if `backwards`.
    fn scan(&self, backwards: bool) -> Entries;
    /// The entries from `key` on that have its prefix.
    fn scan_prefix(&self, key: &[u8]) -> Entries;
    /// How often keys were compared, and the extractor asked, by now.
    fn calls(&self) -> (u64, u64);
}

/// The options of both.
const FAMILY: &str = "disable_auto_compactions=true;level_compaction_dynamic_level_bytes=false;\
    compression=kNoCompression;write_buffer_size=64M;memtable_prefix_bloom_size_ratio=0.1;\
    block_based_table_factory={filter_policy=bloomfilter:10:false;whole_key_filtering=false}";

/// What a phase of the work showed.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    phase: &'static str,
    forwards: Entries,
    backwards: Entries,
    of_prefixes: Vec<Entries>,
}

impl Shown {
    /// The first entry that is another, for people.
    fn difference(&self, other: &Self) -> Option<String> {
        let entries = |shown: &Self| {
            let prefixes = shown.of_prefixes.iter().flatten();
            let all = shown.forwards.iter().chain(&shown.backwards).chain(prefixes);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            all.map(|(key, value)| format!("{}={}", text(key), text(value))).collect::<Vec<_>>()
        };
        let (ours, theirs) = (entries(self), entries(other));
        let pairs = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
        (self != other)
            .then(|| format!("{}: {pairs:?}, {} and {}", self.phase, ours.len(), theirs.len()))
    }
}

fn show(subject: &dyn Subject, phase: &'static str) -> Shown {
    let prefixes = (0..40).map(|n| format!("{:02}{}", n % 20, n / 20));
    Shown {
        phase,
        forwards: subject.scan(false),
        backwards: subject.scan(true),
        of_prefixes: prefixes.map(|key| subject.scan_prefix(key.as_bytes())).collect(),
    }
}

/// The work: writes in an order that only looks like chance.
fn work(subject: &dyn Subject) -> Vec<Shown> {
    let mut random = 12345_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    let mut shown = Vec::new();
    for step in 0..3000 {
        let number = next(400);
        let key = match next(4) {
            0 => format!("{:02}", number % 100),
            _ => format!("{:02}{}", number % 20, number / 20),
        };
        let value = format!("{step}.{}", next(10));
        match next(10) {
            0 => subject.delete(key.as_bytes()),
            1..=4 => subject.merge(key.as_bytes(), value.as_bytes()),
            _ => subject.put(key.as_bytes(), value.as_bytes()),
        }
        match step {
            499 => shown.push(show(subject, "in memory")),
            999 | 1999 => subject.flush(),
            1499 => shown.push(show(subject, "in memory and a table")),
            2499 => {
                subject.flush();
                subject.compact();
                shown.push(show(subject, "after a compaction"));
            }
            _ => {}
        }
    }
    subject.flush();
    shown.push(show(subject, "in tables of two levels"));
    subject.compact();
    shown.push(show(subject, "after another compaction"));
    shown
}

/// Does the work in both, and has each read what the other wrote.
pub(crate) fn compare_with(release: &str) {
    let libraries = testing::judges::library_files();
    let Some((_, library)) = libraries.iter().find(|(found, _)| *found == release) else {
        // Not installed, which whoever lists them has said.
        return;
    };
    let library = librocksdb::Library::load(library).unwrap();
    for has_one_filter in [false, true] {
        compare(&library, has_one_filter);
    }
}

fn compare(library: &Arc<librocksdb::Library>, has_one_filter: bool) {
    let root = tempfile::tempdir().unwrap();
    let (their_path, our_path) = (root.path().join("theirs"), root.path().join("ours"));
    let (theirs, their_asked) = theirs::with_database(library, &their_path, has_one_filter, work);
    let (ours, our_asked) = ours::with_database(&our_path, has_one_filter, work);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(ours.forwards.len() > 100, "{}: {}", ours.phase, ours.forwards.len());
        assert_eq!(ours.difference(theirs), None);
    }
    assert!(our_asked.values.len() > 300, "{}", our_asked.values.len());
    assert_eq!(our_asked, their_asked);
    let is_changed = |(_, value): &(Vec<u8>, Vec<u8>)| value.starts_with(b"changed:");
    assert!(ours.last().unwrap().forwards.iter().any(is_changed));

    let read = |subject: &dyn Subject| vec![show(subject, "after another compaction")];
    let (ours_read, _) = ours::with_database(&their_path, has_one_filter, read);
    let (theirs_read, _) = theirs::with_database(library, &our_path, has_one_filter, read);
    assert_eq!((ours_read.last(), theirs_read.last()), (ours.last(), ours.last()));
}
