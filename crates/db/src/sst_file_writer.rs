//! Tables made apart from a database, to be ingested by one ([`Db::ingest_external_file`]).
//!
//! [`Db::ingest_external_file`]: crate::Db::ingest_external_file

use crate::column_family::ColumnFamilyHandle;
use crate::db::OpenContext;
use crate::identity::new_session_id;
use crate::table_builder_options::{compression_options, compression_type, family_part};
use base::table_properties_collector::{
    CollectedProperties, TablePropertiesCollector, TablePropertiesCollectorContext,
    TablePropertiesCollectorFactory,
};
use base::{
    InternalKey, InternalKeyComparator, ParsedInternalKey, RangeTombstone, Result, Status,
    ValueType, file_checksum, wide_columns,
};
use env::{FileOptions, FileSystem};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::BlockBasedTableBuilder;
use table::TableBuilderOptions;
use table::properties::names;

/// The version of external files whose keys may all get one sequence number.
const EXTERNAL_SST_FILE_VERSION: u32 = 2;
/// What stands for the database in tables that are of none.
const WRITER_DB_ID: &str = "SST Writer";

/// A table that was written (`rocksdb::ExternalSstFileInfo`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalSstFileInfo {
    /// Where it is.
    pub file_path: PathBuf,
    /// The first key; empty without entries beside range deletions.
    pub smallest_key: Vec<u8>,
    /// The last key.
    pub largest_key: Vec<u8>,
    /// The first key of range deletions; empty without any.
    pub smallest_range_del_key: Vec<u8>,
    /// The first key after range deletions.
    pub largest_range_del_key: Vec<u8>,
    /// Checksum of the file; empty for none.
    pub file_checksum: Vec<u8>,
    /// Name of the checksum function; `Unknown` for none.
    pub file_checksum_func_name: String,
    /// Bytes of the file.
    pub file_size: u64,
    /// Entries beside range deletions.
    pub num_entries: u64,
    /// Range deletions.
    pub num_range_del_entries: u64,
    /// Version of the format of external files.
    pub version: u32,
}

/// Writes tables that a database can ingest (`rocksdb::SstFileWriter`). Keys are added in ascending
/// order, each once.
///
/// ```
/// use db::{ColumnFamilyDescriptor, Db, IngestExternalFileOptions, OpenContext, SstFileWriter};
/// # use options::{ColumnFamilyOptions, DbOptions};
/// # let directory = tempfile::tempdir().unwrap();
/// # let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
/// let family_options = ColumnFamilyOptions::default();
/// let context = OpenContext::default();
/// let path = directory.path().join("new.sst");
/// let mut writer = SstFileWriter::new(&options, &family_options, &context);
/// writer.open(&path)?;
/// writer.put(b"key", b"value")?;
/// writer.finish()?;
///
/// let families = [ColumnFamilyDescriptor::new("default", family_options)];
/// let db = Db::open(&options, &directory.path().join("db"), &families, &context)?;
/// let family = db.column_family("default").unwrap();
/// db.ingest_external_file(&family, &[path], &IngestExternalFileOptions::default())?;
/// # Ok::<(), base::Status>(())
/// ```
#[derive(Debug)]
pub struct SstFileWriter {
    file_system: Arc<dyn FileSystem>,
    builder: TableBuilderOptions,
    use_fsync: bool,
    next_file_number: u64,
    table: Option<OpenTable>,
}

/// The table being written.
#[derive(Debug)]
struct OpenTable {
    builder: BlockBasedTableBuilder,
    /// Range deletions, which tables have in the order of their keys.
    tombstones: Vec<RangeTombstone>,
    info: ExternalSstFileInfo,
}

