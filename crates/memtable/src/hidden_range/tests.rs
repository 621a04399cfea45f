use super::*;
use crate::{MemTable, MemTableOptions};
use base::ValueType::{self, Deletion, Merge, SingleDeletion, Value};
use base::{InternalKeyComparator, SequenceNumber};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn memtable() -> MemTable {
    MemTable::new(InternalKeyComparator::bytewise(), &MemTableOptions::default())
}

fn range(start: Option<&str>, end: Option<&str>, sequence: SequenceNumber) -> HiddenRange {
    let owned = |key: Option<&str>| key.map(|key| key.as_bytes().to_vec());
    HiddenRange::new((owned(start), owned(end)), sequence, 7, 1)
}

/// The one range that a memtable keeps, if it keeps any.
fn known(memtable: &MemTable) -> Option<Arc<HiddenRange>> {
    let all = memtable.hidden_slot().all();
    assert!(all.len() <= 1);
    all.iter().next().cloned()
}

/// Whether the range from d to m is still known after a record at sequence number 11.
fn survives(value_type: ValueType, key: &str) -> bool {
    let memtable = memtable();
    memtable.remember_hidden(range(Some("d"), Some("m"), 10), None);
    assert!(known(&memtable).is_some());
    memtable.add(11, value_type, key.as_bytes(), b"value");
    known(&memtable).is_some()
}

#[test]
fn what_shows_within_the_range_breaks_it() {
    for value_type in [Value, Merge] {
        assert!(!survives(value_type, "d"));
        assert!(!survives(value_type, "lzzz"));
        assert!(survives(value_type, "czzz"));
        assert!(survives(value_type, "m"), "the end is outside");
    }
    for value_type in [Deletion, SingleDeletion, ValueType::RangeDeletion] {
        assert!(survives(value_type, "e"), "{value_type:?}");
    }
}

#[test]
fn a_record_between_scan_and_watch_is_found() {
    for (sequence, value_type, key, is_kept) in [
        (11, Value, "e", false),
        (10, Value, "e", true),
        (11, Deletion, "e", true),
        (11, Value, "a", true),
        (11, Value, "m", true),
    ] {
        let memtable = memtable();
        memtable.add(sequence, value_type, key.as_bytes(), b"");
        memtable.remember_hidden(range(Some("d"), Some("m"), 10), None);
        let is_known = known(&memtable).is_some();
        assert_eq!(is_known, is_kept, "{sequence} {value_type:?} {key}");
    }
}

#[test]
fn a_range_without_ends_holds_all_keys() {
    let comparator = InternalKeyComparator::bytewise();
    assert!(range(None, None, 1).contains(b"", &comparator));
    assert!(range(None, Some("b"), 1).contains(b"", &comparator));
    assert!(!range(None, Some("b"), 1).contains(b"b", &comparator));
    assert!(range(Some("b"), None, 1).contains(b"zz", &comparator));
    assert!(!range(Some("b"), None, 1).contains(b"a", &comparator));
}

#[test]
fn it_holds_for_later_reads_of_the_same_state() {
    let range = range(None, None, 10);
    assert!(range.holds(10, 7) && range.holds(11, 7));
    assert!(!range.holds(9, 7) && !range.holds(10, 8));
}

#[test]
fn an_extended_range_is_looked_through_behind_the_known_one_only() {
    let memtable = memtable();
    memtable.remember_hidden(range(None, Some("d"), 10), None);
    let first = known(&memtable).unwrap();
    memtable.add(12, Value, b"f", b"");
    memtable.remember_hidden(range(None, Some("e"), 11), Some(&first));
    let extended = known(&memtable).unwrap();
    assert_eq!(extended.end.as_deref(), Some(&b"e"[..]));
    // The record is in the part that is new.
    memtable.remember_hidden(range(None, Some("g"), 11), Some(&extended));
    assert!(known(&memtable).is_none());
    // One that is not watched any more says nothing: all is looked through.
    memtable.add(13, Value, b"b", b"");
    memtable.remember_hidden(range(None, Some("e"), 12), Some(&first));
    assert!(known(&memtable).is_none());
}

