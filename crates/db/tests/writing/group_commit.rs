//! Writers that wait for each other: they share syncs, and leave the processors to others meanwhile.

use crate::counting_fs::{CountingFileSystem, WalSyncs};
use crate::fixture::{Fixture, default_family, scan};
use db::{Db, WriteOptions};
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

const WRITERS: usize = 16;

/// A database in memory whose WALs take that long to be synced.
fn with_slow_syncs(takes: Duration) -> (Fixture, Arc<WalSyncs>) {
    let mut fixture = Fixture::new();
    let fs = CountingFileSystem::new(fixture.context.file_system.clone(), takes);
    fixture.context.file_system = fs.clone();
    (fixture, fs.wal_syncs.clone())
}

/// Has [`WRITERS`] threads write so many keys each, synced, and calls `write` around each write.
/// Returns what each thread used of a processor, and how long all took.
fn write_synced(
    db: &Db,
    count: usize,
    around: impl Fn(&dyn Fn()) + Sync,
) -> (Vec<Duration>, Duration) {
    let barrier = Barrier::new(WRITERS);
    let options = WriteOptions { sync: true, ..WriteOptions::default() };
    let write = |writer: usize| {
        let family = default_family(db);
        barrier.wait();
        let before = thread_cpu_time();
        for number in 0..count {
            let key = format!("{writer:02}-{number:03}");
            around(&|| db.put(&options, &family, key.as_bytes(), b"value").unwrap());
        }
        thread_cpu_time() - before
    };
    let start = Instant::now();
    let used = thread::scope(|scope| {
        let write = &write;
        let threads: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (used, start.elapsed())
}

fn thread_cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}

/// A write returns after a sync that began when it had begun itself; one sync serves many writes.
#[test]
fn synced_writes_of_many_threads_share_syncs() {
    for mode in ["", "enable_pipelined_write=true", "two_write_queues=true", "wal_io=write"] {
        let (mut fixture, syncs) = with_slow_syncs(Duration::from_millis(2));
        fixture.options.apply_string(mode, &options::ConfigOptions::default()).unwrap();
        let db = fixture.open();
        let before = syncs.begun();
        write_synced(&db, 50, |write| {
            let begun = syncs.begun();
            write();
            assert!(syncs.ended() > begun, "{mode}: a write returned before it was safe");
        });
        let shared = syncs.begun() - before;
        println!("{mode}: {shared} syncs");
        // All but one may wait while one writer's sync is on its way: at best eight share each of them.
        assert!((50..WRITERS * 50 / 4).contains(&shared), "{mode}: {shared} syncs");
        drop(db);
        assert_eq!(scan(&fixture.open()).len(), WRITERS * 50);
    }
}

/// All together a fraction of one processor, which a single one that does not sleep would take whole.
#[test]
fn writers_that_wait_for_a_sync_leave_the_processors_to_others() {
    for mode in ["", "enable_pipelined_write=true", "two_write_queues=true"] {
        let (mut fixture, _) = with_slow_syncs(Duration::from_millis(25));
        fixture.options.apply_string(mode, &options::ConfigOptions::default()).unwrap();
        let db = fixture.open();
        let (used, took) = write_synced(&db, 10, |write| write());
        let used: Duration = used.into_iter().sum();
        println!("{mode}: {used:?} of {took:?}");
        assert!(took > Duration::from_millis(200), "{mode}: {took:?}");
        assert!(used < took / 4, "{mode}: {used:?} of {took:?}");
    }
}
