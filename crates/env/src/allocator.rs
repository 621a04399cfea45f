//! What the allocator holds of the system's memory though nobody has it.
//!
//! Memory that was freed stays with the allocator for the next who asks. Where what is asked for differs
//! in size, as blocks of a cache that come and go do, that is a good part of what a process takes, and no
//! part of the program knows of it.

/// Bytes that the C library's `malloc` holds and nobody has, in all threads' arenas. `None` where it
/// does not say: other libraries than glibc, and that before 2.33.
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
    Some(information.fordblks)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn idle_bytes() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests;
