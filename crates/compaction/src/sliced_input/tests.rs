use super::*;
use base::{Comparator, ValueType};
use iterator::VecIterator;
use std::sync::Barrier;
use testing::wait;

type Entries = Vec<(InternalKey, Vec<u8>)>;

/// Lets a thread help, or does not.
#[derive(Debug)]
struct Help {
    is_there: bool,
    /// Whether an engagement is held.
    is_engaged: Arc<AtomicUsize>,
}

struct Engagement(Arc<AtomicUsize>);

impl Helpers for Help {
    fn engage(&self) -> Option<Box<dyn Send>> {
        self.is_there.then(|| {
            self.is_engaged.fetch_add(1, Ordering::SeqCst);
            Box::new(Engagement(self.is_engaged.clone())) as Box<dyn Send>
        })
    }
}

impl Drop for Engagement {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn comparator() -> InternalKeyComparator {
    InternalKeyComparator::bytewise()
}

fn key(number: u32) -> Vec<u8> {
    format!("key{number:06}").into_bytes()
}

/// Two memtables, the newer first: each third key is in both.
fn memtables(count: u32) -> [Entries; 2] {
    let entry = |number: u32, sequence, value: &str| {
        let key = InternalKey::new(&key(number), sequence, ValueType::Value);
        (key, format!("{value}{number}").into_bytes())
    };
    let newer = (0..count).step_by(3).map(|number| entry(number, 2, "new")).collect();
    [newer, (0..count).map(|number| entry(number, 1, "old")).collect()]
}

fn cursors(memtables: &[Entries]) -> Vec<Box<dyn InternalIterator>> {
    let cursor = |entries: &Entries| {
        let entries = entries.iter().map(|(key, value)| (key.as_bytes().to_vec(), value.clone()));
        Box::new(VecIterator::new(comparator(), entries.collect())) as Box<dyn InternalIterator>
    };
    memtables.iter().map(cursor).collect()
}

fn begin(
    memtables: &[Entries],
    starts: Vec<Vec<u8>>,
    new_iterators: Box<NewIterators>,
) -> SlicedInput {
    let is_engaged = Arc::default();
    let helpers = Arc::new(Help { is_there: true, is_engaged });
    let new_starts = Box::new(|| starts);
    let slices = MemTableSlices { new_starts, new_iterators, helpers };
    let merged = iterator::merge(&comparator(), cursors(memtables));
    SlicedInput::begin(&comparator(), slices, merged).ok().expect("a thread helps")
}

fn divided(memtables: &[Entries], starts: Vec<Vec<u8>>) -> SlicedInput {
    let helped = memtables.to_vec();
    begin(memtables, starts, Box::new(move || cursors(&helped)))
}

/// All that an input has, and what it took to come there.
fn read(input: &mut SlicedInput) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    input.start().unwrap();
    while input.valid() {
        found.push((input.key().to_vec(), input.value().to_vec()));
        assert_eq!(&*input.pinned_value(), input.value());
        assert!(input.entry().is_some_and(|entry| entry.key == input.key()));
        // Both ways to go on, in turn.
        if found.len() % 2 == 0 || !input.next_in_slice() {
            input.next().unwrap();
        }
    }
    assert!(input.entry().is_none());
    found
}

fn merged(memtables: &[Entries]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut cursor = iterator::merge(&comparator(), cursors(memtables));
    let mut found = Vec::new();
    cursor.seek_to_first().unwrap();
    while cursor.valid() {
        found.push((cursor.key().to_vec(), cursor.value().to_vec()));
        cursor.next().unwrap();
    }
    found
}

#[test]
fn slices_have_what_a_merge_has_in_its_order() {
    let memtables = memtables(3_000);
    let expected = merged(&memtables);
    let all_starts: [Vec<Vec<u8>>; 4] = [
        vec![key(1_500)],
        (1..300).map(|number| key(number * 10)).collect(),
        // A slice before all keys, two without any between two keys, and two after all keys.
        vec![b"a".to_vec(), b"key000500a".to_vec(), b"key000500b".to_vec(), key(9_000), key(9_999)],
        (0..3_000).map(key).collect(),
    ];
    for starts in all_starts {
        let count = starts.len();
        assert!(read(&mut divided(&memtables, starts)) == expected, "{count} borders");
    }
    assert!(read(&mut divided(&[Vec::new(), Vec::new()], vec![key(1)])).is_empty());
}

