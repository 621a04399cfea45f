//! The database: what was opened, and reads of it.

use crate::call_warnings::CallWarnings;
use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor, ColumnFamilyHandle};
use crate::db_impl::DbImpl;
use crate::event_listener::EventListener;
use crate::open;
use crate::read::db_iterator::DbIterator;
use crate::read::get::{LookupScope, get, get_into, get_merge_operands};
use crate::read::get_context::Lookup;
use crate::read::read_stats::{CountedLookup, Source};
use crate::read::read_view::{ReadView, Visibility};
use crate::read::scan::ScanOrigin;
use crate::read::value_resolver::Columns;
use crate::recovery::{PreparedTransaction, RecoveredDb, TransactionWritePolicy};
use crate::secondary::open_as_secondary;
use crate::steady_recovery::recover_steadily;
use crate::super_version::SuperVersion;
use crate::warnings;
use crate::write_buffer_manager::WriteBufferManager;
use arc_swap::ArcSwap;
use arc_swap::Guard;
use base::dbformat::hex;
use base::status::Code;
use base::{
    ColumnFamilyName, FileChecksumGenFactory, PinnableSlice, Result, SequenceNumber, Status,
};
use cache::Cache;
use env::{CountedRateLimiter, FileSystem, Logger, RateLimiter, ReadGate, SystemClock, WallClock};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions, Registry};
use perf_context::{PerfMetric, Timer, count};
use statistics::{HistogramType, Recorder, Statistics};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Weak};
use table::{ReadOptions, ReadTier};

/// What an open needs beside RocksDB's options.
#[derive(Clone, Debug)]
pub struct OpenContext {
    /// Where the files are.
    pub file_system: Arc<dyn FileSystem>,
    /// One block cache for all families, instead of one by each family's options.
    pub block_cache: Option<Arc<dyn Cache>>,
    /// Where the database counts what it does (`statistics`). Several may share one.
    pub statistics: Option<Arc<Statistics>>,
    /// Fail if a WAL holds data (`error_if_wal_file_exists`).
    pub error_if_wal_file_exists: bool,
    /// Policy of the prepared transactions in the WALs; counts only with `allow_2pc`.
    pub transaction_write_policy: TransactionWritePolicy,
    /// Allows writing where tables have a user-defined index beside the standard one: tables that
    /// flushes and compactions make are without it. Otherwise such an open is refused. Default:
    /// false.
    pub drops_user_defined_indexes: bool,
    /// Where a database that is opened for writing says what it does (`info_log`); none for the file
    /// `LOG`, by the options for it. One that is given decides itself what it keeps.
    pub info_log: Option<Arc<dyn Logger>>,
    /// What flushes and compactions ask before they read and write (`rate_limiter`), and calls that
    /// have a `rate_limiter_priority`. Several databases may share one. None for one by
    /// `rate_limiter_bytes_per_sec`, which limits writes.
    pub rate_limiter: Option<Arc<dyn RateLimiter>>,
    /// Limits the memory of memtables, together with that of other databases that have the same one
    /// (`write_buffer_manager`). None for `db_write_buffer_size`.
    pub write_buffer_manager: Option<Arc<WriteBufferManager>>,
    /// Makes the checksums of whole files that the MANIFEST keeps (`file_checksum_gen_factory`). None
    /// for the built-in one that the option of this name may name.
    pub file_checksum_gen_factory: Option<Arc<dyn FileChecksumGenFactory>>,
    /// What names of objects stand for that `set_options` or `file_checksum_gen_factory` give: merge
    /// operators, prefix extractors and the like. The same that OPTIONS files are read with. Default:
    /// the built-in ones.
    pub registry: Arc<Registry>,
    /// Who is told what the database does (`listeners`), one after another.
    pub listeners: Vec<Arc<dyn EventListener>>,
    /// The time of day: for the info log, for the ages of files, and for what is due now and then.
    pub clock: Arc<dyn SystemClock>,
}

