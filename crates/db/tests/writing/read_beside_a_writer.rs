//! A database that is opened for reading, again and again, while it is written to.

use crate::fixture::{Fixture, get, put};
use db::Db;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Number of keys written.
const KEYS: u64 = 40_000;

/// What was acknowledged before an open is there, in a WAL or in a table, whatever was flushed,
/// compacted and deleted while it was read.
#[test]
fn an_open_for_reading_sees_what_was_written_before_it() {
    let mut fixture = Fixture::new();
    // A flush every few hundred keys.
    fixture.family_options.write_buffer_size = 64 << 10;
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    let db = fixture.open();
    let written = AtomicU64::new(0);
    let key = |number: u64| format!("key{number:06}");
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=KEYS {
                put(&db, &key(number), &"v".repeat(200));
                written.store(number, Ordering::Release);
            }
        });
        let mut opens = 0;
        loop {
            let before = written.load(Ordering::Acquire);
            let descriptors = fixture.descriptors();
            let (options, context) = (&fixture.options, &fixture.context);
            let reader = Db::open_for_read_only(options, &fixture.path, &descriptors, context);
            let reader = reader.unwrap_or_else(|status| panic!("open {opens}: {status}"));
            let sequence = reader.latest_sequence_number();
            assert!(sequence >= before, "open {opens}: {sequence}, {before} before");
            opens += 1;
            if before == KEYS {
                assert_eq!(get(&reader, &key(before)), Some("v".repeat(200)));
                assert!(opens > 10, "{opens} opens");
                break;
            }
        }
    });
    db.close().unwrap();
}
