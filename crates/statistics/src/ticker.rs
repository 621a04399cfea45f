//! The counters.

use crate::idle_reasons::{
    KERNEL_READAHEAD, NO_ABORT_OF_COMPACTIONS, NO_ASYNC_READS, NO_BACKUP_ENGINE, NO_CHECKPOINTS,
    NO_CHECKSUM_CALLS, NO_INGESTED_BATCHES, NO_INPLACE_UPDATE, NO_KEPT_FILE_METADATA,
    NO_LAZY_BLOBS, NO_MANIFEST_VALIDATION, NO_MULTI_SCAN, NO_PERSISTENT_CACHE, NO_READ_AMP_BITMAP,
    NO_READ_RETRY, NO_REMOTE_COMPACTION, NO_ROW_CACHE, NO_SECONDARY_METADATA, NO_SIMULATED_CACHE,
    NO_SST_FILE_MANAGER, NO_SUPER_VERSION_CACHE, NO_TAIL_PREFETCH, NO_TIMESTAMP_FILTER,
    NO_TRANSACTIONS, NO_USER_DEFINED_INDEX, NO_WAL_ITERATOR, NO_WAL_PRECREATION, STACKED_BLOB_DB,
};

metric::metrics! {
    /// A counter (`rocksdb::Tickers`).
    pub enum Ticker: u16;
    rows {
        /// Block cache lookups that failed, all block kinds.
        BlockCacheMiss = "rocksdb.block.cache.miss", 0, counted;
        /// Block cache lookups that succeeded, all block kinds.
        BlockCacheHit = "rocksdb.block.cache.hit", 1, counted;
        /// Blocks inserted into block cache.
        BlockCacheAdd = "rocksdb.block.cache.add", 2, counted;
        /// Block cache inserts refused.
        BlockCacheAddFailures = "rocksdb.block.cache.add.failures", 3, counted;
        /// Failed index block lookups in cache.
        BlockCacheIndexMiss = "rocksdb.block.cache.index.miss", 4, counted;
        /// Successful index block lookups in cache.
        BlockCacheIndexHit = "rocksdb.block.cache.index.hit", 5, counted;
        /// Index blocks inserted.
        BlockCacheIndexAdd = "rocksdb.block.cache.index.add", 6, counted;
        /// Index block bytes inserted.
        BlockCacheIndexBytesInsert = "rocksdb.block.cache.index.bytes.insert", 7, counted;
        /// Failed filter block lookups in cache.
        BlockCacheFilterMiss = "rocksdb.block.cache.filter.miss", 8, counted;
        /// Successful filter block lookups in cache.
        BlockCacheFilterHit = "rocksdb.block.cache.filter.hit", 9, counted;
        /// Filter blocks inserted.
        BlockCacheFilterAdd = "rocksdb.block.cache.filter.add", 10, counted;
        /// Filter block bytes inserted.
        BlockCacheFilterBytesInsert = "rocksdb.block.cache.filter.bytes.insert", 11, counted;
        /// Failed data block lookups in cache.
        BlockCacheDataMiss = "rocksdb.block.cache.data.miss", 12, counted;
        /// Successful data block lookups in cache.
        BlockCacheDataHit = "rocksdb.block.cache.data.hit", 13, counted;
        /// Data blocks inserted.
        BlockCacheDataAdd = "rocksdb.block.cache.data.add", 14, counted;
        /// Data block bytes inserted.
        BlockCacheDataBytesInsert = "rocksdb.block.cache.data.bytes.insert", 15, counted;
        /// Bytes served out of block cache.
        BlockCacheBytesRead = "rocksdb.block.cache.bytes.read", 16, counted;
        /// Bytes stored into block cache.
        BlockCacheBytesWrite = "rocksdb.block.cache.bytes.write", 17, counted;
        /// Failed dictionary block lookups.
        BlockCacheCompressionDictMiss = "rocksdb.block.cache.compression.dict.miss", 18, counted;
        /// Successful dictionary block lookups.
        BlockCacheCompressionDictHit = "rocksdb.block.cache.compression.dict.hit", 19, counted;
        /// Dictionary blocks inserted.
        BlockCacheCompressionDictAdd = "rocksdb.block.cache.compression.dict.add", 20, counted;
        /// Dictionary block bytes inserted.
        BlockCacheCompressionDictBytesInsert = "rocksdb.block.cache.compression.dict.bytes.insert", 21, counted;
        /// Inserts of blocks already present.
        BlockCacheAddRedundant = "rocksdb.block.cache.add.redundant", 22, counted;
        /// Redundant index block inserts.
        BlockCacheIndexAddRedundant = "rocksdb.block.cache.index.add.redundant", 23, counted;
        /// Redundant filter block inserts.
        BlockCacheFilterAddRedundant = "rocksdb.block.cache.filter.add.redundant", 24, counted;
        /// Redundant data block inserts.
        BlockCacheDataAddRedundant = "rocksdb.block.cache.data.add.redundant", 25, counted;
        /// Redundant dictionary block inserts.
        BlockCacheCompressionDictAddRedundant = "rocksdb.block.cache.compression.dict.add.redundant", 26, counted;
        /// Lookups satisfied by secondary cache.
        SecondaryCacheHits = "rocksdb.secondary.cache.hits", 27, counted;
        /// Filter lookups satisfied by secondary cache.
        SecondaryCacheFilterHits = "rocksdb.secondary.cache.filter.hits", 28, idle(NO_SECONDARY_METADATA);
        /// Index lookups satisfied by secondary cache.
        SecondaryCacheIndexHits = "rocksdb.secondary.cache.index.hits", 29, idle(NO_SECONDARY_METADATA);
        /// Data lookups satisfied by secondary cache.
        SecondaryCacheDataHits = "rocksdb.secondary.cache.data.hits", 30, counted;
        /// Compressed tier matches on placeholder entries.
        CompressedSecondaryCacheDummyHits = "rocksdb.compressed.secondary.cache.dummy.hits", 31, counted;
        /// Compressed tier matches on real entries.
        CompressedSecondaryCacheHits = "rocksdb.compressed.secondary.cache.hits", 32, counted;
        /// Entries moved up from compressed tier.
        CompressedSecondaryCachePromotions = "rocksdb.compressed.secondary.cache.promotions", 33, counted;
        /// Entries found but left in compressed tier.
        CompressedSecondaryCachePromotionSkips = "rocksdb.compressed.secondary.cache.promotion.skips", 34, counted;
        /// Point lookups avoided by a whole-key filter.
        BloomFilterUseful = "rocksdb.bloom.filter.useful", 35, counted;
        /// Whole-key filter passes.
        BloomFilterFullPositive = "rocksdb.bloom.filter.full.positive", 36, counted;
        /// Whole-key filter passes where key existed.
        BloomFilterFullTruePositive = "rocksdb.bloom.filter.full.true.positive", 37, counted;
        /// Prefix filter queries in point lookups.
        BloomFilterPrefixChecked = "rocksdb.bloom.filter.prefix.checked", 38, counted;
        /// Point lookups avoided by a prefix filter.
        BloomFilterPrefixUseful = "rocksdb.bloom.filter.prefix.useful", 39, counted;
        /// Prefix filter passes where key existed.
        BloomFilterPrefixTruePositive = "rocksdb.bloom.filter.prefix.true.positive", 40, counted;
        /// Persistent cache hits.
        PersistentCacheHit = "rocksdb.persistent.cache.hit", 41, idle(NO_PERSISTENT_CACHE);
        /// Persistent cache misses.
        PersistentCacheMiss = "rocksdb.persistent.cache.miss", 42, idle(NO_PERSISTENT_CACHE);
        /// Simulated cache hits.
        SimBlockCacheHit = "rocksdb.sim.block.cache.hit", 43, idle(NO_SIMULATED_CACHE);
        /// Simulated cache misses.
        SimBlockCacheMiss = "rocksdb.sim.block.cache.miss", 44, idle(NO_SIMULATED_CACHE);
        /// Gets answered by memtables.
        MemtableHit = "rocksdb.memtable.hit", 45, counted;
        /// Gets not answered by memtables.
        MemtableMiss = "rocksdb.memtable.miss", 46, counted;
        /// Gets answered at level 0.
        GetHitL0 = "rocksdb.l0.hit", 47, counted;
        /// Gets answered at level 1.
        GetHitL1 = "rocksdb.l1.hit", 48, counted;
        /// Gets answered at level 2 or deeper.
        GetHitL2AndUp = "rocksdb.l2andup.hit", 49, counted;
        /// Entries dropped since a newer version hides them.
        CompactionKeyDropNewerEntry = "rocksdb.compaction.key.drop.new", 50, counted;
        /// Tombstoned entries dropped in compaction.
        CompactionKeyDropObsolete = "rocksdb.compaction.key.drop.obsolete", 51, counted;
        /// Entries dropped under a range tombstone.
        CompactionKeyDropRangeDel = "rocksdb.compaction.key.drop.range_del", 52, counted;
        /// Entries dropped by the compaction filter.
        CompactionKeyDropUser = "rocksdb.compaction.key.drop.user", 53, counted;
        /// Range tombstones dropped as no longer needed.
        CompactionRangeDelDropObsolete = "rocksdb.compaction.range_del.drop.obsolete", 54, counted;
        /// Tombstones dropped above bottom thanks to file gaps.
        CompactionOptimizedDelDropObsolete = "rocksdb.compaction.optimized.del.drop.obsolete", 55, counted;
        /// Compactions cancelled to preserve free space.
        CompactionCancelled = "rocksdb.compaction.cancelled", 56, idle(NO_SST_FILE_MANAGER);
        /// Compactions stopped through the abort API.
        CompactionAborted = "rocksdb.compaction.aborted", 57, idle(NO_ABORT_OF_COMPACTIONS);
        /// Keys written by writes.
        NumberKeysWritten = "rocksdb.number.keys.written", 58, counted;
        /// Keys requested by Get.
        NumberKeysRead = "rocksdb.number.keys.read", 59, counted;
        /// In-place memtable updates.
        NumberKeysUpdated = "rocksdb.number.keys.updated", 60, idle(NO_INPLACE_UPDATE);
        /// Uncompressed batch bytes written.
        BytesWritten = "rocksdb.bytes.written", 61, counted;
        /// Value bytes returned by Get.
        BytesRead = "rocksdb.bytes.read", 62, counted;
        /// Iterator seeks.
        NumberDbSeek = "rocksdb.number.db.seek", 63, counted;
        /// Iterator forward steps.
        NumberDbNext = "rocksdb.number.db.next", 64, counted;
        /// Iterator backward steps.
        NumberDbPrev = "rocksdb.number.db.prev", 65, counted;
        /// Seeks ending on an entry.
        NumberDbSeekFound = "rocksdb.number.db.seek.found", 66, counted;
        /// Forward steps ending on an entry.
        NumberDbNextFound = "rocksdb.number.db.next.found", 67, counted;
        /// Backward steps ending on an entry.
        NumberDbPrevFound = "rocksdb.number.db.prev.found", 68, counted;
        /// Key plus value bytes returned by iterators.
        IterBytesRead = "rocksdb.db.iter.bytes.read", 69, counted;
        /// Internal entries skipped while iterating.
        NumberIterSkip = "rocksdb.number.iter.skip", 70, counted;
        /// Internal reseeks done instead of skipping.
        NumberOfReseeksInIteration = "rocksdb.number.reseeks.iteration", 71, counted;
        /// Iterators created.
        NoIteratorCreated = "rocksdb.num.iterator.created", 72, counted;
        /// Iterators destroyed.
        NoIteratorDeleted = "rocksdb.num.iterator.deleted", 73, counted;
        /// Table file opens.
        NoFileOpens = "rocksdb.no.file.opens", 74, counted;
        /// Table file open failures.
        NoFileErrors = "rocksdb.no.file.errors", 75, counted;
        /// Microseconds writers spent stalled.
        StallMicros = "rocksdb.stall.micros", 76, counted;
        /// Microseconds that writes waited for the lock that flushes and option changes share; at `kAll`.
        DbMutexWaitMicros = "rocksdb.db.mutex.wait.micros", 77, counted;
        /// MultiGet calls.
        NumberMultigetCalls = "rocksdb.number.multiget.get", 78, counted;
        /// Keys requested through MultiGet.
        NumberMultigetKeysRead = "rocksdb.number.multiget.keys.read", 79, counted;
        /// Value bytes returned by MultiGet.
        NumberMultigetBytesRead = "rocksdb.number.multiget.bytes.read", 80, counted;
        /// MultiGet keys that existed.
        NumberMultigetKeysFound = "rocksdb.number.multiget.keys.found", 81, counted;
        /// Merge operator failures.
        NumberMergeFailures = "rocksdb.number.merge.failures", 82, counted;
        /// WAL tailing iterator requests.
        GetUpdatesSinceCalls = "rocksdb.getupdatessince.calls", 83, idle(NO_WAL_ITERATOR);
        /// WAL syncs.
        WalFileSynced = "rocksdb.wal.synced", 84, counted;
        /// Bytes appended to WAL.
        WalFileBytes = "rocksdb.wal.bytes", 85, counted;
        /// WAL switches served by a prepared file.
        WalPrecreateHit = "rocksdb.wal.precreate.hit", 86, idle(NO_WAL_PRECREATION);
        /// WAL switches with no prepared file ready.
        WalPrecreateMiss = "rocksdb.wal.precreate.miss", 87, idle(NO_WAL_PRECREATION);
        /// WAL switches that waited on preparation.
        WalPrecreateWaited = "rocksdb.wal.precreate.waited", 88, idle(NO_WAL_PRECREATION);
        /// Microseconds WAL switches waited on preparation.
        WalPrecreateWaitMicros = "rocksdb.wal.precreate.wait.micros", 89, idle(NO_WAL_PRECREATION);
        /// WAL preparation errors.
        WalPrecreateFailed = "rocksdb.wal.precreate.failed", 90, idle(NO_WAL_PRECREATION);
        /// Writes applied by their own thread.
        WriteDoneBySelf = "rocksdb.write.self", 91, counted;
        /// Writes applied by another group leader.
        WriteDoneByOther = "rocksdb.write.other", 92, counted;
        /// Writes that went through the WAL.
        WriteWithWal = "rocksdb.write.wal", 93, counted;
        /// Bytes read by compaction.
        CompactReadBytes = "rocksdb.compact.read.bytes", 94, counted;
        /// Bytes written by compaction.
        CompactWriteBytes = "rocksdb.compact.write.bytes", 95, counted;
        /// Bytes written by flush.
        FlushWriteBytes = "rocksdb.flush.write.bytes", 96, counted;
        /// Read bytes of marked-file compactions.
        CompactReadBytesMarked = "rocksdb.compact.read.marked.bytes", 97, counted;
        /// Read bytes of periodic compactions.
        CompactReadBytesPeriodic = "rocksdb.compact.read.periodic.bytes", 98, counted;
        /// Read bytes of age-limit compactions.
        CompactReadBytesTtl = "rocksdb.compact.read.ttl.bytes", 99, counted;
        /// Written bytes of marked-file compactions.
        CompactWriteBytesMarked = "rocksdb.compact.write.marked.bytes", 100, counted;
        /// Written bytes of periodic compactions.
        CompactWriteBytesPeriodic = "rocksdb.compact.write.periodic.bytes", 101, counted;
        /// Written bytes of age-limit compactions.
        CompactWriteBytesTtl = "rocksdb.compact.write.ttl.bytes", 102, counted;
        /// Table properties loaded without an open reader.
        NumberDirectLoadTableProperties = "rocksdb.number.direct.load.table.properties", 103, counted;
        /// Superversion references taken under lock.
        NumberSuperversionAcquires = "rocksdb.number.superversion_acquires", 104, idle(NO_SUPER_VERSION_CACHE);
        /// Superversion references dropped.
        NumberSuperversionReleases = "rocksdb.number.superversion_releases", 105, idle(NO_SUPER_VERSION_CACHE);
        /// Superversions freed.
        NumberSuperversionCleanups = "rocksdb.number.superversion_cleanups", 106, idle(NO_SUPER_VERSION_CACHE);
        /// Blocks stored compressed.
        NumberBlockCompressed = "rocksdb.number.block.compressed", 107, counted;
        /// Blocks decompressed.
        NumberBlockDecompressed = "rocksdb.number.block.decompressed", 108, counted;
        /// Input bytes of accepted compressions.
        BytesCompressedFrom = "rocksdb.bytes.compressed.from", 109, counted;
        /// Output bytes of accepted compressions.
        BytesCompressedTo = "rocksdb.bytes.compressed.to", 110, counted;
        /// Raw-stored bytes where compression never ran.
        BytesCompressionBypassed = "rocksdb.bytes.compression_bypassed", 111, counted;
        /// Raw-stored bytes where the ratio was poor.
        BytesCompressionRejected = "rocksdb.bytes.compression.rejected", 112, counted;
        /// Blocks stored raw, compression not tried.
        NumberBlockCompressionBypassed = "rocksdb.number.block_compression_bypassed", 113, counted;
        /// Blocks stored raw after a poor ratio.
        NumberBlockCompressionRejected = "rocksdb.number.block_compression_rejected", 114, counted;
        /// Compressed bytes given to decompression.
        BytesDecompressedFrom = "rocksdb.bytes.decompressed.from", 115, counted;
        /// Bytes produced by decompression.
        BytesDecompressedTo = "rocksdb.bytes.decompressed.to", 116, counted;
        /// Nanoseconds in merge operators.
        MergeOperationTotalTime = "rocksdb.merge.operation.time.nanos", 117, counted;
        /// Nanoseconds in compaction filters.
        FilterOperationTotalTime = "rocksdb.filter.operation.time.nanos", 118, counted;
        /// CPU microseconds in compaction.
        CompactionCpuTotalTime = "rocksdb.compaction.total.time.cpu_micros", 119, counted;
        /// Row cache hits.
        RowCacheHit = "rocksdb.row.cache.hit", 120, idle(NO_ROW_CACHE);
        /// Row cache misses.
        RowCacheMiss = "rocksdb.row.cache.miss", 121, idle(NO_ROW_CACHE);
        /// Estimated bytes actually needed from blocks read.
        ReadAmpEstimateUsefulBytes = "rocksdb.read.amp.estimate.useful.bytes", 122, idle(NO_READ_AMP_BITMAP);
        /// Total bytes of blocks read.
        ReadAmpTotalReadBytes = "rocksdb.read.amp.total.read.bytes", 123, idle(NO_READ_AMP_BITMAP);
        /// Refill periods fully consumed by the limiter.
        NumberRateLimiterDrains = "rocksdb.number.rate_limiter.drains", 124, counted;
        /// Limiter-granted read bytes.
        RateLimiterBytesRead = "rocksdb.rate.limiter.bytes.read", 125, counted;
        /// Limiter-granted write bytes.
        RateLimiterBytesWrite = "rocksdb.rate.limiter.bytes.write", 126, counted;
        /// Read requests to the limiter.
        RateLimiterRequestsRead = "rocksdb.rate.limiter.requests.read", 127, counted;
        /// Write requests to the limiter.
        RateLimiterRequestsWrite = "rocksdb.rate.limiter.requests.write", 128, counted;
        /// Read requests that had to wait.
        RateLimiterDelayedRequestsRead = "rocksdb.rate.limiter.delayed.requests.read", 129, counted;
        /// Write requests that had to wait.
        RateLimiterDelayedRequestsWrite = "rocksdb.rate.limiter.delayed.requests.write", 130, counted;
        /// Microseconds reads waited on the limiter.
        RateLimiterTotalWaitMicrosRead = "rocksdb.rate.limiter.total.wait.micros.read", 131, counted;
        /// Microseconds writes waited on the limiter.
        RateLimiterTotalWaitMicrosWrite = "rocksdb.rate.limiter.total.wait.micros.write", 132, counted;
        /// Stacked BlobDB puts.
        BlobDbNumPut = "rocksdb.blobdb.num.put", 133, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB batch writes.
        BlobDbNumWrite = "rocksdb.blobdb.num.write", 134, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB gets.
        BlobDbNumGet = "rocksdb.blobdb.num.get", 135, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB multi-gets.
        BlobDbNumMultiget = "rocksdb.blobdb.num.multiget", 136, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB seeks.
        BlobDbNumSeek = "rocksdb.blobdb.num.seek", 137, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB forward steps.
        BlobDbNumNext = "rocksdb.blobdb.num.next", 138, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB backward steps.
        BlobDbNumPrev = "rocksdb.blobdb.num.prev", 139, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB keys written.
        BlobDbNumKeysWritten = "rocksdb.blobdb.num.keys.written", 140, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB keys read.
        BlobDbNumKeysRead = "rocksdb.blobdb.num.keys.read", 141, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB key plus value bytes written.
        BlobDbBytesWritten = "rocksdb.blobdb.bytes.written", 142, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB key plus value bytes read.
        BlobDbBytesRead = "rocksdb.blobdb.bytes.read", 143, idle(STACKED_BLOB_DB);
        /// Retired: values kept inline.
        BlobDbWriteInlinedDeprecated = "rocksdb.blobdb.write.inlined", 144, idle(STACKED_BLOB_DB);
        /// Retired: expiring values kept inline.
        BlobDbWriteInlinedTtlDeprecated = "rocksdb.blobdb.write.inlined.ttl", 145, idle(STACKED_BLOB_DB);
        /// Values sent to blob files without expiry.
        BlobDbWriteBlob = "rocksdb.blobdb.write.blob", 146, idle(STACKED_BLOB_DB);
        /// Values sent to blob files with expiry.
        BlobDbWriteBlobTtl = "rocksdb.blobdb.write.blob.ttl", 147, idle(STACKED_BLOB_DB);
        /// Bytes written to blob files.
        BlobDbBlobFileBytesWritten = "rocksdb.blobdb.blob.file.bytes.written", 148, counted;
        /// Bytes read from blob files.
        BlobDbBlobFileBytesRead = "rocksdb.blobdb.blob.file.bytes.read", 149, counted;
        /// Blob file syncs.
        BlobDbBlobFileSynced = "rocksdb.blobdb.blob.file.synced", 150, counted;
        /// Expired blob references dropped in compaction.
        BlobDbBlobIndexExpiredCount = "rocksdb.blobdb.blob.index.expired.count", 151, idle(STACKED_BLOB_DB);
        /// Bytes of expired references dropped.
        BlobDbBlobIndexExpiredSize = "rocksdb.blobdb.blob.index.expired.size", 152, idle(STACKED_BLOB_DB);
        /// References to evicted blob files dropped.
        BlobDbBlobIndexEvictedCount = "rocksdb.blobdb.blob.index.evicted.count", 153, idle(STACKED_BLOB_DB);
        /// Bytes of evicted blob references dropped.
        BlobDbBlobIndexEvictedSize = "rocksdb.blobdb.blob.index.evicted.size", 154, idle(STACKED_BLOB_DB);
        /// Blob files cleaned by garbage collection.
        BlobDbGcNumFiles = "rocksdb.blobdb.gc.num.files", 155, idle(STACKED_BLOB_DB);
        /// Blob files made by garbage collection.
        BlobDbGcNumNewFiles = "rocksdb.blobdb.gc.num.new.files", 156, idle(STACKED_BLOB_DB);
        /// Garbage collection failures.
        BlobDbGcFailures = "rocksdb.blobdb.gc.failures", 157, idle(STACKED_BLOB_DB);
        /// Values relocated by garbage collection.
        BlobDbGcNumKeysRelocated = "rocksdb.blobdb.gc.num.keys.relocated", 158, counted;
        /// Bytes relocated by garbage collection.
        BlobDbGcBytesRelocated = "rocksdb.blobdb.gc.bytes.relocated", 159, counted;
        /// Blob files evicted for space.
        BlobDbFifoNumFilesEvicted = "rocksdb.blobdb.fifo.num.files.evicted", 160, idle(STACKED_BLOB_DB);
        /// Keys lost to blob eviction.
        BlobDbFifoNumKeysEvicted = "rocksdb.blobdb.fifo.num.keys.evicted", 161, idle(STACKED_BLOB_DB);
        /// Bytes lost to blob eviction.
        BlobDbFifoBytesEvicted = "rocksdb.blobdb.fifo.bytes.evicted", 162, idle(STACKED_BLOB_DB);
        /// Blob cache misses.
        BlobDbCacheMiss = "rocksdb.blobdb.cache.miss", 163, counted;
        /// Blob cache hits.
        BlobDbCacheHit = "rocksdb.blobdb.cache.hit", 164, counted;
        /// Blobs inserted into cache.
        BlobDbCacheAdd = "rocksdb.blobdb.cache.add", 165, counted;
        /// Blob cache inserts refused.
        BlobDbCacheAddFailures = "rocksdb.blobdb.cache.add.failures", 166, counted;
        /// Bytes served out of blob cache.
        BlobDbCacheBytesRead = "rocksdb.blobdb.cache.bytes.read", 167, counted;
        /// Bytes stored into blob cache.
        BlobDbCacheBytesWrite = "rocksdb.blobdb.cache.bytes.write", 168, counted;
        /// Prepare-heap mutex acquisitions on slow path.
        TxnPrepareMutexOverhead = "rocksdb.txn.overhead.mutex.prepare", 169, idle(NO_TRANSACTIONS);
        /// Old-commit-map mutex acquisitions on slow path.
        TxnOldCommitMapMutexOverhead = "rocksdb.txn.overhead.mutex.old.commit.map", 170, idle(NO_TRANSACTIONS);
        /// Duplicate-key checks that found repeats.
        TxnDuplicateKeyOverhead = "rocksdb.txn.overhead.duplicate.key", 171, idle(NO_TRANSACTIONS);
        /// Snapshot mutex acquisitions on slow path.
        TxnSnapshotMutexOverhead = "rocksdb.txn.overhead.mutex.snapshot", 172, idle(NO_TRANSACTIONS);
        /// Gets returning TryAgain over a stale snapshot.
        TxnGetTryAgain = "rocksdb.txn.get.tryagain", 173, idle(NO_TRANSACTIONS);
        /// Files renamed to trash for paced deletion.
        FilesMarkedTrash = "rocksdb.files.marked.trash", 174, idle(NO_SST_FILE_MANAGER);
        /// Trash files removed by the deleter.
        FilesDeletedFromTrashQueue = "rocksdb.files.marked.trash.deleted", 175, idle(NO_SST_FILE_MANAGER);
        /// Files removed at once.
        FilesDeletedImmediately = "rocksdb.files.deleted.immediately", 176, counted;
        /// Background errors seen.
        ErrorHandlerBgErrorCount = "rocksdb.error.handler.bg.error.count", 177, counted;
        /// Background I/O errors seen.
        ErrorHandlerBgIoErrorCount = "rocksdb.error.handler.bg.io.error.count", 178, counted;
        /// Retryable background I/O errors seen.
        ErrorHandlerBgRetryableIoErrorCount = "rocksdb.error.handler.bg.retryable.io.error.count", 179, counted;
        /// Automatic recoveries begun.
        ErrorHandlerAutoresumeCount = "rocksdb.error.handler.autoresume.count", 180, counted;
        /// Automatic recovery retries.
        ErrorHandlerAutoresumeRetryTotalCount = "rocksdb.error.handler.autoresume.retry.total.count", 181, counted;
        /// Automatic recoveries that worked.
        ErrorHandlerAutoresumeSuccessCount = "rocksdb.error.handler.autoresume.success.count", 182, counted;
        /// Memtable bytes present when flushing.
        MemtablePayloadBytesAtFlush = "rocksdb.memtable.payload.bytes.at.flush", 183, counted;
        /// Memtable bytes already obsolete when flushing.
        MemtableGarbageBytesAtFlush = "rocksdb.memtable.garbage.bytes.at.flush", 184, counted;
        /// Bytes read by checksum verification calls.
        VerifyChecksumReadBytes = "rocksdb.verify_checksum.read.bytes", 185, idle(NO_CHECKSUM_CALLS);
        /// Bytes read making backups.
        BackupReadBytes = "rocksdb.backup.read.bytes", 186, idle(NO_BACKUP_ENGINE);
        /// Bytes written making backups.
        BackupWriteBytes = "rocksdb.backup.write.bytes", 187, idle(NO_BACKUP_ENGINE);
        /// Bytes read by offloaded compactions.
        RemoteCompactReadBytes = "rocksdb.remote.compact.read.bytes", 188, idle(NO_REMOTE_COMPACTION);
        /// Bytes written by offloaded compactions.
        RemoteCompactWriteBytes = "rocksdb.remote.compact.write.bytes", 189, idle(NO_REMOTE_COMPACTION);
        /// Output bytes reused when resuming offloaded compactions.
        RemoteCompactResumedBytes = "rocksdb.remote.compact.resumed.bytes", 190, idle(NO_REMOTE_COMPACTION);
        /// Bytes read from hot files.
        HotFileReadBytes = "rocksdb.hot.file.read.bytes", 191, counted;
        /// Bytes read from warm files.
        WarmFileReadBytes = "rocksdb.warm.file.read.bytes", 192, counted;
        /// Bytes read from cool files.
        CoolFileReadBytes = "rocksdb.cool.file.read.bytes", 193, counted;
        /// Bytes read from cold files.
        ColdFileReadBytes = "rocksdb.cold.file.read.bytes", 194, counted;
        /// Bytes read from ice files.
        IceFileReadBytes = "rocksdb.ice.file.read.bytes", 195, counted;
        /// Reads from hot files.
        HotFileReadCount = "rocksdb.hot.file.read.count", 196, counted;
        /// Reads from warm files.
        WarmFileReadCount = "rocksdb.warm.file.read.count", 197, counted;
        /// Reads from cool files.
        CoolFileReadCount = "rocksdb.cool.file.read.count", 198, counted;
        /// Reads from cold files.
        ColdFileReadCount = "rocksdb.cold.file.read.count", 199, counted;
        /// Reads from ice files.
        IceFileReadCount = "rocksdb.ice.file.read.count", 200, counted;
        /// Bytes read from last-level files.
        LastLevelReadBytes = "rocksdb.last.level.read.bytes", 201, counted;
        /// Reads from last-level files.
        LastLevelReadCount = "rocksdb.last.level.read.count", 202, counted;
        /// Bytes read from other levels.
        NonLastLevelReadBytes = "rocksdb.non.last.level.read.bytes", 203, counted;
        /// Reads from other levels.
        NonLastLevelReadCount = "rocksdb.non.last.level.read.count", 204, counted;
        /// Last-level run seeks skipped by a filter.
        LastLevelSeekFiltered = "rocksdb.last.level.seek.filtered", 205, counted;
        /// Last-level run seeks a filter let through.
        LastLevelSeekFilterMatch = "rocksdb.last.level.seek.filter.match", 206, counted;
        /// Last-level run seeks touching data blocks.
        LastLevelSeekData = "rocksdb.last.level.seek.data", 207, counted;
        /// Last-level seeks whose value was used, unfiltered.
        LastLevelSeekDataUsefulNoFilter = "rocksdb.last.level.seek.data.useful.no.filter", 208, counted;
        /// Last-level seeks whose value was used, filter passed.
        LastLevelSeekDataUsefulFilterMatch = "rocksdb.last.level.seek.data.useful.filter.match", 209, counted;
        /// Upper-level run seeks skipped by a filter.
        NonLastLevelSeekFiltered = "rocksdb.non.last.level.seek.filtered", 210, counted;
        /// Upper-level run seeks a filter let through.
        NonLastLevelSeekFilterMatch = "rocksdb.non.last.level.seek.filter.match", 211, counted;
        /// Upper-level run seeks touching data blocks.
        NonLastLevelSeekData = "rocksdb.non.last.level.seek.data", 212, counted;
        /// Upper-level seeks whose value was used, unfiltered.
        NonLastLevelSeekDataUsefulNoFilter = "rocksdb.non.last.level.seek.data.useful.no.filter", 213, counted;
        /// Upper-level seeks whose value was used, filter passed.
        NonLastLevelSeekDataUsefulFilterMatch = "rocksdb.non.last.level.seek.data.useful.filter.match", 214, counted;
        /// Block checksums verified.
        BlockChecksumComputeCount = "rocksdb.block.checksum.compute.count", 215, counted;
        /// Block checksum failures.
        BlockChecksumMismatchCount = "rocksdb.block.checksum.mismatch.count", 216, counted;
        /// Coroutines started by MultiGet.
        MultigetCoroutineCount = "rocksdb.multiget.coroutine.count", 217, idle(NO_ASYNC_READS);
        /// Microseconds in file-system async reads.
        ReadAsyncMicros = "rocksdb.read.async.micros", 218, idle(NO_ASYNC_READS);
        /// Failed async reads.
        AsyncReadErrorCount = "rocksdb.async.read.error.count", 219, idle(NO_ASYNC_READS);
        /// Table-open reads outside the prefetched tail.
        TableOpenPrefetchTailMiss = "rocksdb.table.open.prefetch.tail.miss", 220, idle(NO_TAIL_PREFETCH);
        /// Table-open reads inside the prefetched tail.
        TableOpenPrefetchTailHit = "rocksdb.table.open.prefetch.tail.hit", 221, idle(NO_TAIL_PREFETCH);
        /// Tables tested against the read timestamp.
        TimestampFilterTableChecked = "rocksdb.timestamp.filter.table.checked", 222, idle(NO_TIMESTAMP_FILTER);
        /// Tables skipped because of timestamps.
        TimestampFilterTableFiltered = "rocksdb.timestamp.filter.table.filtered", 223, idle(NO_TIMESTAMP_FILTER);
        /// Scans whose readahead was cut down.
        ReadaheadTrimmed = "rocksdb.readahead.trimmed", 224, idle(KERNEL_READAHEAD);
        /// FIFO drops caused by the size limit.
        FifoMaxSizeCompactions = "rocksdb.fifo.max.size.compactions", 225, counted;
        /// FIFO drops caused by age.
        FifoTtlCompactions = "rocksdb.fifo.ttl.compactions", 226, counted;
        /// FIFO temperature changes.
        FifoChangeTemperatureCompactions = "rocksdb.fifo.change_temperature.compactions", 227, counted;
        /// Bytes prefetched for user scans.
        PrefetchBytes = "rocksdb.prefetch.bytes", 228, counted;
        /// Prefetched scan bytes later consumed.
        PrefetchBytesUseful = "rocksdb.prefetch.bytes.useful", 229, idle(KERNEL_READAHEAD);
        /// Reads answered from prefetched data.
        PrefetchHits = "rocksdb.prefetch.hits", 230, idle(KERNEL_READAHEAD);
        /// Damaged table footers met.
        SstFooterCorruptionCount = "rocksdb.footer.corruption.count", 231, counted;
        /// Reads repeated after suspected corruption.
        FileReadCorruptionRetryCount = "rocksdb.file.read.corruption.retry.count", 232, idle(NO_READ_RETRY);
        /// Repeated reads that came back clean.
        FileReadCorruptionRetrySuccessCount = "rocksdb.file.read.corruption.retry.success.count", 233, idle(NO_READ_RETRY);
        /// Indexed batches ingested as memtables.
        NumberWbwiIngest = "rocksdb.number.wbwi.ingest", 234, idle(NO_INGESTED_BATCHES);
        /// Custom index load failures.
        SstUserDefinedIndexLoadFailCount = "rocksdb.sst.user.defined.index.load.fail.count", 235, idle(NO_USER_DEFINED_INDEX);
        /// MultiScan prepare calls.
        MultiscanPrepareCalls = "rocksdb.multiscan.prepare.calls", 236, idle(NO_MULTI_SCAN);
        /// MultiScan prepare failures.
        MultiscanPrepareErrors = "rocksdb.multiscan.prepare.errors", 237, idle(NO_MULTI_SCAN);
        /// Blocks MultiScan fetched from storage.
        MultiscanBlocksPrefetched = "rocksdb.multiscan.blocks.prefetched", 238, idle(NO_MULTI_SCAN);
        /// Blocks MultiScan found cached.
        MultiscanBlocksFromCache = "rocksdb.multiscan.blocks.from.cache", 239, idle(NO_MULTI_SCAN);
        /// Bytes MultiScan prefetched.
        MultiscanPrefetchBytes = "rocksdb.multiscan.prefetch.bytes", 240, idle(NO_MULTI_SCAN);
        /// Prefetched blocks nobody used.
        MultiscanPrefetchBlocksWasted = "rocksdb.multiscan.prefetch.blocks.wasted", 241, idle(NO_MULTI_SCAN);
        /// I/O requests from MultiScan.
        MultiscanIoRequests = "rocksdb.multiscan.io.requests", 242, idle(NO_MULTI_SCAN);
        /// Blocks joined across a gap into one I/O.
        MultiscanIoCoalescedNonadjacent = "rocksdb.multiscan.io.coalesced.nonadjacent", 243, idle(NO_MULTI_SCAN);
        /// MultiScan seek failures.
        MultiscanSeekErrors = "rocksdb.multiscan.seek.errors", 244, idle(NO_MULTI_SCAN);
        /// Prefetch memory handed out.
        PrefetchMemoryBytesGranted = "rocksdb.prefetch.memory.bytes.granted", 245, idle(NO_MULTI_SCAN);
        /// Prefetch memory returned.
        PrefetchMemoryBytesReleased = "rocksdb.prefetch.memory.bytes.released", 246, idle(NO_MULTI_SCAN);
        /// Prefetches that waited for memory.
        PrefetchMemoryRequestsBlocked = "rocksdb.prefetch.memory.requests.blocked", 247, idle(NO_MULTI_SCAN);
        /// Range tombstones scans added to memtable.
        ReadPathRangeTombstonesInserted = "rocksdb.read.path.range.tombstones.inserted", 248, counted;
        /// Range tombstones scans could not add.
        ReadPathRangeTombstonesDiscarded = "rocksdb.read.path.range.tombstones.discarded", 249, counted;
        /// File metadata fetched for faster reopen.
        FileOpenMetadataRetrieved = "rocksdb.file.open.metadata.retrieved", 250, idle(NO_KEPT_FILE_METADATA);
        /// File opens supplied with saved metadata.
        FileOpenMetadataPassed = "rocksdb.file.open.metadata.passed", 251, idle(NO_KEPT_FILE_METADATA);
        /// MANIFEST checks that failed on close.
        ManifestValidationFailureCount = "rocksdb.manifest.validation.failure.count", 252, idle(NO_MANIFEST_VALIDATION);
        /// Flushes due to a full memtable.
        FlushReasonWriteBufferFull = "rocksdb.flush.reason.write_buffer_full", 253, counted;
        /// Flushes due to the shared memory budget.
        FlushReasonWriteBufferManager = "rocksdb.flush.reason.write_buffer_manager", 254, counted;
        /// Flushes due to range delete count.
        FlushReasonMemtableMaxRangeDeletions = "rocksdb.flush.reason.memtable_max_range_deletions", 255, counted;
        /// Atomic flush requests: full memtable.
        AtomicFlushRequestReasonWriteBufferFull = "rocksdb.atomic_flush.request.reason.write_buffer_full", 256, counted;
        /// Atomic flush requests: shared memory budget.
        AtomicFlushRequestReasonWriteBufferManager = "rocksdb.atomic_flush.request.reason.write_buffer_manager", 257, counted;
        /// Atomic flush requests: range delete count.
        AtomicFlushRequestReasonMemtableMaxRangeDeletions = "rocksdb.atomic_flush.request.reason.memtable_max_range_deletions", 258, counted;
        /// Atomic flush requests: anything else.
        AtomicFlushRequestReasonOther = "rocksdb.atomic_flush.request.reason.other", 259, counted;
        /// Bytes read making checkpoints.
        CheckpointReadBytes = "rocksdb.checkpoint.read.bytes", 260, idle(NO_CHECKPOINTS);
        /// Bytes written making checkpoints.
        CheckpointWriteBytes = "rocksdb.checkpoint.write.bytes", 261, idle(NO_CHECKPOINTS);
        /// Async submissions served synchronously instead.
        FileSubmitAsyncReadFallback = "rocksdb.file.submit.async.read.fallback", 262, idle(NO_ASYNC_READS);
        /// Storage reads resolving lazy wide columns.
        BlobDbLazyReadCount = "rocksdb.blobdb.lazy.read.count", 263, idle(NO_LAZY_BLOBS);
        /// Bytes read resolving lazy wide columns.
        BlobDbLazyReadBytes = "rocksdb.blobdb.lazy.read.bytes", 264, idle(NO_LAZY_BLOBS);
        /// Lazy reads of only part of a value.
        BlobDbLazyPartialReadCount = "rocksdb.blobdb.lazy.partial.read.count", 265, idle(NO_LAZY_BLOBS);
        /// Value bytes lazy partial reads avoided.
        BlobDbLazyPartialBytesSaved = "rocksdb.blobdb.lazy.partial.bytes.saved", 266, idle(NO_LAZY_BLOBS);
    }
}

