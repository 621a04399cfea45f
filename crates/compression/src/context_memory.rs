//! Memory of the contexts that threads keep for the blocks to come.

use base::counted_bytes::CountedBytes;
use std::sync::atomic::{AtomicUsize, Ordering};

static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes of the contexts of all threads, for compressing and for decompressing, of the whole process. Those of
/// Zstandard say it themselves; of the others it is what their libraries give them.
pub fn context_memory_bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// A context, and what it takes.
#[derive(Debug)]
pub(crate) struct Counted<C> {
    pub(crate) context: C,
    memory: CountedBytes,
}

impl<C> Counted<C> {
    /// A context of so many bytes.
    pub(crate) fn new(context: C, bytes: usize) -> Self {
        Self { context, memory: CountedBytes::of(&BYTES, bytes) }
    }

    /// The context has so many bytes from now on.
    pub(crate) fn set_bytes(&mut self, bytes: usize) {
        self.memory.set(bytes);
    }
}
