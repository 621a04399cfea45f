//! Keys that were deleted since somebody last asked.

/// How many they are, and where they begin.
#[derive(Debug, Default)]
pub(crate) struct DeletedKeys {
    first: Vec<u8>,
    count: u64,
}

impl DeletedKeys {
    #[inline]
    pub(crate) fn add(&mut self, user_key: &[u8]) {
        if self.count == 0 {
            self.first.clear();
            self.first.extend_from_slice(user_key);
        }
        self.count += 1;
    }

    /// The first of them, if they are at least `min`. What follows counts anew.
    #[inline]
    pub(crate) fn take_first(&mut self, min: u64) -> Option<Vec<u8>> {
        (self.count >= min.max(1)).then(|| {
            self.count = 0;
            std::mem::take(&mut self.first)
        })
    }
}