impl Ticker {
    /// The tickers that it is the sum of, if it is one: nobody adds to it beside.
    #[inline]
    pub(crate) const fn parts(self) -> &'static [Self] {
        match self {
            Self::BlockCacheMiss => &[
                Self::BlockCacheIndexMiss,
                Self::BlockCacheFilterMiss,
                Self::BlockCacheDataMiss,
                Self::BlockCacheCompressionDictMiss,
            ],
            Self::BlockCacheHit => &[
                Self::BlockCacheIndexHit,
                Self::BlockCacheFilterHit,
                Self::BlockCacheDataHit,
                Self::BlockCacheCompressionDictHit,
            ],
            Self::BlockCacheAdd => &[
                Self::BlockCacheIndexAdd,
                Self::BlockCacheFilterAdd,
                Self::BlockCacheDataAdd,
                Self::BlockCacheCompressionDictAdd,
            ],
            Self::BlockCacheAddRedundant => &[
                Self::BlockCacheIndexAddRedundant,
                Self::BlockCacheFilterAddRedundant,
                Self::BlockCacheDataAddRedundant,
                Self::BlockCacheCompressionDictAddRedundant,
            ],
            Self::BlockCacheBytesWrite => &[
                Self::BlockCacheIndexBytesInsert,
                Self::BlockCacheFilterBytesInsert,
                Self::BlockCacheDataBytesInsert,
                Self::BlockCacheCompressionDictBytesInsert,
            ],
            _ => &[],
        }
    }
}

const _: () = assert!(metric::is_numbered(&Ticker::INFO), "numbers are RocksDB's");
