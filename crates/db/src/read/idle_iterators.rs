//! Iterators of one state of a column family that nobody uses, for those made next.
//!
//! To make an iterator takes longer than a seek and ten steps of it: cursors over all runs, what they
//! share, and references to that. So the state of one that is dropped stays, without the blocks that it has
//! read, until the column family has another state. One that is made with the same options takes it, and
//! sees what it would see if it were made anew.
//!
//! Threads look at different places first, so that they seldom meet.

use crate::read::db_iter::DbIter;
use crate::read::read_view::ReadView;
use parking_lot::Mutex;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::ReadOptions;

/// How many iterators are kept.
const PLACES: usize = 8;
/// At how many places one is looked for, or put.
const PLACES_LOOKED_AT: usize = 3;

/// In a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Place(Mutex<Option<Box<DbIter>>>);

/// Iterators that nobody uses.
#[derive(Default)]
pub(crate) struct IdleIterators {
    places: [Place; PLACES],
}

impl IdleIterators {
    /// One that is as good as made now by `options`, over what `view` shows. It must be of the state that
    /// these iterators are of.
    pub(crate) fn take(&self, options: &ReadOptions, view: &ReadView<'_>) -> Option<Box<DbIter>> {
        self.places().find_map(|place| {
            // Who holds it is about to take what is there, or has something else to put.
            let mut place = place.0.try_lock()?;
            let is_fit = place.as_mut().is_some_and(|idle| idle.begin_anew(options, view));
            if is_fit { place.take() } else { None }
        })
    }

    /// Keeps one that is at rest. It takes the place of another if all places are taken: of one that is
    /// less often asked for, presumably.
    pub(crate) fn put(&self, idle: Box<DbIter>) {
        let vacant = self.places().find_map(|place| place.0.try_lock().filter(|it| it.is_none()));
        let first = || self.places().next().and_then(|place| place.0.try_lock());
        let old = vacant.or_else(first).and_then(|mut place| place.replace(idle));
        // Not under the lock.
        drop(old);
    }

    /// Places in the order in which this thread looks at them.
    fn places(&self) -> impl Iterator<Item = &Place> {
        let first = FIRST_PLACE.get();
        (0..PLACES_LOOKED_AT).map(move |at| &self.places[(first + at) % PLACES])
    }
}

impl fmt::Debug for IdleIterators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdleIterators")
    }
}

/// Threads that have looked so far.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static FIRST_PLACE: Cell<usize> =
        Cell::new(PLACES_LOOKED_AT * THREADS.fetch_add(1, Ordering::Relaxed));
}

#[cfg(test)]
mod tests;