#[test]
fn an_immutable_memtable_keeps_nothing_new() {
    let memtable = memtable();
    memtable.mark_immutable();
    memtable.remember_hidden(range(None, None, 10), None);
    assert!(known(&memtable).is_none());
}

/// Whatever happens at the same time: a reader who knows of a record does not skip it.
#[test]
fn writers_and_scans_at_once() {
    use std::sync::atomic::AtomicU64;
    const KEYS: u64 = 2000;
    let memtable = Arc::new(memtable());
    let published = Arc::new(AtomicU64::new(0));
    let writer = {
        let (memtable, published) = (memtable.clone(), published.clone());
        std::thread::spawn(move || {
            for sequence in 1..=KEYS {
                memtable.add(sequence, Value, format!("{sequence:08}").as_bytes(), b"");
                published.store(sequence, Ordering::Release);
            }
        })
    };
    let comparator = InternalKeyComparator::bytewise();
    loop {
        let seen = published.load(Ordering::Acquire);
        // Nothing after the last key that was seen is there yet.
        let start = format!("{:08}", seen + 1).into_bytes();
        memtable.remember_hidden(HiddenRange::new((Some(start), None), seen, 7, 1), None);
        let later = published.load(Ordering::Acquire);
        if let Some(range) = known(&memtable)
            && range.holds(later, 7)
        {
            let newest = format!("{later:08}");
            let hides = later > 0 && range.contains(newest.as_bytes(), &comparator);
            assert!(!hides, "{later} is hidden by a scan at {}", range.sequence);
        }
        if seen == KEYS {
            break;
        }
    }
    writer.join().unwrap();
}

#[test]
fn what_is_known_goes_on_to_a_state_that_shows_the_same() {
    let memtable = memtable();
    memtable.remember_hidden(range(Some("d"), Some("m"), 10), None);
    memtable.keep_hidden(7, 8);
    let kept = known(&memtable).unwrap();
    assert!(kept.holds(10, 8) && !kept.holds(10, 7) && !kept.holds(9, 8));
    memtable.add(11, Value, b"e", b"");
    assert!(known(&memtable).is_none() && kept.is_broken());
    memtable.keep_hidden(8, 9);
    assert!(known(&memtable).is_none());
    memtable.remember_hidden(range(Some("d"), Some("m"), 11), None);
    memtable.keep_hidden(8, 9);
    assert!(known(&memtable).is_none(), "known of state 7, not of 8");
}

#[test]
fn the_next_memtable_takes_over_what_is_known() {
    let full = memtable();
    full.remember_hidden(range(Some("d"), Some("m"), 10), None);
    let next = memtable();
    next.take_hidden(full.hidden_slot(), 6, 8);
    assert!(known(&next).is_none(), "known of state 7, not of 6");
    next.take_hidden(full.hidden_slot(), 7, 8);
    assert!(known(&next).unwrap().holds(10, 8));
    next.add(11, Deletion, b"e", b"");
    assert!(known(&next).is_some());
    next.add(12, Value, b"f", b"");
    assert!(known(&next).is_none());
    full.add(13, Value, b"f", b"");
    let last = memtable();
    last.take_hidden(full.hidden_slot(), 7, 8);
    assert!(known(&last).is_none(), "it was broken");
}

#[test]
fn deletions_to_convert_are_handed_on_until_they_are() {
    let memtable = memtable();
    let unconverted = Unconverted { first: b"e".to_vec(), deletions: 9 };
    let range = range(Some("d"), Some("m"), 10).with_unconverted(Some(unconverted.clone()));
    memtable.remember_hidden(range, None);
    memtable.keep_hidden(7, 8);
    let kept = known(&memtable).unwrap();
    assert_eq!(kept.unconverted(), Some(&unconverted));
    kept.set_converted();
    assert_eq!(kept.unconverted(), None);
    memtable.keep_hidden(8, 9);
    assert_eq!(known(&memtable).unwrap().unconverted(), None);
}

