//! The queue of writers. One leads at a time; it takes the batches of others that wait with it
//! through the log and the memtables, so that they share the cost of a log record and of its sync.
//!
//! A thread that finds no leader becomes it without more than one uncontended lock. Others wait,
//! first spinning, then yielding where that has paid off of late, then parked, until the leader has
//! done their work or hands the lead to them.

use crate::write::adaptive_yield::AdaptiveYield;
use crate::write::sync_primitives::{
    AtomicU8, Mutex, MutexGuard, SPINS, Thread, current, park, spin_loop,
};
use crate::write::write_options::WriteOptions;
use base::{Result, Status};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use wal::WriteBatch;

/// A small batch is not to wait for a large group: at most this many bytes join it.
const SMALL_GROUP_SIZE_BYTES: usize = 128 << 10;

const WAITS: u8 = 0;
const LEADS: u8 = 1;
const DONE: u8 = 2;

/// What a writer asks for.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) options: WriteOptions,
    pub(crate) batch: WriteBatch,
}

/// A writer that waits behind a leader.
#[derive(Debug)]
pub(crate) struct Writer {
    /// None where the lead itself is wanted, to change what writes go to.
    request: Mutex<Option<Request>>,
    result: Mutex<Result<()>>,
    /// Starts as `WAITS`; the store of another value releases what the leader wrote.
    state: AtomicU8,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Queue {
    is_led: bool,
    /// The one who leads waits for flushes or compactions.
    is_stalled: bool,
    waiting: VecDeque<Arc<Writer>>,
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct WriteThread {
    queue: Mutex<Queue>,
    yielding: AdaptiveYield,
}

/// How joining the queue ended.
#[derive(Debug)]
pub(crate) enum Turn<'a> {
    /// This thread leads, and its own batch is still to be written.
    Leads(Lead<'a>),
    /// A leader wrote the batch.
    Done(Result<()>),
}

/// The right to write, until dropped.
#[derive(Debug)]
pub(crate) struct Lead<'a> {
    write_thread: &'a WriteThread,
    followers: Vec<Arc<Writer>>,
}

impl WriteThread {
    /// An empty queue whose writers wait so.
    pub(crate) fn new(yielding: AdaptiveYield) -> Self {
        Self { queue: Mutex::default(), yielding }
    }

    /// Takes the lead, or waits until a leader has written `batch`. The batch stays, or comes back,
    /// where it was.
    pub(crate) fn join(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Turn<'_> {
        let mut queue = self.queue.lock();
        if !queue.is_led {
            queue.is_led = true;
            return Turn::Leads(Lead { write_thread: self, followers: Vec::new() });
        }
        if queue.is_stalled && options.no_slowdown {
            return Turn::Done(Err(write_stall()));
        }
        let request = Request { options: *options, batch: std::mem::take(batch) };
        let writer = Writer::new(Some(request));
        queue.waiting.push_back(writer.clone());
        drop(queue);
        let state = writer.wait(&self.yielding);
        if let Some(request) = writer.request.lock().take() {
            *batch = request.batch;
        }
        if state == LEADS {
            return Turn::Leads(Lead { write_thread: self, followers: Vec::new() });
        }
        Turn::Done(writer.result.lock().clone())
    }

    /// To be called by the one who leads, before it waits: writes behind it that must not wait
    /// (`no_slowdown`) fail, until what this returns is dropped.
    pub(crate) fn begin_stall(&self) -> Stall<'_> {
        let mut queue = self.queue.lock();
        queue.is_stalled = true;
        let waiting = std::mem::take(&mut queue.waiting);
        let (refused, waiting): (VecDeque<_>, VecDeque<_>) =
            waiting.into_iter().partition(|writer| writer.must_not_wait());
        queue.waiting = waiting;
        drop(queue);
        for writer in refused {
            writer.fail(write_stall());
            writer.wake(DONE);
        }
        Stall { write_thread: self }
    }

    /// How many writes wait behind the one who leads.
    pub(crate) fn waiting_count(&self) -> usize {
        let queue = self.queue.lock();
        queue.waiting.iter().filter(|writer| writer.request.lock().is_some()).count()
    }

    /// Takes the lead to change what writes go to: no write is under way while it is held.
    pub(crate) fn enter_exclusively(&self) -> Lead<'_> {
        let mut queue = self.queue.lock();
        if queue.is_led {
            let writer = Writer::new(None);
            queue.waiting.push_back(writer.clone());
            drop(queue);
            writer.wait(&self.yielding);
        } else {
            queue.is_led = true;
        }
        Lead { write_thread: self, followers: Vec::new() }
    }
}

