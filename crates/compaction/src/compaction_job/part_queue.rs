//! The parts of a job, and the threads that take one after another.

use super::part::{Part, PartOutcome};
use base::Result;
use parking_lot::Mutex;
use statistics::Activity;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{Builder, Scope, scope};

/// Who says how many threads work for a job beside its own.
pub trait Helpers: Send + Sync + fmt::Debug {
    /// One more may, until what this returns is dropped; none if no thread is to spare. Asked
    /// whenever a part begins and others wait.
    fn engage(&self) -> Option<Box<dyn Send>>;
}

/// What became of a part: of one that panicked, with what.
type Ended = std::result::Result<Result<PartOutcome>, Box<dyn Any + Send>>;

/// What threads take parts from.
struct PartQueue<'q> {
    parts: &'q [Part<'q>],
    helpers: &'q dyn Helpers,
    /// Of the job; that of each thread.
    activity: Activity,
    progress: Mutex<Progress>,
}

struct Progress {
    /// Index of the next part that nobody took.
    next: usize,
    /// By part.
    ended: Vec<Option<Ended>>,
}

/// Does all parts: in this thread, and in as many others as may help. Once one has failed, no other
/// begins.
///
/// # Errors
/// That of the first part that failed. A panic of one goes on here.
pub(super) fn run_parts(parts: &[Part<'_>], helpers: &dyn Helpers) -> Result<Vec<PartOutcome>> {
    let progress = Progress { next: 0, ended: parts.iter().map(|_| None).collect() };
    let activity = Activity::current();
    let queue = PartQueue { parts, helpers, activity, progress: Mutex::new(progress) };
    scope(|scope| queue.work(scope));
    let ended = queue.progress.into_inner().ended;
    let outcome = |ended: Ended| ended.unwrap_or_else(|panic| resume_unwind(panic));
    // Parts that did not begin are missing only where one before or after them failed.
    ended.into_iter().flatten().map(outcome).collect()
}

impl PartQueue<'_> {
    /// Takes parts until none is left.
    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let _activity = self.activity.begin();
        while let Some(index) = self.take() {
            self.get_help(scope);
            // What a part leaves half done is its own; the job ends with the panic.
            let ended = catch_unwind(AssertUnwindSafe(|| self.parts[index].run_and_tell()));
            let mut progress = self.progress.lock();
            if !matches!(ended, Ok(Ok(_))) {
                progress.next = self.parts.len();
            }
            progress.ended[index] = Some(ended);
        }
    }

    fn take(&self) -> Option<usize> {
        let mut progress = self.progress.lock();
        let index = progress.next;
        let is_left = index < self.parts.len();
        progress.next += usize::from(is_left);
        is_left.then_some(index)
    }

    /// Has one more thread take parts, if there are parts for it and it may. Without it this one does
    /// them.
    fn get_help<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        if self.progress.lock().next >= self.parts.len() {
            return;
        }
        if let Some(engagement) = self.helpers.engage() {
            let help = move || {
                self.work(scope);
                drop(engagement);
            };
            // Where the system has no thread to give, the engagement ends here.
            let _ = Builder::new().name("tstone:part".to_owned()).spawn_scoped(scope, help);
        }
    }
}
