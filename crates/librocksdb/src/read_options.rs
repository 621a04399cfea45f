//! How reads are done.

use crate::database::Snapshot;
use crate::failure::Result;
use crate::functions::Raw;
use crate::library::Library;
use std::ffi::{c_char, c_int, c_uchar};
use std::ptr;
use std::sync::Arc;

macro_rules! read_options {
    ($($(#[$doc:meta])* $name:ident, $function:ident ($type:ty);)*) => {
        /// An option of reads, whose value is a number; 0 and 1 for booleans.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ReadOption {
            $($(#[$doc])* $name,)*
        }

        impl ReadOptions {
            fn apply(&mut self, option: ReadOption, value: u64) -> Result<()> {
                match option {
                    $(ReadOption::$name => {
                        let set = self.library.functions.$function()?;
                        // Values are in the range of the option's type.
                        // SAFETY: live options that only `self` can reach.
                        unsafe { set(self.raw, value as $type) };
                    })*
                }
                Ok(())
            }
        }
    };
}

read_options! {
    /// Whether checksums of blocks are verified.
    VerifyChecksums, readoptions_set_verify_checksums(c_uchar);
    /// Whether blocks that are read are put into the block cache.
    FillCache, readoptions_set_fill_cache(c_uchar);
    /// Whether an iterator goes over all keys although there is a prefix extractor.
    TotalOrderSeek, readoptions_set_total_order_seek(c_uchar);
    /// Whether an iterator ends where the prefix of its seek target does.
    PrefixSameAsStart, readoptions_set_prefix_same_as_start(c_uchar);
    /// Whether prefix filters are used where that changes nothing.
    AutoPrefixMode, readoptions_set_auto_prefix_mode(c_uchar);
    /// Bytes that an iterator reads ahead from its first read on.
    ReadaheadSize, readoptions_set_readahead_size(usize);
    /// Whether values of an iterator stay valid until it is dropped.
    PinData, readoptions_set_pin_data(c_uchar);
    /// Whether an iterator follows writes made after it was made.
    Tailing, readoptions_set_tailing(c_uchar);
    /// Whether range tombstones are left out of account.
    IgnoreRangeDeletions, readoptions_set_ignore_range_deletions(c_uchar);
    /// Hidden entries that an iterator may skip before it gives up.
    MaxSkippableInternalKeys, readoptions_set_max_skippable_internal_keys(u64);
    /// Bytes of values that a lookup of several keys may return before it gives up.
    ValueSizeSoftLimit, readoptions_set_value_size_soft_limit(u64);
    /// Reads ahead without waiting.
    AsyncIo, readoptions_set_async_io(c_uchar);
    /// With `AsyncIo`, a lookup of several keys reads several levels at once.
    OptimizeMultigetForIo, readoptions_set_optimize_multiget_for_io(c_uchar);
    /// What an iterator has learned about reading ahead goes on in the next file.
    AdaptiveReadahead, readoptions_set_adaptive_readahead(c_uchar);
    /// Reading ahead ends at the upper bound.
    AutoReadaheadSize, readoptions_set_auto_readahead_size(c_uchar);
    /// Files that an iterator was the last to need are deleted by another thread.
    BackgroundPurge, readoptions_set_background_purge_on_iterator_cleanup(c_uchar);
    /// A long-lived iterator lets go of old files from time to time.
    AutoRefresh, readoptions_set_auto_refresh_iterator_with_snapshot(c_uchar);
    /// From where answers may come, by RocksDB's numbers.
    ReadTier, readoptions_set_read_tier(c_int);
}

/// How reads are done (`rocksdb_readoptions_t`), with what it points to.
pub struct ReadOptions {
    library: Arc<Library>,
    raw: Raw,
    given: Vec<(ReadOption, u64)>,
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
    snapshot: Option<Snapshot>,
}

// SAFETY: they change through `&mut self` alone.
unsafe impl Send for ReadOptions {}
// SAFETY: as above.
unsafe impl Sync for ReadOptions {}

impl ReadOptions {
    /// The release's defaults, with these changed.
    ///
    /// # Errors
    /// `Unsupported` names the function that sets one.
    pub fn new(library: &Arc<Library>, given: &[(ReadOption, u64)]) -> Result<Self> {
        let create = library.functions.readoptions_create()?;
        let mut options = Self {
            library: Arc::clone(library),
            // SAFETY: takes nothing and gives a new object.
            raw: unsafe { create() },
            given: given.to_vec(),
            lower: None,
            upper: None,
            snapshot: None,
        };
        given.iter().try_for_each(|(option, value)| options.apply(*option, *value))?;
        Ok(options)
    }

    #[inline]
    pub(crate) fn raw(&self) -> Raw {
        self.raw
    }

    /// Between which keys cursors go: the lower one is inclusive, the upper one is not.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn set_bounds(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        let functions = &self.library.functions;
        let set_lower = functions.readoptions_set_iterate_lower_bound()?;
        let set_upper = functions.readoptions_set_iterate_upper_bound()?;
        keep(&mut self.lower, lower);
        keep(&mut self.upper, upper);
        let (lower, lower_length) = pointer(self.lower.as_deref());
        let (upper, upper_length) = pointer(self.upper.as_deref());
        // SAFETY: live options; both strings are theirs and stay until they are changed here.
        unsafe {
            set_lower(self.raw, lower, lower_length);
            set_upper(self.raw, upper, upper_length);
        }
        Ok(())
    }

    /// Makes reads see the state of a snapshot, or without one the newest.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn set_snapshot(&mut self, snapshot: Option<&Snapshot>) -> Result<()> {
        let set = self.library.functions.readoptions_set_snapshot()?;
        // SAFETY: live options, and a snapshot that they keep from now on, or null.
        unsafe { set(self.raw, snapshot.map_or(ptr::null_mut(), Snapshot::raw)) };
        self.snapshot = snapshot.cloned();
        Ok(())
    }

    /// A copy.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn try_clone(&self) -> Result<Self> {
        let mut copy = Self::new(&self.library, &self.given)?;
        if self.lower.is_some() || self.upper.is_some() {
            copy.set_bounds(self.lower.as_deref(), self.upper.as_deref())?;
        }
        if self.snapshot.is_some() {
            copy.set_snapshot(self.snapshot.as_ref())?;
        }
        Ok(copy)
    }
}

/// Keeps the memory of what was there.
fn keep(place: &mut Option<Vec<u8>>, bytes: Option<&[u8]>) {
    match (place.as_mut(), bytes) {
        (Some(buffer), Some(bytes)) => {
            buffer.clear();
            buffer.extend_from_slice(bytes);
        }
        (_, bytes) => *place = bytes.map(<[u8]>::to_vec),
    }
}

/// Null stands for none; what is there is never null, even if it is empty.
fn pointer(bytes: Option<&[u8]>) -> (*const c_char, usize) {
    bytes.map_or((ptr::null(), 0), |bytes| (bytes.as_ptr().cast(), bytes.len()))
}

impl Drop for ReadOptions {
    fn drop(&mut self) {
        if let Ok(destroy) = self.library.functions.readoptions_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}
