//! What the ways to write promise to concurrent writers and readers: `enable_pipelined_write`,
//! `unordered_write`, `two_write_queues`, `allow_concurrent_memtable_write` and how waiting writers
//! wait. There is one way here, which keeps the strictest of these promises.

use crate::fixture::{Fixture, default_family, get_as_of, scan};
use db::{Db, ReadOptions, WriteBatch, WriteOptions};
use options::DbOptions;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const WRITERS: usize = 4;
const ROUNDS: u64 = 300;

fn modes() -> Vec<(&'static str, DbOptions)> {
    let with = |change: fn(&mut DbOptions)| {
        let mut options = Fixture::new().options;
        change(&mut options);
        options
    };
    vec![
        ("default", with(|_| {})),
        ("pipelined", with(|options| options.enable_pipelined_write = true)),
        ("unordered", with(|options| options.unordered_write = true)),
        ("two queues", with(|options| options.two_write_queues = true)),
        ("one at a time", with(|options| options.allow_concurrent_memtable_write = false)),
        ("no yield", with(|options| options.enable_write_thread_adaptive_yield = false)),
        ("short yield", with(|options| options.write_thread_max_yield_usec = 1)),
        ("small groups", with(|options| options.max_write_batch_group_size_bytes = 100)),
    ]
}

fn in_all_modes(test: impl Fn(&str, &Fixture)) {
    for (name, options) in modes() {
        for write_buffer_size in [64 << 20, 64 << 10] {
            let mut fixture = Fixture::new();
            fixture.options = options.clone();
            fixture.family_options.write_buffer_size = write_buffer_size;
            test(name, &fixture);
        }
    }
}

fn read(db: &Db, key: &str) -> Option<u64> {
    get_as_of(db, key, None).map(|value| value.trim().parse().unwrap())
}

/// Options of a write, in turn.
fn write_options(round: u64) -> WriteOptions {
    WriteOptions { sync: round % 16 == 3, disable_wal: round % 16 == 5, ..WriteOptions::default() }
}

#[test]
fn every_writer_reads_what_it_wrote() {
    in_all_modes(|mode, fixture| {
        let db = fixture.open();
        let last = db.latest_sequence_number();
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let db = &db;
                scope.spawn(move || {
                    let key = format!("writer{writer}");
                    let family = default_family(db);
                    for round in 0..ROUNDS {
                        let value = format!("{round:>200}");
                        let options = write_options(round);
                        db.put(&options, &family, key.as_bytes(), value.as_bytes()).unwrap();
                        assert_eq!(read(db, &key), Some(round), "{mode}");
                    }
                });
            }
        });
        let written = WRITERS as u64 * ROUNDS;
        assert_eq!(db.latest_sequence_number(), last + written, "{mode}: each its own number");
        db.close().unwrap();
        let db = fixture.open();
        assert_eq!(scan(&db).len(), WRITERS);
        for writer in 0..WRITERS {
            assert_eq!(read(&db, &format!("writer{writer}")), Some(ROUNDS - 1), "{mode}");
        }
    });
}

/// What a snapshot sees of a writer that sets `first` and `second` in one batch, and what it set in
/// the order of rounds.
fn check_snapshot(db: &Db, writer: usize, mode: &str) {
    let snapshot = db.snapshot();
    let at = |key: &str| {
        get_as_of(db, key, Some(snapshot.sequence())).map(|value| value.trim().parse().unwrap())
    };
    let first: Option<u64> = at(&format!("{writer}first"));
    let second = at(&format!("{writer}second"));
    assert_eq!(first, second, "{mode}: a batch is seen whole");
    if let Some(round) = first {
        assert_eq!(at(&format!("{writer}round{round}")), Some(round), "{mode}");
        let earlier = round / 2;
        assert_eq!(at(&format!("{writer}round{earlier}")), Some(earlier), "{mode}: a prefix");
    }
    let later = at(&format!("{writer}round{}", first.map_or(0, |round| round + 1)));
    assert_eq!(later, None, "{mode}: nothing of what came after");
    thread::yield_now();
    assert_eq!(at(&format!("{writer}second")), first, "{mode}: and it stays so");
}

#[test]
fn snapshots_see_whole_batches_in_order_and_do_not_change() {
    in_all_modes(|mode, fixture| {
        let db = fixture.open();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let db = &db;
                    scope.spawn(move || {
                        for round in 0..ROUNDS {
                            let value = format!("{round:>100}");
                            let mut batch = WriteBatch::new();
                            for name in ["first", "second", &format!("round{round}")] {
                                let key = format!("{writer}{name}");
                                batch.put(0, key.as_bytes(), value.as_bytes()).unwrap();
                            }
                            db.write(&WriteOptions::default(), batch).unwrap();
                        }
                    })
                })
                .collect();
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    (0..WRITERS).for_each(|writer| check_snapshot(&db, writer, mode));
                }
            });
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            is_over.store(true, Ordering::Release);
        });
        drop(db);
        assert_eq!(scan(&fixture.open()).len(), WRITERS * (ROUNDS as usize + 2), "{mode}");
    });
}

#[test]
fn entries_of_one_batch_keep_their_order_beside_others() {
    in_all_modes(|mode, fixture| {
        let db = fixture.open();
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let db = &db;
                scope.spawn(move || {
                    for round in 0..ROUNDS / 3 {
                        let mut batch = WriteBatch::new();
                        let value = format!("{writer} {round}");
                        batch.put(0, b"shared", b"not the last").unwrap();
                        batch.delete(0, b"shared").unwrap();
                        batch.put(0, b"shared", value.as_bytes()).unwrap();
                        db.write(&WriteOptions::default(), batch).unwrap();
                    }
                });
            }
        });
        let value = db.get(&ReadOptions::default(), &default_family(&db), b"shared").unwrap();
        let value = String::from_utf8(value.unwrap().to_vec()).unwrap();
        assert!(value.ends_with(&format!(" {}", ROUNDS / 3 - 1)), "{mode}: {value}");
    });
}
