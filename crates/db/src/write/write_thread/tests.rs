use super::{Turn, WriteThread, group_size_max, may_join};
use crate::write::write_options::WriteOptions;
use base::Status;
use base::status::Code;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use wal::WriteBatch;

fn batch(key: &[u8]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put(0, key, b"value").unwrap();
    batch
}

#[test]
fn every_batch_is_written_once_and_in_groups_without_a_second_leader() {
    let write_thread = WriteThread::default();
    let written = Mutex::new(Vec::new());
    let groups = AtomicU64::new(0);
    let leading = AtomicU64::new(0);
    let threads = 4;
    let each = 2_000;
    thread::scope(|scope| {
        for number in 0..threads {
            let (write_thread, written, groups, leading) =
                (&write_thread, &written, &groups, &leading);
            scope.spawn(move || {
                for index in 0..each {
                    let key = format!("{number}-{index}");
                    let mut own = batch(key.as_bytes());
                    let options = WriteOptions::default();
                    match write_thread.join(&options, &mut own) {
                        Turn::Done(result) => result.unwrap(),
                        Turn::Leads(mut lead) => {
                            assert_eq!(leading.fetch_add(1, Ordering::SeqCst), 0);
                            let mut group = vec![own.clone()];
                            for follower in lead.gather(&options, &own, 1 << 20) {
                                let request = follower.request();
                                group.extend(request.as_ref().map(|request| request.batch.clone()));
                            }
                            groups.fetch_add(1, Ordering::Relaxed);
                            written.lock().unwrap().extend(group);
                            leading.fetch_sub(1, Ordering::SeqCst);
                            lead.finish(&Ok(()));
                        }
                    }
                    assert_eq!(own, batch(key.as_bytes()), "the batch came back");
                }
            });
        }
    });
    let mut keys: Vec<_> =
        written.into_inner().unwrap().iter().map(|b| b.data().to_vec()).collect();
    keys.sort();
    let before = keys.len();
    keys.dedup();
    assert_eq!((before, keys.len()), (threads * each, threads * each));
    assert!(groups.into_inner() <= (threads * each) as u64);
}

#[test]
fn what_fails_alone_keeps_its_error_and_a_group_shares_its_own() {
    let write_thread = WriteThread::default();
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        let mut first = batch(b"first");
        let options = WriteOptions::default();
        let Turn::Leads(mut lead) = write_thread.join(&options, &mut first) else {
            panic!("nobody else leads")
        };
        let follower = scope.spawn(|| {
            barrier.wait();
            let options = WriteOptions::default();
            let Turn::Done(result) = write_thread.join(&options, &mut batch(b"second")) else {
                panic!("another leads")
            };
            result
        });
        barrier.wait();
        while lead.gather(&options, &batch(b"own"), 1 << 20).is_empty() {
            thread::yield_now();
        }
        lead.followers[0].fail(Status::invalid_argument("its own"));
        lead.finish(&Err(Status::io_error("of all")));
        assert_eq!(follower.join().unwrap(), Err(Status::invalid_argument("its own")));
    });
}

#[test]
fn a_lead_given_up_fails_its_followers_and_passes_on() {
    let write_thread = WriteThread::default();
    thread::scope(|scope| {
        let options = WriteOptions::default();
        let Turn::Leads(mut lead) = write_thread.join(&options, &mut batch(b"a")) else {
            panic!("nobody else leads")
        };
        let follower =
            scope.spawn(|| match write_thread.join(&WriteOptions::default(), &mut batch(b"b")) {
                Turn::Done(result) => result,
                Turn::Leads(_) => panic!("was gathered"),
            });
        while lead.gather(&options, &batch(b"own"), 1 << 20).is_empty() {
            thread::yield_now();
        }
        let exclusive = scope.spawn(|| drop(write_thread.enter_exclusively()));
        drop(lead);
        assert!(follower.join().unwrap().is_err());
        exclusive.join().unwrap();
    });
    assert!(matches!(
        write_thread.join(&WriteOptions::default(), &mut batch(b"c")),
        Turn::Leads(_)
    ));
}

#[test]
fn a_sync_does_not_join_what_is_not_synced() {
    let plain = WriteOptions::default();
    let sync = WriteOptions { sync: true, ..plain };
    let without_wal = WriteOptions { disable_wal: true, ..plain };
    let impatient = WriteOptions { no_slowdown: true, ..plain };
    assert!(may_join(&plain, &plain));
    assert!(may_join(&sync, &plain));
    assert!(!may_join(&plain, &sync));
    assert!(!may_join(&plain, &without_wal));
    assert!(!may_join(&without_wal, &plain));
    assert!(!may_join(&plain, &impatient));
}

#[test]
fn small_batches_do_not_wait_for_large_groups() {
    assert_eq!(group_size_max(100, 1 << 20), 100 + (128 << 10));
    assert_eq!(group_size_max(1 << 19, 1 << 20), 1 << 20);
}

#[test]
fn who_wants_the_lead_alone_is_no_write_that_waits() {
    let write_thread = WriteThread::default();
    let options = WriteOptions::default();
    let Turn::Leads(lead) = write_thread.join(&options, &mut batch(b"a")) else { panic!() };
    assert_eq!(write_thread.waiting_count(), 0);
    let counted = thread::scope(|scope| {
        scope.spawn(|| drop(write_thread.enter_exclusively()));
        scope.spawn(|| drop(write_thread.join(&options, &mut batch(b"b"))));
        while write_thread.queue.lock().waiting.len() < 2 {
            thread::yield_now();
        }
        let counted = write_thread.waiting_count();
        drop(lead);
        counted
    });
    assert_eq!(counted, 1);
    assert_eq!(write_thread.waiting_count(), 0);
}

#[test]
fn writes_that_must_not_wait_fail_behind_a_leader_that_waits() {
    let write_thread = WriteThread::default();
    let patient = WriteOptions::default();
    let impatient = WriteOptions { no_slowdown: true, ..WriteOptions::default() };
    let Turn::Leads(lead) = write_thread.join(&patient, &mut batch(b"a")) else { panic!() };
    thread::scope(|scope| {
        let queued = scope.spawn(|| {
            let mut own = batch(b"b");
            let turn = write_thread.join(&impatient, &mut own);
            assert_eq!(own, batch(b"b"), "the batch came back");
            matches!(turn, Turn::Done(Err(status)) if status.code() == Code::Incomplete)
        });
        while write_thread.queue.lock().waiting.is_empty() {
            thread::yield_now();
        }
        let stall = write_thread.begin_stall();
        assert!(queued.join().unwrap(), "one that had come before the stall");
        let turn = write_thread.join(&impatient, &mut batch(b"c"));
        assert!(matches!(turn, Turn::Done(Err(_))), "one that came during the stall");
        drop(stall);
    });
    drop(lead);
    let turn = write_thread.join(&impatient, &mut batch(b"d"));
    assert!(matches!(turn, Turn::Leads(_)));
}
