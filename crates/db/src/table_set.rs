//! Opens the tables of a column family.

use arc_swap::ArcSwap;
use base::status::Code;
use base::{Result, Status};
use env::{
    CountedFileKind, CountedRandomAccessFile, FileSystem, RandomAccessFile, ReadCounting,
    ReadGroup, ReadLatency,
};
use statistics::{HistogramType, Ticker};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use table::{BlockBasedTable, ReadOptions, TableCache, TableOptions, TableProperties, TableTail};
use version::{FileMetaData, Temperature, open_table_file};

/// Where the tables of a column family are and how they are read.
#[derive(Debug)]
pub(crate) struct TableSet {
    pub(crate) file_system: Arc<dyn FileSystem>,
    /// `cf_paths`, or `db_paths`, or the directory of the database.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) file_options: env::FileOptions,
    /// What all tables of the family share, as they are opened from now on.
    pub(crate) options: ArcSwap<TableOptions>,
    /// Whether a table must have the unique id that the MANIFEST gives it.
    pub(crate) verifies_unique_ids: bool,
    pub(crate) cache: Arc<TableCache>,
    /// How many levels the family has: the last one is counted apart.
    pub(crate) num_levels: usize,
    /// How long reads take, by the level that a table was in when it was opened; nothing without
    /// statistics.
    pub(crate) read_latency: Vec<Arc<ReadLatency>>,
    /// Whether every table may stay open (`max_open_files` = -1).
    pub(crate) keeps_all_open: AtomicBool,
}

impl TableSet {
    #[inline]
    pub(crate) fn keeps_all_open(&self) -> bool {
        // Relaxed: whoever changes it shows reads a new state afterwards.
        self.keeps_all_open.load(Ordering::Relaxed)
    }

    /// The table of a file, if it is open.
    ///
    /// # Errors
    /// `Incomplete` if it is not.
    #[cold]
    pub(crate) fn opened(&self, file: &FileMetaData) -> Result<Arc<BlockBasedTable>> {
        self.cache.get(file.number).ok_or_else(|| {
            Status::incomplete(format!(
                "table {:06}.sst is not open, and files may not be read",
                file.number
            ))
        })
    }

    /// Whether there is time left to open the table of a file for a read.
    ///
    /// # Errors
    /// `TimedOut` if the read's deadline has passed and the table is not open.
    pub(crate) fn check_deadline(&self, file: &FileMetaData, options: &ReadOptions) -> Result<()> {
        if options.deadline == 0
            || !options.terms().is_overdue(&*self.options.load().read_gate.clock)
            || self.cache.get(file.number).is_some()
        {
            return Ok(());
        }
        let sentence = format!("the deadline passed before {:06}.sst was opened", file.number);
        Err(Status::new(Code::TimedOut, sentence))
    }

    /// The table of a file, opened if it is not open.
    pub(crate) fn open(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        self.cache.get_or_open(file.number, || {
            let shared = self.options.load();
            let Some(statistics) = &shared.statistics else {
                return self.open_uncounted(file, level);
            };
            let start = statistics.start_timer();
            let opened = self.open_uncounted(file, level);
            statistics.record(|recorder| {
                recorder.tick(Ticker::NoFileOpens, 1);
                recorder.tick(Ticker::NoFileErrors, u64::from(opened.is_err()));
                recorder.micros_since(HistogramType::TableOpenIoMicros, start);
            });
            opened
        })
    }

    fn open_uncounted(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        let (fs, options) = (&*self.file_system, &self.file_options);
        let (opened, size) = open_table_file(fs, &self.paths, file, options)?;
        let opened = self.counted(opened, file, level);
        let shared = TableOptions::clone(&self.options.load());
        let block_cache = shared.block_cache.as_ref();
        let options = TableOptions {
            cache_id: block_cache.map(|cache| self.cache.cache_id(file.number, cache)),
            level: Some(level),
            is_in_last_level: self.is_last(level),
            file_number: file.number,
            largest_sequence: Some(file.largest_seqno),
            expected_unique_id: file.unique_id.filter(|_| self.verifies_unique_ids),
            user_defined_timestamps_persisted: file.user_defined_timestamps_persisted,
            ..shared
        };
        BlockBasedTable::open(opened, size, &options)
    }

    fn is_last(&self, level: usize) -> bool {
        level + 1 == self.num_levels
    }

    /// The file of a table, whose reads are counted.
    fn counted(
        &self,
        opened: Arc<dyn RandomAccessFile>,
        file: &FileMetaData,
        level: usize,
    ) -> Arc<dyn RandomAccessFile> {
        let is_last = self.is_last(level);
        let counting = ReadCounting {
            kind: CountedFileKind::Table,
            level: if is_last { ReadGroup::LAST_LEVEL } else { ReadGroup::NON_LAST_LEVEL },
            temperature: group_of(file.temperature, is_last),
            latency: self.read_latency.get(level).cloned(),
        };
        CountedRandomAccessFile::wrap(opened, self.options.load().statistics.as_ref(), counting)
    }

    /// What a file says of itself. Reads no more of it than that takes.
    pub(crate) fn properties(&self, file: &FileMetaData) -> Result<Arc<TableProperties>> {
        if let Some(table) = self.cache.get(file.number) {
            return Ok(table.properties().clone());
        }
        if let Some(statistics) = &self.options.load().statistics {
            statistics.record_tick(Ticker::NumberDirectLoadTableProperties, 1);
        }
        let (fs, options) = (&*self.file_system, &self.file_options);
        let (opened, size) = open_table_file(fs, &self.paths, file, options)?;
        Ok(Arc::new(TableTail::read(&*opened, size)?.properties.unwrap_or_default()))
    }
}

/// How files of a temperature are counted; those without one by whether they are in the last level.
fn group_of(temperature: Temperature, is_last: bool) -> ReadGroup {
    match temperature {
        Temperature::HOT => ReadGroup::HOT,
        Temperature::WARM => ReadGroup::WARM,
        Temperature::COOL => ReadGroup::COOL,
        Temperature::COLD => ReadGroup::COLD,
        Temperature::ICE => ReadGroup::ICE,
        _ if is_last => ReadGroup::UNKNOWN_LAST_LEVEL,
        _ => ReadGroup::UNKNOWN_NON_LAST_LEVEL,
    }
}