impl OpenContext {
    /// How options are read from texts while the database is open.
    pub(crate) fn config(&self) -> ConfigOptions {
        ConfigOptions { registry: self.registry.clone(), ..ConfigOptions::default() }
    }

    /// [`Self::rate_limiter`], counted in [`Self::statistics`].
    pub(crate) fn counted_rate_limiter(&self) -> Option<Arc<dyn RateLimiter>> {
        self.rate_limiter.clone().map(|limiter| self.counted(limiter))
    }

    /// Whom reads ask.
    pub(crate) fn read_gate(&self) -> ReadGate {
        ReadGate { rate_limiter: self.counted_rate_limiter(), clock: self.clock.clone() }
    }

    /// A limiter, counted in [`Self::statistics`].
    pub(crate) fn counted(&self, limiter: Arc<dyn RateLimiter>) -> Arc<dyn RateLimiter> {
        CountedRateLimiter::wrap(limiter, self.statistics.as_ref())
    }
}

impl Default for OpenContext {
    fn default() -> Self {
        Self {
            file_system: env::default_file_system(),
            block_cache: None,
            statistics: None,
            error_if_wal_file_exists: false,
            transaction_write_policy: TransactionWritePolicy::default(),
            drops_user_defined_indexes: false,
            info_log: None,
            rate_limiter: None,
            write_buffer_manager: None,
            file_checksum_gen_factory: None,
            registry: Arc::default(),
            listeners: Vec::new(),
            clock: Arc::new(WallClock),
        }
    }
}

/// An open database. Reading takes no lock and may be done by any number of threads, and so may
/// writing, one group of writers at a time. Dropping it closes it; [`Db::close`] tells of errors.
#[derive(Debug)]
pub struct Db {
    pub(crate) inner: Arc<DbImpl>,
    /// Not of those that listeners are given.
    pub(crate) closes_on_drop: bool,
}

impl Db {
    /// The one that the program has.
    pub(crate) fn owned(inner: Arc<DbImpl>) -> Self {
        Self { inner, closes_on_drop: true }
    }

    /// One to be lent to a listener.
    pub(crate) fn borrowed(inner: Arc<DbImpl>) -> Self {
        Self { inner, closes_on_drop: false }
    }
}

/// What can be said of a key without reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPresence {
    /// It has no value.
    Absent,
    /// A file would have to be read to know.
    Unknown,
    /// It has this value.
    Present(PinnableSlice),
}

impl Db {
    /// Opens the column families `families` for reading, what is only in WALs included. Nothing
    /// on disk is changed, not even the lock taken. Tables are opened when they are first read.
    /// Another process may be writing meanwhile: this one sees a state of the time of the open, as
    /// long as the other deletes no table of it that is not open yet.
    ///
    /// # Errors
    /// `InvalidArgument` if a family does not exist or has another comparator; `Corruption` if a
    /// file is missing or damaged; `NotSupported` if a WAL or the MANIFEST has records that cannot
    /// be interpreted; `IoError`.
    pub fn open_for_read_only(
        options: &DbOptions,
        path: &Path,
        families: &[ColumnFamilyDescriptor],
        context: &OpenContext,
    ) -> Result<Self> {
        let warnings = warnings::warnings(options, families);
        let (recovered, families) = recover_steadily(options, path, families, context)?;
        let visibility = Visibility::new(recovered.last_sequence, recovered.uncommitted.clone());
        let inner = DbImpl {
            path: path.to_owned(),
            current_options: ArcSwap::from_pointee(options.clone()),
            prefix_seek_opt_in_only: options.prefix_seek_opt_in_only,
            context: context.clone(),
            families: ArcSwap::from_pointee(families.into_iter().map(Arc::new).collect()),
            visibility: Arc::new(visibility),
            recovered,
            warnings,
            call_warnings: CallWarnings::default(),
            this: Weak::new(),
            writing: None,
            secondary: None,
        };
        Ok(Self::owned(Arc::new(inner)))
    }

