//! The threads that flush and compact.
//!
//! A database has one [`ThreadPool`]: queues by [`Priority`], each with threads of its own, at most
//! as many as its limit says. Threads start when there is work for them. A job that panics ends
//! alone: its thread goes on, and whoever made the pool hears of it.

mod pool;

use base::Result;
use pool::Pool;
use std::fmt;
use std::sync::Arc;

/// Which queue a job waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Compactions into the last level, where they have threads of their own.
    Bottom,
    /// Compactions.
    Low,
    /// Flushes.
    High,
}

impl Priority {
    /// All, the least first.
    pub const ALL: [Priority; 3] = [Priority::Bottom, Priority::Low, Priority::High];

    fn label(self) -> &'static str {
        match self {
            Priority::Bottom => "bottom",
            Priority::Low => "low",
            Priority::High => "high",
        }
    }
}

/// What is called with the queue and the message of a job that panicked.
pub type OnPanic = dyn Fn(Priority, &str) + Send + Sync;

/// Queues of jobs and their threads. Dropping it shuts it down.
pub struct ThreadPool {
    pools: [Arc<Pool>; 3],
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ThreadPool");
        for priority in Priority::ALL {
            debug.field(priority.label(), &self.background_threads(priority));
        }
        debug.finish_non_exhaustive()
    }
}

impl ThreadPool {
    /// One in which no queue has threads yet, see [`ThreadPool::set_background_threads`].
    /// `on_panic` runs in the thread of the job that panicked.
    pub fn new(on_panic: impl Fn(Priority, &str) + Send + Sync + 'static) -> Self {
        let on_panic: Arc<OnPanic> = Arc::new(on_panic);
        Self { pools: Priority::ALL.map(|priority| Pool::new(priority, Arc::clone(&on_panic))) }
    }

    /// Changes how many threads a queue may have. More take up waiting jobs at once; surplus ones
    /// end when their job does. With 0, jobs wait.
    pub fn set_background_threads(&self, priority: Priority, count: usize) {
        self.pool(priority).set_limit(count);
    }

    /// How many threads a queue may have.
    pub fn background_threads(&self, priority: Priority) -> usize {
        self.pool(priority).limit()
    }

    /// By how much threads of a queue are nicer to other threads than the process was when the pool
    /// was made: 0, as at first, to 19. Where more threads want to run than there are processors, one
    /// that is nicer by 5 gets a third of what the others get.
    ///
    /// To be called before queues may have threads. Those of the other queues then start as soon as
    /// they may, not with the first job: a job of this queue could not start them without making them
    /// nice too.
    pub fn set_niceness(&self, priority: Priority, added: i32) {
        self.pool(priority).set_niceness(added);
        if added > 0 {
            Priority::ALL.iter().filter(|other| **other != priority).for_each(|other| {
                self.pool(*other).start_early();
            });
        }
    }

    /// Puts a job at the end of a queue.
    ///
    /// # Errors
    ///
    /// `ShutdownInProgress` after [`ThreadPool::shutdown`], and `IoError` if the queue may have
    /// threads, has none, and the system gives none. The job is dropped then.
    pub fn schedule(&self, priority: Priority, job: impl FnOnce() + Send + 'static) -> Result<()> {
        self.pool(priority).schedule(Box::new(job))
    }

    /// Jobs that wait in a queue.
    pub fn queue_len(&self, priority: Priority) -> usize {
        self.pool(priority).queue_len()
    }

    /// Jobs of a queue that run.
    pub fn running(&self, priority: Priority) -> usize {
        self.pool(priority).running()
    }

    /// Waits until no job waits or runs. Jobs that other threads schedule meanwhile count. Never
    /// returns while jobs wait in a queue without threads, nor when a job calls it.
    pub fn wait_until_idle(&self) {
        loop {
            for pool in &self.pools {
                pool.wait_until_idle();
            }
            // Jobs may have gone from queue to queue around this: only where each is idle twice and got no
            // job in between, all were at one time.
            let look = || self.pools.iter().map(|pool| pool.idle_since()).collect::<Vec<_>>();
            let before = look();
            if before.iter().all(Option::is_some) && before == look() {
                return;
            }
        }
    }

    /// Drops the jobs that wait, and waits for those that run. A job may call it too (one that
    /// holds the last reference to a database does): it then waits for all others.
    pub fn shutdown(&self) {
        for pool in &self.pools {
            pool.close();
        }
        for pool in &self.pools {
            pool.wait_until_closed();
        }
    }

    fn pool(&self, priority: Priority) -> &Arc<Pool> {
        &self.pools[priority as usize]
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// How many jobs of each kind may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackgroundJobLimits {
    /// Flushes: the threads of [`Priority::High`].
    pub flushes_max: usize,
    /// Compactions: the threads of [`Priority::Low`].
    pub compactions_max: usize,
}

impl BackgroundJobLimits {
    /// As the options have it. Where neither `max_background_flushes` nor
    /// `max_background_compactions` is set (both are -1), a quarter of `max_background_jobs` are
    /// flushes. There is at least one of each.
    pub fn new(
        max_background_flushes: i32,
        max_background_compactions: i32,
        max_background_jobs: i32,
    ) -> Self {
        let at_least_one = |count: i32| usize::try_from(count).unwrap_or(0).max(1);
        if max_background_flushes == -1 && max_background_compactions == -1 {
            let flushes_max = at_least_one(max_background_jobs / 4);
            let rest = at_least_one(max_background_jobs).saturating_sub(flushes_max);
            return Self { flushes_max, compactions_max: rest.max(1) };
        }
        Self {
            flushes_max: at_least_one(max_background_flushes),
            compactions_max: at_least_one(max_background_compactions),
        }
    }
}

#[cfg(test)]
mod tests;
