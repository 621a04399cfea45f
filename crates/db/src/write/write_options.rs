//! How one write is done.

use env::IoPriority;

base::call_options! {
    /// Options of a write (`rocksdb::WriteOptions`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct WriteOptions;
    rows {
        /// Return only when the write is safe from a power loss. Default: false, then it is safe from
        /// the death of the process.
        sync: bool = false, honoured;
        /// Do not write to the WAL: what was not flushed is lost when the process ends. Default:
        /// false.
        disable_wal as "disableWAL": bool = false, honoured;
        /// Leave out entries of column families that do not exist instead of failing. Default: false.
        ignore_missing_column_families: bool = false, honoured;
        /// Fail with `Incomplete` instead of waiting where writes are delayed or stopped. Default:
        /// false.
        no_slowdown: bool = false, honoured;
        /// Wait for other writes first where compactions lag behind. Default: false.
        low_pri: bool = false, honoured;
        /// Remember where the last entry of the batch went, for ascending keys. Memtables always do,
        /// so that it changes nothing. Default: false.
        memtable_insert_hint_per_batch: bool = false, honoured;
        /// How urgent writing to the WAL is to the rate limiter: that of users, or none. Not with
        /// `disableWAL` or `manual_wal_flush`. Default: none, it does not ask it.
        rate_limiter_priority: Option<IoPriority> = None, honoured;
        /// Bytes of checksum that entries carry on the way, 0 or 8. Default: 0.
        protection_bytes_per_key: u64 = 0, accepted;
    }
    objects {
        /// What kind of call it is; RocksDB sets it itself.
        io_activity: "Env::IOActivity";
    }
}
