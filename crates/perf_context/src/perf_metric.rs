//! What a thread counts and times of its own operations.

use crate::idle_reasons::{
    NO_ASYNC_READS, NO_ENCRYPTION, NO_MULTISCAN, NO_STANDALONE_ENTRIES, NO_SUCH_CALL,
    NO_TRANSACTIONS,
};
use crate::measure::Measure::{self, Count, CpuTime, MutexTime, Time, Wait};

metric::metrics! {
    /// A field of `rocksdb::PerfContext`.
    pub enum PerfMetric: Measure;
    rows {
        /// User keys compared; what searches tell from the first bytes of keys, as numbers, is not counted.
        UserKeyComparisonCount = "user_key_comparison_count", Count, counted;
        /// Block cache hits.
        BlockCacheHitCount = "block_cache_hit_count", Count, counted;
        /// Blocks read from files.
        BlockReadCount = "block_read_count", Count, counted;
        /// Bytes of blocks read from files.
        BlockReadByte = "block_read_byte", Count, counted;
        /// Time reading blocks.
        BlockReadTime = "block_read_time", Time, counted;
        /// CPU time reading blocks.
        BlockReadCpuTime = "block_read_cpu_time", CpuTime, counted;
        /// Index block cache hits.
        BlockCacheIndexHitCount = "block_cache_index_hit_count", Count, counted;
        /// Lookups returning an entry outside the table.
        BlockCacheStandaloneHandleCount = "block_cache_standalone_handle_count", Count, idle(NO_STANDALONE_ENTRIES);
        /// Lookups returning an ordinary cache entry.
        BlockCacheRealHandleCount = "block_cache_real_handle_count", Count, idle(NO_STANDALONE_ENTRIES);
        /// Index blocks read from files.
        IndexBlockReadCount = "index_block_read_count", Count, counted;
        /// Filter block cache hits.
        BlockCacheFilterHitCount = "block_cache_filter_hit_count", Count, counted;
        /// Filter blocks read from files.
        FilterBlockReadCount = "filter_block_read_count", Count, counted;
        /// Dictionary blocks read from files.
        CompressionDictBlockReadCount = "compression_dict_block_read_count", Count, counted;
        /// Index bytes served from cache.
        BlockCacheIndexReadByte = "block_cache_index_read_byte", Count, counted;
        /// Filter bytes served from cache.
        BlockCacheFilterReadByte = "block_cache_filter_read_byte", Count, counted;
        /// Dictionary bytes served from cache.
        BlockCacheCompressionDictReadByte = "block_cache_compression_dict_read_byte", Count, counted;
        /// Bytes served from block cache.
        BlockCacheReadByte = "block_cache_read_byte", Count, counted;
        /// Secondary cache hits.
        SecondaryCacheHitCount = "secondary_cache_hit_count", Count, counted;
        /// Real entries put in the compressed tier.
        CompressedSecCacheInsertRealCount = "compressed_sec_cache_insert_real_count", Count, counted;
        /// Placeholder entries put in the compressed tier.
        CompressedSecCacheInsertDummyCount = "compressed_sec_cache_insert_dummy_count", Count, counted;
        /// Raw bytes put in the compressed tier.
        CompressedSecCacheUncompressedBytes = "compressed_sec_cache_uncompressed_bytes", Count, counted;
        /// Stored bytes put in the compressed tier.
        CompressedSecCacheCompressedBytes = "compressed_sec_cache_compressed_bytes", Count, counted;
        /// Time verifying block checksums.
        BlockChecksumTime = "block_checksum_time", Time, counted;
        /// Time decompressing blocks.
        BlockDecompressTime = "block_decompress_time", Time, counted;
        /// Blocks decompressed.
        BlockDecompressCount = "block_decompress_count", Count, counted;
        /// Value bytes from Get.
        GetReadBytes = "get_read_bytes", Count, counted;
        /// Value bytes from MultiGet.
        MultigetReadBytes = "multiget_read_bytes", Count, counted;
        /// Key and value bytes from iterators.
        IterReadBytes = "iter_read_bytes", Count, counted;
        /// Blob cache hits.
        BlobCacheHitCount = "blob_cache_hit_count", Count, counted;
        /// Bytes served from blob cache.
        BlobCacheReadByte = "blob_cache_read_byte", Count, counted;
        /// Blob reads from files.
        BlobReadCount = "blob_read_count", Count, counted;
        /// Blob bytes read from files.
        BlobReadByte = "blob_read_byte", Count, counted;
        /// Time reading blobs.
        BlobReadTime = "blob_read_time", Time, counted;
        /// Time verifying blob checksums.
        BlobChecksumTime = "blob_checksum_time", Time, counted;
        /// Time decompressing blobs.
        BlobDecompressTime = "blob_decompress_time", Time, counted;
        /// Hidden internal keys stepped over.
        InternalKeySkippedCount = "internal_key_skipped_count", Count, counted;
        /// Tombstones stepped over.
        InternalDeleteSkippedCount = "internal_delete_skipped_count", Count, counted;
        /// Too-new entries stepped over.
        InternalRecentSkippedCount = "internal_recent_skipped_count", Count, counted;
        /// Merge operands taken by iterators.
        InternalMergeCount = "internal_merge_count", Count, counted;
        /// Merge operands taken by point lookups.
        InternalMergePointLookupCount = "internal_merge_point_lookup_count", Count, counted;
        /// Reseeks to jump a range tombstone.
        InternalRangeDelReseekCount = "internal_range_del_reseek_count", Count, counted;
        /// Time obtaining a snapshot.
        GetSnapshotTime = "get_snapshot_time", Time, counted;
        /// Time searching memtables.
        GetFromMemtableTime = "get_from_memtable_time", Time, counted;
        /// Memtables searched.
        GetFromMemtableCount = "get_from_memtable_count", Count, counted;
        /// Time after finding a value in Get.
        GetPostProcessTime = "get_post_process_time", Time, counted;
        /// Time searching table files.
        GetFromOutputFilesTime = "get_from_output_files_time", Time, counted;
        /// Time seeking memtables.
        SeekOnMemtableTime = "seek_on_memtable_time", Time, counted;
        /// Memtable seeks.
        SeekOnMemtableCount = "seek_on_memtable_count", Count, counted;
        /// Memtable forward steps.
        NextOnMemtableCount = "next_on_memtable_count", Count, counted;
        /// Memtable backward steps.
        PrevOnMemtableCount = "prev_on_memtable_count", Count, counted;
        /// Time seeking child iterators.
        SeekChildSeekTime = "seek_child_seek_time", Time, counted;
        /// Child iterator seeks.
        SeekChildSeekCount = "seek_child_seek_count", Count, counted;
        /// Time in the merging min-heap.
        SeekMinHeapTime = "seek_min_heap_time", Time, counted;
        /// Time in the merging max-heap.
        SeekMaxHeapTime = "seek_max_heap_time", Time, counted;
        /// Time seeking the internal iterator.
        SeekInternalSeekTime = "seek_internal_seek_time", Time, counted;
        /// Time stepping to the next visible entry.
        FindNextUserEntryTime = "find_next_user_entry_time", Time, counted;
        /// Time appending to WAL.
        WriteWalTime = "write_wal_time", Time, counted;
        /// Time inserting into memtables.
        WriteMemtableTime = "write_memtable_time", Wait, counted;
        /// Time throttled or stopped.
        WriteDelayTime = "write_delay_time", Wait, counted;
        /// Time switching memtables and scheduling work.
        WriteSchedulingFlushesCompactionsTime = "write_scheduling_flushes_compactions_time", Time, counted;
        /// Other write-path time.
        WritePreAndPostProcessTime = "write_pre_and_post_process_time", Time, counted;
        /// Time queued behind other writers.
        WriteThreadWaitNanos = "write_thread_wait_nanos", Wait, counted;
        /// Time acquiring the DB mutex.
        DbMutexLockNanos = "db_mutex_lock_nanos", MutexTime, counted;
        /// Time waiting on DB condition variables.
        DbConditionWaitNanos = "db_condition_wait_nanos", MutexTime, counted;
        /// Time in merge operators.
        MergeOperatorTimeNanos = "merge_operator_time_nanos", Time, counted;
        /// Time fetching index blocks.
        ReadIndexBlockNanos = "read_index_block_nanos", Time, counted;
        /// Time fetching filter blocks.
        ReadFilterBlockNanos = "read_filter_block_nanos", Time, counted;
        /// Time making data block iterators.
        NewTableBlockIterNanos = "new_table_block_iter_nanos", Time, counted;
        /// Time making table iterators.
        NewTableIteratorNanos = "new_table_iterator_nanos", Time, counted;
        /// Time seeking within data blocks.
        BlockSeekNanos = "block_seek_nanos", Time, counted;
        /// Time finding or opening table readers.
        FindTableNanos = "find_table_nanos", Time, counted;
        /// Memtable bloom passes.
        BloomMemtableHitCount = "bloom_memtable_hit_count", Count, counted;
        /// Memtable bloom rejections.
        BloomMemtableMissCount = "bloom_memtable_miss_count", Count, counted;
        /// Table filter passes.
        BloomSstHitCount = "bloom_sst_hit_count", Count, counted;
        /// Table filter rejections.
        BloomSstMissCount = "bloom_sst_miss_count", Count, counted;
        /// Time waiting for transaction locks.
        KeyLockWaitTime = "key_lock_wait_time", Time, idle(NO_TRANSACTIONS);
        /// Waits for transaction locks.
        KeyLockWaitCount = "key_lock_wait_count", Count, idle(NO_TRANSACTIONS);
        /// Env call time: open sequential file.
        EnvNewSequentialFileNanos = "env_new_sequential_file_nanos", Time, counted;
        /// Env call time: open random-access file.
        EnvNewRandomAccessFileNanos = "env_new_random_access_file_nanos", Time, counted;
        /// Env call time: create file.
        EnvNewWritableFileNanos = "env_new_writable_file_nanos", Time, counted;
        /// Env call time: reuse file.
        EnvReuseWritableFileNanos = "env_reuse_writable_file_nanos", Time, counted;
        /// Env call time: open read-write file.
        EnvNewRandomRwFileNanos = "env_new_random_rw_file_nanos", Time, idle(NO_SUCH_CALL);
        /// Env call time: open directory.
        EnvNewDirectoryNanos = "env_new_directory_nanos", Time, counted;
        /// Env call time: existence test.
        EnvFileExistsNanos = "env_file_exists_nanos", Time, counted;
        /// Env call time: list directory.
        EnvGetChildrenNanos = "env_get_children_nanos", Time, counted;
        /// Env call time: list with attributes.
        EnvGetChildrenFileAttributesNanos = "env_get_children_file_attributes_nanos", Time, idle(NO_SUCH_CALL);
        /// Env call time: delete file.
        EnvDeleteFileNanos = "env_delete_file_nanos", Time, counted;
        /// Env call time: create directory.
        EnvCreateDirNanos = "env_create_dir_nanos", Time, counted;
        /// Env call time: ensure directory.
        EnvCreateDirIfMissingNanos = "env_create_dir_if_missing_nanos", Time, counted;
        /// Env call time: delete directory.
        EnvDeleteDirNanos = "env_delete_dir_nanos", Time, counted;
        /// Env call time: file size.
        EnvGetFileSizeNanos = "env_get_file_size_nanos", Time, counted;
        /// Env call time: modification time.
        EnvGetFileModificationTimeNanos = "env_get_file_modification_time_nanos", Time, counted;
        /// Env call time: rename.
        EnvRenameFileNanos = "env_rename_file_nanos", Time, counted;
        /// Env call time: hard link.
        EnvLinkFileNanos = "env_link_file_nanos", Time, counted;
        /// Env call time: lock file.
        EnvLockFileNanos = "env_lock_file_nanos", Time, counted;
        /// Env call time: unlock file.
        EnvUnlockFileNanos = "env_unlock_file_nanos", Time, counted;
        /// Env call time: create logger.
        EnvNewLoggerNanos = "env_new_logger_nanos", Time, counted;
        /// CPU time in Get.
        GetCpuNanos = "get_cpu_nanos", CpuTime, counted;
        /// CPU time in Next.
        IterNextCpuNanos = "iter_next_cpu_nanos", CpuTime, counted;
        /// CPU time in Prev.
        IterPrevCpuNanos = "iter_prev_cpu_nanos", CpuTime, counted;
        /// CPU time in seeks.
        IterSeekCpuNanos = "iter_seek_cpu_nanos", CpuTime, counted;
        /// Next calls.
        IterNextCount = "iter_next_count", Count, counted;
        /// Prev calls.
        IterPrevCount = "iter_prev_count", Count, counted;
        /// Seek calls.
        IterSeekCount = "iter_seek_count", Count, counted;
        /// Time encrypting.
        EncryptDataNanos = "encrypt_data_nanos", Time, idle(NO_ENCRYPTION);
        /// Time decrypting.
        DecryptDataNanos = "decrypt_data_nanos", Time, idle(NO_ENCRYPTION);
        /// Seeks done asynchronously.
        NumberAsyncSeek = "number_async_seek", Count, idle(NO_ASYNC_READS);
        /// Time in file ingestion.
        FileIngestionNanos = "file_ingestion_nanos", Time, counted;
        /// Ingestion time that held back writers.
        FileIngestionBlockingLiveWritesNanos = "file_ingestion_blocking_live_writes_nanos", Time, counted;
        /// Data block bytes read.
        DataBlockReadByte = "data_block_read_byte", Count, counted;
        /// Index block bytes read.
        IndexBlockReadByte = "index_block_read_byte", Count, counted;
        /// Filter block bytes read.
        FilterBlockReadByte = "filter_block_read_byte", Count, counted;
        /// Dictionary block bytes read.
        CompressionDictBlockReadByte = "compression_dict_block_read_byte", Count, counted;
        /// Other metadata block bytes read.
        MetadataBlockReadByte = "metadata_block_read_byte", Count, counted;
        /// MultiScan prepares.
        MultiscanPrepareCount = "multiscan_prepare_count", Count, idle(NO_MULTISCAN);
        /// MultiScan blocks fetched.
        MultiscanBlocksPrefetched = "multiscan_blocks_prefetched", Count, idle(NO_MULTISCAN);
        /// MultiScan blocks found cached.
        MultiscanBlocksFromCache = "multiscan_blocks_from_cache", Count, idle(NO_MULTISCAN);
        /// MultiScan bytes fetched.
        MultiscanPrefetchBytes = "multiscan_prefetch_bytes", Count, idle(NO_MULTISCAN);
        /// MultiScan I/O requests.
        MultiscanIoRequests = "multiscan_io_requests", Count, idle(NO_MULTISCAN);
        /// MultiScan blocks merged across gaps.
        MultiscanIoCoalescedNonadjacent = "multiscan_io_coalesced_nonadjacent", Count, idle(NO_MULTISCAN);
    }
}
