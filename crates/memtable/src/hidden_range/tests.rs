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

/// Whether the range from d to m is still known after a record at sequence number 11.
fn survives(value_type: ValueType, key: &str) -> bool {
    let memtable = memtable();
    memtable.remember_hidden(range(Some("d"), Some("m"), 10), None);
    assert!(memtable.hidden_slot().get().is_some());
    memtable.add(11, value_type, key.as_bytes(), b"value");
    memtable.hidden_slot().get().is_some()
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
        let is_known = memtable.hidden_slot().get().is_some();
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
    let known = memtable.hidden_slot().get().unwrap();
    memtable.add(12, Value, b"f", b"");
    memtable.remember_hidden(range(None, Some("e"), 11), Some(&known));
    let extended = memtable.hidden_slot().get().unwrap();
    assert_eq!(extended.end.as_deref(), Some(&b"e"[..]));
    // The record is in the part that is new.
    memtable.remember_hidden(range(None, Some("g"), 11), Some(&extended));
    assert!(memtable.hidden_slot().get().is_none());
    // One that is not watched any more says nothing: all is looked through.
    memtable.add(13, Value, b"b", b"");
    memtable.remember_hidden(range(None, Some("e"), 12), Some(&known));
    assert!(memtable.hidden_slot().get().is_none());
}

#[test]
fn an_immutable_memtable_keeps_nothing_new() {
    let memtable = memtable();
    memtable.mark_immutable();
    memtable.remember_hidden(range(None, None, 10), None);
    assert!(memtable.hidden_slot().get().is_none());
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
        if let Some(range) = memtable.hidden_slot().get()
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
    memtable.keep_hidden(6, 8);
    assert!(memtable.hidden_slot().get().unwrap().holds(10, 7), "known of state 7, not of 6");
    memtable.keep_hidden(7, 8);
    let known = memtable.hidden_slot().get().unwrap();
    assert!(known.holds(10, 8) && !known.holds(10, 7) && !known.holds(9, 8));
    memtable.add(11, Value, b"e", b"");
    assert!(memtable.hidden_slot().get().is_none() && known.is_broken());
    memtable.keep_hidden(8, 9);
    assert!(memtable.hidden_slot().get().is_none());
}

#[test]
fn the_next_memtable_takes_over_what_is_known() {
    let full = memtable();
    full.remember_hidden(range(Some("d"), Some("m"), 10), None);
    let next = memtable();
    next.take_hidden(full.hidden_slot(), 6, 8);
    assert!(next.hidden_slot().get().is_none(), "known of state 7, not of 6");
    next.take_hidden(full.hidden_slot(), 7, 8);
    assert!(next.hidden_slot().get().unwrap().holds(10, 8));
    next.add(11, Deletion, b"e", b"");
    assert!(next.hidden_slot().get().is_some());
    next.add(12, Value, b"f", b"");
    assert!(next.hidden_slot().get().is_none());
    full.add(13, Value, b"f", b"");
    let last = memtable();
    last.take_hidden(full.hidden_slot(), 7, 8);
    assert!(last.hidden_slot().get().is_none(), "it was broken");
}

#[test]
fn deletions_to_convert_are_handed_on_until_they_are() {
    let memtable = memtable();
    let unconverted = Unconverted { first: b"e".to_vec(), deletions: 9 };
    let range = range(Some("d"), Some("m"), 10).with_unconverted(Some(unconverted.clone()));
    memtable.remember_hidden(range, None);
    memtable.keep_hidden(7, 8);
    let kept = memtable.hidden_slot().get().unwrap();
    assert_eq!(kept.unconverted(), Some(&unconverted));
    kept.set_converted();
    assert_eq!(kept.unconverted(), None);
    memtable.keep_hidden(8, 9);
    assert_eq!(memtable.hidden_slot().get().unwrap().unconverted(), None);
}
