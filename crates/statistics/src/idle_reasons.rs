//! Why metrics stay at zero, as docs/statistics.md says it.

pub(crate) const KERNEL_READAHEAD: &str =
    "the kernel reads ahead into its page cache, where hits do not show";
pub(crate) const KEYS_ONE_BY_ONE: &str =
    "keys of one call go through a level together, not table by table";
pub(crate) const NO_ABORT_OF_COMPACTIONS: &str = "there is no call that aborts all compactions";
pub(crate) const NO_ASYNC_READS: &str = "all reads wait for their bytes";
pub(crate) const NO_BACKUP_ENGINE: &str = "there is no backup engine";
pub(crate) const NO_CHECKPOINTS: &str = "there are no checkpoints";
pub(crate) const NO_CHECKSUM_CALLS: &str =
    "reads that verify checksums are not told apart from others";
pub(crate) const NO_INGESTED_BATCHES: &str = "batches with an index are written entry by entry";
pub(crate) const NO_INPLACE_UPDATE: &str =
    "values are never changed in place: `inplace_update_support` is refused";
pub(crate) const NO_KEPT_FILE_METADATA: &str =
    "file systems give no metadata to open a file with again";
pub(crate) const NO_KEY_DISTRIBUTION: &str = "how keys lie in index blocks is not measured";
pub(crate) const NO_LAZY_BLOBS: &str = "values of blob files are read when their keys are";
pub(crate) const NO_MANIFEST_VALIDATION: &str = "a MANIFEST is not read back when it is closed";
pub(crate) const NO_MULTI_SCAN: &str = "there is no `MultiScan`";
pub(crate) const NO_PERSISTENT_CACHE: &str = "there is no persistent cache";
pub(crate) const NO_READ_AMP_BITMAP: &str = "`read_amp_bytes_per_bit` is not honoured";
pub(crate) const NO_READ_RETRY: &str = "a block that is damaged is not read again";
pub(crate) const NO_REMOTE_COMPACTION: &str = "compactions run in the process of their database";
pub(crate) const NO_ROW_CACHE: &str = "there is no row cache";
pub(crate) const NO_SECONDARY_METADATA: &str = "of tables only data blocks go to a secondary cache";
pub(crate) const NO_SIMULATED_CACHE: &str = "there is no simulated cache";
pub(crate) const NO_SST_FILE_MANAGER: &str =
    "there is no `SstFileManager` with a limit of space or a rate of deletions";
pub(crate) const NO_SUPER_VERSION_CACHE: &str = "no thread keeps a state for itself: reading the current one takes nothing that would \
    have to be given back";
pub(crate) const NO_TAIL_PREFETCH: &str = "the blocks at the end of a table are read one by one";
pub(crate) const NO_TIMESTAMP_FILTER: &str = "tables are not left out by their range of timestamps";
pub(crate) const NO_TRANSACTIONS: &str = "there is no `TransactionDB`";
pub(crate) const NO_USER_DEFINED_INDEX: &str = "user-defined indexes are not read";
pub(crate) const NO_WAL_ITERATOR: &str = "there is no `GetUpdatesSince`";
pub(crate) const NO_WAL_PRECREATION: &str = "WALs are not made in advance";
pub(crate) const STACKED_BLOB_DB: &str = "of the stacked BlobDB, which there is not; blob files of column families do not count \
    here in RocksDB either";
