//! A buffer for each thread that blocks are read to before they have memory of their own.
//!
//! What stays of a block goes to memory of exactly its size (`data_block`); were it read to new memory each time,
//! that would leave a gap between one block and the next.

use std::cell::Cell;

/// A thread keeps a buffer up to this size.
const KEPT_MAX_BYTES: usize = 64 << 10;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Calls `read` with the thread's buffer, or with a new one within itself.
pub(super) fn with<T>(read: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    // None is left where a thread that ends reads in what it drops.
    let mut buffer = BUFFER.try_with(Cell::take).unwrap_or_default();
    let result = read(&mut buffer);
    if buffer.capacity() <= KEPT_MAX_BYTES {
        let _ = BUFFER.try_with(|kept| kept.set(buffer));
    }
    result
}

#[cfg(test)]
mod tests;
