//! Memory that stays, in huge pages.
//!
//! Who reads here and there in large caches waits for the tables that say where pages are as long as for what is in
//! the pages, in a virtual machine all the more. Pages of 2 MiB need none of the last of these tables. But who asks
//! for them beforehand has the first who touches one wait until all of it is there, which takes milliseconds where
//! a virtual machine has no memory yet, and allocators ask for so little at a time that none has room.
//!
//! So memory is taken as ever. Whoever keeps it long counts it here ([`begin_lasting`], [`end_lasting`]), once it
//! has been touched, and when most of a range of 2 MiB is such memory a thread has the system bring it together in
//! one page, its contents copied (`MADV_COLLAPSE`, from Linux 6.1 on). What is read and written meanwhile is the
//! same. At most a 16th of what is joined was not there before. The thread takes a quarter of a processor at most,
//! and waits until there comes not much more at a time. For each page the kernel has all processors put what they
//! kept aside of pages into its lists, which is no time of this thread's.
//!
//! Nothing is done where the system gives huge pages to nobody (`enabled` in `/sys/kernel/mm/transparent_hugepage`
//! is `never`, or that in its `hugepages-2048kB`), where it has other sizes or knows no such request, in processes
//! that were told to have none (`PR_SET_THP_DISABLE`), and as long as there is too little of such memory for it to
//! matter. A system that has no page is asked again after a second, then after twice as long each, up to 17
//! minutes, until it grants one. Regions that it refuses have their turn again in the same way, which begins anew
//! when another one is joined, or is refused for the first time.

mod collapse;
mod joiner;
mod regions;

use crate::huge_pages::joiner::{Joiner, SETTLING, Step};
use crate::huge_pages::regions::Regions;
use base::FastPath;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

const THREAD_NAME: &str = "ts-huge-pages";

static REGIONS: Regions = Regions::new();

/// The `size` bytes of memory from `start` on will stay for long.
#[inline]
pub fn begin_lasting(start: *const u8, size: usize) {
    if REGIONS.begin(addresses(start, size)) {
        wake();
    }
}

/// Of what [`begin_lasting`] was told: it may go to others now.
#[inline]
pub fn end_lasting(start: *const u8, size: usize) {
    REGIONS.end(addresses(start, size));
}

fn addresses(start: *const u8, size: usize) -> Range<usize> {
    start.addr()..start.addr() + size
}

/// Bytes of regions that the system said are in huge pages, and that mostly are still memory that stays.
#[must_use]
pub fn joined_bytes() -> usize {
    REGIONS.joined() * regions::SIZE
}

/// Has the thread look, which is started when it is wanted for the first time.
#[cold]
fn wake() {
    static WAKES: OnceLock<Option<SyncSender<()>>> = OnceLock::new();
    let start = || {
        if !FastPath::HugePages.is_on() || !collapse::is_possible() {
            return None;
        }
        let (sender, wakes) = sync_channel(1);
        let thread = thread::Builder::new().name(THREAD_NAME.to_owned());
        thread.spawn(move || work(&wakes)).ok().map(|_| sender)
    };
    if let Some(wakes) = WAKES.get_or_init(start) {
        // One that is there already will do.
        let _ = wakes.try_send(());
    }
}

/// It is no nicer than others: it holds a lock of the process, in the kernel, that whoever needs new memory waits for.
fn work(wakes: &Receiver<()>) {
    let (mut joiner, began) = (Joiner::default(), Instant::now());
    loop {
        let now = began.elapsed();
        match joiner.next(&REGIONS, now) {
            Step::Join(region) => {
                let outcome = collapse::collapse(region);
                let pause = joiner.pause_after(&REGIONS, region, outcome, now..began.elapsed());
                thread::sleep(pause);
            }
            Step::Wait(time) => thread::sleep(time),
            Step::Rest(time) => {
                let woken = match time {
                    Some(time) => wakes.recv_timeout(time),
                    None => wakes.recv().map_err(|_| RecvTimeoutError::Disconnected),
                };
                if woken == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
                // Where blocks come and go at a limit there may be a wake for each.
                thread::sleep(SETTLING);
            }
        }
    }
}

#[cfg(test)]
mod tests;
