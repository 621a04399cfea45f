//! What tests have go wrong between the kernel and a batch, for the thread that asks for it.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A fault of the next part of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A read comes to another result: an error number below zero, or so many bytes.
    Result(u64, i32),
    /// No word comes of a read; waiting for it fails.
    Lost(u64),
    /// Handing over fails with an error number, once, and nothing is handed over.
    Submit(i32),
    /// No ring is to be had, for as long as the fault is there.
    Refused,
}

thread_local! {
    static FAULTS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
    static FORGOTTEN: Cell<usize> = const { Cell::new(0) };
    static HIDES_PAGES: Cell<bool> = const { Cell::new(false) };
}

/// Whether rings are allowed is said for all threads: tests that depend on it take turns.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has these go wrong. While there are any, batches don't look into the page cache.
pub(crate) fn inject(faults: &[Fault]) {
    FAULTS.with_borrow_mut(|all| *all = faults.to_vec());
    hide_pages(!faults.is_empty());
    FORGOTTEN.set(0);
}

/// Whether reads go to the ring though the page cache has what they want.
pub(crate) fn hide_pages(are_hidden: bool) {
    HIDES_PAGES.set(are_hidden);
}

pub(super) fn are_pages_hidden() -> bool {
    HIDES_PAGES.get()
}

/// Faults that have not come about.
pub(crate) fn left() -> Vec<Fault> {
    FAULTS.with_borrow(Clone::clone)
}

/// Buffers that were given up since faults were injected.
pub(crate) fn forgotten() -> usize {
    FORGOTTEN.get()
}

pub(super) fn note_forgotten() {
    FORGOTTEN.set(FORGOTTEN.get() + 1);
}

pub(super) fn refuses() -> bool {
    FAULTS.with_borrow(|all| all.contains(&Fault::Refused))
}

/// What handing over and waiting come to, if not to what the kernel says.
pub(super) fn waited(is_first: bool) -> Option<io::Error> {
    FAULTS.with_borrow_mut(|all| {
        let at = all.iter().position(|fault| match fault {
            Fault::Submit(_) => true,
            Fault::Lost(_) => !is_first,
            _ => false,
        })?;
        let number = match all.remove(at) {
            Fault::Submit(number) => number,
            _ => rustix::io::Errno::BADF.raw_os_error(),
        };
        Some(io::Error::from_raw_os_error(number))
    })
}

/// What came of a read, if word of it comes.
pub(super) fn result(number: u64, result: i32) -> Option<i32> {
    FAULTS.with_borrow_mut(|all| {
        if all.contains(&Fault::Lost(number)) {
            return None;
        }
        let at = all.iter().position(|it| matches!(it, Fault::Result(of, _) if *of == number));
        match at.map(|at| all.remove(at)) {
            Some(Fault::Result(_, instead)) => Some(instead),
            _ => Some(result),
        }
    })
}
