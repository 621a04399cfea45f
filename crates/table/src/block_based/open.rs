//! Opening a table.

use crate::block_based::embedded_blob::EmbeddedBlobs;
use crate::block_based::file_with_end::FileWithEnd;
use crate::block_based::filter_reader::{PartitionedFilter, TableFilter};
use crate::block_based::index_reader::{IndexLayout, Partitions, TableIndex};
use crate::block_based::meta_block::MetaBlock;
use crate::block_based::perf_counts::count_metadata_read;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, Filtering, TableCacheHandle};
use crate::block_based::table_stats::TableStats;
use crate::block_based::tail::TableTail;
use crate::block_fetcher::BlockFetcher;
use crate::data_block::{DataBlockDecoder, KeyTransform};
use crate::format::BlockHandle;
use crate::index::{IndexBlockFormat, IndexType};
use crate::metaindex::{
    COMPRESSION_DICTIONARY_BLOCK_NAME, FilterLocation, INDEX_BLOCK_NAME, RANGE_DEL_BLOCK_NAME,
};
use crate::properties::TableProperties;
use crate::range_del;
use crate::table_options::TableOptions;
use crate::unique_id;
use base::{Result, Status};
use cache::Priority;
use env::RandomAccessFile;
use iterator::FragmentedRangeTombstoneList;
use statistics::Activity;
use std::sync::Arc;

/// First format_version whose tables say which compression manager made them.
const FORMAT_VERSION_WITH_COMPRESSION_MANAGER: u32 = 7;
/// Compression managers whose blocks hold the compression types of [`compression`].
const BUILTIN_COMPRESSION_MANAGERS: [&str; 2] = ["", "BuiltinV2"];

impl BlockBasedTable {
    /// Opens the table in a file of `file_size` bytes. Reads footer, metaindex, properties, range
    /// tombstones and, unless they live in the block cache, the index.
    ///
    /// # Errors
    /// `Corruption` naming file and offset; `NotSupported` naming the feature; `InvalidArgument` if
    /// the table was made with another comparator.
    pub fn open(
        file: Arc<dyn RandomAccessFile>,
        file_size: u64,
        options: &TableOptions,
    ) -> Result<Arc<Self>> {
        let with_end = Arc::new(FileWithEnd::read(Arc::clone(&file), file_size)?);
        let tail = TableTail::read_counted(&*with_end, file_size, options.statistics.as_deref())?;
        let mut table = Self::load(with_end, file_size, tail, options)?;
        table.file = file;
        Ok(Arc::new(table))
    }

    /// As [`BlockBasedTable::open`] where the tail has been read already.
    ///
    /// # Errors
    /// As [`BlockBasedTable::open`].
    pub fn open_with_tail(
        file: Arc<dyn RandomAccessFile>,
        file_size: u64,
        tail: TableTail,
        options: &TableOptions,
    ) -> Result<Arc<Self>> {
        Self::load(file, file_size, tail, options).map(Arc::new)
    }

    fn load(
        file: Arc<dyn RandomAccessFile>,
        file_size: u64,
        tail: TableTail,
        options: &TableOptions,
    ) -> Result<Self> {
        let path = file.path().display().to_string();
        let name_file = |status: Status| status.context(&path);
        check_properties(&tail, options).map_err(name_file)?;
        let plan = ReadPlan::new(&tail, options, file_size).map_err(name_file)?;
        let statistics = options.statistics.as_deref();
        let footer = &tail.footer;
        let fetcher =
            BlockFetcher { file: &*file, footer, verify_checksums: true, statistics, limit: None };
        let range_tombstones = read_range_tombstones(&fetcher, &tail, &plan.transform, options)?;
        let holds_dictionary = options.holds(options.metadata_pinning.unpartitioned, file_size);
        let dictionary = tail.metaindex.find(COMPRESSION_DICTIONARY_BLOCK_NAME);
        let dictionary = dictionary.map(|handle| MetaBlock::new(handle, holds_dictionary));
        let properties = tail.properties.unwrap_or_default();
        let mut table = Self {
            decoder: DataBlockDecoder::new(&options.comparator, plan.transform),
            filtering: filtering(&properties, options),
            embedded_blobs: properties.has_embedded_blobs().then_some(EmbeddedBlobs),
            filter: plan.filter,
            index: plan.index,
            cache: cache_handle(options),
            stats: TableStats::new(options),
            comparator: options.comparator.clone(),
            readahead: options.readahead,
            read_gate: options.read_gate.clone(),
            footer: tail.footer,
            metaindex: tail.metaindex,
            properties: Arc::new(properties),
            range_tombstones,
            dictionary,
            file_size,
            file,
            charge: None,
        };
        table.load_index()?;
        if let Some(memory) = &options.charges.table_readers {
            let charge = memory.charge(table.expected_memory_usage_bytes()).map_err(name_file)?;
            table.charge = Some(charge);
        }
        Ok(table)
    }