    /// Opens the column families `families` to read what another process, the primary, is writing:
    /// RocksDB or this engine. As [`Db::open_for_read_only`], and
    /// [`Db::try_catch_up_with_primary`] shows what the primary has written since. No lock is taken,
    /// and nothing is written to `path`: the LOG of the secondary is in `secondary_path`, which is
    /// made if it is missing.
    ///
    /// With `max_open_files` = -1 all files are opened at once, and stay readable when the primary
    /// deletes them. Otherwise a read may fail with `IoError` because a file is gone that was not
    /// open; after catching up it works again. There are no snapshots, as nobody tells the primary of
    /// them.
    ///
    /// # Errors
    /// As [`Db::open_for_read_only`]; `InvalidArgument` also if `secondary_path` is `path`;
    /// `NotSupported` with `best_efforts_recovery` and with transactions that are written before they
    /// are committed.
    pub fn open_as_secondary(
        options: &DbOptions,
        path: &Path,
        secondary_path: &Path,
        families: &[ColumnFamilyDescriptor],
        context: &OpenContext,
    ) -> Result<Self> {
        let inner = open_as_secondary(options, path, secondary_path, families, context)?;
        Ok(Self::owned(inner))
    }

    /// Opens the database for reading and writing, with all its column families; `families` must
    /// name each of them. By the options a database that is missing is made
    /// (`create_if_missing`), and so are column families (`create_missing_column_families`).
    ///
    /// What WALs hold goes into memtables and, unless `avoid_flush_during_recovery` says otherwise,
    /// from there into tables. Nobody else can open the directory for writing until this one is
    /// closed.
    ///
    /// # Errors
    /// `InvalidArgument` if the database or a column family does not exist, or is there and should
    /// not (`error_if_exists`), or a family has another comparator or is not among `families`;
    /// `NotSupported` for options that this engine refuses, and for files with features it does
    /// not write; `Corruption` if a file is missing or damaged; `IoError`, also if another process
    /// has the directory open.
    pub fn open(
        options: &DbOptions,
        path: &Path,
        families: &[ColumnFamilyDescriptor],
        context: &OpenContext,
    ) -> Result<Self> {
        Ok(Self::owned(open::open(options, path, families, context)?))
    }

