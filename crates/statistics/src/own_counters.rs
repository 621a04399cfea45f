//! How a thread gets to what it counts to.
//!
//! ```text
//! FRONT   the statistics counted to last, and this thread's counters of them: nearly always the ones
//!         that are wanted; nothing to be dropped, so that the thread just reads it
//! OWN     all that this thread counts to, released when it ends
//! ```

use crate::StatsLevel;
use crate::statistics::Key;
use crate::thread_counters::{NOBODYS, ThreadCounters};
use crate::totals::Totals;
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};

#[derive(Clone, Copy)]
struct Front {
    /// Changes with the level and the period too, so that nobody needs to look at them.
    key: Key,
    counters: &'static ThreadCounters,
}

impl Front {
    const NONE: Self = Self { key: Key::NONE, counters: &NOBODYS };
}

struct OwnCounters {
    statistics: u64,
    counters: &'static ThreadCounters,
    totals: Weak<Mutex<Totals>>,
}

thread_local! {
    static FRONT: Cell<Front> = const { Cell::new(Front::NONE) };
    static OWN: RefCell<Own> = const { RefCell::new(Own(Vec::new())) };
}

struct Own(Vec<OwnCounters>);

/// This thread's counters for the statistics of this key. None if nothing is counted, and where the
/// thread is as good as gone.
#[inline]
pub(crate) fn find(key: Key, totals: &Arc<Mutex<Totals>>) -> Option<&'static ThreadCounters> {
    let Front { key: at_front, counters } = FRONT.get();
    if at_front == key { Some(counters) } else { bring_to_front(key, totals) }
}

/// Brings this thread's counters for these statistics to the front; acquires them the first time.
#[cold]
fn bring_to_front(key: Key, totals: &Arc<Mutex<Totals>>) -> Option<&'static ThreadCounters> {
    if key.level_number() == StatsLevel::DisableAll as u8 {
        return None;
    }
    let statistics = key.id();
    let found = OWN.try_with(|own| {
        let own = &mut own.borrow_mut().0;
        if let Some(known) = own.iter().find(|each| each.statistics == statistics) {
            return known.counters;
        }
        own.retain(|each| each.totals.strong_count() > 0 || each.release());
        let counters = totals.lock().acquire();
        own.push(OwnCounters { statistics, counters, totals: Arc::downgrade(totals) });
        counters
    });
    let counters = found.ok()?;
    counters.begin(key.level_number(), key.period());
    FRONT.set(Front { key, counters });
    Some(counters)
}

impl OwnCounters {
    /// This thread adds to them no more. False: they are not its own any more.
    fn release(&self) -> bool {
        match self.totals.upgrade() {
            Some(totals) => totals.lock().release(self.counters),
            None => self.counters.give_up(),
        }
        false
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        FRONT.set(Front::NONE);
        self.0.iter().for_each(|each| {
            each.release();
        });
    }
}

/// How many statistics this thread counts to.
#[cfg(test)]
pub(crate) fn count() -> usize {
    OWN.with_borrow(|own| own.0.len())
}