impl SstFileWriter {
    /// One that writes tables as a column family of these options would write them at its last level.
    pub fn new(options: &DbOptions, family: &ColumnFamilyOptions, context: &OpenContext) -> Self {
        let mut builder = family_part(family);
        let codec = match (family.bottommost_compression, family.compression_per_level.last()) {
            (options::CompressionType::Disable, Some(last)) => *last,
            (options::CompressionType::Disable, None) => family.compression,
            (bottommost, _) => bottommost,
        };
        let has_own_parameters = family.bottommost_compression_opts.enabled
            && family.bottommost_compression != options::CompressionType::Disable;
        let parameters = match has_own_parameters {
            true => &family.bottommost_compression_opts,
            false => &family.compression_opts,
        };
        builder.comparator = InternalKeyComparator::new(family.comparator.clone());
        builder.compression = compression_type(codec);
        builder.compression_options = compression_options(parameters);
        builder.collector_factories = family.table_properties_collector_factories.clone();
        builder.collector_factories.push(Arc::new(ExternalFileCollectorFactory));
        let given = context.file_checksum_gen_factory.clone();
        builder.file_checksum_gen_factory =
            given.or_else(|| file_checksum::builtin(&options.file_checksum_gen_factory.id()));
        builder.db_id = WRITER_DB_ID.to_owned();
        builder.db_session_id = new_session_id();
        builder.creation_time = context.clock.now_seconds();
        builder.file_creation_time = builder.creation_time;
        builder.statistics = context.statistics.clone();
        Self {
            file_system: context.file_system.clone(),
            builder,
            use_fsync: options.use_fsync,
            next_file_number: 1,
            table: None,
        }
    }

    /// Tables say that they are for this column family: no other one takes them in.
    #[must_use]
    pub fn for_column_family(mut self, family: &ColumnFamilyHandle) -> Self {
        self.builder.column_family_id = u64::from(family.id());
        self.builder.column_family_name = family.name().to_string();
        self
    }

    /// Begins a table at `path`. One that was begun before and not finished is given up.
    ///
    /// # Errors
    /// `InvalidArgument` for options that contradict each other; `IoError`.
    pub fn open(&mut self, path: &Path) -> Result<()> {
        self.give_up();
        let file = self.file_system.new_writable_file(path, &FileOptions::default())?;
        let options =
            TableBuilderOptions { file_number: self.next_file_number, ..self.builder.clone() };
        self.next_file_number += 1;
        let info = ExternalSstFileInfo {
            file_path: path.to_owned(),
            version: EXTERNAL_SST_FILE_VERSION,
            ..ExternalSstFileInfo::default()
        };
        let builder = BlockBasedTableBuilder::new(&options, file)?;
        self.table = Some(OpenTable { builder, tombstones: Vec::new(), info });
        Ok(())
    }

    /// Sets a key's value. With timestamps the key ends in one, here and below.
    ///
    /// # Errors
    /// `InvalidArgument` if no table is begun, or the key does not come after the one before; `IoError`.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.add(key, ValueType::Value, value)
    }

    /// Sets a key's columns, given in any order. Of those of one name the last one counts.
    ///
    /// # Errors
    /// As [`SstFileWriter::put`].
    pub fn put_entity(&mut self, key: &[u8], columns: &[(Vec<u8>, Vec<u8>)]) -> Result<()> {
        self.add(key, ValueType::WideColumnEntity, &wide_columns::encode_unordered(columns))
    }

    /// Adds a merge operand to a key.
    ///
    /// # Errors
    /// As [`SstFileWriter::put`].
    pub fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add(key, ValueType::Merge, operand)
    }

    /// Deletes a key.
    ///
    /// # Errors
    /// As [`SstFileWriter::put`].
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.add(key, ValueType::Deletion, b"")
    }

    /// Deletes the keys from `begin` up to but not including `end` that the database has when it ingests
    /// the table; none of the table's own. May come at any time, in any order.
    ///
    /// # Errors
    /// `InvalidArgument` if no table is begun, or `end` comes before `begin`; `NotSupported` with
    /// timestamps.
    pub fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        let comparator = &self.builder.comparator;
        if comparator.timestamp_size() > 0 {
            return Err(Status::not_supported(
                "range deletions with timestamps in external files: delete the keys one by one",
            ));
        }
        let order = comparator.compare_user_keys(begin, end);
        let Some(table) = &mut self.table else { return Err(not_opened()) };
        if order.is_gt() {
            return Err(Status::invalid_argument("end key comes before start key"));
        }
        if order.is_eq() {
            return Ok(());
        }
        let info = &mut table.info;
        let is_first = info.num_range_del_entries == 0;
        if is_first || comparator.compare_user_keys(begin, &info.smallest_range_del_key).is_lt() {
            info.smallest_range_del_key = begin.to_vec();
        }
        if is_first || comparator.compare_user_keys(end, &info.largest_range_del_key).is_gt() {
            info.largest_range_del_key = end.to_vec();
        }
        info.num_range_del_entries += 1;
        table.tombstones.push(RangeTombstone {
            start_key: begin.to_vec(),
            end_key: end.to_vec(),
            sequence: 0,
        });
        Ok(())
    }

    /// Bytes of the table so far; 0 if none is begun.
    pub fn file_size(&self) -> u64 {
        self.table.as_ref().map_or(0, |table| table.builder.estimated_file_size())
    }

    /// Completes the table, so that it outlives a power loss.
    ///
    /// # Errors
    /// `InvalidArgument` if no table is begun or it has no entry; `IoError`. The file is then gone.
    pub fn finish(&mut self) -> Result<ExternalSstFileInfo> {
        let Some(table) = self.table.take() else { return Err(not_opened()) };
        let path = table.info.file_path.clone();
        table.finish(&self.builder.comparator, self.use_fsync).inspect_err(|_| {
            // The first error is the one to report.
            let _ = self.file_system.delete_file(&path);
        })
    }

    fn add(&mut self, key: &[u8], value_type: ValueType, value: &[u8]) -> Result<()> {
        let Some(table) = &mut self.table else { return Err(not_opened()) };
        let info = &mut table.info;
        if info.num_entries == 0 {
            info.smallest_key = key.to_vec();
        } else if self.builder.comparator.compare_user_keys(&info.largest_key, key).is_ge() {
            return Err(Status::invalid_argument("Keys must be added in strict ascending order."));
        }
        table.builder.add(InternalKey::new(key, 0, value_type).as_bytes(), value)?;
        info.num_entries += 1;
        info.largest_key.clear();
        info.largest_key.extend_from_slice(key);
        Ok(())
    }

    /// Removes a table that is not finished.
    fn give_up(&mut self) {
        if let Some(OpenTable { builder, info, .. }) = self.table.take() {
            builder.abandon();
            // Nobody knows of it.
            let _ = self.file_system.delete_file(&info.file_path);
        }
    }
}