    /// Loads the dictionary, and the index, or its top level, and checks that it can be all there is.
    fn load_index(&self) -> Result<()> {
        let options = BlockReadOptions {
            verify_checksums: true,
            fill_cache: true,
            may_read_files: true,
            rate_limiter_priority: None,
            deadline_micros: 0,
            activity: Activity::Unknown,
        };
        self.load_dictionary(options)?;
        let index = self.index.top(self, options, self.stats.recorder())?;
        if !index.is_empty() || self.properties.num_data_blocks == 0 {
            return Ok(());
        }
        let path = self.file.path();
        if let Some(name) = self.metaindex.user_defined_index() {
            return Err(replaced_index(&name).context(path.display()));
        }
        Err(Status::corruption_at(
            path,
            self.index.top.handle.offset,
            format_args!(
                "the index is empty, expected {} data blocks",
                self.properties.num_data_blocks
            ),
        ))
    }

    /// Whether a table made of this one's entries would have all that this one has. A user-defined
    /// index beside the standard one only its plugin can make again.
    ///
    /// # Errors
    /// `NotSupported` that names the file and the index.
    pub fn check_can_be_rewritten(&self) -> Result<()> {
        let Some(name) = self.metaindex.user_defined_index() else { return Ok(()) };
        Err(Status::not_supported(format!(
            "{}: the table has the user-defined index {name}, which no table made of it would \
             have; open the database for reading only, or allow that the index is dropped",
            self.file.path().display()
        )))
    }

    /// Where data blocks end, as far as that is known.
    pub(super) fn data_end(&self) -> u64 {
        match self.properties.tail_start_offset {
            0 => self.footer.offset,
            offset => offset.min(self.footer.offset),
        }
    }
}

#[cold]
fn replaced_index(name: &str) -> Status {
    Status::not_supported(format!("user-defined index {name} in place of the standard index"))
}

/// Checks what the properties say of the table as a whole.
fn check_properties(tail: &TableTail, options: &TableOptions) -> Result<()> {
    let Some(properties) = &tail.properties else {
        return match options.expected_unique_id {
            None => Ok(()),
            Some(_) => Err(Status::corruption(format!(
                "Missing table properties on file {} with known unique ID",
                options.file_number
            ))),
        };
    };
    let opened_with = options.comparator.user_comparator().name();
    if let Some(made_with) = properties.user_comparator_name()
        && made_with != opened_with
    {
        return Err(Status::invalid_argument(format!(
            "table was made with comparator {made_with}, opened with {opened_with}"
        )));
    }
    if tail.footer.format_version >= FORMAT_VERSION_WITH_COMPRESSION_MANAGER
        && let Some((manager, _)) = properties.compression_name.split_once(';')
        && !BUILTIN_COMPRESSION_MANAGERS.contains(&manager)
    {
        return Err(Status::not_supported(format!("compression manager {manager}")));
    }
    check_unique_id(properties, options)
}

fn check_unique_id(properties: &TableProperties, options: &TableOptions) -> Result<()> {
    let Some(expected) = options.expected_unique_id else { return Ok(()) };
    let actual = properties.origin().internal_id_or_substitute();
    if unique_id::to_bytes(actual) == expected {
        return Ok(());
    }
    let [first, second] = unique_id::from_bytes(expected);
    Err(Status::corruption(format!(
        "Mismatch in unique ID on table file {}. Expected: {{{first},{second}}} Actual: {{{},{}}}",
        options.file_number, actual[0], actual[1]
    )))
}

/// How the parts of a table are to be read.
struct ReadPlan {
    transform: KeyTransform,
    index: TableIndex,
    filter: Option<TableFilter>,
}