#[test]
fn a_seek_goes_on_over_slices() {
    let mut input = divided(&memtables(100), vec![key(30), key(60)]);
    for (target, found) in
        [(10, Some(10)), (10, Some(10)), (59, Some(59)), (75, Some(75)), (100, None)]
    {
        input.seek(InternalKey::for_seek(&key(target), MAX_SEQUENCE_NUMBER).as_bytes()).unwrap();
        let here = input.valid().then(|| extract_user_key(input.key()).to_vec());
        assert_eq!(here, found.map(key), "{target}");
    }
}

#[test]
fn without_a_thread_nothing_is_gathered() {
    let memtables = memtables(100);
    let helpers = Arc::new(Help { is_there: false, is_engaged: Arc::default() });
    let new_iterators = Box::new(|| panic!("somebody helps"));
    let new_starts = Box::new(|| panic!("somebody is to help"));
    let slices = MemTableSlices { new_starts, new_iterators, helpers };
    let merged = iterator::merge(&comparator(), cursors(&memtables));
    let mut cursor = SlicedInput::begin(&comparator(), slices, merged).err().expect("no help");
    cursor.seek_to_first().unwrap();
    assert!(cursor.valid());
}

#[test]
fn what_cannot_be_divided_keeps_no_thread() {
    let is_engaged = Arc::new(AtomicUsize::new(0));
    let helpers = Arc::new(Help { is_there: true, is_engaged: is_engaged.clone() });
    let new_iterators = Box::new(|| panic!("somebody helps"));
    let slices = MemTableSlices { new_starts: Box::new(Vec::new), new_iterators, helpers };
    let merged = iterator::merge(&comparator(), cursors(&memtables(100)));
    assert!(SlicedInput::begin(&comparator(), slices, merged).is_err());
    assert_eq!(is_engaged.load(Ordering::SeqCst), 0);
}

#[test]
fn no_more_is_gathered_ahead_than_there_is_room_for() {
    let entry = |number| {
        (InternalKey::new(&key(number), 1, ValueType::Value), vec![number as u8; 64 << 10])
    };
    let memtables = [(0..200).map(entry).collect::<Entries>()];
    let starts = (1..100).map(|number| key(number * 2)).collect();
    let mut input = divided(&memtables, starts);
    let in_progress = |input: &SlicedInput| input.shared.progress.lock().gathered_size;
    wait::until("it is gathered", || in_progress(&input) >= AHEAD_SIZE_MAX);
    // A slice and what a vector has to spare.
    assert!(in_progress(&input) <= AHEAD_SIZE_MAX + (512 << 10), "{}", in_progress(&input));
    assert!(gathered_bytes() >= AHEAD_SIZE_MAX);
    // Whoever gathered that keeps nobody from running.
    let has_ended = || input.helper.as_ref().is_some_and(JoinHandle::is_finished);
    wait::until("the helper goes", has_ended);
    assert_eq!(read(&mut input).len(), 200);
    assert_eq!(in_progress(&input), 0);
    assert!(input.helped_micros > 0, "nobody helped again");
}

#[test]
fn slices_that_are_too_large_come_piece_by_piece() {
    let version = |sequence| {
        (InternalKey::new(&key(5), sequence, ValueType::Value), vec![sequence as u8; 1_000])
    };
    // One key has many versions, of which the oldest are there twice.
    let mut newer: Entries = (0..5_000).rev().map(|number| version(number + 10)).collect();
    newer.insert(0, (InternalKey::new(&key(1), 9, ValueType::Value), b"first".to_vec()));
    let mut older: Entries = (0..20).map(version).rev().collect();
    older.push((InternalKey::new(&key(9), 1, ValueType::Value), b"last".to_vec()));
    let memtables = [newer, older];
    let expected = merged(&memtables);
    assert_eq!(expected.len(), 5_022);
    for starts in [vec![key(0)], vec![key(5)], vec![key(5), key(6)]] {
        let mut input = divided(&memtables, starts);
        assert!(read(&mut input) == expected);
        // With what a vector has to spare.
        let spent = input.shared.progress.lock().spent.iter().map(Slice::size).max();
        let size = input.slice.size().max(spent.unwrap_or(0));
        assert!((SLICE_SIZE_MAX..5 * SLICE_SIZE_MAX / 2).contains(&size), "{size}");
    }
    let mut input = divided(&memtables, vec![key(5)]);
    input.seek(InternalKey::new(&key(5), 3_000, ValueType::Value).as_bytes()).unwrap();
    assert_eq!(input.value(), &[(3_000 % 256) as u8; 1_000]);
}

/// Upper and lower case are one key.
#[derive(Debug)]
struct WithoutCase;

impl Comparator for WithoutCase {
    fn name(&self) -> &str {
        "test.WithoutCase"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
    }

    fn can_keys_with_different_byte_contents_be_equal(&self) -> bool {
        true
    }
}

