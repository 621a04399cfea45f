//! The distributions.

use crate::idle_reasons::{
    KERNEL_READAHEAD, KEYS_ONE_BY_ONE, NO_ASYNC_READS, NO_CHECKSUM_CALLS, NO_KEY_DISTRIBUTION,
    NO_MULTI_SCAN, NO_REMOTE_COMPACTION, NO_TAIL_PREFETCH, NO_TRANSACTIONS, STACKED_BLOB_DB,
};

metric::metrics! {
    /// A distribution of values (`rocksdb::Histograms`). Times are in microseconds where the name does
    /// not say otherwise.
    pub enum HistogramType: u16;
    rows {
        /// Get latency.
        DbGet = "rocksdb.db.get.micros", 0, counted;
        /// Write call latency.
        DbWrite = "rocksdb.db.write.micros", 1, counted;
        /// Wall time per compaction.
        CompactionTime = "rocksdb.compaction.times.micros", 2, counted;
        /// CPU time per compaction.
        CompactionCpuTime = "rocksdb.compaction.times.cpu_micros", 3, counted;
        /// Time preparing subcompaction slices.
        SubcompactionSetupTime = "rocksdb.subcompaction.setup.times.micros", 4, counted;
        /// Table sync time in flush.
        TableSyncMicros = "rocksdb.table.sync.micros", 5, counted;
        /// Table sync time in compaction.
        CompactionOutfileSyncMicros = "rocksdb.compaction.outfile.sync.micros", 6, counted;
        /// WAL sync time.
        WalFileSyncMicros = "rocksdb.wal.file.sync.micros", 7, counted;
        /// MANIFEST sync time.
        ManifestFileSyncMicros = "rocksdb.manifest.file.sync.micros", 8, counted;
        /// I/O time opening a table.
        TableOpenIoMicros = "rocksdb.table.open.io.micros", 9, counted;
        /// MultiGet latency.
        DbMultiget = "rocksdb.db.multiget.micros", 10, counted;
        /// Block read time inside compaction.
        ReadBlockCompactionMicros = "rocksdb.read.block.compaction.micros", 11, counted;
        /// Block read time for user reads.
        ReadBlockGetMicros = "rocksdb.read.block.get.micros", 12, counted;
        /// Block write time.
        WriteRawBlockMicros = "rocksdb.write.raw.block.micros", 13, counted;
        /// Input files per compaction.
        NumFilesInSingleCompaction = "rocksdb.numfiles.in.singlecompaction", 14, counted;
        /// Iterator seek latency.
        DbSeek = "rocksdb.db.seek.micros", 15, counted;
        /// Stall length per write.
        WriteStall = "rocksdb.db.write.stall", 16, counted;
        /// Table file read time.
        SstReadMicros = "rocksdb.sst.read.micros", 17, counted;
        /// Table or blob read time tagged flush.
        FileReadFlushMicros = "rocksdb.file.read.flush.micros", 18, counted;
        /// Table or blob read time tagged compaction.
        FileReadCompactionMicros = "rocksdb.file.read.compaction.micros", 19, counted;
        /// Table or blob read time tagged open.
        FileReadDbOpenMicros = "rocksdb.file.read.db.open.micros", 20, counted;
        /// Table or blob read time tagged Get.
        FileReadGetMicros = "rocksdb.file.read.get.micros", 21, counted;
        /// Table or blob read time tagged MultiGet.
        FileReadMultigetMicros = "rocksdb.file.read.multiget.micros", 22, counted;
        /// Table or blob read time tagged iterator.
        FileReadDbIteratorMicros = "rocksdb.file.read.db.iterator.micros", 23, counted;
        /// Read time tagged block checksum verification.
        FileReadVerifyDbChecksumMicros = "rocksdb.file.read.verify.db.checksum.micros", 24, idle(NO_CHECKSUM_CALLS);
        /// Read time tagged whole-file checksum verification.
        FileReadVerifyFileChecksumsMicros = "rocksdb.file.read.verify.file.checksums.micros", 25, idle(NO_CHECKSUM_CALLS);
        /// Table file write time.
        SstWriteMicros = "rocksdb.sst.write.micros", 26, counted;
        /// Table or blob write time tagged flush.
        FileWriteFlushMicros = "rocksdb.file.write.flush.micros", 27, counted;
        /// Table or blob write time tagged compaction.
        FileWriteCompactionMicros = "rocksdb.file.write.compaction.micros", 28, counted;
        /// Table or blob write time tagged open.
        FileWriteDbOpenMicros = "rocksdb.file.write.db.open.micros", 29, counted;
        /// Subcompactions per compaction.
        NumSubcompactionsScheduled = "rocksdb.num.subcompactions.scheduled", 30, counted;
        /// Value bytes per Get.
        BytesPerRead = "rocksdb.bytes.per.read", 31, counted;
        /// Bytes per write.
        BytesPerWrite = "rocksdb.bytes.per.write", 32, counted;
        /// Value bytes per MultiGet.
        BytesPerMultiget = "rocksdb.bytes.per.multiget", 33, counted;
        /// Nanoseconds compressing a block.
        CompressionTimesNanos = "rocksdb.compression.times.nanos", 34, counted;
        /// Nanoseconds decompressing a block.
        DecompressionTimesNanos = "rocksdb.decompression.times.nanos", 35, counted;
        /// Merge operands per user read.
        ReadNumMergeOperands = "rocksdb.read.num.merge_operands", 36, counted;
        /// Stacked BlobDB key sizes.
        BlobDbKeySize = "rocksdb.blobdb.key.size", 37, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB value sizes.
        BlobDbValueSize = "rocksdb.blobdb.value.size", 38, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB write latency.
        BlobDbWriteMicros = "rocksdb.blobdb.write.micros", 39, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB get latency.
        BlobDbGetMicros = "rocksdb.blobdb.get.micros", 40, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB multi-get latency.
        BlobDbMultigetMicros = "rocksdb.blobdb.multiget.micros", 41, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB seek latency.
        BlobDbSeekMicros = "rocksdb.blobdb.seek.micros", 42, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB forward step latency.
        BlobDbNextMicros = "rocksdb.blobdb.next.micros", 43, idle(STACKED_BLOB_DB);
        /// Stacked BlobDB backward step latency.
        BlobDbPrevMicros = "rocksdb.blobdb.prev.micros", 44, idle(STACKED_BLOB_DB);
        /// Blob file write time.
        BlobDbBlobFileWriteMicros = "rocksdb.blobdb.blob.file.write.micros", 45, counted;
        /// Blob file read time.
        BlobDbBlobFileReadMicros = "rocksdb.blobdb.blob.file.read.micros", 46, counted;
        /// Blob file sync time.
        BlobDbBlobFileSyncMicros = "rocksdb.blobdb.blob.file.sync.micros", 47, counted;
        /// Blob compression time.
        BlobDbCompressionMicros = "rocksdb.blobdb.compression.micros", 48, counted;
        /// Blob decompression time.
        BlobDbDecompressionMicros = "rocksdb.blobdb.decompression.micros", 49, counted;
        /// Flush duration.
        FlushTime = "rocksdb.db.flush.micros", 50, counted;
        /// Keys batched per table in MultiGet.
        SstBatchSize = "rocksdb.sst.batch.size", 51, idle(KEYS_ONE_BY_ONE);
        /// Requests per MultiGet I/O batch.
        MultigetIoBatchSize = "rocksdb.multiget.io.batch.size", 52, counted;
        /// Metadata block reads per level in MultiGet.
        NumIndexAndFilterBlocksReadPerLevel = "rocksdb.num.index.and.filter.blocks.read.per.level", 53, counted;
        /// Tables read per level in MultiGet.
        NumSstReadPerLevel = "rocksdb.num.sst.read.per.level", 54, counted;
        /// Levels read per MultiGet.
        NumLevelReadPerMultiget = "rocksdb.num.level.read.per.multiget", 55, counted;
        /// Retries per automatic recovery.
        ErrorHandlerAutoresumeRetryCount = "rocksdb.error.handler.autoresume.retry.count", 56, counted;
        /// Bytes per async read.
        AsyncReadBytes = "rocksdb.async.read.bytes", 57, idle(NO_ASYNC_READS);
        /// Time polling for async reads.
        PollWaitMicros = "rocksdb.poll.wait.micros", 58, idle(NO_ASYNC_READS);
        /// Prefetch bytes per compaction input read.
        CompactionPrefetchBytes = "rocksdb.compaction.prefetch.bytes", 59, counted;
        /// Prefetched bytes thrown away.
        PrefetchedBytesDiscarded = "rocksdb.prefetched.bytes.discarded", 60, idle(KERNEL_READAHEAD);
        /// Wait to abort outstanding async prefetch.
        AsyncPrefetchAbortMicros = "rocksdb.async.prefetch.abort.micros", 61, idle(NO_ASYNC_READS);
        /// Tail bytes prefetched per table open.
        TableOpenPrefetchTailReadBytes = "rocksdb.table.open.prefetch.tail.read.bytes", 62, idle(NO_TAIL_PREFETCH);
        /// Operations in a transaction.
        NumOpPerTransaction = "rocksdb.num.op.per.transaction", 63, idle(NO_TRANSACTIONS);
        /// Time preparing MultiScan child iterators.
        MultiscanPrepareIterators = "rocksdb.multiscan.op.prepare.iterators.micros", 64, idle(NO_MULTI_SCAN);
        /// Time per MultiScan prepare.
        MultiscanPrepareMicros = "rocksdb.multiscan.prepare.micros", 65, idle(NO_MULTI_SCAN);
        /// Blocks per MultiScan prepare.
        MultiscanBlocksPerPrepare = "rocksdb.multiscan.blocks.per.prepare", 66, idle(NO_MULTI_SCAN);
        /// Submit-to-callback time of dispatched async reads.
        IoDispatcherAsyncReadObservedCompletionMicros = "rocksdb.iodispatcher.async.read.observed.completion.micros", 67, idle(NO_ASYNC_READS);
        /// Consumer wait polling dispatched reads.
        IoDispatcherAsyncReadPollWaitMicros = "rocksdb.iodispatcher.async.read.poll.wait.micros", 68, idle(NO_ASYNC_READS);
        /// Submit-to-first-poll time of dispatched reads.
        IoDispatcherAsyncReadPrefetchLeadMicros = "rocksdb.iodispatcher.async.read.prefetch.lead.micros", 69, idle(NO_ASYNC_READS);
        /// Key-gap variation of index blocks times 10000.
        BlockKeyDistributionCv = "rocksdb.block.key.distribution.cv", 70, idle(NO_KEY_DISTRIBUTION);
        /// Ingestion prepare stage time.
        IngestExternalFilePrepareTime = "rocksdb.ingest.external.file.prepare.micros", 71, counted;
        /// Ingestion commit stage time.
        IngestExternalFileRunTime = "rocksdb.ingest.external.file.run.micros", 72, counted;
        /// Limiter wait per read.
        RateLimiterWaitMicrosRead = "rocksdb.rate.limiter.wait.micros.read", 73, counted;
        /// Limiter wait per write.
        RateLimiterWaitMicrosWrite = "rocksdb.rate.limiter.wait.micros.write", 74, counted;
        /// Memtable memory when a flush starts.
        FlushMemtableMemoryBytes = "rocksdb.flush.memtable.memory.bytes", 75, counted;
        /// Memtable data bytes when a flush starts.
        FlushMemtableTotalDataSize = "rocksdb.flush.memtable.total.data.size.bytes", 76, counted;
        /// Memtable memory at full-memtable flushes.
        FlushWriteBufferFullMemtableMemoryBytes = "rocksdb.flush.write_buffer_full.memtable.memory.bytes", 77, counted;
        /// Memtable memory at shared-budget flushes.
        FlushWriteBufferManagerMemtableMemoryBytes = "rocksdb.flush.write_buffer_manager.memtable.memory.bytes", 78, counted;
        /// Secondary open time inside OpenAndCompact.
        OpenAndCompactDbOpenMicros = "rocksdb.open.and.compact.db.open.micros", 79, idle(NO_REMOTE_COMPACTION);
    }
}

const _: () = assert!(metric::is_numbered(&HistogramType::INFO), "numbers are RocksDB's");
