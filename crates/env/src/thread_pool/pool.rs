//! One queue and its threads.

use super::{OnPanic, Priority};
use crate::thread_status::{ThreadType, register_thread};
use base::status::Code;
use base::{Result, Status};
use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::process::{getpriority_process, setpriority_process};
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread::{self, JoinHandle};

/// The nicest that Linux knows.
const NICENESS_MAX: i32 = 19;

pub(super) type Job = Box<dyn FnOnce() + Send>;

pub(super) struct Pool {
    priority: Priority,
    /// How nice the process was to others when the pool was made; threads that it starts later may
    /// be started by nicer ones.
    process_niceness: i32,
    /// What its threads add to that.
    added_niceness: AtomicI32,
    /// Threads start with the limit, not with jobs: who schedules those may be nicer, and only who
    /// is privileged can take niceness back that a thread was born with.
    starts_early: AtomicBool,
    on_panic: Arc<OnPanic>,
    state: Mutex<State>,
    /// There is a job, a thread too many, or the end.
    work: Condvar,
    /// A job or a thread ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    limit: usize,
    /// By number, which is part of the name; none where a thread ended.
    threads: Vec<Option<JoinHandle<()>>>,
    alive: usize,
    idle: usize,
    running: usize,
    /// Jobs that were ever scheduled.
    scheduled: u64,
    closed: bool,
}

impl Pool {
    pub(super) fn new(priority: Priority, on_panic: Arc<OnPanic>) -> Arc<Self> {
        Arc::new(Self {
            priority,
            process_niceness: getpriority_process(None).unwrap_or(0),
            added_niceness: AtomicI32::new(0),
            starts_early: AtomicBool::new(false),
            on_panic,
            state: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
        })
    }

    /// For threads that are started from now on.
    pub(super) fn set_niceness(&self, added: i32) {
        self.added_niceness.store(added.clamp(0, NICENESS_MAX), Ordering::Relaxed);
    }

    pub(super) fn start_early(&self) {
        self.starts_early.store(true, Ordering::Relaxed);
    }

    /// Sets the niceness of this thread: Linux has it thread by thread. It may be refused, and is
    /// nothing that work depends on.
    fn be_nice(&self) {
        let niceness = self.process_niceness + self.added_niceness.load(Ordering::Relaxed);
        let _ = setpriority_process(None, niceness.min(NICENESS_MAX));
    }

    pub(super) fn limit(&self) -> usize {
        self.state.lock().limit
    }

    pub(super) fn queue_len(&self) -> usize {
        self.state.lock().queue.len()
    }

    pub(super) fn running(&self) -> usize {
        self.state.lock().running
    }

    /// How many jobs were ever scheduled, if none waits or runs.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let state = self.state.lock();
        state.is_idle().then_some(state.scheduled)
    }

    pub(super) fn set_limit(self: &Arc<Self>, limit: usize) {
        let mut state = self.state.lock();
        state.limit = limit;
        let starts_early = self.starts_early.load(Ordering::Relaxed);
        // What cannot be started now is tried again with the next job.
        while (state.wants_thread() || starts_early && state.may_have_thread())
            && self.start_thread(&mut state).is_ok()
        {}
        self.work.notify_all();
    }

    pub(super) fn schedule(self: &Arc<Self>, job: Job) -> Result<()> {
        let mut state = self.state.lock();
        if state.closed {
            // The job may own what calls back into the pool when it is dropped.
            drop(state);
            return Err(Status::new(Code::ShutdownInProgress, "no more background jobs"));
        }
        state.queue.push_back(job);
        state.scheduled += 1;
        if state.wants_thread()
            && let Err(status) = self.start_thread(&mut state)
            && state.alive == 0
        {
            let job = state.queue.pop_back();
            drop(state);
            drop(job);
            return Err(status);
        }
        self.work.notify_one();
        Ok(())
    }

    fn start_thread(self: &Arc<Self>, state: &mut MutexGuard<'_, State>) -> Result<()> {
        let number = match state.threads.iter().position(Option::is_none) {
            Some(number) => number,
            None => {
                state.threads.push(None);
                state.threads.len() - 1
            }
        };
        // Linux shows the first 15 bytes of a name.
        let name = format!("tstone:{}{number}", self.priority.label());
        let pool = Arc::clone(self);
        let started = thread::Builder::new().name(name).spawn(move || pool.work(number));
        let thread = started
            .map_err(|error| Status::io_error(format!("start a background thread: {error}")))?;
        state.threads[number] = Some(thread);
        state.alive += 1;
        Ok(())
    }

    /// Tells pools apart.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The life of a thread.
    fn work(&self, number: usize) {
        POOL_OF_THREAD.set(self.address());
        self.be_nice();
        register_thread(match self.priority {
            Priority::High => ThreadType::HighPriority,
            Priority::Low => ThreadType::LowPriority,
            Priority::Bottom => ThreadType::BottomPriority,
        });
        perf_context::set_thread_pool_id(self.priority as u64);
        let mut state = self.state.lock();
        while !state.closed && state.alive <= state.limit {
            let Some(job) = state.queue.pop_front() else {
                state.idle += 1;
                self.work.wait(&mut state);
                state.idle -= 1;
                continue;
            };
            state.running += 1;
            MutexGuard::unlocked(&mut state, || self.run(job));
            state.running -= 1;
            self.ended.notify_all();
        }
        state.alive -= 1;
        // While the end is awaited, the handle is for whoever awaits it.
        if !state.closed {
            state.threads[number] = None;
        }
        self.ended.notify_all();
    }

    fn run(&self, job: Job) {
        // Nothing of the pool is in the job's reach; what the job left half done is its owner's to
        // judge, who is told.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(job)) {
            // Neither may a panic of the listener end the thread.
            let report = || (self.on_panic)(self.priority, message_of(&*payload));
            let _ = catch_unwind(AssertUnwindSafe(report));
        }
    }

    pub(super) fn wait_until_idle(&self) {
        let mut state = self.state.lock();
        while !state.is_idle() {
            self.ended.wait(&mut state);
        }
    }

    /// Drops what waits. No job starts afterwards.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let dropped = std::mem::take(&mut state.queue);
        self.work.notify_all();
        self.ended.notify_all();
        drop(state);
        // Not under the lock: what the jobs own may call back when it is dropped.
        drop(dropped);
    }

    /// Waits for the threads to end, without the one that calls.
    pub(super) fn wait_until_closed(&self) {
        let own = thread::current().id();
        let own_count = usize::from(POOL_OF_THREAD.get() == self.address());
        let mut state = self.state.lock();
        while state.alive > own_count {
            self.ended.wait(&mut state);
        }
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        for thread in threads.into_iter().flatten().filter(|thread| thread.thread().id() != own) {
            // Jobs' panics are caught, so it ends well.
            let _ = thread.join();
        }
    }
}

thread_local! {
    /// The address of the pool that the thread works for; 0 for none.
    static POOL_OF_THREAD: Cell<usize> = const { Cell::new(0) };
}

impl State {
    fn may_have_thread(&self) -> bool {
        !self.closed && self.alive < self.limit
    }

    fn wants_thread(&self) -> bool {
        self.may_have_thread() && self.idle < self.queue.len()
    }

    fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.running == 0
    }
}

fn message_of(payload: &(dyn Any + Send)) -> &str {
    if let Some(message) = payload.downcast_ref::<&'static str>() {
        return message;
    }
    payload.downcast_ref::<String>().map_or("no message", String::as_str)
}
