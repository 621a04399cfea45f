//! One table being made by a job, with what the MANIFEST will say of it.

use crate::blob_garbage_meter::for_each_blob_reference;
use crate::compaction_iterator::preferred_sequence;
use crate::created_files::CreatedFiles;
use crate::job_environment::OutputFileHint;
use crate::output_validator::OutputValidator;
use base::dbformat::{MAX_SEQUENCE_NUMBER, hex};
use base::status::SubCode;
use base::{
    InternalIterator, InternalKey, InternalKeyComparator, ParsedInternalKey, Result,
    SequenceNumber, Status, ValueType,
};
use env::{RunningSync, WritableFile, sync_and_close};
use std::path::PathBuf;
use table::properties::names;
use table::seqno_to_time_mapping::PAIRS_PER_TABLE_MAX;
use table::unique_id::{self, TableOrigin};
use table::{
    BlockBasedTableBuilder, BlockFit, OpenBlock, ReadOptions, SeqnoToTimeMapping,
    TableBuilderOptions, TableProperties, WholeBlock,
};
use version::{FileChecksum, FileMetaData};

/// What all tables of a job have in common.
#[derive(Clone, Debug)]
pub struct OutputTableOptions {
    /// How tables are built. The job fills in what differs from file to file: number, times, level
    /// and the like.
    pub builder: TableBuilderOptions,
    /// Synced with all metadata (`use_fsync`). Default: false.
    pub use_fsync: bool,
    /// Read back and compared entry by entry once they are written (`paranoid_file_checks`).
    /// Default: false.
    pub paranoid_file_checks: bool,
    /// Now, in seconds since 1970: the time at which files are said to be made.
    pub now_seconds: u64,
}

/// What is known of a table before its first entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutputTableSpec {
    pub(crate) level: usize,
    pub(crate) hint: OutputFileHint,
    pub(crate) epoch_number: u64,
    pub(crate) oldest_ancester_time: u64,
    pub(crate) newest_key_time: u64,
    /// What the properties say of the oldest key; 0 if unknown.
    pub(crate) oldest_key_time: u64,
}

/// A table that is complete, synced and closed.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// The level it goes to.
    pub level: usize,
    /// What the MANIFEST is to say of it. Boundaries have their timestamps.
    pub metadata: FileMetaData,
    /// Its properties.
    pub properties: TableProperties,
    /// Bytes of its data blocks before compression.
    pub pre_compression_size: u64,
    /// Entries other than range tombstones.
    pub entry_count: u64,
    /// Over keys and values, if the file is to be read back.
    pub(crate) hash: Option<u64>,
}

/// A table that is complete, and neither synced nor closed.
#[derive(Debug)]
pub(crate) struct UnsyncedOutput {
    file: Box<dyn WritableFile>,
    use_fsync: bool,
    output: OutputFile,
    /// Processor time of threads that compressed for it.
    pub(crate) other_cpu_micros: u64,
}

impl UnsyncedOutput {
    /// Syncs and closes it.
    ///
    /// # Errors
    /// `IoError` that names the file. The file is then to be removed.
    pub(crate) fn sync(self) -> Result<OutputFile> {
        sync_and_close(self.file, self.use_fsync)?;
        Ok(self.output)
    }

    /// Begins to sync and close it: the file is safe when that has ended well.
    pub(crate) fn begin_sync(self) -> (RunningSync, OutputFile) {
        (RunningSync::begin(self.file, self.use_fsync), self.output)
    }
}

/// A table being written.
pub(crate) struct OutputTable {
    comparator: InternalKeyComparator,
    builder: BlockBasedTableBuilder,
    validator: OutputValidator,
    metadata: FileMetaData,
    path: PathBuf,
    level: usize,
    smallest: Option<InternalKey>,
    /// The end of range tombstones, if they reach further than entries.
    largest_tombstone_end: Option<InternalKey>,
    /// Smallest sequence number that a value prefers to its own.
    smallest_preferred: SequenceNumber,
    use_fsync: bool,
}

