//! What happened to the records of a job.

/// Records counted while they went through a compaction iterator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IterationStats {
    /// Records looked at one by one. The input may have passed more: those skipped together with a
    /// deletion, or merged.
    pub input_records: u64,
    /// Data blocks of theirs that went on as they were stored.
    pub blocks_copied: u64,
    /// Deletions among them.
    pub input_deletion_records: u64,
    /// Values with a preferred sequence number among them.
    pub input_timed_put_records: u64,
    /// Bytes of their internal keys.
    pub input_raw_key_bytes: u64,
    /// Bytes of their values.
    pub input_raw_value_bytes: u64,
    /// Records that a compaction filter dropped.
    pub dropped_by_user: u64,
    /// Records that newer ones hide, range tombstones included.
    pub dropped_hidden: u64,
    /// Deletions with nothing left to hide.
    pub dropped_obsolete: u64,
    /// Records that range tombstones hide.
    pub dropped_by_range_deletion: u64,
    /// Range tombstones with nothing left to hide; counted for each output file that they would
    /// have been in.
    pub dropped_range_deletions: u64,
    /// Deletions dropped above the bottommost level, since no deeper file could hold the key.
    pub dropped_deletions_early: u64,
    /// Single deletions that met nothing down to the bottom.
    pub single_deletion_fallthrough: u64,
    /// Single deletions that met something other than one value.
    pub single_deletion_mismatch: u64,
    /// Values that got the sequence number they prefer.
    pub timed_put_swapped: u64,
    /// Blobs read.
    pub blobs_read: u64,
    /// Bytes of their values.
    pub blob_bytes_read: u64,
    /// Blobs moved out of old files.
    pub blobs_relocated: u64,
    /// Bytes of them as stored.
    pub blob_bytes_relocated: u64,
}

impl IterationStats {
    /// Adds the counts of another part of the job.
    pub fn add(&mut self, other: &Self) {
        let Self {
            input_records,
            blocks_copied,
            input_deletion_records,
            input_timed_put_records,
            input_raw_key_bytes,
            input_raw_value_bytes,
            dropped_by_user,
            dropped_hidden,
            dropped_obsolete,
            dropped_by_range_deletion,
            dropped_range_deletions,
            dropped_deletions_early,
            single_deletion_fallthrough,
            single_deletion_mismatch,
            timed_put_swapped,
            blobs_read,
            blob_bytes_read,
            blobs_relocated,
            blob_bytes_relocated,
        } = other;
        self.input_records += input_records;
        self.blocks_copied += blocks_copied;
        self.input_deletion_records += input_deletion_records;
        self.input_timed_put_records += input_timed_put_records;
        self.input_raw_key_bytes += input_raw_key_bytes;
        self.input_raw_value_bytes += input_raw_value_bytes;
        self.dropped_by_user += dropped_by_user;
        self.dropped_hidden += dropped_hidden;
        self.dropped_obsolete += dropped_obsolete;
        self.dropped_by_range_deletion += dropped_by_range_deletion;
        self.dropped_range_deletions += dropped_range_deletions;
        self.dropped_deletions_early += dropped_deletions_early;
        self.single_deletion_fallthrough += single_deletion_fallthrough;
        self.single_deletion_mismatch += single_deletion_mismatch;
        self.timed_put_swapped += timed_put_swapped;
        self.blobs_read += blobs_read;
        self.blob_bytes_read += blob_bytes_read;
        self.blobs_relocated += blobs_relocated;
        self.blob_bytes_relocated += blob_bytes_relocated;
    }
}