/// The ranges that are known, as `start-end`, and how many entries each has.
fn shown(memtable: &MemTable) -> String {
    let text = |key: &Option<Vec<u8>>| String::from_utf8(key.clone().unwrap_or_default()).unwrap();
    let one =
        |it: &Arc<HiddenRange>| format!("{}-{}:{}", text(&it.start), text(&it.end), it.entries);
    memtable.hidden_slot().all().iter().map(one).collect::<Vec<_>>().join(" ")
}

fn remember(memtable: &MemTable, start: &str, end: &str, sequence: u64, entries: u64) {
    let owned = |key: &str| (!key.is_empty()).then(|| key.as_bytes().to_vec());
    let range = HiddenRange::new((owned(start), owned(end)), sequence, 7, entries);
    memtable.remember_hidden(range, None);
}

#[test]
fn ranges_that_are_apart_are_kept_beside_each_other() {
    let memtable = memtable();
    for (start, end, entries, expected) in [
        ("m", "p", 5, "m-p:5"),
        ("d", "f", 3, "d-f:3 m-p:5"),
        // Next to another one.
        ("f", "h", 4, "d-f:3 f-h:4 m-p:5"),
        // What is shorter does not take the place of what is longer, where both hold.
        ("g", "i", 2, "d-f:3 f-h:4 m-p:5"),
        ("a", "b", 2, "d-f:3 f-h:4 m-p:5"),
        // The shortest makes room.
        ("s", "t", 9, "f-h:4 m-p:5 s-t:9"),
        // Over two that were known.
        ("e", "n", 9, "e-n:9 s-t:9"),
        ("t", "", 1, "e-n:9 s-t:9 t-:1"),
        ("", "e", 1, "-e:1 e-n:9 s-t:9"),
        ("", "", 30, "-:30"),
    ] {
        remember(&memtable, start, end, 10, entries);
        assert_eq!(shown(&memtable), expected, "after {start}-{end}");
    }
}

#[test]
fn a_longer_range_gives_way_to_scans_that_it_does_not_hold_for() {
    let memtable = memtable();
    remember(&memtable, "d", "m", 10, 9);
    remember(&memtable, "e", "f", 9, 1);
    assert_eq!(shown(&memtable), "e-f:1");
}

#[test]
fn only_the_range_written_into_is_broken() {
    let memtable = memtable();
    remember(&memtable, "d", "f", 10, 1);
    remember(&memtable, "m", "p", 10, 1);
    memtable.add(11, Value, b"g", b"");
    assert_eq!(shown(&memtable), "d-f:1 m-p:1");
    memtable.add(12, Value, b"e", b"");
    assert_eq!(shown(&memtable), "m-p:1");
    memtable.keep_hidden(7, 8);
    memtable.add(13, Value, b"m", b"");
    assert_eq!(shown(&memtable), "");
}

#[test]
fn ranges_are_found_by_their_keys() {
    let memtable = memtable();
    let slot = memtable.hidden_slot();
    let comparator = InternalKeyComparator::bytewise();
    let name = |found: Option<Arc<HiddenRange>>| {
        found.map_or("none".to_owned(), |it| {
            String::from_utf8(it.end.clone().unwrap_or_else(|| b"last".to_vec())).unwrap()
        })
    };
    let look = |key: &str| {
        let key = key.as_bytes();
        let [at, up_to, after] = [
            slot.at(Some(key), &comparator),
            slot.last_up_to(key, &comparator),
            slot.first_after(key, &comparator),
        ]
        .map(name);
        format!("{at} {up_to} {after}")
    };
    assert_eq!(look("a"), "none none none");
    assert_eq!(name(slot.at(None, &comparator)), "none");
    remember(&memtable, "d", "f", 10, 1);
    remember(&memtable, "m", "", 10, 1);
    assert_eq!(name(slot.at(None, &comparator)), "none");
    for (key, expected) in [
        ("c", "none none f"),
        ("d", "f f last"),
        ("ezz", "f f last"),
        ("f", "none f last"),
        ("m", "last last none"),
        ("zz", "last last none"),
    ] {
        assert_eq!(look(key), expected, "{key}");
    }
    remember(&memtable, "", "b", 10, 1);
    assert_eq!(name(slot.at(None, &comparator)), "b");
}