impl OutputTable {
    /// Creates the file.
    ///
    /// # Errors
    /// As [`BlockBasedTableBuilder::new`]; `IoError` that names the file.
    pub(crate) fn create(
        files: &CreatedFiles<'_>,
        options: &OutputTableOptions,
        spec: &OutputTableSpec,
    ) -> Result<Self> {
        let output = files.new_table_file(&spec.hint)?;
        let mut builder = options.builder.clone();
        builder.file_number = output.number;
        builder.cache_warming = files.environment().cache_warming(output.number);
        builder.level = u32::try_from(spec.level).ok();
        builder.creation_time = spec.oldest_ancester_time;
        builder.file_creation_time = options.now_seconds;
        builder.newest_key_time = spec.newest_key_time;
        builder.oldest_key_time = spec.oldest_key_time;
        let mut metadata =
            FileMetaData::new(output.number, 0, InternalKey::default(), InternalKey::default());
        metadata.path_id = spec.hint.path_id;
        metadata.temperature = spec.hint.temperature;
        metadata.epoch_number = spec.epoch_number;
        metadata.oldest_ancester_time = spec.oldest_ancester_time;
        metadata.file_creation_time = options.now_seconds;
        let origin = TableOrigin {
            db_id: &builder.db_id,
            db_session_id: &builder.db_session_id,
            file_number: output.number,
        };
        metadata.unique_id = origin.internal_id().map(unique_id::to_bytes);
        let comparator = builder.comparator.clone();
        Ok(Self {
            builder: BlockBasedTableBuilder::new(&builder, output.file)?,
            validator: OutputValidator::new(comparator.clone(), options.paranoid_file_checks),
            comparator,
            metadata,
            path: output.path,
            level: spec.level,
            smallest: None,
            largest_tombstone_end: None,
            smallest_preferred: MAX_SEQUENCE_NUMBER,
            use_fsync: options.use_fsync,
        })
    }

    /// Adds an entry. `parsed` are the parts of `key`.
    ///
    /// # Errors
    /// `Corruption` if keys do not ascend or a blob index is malformed; `IoError` from the file.
    #[inline]
    pub(crate) fn add(
        &mut self,
        parsed: &ParsedInternalKey<'_>,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        self.validator.add(self.builder.last_key(), key, value)?;
        self.builder.add_parsed(parsed, key, value)?;
        if self.smallest.is_none() {
            self.smallest = InternalKey::from_encoded(key.to_vec());
        }
        if parsed.value_type == ValueType::Value {
            return Ok(());
        }
        if matches!(parsed.value_type, ValueType::BlobIndex | ValueType::WideColumnEntity) {
            self.note_blobs(parsed.value_type, value)?;
        }
        if parsed.value_type == ValueType::ValuePreferredSeqno
            && let Some(preferred) = preferred_sequence(value)
        {
            self.smallest_preferred = self.smallest_preferred.min(preferred);
        }
        Ok(())
    }

