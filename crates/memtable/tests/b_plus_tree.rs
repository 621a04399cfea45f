//! One fills a tree of nodes as large as they are used, others read it meanwhile. `TOUCHSTONE_LONG=1`
//! does so for a billion reads.

use ::memtable::{BPlusTreeRep, MemTableRep, MemTableRepWriter};
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key, pack_sequence_and_type};
use base::{InternalIterator, InternalKey, ParsedInternalKey, ValueType};
use std::sync::atomic::{AtomicU64, Ordering};
use testing::long_mode::is_long;

/// A sequence of keys, each of them known by its number.
#[derive(Clone, Copy, Debug)]
enum Keys {
    Scattered,
    Ascending,
    /// They begin alike, and some several times as often as others.
    Versions,
}

impl Keys {
    fn nth(self, number: u64) -> Vec<u8> {
        let scattered = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self {
            Self::Scattered => scattered.to_be_bytes().to_vec(),
            Self::Ascending => number.to_be_bytes().to_vec(),
            Self::Versions => format!("user{:012}", scattered >> 55).into_bytes(),
        }
    }
}

fn value(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(1 + number as usize % 4)
}

/// The newest version that a reader finds of a key must be whole, and no older than `number`.
fn check_get(rep: &dyn MemTableRep, keys: Keys, number: u64) {
    let key = keys.nth(number);
    let mut found = None;
    let target = InternalKey::for_seek(&key, MAX_SEQUENCE_NUMBER);
    rep.visit(target.as_bytes(), &mut |entry| {
        let parsed = ParsedInternalKey::parse(entry.key()).expect("a whole key");
        assert!(parsed.user_key == key && entry.value() == value(parsed.sequence), "torn record");
        found = Some(parsed.sequence);
        false
    });
    assert!(found >= Some(number), "{found:?} instead of {number}, {keys:?}");
}

/// Some records from a key on, forwards and back, are in order and whole.
fn check_scan(rep: &std::sync::Arc<BPlusTreeRep>, keys: Keys, number: u64) {
    let mut iterator = rep.clone().new_iterator();
    let target = InternalKey::for_seek(&keys.nth(number), number);
    iterator.seek(target.as_bytes()).expect("a seek");
    let mut last: Option<(Vec<u8>, u64)> = None;
    for step in 0..200 {
        if !iterator.valid() {
            assert!(step > 0, "{number} is there");
            return;
        }
        let parsed = ParsedInternalKey::parse(iterator.key()).expect("a whole key");
        assert!(iterator.value() == value(parsed.sequence), "torn record");
        let at = (extract_user_key(iterator.key()).to_vec(), u64::MAX - parsed.sequence);
        let is_forward = step <= 100;
        if let Some(last) = &last {
            assert!(if is_forward { *last < at } else { *last > at }, "{keys:?}: {last:?}, {at:?}");
        }
        last = Some(at);
        match step < 100 {
            true => iterator.next().expect("a step"),
            false => iterator.prev().expect("a step"),
        }
    }
}

/// Around a key that may not be there stand one that is not before it and one that is not behind it,
/// whatever is inserted next to them meanwhile.
fn check_seek(iterator: &mut dyn InternalIterator, target: &[u8]) {
    let seek_key = InternalKey::for_seek(target, MAX_SEQUENCE_NUMBER);
    iterator.seek(seek_key.as_bytes()).expect("a seek");
    let found = iterator.valid().then(|| extract_user_key(iterator.key()).to_vec());
    assert!(found.as_deref().is_none_or(|key| key >= target), "{found:?} before {target:?}");
    iterator.seek_for_prev(seek_key.as_bytes()).expect("a seek");
    let found = iterator.valid().then(|| extract_user_key(iterator.key()).to_vec());
    assert!(found.as_deref().is_none_or(|key| key <= target), "{found:?} behind {target:?}");
}

/// A key that is there is found.
fn check_found(iterator: &mut dyn InternalIterator, keys: Keys, number: u64) {
    let key = keys.nth(number);
    let target = InternalKey::for_seek(&key, MAX_SEQUENCE_NUMBER);
    iterator.seek(target.as_bytes()).expect("a seek");
    assert!(iterator.valid(), "{number} is there, {keys:?}");
    assert_eq!(extract_user_key(iterator.key()), key, "{number} is there, {keys:?}");
}

fn fill_and_read(keys: Keys, count: u64) {
    let (rep, mut writer) = BPlusTreeRep::new();
    let visible = &AtomicU64::new(0);
    std::thread::scope(|scope| {
        for reader in 0..2u64 {
            let rep = rep.clone();
            scope.spawn(move || {
                let mut random = reader + 1;
                // One that remembers where it was, for all the time.
                let mut iterator = rep.clone().new_iterator();
                loop {
                    let now = visible.load(Ordering::Acquire);
                    for _ in 0..64 {
                        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(99);
                        // Half of the time where it was written last.
                        let distance = if random >> 63 == 0 { 16 } else { now.max(1) };
                        let number = now.saturating_sub((random >> 32) % distance);
                        if number > 0 {
                            check_get(&*rep, keys, number);
                            check_found(&mut *iterator, keys, number);
                        }
                    }
                    for ahead in 0..64 {
                        // Ascending keys are put behind the last one all the time.
                        let now = visible.load(Ordering::Relaxed);
                        check_seek(&mut *iterator, &keys.nth(now + ahead));
                    }
                    if now > 0 {
                        check_scan(&rep, keys, 1 + (random >> 32) % now);
                    }
                    if now == count {
                        break;
                    }
                }
            });
        }
        for number in 1..=count {
            let trailer = pack_sequence_and_type(number, ValueType::Value);
            writer.insert(&keys.nth(number), trailer, &value(number));
            visible.store(number, Ordering::Release);
        }
    });
}

#[test]
fn readers_meet_whole_records_in_order_while_one_writes() {
    let (rounds, count) = if is_long() { (2000, 500_000) } else { (1, 300_000) };
    for _ in 0..rounds {
        for keys in [Keys::Scattered, Keys::Ascending, Keys::Versions] {
            fill_and_read(keys, count);
        }
    }
}

#[test]
fn large_trees_are_in_order() {
    for keys in [Keys::Scattered, Keys::Ascending, Keys::Versions] {
        let (rep, mut writer) = BPlusTreeRep::new();
        let mut expected: Vec<(Vec<u8>, u64)> = Vec::new();
        for number in 1..=100_000 {
            let trailer = pack_sequence_and_type(number, ValueType::Value);
            writer.insert(&keys.nth(number), trailer, &value(number));
            expected.push((keys.nth(number), u64::MAX - number));
        }
        expected.sort_unstable();
        let mut iterator = rep.clone().new_iterator();
        let mut at = 0;
        iterator.seek_to_first().expect("a seek");
        while iterator.valid() {
            let parsed = ParsedInternalKey::parse(iterator.key()).expect("a whole key");
            assert_eq!((parsed.user_key.to_vec(), u64::MAX - parsed.sequence), expected[at]);
            iterator.next().expect("a step");
            at += 1;
        }
        assert_eq!(at, expected.len());
        let key = |index: usize| InternalKey::for_seek(&expected[index].0, 0).as_bytes().to_vec();
        let estimate = rep.approximate_num_entries(&key(10_000), &key(60_000));
        assert!(estimate.abs_diff(50_000) < 10_000, "{estimate}");
    }
}
