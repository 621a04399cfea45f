//! Options of one read, `rocksdb::ReadOptions`.

use base::SequenceNumber;

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

/// How to read. Field names are RocksDB's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The sequence number to read at: writes after it are not seen. One after the last write is
    /// the same as none. Default: none, the newest when the read starts.
    pub snapshot: Option<SequenceNumber>,
    /// Whether checksums of blocks read from files are verified. Those of metadata are always
    /// verified. Default: true.
    pub verify_checksums: bool,
    /// Whether blocks that are read are put into the block cache. Default: true.
    pub fill_cache: bool,
    /// From where the answer may come. Default: from everywhere.
    pub read_tier: ReadTier,
    /// Whether an iterator goes over all keys in order although there is a prefix extractor.
    /// Without it a seek may skip whatever does not have the prefix of its target. Default: false.
    pub total_order_seek: bool,
    /// Whether an iterator goes over all keys in order and uses prefix filters where upper bound
    /// and target show that to be the same. Default: false.
    pub auto_prefix_mode: bool,
    /// Whether an iterator ends where the prefix of its seek target does. Default: false.
    pub prefix_same_as_start: bool,
    /// First user key, without timestamp, that an iterator going back shows. Default: none.
    pub iterate_lower_bound: Option<Vec<u8>>,
    /// First user key, without timestamp, that an iterator does not show. Default: none.
    pub iterate_upper_bound: Option<Vec<u8>>,
    /// Bytes that an iterator reads ahead from its first read on. Default: 0, which lets it find out
    /// by itself.
    pub readahead_size: u64,
    /// Whether values of an iterator stay valid until it is dropped. Ours always can be kept by a
    /// reference of their own. Default: false.
    pub pin_data: bool,
    /// Whether an iterator follows writes made after it was made. A database open for reading only
    /// has none to follow. Default: false.
    pub tailing: bool,
    /// Whether range tombstones are left out of account. Default: false.
    pub ignore_range_deletions: bool,
    /// The time to read at, as the comparator encodes it; must be there if and only if the column
    /// family has timestamps. Default: none.
    pub timestamp: Option<Vec<u8>>,
    /// With it an iterator shows all versions of a key from this time on up to `timestamp`, newest
    /// first, deletions included; its keys are then internal keys. Merge operands are
    /// `NotSupported`. Default: none.
    pub iter_start_ts: Option<Vec<u8>>,
    /// Hidden entries that an iterator may skip before it gives up with `Incomplete`. Default: 0,
    /// which is no limit.
    pub max_skippable_internal_keys: u64,
    /// Bytes of values that a `multi_get` may return before it gives up with `Aborted`. Default: no
    /// limit.
    pub value_size_soft_limit: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            snapshot: None,
            verify_checksums: true,
            fill_cache: true,
            read_tier: ReadTier::ReadAll,
            total_order_seek: false,
            auto_prefix_mode: false,
            prefix_same_as_start: false,
            iterate_lower_bound: None,
            iterate_upper_bound: None,
            readahead_size: 0,
            pin_data: false,
            tailing: false,
            ignore_range_deletions: false,
            timestamp: None,
            iter_start_ts: None,
            max_skippable_internal_keys: 0,
            value_size_soft_limit: u64::MAX,
        }
    }
}
