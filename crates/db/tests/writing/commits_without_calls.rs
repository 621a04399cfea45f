//! Commits through a mapping on a disk: no system call for each of them.

use crate::counting_fs::CountingFileSystem;
use crate::fixture::{Fixture, default_family, scan};
use db::{Db, WriteOptions};
use env::FileOptions;
use options::WalIo;
use std::path::Path;
use std::time::Duration;
use testing::scratch;

/// Whether files in `directory` can be appended to through a mapping.
pub(crate) fn can_map(directory: &Path) -> bool {
    let options = FileOptions { use_mapped_writes: true, ..FileOptions::default() };
    let path = directory.join("tried");
    let file = env::default_file_system().new_writable_file(&path, &options).unwrap();
    file.mapped_size().is_some()
}

/// How often this thread has called the system to write (`write`, `pwrite`, `writev`), all in all; none where
/// the system does not count that.
fn write_calls() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("syscw: ")?.parse().ok())
}

fn put(db: &Db, numbers: std::ops::Range<u32>) {
    let family = default_family(db);
    for number in numbers {
        let key = format!("key{number:06}");
        db.put(&WriteOptions::default(), &family, key.as_bytes(), &[b'v'; 100]).unwrap();
    }
}

/// The calls of the thread that writes `few` values, which fit into what is prepared first, and of
/// that which writes `many` more.
fn calls(directory: &Path, wal_io: WalIo, few: u32, many: u32) -> Option<(u64, u64)> {
    let mut fixture = Fixture::new();
    let fs = CountingFileSystem::new(env::default_file_system(), Duration::ZERO);
    fixture.context.file_system = fs.clone();
    fixture.path = directory.join(format!("{wal_io:?}"));
    fixture.options.wal_io = wal_io;
    let db = fixture.open();
    // What is done once only.
    put(&db, 0..1);
    let syncs = fs.wal_syncs.begun();
    let start = write_calls()?;
    put(&db, 1..few);
    let middle = write_calls()?;
    put(&db, few..few + many);
    let end = write_calls()?;
    assert_eq!(fs.wal_syncs.begun(), syncs, "nobody asked for a sync");
    drop(db);
    assert_eq!(scan(&fixture.open()).len(), (few + many) as usize);
    Some((middle - start, end - middle))
}

#[test]
fn a_commit_through_a_mapping_calls_nobody() {
    let Some(directory) = scratch::directory("mapped WALs", can_map) else { return };
    let (few, many) = (200, 20_000);
    let Some(written) = calls(directory.path(), WalIo::Write, few, many) else {
        println!("skipped: the system does not count the calls of threads");
        return;
    };
    assert!(written.0 >= u64::from(few - 1) && written.1 >= u64::from(many), "{written:?}");
    for wal_io in [WalIo::Mapped, WalIo::Auto] {
        let (first, later) = calls(directory.path(), wal_io, few, many).unwrap();
        assert_eq!(first, 0, "{wal_io:?}");
        // Windows that nobody else came to prepare: a call for each 16 KiB of zeros.
        assert!(later < u64::from(many) / 50, "{wal_io:?}: {later} calls for {many} writes");
    }
}
