//! The queue of writers, tried in every order in which its threads can take turns and see each
//! other's stores, up to a number of preemptions: `cargo test -p touchstone-db --test
//! write_thread_model`. `LOOM_MAX_PREEMPTIONS` asks for more of them.
//!
//! What is tried is the source of the queue itself, with loom's primitives in place of its own.

#![allow(clippy::unwrap_used, clippy::panic_in_result_fn, reason = "a panic fails the test")]

mod adaptive_yield;
mod sync_primitives;

#[allow(dead_code, unused_imports, reason = "the database and the tests there use all of it")]
#[path = "../../src/write"]
mod write {
    pub(crate) mod write_thread;

    pub(crate) use crate::{adaptive_yield, sync_primitives};
    pub(crate) mod write_options {
        pub(crate) use db::WriteOptions;
    }
}

use base::Result;
use base::status::Code;
use db::WriteOptions;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use std::sync::{Arc, Mutex};
use wal::WriteBatch;
use write::write_thread::{Lead, Turn, WriteThread};

fn main() {
    testing::loom_models::check(&[
        ("every batch is written once, by one leader at a time", batches_are_written_once),
        ("a synced write is not led by one that is not", synced_writes_lead_themselves),
        ("a change of what writes go to excludes writes", exclusive_leads_exclude),
        ("a lead given up fails its group and passes on", given_up_leads_pass_on),
        ("writes that must not wait do not stand behind a stall", stalls_refuse),
    ]);
}

/// A queue and what its leaders write to.
#[derive(Default)]
struct Log {
    write_thread: WriteThread,
    /// Leaders at work.
    leading: Turns,
    /// Batches, and what their leaders asked for. No thread is stopped while it holds the lock.
    records: Mutex<Vec<(Vec<u8>, WriteOptions)>>,
}

/// Counted without ordering anything: a leader that did not see what the one before it wrote, or
/// that wrote while another did, would make a turn go missing.
struct Turns(AtomicU64);

impl Default for Turns {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl Turns {
    fn take(&self) {
        let before = self.0.load(Ordering::Relaxed);
        thread::yield_now();
        self.0.store(before + 1, Ordering::Relaxed);
    }
}

fn batch(key: &str) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put(0, key.as_bytes(), b"value").unwrap();
    batch
}

impl Log {
    /// As the database writes.
    fn write(&self, options: &WriteOptions, key: &str) -> Result<()> {
        let mut own = batch(key);
        let result = match self.write_thread.join(options, &mut own) {
            Turn::Done(result) => result,
            Turn::Leads(mut lead) => {
                self.append_group(&mut lead, options, &own);
                lead.finish(&Ok(()));
                Ok(())
            }
        };
        assert_eq!(own, batch(key), "the batch came back");
        result
    }

    fn append_group(&self, lead: &mut Lead<'_>, options: &WriteOptions, own: &WriteBatch) {
        self.append(own, options);
        for follower in lead.gather(options, own, 1 << 20) {
            self.append(&follower.request().as_ref().unwrap().batch, options);
        }
    }

    fn append(&self, batch: &WriteBatch, leader: &WriteOptions) {
        self.leading.take();
        self.records.lock().unwrap().push((batch.data().to_vec(), *leader));
    }

    /// What those asked for who led a write of `key`.
    fn leaders_of(&self, key: &str) -> Vec<WriteOptions> {
        let data = batch(key).data().to_vec();
        let records = self.records.lock().unwrap();
        records.iter().filter(|(record, _)| *record == data).map(|(_, leader)| *leader).collect()
    }

    /// Nobody writes any more, and exactly `keys` were written, the synced ones by a leader that
    /// syncs.
    fn expect(&self, keys: &[(&str, bool)]) {
        let lead = self.write_thread.enter_exclusively();
        assert_eq!(self.leading.0.load(Ordering::Relaxed), keys.len() as u64, "turns");
        drop(lead);
        assert_eq!(self.records.lock().unwrap().len(), keys.len());
        for (key, is_synced) in keys {
            let leaders = self.leaders_of(key);
            assert_eq!(leaders.len(), 1, "{key}");
            assert!(leaders[0].sync || !is_synced, "{key} was led by a write that does not sync");
        }
    }
}

/// Runs two beside the thread that calls.
fn run_beside(
    log: &Arc<Log>,
    first: impl FnOnce(&Log) + 'static,
    second: impl FnOnce(&Log) + 'static,
    own: impl FnOnce(&Log),
) {
    let (first_log, second_log) = (log.clone(), log.clone());
    let threads =
        [thread::spawn(move || first(&first_log)), thread::spawn(move || second(&second_log))];
    own(log);
    for thread in threads {
        thread.join().unwrap();
    }
}

fn batches_are_written_once() {
    let log = Arc::<Log>::default();
    let write = |key| move |log: &Log| log.write(&WriteOptions::default(), key).unwrap();
    run_beside(&log, write("a"), write("b"), write("c"));
    log.expect(&[("a", false), ("b", false), ("c", false)]);
}

fn synced_writes_lead_themselves() {
    let log = Arc::<Log>::default();
    let write = |key, sync| {
        move |log: &Log| log.write(&WriteOptions { sync, ..WriteOptions::default() }, key).unwrap()
    };
    run_beside(&log, write("a", true), write("b", false), write("c", true));
    log.expect(&[("a", true), ("b", false), ("c", true)]);
}

fn exclusive_leads_exclude() {
    let log = Arc::<Log>::default();
    let write = |key| move |log: &Log| log.write(&WriteOptions::default(), key).unwrap();
    run_beside(&log, write("a"), write("b"), |log| {
        let lead = log.write_thread.enter_exclusively();
        log.append(&batch("change"), &WriteOptions::default());
        drop(lead);
    });
    log.expect(&[("a", false), ("b", false), ("change", false)]);
}

fn given_up_leads_pass_on() {
    let log = Arc::<Log>::default();
    let follow = |key| {
        move |log: &Log| {
            let result = log.write(&WriteOptions::default(), key);
            assert_eq!(result.is_ok(), log.leaders_of(key).len() == 1, "{key}");
            assert!(
                result.map_or_else(|status| status.code() == Code::Aborted, |()| true),
                "{key}"
            );
        }
    };
    run_beside(&log, follow("a"), follow("b"), |log| {
        let mut own = batch("given up");
        if let Turn::Leads(mut lead) = log.write_thread.join(&WriteOptions::default(), &mut own) {
            lead.gather(&WriteOptions::default(), &own, 1 << 20);
        }
    });
    // The queue still serves.
    log.write(&WriteOptions::default(), "last").unwrap();
}

fn stalls_refuse() {
    let log = Arc::<Log>::default();
    let impatient = WriteOptions { no_slowdown: true, ..WriteOptions::default() };
    let write = |options: WriteOptions, key| {
        move |log: &Log| match log.write(&options, key) {
            Ok(()) => {}
            Err(status) => {
                assert!(options.no_slowdown);
                assert_eq!(status.code(), Code::Incomplete);
            }
        }
    };
    run_beside(&log, write(impatient, "a"), write(WriteOptions::default(), "b"), |log| {
        let lead = log.write_thread.enter_exclusively();
        drop(log.write_thread.begin_stall());
        drop(lead);
    });
    assert!(log.leaders_of("a").iter().all(|leader| leader.no_slowdown), "a was led into a stall");
    assert!(
        log.leaders_of("b").iter().all(|leader| !leader.no_slowdown),
        "b, which may wait, was led by one that fails instead"
    );
    log.write(&impatient, "last").unwrap();
}
