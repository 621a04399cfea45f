//! Options of a database.
//!
//! Objects that only programs give and no text names (file systems, caches of rows, rate limiters,
//! loggers and the like) have no rows.

use crate::enums::{CacheTier, CompressionType, InfoLogLevel, Temperature, WalIo, WalRecoveryMode};
use crate::object_value::{ObjectName, ObjectNames};
use crate::schema::db_path::DbPath;
use crate::schema::{no_short_form, options};

options! {
    /// Options of a database (`rocksdb::DBOptions`).
    pub struct DbOptions, short form no_short_form;
    rows {
        /// Make a fresh database when none is found at open.
        create_if_missing: bool = false, fixed honoured 4.0;
        /// Open adds any listed family that does not exist yet.
        create_missing_column_families: bool = false, fixed honoured 4.0;
        /// Refuse to open when a database is already there.
        error_if_exists: bool = false, fixed honoured 4.0;
        /// Fail early and turn read-only on suspected corruption.
        paranoid_checks: bool = true, fixed honoured 4.0;
        /// Flush compares entries written against the memtable's own count.
        flush_verify_memtable_count: bool = true, fixed honoured 6.22;
        /// Compaction compares records read against table property totals.
        compaction_verify_record_count: bool = true, fixed honoured 8.6;
        /// Log synced WAL sizes in MANIFEST; check them at recovery.
        track_and_verify_wals_in_manifest: bool = false, fixed honoured 6.15;
        /// Every WAL stores facts on its predecessor, checked on recovery.
        track_and_verify_wals: bool = false, fixed honoured 9.11;
        /// Match each table's unique ID against MANIFEST when opened.
        verify_sst_unique_id_in_manifest: bool = true, fixed honoured 7.3;
        /// OS abstraction used for files, clocks and thread pools.
        env: ObjectName = ObjectName::null(), fixed accepted 6.10 unwritten;
        /// Rate of writes by background jobs, bytes per second; 0: no limit.
        rate_limiter_bytes_per_sec: u64 = 0, fixed honoured 3.11 unwritten;
        /// Least severe message class kept in the LOG.
        info_log_level: InfoLogLevel = InfoLogLevel::Info, fixed honoured 4.6;
        /// Cap on open table readers; -1 keeps all open.
        max_open_files: i32 = -1, [at_least(20).or(-1).corrected()] mutable honoured 4.0;
        /// Threads opening tables at startup when files unlimited.
        max_file_opening_threads: i32 = 16, [at_least(1).corrected()] fixed honoured 4.0;
        /// Size of the shared pool serving asynchronous get calls.
        read_io_executor_threads: i32 = 1, [at_least(1)] fixed accepted 11.8;
        /// Open opens no table; each is opened when first read.
        open_files_async: bool = false, fixed honoured 11.1;
        /// Live WAL bytes forcing flushes; 0 picks automatic bound.
        max_total_wal_size: u64 = 0, mutable honoured 4.0;
        /// Ticker and histogram sink; null means no collection.
        statistics: ObjectName = ObjectName::null(), fixed accepted 6.25 unwritten;
        /// Sync with fsync rather than fdatasync.
        use_fsync: bool = false, fixed honoured 4.0;
        /// Directories with target sizes where table files are placed.
        db_paths: Vec<DbPath> = Vec::new(), fixed honoured 3.9 unwritten;
        /// Directory for the info LOG; empty means database directory.
        db_log_dir: String = String::new(), fixed honoured 4.0;
        /// Directory holding WAL files; empty means database directory.
        wal_dir: String = String::new(), fixed honoured 4.0;
        /// Gap between full scans for stale files.
        delete_obsolete_files_period_micros: u64 = 21_600_000_000, mutable accepted 4.0;
        /// Nice value that threads of compactions add to the process's; 0: none.
        compaction_niceness: i32 = 5, [between(0, 19)] fixed honoured 0.0 unwritten;
        /// Upper bound on simultaneous flush plus compaction jobs.
        max_background_jobs: i32 = 2, [at_least(1).corrected()] mutable honoured 5.6;
        /// Legacy compaction thread cap; -1 derives it from jobs.
        max_background_compactions: i32 = -1, [at_least(1).or(-1).corrected()] mutable honoured 4.0;
        /// Parallel key-range slices one compaction may be split into.
        max_subcompactions: u32 = 1, mutable honoured 4.0;
        /// Legacy flush thread cap; -1 derives it from jobs.
        max_background_flushes: i32 = -1, [at_least(1).or(-1).corrected()] mutable honoured 4.0;
        /// Size at which the info LOG rolls; 0 never.
        max_log_file_size: u64 = 0, fixed honoured 4.0;
        /// Age in seconds at which info LOG rolls; 0 never.
        log_file_time_to_roll: u64 = 0, fixed honoured 4.0;
        /// How many old info LOG files are retained.
        keep_log_file_num: u64 = 1000, [at_least(1)] fixed honoured 4.0;
        /// Whether WALs get records by system calls or through a mapping (docs/wal-io.md).
        wal_io: WalIo = WalIo::Auto, fixed honoured 0.0 unwritten;
        /// Number of finished WAL files kept for reuse.
        recycle_log_file_num: u64 = 0, fixed honoured 4.2;
        /// Next WAL file is created ahead of time in background.
        async_wal_precreate: bool = false, fixed accepted 11.8;
        /// Floor size before MANIFEST is rewritten from scratch.
        max_manifest_file_size: u64 = 1 << 30, mutable honoured 4.0;
        /// Re-read and validate the whole MANIFEST when closing.
        verify_manifest_content_on_close: bool = false, mutable accepted 11.1;
        /// Clean-shutdown hints in MANIFEST that shorten the next open.
        optimize_manifest_for_recovery: bool = false, mutable accepted 11.8;
        /// Try appending to existing MANIFEST instead of starting another.
        reuse_manifest_on_open: bool = false, fixed accepted 11.8;
        /// Percent of garbage tolerated before MANIFEST is rewritten.
        max_manifest_space_amp_pct: i32 = 500, [at_least(0).corrected()] mutable honoured 10.8;
        /// Log2 of shard count in the table reader cache.
        table_cache_numshardbits: i32 = 6, [at_most(19)] fixed accepted 4.0;
        /// Age limit for archived WAL files; 0 with size 0 disables archiving.
        wal_ttl_seconds as "WAL_ttl_seconds": u64 = 0, fixed honoured 4.0;
        /// Total size limit in MiB for archived WAL files.
        wal_size_limit_mb as "WAL_size_limit_MB": u64 = 0, fixed honoured 4.0;
        /// Bytes reserved ahead when a MANIFEST is created.
        manifest_preallocation_size: u64 = 4 << 20, mutable accepted 4.0;
        /// Read tables through memory mapping.
        allow_mmap_reads: bool = false, fixed accepted 4.0;
        /// Write files through memory mapping.
        allow_mmap_writes: bool = false, fixed accepted 4.0;
        /// Bypass the page cache when reading tables.
        use_direct_reads: bool = false, fixed honoured 5.0;
        /// O_DIRECT only for table reads feeding compaction.
        use_direct_io_for_compaction_reads: bool = false, fixed accepted 11.8;
        /// O_DIRECT for output written by background jobs.
        use_direct_io_for_flush_and_compaction: bool = false, fixed honoured 5.4;
        /// Permit fallocate when growing files.
        allow_fallocate: bool = true, fixed honoured 4.1;
        /// Mark descriptors so child processes do not inherit them.
        is_fd_close_on_exec: bool = true, fixed accepted 4.0;
        /// Seconds between statistics dumps into LOG; 0 off.
        stats_dump_period_sec: u32 = 600, mutable honoured 4.0;
        /// Seconds between statistics history snapshots; 0 off.
        stats_persist_period_sec: u32 = 600, mutable honoured 6.0;
        /// Keep statistics history in a hidden family rather than RAM.
        persist_stats_to_disk: bool = false, fixed honoured 6.3;
        /// Memory ceiling for in-RAM statistics history.
        stats_history_buffer_size: u64 = 1 << 20, mutable honoured 6.0;
        /// Give the kernel a random-access hint for table files.
        advise_random_on_open: bool = true, fixed honoured 4.0;
        /// Memtable byte budget over all families; 0 unlimited.
        db_write_buffer_size: u64 = 0, fixed honoured 4.0;
        /// Prefetch chunk for compaction input reads.
        compaction_readahead_size: u64 = 2 << 20, mutable honoured 4.0;
        /// Largest in-process buffer for an appended file; no more than 256 KiB gathers.
        writable_file_max_buffer_size: u64 = 1 << 20, mutable honoured 4.2;
        /// Spin briefly in user space before blocking on a lock.
        use_adaptive_mutex: bool = false, fixed accepted 4.0;
        /// Range-sync table files every this many bytes; 0 for 4 MiB.
        bytes_per_sync: u64 = 0, mutable honoured 4.0;
        /// Range-sync WAL every this many bytes; 0 off.
        wal_bytes_per_sync: u64 = 0, mutable honoured 4.0;
        /// Wait for earlier range-sync before issuing another.
        strict_bytes_per_sync: bool = false, mutable honoured 6.2;
        /// Event callback objects.
        listeners: ObjectNames = ObjectNames::default(), fixed accepted 6.24;
        /// Publish per-thread activity through GetThreadList.
        enable_thread_tracking: bool = false, fixed honoured 4.0;
        /// Bytes/s granted to writers while slowed; 0 chooses automatically.
        delayed_write_rate: u64 = 0, mutable honoured 4.0;
        /// Overlap WAL stage and memtable stage of different groups.
        enable_pipelined_write: bool = false, fixed honoured 5.5;
        /// Relax write ordering for throughput; weakens snapshot immutability.
        unordered_write: bool = false, fixed honoured 6.3;
        /// Several writers may insert into a memtable in parallel.
        allow_concurrent_memtable_write: bool = true, fixed honoured 4.6;
        /// Waiting writers spin/yield before sleeping.
        enable_write_thread_adaptive_yield: bool = true, fixed honoured 4.6;
        /// Largest byte total a group leader may gather.
        max_write_batch_group_size_bytes: u64 = 1 << 20, fixed honoured 6.5;
        /// Longest spin/yield wait before a writer blocks.
        write_thread_max_yield_usec: u64 = 100, fixed honoured 4.6;
        /// Yield slower than this is evidence of CPU contention.
        write_thread_slow_yield_usec: u64 = 3, fixed honoured 4.6;
        /// Do not read table properties for stats during open.
        skip_stats_update_on_db_open: bool = false, fixed honoured 4.0;
        /// How torn or damaged WAL records are treated on recovery.
        wal_recovery_mode: WalRecoveryMode =
            WalRecoveryMode::PointInTimeRecovery, fixed honoured 4.6;
        /// Keep prepared transactions alive across recovery.
        allow_2pc: bool = false, fixed honoured 4.9;
        /// Callback inspecting or altering WAL records at recovery.
        wal_filter: ObjectName = ObjectName::null(), fixed accepted 6.26;
        /// Include allocator statistics with periodic dumps.
        dump_malloc_stats: bool = false, fixed accepted 4.8;
        /// Replay WAL into memtables without flushing when possible.
        avoid_flush_during_recovery: bool = false, fixed honoured 4.11;
        /// WAL replay flushes when the shared memtable budget is exceeded.
        enforce_write_buffer_manager_during_recovery: bool = true, fixed honoured 11.1;
        /// Close without flushing; data lacking WAL is lost.
        avoid_flush_during_shutdown: bool = false, mutable honoured 5.0;
        /// Reserve the bottom level for back-filled files (superseded per family).
        allow_ingest_behind: bool = false, fixed honoured 5.5;
        /// Separate queue for WAL-only writes such as prepare.
        two_write_queues: bool = false, fixed honoured 5.10;
        /// WAL is buffered until FlushWAL is called.
        manual_wal_flush: bool = false, fixed honoured 5.7;
        /// Codec for WAL records; only zstd is honoured.
        wal_compression: CompressionType = CompressionType::NoCompression, fixed honoured 7.0;
        /// Leave finished WALs open until purge thread closes them.
        background_close_inactive_wals: bool = false, fixed accepted 9.4;
        /// Flush chosen families together as one atomic edit.
        atomic_flush: bool = false, fixed honoured 5.18;
        /// Hand slow file deletions to background threads.
        avoid_unnecessary_blocking_io: bool = false, fixed accepted 6.1;
        /// Record the database ID in MANIFEST.
        write_dbid_to_manifest: bool = true, fixed honoured 6.5;
        /// Also keep the database ID in an IDENTITY file.
        write_identity_file: bool = true, fixed honoured 9.7;
        /// Iterators ignore prefix mode unless asked through read options.
        prefix_seek_opt_in_only: bool = false, fixed honoured 9.7;
        /// Prefetch bytes for MANIFEST and WAL at open; 0 off.
        log_readahead_size: u64 = 0, fixed accepted 6.4;
        /// Makes whole-file checksums recorded in MANIFEST.
        file_checksum_gen_factory: ObjectName = ObjectName::null(), fixed honoured 6.26;
        /// Recover to the newest consistent state, missing files tolerated.
        best_efforts_recovery: bool = false, fixed honoured 6.10;
        /// Automatic resume attempts after a retryable background error.
        max_bgerror_resume_count: i32 = i32::MAX, fixed honoured 6.12;
        /// Microseconds between automatic resume attempts.
        bgerror_resume_retry_interval: u64 = 1_000_000, fixed honoured 6.12;
        /// Let error text contain user keys and values.
        allow_data_in_errors: bool = false, fixed accepted 6.14;
        /// Host label stored in each table; special default becomes hostname.
        db_host_id: String = "__hostname__".to_owned(), fixed honoured 6.15;
        /// Deepest cache layer consulted for blocks.
        lowest_used_cache_tier: CacheTier = CacheTier::NonVolatileBlock, fixed accepted 6.26;
        /// Compaction fails on misuse of SingleDelete with Delete.
        enforce_single_del_contracts: bool = true, fixed honoured 7.3;
        /// HH:mm-HH:mm window for doing periodic work early.
        daily_offpeak_time_utc: String = String::new(), mutable accepted 8.8;
        /// Longest idle gap between compaction score re-checks.
        max_compaction_trigger_wakeup_seconds: u64 = 43_200, mutable honoured 11.8;
        /// How often a follower polls its leader.
        follower_refresh_catchup_period_ms: u64 = 10_000, fixed accepted 9.2;
        /// Follower attempts per catch-up round.
        follower_catchup_retry_count: u64 = 10, fixed accepted 9.2;
        /// Pause between follower attempts.
        follower_catchup_retry_wait_ms: u64 = 100, fixed accepted 9.2;
        /// Temperature tag for MANIFEST-like files on creation.
        metadata_write_temperature: Temperature = Temperature::Unknown, fixed accepted 9.6;
        /// Temperature tag for new WAL files.
        wal_write_temperature: Temperature = Temperature::Unknown, fixed accepted 9.6;
        /// Save file-system metadata in MANIFEST to speed table reopening.
        fast_sst_open: bool = false, mutable accepted 11.8;
    }
    objects {
        /// Tracks table files, space caps, paced deletion.
        sst_file_manager: "SstFileManager";
        /// Destination of the text LOG instead of the file.
        info_log: "Logger" as "OpenContext::info_log";
        /// Memtable memory accountant that databases can share.
        write_buffer_manager: "WriteBufferManager";
        /// Cache of whole key lookups, above the block cache.
        row_cache: "RowCache";
        /// File kinds whose writes pass checksums on to the storage.
        checksum_handoff_file_types: "FileTypeSet";
        /// Hands compactions to another process.
        compaction_service: "CompactionService";
        /// Compaction styles whose outputs get write lifetime hints.
        calculate_sst_write_lifetime_hint_set: "CompactionStyleSet";
    }
    legacy {
        allow_os_buffer 4.0;
        base_background_compactions 4.5;
        use_direct_writes 5.1;
        disableDataSync 4.0;
        disable_data_sync 4.0;
        experimental_allow_mempurge 6.23;
        experimental_mempurge_policy 6.24;
        skip_log_error_on_recovery 4.0;
        skip_checking_sst_file_sizes_on_db_open 6.8;
        new_table_reader_for_compaction_inputs 4.0;
        random_access_max_buffer_size 4.2;
        fail_if_options_file_error 4.6;
        access_hint_on_compaction_start 4.6;
        preserve_deletes 5.9;
        concurrent_prepare 5.7;
        seq_per_batch 5.9;
        experimental_mempurge_threshold 6.24;
        rate_limiter 6.28;
    }
}
