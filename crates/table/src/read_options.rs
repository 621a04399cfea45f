//! Options of one read, `rocksdb::ReadOptions`.

use crate::properties::TableProperties;
use base::SequenceNumber;
use env::{IoPriority, ReadTerms};
use std::fmt;
use std::sync::Arc;

/// From where a read may take its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ReadTier {
    /// Memtables, block cache and files.
    #[default]
    ReadAll = 0,
    /// Memtables and block cache; what needs a file is `Incomplete`.
    BlockCache = 1,
    /// What would survive a crash. All that is read from a directory would, so this is the same
    /// as [`ReadTier::ReadAll`].
    Persisted = 2,
    /// Memtables only: what is in tables is as if it were not there, under merge operands too.
    /// RocksDB's point lookups take no notice of it; ours do.
    Memtable = 3,
}

impl ReadTier {
    /// Whether the answer may come from files.
    #[inline]
    pub fn may_read_files(self) -> bool {
        matches!(self, Self::ReadAll | Self::Persisted)
    }

    /// Whether the answer may come from tables at all.
    #[inline]
    pub fn includes_tables(self) -> bool {
        self != Self::Memtable
    }
}

/// Says by the properties of a table whether an iterator reads it (`ReadOptions::table_filter`).
#[derive(Clone)]
pub struct TableFilter(Arc<dyn Fn(&TableProperties) -> bool + Send + Sync>);

impl TableFilter {
    /// Tables are read of which `is_wanted` says so. It is asked each time an iterator comes to a table.
    pub fn new(is_wanted: impl Fn(&TableProperties) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_wanted))
    }

    /// Whether a table with these properties is read.
    pub fn wants(&self, properties: &TableProperties) -> bool {
        (self.0)(properties)
    }
}

impl fmt::Debug for TableFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TableFilter")
    }
}

/// The very same function.
impl PartialEq for TableFilter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for TableFilter {}

base::call_options! {
    /// How to read (`rocksdb::ReadOptions`). Field names are RocksDB's.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReadOptions;
    rows {
        /// The sequence number to read at: writes after it are not seen. One after the last write is
        /// the same as none. Default: none, the newest when the read starts.
        snapshot: Option<SequenceNumber> = None, honoured;
        /// Whether checksums of blocks read from files are verified. Those of metadata are always
        /// verified. Default: true.
        verify_checksums: bool = true, honoured;
        /// Whether blocks that are read are put into the block cache. Default: true.
        fill_cache: bool = true, honoured;
        /// From where the answer may come. Default: from everywhere.
        read_tier: ReadTier = ReadTier::ReadAll, honoured;
        /// Whether an iterator goes over all keys in order although there is a prefix extractor.
        /// Without it a seek may skip whatever does not have the prefix of its target. Default: false.
        total_order_seek: bool = false, honoured;
        /// Whether an iterator goes over all keys in order and uses prefix filters where upper bound
        /// and target show that to be the same. Default: false.
        auto_prefix_mode: bool = false, honoured;
        /// Whether an iterator ends where the prefix of its seek target does. Default: false.
        prefix_same_as_start: bool = false, honoured;
        /// First user key, without timestamp, that an iterator going back shows. Default: none.
        iterate_lower_bound: Option<Vec<u8>> = None, honoured;
        /// First user key, without timestamp, that an iterator does not show. Default: none.
        iterate_upper_bound: Option<Vec<u8>> = None, honoured;
        /// Bytes that an iterator reads ahead from its first read on. Default: 0, which lets it find out
        /// by itself.
        readahead_size: u64 = 0, honoured;
        /// Whether values of an iterator stay valid until it is dropped. Ours always can be kept by a
        /// reference of their own. Default: false.
        pin_data: bool = false, honoured;
        /// Whether an iterator follows writes made after it was made. A database open for reading only
        /// has none to follow. Default: false.
        tailing: bool = false, honoured;
        /// Whether range tombstones are left out of account. Default: false.
        ignore_range_deletions: bool = false, honoured;
        /// The time to read at, as the comparator encodes it; must be there if and only if the column
        /// family has timestamps. Default: none.
        timestamp: Option<Vec<u8>> = None, honoured;
        /// With it an iterator shows all versions of a key from this time on up to `timestamp`, newest
        /// first, deletions included; its keys are then internal keys. Merge operands are
        /// `NotSupported`. Default: none.
        iter_start_ts: Option<Vec<u8>> = None, honoured;
        /// Hidden entries that an iterator may skip before it gives up with `Incomplete`. Default: 0,
        /// which is no limit.
        max_skippable_internal_keys: u64 = 0, honoured;
        /// Bytes of values that a `multi_get` may return before it gives up with `Aborted`. Default: no
        /// limit.
        value_size_soft_limit: u64 = u64::MAX, honoured;
        /// When the read must be done, in microseconds since 1970: files are not read from then on, which
        /// is `TimedOut`, and of several keys those are not looked up whose turn comes later. Default: 0,
        /// never.
        deadline: u64 = 0, honoured;
        /// Microseconds that reading from a file may take, which no file system that there is keeps to.
        /// Default: 0, any.
        io_timeout: u64 = 0, accepted;
        /// How urgent reads from files are to the rate limiter, where it limits reads. Opening a
        /// table does not ask. Default: none, they do not ask it.
        rate_limiter_priority: Option<IoPriority> = None, honoured;
        /// Merge operands from which on a success says that there were many. Default: none.
        merge_operand_count_threshold: Option<u64> = None, accepted;
        /// Reads ahead without waiting. Default: false.
        async_io: bool = false, accepted;
        /// Of the keys of a `multi_get`, blocks of one level that are in no cache are read together, whatever
        /// `async_io` says. Default: true.
        optimize_multiget_for_io: bool = true, honoured;
        /// What an iterator has learned about reading ahead goes on in the next file. Default: false.
        adaptive_readahead: bool = false, accepted;
        /// Files that an iterator was the last to need are deleted by another thread. Default: false.
        background_purge_on_iterator_cleanup: bool = false, accepted;
        /// Reading ahead ends at the upper bound and leaves out what is cached. Default: true.
        auto_readahead_size: bool = true, accepted;
        /// An iterator may load values when they are asked for. Default: false.
        allow_unprepared_value: bool = false, accepted;
        /// A long-lived iterator lets go of old files from time to time. Default: false.
        auto_refresh_iterator_with_snapshot: bool = false, accepted;
        /// Says by their properties which tables an iterator leaves out; range tombstones in them
        /// still count. Default: none, all are read.
        table_filter: Option<TableFilter> = None, honoured;
        /// What the file system is told about who asks. Default: none.
        request_id: Option<String> = None, accepted;
    }
    objects {
        /// The index of the user's to read by.
        table_index_factory: "const UserDefinedIndexFactory *";
        /// Memory for blocks that a scan keeps.
        read_scoped_block_buffer_provider: "ReadScopedBlockBufferProvider *";
        /// What kind of call it is; RocksDB sets it itself.
        io_activity: "Env::IOActivity";
    }
}

impl ReadOptions {
    /// What reading from a file asks before.
    #[inline]
    pub fn terms(&self) -> ReadTerms {
        ReadTerms { priority: self.rate_limiter_priority, deadline_micros: self.deadline }
    }
}