impl Writer {
    fn new(request: Option<Request>) -> Arc<Self> {
        Arc::new(Self {
            request: Mutex::new(request),
            result: Mutex::new(Ok(())),
            state: AtomicU8::new(WAITS),
            thread: current(),
        })
    }

    fn wait(&self, yielding: &AdaptiveYield) -> u8 {
        let state = || Some(self.state.load(Ordering::Acquire)).filter(|state| *state != WAITS);
        for _ in 0..SPINS {
            match state() {
                None => spin_loop(),
                Some(state) => return state,
            }
        }
        if let Some(state) = yielding.yield_until(state) {
            return state;
        }
        loop {
            match state() {
                None => park(),
                Some(state) => return state,
            }
        }
    }

    fn wake(&self, state: u8) {
        self.state.store(state, Ordering::Release);
        self.thread.unpark();
    }

    /// What it asks for. To be held by the one who leads its group, until it is done.
    pub(crate) fn request(&self) -> MutexGuard<'_, Option<Request>> {
        self.request.lock()
    }

    fn must_not_wait(&self) -> bool {
        self.request.lock().as_ref().is_some_and(|request| request.options.no_slowdown)
    }

    /// What becomes of this writer alone, whatever becomes of the group.
    pub(crate) fn fail(&self, status: Status) {
        *self.result.lock() = Err(status);
    }

    /// Whether it failed alone.
    pub(crate) fn has_failed(&self) -> bool {
        self.result.lock().is_err()
    }
}

/// What a write gets that would have to wait and must not.
pub(crate) fn write_stall() -> Status {
    Status::incomplete("Write stall")
}

/// The leader waits, until dropped.
#[derive(Debug)]
pub(crate) struct Stall<'a> {
    write_thread: &'a WriteThread,
}

impl Drop for Stall<'_> {
    fn drop(&mut self) {
        self.write_thread.queue.lock().is_stalled = false;
    }
}

/// Whether a waiting write may go with one that leads.
fn may_join(leader: &WriteOptions, follower: &WriteOptions) -> bool {
    // One that need not be safe from a power loss may go with one that must, not the other way.
    (leader.sync || !follower.sync)
        && leader.disable_wal == follower.disable_wal
        && leader.no_slowdown == follower.no_slowdown
        && leader.low_pri == follower.low_pri
        && leader.ignore_missing_column_families == follower.ignore_missing_column_families
}

/// The most bytes of a group whose leader brings `leader_size`.
fn group_size_max(leader_size: usize, option_max: usize) -> usize {
    let small = option_max.min(SMALL_GROUP_SIZE_BYTES).max(option_max / 8);
    if leader_size <= small { leader_size.saturating_add(small) } else { option_max }
}

impl Lead<'_> {
    /// Takes writers that wait, in their order, into the group of `own`: as long as they may join,
    /// the group stays small enough (`max_write_batch_group_size_bytes`), and one header can count
    /// its entries.
    pub(crate) fn gather(
        &mut self,
        options: &WriteOptions,
        own: &WriteBatch,
        option_max: usize,
    ) -> &[Arc<Writer>] {
        let mut queue = self.write_thread.queue.lock();
        let size_max = group_size_max(own.data().len(), option_max);
        let (mut size, mut count) = (own.data().len(), own.count());
        while let Some(next) = queue.waiting.front() {
            let (next_size, next_count) = match &*next.request.lock() {
                Some(request) if may_join(options, &request.options) => {
                    (request.batch.data().len(), request.batch.count())
                }
                _ => break,
            };
            let sums = (size.checked_add(next_size), count.checked_add(next_count));
            let (Some(size_then), Some(count_then)) = sums else { break };
            if size_then > size_max {
                break;
            }
            (size, count) = (size_then, count_then);
            self.followers.extend(queue.waiting.pop_front());
        }
        &self.followers
    }

    /// The group has this result, but for those of it that failed alone.
    #[inline]
    pub(crate) fn finish(mut self, result: &Result<()>) {
        if !self.followers.is_empty() {
            self.release_followers(result);
        }
    }

    fn release_followers(&mut self, result: &Result<()>) {
        for follower in self.followers.drain(..) {
            if let Err(status) = result
                && !follower.has_failed()
            {
                follower.fail(status.clone());
            }
            follower.wake(DONE);
        }
    }
}

/// The next writer leads. Followers of a lead given up without a word fail.
impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if !self.followers.is_empty() {
            self.release_followers(&Err(Status::aborted(
                "the write that led the group was given up",
            )));
        }
        let mut queue = self.write_thread.queue.lock();
        match queue.waiting.pop_front() {
            Some(next) => {
                drop(queue);
                next.wake(LEADS);
            }
            None => queue.is_led = false,
        }
    }
}

#[cfg(test)]
mod tests;
