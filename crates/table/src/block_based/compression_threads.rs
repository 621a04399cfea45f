//! Threads that compress data blocks of one table beside the one that builds it
//! (`parallel_threads`).
//!
//! ```text
//! builder ──begin──▶ │ compressed │ taken │ waiting │ waiting │ ──▶ threads take from the left
//!         ◀──end──── └ the oldest
//! ```
//!
//! Blocks come back in the order in which they were given. The builder takes the oldest back when there
//! are as many as there may be, or when it wants to know how large the file is; never because one happens
//! to be ready. So what it sees does not depend on who was faster, and the file is the same byte for byte
//! as with one thread. While it waits it compresses what nobody has taken.

use super::block_compressor::{Attempt, BlockCodec};
use base::Result;
use env::thread_cpu_micros;
use parking_lot::{Condvar, Mutex};
use statistics::Activity;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// So many blocks are given away for each thread, the builder's own among them.
pub(super) const BLOCKS_PER_THREAD: usize = 8;

/// What became of trying a block, and how many nanoseconds that took where it is timed.
pub(super) type Tried = (Result<Attempt>, Option<u64>);

/// Blocks that are being compressed. Dropped, it waits for the threads.
#[derive(Debug)]
pub(super) struct CompressionThreads {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<u64>>,
}

#[derive(Debug)]
struct Shared {
    codec: Arc<BlockCodec>,
    queue: Mutex<Queue>,
    /// A block waits, or no more will come.
    given: Condvar,
    /// A block was tried.
    tried: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// Of the first block in `blocks`, counted from the table's first.
    first: usize,
    blocks: VecDeque<State>,
    /// Of the first that nobody has taken.
    next: usize,
    is_closed: bool,
}

#[derive(Debug)]
enum State {
    Waiting(Vec<u8>),
    /// Some thread has it.
    Taken,
    Tried(Vec<u8>, Outcome),
}

/// What became of trying a block: if that panicked, with what.
type Outcome = std::result::Result<Tried, Box<dyn Any + Send>>;

impl Queue {
    /// The first block that nobody has taken, and its number.
    fn take(&mut self) -> Option<(usize, Vec<u8>)> {
        let number = self.next;
        let state = self.blocks.get_mut(number - self.first)?;
        self.next += 1;
        match std::mem::replace(state, State::Taken) {
            State::Waiting(block) => Some((number, block)),
            // Blocks from `next` on are waiting.
            other => {
                *state = other;
                None
            }
        }
    }
}

impl Shared {
    /// Tries a block and says what became of it.
    fn compress(&self, number: usize, block: Vec<u8>) {
        let attempt = || self.codec.attempt(&block, true);
        let outcome = catch_unwind(AssertUnwindSafe(attempt));
        let mut queue = self.queue.lock();
        let at = number - queue.first;
        if let Some(state) = queue.blocks.get_mut(at) {
            *state = State::Tried(block, outcome);
        }
        drop(queue);
        self.tried.notify_one();
    }

    /// Takes blocks until no more will come. Returns the processor time that it took, in microseconds.
    fn work(&self) -> u64 {
        loop {
            let mut queue = self.queue.lock();
            let (number, block) = loop {
                if queue.is_closed {
                    return thread_cpu_micros();
                }
                if let Some(taken) = queue.take() {
                    break taken;
                }
                self.given.wait(&mut queue);
            };
            drop(queue);
            self.compress(number, block);
        }
    }
}

impl CompressionThreads {
    /// Begins `count` threads, or as many as the system has.
    pub(super) fn start(codec: &Arc<BlockCodec>, count: usize) -> Self {
        let shared = Arc::new(Shared {
            codec: Arc::clone(codec),
            queue: Mutex::default(),
            given: Condvar::new(),
            tried: Condvar::new(),
        });
        let activity = Activity::current();
        let start = |_| {
            let shared = Arc::clone(&shared);
            let work = move || {
                let _activity = activity.begin();
                shared.work()
            };
            Builder::new().name("tstone:compress".to_owned()).spawn(work).ok()
        };
        let threads = (0..count).map_while(start).collect();
        Self { shared, threads }
    }

    /// Gives a block away.
    pub(super) fn begin(&self, block: Vec<u8>) {
        self.shared.queue.lock().blocks.push_back(State::Waiting(block));
        self.shared.given.notify_one();
    }

    /// Takes back the oldest block, and what became of it. None if there is none. A panic goes on here.
    pub(super) fn end(&self) -> Option<(Vec<u8>, Tried)> {
        loop {
            let mut queue = self.shared.queue.lock();
            if let State::Tried(..) = queue.blocks.front()? {
                queue.first += 1;
                let State::Tried(block, outcome) = queue.blocks.pop_front()? else { continue };
                return Some((block, outcome.unwrap_or_else(|panic| resume_unwind(panic))));
            }
            match queue.take() {
                Some((number, block)) => {
                    drop(queue);
                    self.shared.compress(number, block);
                }
                None => self.shared.tried.wait(&mut queue),
            }
        }
    }

    /// Ends the threads. Returns the processor time that they took, in microseconds.
    pub(super) fn finish(mut self) -> u64 {
        self.join()
    }

    fn join(&mut self) -> u64 {
        self.shared.queue.lock().is_closed = true;
        self.shared.given.notify_all();
        // They do not panic: that of a block goes on where it is taken back.
        self.threads.drain(..).map(|thread| thread.join().unwrap_or_default()).sum()
    }
}

impl Drop for CompressionThreads {
    fn drop(&mut self) {
        self.join();
    }
}

#[cfg(test)]
mod tests;
