//! The counters.

use crate::metric::metrics;

metrics! {
    /// A counter (`rocksdb::Tickers`).
    pub enum Ticker;
    rows {
        /// Block cache lookups that failed, all block kinds.
        BlockCacheMiss = 0, "rocksdb.block.cache.miss", counted;
        /// Block cache lookups that succeeded, all block kinds.
        BlockCacheHit = 1, "rocksdb.block.cache.hit", counted;
        /// Blocks inserted into block cache.
        BlockCacheAdd = 2, "rocksdb.block.cache.add", counted;
        /// Block cache inserts refused.
        BlockCacheAddFailures = 3, "rocksdb.block.cache.add.failures", counted;
        /// Failed index block lookups in cache.
        BlockCacheIndexMiss = 4, "rocksdb.block.cache.index.miss", counted;
        /// Successful index block lookups in cache.
        BlockCacheIndexHit = 5, "rocksdb.block.cache.index.hit", counted;
        /// Index blocks inserted.
        BlockCacheIndexAdd = 6, "rocksdb.block.cache.index.add", counted;
        /// Index block bytes inserted.
        BlockCacheIndexBytesInsert = 7, "rocksdb.block.cache.index.bytes.insert", counted;
        /// Failed filter block lookups in cache.
        BlockCacheFilterMiss = 8, "rocksdb.block.cache.filter.miss", counted;
        /// Successful filter block lookups in cache.
        BlockCacheFilterHit = 9, "rocksdb.block.cache.filter.hit", counted;
        /// Filter blocks inserted.
        BlockCacheFilterAdd = 10, "rocksdb.block.cache.filter.add", counted;
        /// Filter block bytes inserted.
        BlockCacheFilterBytesInsert = 11, "rocksdb.block.cache.filter.bytes.insert", counted;
        /// Failed data block lookups in cache.
        BlockCacheDataMiss = 12, "rocksdb.block.cache.data.miss", counted;
        /// Successful data block lookups in cache.
        BlockCacheDataHit = 13, "rocksdb.block.cache.data.hit", counted;
        /// Data blocks inserted.
        BlockCacheDataAdd = 14, "rocksdb.block.cache.data.add", counted;
        /// Data block bytes inserted.
        BlockCacheDataBytesInsert = 15, "rocksdb.block.cache.data.bytes.insert", counted;
        /// Bytes served out of block cache.
        BlockCacheBytesRead = 16, "rocksdb.block.cache.bytes.read", counted;
        /// Bytes stored into block cache.
        BlockCacheBytesWrite = 17, "rocksdb.block.cache.bytes.write", counted;
        /// Failed dictionary block lookups.
        BlockCacheCompressionDictMiss = 18, "rocksdb.block.cache.compression.dict.miss", counted;
        /// Successful dictionary block lookups.
        BlockCacheCompressionDictHit = 19, "rocksdb.block.cache.compression.dict.hit", counted;
        /// Dictionary blocks inserted.
        BlockCacheCompressionDictAdd = 20, "rocksdb.block.cache.compression.dict.add", counted;
        /// Dictionary block bytes inserted.
        BlockCacheCompressionDictBytesInsert =
            21, "rocksdb.block.cache.compression.dict.bytes.insert", counted;
        /// Inserts of blocks already present.
        BlockCacheAddRedundant = 22, "rocksdb.block.cache.add.redundant", counted;
        /// Redundant index block inserts.
        BlockCacheIndexAddRedundant = 23, "rocksdb.block.cache.index.add.redundant", counted;
        /// Redundant filter block inserts.
        BlockCacheFilterAddRedundant = 24, "rocksdb.block.cache.filter.add.redundant", counted;
        /// Redundant data block inserts.
        BlockCacheDataAddRedundant = 25, "rocksdb.block.cache.data.add.redundant", counted;
        /// Redundant dictionary block inserts.
        BlockCacheCompressionDictAddRedundant =
            26, "rocksdb.block.cache.compression.dict.add.redundant", counted;
        /// Lookups satisfied by secondary cache.
        SecondaryCacheHits = 27, "rocksdb.secondary.cache.hits", idle(NO_SECONDARY_CACHE);
        /// Filter lookups satisfied by secondary cache.
        SecondaryCacheFilterHits = 28, "rocksdb.secondary.cache.filter.hits", idle(NO_SECONDARY_CACHE);
        /// Index lookups satisfied by secondary cache.
        SecondaryCacheIndexHits = 29, "rocksdb.secondary.cache.index.hits", idle(NO_SECONDARY_CACHE);
        /// Data lookups satisfied by secondary cache.
        SecondaryCacheDataHits = 30, "rocksdb.secondary.cache.data.hits", idle(NO_SECONDARY_CACHE);
        /// Compressed tier matches on placeholder entries.
        CompressedSecondaryCacheDummyHits =
            31, "rocksdb.compressed.secondary.cache.dummy.hits", idle(NO_SECONDARY_CACHE);
        /// Compressed tier matches on real entries.
        CompressedSecondaryCacheHits = 32, "rocksdb.compressed.secondary.cache.hits", idle(NO_SECONDARY_CACHE);
        /// Entries moved up from compressed tier.
        CompressedSecondaryCachePromotions =
            33, "rocksdb.compressed.secondary.cache.promotions", idle(NO_SECONDARY_CACHE);
        /// Entries found but left in compressed tier.
        CompressedSecondaryCachePromotionSkips =
            34, "rocksdb.compressed.secondary.cache.promotion.skips", idle(NO_SECONDARY_CACHE);
        /// Point lookups avoided by a whole-key filter.
        BloomFilterUseful = 35, "rocksdb.bloom.filter.useful", counted;
        /// Whole-key filter passes.
        BloomFilterFullPositive = 36, "rocksdb.bloom.filter.full.positive", counted;
        /// Whole-key filter passes where key existed.
        BloomFilterFullTruePositive = 37, "rocksdb.bloom.filter.full.true.positive", counted;
        /// Prefix filter queries in point lookups.
        BloomFilterPrefixChecked = 38, "rocksdb.bloom.filter.prefix.checked", counted;
        /// Point lookups avoided by a prefix filter.
        BloomFilterPrefixUseful = 39, "rocksdb.bloom.filter.prefix.useful", counted;
        /// Prefix filter passes where key existed.
        BloomFilterPrefixTruePositive = 40, "rocksdb.bloom.filter.prefix.true.positive", counted;
        /// Persistent cache hits.
        PersistentCacheHit = 41, "rocksdb.persistent.cache.hit", idle(NO_PERSISTENT_CACHE);
        /// Persistent cache misses.
        PersistentCacheMiss = 42, "rocksdb.persistent.cache.miss", idle(NO_PERSISTENT_CACHE);
        /// Simulated cache hits.
        SimBlockCacheHit = 43, "rocksdb.sim.block.cache.hit", idle(NO_SIMULATED_CACHE);
        /// Simulated cache misses.
        SimBlockCacheMiss = 44, "rocksdb.sim.block.cache.miss", idle(NO_SIMULATED_CACHE);
        /// Gets answered by memtables.
        MemtableHit = 45, "rocksdb.memtable.hit", counted;
        /// Gets not answered by memtables.
        MemtableMiss = 46, "rocksdb.memtable.miss", counted;
        /// Gets answered at level 0.
        GetHitL0 = 47, "rocksdb.l0.hit", counted;
        /// Gets answered at level 1.
        GetHitL1 = 48, "rocksdb.l1.hit", counted;
        /// Gets answered at level 2 or deeper.
        GetHitL2AndUp = 49, "rocksdb.l2andup.hit", counted;
        /// Entries dropped since a newer version hides them.
        CompactionKeyDropNewerEntry = 50, "rocksdb.compaction.key.drop.new", counted;
        /// Tombstoned entries dropped in compaction.
        CompactionKeyDropObsolete = 51, "rocksdb.compaction.key.drop.obsolete", counted;
        /// Entries dropped under a range tombstone.
        CompactionKeyDropRangeDel = 52, "rocksdb.compaction.key.drop.range_del", counted;
        /// Entries dropped by the compaction filter.
        CompactionKeyDropUser = 53, "rocksdb.compaction.key.drop.user", counted;
        /// Range tombstones dropped as no longer needed.
        CompactionRangeDelDropObsolete = 54, "rocksdb.compaction.range_del.drop.obsolete", counted;
        /// Tombstones dropped above bottom thanks to file gaps.
        CompactionOptimizedDelDropObsolete =
            55, "rocksdb.compaction.optimized.del.drop.obsolete", counted;
        /// Compactions cancelled to preserve free space.
        CompactionCancelled = 56, "rocksdb.compaction.cancelled", idle(NO_SST_FILE_MANAGER);
        /// Compactions stopped through the abort API.
        CompactionAborted = 57, "rocksdb.compaction.aborted", idle(NO_ABORT_OF_COMPACTIONS);
        /// Keys written by writes.
        NumberKeysWritten = 58, "rocksdb.number.keys.written", counted;
        /// Keys requested by Get.
        NumberKeysRead = 59, "rocksdb.number.keys.read", counted;
        /// In-place memtable updates.
        NumberKeysUpdated = 60, "rocksdb.number.keys.updated", idle(NO_INPLACE_UPDATE);
        /// Uncompressed batch bytes written.
        BytesWritten = 61, "rocksdb.bytes.written", counted;
        /// Value bytes returned by Get.
        BytesRead = 62, "rocksdb.bytes.read", counted;
        /// Iterator seeks.
        NumberDbSeek = 63, "rocksdb.number.db.seek", counted;
        /// Iterator forward steps.
        NumberDbNext = 64, "rocksdb.number.db.next", counted;
        /// Iterator backward steps.
        NumberDbPrev = 65, "rocksdb.number.db.prev", counted;
        /// Seeks ending on an entry.
        NumberDbSeekFound = 66, "rocksdb.number.db.seek.found", counted;
        /// Forward steps ending on an entry.
        NumberDbNextFound = 67, "rocksdb.number.db.next.found", counted;
        /// Backward steps ending on an entry.
        NumberDbPrevFound = 68, "rocksdb.number.db.prev.found", counted;
        /// Key plus value bytes returned by iterators.
        IterBytesRead = 69, "rocksdb.db.iter.bytes.read", counted;
        /// Internal entries skipped while iterating.
        NumberIterSkip = 70, "rocksdb.number.iter.skip", counted;
        /// Internal reseeks done instead of skipping.
        NumberOfReseeksInIteration = 71, "rocksdb.number.reseeks.iteration", counted;
        /// Iterators created.
        NoIteratorCreated = 72, "rocksdb.num.iterator.created", counted;
        /// Iterators destroyed.
        NoIteratorDeleted = 73, "rocksdb.num.iterator.deleted", counted;
        /// Table file opens.
        NoFileOpens = 74, "rocksdb.no.file.opens", counted;
        /// Table file open failures.
        NoFileErrors = 75, "rocksdb.no.file.errors", counted;
        /// Microseconds writers spent stalled.
        StallMicros = 76, "rocksdb.stall.micros", counted;
        /// Microseconds that writes waited for the lock that flushes and option changes share; at `kAll`.
        DbMutexWaitMicros = 77, "rocksdb.db.mutex.wait.micros", counted;
        /// MultiGet calls.
        NumberMultigetCalls = 78, "rocksdb.number.multiget.get", counted;
        /// Keys requested through MultiGet.
        NumberMultigetKeysRead = 79, "rocksdb.number.multiget.keys.read", counted;
        /// Value bytes returned by MultiGet.
        NumberMultigetBytesRead = 80, "rocksdb.number.multiget.bytes.read", counted;
        /// MultiGet keys that existed.
        NumberMultigetKeysFound = 81, "rocksdb.number.multiget.keys.found", counted;
        /// Merge operator failures.
        NumberMergeFailures = 82, "rocksdb.number.merge.failures", counted;
        /// WAL tailing iterator requests.
        GetUpdatesSinceCalls = 83, "rocksdb.getupdatessince.calls", idle(NO_WAL_ITERATOR);
        /// WAL syncs.
        WalFileSynced = 84, "rocksdb.wal.synced", counted;
        /// Bytes appended to WAL.
        WalFileBytes = 85, "rocksdb.wal.bytes", counted;
        /// WAL switches served by a prepared file.
        WalPrecreateHit = 86, "rocksdb.wal.precreate.hit", idle(NO_WAL_PRECREATION);
        /// WAL switches with no prepared file ready.
        WalPrecreateMiss = 87, "rocksdb.wal.precreate.miss", idle(NO_WAL_PRECREATION);
        /// WAL switches that waited on preparation.
        WalPrecreateWaited = 88, "rocksdb.wal.precreate.waited", idle(NO_WAL_PRECREATION);
        /// Microseconds WAL switches waited on preparation.
        WalPrecreateWaitMicros = 89, "rocksdb.wal.precreate.wait.micros", idle(NO_WAL_PRECREATION);
        /// WAL preparation errors.
        WalPrecreateFailed = 90, "rocksdb.wal.precreate.failed", idle(NO_WAL_PRECREATION);
        /// Writes applied by their own thread.
        WriteDoneBySelf = 91, "rocksdb.write.self", counted;
        /// Writes applied by another group leader.
        WriteDoneByOther = 92, "rocksdb.write.other", counted;
        /// Writes that went through the WAL.
        WriteWithWal = 93, "rocksdb.write.wal", counted;
        /// Bytes read by compaction.
        CompactReadBytes = 94, "rocksdb.compact.read.bytes", counted;
        /// Bytes written by compaction.
        CompactWriteBytes = 95, "rocksdb.compact.write.bytes", counted;
        /// Bytes written by flush.
        FlushWriteBytes = 96, "rocksdb.flush.write.bytes", counted;
        /// Read bytes of marked-file compactions.
        CompactReadBytesMarked = 97, "rocksdb.compact.read.marked.bytes", counted;
        /// Read bytes of periodic compactions.
        CompactReadBytesPeriodic = 98, "rocksdb.compact.read.periodic.bytes", counted;
        /// Read bytes of age-limit compactions.
        CompactReadBytesTtl = 99, "rocksdb.compact.read.ttl.bytes", counted;
        /// Written bytes of marked-file compactions.
        CompactWriteBytesMarked = 100, "rocksdb.compact.write.marked.bytes", counted;
        /// Written bytes of periodic compactions.
        CompactWriteBytesPeriodic = 101, "rocksdb.compact.write.periodic.bytes", counted;
        /// Written bytes of age-limit compactions.
        CompactWriteBytesTtl = 102, "rocksdb.compact.write.ttl.bytes", counted;
        /// Table properties loaded without an open reader.
        NumberDirectLoadTableProperties = 103, "rocksdb.number.direct.load.table.properties", counted;
        /// Superversion references taken under lock.
        NumberSuperversionAcquires = 104, "rocksdb.number.superversion_acquires", idle(NO_SUPER_VERSION_CACHE);
        /// Superversion references dropped.
        NumberSuperversionReleases = 105, "rocksdb.number.superversion_releases", idle(NO_SUPER_VERSION_CACHE);
        /// Superversions freed.
        NumberSuperversionCleanups = 106, "rocksdb.number.superversion_cleanups", idle(NO_SUPER_VERSION_CACHE);
        /// Blocks stored compressed.
        NumberBlockCompressed = 107, "rocksdb.number.block.compressed", counted;
        /// Blocks decompressed.
        NumberBlockDecompressed = 108, "rocksdb.number.block.decompressed", counted;
        /// Input bytes of accepted compressions.
        BytesCompressedFrom = 109, "rocksdb.bytes.compressed.from", counted;
        /// Output bytes of accepted compressions.
        BytesCompressedTo = 110, "rocksdb.bytes.compressed.to", counted;
        /// Raw-stored bytes where compression never ran.
        BytesCompressionBypassed = 111, "rocksdb.bytes.compression_bypassed", counted;
        /// Raw-stored bytes where the ratio was poor.
        BytesCompressionRejected = 112, "rocksdb.bytes.compression.rejected", counted;
        /// Blocks stored raw, compression not tried.
        NumberBlockCompressionBypassed = 113, "rocksdb.number.block_compression_bypassed", counted;
        /// Blocks stored raw after a poor ratio.
        NumberBlockCompressionRejected = 114, "rocksdb.number.block_compression_rejected", counted;
        /// Compressed bytes given to decompression.
        BytesDecompressedFrom = 115, "rocksdb.bytes.decompressed.from", counted;
        /// Bytes produced by decompression.
        BytesDecompressedTo = 116, "rocksdb.bytes.decompressed.to", counted;
        /// Nanoseconds in merge operators.
        MergeOperationTotalTime = 117, "rocksdb.merge.operation.time.nanos", counted;
        /// Nanoseconds in compaction filters.
        FilterOperationTotalTime = 118, "rocksdb.filter.operation.time.nanos", counted;
        /// CPU microseconds in compaction.
        CompactionCpuTotalTime = 119, "rocksdb.compaction.total.time.cpu_micros", counted;
        /// Row cache hits.
        RowCacheHit = 120, "rocksdb.row.cache.hit", idle(NO_ROW_CACHE);
        /// Row cache misses.
        RowCacheMiss = 121, "rocksdb.row.cache.miss", idle(NO_ROW_CACHE);
        /// Estimated bytes actually needed from blocks read.
        ReadAmpEstimateUsefulBytes = 122, "rocksdb.read.amp.estimate.useful.bytes", idle(NO_READ_AMP_BITMAP);
        /// Total bytes of blocks read.
        ReadAmpTotalReadBytes = 123, "rocksdb.read.amp.total.read.bytes", idle(NO_READ_AMP_BITMAP);
        /// Refill periods fully consumed by the limiter.
        NumberRateLimiterDrains = 124, "rocksdb.number.rate_limiter.drains", counted;
        /// Limiter-granted read bytes.
        RateLimiterBytesRead = 125, "rocksdb.rate.limiter.bytes.read", counted;
        /// Limiter-granted write bytes.
        RateLimiterBytesWrite = 126, "rocksdb.rate.limiter.bytes.write", counted;
        /// Read requests to the limiter.
        RateLimiterRequestsRead = 127, "rocksdb.rate.limiter.requests.read", counted;
        /// Write requests to the limiter.
        RateLimiterRequestsWrite = 128, "rocksdb.rate.limiter.requests.write", counted;
        /// Read requests that had to wait.
        RateLimiterDelayedRequestsRead = 129, "rocksdb.rate.limiter.delayed.requests.read", counted;
        /// Write requests that had to wait.
        RateLimiterDelayedRequestsWrite = 130, "rocksdb.rate.limiter.delayed.requests.write", counted;
        /// Microseconds reads waited on the limiter.
        RateLimiterTotalWaitMicrosRead = 131, "rocksdb.rate.limiter.total.wait.micros.read", counted;
        /// Microseconds writes waited on the limiter.
        RateLimiterTotalWaitMicrosWrite = 132, "rocksdb.rate.limiter.total.wait.micros.write", counted;
        /// Stacked BlobDB puts.
        BlobDbNumPut = 133, "rocksdb.blobdb.num.put", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB batch writes.
        BlobDbNumWrite = 134, "rocksdb.blobdb.num.write", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB gets.
        BlobDbNumGet = 135, "rocksdb.blobdb.num.get", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB multi-gets.
        BlobDbNumMultiget = 136, "rocksdb.blobdb.num.multiget", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB seeks.
        BlobDbNumSeek = 137, "rocksdb.blobdb.num.seek", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB forward steps.
        BlobDbNumNext = 138, "rocksdb.blobdb.num.next", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB backward steps.
        BlobDbNumPrev = 139, "rocksdb.blobdb.num.prev", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB keys written.
        BlobDbNumKeysWritten = 140, "rocksdb.blobdb.num.keys.written", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB keys read.
        BlobDbNumKeysRead = 141, "rocksdb.blobdb.num.keys.read", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB key plus value bytes written.
        BlobDbBytesWritten = 142, "rocksdb.blobdb.bytes.written", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB key plus value bytes read.
        BlobDbBytesRead = 143, "rocksdb.blobdb.bytes.read", idle(STACKED_BLOB_DB);
        /// Retired: values kept inline.
        BlobDbWriteInlinedDeprecated = 144, "rocksdb.blobdb.write.inlined", idle(STACKED_BLOB_DB);
        /// Retired: expiring values kept inline.
        BlobDbWriteInlinedTtlDeprecated = 145, "rocksdb.blobdb.write.inlined.ttl", idle(STACKED_BLOB_DB);
        /// Values sent to blob files without expiry.
        BlobDbWriteBlob = 146, "rocksdb.blobdb.write.blob", idle(STACKED_BLOB_DB);
        /// Values sent to blob files with expiry.
        BlobDbWriteBlobTtl = 147, "rocksdb.blobdb.write.blob.ttl", idle(STACKED_BLOB_DB);
        /// Bytes written to blob files.
        BlobDbBlobFileBytesWritten = 148, "rocksdb.blobdb.blob.file.bytes.written", counted;
        /// Bytes read from blob files.
        BlobDbBlobFileBytesRead = 149, "rocksdb.blobdb.blob.file.bytes.read", counted;
        /// Blob file syncs.
        BlobDbBlobFileSynced = 150, "rocksdb.blobdb.blob.file.synced", counted;
        /// Expired blob references dropped in compaction.
        BlobDbBlobIndexExpiredCount = 151, "rocksdb.blobdb.blob.index.expired.count", idle(STACKED_BLOB_DB);
        /// Bytes of expired references dropped.
        BlobDbBlobIndexExpiredSize = 152, "rocksdb.blobdb.blob.index.expired.size", idle(STACKED_BLOB_DB);
        /// References to evicted blob files dropped.
        BlobDbBlobIndexEvictedCount = 153, "rocksdb.blobdb.blob.index.evicted.count", idle(STACKED_BLOB_DB);
        /// Bytes of evicted blob references dropped.
        BlobDbBlobIndexEvictedSize = 154, "rocksdb.blobdb.blob.index.evicted.size", idle(STACKED_BLOB_DB);
        /// Blob files cleaned by garbage collection.
        BlobDbGcNumFiles = 155, "rocksdb.blobdb.gc.num.files", idle(STACKED_BLOB_DB);
        /// Blob files made by garbage collection.
        BlobDbGcNumNewFiles = 156, "rocksdb.blobdb.gc.num.new.files", idle(STACKED_BLOB_DB);
        /// Garbage collection failures.
        BlobDbGcFailures = 157, "rocksdb.blobdb.gc.failures", idle(STACKED_BLOB_DB);
        /// Values relocated by garbage collection.
        BlobDbGcNumKeysRelocated = 158, "rocksdb.blobdb.gc.num.keys.relocated", counted;
        /// Bytes relocated by garbage collection.
        BlobDbGcBytesRelocated = 159, "rocksdb.blobdb.gc.bytes.relocated", counted;
        /// Blob files evicted for space.
        BlobDbFifoNumFilesEvicted = 160, "rocksdb.blobdb.fifo.num.files.evicted", idle(STACKED_BLOB_DB);
        /// Keys lost to blob eviction.
        BlobDbFifoNumKeysEvicted = 161, "rocksdb.blobdb.fifo.num.keys.evicted", idle(STACKED_BLOB_DB);
        /// Bytes lost to blob eviction.
        BlobDbFifoBytesEvicted = 162, "rocksdb.blobdb.fifo.bytes.evicted", idle(STACKED_BLOB_DB);
        /// Blob cache misses.
        BlobDbCacheMiss = 163, "rocksdb.blobdb.cache.miss", counted;
        /// Blob cache hits.
        BlobDbCacheHit = 164, "rocksdb.blobdb.cache.hit", counted;
        /// Blobs inserted into cache.
        BlobDbCacheAdd = 165, "rocksdb.blobdb.cache.add", counted;
        /// Blob cache inserts refused.
        BlobDbCacheAddFailures = 166, "rocksdb.blobdb.cache.add.failures", counted;
        /// Bytes served out of blob cache.
        BlobDbCacheBytesRead = 167, "rocksdb.blobdb.cache.bytes.read", counted;
        /// Bytes stored into blob cache.
        BlobDbCacheBytesWrite = 168, "rocksdb.blobdb.cache.bytes.write", counted;
        /// Prepare-heap mutex acquisitions on slow path.
        TxnPrepareMutexOverhead = 169, "rocksdb.txn.overhead.mutex.prepare", idle(NO_TRANSACTIONS);
        /// Old-commit-map mutex acquisitions on slow path.
        TxnOldCommitMapMutexOverhead = 170, "rocksdb.txn.overhead.mutex.old.commit.map", idle(NO_TRANSACTIONS);
        /// Duplicate-key checks that found repeats.
        TxnDuplicateKeyOverhead = 171, "rocksdb.txn.overhead.duplicate.key", idle(NO_TRANSACTIONS);
        /// Snapshot mutex acquisitions on slow path.
        TxnSnapshotMutexOverhead = 172, "rocksdb.txn.overhead.mutex.snapshot", idle(NO_TRANSACTIONS);
        /// Gets returning TryAgain over a stale snapshot.
        TxnGetTryAgain = 173, "rocksdb.txn.get.tryagain", idle(NO_TRANSACTIONS);
        /// Files renamed to trash for paced deletion.
        FilesMarkedTrash = 174, "rocksdb.files.marked.trash", idle(NO_SST_FILE_MANAGER);
        /// Trash files removed by the deleter.
        FilesDeletedFromTrashQueue = 175, "rocksdb.files.marked.trash.deleted", idle(NO_SST_FILE_MANAGER);
        /// Files removed at once.
        FilesDeletedImmediately = 176, "rocksdb.files.deleted.immediately", counted;
        /// Background errors seen.
        ErrorHandlerBgErrorCount = 177, "rocksdb.error.handler.bg.error.count", counted;
        /// Background I/O errors seen.
        ErrorHandlerBgIoErrorCount = 178, "rocksdb.error.handler.bg.io.error.count", counted;
        /// Retryable background I/O errors seen.
        ErrorHandlerBgRetryableIoErrorCount =
            179, "rocksdb.error.handler.bg.retryable.io.error.count", counted;
        /// Automatic recoveries begun.
        ErrorHandlerAutoresumeCount = 180, "rocksdb.error.handler.autoresume.count", counted;
        /// Automatic recovery retries.
        ErrorHandlerAutoresumeRetryTotalCount =
            181, "rocksdb.error.handler.autoresume.retry.total.count", counted;
        /// Automatic recoveries that worked.
        ErrorHandlerAutoresumeSuccessCount =
            182, "rocksdb.error.handler.autoresume.success.count", counted;
        /// Memtable bytes present when flushing.
        MemtablePayloadBytesAtFlush = 183, "rocksdb.memtable.payload.bytes.at.flush", counted;
        /// Memtable bytes already obsolete when flushing.
        MemtableGarbageBytesAtFlush = 184, "rocksdb.memtable.garbage.bytes.at.flush", counted;
        /// Bytes read by checksum verification calls.
        VerifyChecksumReadBytes = 185, "rocksdb.verify_checksum.read.bytes", idle(NO_CHECKSUM_CALLS);
        /// Bytes read making backups.
        BackupReadBytes = 186, "rocksdb.backup.read.bytes", idle(NO_BACKUP_ENGINE);
        /// Bytes written making backups.
        BackupWriteBytes = 187, "rocksdb.backup.write.bytes", idle(NO_BACKUP_ENGINE);
        /// Bytes read by offloaded compactions.
        RemoteCompactReadBytes = 188, "rocksdb.remote.compact.read.bytes", idle(NO_REMOTE_COMPACTION);
        /// Bytes written by offloaded compactions.
        RemoteCompactWriteBytes = 189, "rocksdb.remote.compact.write.bytes", idle(NO_REMOTE_COMPACTION);
        /// Output bytes reused when resuming offloaded compactions.
        RemoteCompactResumedBytes = 190, "rocksdb.remote.compact.resumed.bytes", idle(NO_REMOTE_COMPACTION);
        /// Bytes read from hot files.
        HotFileReadBytes = 191, "rocksdb.hot.file.read.bytes", counted;
        /// Bytes read from warm files.
        WarmFileReadBytes = 192, "rocksdb.warm.file.read.bytes", counted;
        /// Bytes read from cool files.
        CoolFileReadBytes = 193, "rocksdb.cool.file.read.bytes", counted;
        /// Bytes read from cold files.
        ColdFileReadBytes = 194, "rocksdb.cold.file.read.bytes", counted;
        /// Bytes read from ice files.
        IceFileReadBytes = 195, "rocksdb.ice.file.read.bytes", counted;
        /// Reads from hot files.
        HotFileReadCount = 196, "rocksdb.hot.file.read.count", counted;
        /// Reads from warm files.
        WarmFileReadCount = 197, "rocksdb.warm.file.read.count", counted;
        /// Reads from cool files.
        CoolFileReadCount = 198, "rocksdb.cool.file.read.count", counted;
        /// Reads from cold files.
        ColdFileReadCount = 199, "rocksdb.cold.file.read.count", counted;
        /// Reads from ice files.
        IceFileReadCount = 200, "rocksdb.ice.file.read.count", counted;
        /// Bytes read from last-level files.
        LastLevelReadBytes = 201, "rocksdb.last.level.read.bytes", counted;
        /// Reads from last-level files.
        LastLevelReadCount = 202, "rocksdb.last.level.read.count", counted;
        /// Bytes read from other levels.
        NonLastLevelReadBytes = 203, "rocksdb.non.last.level.read.bytes", counted;
        /// Reads from other levels.
        NonLastLevelReadCount = 204, "rocksdb.non.last.level.read.count", counted;
        /// Last-level run seeks skipped by a filter.
        LastLevelSeekFiltered = 205, "rocksdb.last.level.seek.filtered", counted;
        /// Last-level run seeks a filter let through.
        LastLevelSeekFilterMatch = 206, "rocksdb.last.level.seek.filter.match", counted;
        /// Last-level run seeks touching data blocks.
        LastLevelSeekData = 207, "rocksdb.last.level.seek.data", counted;
        /// Last-level seeks whose value was used, unfiltered.
        LastLevelSeekDataUsefulNoFilter =
            208, "rocksdb.last.level.seek.data.useful.no.filter", counted;
        /// Last-level seeks whose value was used, filter passed.
        LastLevelSeekDataUsefulFilterMatch =
            209, "rocksdb.last.level.seek.data.useful.filter.match", counted;
        /// Upper-level run seeks skipped by a filter.
        NonLastLevelSeekFiltered = 210, "rocksdb.non.last.level.seek.filtered", counted;
        /// Upper-level run seeks a filter let through.
        NonLastLevelSeekFilterMatch = 211, "rocksdb.non.last.level.seek.filter.match", counted;
        /// Upper-level run seeks touching data blocks.
        NonLastLevelSeekData = 212, "rocksdb.non.last.level.seek.data", counted;
        /// Upper-level seeks whose value was used, unfiltered.
        NonLastLevelSeekDataUsefulNoFilter =
            213, "rocksdb.non.last.level.seek.data.useful.no.filter", counted;
        /// Upper-level seeks whose value was used, filter passed.
        NonLastLevelSeekDataUsefulFilterMatch =
            214, "rocksdb.non.last.level.seek.data.useful.filter.match", counted;
        /// Block checksums verified.
        BlockChecksumComputeCount = 215, "rocksdb.block.checksum.compute.count", counted;
        /// Block checksum failures.
        BlockChecksumMismatchCount = 216, "rocksdb.block.checksum.mismatch.count", counted;
        /// Coroutines started by MultiGet.
        MultigetCoroutineCount = 217, "rocksdb.multiget.coroutine.count", idle(NO_ASYNC_READS);
        /// Microseconds in file-system async reads.
        ReadAsyncMicros = 218, "rocksdb.read.async.micros", idle(NO_ASYNC_READS);
        /// Failed async reads.
        AsyncReadErrorCount = 219, "rocksdb.async.read.error.count", idle(NO_ASYNC_READS);
        /// Table-open reads outside the prefetched tail.
        TableOpenPrefetchTailMiss = 220, "rocksdb.table.open.prefetch.tail.miss", idle(NO_TAIL_PREFETCH);
        /// Table-open reads inside the prefetched tail.
        TableOpenPrefetchTailHit = 221, "rocksdb.table.open.prefetch.tail.hit", idle(NO_TAIL_PREFETCH);
        /// Tables tested against the read timestamp.
        TimestampFilterTableChecked = 222, "rocksdb.timestamp.filter.table.checked", idle(NO_TIMESTAMP_FILTER);
        /// Tables skipped because of timestamps.
        TimestampFilterTableFiltered = 223, "rocksdb.timestamp.filter.table.filtered", idle(NO_TIMESTAMP_FILTER);
        /// Scans whose readahead was cut down.
        ReadaheadTrimmed = 224, "rocksdb.readahead.trimmed", idle(KERNEL_READAHEAD);
        /// FIFO drops caused by the size limit.
        FifoMaxSizeCompactions = 225, "rocksdb.fifo.max.size.compactions", counted;
        /// FIFO drops caused by age.
        FifoTtlCompactions = 226, "rocksdb.fifo.ttl.compactions", counted;
        /// FIFO temperature changes.
        FifoChangeTemperatureCompactions = 227, "rocksdb.fifo.change_temperature.compactions", counted;
        /// Bytes prefetched for user scans.
        PrefetchBytes = 228, "rocksdb.prefetch.bytes", counted;
        /// Prefetched scan bytes later consumed.
        PrefetchBytesUseful = 229, "rocksdb.prefetch.bytes.useful", idle(KERNEL_READAHEAD);
        /// Reads answered from prefetched data.
        PrefetchHits = 230, "rocksdb.prefetch.hits", idle(KERNEL_READAHEAD);
        /// Damaged table footers met.
        SstFooterCorruptionCount = 231, "rocksdb.footer.corruption.count", counted;
        /// Reads repeated after suspected corruption.
        FileReadCorruptionRetryCount = 232, "rocksdb.file.read.corruption.retry.count", idle(NO_READ_RETRY);
        /// Repeated reads that came back clean.
        FileReadCorruptionRetrySuccessCount =
            233, "rocksdb.file.read.corruption.retry.success.count", idle(NO_READ_RETRY);
        /// Indexed batches ingested as memtables.
        NumberWbwiIngest = 234, "rocksdb.number.wbwi.ingest", idle(NO_INGESTED_BATCHES);
        /// Custom index load failures.
        SstUserDefinedIndexLoadFailCount =
            235, "rocksdb.sst.user.defined.index.load.fail.count", idle(NO_USER_DEFINED_INDEX);
        /// MultiScan prepare calls.
        MultiscanPrepareCalls = 236, "rocksdb.multiscan.prepare.calls", idle(NO_MULTI_SCAN);
        /// MultiScan prepare failures.
        MultiscanPrepareErrors = 237, "rocksdb.multiscan.prepare.errors", idle(NO_MULTI_SCAN);
        /// Blocks MultiScan fetched from storage.
        MultiscanBlocksPrefetched = 238, "rocksdb.multiscan.blocks.prefetched", idle(NO_MULTI_SCAN);
        /// Blocks MultiScan found cached.
        MultiscanBlocksFromCache = 239, "rocksdb.multiscan.blocks.from.cache", idle(NO_MULTI_SCAN);
        /// Bytes MultiScan prefetched.
        MultiscanPrefetchBytes = 240, "rocksdb.multiscan.prefetch.bytes", idle(NO_MULTI_SCAN);
        /// Prefetched blocks nobody used.
        MultiscanPrefetchBlocksWasted = 241, "rocksdb.multiscan.prefetch.blocks.wasted", idle(NO_MULTI_SCAN);
        /// I/O requests from MultiScan.
        MultiscanIoRequests = 242, "rocksdb.multiscan.io.requests", idle(NO_MULTI_SCAN);
        /// Blocks joined across a gap into one I/O.
        MultiscanIoCoalescedNonadjacent = 243, "rocksdb.multiscan.io.coalesced.nonadjacent", idle(NO_MULTI_SCAN);
        /// MultiScan seek failures.
        MultiscanSeekErrors = 244, "rocksdb.multiscan.seek.errors", idle(NO_MULTI_SCAN);
        /// Prefetch memory handed out.
        PrefetchMemoryBytesGranted = 245, "rocksdb.prefetch.memory.bytes.granted", idle(NO_MULTI_SCAN);
        /// Prefetch memory returned.
        PrefetchMemoryBytesReleased = 246, "rocksdb.prefetch.memory.bytes.released", idle(NO_MULTI_SCAN);
        /// Prefetches that waited for memory.
        PrefetchMemoryRequestsBlocked = 247, "rocksdb.prefetch.memory.requests.blocked", idle(NO_MULTI_SCAN);
        /// Range tombstones scans added to memtable.
        ReadPathRangeTombstonesInserted = 248, "rocksdb.read.path.range.tombstones.inserted", idle(NO_READ_TRIGGERED_TOMBSTONES);
        /// Range tombstones scans could not add.
        ReadPathRangeTombstonesDiscarded =
            249, "rocksdb.read.path.range.tombstones.discarded", idle(NO_READ_TRIGGERED_TOMBSTONES);
        /// File metadata fetched for faster reopen.
        FileOpenMetadataRetrieved = 250, "rocksdb.file.open.metadata.retrieved", idle(NO_KEPT_FILE_METADATA);
        /// File opens supplied with saved metadata.
        FileOpenMetadataPassed = 251, "rocksdb.file.open.metadata.passed", idle(NO_KEPT_FILE_METADATA);
        /// MANIFEST checks that failed on close.
        ManifestValidationFailureCount = 252, "rocksdb.manifest.validation.failure.count", idle(NO_MANIFEST_VALIDATION);
        /// Flushes due to a full memtable.
        FlushReasonWriteBufferFull = 253, "rocksdb.flush.reason.write_buffer_full", counted;
        /// Flushes due to the shared memory budget.
        FlushReasonWriteBufferManager = 254, "rocksdb.flush.reason.write_buffer_manager", counted;
        /// Flushes due to range delete count.
        FlushReasonMemtableMaxRangeDeletions =
            255, "rocksdb.flush.reason.memtable_max_range_deletions", counted;
        /// Atomic flush requests: full memtable.
        AtomicFlushRequestReasonWriteBufferFull =
            256, "rocksdb.atomic_flush.request.reason.write_buffer_full", counted;
        /// Atomic flush requests: shared memory budget.
        AtomicFlushRequestReasonWriteBufferManager =
            257, "rocksdb.atomic_flush.request.reason.write_buffer_manager", counted;
        /// Atomic flush requests: range delete count.
        AtomicFlushRequestReasonMemtableMaxRangeDeletions =
            258, "rocksdb.atomic_flush.request.reason.memtable_max_range_deletions", counted;
        /// Atomic flush requests: anything else.
        AtomicFlushRequestReasonOther = 259, "rocksdb.atomic_flush.request.reason.other", counted;
        /// Bytes read making checkpoints.
        CheckpointReadBytes = 260, "rocksdb.checkpoint.read.bytes", idle(NO_CHECKPOINTS);
        /// Bytes written making checkpoints.
        CheckpointWriteBytes = 261, "rocksdb.checkpoint.write.bytes", idle(NO_CHECKPOINTS);
        /// Async submissions served synchronously instead.
        FileSubmitAsyncReadFallback = 262, "rocksdb.file.submit.async.read.fallback", idle(NO_ASYNC_READS);
        /// Storage reads resolving lazy wide columns.
        BlobDbLazyReadCount = 263, "rocksdb.blobdb.lazy.read.count", idle(NO_LAZY_BLOBS);
        /// Bytes read resolving lazy wide columns.
        BlobDbLazyReadBytes = 264, "rocksdb.blobdb.lazy.read.bytes", idle(NO_LAZY_BLOBS);
        /// Lazy reads of only part of a value.
        BlobDbLazyPartialReadCount = 265, "rocksdb.blobdb.lazy.partial.read.count", idle(NO_LAZY_BLOBS);
        /// Value bytes lazy partial reads avoided.
        BlobDbLazyPartialBytesSaved = 266, "rocksdb.blobdb.lazy.partial.bytes.saved", idle(NO_LAZY_BLOBS);
    }
}