/// A prepared transaction may have written both with one sequence number.
#[test]
fn keys_that_compare_equal_stay_in_one_piece() {
    let comparator = InternalKeyComparator::new(Arc::new(WithoutCase));
    let entry = |key: &[u8], size| {
        (InternalKey::new(key, 1, ValueType::Value).as_bytes().to_vec(), vec![b'v'; size])
    };
    let entries = [entry(b"A", SLICE_SIZE_MAX), entry(b"a", 1), entry(b"b", 1), entry(b"c", 1)];
    let cursor = {
        let (comparator, entries) = (comparator.clone(), entries.clone());
        move || {
            let entries = VecIterator::new(comparator.clone(), entries.to_vec());
            vec![Box::new(entries) as Box<dyn InternalIterator>]
        }
    };
    let helpers = Arc::new(Help { is_there: true, is_engaged: Arc::default() });
    let merged = iterator::merge(&comparator, cursor());
    let slices = MemTableSlices {
        new_starts: Box::new(|| vec![b"c".to_vec()]),
        new_iterators: Box::new(cursor),
        helpers,
    };
    let mut input = SlicedInput::begin(&comparator, slices, merged).ok().expect("a thread helps");
    assert!(read(&mut input) == entries);
}

#[test]
fn the_engagement_ends_with_the_help() {
    let memtables = memtables(3_000);
    for reads_all in [false, true] {
        let is_engaged = Arc::new(AtomicUsize::new(0));
        let helpers = Arc::new(Help { is_there: true, is_engaged: is_engaged.clone() });
        let helped = memtables.to_vec();
        let new_iterators = Box::new(move || cursors(&helped));
        let new_starts = Box::new(|| (1..300).map(|number| key(number * 10)).collect());
        let slices = MemTableSlices { new_starts, new_iterators, helpers };
        let merged = iterator::merge(&comparator(), cursors(&memtables));
        let mut input = SlicedInput::begin(&comparator(), slices, merged).ok().expect("help");
        if reads_all {
            read(&mut input);
        } else {
            input.start().unwrap();
        }
        drop(input);
        assert_eq!(is_engaged.load(Ordering::SeqCst), 0, "reads all: {reads_all}");
    }
}

/// Comes to entries, and fails or panics once it is to go on from one.
struct Failing {
    inner: Box<dyn InternalIterator>,
    at: Vec<u8>,
    panics: bool,
}

fn failure(panics: bool) -> Status {
    assert!(!panics, "an iterator that fails");
    Status::corruption("a memtable that fails")
}

impl InternalIterator for Failing {
    fn valid(&self) -> bool {
        self.inner.valid()
    }
    fn seek_to_first(&mut self) -> Result<()> {
        self.inner.seek_to_first()
    }
    fn seek_to_last(&mut self) -> Result<()> {
        self.inner.seek_to_last()
    }
    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.inner.seek(target)
    }
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.inner.seek_for_prev(target)
    }
    fn next(&mut self) -> Result<()> {
        if extract_user_key(self.inner.key()) == self.at {
            return Err(failure(self.panics));
        }
        self.inner.next()
    }
    fn prev(&mut self) -> Result<()> {
        self.inner.prev()
    }
    fn key(&self) -> &[u8] {
        self.inner.key()
    }
    fn value(&self) -> &[u8] {
        self.inner.value()
    }
}

/// Reads until the helper, which fails in the second slice, has failed for the reader: who waits until it has begun.
fn read_what_fails(panics: bool) -> Result<usize> {
    let memtables = memtables(90);
    let has_begun = Arc::new(Barrier::new(2));
    let (helped, began) = (memtables.to_vec(), has_begun.clone());
    let new_iterators = Box::new(move || {
        began.wait();
        let failing =
            |inner| Box::new(Failing { inner, at: key(40), panics }) as Box<dyn InternalIterator>;
        cursors(&helped).into_iter().map(failing).collect()
    });
    let mut input = begin(&memtables, vec![key(30), key(60)], new_iterators);
    has_begun.wait();
    // All that there is it has gathered.
    while input.shared.progress.lock().gathered.len() < 3 {
        std::thread::yield_now();
    }
    input.start()?;
    let mut count = 0;
    while input.valid() {
        count += 1;
        input.next()?;
    }
    Ok(count)
}

#[test]
fn what_fails_in_a_helper_fails_the_job() {
    let error = read_what_fails(false).unwrap_err();
    assert!(error.message().contains("a memtable that fails"), "{error}");
    let panic = catch_unwind(|| read_what_fails(true)).unwrap_err();
    let text =
        panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(|s| &**s));
    assert!(text.is_some_and(|text| text.contains("an iterator that fails")), "{text:?}");
}