    /// Where values can go for which nothing else is to be done; none as long as there are no such.
    /// They need not be looked at again: the block sees to it that they ascend.
    #[inline]
    pub(crate) fn open_block(&mut self) -> Option<OpenBlock<'_>> {
        match self.validator.hash() {
            None => self.builder.open_block(),
            Some(_) => None,
        }
    }

    /// What is to be done with a block.
    ///
    /// # Errors
    /// `Corruption` of the block.
    pub(crate) fn fit_of(&self, block: &WholeBlock<'_>) -> Result<BlockFit> {
        Ok(block.form()?.fit(&self.builder.block_terms()))
    }

    /// The data block under way ends once it has `size` bytes.
    pub(crate) fn end_block_at(&mut self, size: usize) {
        self.builder.end_block_at(size);
    }

    /// Adds the entries of a block that fits, values of ascending user keys, as it is stored.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(crate) fn copy_block(&mut self, block: &WholeBlock<'_>) -> Result<()> {
        self.validator.add_block(self.builder.last_key(), block)?;
        self.builder.copy_block(block)?;
        if self.smallest.is_none() {
            self.smallest = InternalKey::from_encoded(block.first_key().to_vec());
        }
        Ok(())
    }

    fn note_blobs(&mut self, value_type: ValueType, value: &[u8]) -> Result<()> {
        let oldest = &mut self.metadata.oldest_blob_file_number;
        for_each_blob_reference(value_type, value, |reference| {
            if reference.is_in_current_file() {
                return Err(Status::corruption("Invalid blob file number"));
            }
            *oldest = Some(oldest.map_or(reference.file_number, |n| n.min(reference.file_number)));
            Ok(())
        })
    }

    /// Adds a range tombstone over `[start, end)`. The file answers for the part within
    /// `[bounds.0, bounds.1)`, given as user keys that end in the greatest timestamp.
    ///
    /// # Errors
    /// `IoError` from the file.
    pub(crate) fn add_range_tombstone(
        &mut self,
        (start, end): (&[u8], &[u8]),
        (sequence, timestamp): (SequenceNumber, &[u8]),
        bounds: (&[u8], &[u8]),
    ) -> Result<()> {
        let with_timestamp =
            |key: &[u8]| [self.comparator.strip_timestamp(key), timestamp].concat();
        let range_key = |start: &[u8]| {
            InternalKey::new(&with_timestamp(start), sequence, ValueType::RangeDeletion)
        };
        let (key, smallest) = (range_key(start), range_key(bounds.0));
        let end_key = with_timestamp(end);
        self.builder.add(key.as_bytes(), &end_key)?;
        let compare =
            |a: &InternalKey, b: &InternalKey| self.comparator.compare(a.as_bytes(), b.as_bytes());
        if self.smallest.as_ref().is_none_or(|known| compare(&smallest, known).is_lt()) {
            self.smallest = Some(smallest);
        }
        let largest = InternalKey::new(bounds.1, MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
        if self.largest_tombstone_end.as_ref().is_none_or(|known| compare(known, &largest).is_lt())
        {
            self.largest_tombstone_end = Some(largest);
        }
        Ok(())
    }

    /// The internal key of the last entry; empty before the first.
    #[inline]
    pub(crate) fn last_key(&self) -> &[u8] {
        self.builder.last_key()
    }

    /// Whether neither an entry nor a range tombstone was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.builder.is_empty()
    }

    /// Whether [`Self::estimated_file_size`] is that of all complete blocks: with `parallel_threads` some
    /// are being compressed.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.builder.is_settled()
    }

    /// Waits until all complete blocks are written.
    ///
    /// # Errors
    /// `IoError` that names the file.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.builder.settle()
    }

    /// What [`Self::estimated_file_size`] will not be above once it has settled.
    #[inline]
    pub(crate) fn file_size_at_most(&self) -> u64 {
        self.builder.file_size_at_most()
    }

    /// As [`Self::file_size_at_most`], of [`Self::estimated_tail_size`].
    pub(crate) fn tail_size_at_most(&self) -> u64 {
        self.builder.tail_size_at_most()
    }

    /// Bytes of the file so far.
    #[inline]
    pub(crate) fn estimated_file_size(&self) -> u64 {
        self.builder.estimated_file_size()
    }

    /// About how many bytes will follow the data.
    pub(crate) fn estimated_tail_size(&self) -> u64 {
        self.builder.estimated_tail_size()
    }

    /// Number of the file.
    pub(crate) fn number(&self) -> u64 {
        self.metadata.number
    }

    /// First and last key, range tombstones included; none of an empty table.
    pub(crate) fn boundaries(&self) -> Option<(InternalKey, InternalKey)> {
        let last = InternalKey::from_encoded(self.last_key().to_vec());
        let largest = match (last, self.largest_tombstone_end.clone()) {
            (Some(last), Some(end)) => {
                let order = self.comparator.compare(last.as_bytes(), end.as_bytes());
                if order.is_lt() { end } else { last }
            }
            (last, end) => last.or(end)?,
        };
        Some((self.smallest.clone()?, largest))
    }

    /// Completes the file. `oldest_ancester_time` is what is now known of it; of `times` it gets what
    /// its sequence numbers need.
    ///
    /// # Errors
    /// `IoError` that names the file. The file is then to be removed.
    pub(crate) fn finish(
        mut self,
        oldest_ancester_time: u64,
        times: &SeqnoToTimeMapping,
    ) -> Result<UnsyncedOutput> {
        let Some((smallest, largest)) = self.boundaries() else {
            return Err(Status::aborted(format!("{}: table without entries", self.path.display())));
        };
        if self.comparator.compare(smallest.as_bytes(), largest.as_bytes()).is_gt() {
            return Err(Status::corruption(format!(
                "{}: smallest key {} after largest key {}",
                self.path.display(),
                hex(smallest.as_bytes()),
                hex(largest.as_bytes())
            )));
        }
        let hash = self.validator.hash();
        let entry_count = self.builder.num_point_entries();
        let (smallest_seqno, largest_seqno) = self.builder.sequence_range();
        let mut times = times.range(self.smallest_preferred.min(smallest_seqno), largest_seqno);
        times.limit(PAIRS_PER_TABLE_MAX);
        self.builder.set_seqno_time_properties(times.encode(), oldest_ancester_time);
        let finished = self.builder.finish()?;
        let metadata = &mut self.metadata;
        (metadata.smallest, metadata.largest) = (smallest, largest);
        (metadata.smallest_seqno, metadata.largest_seqno) = (smallest_seqno, largest_seqno);
        metadata.oldest_ancester_time = oldest_ancester_time;
        metadata.file_size = finished.file_size;
        metadata.tail_size = finished.tail_size;
        metadata.marked_for_compaction = finished.need_compact;
        metadata.user_defined_timestamps_persisted =
            finished.properties.user_defined_timestamps_persisted != 0;
        let collected =
            |name| finished.properties.user_collected(name).unwrap_or_default().to_vec();
        metadata.min_timestamp = collected(names::TIMESTAMP_MIN);
        metadata.max_timestamp = collected(names::TIMESTAMP_MAX);
        metadata.file_checksum = Some(match finished.file_checksum {
            Some((name, value)) => FileChecksum { value, function_name: name.into_bytes() },
            None => FileChecksum::default(),
        });
        let output = OutputFile {
            level: self.level,
            metadata: self.metadata,
            properties: finished.properties,
            pre_compression_size: finished.pre_compression_size,
            entry_count,
            hash,
        };
        let other_cpu_micros = finished.other_cpu_micros;
        let (file, use_fsync) = (finished.file, self.use_fsync);
        Ok(UnsyncedOutput { file, use_fsync, output, other_cpu_micros })
    }
}