impl Drop for SstFileWriter {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl OpenTable {
    fn finish(
        mut self,
        comparator: &InternalKeyComparator,
        use_fsync: bool,
    ) -> Result<ExternalSstFileInfo> {
        if self.info.num_entries + self.info.num_range_del_entries == 0 {
            return Err(Status::invalid_argument("Cannot create sst file with no entries"));
        }
        self.tombstones.sort_by(|a, b| comparator.compare_user_keys(&a.start_key, &b.start_key));
        for RangeTombstone { start_key, end_key, sequence } in &self.tombstones {
            let key = InternalKey::new(start_key, *sequence, ValueType::RangeDeletion);
            self.builder.add(key.as_bytes(), end_key)?;
        }
        let finished = self.builder.finish()?;
        let mut file = finished.file;
        match use_fsync {
            true => file.fsync(),
            false => file.sync(),
        }?;
        file.close()?;
        let mut info = self.info;
        info.file_size = finished.file_size;
        let unknown = || (file_checksum::UNKNOWN_FUNCTION_NAME.to_owned(), Vec::new());
        (info.file_checksum_func_name, info.file_checksum) =
            finished.file_checksum.unwrap_or_else(unknown);
        Ok(info)
    }
}

fn not_opened() -> Status {
    Status::invalid_argument("File is not opened")
}

/// Has tables say that they are external, which the readers of all releases look for.
#[derive(Debug)]
struct ExternalFileCollectorFactory;

impl TablePropertiesCollectorFactory for ExternalFileCollectorFactory {
    fn create(
        &self,
        _context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>> {
        Some(Box::new(ExternalFileCollector))
    }

    fn name(&self) -> &str {
        "SstFileWriterPropertiesCollector"
    }
}

#[derive(Debug)]
struct ExternalFileCollector;

impl TablePropertiesCollector for ExternalFileCollector {
    fn add(&mut self, _key: &ParsedInternalKey<'_>, _value: &[u8], _file_size: u64) {}

    fn finish(&mut self) -> CollectedProperties {
        let version = EXTERNAL_SST_FILE_VERSION.to_le_bytes().to_vec();
        let sequence = 0_u64.to_le_bytes().to_vec();
        [
            (names::EXTERNAL_SST_FILE_VERSION.into(), version),
            (names::EXTERNAL_SST_FILE_GLOBAL_SEQNO.into(), sequence),
        ]
        .into()
    }

    fn name(&self) -> &str {
        "SstFileWriterPropertiesCollector"
    }
}

#[cfg(test)]
mod tests;
