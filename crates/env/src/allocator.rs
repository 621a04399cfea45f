//! What the allocator holds of the system's memory though nobody has it, and room in it for what comes.
//!
//! Memory that was freed stays with the allocator for the next who asks. Where what is asked for differs
//! in size, as blocks of a cache that come and go do, that is a good part of what a process takes, and no
//! part of the program knows of it.

use rustix::process::getpid;
use rustix::thread::gettid;
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that the C library's `malloc` holds and nobody has, in all threads' arenas. `None` where it
/// does not say: other libraries than glibc, and that before 2.33.
///
/// Of what was given back to the system ([`return_idle_memory`]) it does not know. From then on no more is told than the
/// process has of memory, but for files, beside what is in use of the allocator's.
///
/// Of a program with another allocator this is what the libraries of C in it left behind, which is
/// little. Takes about as long as a walk over all free pieces, under the allocator's locks: for reports,
/// not for each operation.
#[must_use]
pub fn allocator_idle_bytes() -> Option<usize> {
    idle_bytes()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "calls into libc")]
fn idle_bytes() -> Option<usize> {
    // Looked up, as a program that is linked with the name would not start where the library is older.
    // SAFETY: the name ends with a zero byte, and the default handle is always one.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"mallinfo2".as_ptr()) };
    if address.is_null() {
        return None;
    }
    // SAFETY: in glibc, which alone has a function of this name, it is this: without arguments, with
    // that struct by value, and it may be called at any time from any thread.
    let information = unsafe {
        std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> libc::mallinfo2>(address)
    }();
    let (idle, in_use) = (information.fordblks, information.uordblks + information.hblkhd);
    let resident = HAS_RETURNED.load(Ordering::Relaxed).then(resident_anonymous_bytes).flatten();
    Some(resident.map_or(idle, |resident| idle.min(resident.saturating_sub(in_use))))
}

/// What the process has of memory that is of no file, as the system tells it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn resident_anonymous_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(kibibytes.split_whitespace().next()?.parse::<usize>().ok()? << 10)
}

/// Something was given back, which the allocator does not tell.
static HAS_RETURNED: AtomicBool = AtomicBool::new(false);

/// Has the C library's `malloc` give what nobody has in its arenas back to the system, whole pages of it. Returns
/// whether there was any. Nothing is done with other libraries than glibc.
///
/// By itself it gives back only the end of an arena. Takes about as long as a walk over all free pieces and a call to
/// the system for each that has a whole page, under the lock of the arena: for when much was freed at once.
pub fn return_idle_memory() -> bool {
    return_idle()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "calls into libc")]
fn return_idle() -> bool {
    // SAFETY: glibc has the function in all its releases, and it may be called at any time from any thread.
    let has_returned = unsafe { libc::malloc_trim(0) != 0 };
    if has_returned {
        HAS_RETURNED.store(true, Ordering::Relaxed);
    }
    has_returned
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_idle() -> bool {
    false
}

/// Where `size` bytes are about to be taken, and many as many after them by the same thread: has the arena grow for
/// them all at once.
///
/// glibc has the arena of a thread grow by what each piece lacks, which is a call to the system for each, under a lock
/// that whoever of the process needs memory of it waits for. Whoever takes a large piece and gives it back at once
/// leaves room for many. The first arena grows in steps by itself, so that nothing is done in the main thread, which it
/// belongs to, nor is it for large pieces. Of programs with another allocator nothing is known here: one piece more
/// in many is what it costs them.
#[inline]
pub fn make_room_for_many(size: usize) {
    if cfg!(all(target_os = "linux", target_env = "gnu")) && size < ARENA_STEP_BYTES / 4 {
        ROOM_BYTES.with(|room| match room.get().checked_sub(size) {
            Some(left) => room.set(left),
            None => room.set(room_after(size)),
        });
    }
}

/// So much is asked for at once: less than what glibc maps apart, and gives back at the end of an arena, which is
/// 128 KiB unless a program chose otherwise.
const ARENA_STEP_BYTES: usize = 112 << 10;
/// Of that the rest is for what else is taken beside.
const ROOM_BYTES_MAX: usize = ARENA_STEP_BYTES / 8 * 7;

thread_local! {
    /// What this thread has of it.
    static ROOM_BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Makes room for `size` bytes and more. Returns for how many more.
#[cold]
fn room_after(size: usize) -> usize {
    if gettid() == getpid() {
        return usize::MAX;
    }
    drop(black_box(Vec::<u8>::with_capacity(ARENA_STEP_BYTES)));
    ROOM_BYTES_MAX - size
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn idle_bytes() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests;