/// Opens a finished table as readers will, and reads it back if it is to be.
///
/// # Errors
/// What opening and reading gives; `Corruption` if the content is not what was written.
pub(crate) fn verify_output(
    files: &CreatedFiles<'_>,
    comparator: &InternalKeyComparator,
    output: &OutputFile,
) -> Result<()> {
    let metadata = &output.metadata;
    let environment = files.environment();
    let table = environment.open_table(metadata, output.level)?;
    if environment.cache_warming(metadata.number).is_some() {
        match table.load_metadata() {
            // No room in the cache: it is loaded when it is needed.
            Err(status) if status.subcode() == SubCode::MemoryLimit => {}
            loaded => loaded?,
        }
    }
    let entries = table.properties().num_entries - table.properties().num_range_deletions;
    if entries != output.entry_count {
        return Err(Status::corruption(format!(
            "table {:06}: expected {} entries, found {entries}",
            metadata.number, output.entry_count
        )));
    }
    let Some(hash) = output.hash else { return Ok(()) };
    let options = ReadOptions {
        total_order_seek: true,
        fill_cache: false,
        rate_limiter_priority: files.environment().read_priority(),
        ..ReadOptions::default()
    };
    let mut iterator = table.new_iterator(&options);
    let mut validator = OutputValidator::new(comparator.clone(), true);
    let mut last_key = Vec::new();
    iterator.seek_to_first()?;
    while iterator.valid() {
        validator.add(&last_key, iterator.key(), iterator.value())?;
        last_key.clear();
        last_key.extend_from_slice(iterator.key());
        iterator.next()?;
    }
    if validator.hash() == Some(hash) {
        return Ok(());
    }
    Err(Status::corruption(format!(
        "table {:06}: Key-value checksum of compaction output doesn't match what was computed \
         when written",
        metadata.number
    )))
}
