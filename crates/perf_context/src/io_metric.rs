//! What a thread counts and times of its reads and writes of files.

use crate::measure::Measure::{self, Always, CpuTime, Time};

metric::metrics! {
    /// A field of `rocksdb::IOStatsContext`, or of the struct by temperatures inside it.
    pub enum IoMetric: Measure;
    rows {
        /// Thread pool of the current thread.
        ThreadPoolId = "thread_pool_id", Always, counted;
        /// Bytes written.
        BytesWritten = "bytes_written", Always, counted;
        /// Bytes read.
        BytesRead = "bytes_read", Always, counted;
        /// Time in open.
        OpenNanos = "open_nanos", Time, counted;
        /// Time in fallocate.
        AllocateNanos = "allocate_nanos", Time, counted;
        /// Time in write.
        WriteNanos = "write_nanos", Time, counted;
        /// Time in read.
        ReadNanos = "read_nanos", Time, counted;
        /// Time in range sync.
        RangeSyncNanos = "range_sync_nanos", Time, counted;
        /// Time in fsync.
        FsyncNanos = "fsync_nanos", Time, counted;
        /// Time preparing writes.
        PrepareWriteNanos = "prepare_write_nanos", Time, counted;
        /// Time in the logger.
        LoggerNanos = "logger_nanos", Time, counted;
        /// CPU time in write.
        CpuWriteNanos = "cpu_write_nanos", CpuTime, counted;
        /// CPU time in read.
        CpuReadNanos = "cpu_read_nanos", CpuTime, counted;
        /// Bytes read from hot files.
        HotFileBytesRead = "hot_file_bytes_read", Always, counted;
        /// Bytes read from warm files.
        WarmFileBytesRead = "warm_file_bytes_read", Always, counted;
        /// Bytes read from cool files.
        CoolFileBytesRead = "cool_file_bytes_read", Always, counted;
        /// Bytes read from cold files.
        ColdFileBytesRead = "cold_file_bytes_read", Always, counted;
        /// Bytes read from ice files.
        IceFileBytesRead = "ice_file_bytes_read", Always, counted;
        /// Untagged bytes read above last level.
        UnknownNonLastLevelBytesRead = "unknown_non_last_level_bytes_read", Always, counted;
        /// Untagged bytes read at last level.
        UnknownLastLevelBytesRead = "unknown_last_level_bytes_read", Always, counted;
        /// Reads of hot files.
        HotFileReadCount = "hot_file_read_count", Always, counted;
        /// Reads of warm files.
        WarmFileReadCount = "warm_file_read_count", Always, counted;
        /// Reads of cool files.
        CoolFileReadCount = "cool_file_read_count", Always, counted;
        /// Reads of cold files.
        ColdFileReadCount = "cold_file_read_count", Always, counted;
        /// Reads of ice files.
        IceFileReadCount = "ice_file_read_count", Always, counted;
        /// Untagged reads above last level.
        UnknownNonLastLevelReadCount = "unknown_non_last_level_read_count", Always, counted;
        /// Untagged reads at last level.
        UnknownLastLevelReadCount = "unknown_last_level_read_count", Always, counted;
    }
}
