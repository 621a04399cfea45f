//! Asks for memory before it is needed.
//!
//! A lookup waits for one line of memory after the other, since each says where the next one is. Of
//! several lookups in turn, each may ask for its next line while the others do likewise; then all of
//! them wait together. A prefetch reads nothing that the program sees: any address will do.

/// Bytes that come into a cache together.
pub const LINE_SIZE: usize = 64;

/// Asks for the line at an address, which need not be one of anything.
#[inline]
pub fn prefetch_address(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    crate::x86_64::prefetch(address);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for the lines of the first `count_max` bytes of `bytes`.
#[inline]
pub fn prefetch(bytes: &[u8], count_max: usize) {
    let count = bytes.len().min(count_max);
    let start = bytes.as_ptr();
    let mut offset = 0;
    while offset < count {
        prefetch_address(start.wrapping_add(offset));
        offset += LINE_SIZE;
    }
    if count > 0 {
        // The last byte is in one line more where the first is not at the start of its own.
        prefetch_address(start.wrapping_add(count - 1));
    }
}

/// Asks for the lines of what is behind a pointer, which need not be valid any more.
#[inline]
pub fn prefetch_value<T>(value: *const T) {
    let start = value.cast::<u8>();
    let mut offset = 0;
    while offset < size_of::<T>() {
        prefetch_address(start.wrapping_add(offset));
        offset += LINE_SIZE;
    }
}
