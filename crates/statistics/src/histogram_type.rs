//! The distributions.

use crate::metric::metrics;

metrics! {
    /// A distribution of values (`rocksdb::Histograms`). Times are in microseconds where the name does
    /// not say otherwise.
    pub enum HistogramType;
    rows {
        /// Get latency.
        DbGet = 0, "rocksdb.db.get.micros", counted;
        /// Write call latency.
        DbWrite = 1, "rocksdb.db.write.micros", counted;
        /// Wall time per compaction.
        CompactionTime = 2, "rocksdb.compaction.times.micros", counted;
        /// CPU time per compaction.
        CompactionCpuTime = 3, "rocksdb.compaction.times.cpu_micros", counted;
        /// Time preparing subcompaction slices.
        SubcompactionSetupTime = 4, "rocksdb.subcompaction.setup.times.micros", counted;
        /// Table sync time in flush.
        TableSyncMicros = 5, "rocksdb.table.sync.micros", counted;
        /// Table sync time in compaction.
        CompactionOutfileSyncMicros = 6, "rocksdb.compaction.outfile.sync.micros", counted;
        /// WAL sync time.
        WalFileSyncMicros = 7, "rocksdb.wal.file.sync.micros", counted;
        /// MANIFEST sync time.
        ManifestFileSyncMicros = 8, "rocksdb.manifest.file.sync.micros", counted;
        /// I/O time opening a table.
        TableOpenIoMicros = 9, "rocksdb.table.open.io.micros", counted;
        /// MultiGet latency.
        DbMultiget = 10, "rocksdb.db.multiget.micros", counted;
        /// Block read time inside compaction.
        ReadBlockCompactionMicros = 11, "rocksdb.read.block.compaction.micros", counted;
        /// Block read time for user reads.
        ReadBlockGetMicros = 12, "rocksdb.read.block.get.micros", counted;
        /// Block write time.
        WriteRawBlockMicros = 13, "rocksdb.write.raw.block.micros", counted;
        /// Input files per compaction.
        NumFilesInSingleCompaction = 14, "rocksdb.numfiles.in.singlecompaction", counted;
        /// Iterator seek latency.
        DbSeek = 15, "rocksdb.db.seek.micros", counted;
        /// Stall length per write.
        WriteStall = 16, "rocksdb.db.write.stall", counted;
        /// Table file read time.
        SstReadMicros = 17, "rocksdb.sst.read.micros", counted;
        /// Table or blob read time tagged flush.
        FileReadFlushMicros = 18, "rocksdb.file.read.flush.micros", counted;
        /// Table or blob read time tagged compaction.
        FileReadCompactionMicros = 19, "rocksdb.file.read.compaction.micros", counted;
        /// Table or blob read time tagged open.
        FileReadDbOpenMicros = 20, "rocksdb.file.read.db.open.micros", counted;
        /// Table or blob read time tagged Get.
        FileReadGetMicros = 21, "rocksdb.file.read.get.micros", counted;
        /// Table or blob read time tagged MultiGet.
        FileReadMultigetMicros = 22, "rocksdb.file.read.multiget.micros", counted;
        /// Table or blob read time tagged iterator.
        FileReadDbIteratorMicros = 23, "rocksdb.file.read.db.iterator.micros", counted;
        /// Read time tagged block checksum verification.
        FileReadVerifyDbChecksumMicros = 24, "rocksdb.file.read.verify.db.checksum.micros", idle(NO_CHECKSUM_CALLS);
        /// Read time tagged whole-file checksum verification.
        FileReadVerifyFileChecksumsMicros =
            25, "rocksdb.file.read.verify.file.checksums.micros", idle(NO_CHECKSUM_CALLS);
        /// Table file write time.
        SstWriteMicros = 26, "rocksdb.sst.write.micros", counted;
        /// Table or blob write time tagged flush.
        FileWriteFlushMicros = 27, "rocksdb.file.write.flush.micros", counted;
        /// Table or blob write time tagged compaction.
        FileWriteCompactionMicros = 28, "rocksdb.file.write.compaction.micros", counted;
        /// Table or blob write time tagged open.
        FileWriteDbOpenMicros = 29, "rocksdb.file.write.db.open.micros", counted;
        /// Subcompactions per compaction.
        NumSubcompactionsScheduled = 30, "rocksdb.num.subcompactions.scheduled", counted;
        /// Value bytes per Get.
        BytesPerRead = 31, "rocksdb.bytes.per.read", counted;
        /// Bytes per write.
        BytesPerWrite = 32, "rocksdb.bytes.per.write", counted;
        /// Value bytes per MultiGet.
        BytesPerMultiget = 33, "rocksdb.bytes.per.multiget", counted;
        /// Nanoseconds compressing a block.
        CompressionTimesNanos = 34, "rocksdb.compression.times.nanos", counted;
        /// Nanoseconds decompressing a block.
        DecompressionTimesNanos = 35, "rocksdb.decompression.times.nanos", counted;
        /// Merge operands per user read.
        ReadNumMergeOperands = 36, "rocksdb.read.num.merge_operands", counted;
        /// Stacked BlobDB key sizes.
        BlobDbKeySize = 37, "rocksdb.blobdb.key.size", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB value sizes.
        BlobDbValueSize = 38, "rocksdb.blobdb.value.size", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB write latency.
        BlobDbWriteMicros = 39, "rocksdb.blobdb.write.micros", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB get latency.
        BlobDbGetMicros = 40, "rocksdb.blobdb.get.micros", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB multi-get latency.
        BlobDbMultigetMicros = 41, "rocksdb.blobdb.multiget.micros", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB seek latency.
        BlobDbSeekMicros = 42, "rocksdb.blobdb.seek.micros", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB forward step latency.
        BlobDbNextMicros = 43, "rocksdb.blobdb.next.micros", idle(STACKED_BLOB_DB);
        /// Stacked BlobDB backward step latency.
        BlobDbPrevMicros = 44, "rocksdb.blobdb.prev.micros", idle(STACKED_BLOB_DB);
        /// Blob file write time.
        BlobDbBlobFileWriteMicros = 45, "rocksdb.blobdb.blob.file.write.micros", counted;
        /// Blob file read time.
        BlobDbBlobFileReadMicros = 46, "rocksdb.blobdb.blob.file.read.micros", counted;
        /// Blob file sync time.
        BlobDbBlobFileSyncMicros = 47, "rocksdb.blobdb.blob.file.sync.micros", counted;
        /// Blob compression time.
        BlobDbCompressionMicros = 48, "rocksdb.blobdb.compression.micros", counted;
        /// Blob decompression time.
        BlobDbDecompressionMicros = 49, "rocksdb.blobdb.decompression.micros", counted;
        /// Flush duration.
        FlushTime = 50, "rocksdb.db.flush.micros", counted;
        /// Keys batched per table in MultiGet.
        SstBatchSize = 51, "rocksdb.sst.batch.size", idle(KEYS_ONE_BY_ONE);
        /// Requests per MultiGet I/O batch.
        MultigetIoBatchSize = 52, "rocksdb.multiget.io.batch.size", idle(KEYS_ONE_BY_ONE);
        /// Metadata block reads per level in MultiGet.
        NumIndexAndFilterBlocksReadPerLevel =
            53, "rocksdb.num.index.and.filter.blocks.read.per.level", counted;
        /// Tables read per level in MultiGet.
        NumSstReadPerLevel = 54, "rocksdb.num.sst.read.per.level", counted;
        /// Levels read per MultiGet.
        NumLevelReadPerMultiget = 55, "rocksdb.num.level.read.per.multiget", counted;
        /// Retries per automatic recovery.
        ErrorHandlerAutoresumeRetryCount = 56, "rocksdb.error.handler.autoresume.retry.count", counted;
        /// Bytes per async read.
        AsyncReadBytes = 57, "rocksdb.async.read.bytes", idle(NO_ASYNC_READS);
        /// Time polling for async reads.
        PollWaitMicros = 58, "rocksdb.poll.wait.micros", idle(NO_ASYNC_READS);
        /// Prefetch bytes per compaction input read.
        CompactionPrefetchBytes = 59, "rocksdb.compaction.prefetch.bytes", counted;
        /// Prefetched bytes thrown away.
        PrefetchedBytesDiscarded = 60, "rocksdb.prefetched.bytes.discarded", idle(KERNEL_READAHEAD);
        /// Wait to abort outstanding async prefetch.
        AsyncPrefetchAbortMicros = 61, "rocksdb.async.prefetch.abort.micros", idle(NO_ASYNC_READS);
        /// Tail bytes prefetched per table open.
        TableOpenPrefetchTailReadBytes = 62, "rocksdb.table.open.prefetch.tail.read.bytes", idle(NO_TAIL_PREFETCH);
        /// Operations in a transaction.
        NumOpPerTransaction = 63, "rocksdb.num.op.per.transaction", idle(NO_TRANSACTIONS);
        /// Time preparing MultiScan child iterators.
        MultiscanPrepareIterators = 64, "rocksdb.multiscan.op.prepare.iterators.micros", idle(NO_MULTI_SCAN);
        /// Time per MultiScan prepare.
        MultiscanPrepareMicros = 65, "rocksdb.multiscan.prepare.micros", idle(NO_MULTI_SCAN);
        /// Blocks per MultiScan prepare.
        MultiscanBlocksPerPrepare = 66, "rocksdb.multiscan.blocks.per.prepare", idle(NO_MULTI_SCAN);
        /// Submit-to-callback time of dispatched async reads.
        IoDispatcherAsyncReadObservedCompletionMicros =
            67, "rocksdb.iodispatcher.async.read.observed.completion.micros", idle(NO_ASYNC_READS);
        /// Consumer wait polling dispatched reads.
        IoDispatcherAsyncReadPollWaitMicros =
            68, "rocksdb.iodispatcher.async.read.poll.wait.micros", idle(NO_ASYNC_READS);
        /// Submit-to-first-poll time of dispatched reads.
        IoDispatcherAsyncReadPrefetchLeadMicros =
            69, "rocksdb.iodispatcher.async.read.prefetch.lead.micros", idle(NO_ASYNC_READS);
        /// Key-gap variation of index blocks times 10000.
        BlockKeyDistributionCv = 70, "rocksdb.block.key.distribution.cv", idle(NO_KEY_DISTRIBUTION);
        /// Ingestion prepare stage time.
        IngestExternalFilePrepareTime = 71, "rocksdb.ingest.external.file.prepare.micros", counted;
        /// Ingestion commit stage time.
        IngestExternalFileRunTime = 72, "rocksdb.ingest.external.file.run.micros", counted;
        /// Limiter wait per read.
        RateLimiterWaitMicrosRead = 73, "rocksdb.rate.limiter.wait.micros.read", counted;
        /// Limiter wait per write.
        RateLimiterWaitMicrosWrite = 74, "rocksdb.rate.limiter.wait.micros.write", counted;
        /// Memtable memory when a flush starts.
        FlushMemtableMemoryBytes = 75, "rocksdb.flush.memtable.memory.bytes", counted;
        /// Memtable data bytes when a flush starts.
        FlushMemtableTotalDataSize = 76, "rocksdb.flush.memtable.total.data.size.bytes", counted;
        /// Memtable memory at full-memtable flushes.
        FlushWriteBufferFullMemtableMemoryBytes =
            77, "rocksdb.flush.write_buffer_full.memtable.memory.bytes", counted;
        /// Memtable memory at shared-budget flushes.
        FlushWriteBufferManagerMemtableMemoryBytes =
            78, "rocksdb.flush.write_buffer_manager.memtable.memory.bytes", counted;
        /// Secondary open time inside OpenAndCompact.
        OpenAndCompactDbOpenMicros = 79, "rocksdb.open.and.compact.db.open.micros", idle(NO_REMOTE_COMPACTION);
    }
}