impl ReadPlan {
    fn new(tail: &TableTail, options: &TableOptions, file_size: u64) -> Result<Self> {
        let default_properties = TableProperties::default();
        let properties = tail.properties.as_ref().unwrap_or(&default_properties);
        let missing_timestamp_size = missing_timestamp_size(properties, options);
        // Every sequence number in an ingested file is 0 until this one replaces it.
        let global_sequence =
            properties.global_seqno(options.largest_sequence)?.filter(|&sequence| sequence > 0);
        let index_type = properties.index_type()?;
        let layout = |has_first_keys| IndexLayout {
            format: IndexBlockFormat {
                keys_are_user_keys: properties.index_key_is_user_key != 0,
                values_are_delta_encoded: properties.index_value_is_delta_encoded != 0,
                has_first_keys,
            },
            missing_timestamp_size,
        };
        let pinning = &options.metadata_pinning;
        let holds = |pinned| options.holds(pinned, file_size);
        let is_two_level = index_type == IndexType::TwoLevel;
        let top_pinning = if is_two_level { pinning.top_level } else { pinning.unpartitioned };
        let index = TableIndex {
            top: MetaBlock::new(index_handle(tail)?, holds(top_pinning)),
            layout: layout(index_type == IndexType::BinarySearchWithFirstKey),
            partitions: is_two_level.then(|| Partitions::new(holds(pinning.partitions))),
        };
        let filter = tail.metaindex.filter().map(|location| match location {
            FilterLocation::Full(handle) => {
                TableFilter::Full(MetaBlock::new(handle, holds(pinning.unpartitioned)))
            }
            FilterLocation::Partitioned(handle) => TableFilter::Partitioned(PartitionedFilter {
                top: MetaBlock::new(handle, holds(pinning.top_level)),
                layout: layout(false),
                partitions: Partitions::new(holds(pinning.partitions)),
            }),
        });
        let transform = KeyTransform { global_sequence, missing_timestamp_size };
        Ok(Self { transform, index, filter })
    }
}

fn index_handle(tail: &TableTail) -> Result<BlockHandle> {
    if let Some(handle) = tail.footer.index_handle.or_else(|| tail.metaindex.find(INDEX_BLOCK_NAME))
    {
        return Ok(handle);
    }
    Err(match tail.metaindex.user_defined_index() {
        Some(name) => replaced_index(&name),
        None => Status::corruption("the metaindex names no index block"),
    })
}

fn missing_timestamp_size(properties: &TableProperties, options: &TableOptions) -> usize {
    let are_persisted = options.user_defined_timestamps_persisted
        && properties.user_defined_timestamps_persisted != 0;
    if are_persisted { 0 } else { options.comparator.timestamp_size() }
}

fn filtering(properties: &TableProperties, options: &TableOptions) -> Filtering {
    let has_prefixes = properties.prefix_filtering();
    Filtering {
        has_whole_keys: options.whole_key_filtering && properties.whole_key_filtering(),
        prefix_extractor: options.prefix_extractor.clone().filter(|extractor| {
            has_prefixes && extractor.name() == properties.prefix_extractor_name
        }),
    }
}

fn cache_handle(options: &TableOptions) -> Option<TableCacheHandle> {
    let cache = options.block_cache.clone()?;
    let meta_priority = if options.cache_index_and_filter_blocks_with_high_priority {
        Priority::High
    } else {
        Priority::Low
    };
    let id = options.cache_id.unwrap_or_else(|| cache.new_id());
    Some(TableCacheHandle { cache, id, meta_priority })
}

fn read_range_tombstones(
    fetcher: &BlockFetcher<'_>,
    tail: &TableTail,
    transform: &KeyTransform,
    options: &TableOptions,
) -> Result<Option<Arc<FragmentedRangeTombstoneList>>> {
    let Some(handle) = tail.metaindex.find(RANGE_DEL_BLOCK_NAME) else { return Ok(None) };
    count_metadata_read(handle);
    let block = fetcher.fetch(handle, None, None)?;
    let tombstones = range_del::decode(&block, transform, &options.comparator)
        .map_err(|status| fetcher.explain(handle, &status))?;
    if tombstones.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(FragmentedRangeTombstoneList::new(tombstones, &options.comparator))))
}
