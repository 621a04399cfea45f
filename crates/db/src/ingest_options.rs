//! How files of others are taken in.

base::call_options! {
    /// How tables that were written apart are taken in (`rocksdb::IngestExternalFileOptions`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct IngestExternalFileOptions;
    rows {
        /// Link the file in and remove the original. Default: false, copy it.
        move_files: bool = false, honoured;
        /// Link the file in and leave the original. Default: false.
        link_files: bool = false, honoured;
        /// Copy where no link can be made. Default: true.
        failed_move_fall_back_to_copy: bool = true, honoured;
        /// Snapshots there are see nothing of the file. Default: true.
        snapshot_consistency: bool = true, honoured;
        /// The file may get one sequence number for all its keys. Default: true.
        allow_global_seqno: bool = true, honoured;
        /// A memtable with some of the keys may be flushed first. Default: true.
        allow_blocking_flush: bool = true, honoured;
        /// The file goes under all data there is. Default: false.
        ingest_behind: bool = false, honoured;
        /// The sequence number is written into the file, for releases of RocksDB before 5.16. The file
        /// is written once more for it, while other writes wait. Default: false.
        write_global_seqno: bool = false, honoured;
        /// Checksums of all blocks are verified first. Default: false.
        verify_checksums_before_ingest: bool = false, honoured;
        /// Bytes read ahead for that. Default: 0, what fits.
        verify_checksums_readahead_size: u64 = 0, honoured;
        /// The checksum of the file is compared with the one given. Default: true.
        verify_file_checksum: bool = true, honoured;
        /// Fail unless the last level takes the file. Default: false.
        fail_if_not_bottommost_level: bool = false, honoured;
        /// Take tables that a database made. Default: false.
        allow_db_generated_files: bool = false, refused;
        /// Blocks that are read go into the block cache. Default: true.
        fill_cache: bool = true, honoured;
        /// Index and filters of files of the last level are loaded, which those of all files are. Default:
        /// true.
        prefetch_lmax_index_and_filter_blocks: bool = true, accepted;
        /// Threads that open files, which the calling one does. Default: 1.
        file_opening_threads: i32 = 1, accepted;
    }
}
