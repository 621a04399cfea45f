//! RocksDB's `db_bench` as the primary, at full speed.

use crate::place::{Place, scan, try_scan};
use std::process::{Child, Command, Stdio};
use testing::wait::until;

/// Keys that `fillseq` writes: number i with sequence number i + 1.
const KEYS: u64 = 150_000;

/// Ends the process with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, or ends now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn db_bench(place: &Place, benchmarks: &str) -> Running {
    let child = Command::new("db_bench")
        .arg(format!("--db={}", place.primary().display()))
        .arg(format!("--benchmarks={benchmarks}"))
        .arg(format!("--num={KEYS}"))
        .args(["--value_size=60", "--key_size=16", "--write_buffer_size=400000"])
        .args(["--target_file_size_base=300000", "--max_bytes_for_level_base=1000000"])
        .args(["--compression_type=none", "--seed=7", "--disable_wal=false"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

fn has_ended(running: &mut Running) -> bool {
    running.0.try_wait().unwrap().is_some()
}

/// Opened when there are entries: `db_bench` makes a database, removes it, and makes another.
fn open_soon(place: &Place) -> db::Db {
    let mut opened = None;
    until("db_bench writes", || {
        opened = match place.try_open_secondary() {
            Ok(db) => Some(db).filter(|db| db.latest_sequence_number() > 0),
            Err(status) if status.is_path_not_found() => None,
            Err(status) => panic!("{status}"),
        };
        opened.is_some()
    });
    opened.unwrap()
}

/// After each catch-up there are exactly the keys up to the last sequence number.
#[test]
fn keys_written_in_order_are_all_there_up_to_the_last() {
    if testing::peer::find("db_bench").is_none() {
        return;
    }
    let place = Place::new();
    let mut running = db_bench(&place, "fillseq");
    let secondary = open_soon(&place);
    let (mut rounds, mut last) = (0, 0);
    loop {
        let ended = has_ended(&mut running);
        secondary.try_catch_up_with_primary().unwrap_or_else(|status| panic!("{rounds}: {status}"));
        let sequence = secondary.latest_sequence_number();
        assert!(sequence >= last);
        if sequence > last || ended {
            let pairs = scan(&secondary, "default");
            assert_eq!(pairs.len() as u64, sequence, "round {rounds}");
            rounds += 1;
        }
        last = sequence;
        if ended {
            break;
        }
    }
    assert_eq!(last, KEYS);
    assert!(rounds > 2, "{rounds} rounds");
}

/// Compactions rewrite everything meanwhile; at the end both read the same.
#[test]
fn a_database_that_is_overwritten_is_followed_to_its_end() {
    if testing::peer::find("db_bench").is_none() {
        return;
    }
    let place = Place::new();
    let mut running = db_bench(&place, "fillrandom,overwrite");
    let secondary = open_soon(&place);
    while !has_ended(&mut running) {
        secondary.try_catch_up_with_primary().unwrap();
        let sequence = secondary.latest_sequence_number();
        let pairs = try_scan(&secondary, "default").unwrap();
        assert!(pairs.len() as u64 <= sequence);
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0));
    }
    secondary.try_catch_up_with_primary().unwrap();
    let reader = db::Db::open_for_read_only(
        &place.options,
        &place.primary(),
        &place.descriptors(),
        &place.context,
    );
    assert!(scan(&reader.unwrap(), "default") == scan(&secondary, "default"));
    assert_eq!(secondary.latest_sequence_number(), 2 * KEYS);
    let activity = secondary.secondary_progress().unwrap().activity;
    assert!(activity.flushes > 3 && activity.compactions > 0, "{activity:?}");
}