    /// Names of the column families of a database that need not be open.
    ///
    /// # Errors
    /// `Corruption` or `IoError` if CURRENT or the MANIFEST cannot be read.
    pub fn list_column_families(
        path: &Path,
        context: &OpenContext,
    ) -> Result<Vec<ColumnFamilyName>> {
        let names = version::list_column_families(&*context.file_system, path)?;
        Ok(names.into_iter().map(ColumnFamilyName::from).collect())
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The options as they are now (`GetDBOptions`): those it was opened with, and what
    /// [`Db::set_db_options`] changed of them.
    pub fn get_db_options(&self) -> Arc<DbOptions> {
        self.inner.current_options.load_full()
    }

    /// What it was opened with beside RocksDB's options.
    pub fn context(&self) -> &OpenContext {
        &self.inner.context
    }

    /// Where it counts what it does, if anywhere.
    pub fn statistics(&self) -> Option<&Arc<Statistics>> {
        self.inner.context.statistics.as_ref()
    }

    /// The column families that were opened, in the order of their ids.
    pub fn column_families(&self) -> impl Iterator<Item = ColumnFamilyHandle> {
        let families = self.inner.families.load_full();
        (0..families.len()).map(move |index| ColumnFamilyHandle(families[index].clone()))
    }

    /// The column family of this name, if it was opened.
    pub fn column_family(&self, name: impl AsRef<[u8]>) -> Option<ColumnFamilyHandle> {
        let name = name.as_ref();
        self.inner
            .families
            .load()
            .iter()
            .find(|family| *family.name == *name)
            .cloned()
            .map(ColumnFamilyHandle)
    }

    /// Number of the last write.
    pub fn latest_sequence_number(&self) -> SequenceNumber {
        self.inner.visibility.last_sequence()
    }

    /// What should be known of the options it was opened with, a sentence each: those that are set
    /// and not honoured yet, and objects they name that nobody registered.
    pub fn warnings(&self) -> &[String] {
        &self.inner.warnings
    }

    /// What should be known of the options that calls were made with since, a sentence each: those
    /// that were set and are not honoured yet.
    pub fn call_warnings(&self) -> Vec<String> {
        self.inner.call_warnings.list()
    }

    /// What recovery found beside the data.
    pub fn recovered(&self) -> &RecoveredDb {
        &self.inner.recovered
    }

    /// Transactions that are prepared and neither committed nor rolled back, by name.
    pub fn prepared_transactions(&self) -> &BTreeMap<Vec<u8>, PreparedTransaction> {
        &self.inner.recovered.prepared
    }

    /// The value of a key; none if it has none. Of an entity, its default column.
    ///
    /// # Errors
    /// `Corruption` or `IoError` if a block cannot be read, `InvalidArgument` if the options do
    /// not fit the family.
    #[inline]
    pub fn get(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<PinnableSlice>> {
        let _timer = Timer::start(PerfMetric::GetCpuNanos);
        let counted = self.count_lookup(HistogramType::DbGet);
        let (value, source) = self.get_uncounted(options, family, key, counted.recorder())?;
        end_get(counted, source, value.as_ref().map(PinnableSlice::len));
        Ok(value)
    }

    /// As [`Db::get`], with a copy of the value in `value`, whose memory is used again: what stands there
    /// is replaced, or left alone if the key has none. Returns whether it has one. Nothing stays
    /// pinned, which for small values costs less than what [`Db::get`] returns.
    ///
    /// # Errors
    /// As [`Db::get`].
    pub fn get_into(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        value: &mut Vec<u8>,
    ) -> Result<bool> {
        let _timer = Timer::start(PerfMetric::GetCpuNanos);
        let counted = self.count_lookup(HistogramType::DbGet);
        let (is_found, source) = self
            .in_scope(options, family, counted.recorder(), |scope| get_into(scope, key, value))?;
        end_get(counted, source, is_found.then_some(value.len()));
        Ok(is_found)
    }

    /// As [`Db::get`], without counting the call; also where the value was found.
    #[inline]
    pub(crate) fn get_uncounted(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        recorder: Option<Recorder<'_>>,
    ) -> Result<(Option<PinnableSlice>, Source)> {
        let (lookup, source) = self.in_scope(options, family, recorder, |scope| get(scope, key))?;
        let value = lookup.map(|lookup| lookup.resolved.into_plain()).transpose()?;
        Ok((value, source))
    }

    /// As [`Db::get`], with the timestamp of the version found.
    ///
    /// # Errors
    /// As [`Db::get`].
    pub fn get_with_timestamp(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<(PinnableSlice, Vec<u8>)>> {
        let counted = self.count_lookup(HistogramType::DbGet);
        let (lookup, source) =
            self.in_scope(options, family, counted.recorder(), |scope| get(scope, key))?;
        let found = match lookup {
            Some(Lookup { resolved, timestamp }) => Some((resolved.into_plain()?, timestamp)),
            None => None,
        };
        end_get(counted, source, found.as_ref().map(|(value, _)| value.len()));
        Ok(found)
    }

    /// The columns of a key, ascending by name; a plain value is one column with the empty name.
    ///
    /// # Errors
    /// As [`Db::get`].
    pub fn get_entity(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<Columns>> {
        let counted = self.count_lookup(HistogramType::DbGet);
        let (lookup, source) =
            self.in_scope(options, family, counted.recorder(), |scope| get(scope, key))?;
        let columns = lookup.map(|lookup| lookup.resolved.into_columns()).transpose()?;
        let size =
            |columns: &Columns| columns.iter().map(|(name, value)| name.len() + value.len()).sum();
        end_get(counted, source, columns.as_ref().map(size));
        Ok(columns)
    }

    /// What is stored for a key: the base of its merge operands, then the operands, oldest first. A
    /// value alone is one; none if the key has no value. No merge operator is needed.
    ///
    /// # Errors
    /// As [`Db::get`].
    pub fn get_merge_operands(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<Vec<PinnableSlice>>> {
        let recorder = self.inner.context.statistics.as_deref().and_then(Statistics::recorder);
        self.in_scope(options, family, recorder, |scope| get_merge_operands(scope, key))
    }

    /// Whether a key has a value, as far as memtables, open tables and the block cache tell.
    ///
    /// # Errors
    /// As [`Db::get`].
    pub fn key_may_exist(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<KeyPresence> {
        let options = ReadOptions { read_tier: ReadTier::BlockCache, ..options.clone() };
        match self.get(&options, family, key) {
            Ok(None) => Ok(KeyPresence::Absent),
            Ok(Some(value)) => Ok(KeyPresence::Present(value)),
            Err(status) if status.code() == Code::Incomplete => Ok(KeyPresence::Unknown),
            Err(status) => Err(status),
        }
    }

    /// A cursor over the live keys of a family.
    ///
    /// # Errors
    /// `InvalidArgument` if the options do not fit the family, as `table_filter` does not where
    /// `min_tombstones_for_range_conversion` is set and the database takes writes.
    pub fn new_iterator(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
    ) -> Result<DbIterator> {
        check_timestamp(options, &family.0)?;
        check_start_timestamp(options, &family.0)?;
        let super_version = family.0.super_version.load();
        let sequence = self.sequence_of(options)?;
        check_history(options, &family.0, &super_version)?;
        if options.table_filter.is_some() {
            self.check_table_filter(&super_version.options)?;
        }
        let view = self.view(&super_version, sequence);
        if let Some(idle) = super_version.idle_iterators.take(options, &view) {
            return Ok(DbIterator::new(idle, family.0.clone()));
        }
        let asked = Arc::new(options.clone());
        let sees_all = self.inner.prefix_seek_opt_in_only
            && !options.prefix_same_as_start
            && !options.auto_prefix_mode;
        let options = match sees_all && !options.total_order_seek {
            true => Arc::new(ReadOptions { total_order_seek: true, ..options.clone() }),
            false => asked.clone(),
        };
        let origin = ScanOrigin {
            asked,
            options,
            visibility: self.inner.visibility.clone(),
            statistics: self.inner.context.statistics.clone(),
        };
        Ok(origin.new_iterator_at(family.0.clone(), view))
    }

    /// Deletions in a table that is left out go on to hide keys by range tombstones that scans made of them.
    fn check_table_filter(&self, options: &ColumnFamilyOptions) -> Result<()> {
        if options.min_tombstones_for_range_conversion > 0 && self.inner.writing().is_ok() {
            return Err(Status::invalid_argument(
                "ReadOptions::table_filter is not supported when \
                 min_tombstones_for_range_conversion > 0",
            ));
        }
        Ok(())
    }

    /// A lookup begins.
    #[inline]
    pub(crate) fn count_lookup(&self, kind: HistogramType) -> CountedLookup<'_> {
        CountedLookup::begin(self.inner.context.statistics.as_deref(), kind)
    }

    /// Looks up in the newest state that `options` allow to see.
    #[inline]
    fn in_scope<T>(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        recorder: Option<Recorder<'_>>,
        look_up: impl FnOnce(LookupScope<'_>) -> Result<T>,
    ) -> Result<T> {
        let snapshot = Timer::start(PerfMetric::GetSnapshotTime);
        let (super_version, sequence) = self.newest_state(options, family)?;
        drop(snapshot);
        let view = self.view(&super_version, sequence);
        look_up(LookupScope { family: &family.0, view, options, recorder })
    }

    /// What a lookup in a family sees.
    #[inline]
    pub(crate) fn newest_state(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
    ) -> Result<(Guard<Arc<SuperVersion>>, SequenceNumber)> {
        check_timestamp(options, &family.0)?;
        let super_version = family.0.super_version.load();
        let sequence = self.sequence_of(options)?;
        check_history(options, &family.0, &super_version)?;
        Ok((super_version, sequence))
    }

    /// The newest sequence number that a read may see. Taken after the state is loaded: a state
    /// loaded later could lack versions that this number would show, dropped by a compaction for
    /// newer ones.
    ///
    /// # Errors
    /// `NotSupported` if a secondary is to be read as of a snapshot, and for options of the call that
    /// this engine refuses.
    #[inline]
    fn sequence_of(&self, options: &ReadOptions) -> Result<SequenceNumber> {
        self.inner.check_call(options)?;
        let last = self.inner.visibility.last_sequence();
        match options.snapshot {
            None => Ok(last),
            Some(snapshot) => self.inner.check_snapshot().map(|()| snapshot.min(last)),
        }
    }

    #[inline]
    pub(crate) fn view<'v>(
        &'v self,
        super_version: &'v Arc<SuperVersion>,
        sequence: SequenceNumber,
    ) -> ReadView<'v> {
        ReadView { super_version, sequence, uncommitted: &self.inner.visibility.uncommitted }
    }
}

/// A lookup of one key is over.
#[inline]
fn end_get(counted: CountedLookup<'_>, source: Source, value_bytes: Option<usize>) {
    count(PerfMetric::GetReadBytes, value_bytes.unwrap_or(0) as u64);
    counted.end_get(source, value_bytes);
}

/// A family with timestamps is read as of one, the others are not.
#[inline]
fn check_timestamp(options: &ReadOptions, family: &ColumnFamilyData) -> Result<()> {
    match (family.comparator.timestamp_size(), options.timestamp.as_deref()) {
        (0, None) => Ok(()),
        (size, given) => check_given_timestamp(size, given, family),
    }
}

fn check_given_timestamp(
    size: usize,
    given: Option<&[u8]>,
    family: &ColumnFamilyData,
) -> Result<()> {
    if given.map_or(0, <[u8]>::len) == size {
        return Ok(());
    }
    Err(Status::invalid_argument(match given {
        None => format!(
            "column family {} has timestamps of {size} bytes: set ReadOptions::timestamp",
            family.name
        ),
        Some(given) => format!(
            "ReadOptions::timestamp {} has {} bytes, column family {} has timestamps of {size} bytes",
            hex(given),
            given.len(),
            family.name
        ),
    }))
}

/// What was true before a certain time may be forgotten by now.
#[inline]
fn check_history(
    options: &ReadOptions,
    family: &ColumnFamilyData,
    super_version: &SuperVersion,
) -> Result<()> {
    match &super_version.full_history_ts_low {
        None => Ok(()),
        Some(low) => [&options.timestamp, &options.iter_start_ts]
            .into_iter()
            .flatten()
            .try_for_each(|timestamp| check_not_forgotten(timestamp, low, family)),
    }
}

#[cold]
fn check_not_forgotten(timestamp: &[u8], low: &[u8], family: &ColumnFamilyData) -> Result<()> {
    let user = family.comparator.user_comparator();
    if low.len() != timestamp.len() || user.compare_timestamp(timestamp, low).is_ge() {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "Read timestamp: {} is smaller than full_history_ts_low: {} of column family {}",
        user.timestamp_to_string(timestamp),
        user.timestamp_to_string(low),
        family.name
    )))
}

/// Where versions are shown from a time on, it must be a time.
fn check_start_timestamp(options: &ReadOptions, family: &ColumnFamilyData) -> Result<()> {
    let size = family.comparator.timestamp_size();
    match options.iter_start_ts.as_deref() {
        Some(start) if size == 0 || start.len() != size => Err(Status::invalid_argument(format!(
            "ReadOptions::iter_start_ts {} has {} bytes, column family {} has timestamps of {size} \
             bytes",
            hex(start),
            start.len(),
            family.name
        ))),
        _ => Ok(()),
    }
}
