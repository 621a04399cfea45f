//! Opening the database that a command is about, with the options that RocksDB's `ldb` would use.
//!
//! Options come from the newest OPTIONS file ([`Session::try_load_options`]), or else are the
//! defaults for every column family that the MANIFEST has; then some flags change them. Where no
//! merge operator is set (or one that this program does not have), operands are joined with a
//! colon.

use super::failure::{Failure, Outcome};
use super::session::Session;
use super::ttl::TtlMergeOperator;
use crate::print;
use base::merge_operator::StringAppendOperator;
use base::{MergeOperator, Status, slice_transform};
use db::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext};
use options::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompressionType, ConfigOptions, DbOptions,
    FilterPolicy, LruCacheOptions, OptionsFile, PrepopulateBlobCache, TableFactory,
};
use std::path::Path;
use std::sync::Arc;

const DEFAULT_FAMILY: &str = "default";

/// What joins merge operands where no merge operator is set.
const DELIMITER: &[u8] = b":";

/// An open database and the column family that the command is about.
#[derive(Debug)]
pub(crate) struct OpenDb {
    pub(crate) db: Db,
    pub(crate) family: ColumnFamilyHandle,
}

impl OpenDb {
    /// The database with its column family `name`.
    pub(crate) fn of(db: Db, name: &str) -> Outcome<Self> {
        match db.column_family(name) {
            Some(family) => Ok(Self { db, family }),
            None => Err(no_family(name)),
        }
    }
}

/// Options on their way to an open.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenOptions {
    pub(crate) db: DbOptions,
    /// For families that no OPTIONS file knows.
    pub(crate) family: ColumnFamilyOptions,
    /// All families.
    pub(crate) families: Vec<ColumnFamilyDescriptor>,
}

impl Session<'_> {
    /// Opens the database for reading. All its tables are opened, so that a bad one is met now.
    pub(crate) fn open(&mut self) -> Outcome<OpenDb> {
        self.open_with(|_| {})
    }

    /// As [`Session::open`], with options changed by `adjust` before those of the OPTIONS file
    /// take their place.
    pub(crate) fn open_with(
        &mut self,
        adjust: impl FnOnce(&mut ColumnFamilyOptions),
    ) -> Outcome<OpenDb> {
        let OpenOptions { db, families, .. } = self.open_options(adjust, |_, _| {})?;
        let context = OpenContext { file_system: Arc::clone(&self.fs), ..OpenContext::default() };
        let path = Path::new(&self.db_path);
        let opened = Db::open_for_read_only(&db, path, &families, &context)?;
        print::write_warnings(self.err, &db::reading_warnings(&db, &families))?;
        opened.open_tables()?;
        OpenDb::of(opened, self.column_family_name())
    }

    /// The options to open with: changed by `before`, then by the OPTIONS file and by flags, then
    /// by `after`. Of families that the OPTIONS file has, only that of the command is changed by
    /// flags, and none by `before` and `after`.
    pub(crate) fn open_options(
        &mut self,
        before: impl FnOnce(&mut ColumnFamilyOptions),
        after: impl FnOnce(&mut DbOptions, &mut ColumnFamilyOptions),
    ) -> Outcome<OpenOptions> {
        self.check_file_system()?;
        let mut options = OpenOptions { family: defaults(), ..OpenOptions::default() };
        before(&mut options.family);
        self.prepare_options(&mut options, after)?;
        if self.is_ttl {
            if options.families.len() > 1 {
                return Err(Failure::new(TTL_FAMILIES));
            }
            // RocksDB says so of every database with times, and does its work all the same.
            self.failure_at_end = Some(Failure::new(TTL_FAMILIES));
        }
        if options.families.is_empty() {
            let join = || Arc::new(StringAppendOperator::new(DELIMITER)) as Arc<dyn MergeOperator>;
            let mut operator = options.family.merge_operator.take().unwrap_or_else(join);
            if self.is_ttl {
                operator = Arc::new(TtlMergeOperator::new(operator));
            }
            options.family.merge_operator = Some(operator);
            let family = options.family.clone();
            options.families.push(ColumnFamilyDescriptor::new(DEFAULT_FAMILY, family));
        }
        Ok(options)
    }

    /// Only the ordinary file system can be chosen.
    fn check_file_system(&self) -> Outcome {
        for option in ["env_uri", "fs_uri"] {
            match self.arguments.option(option) {
                None | Some("posix" | "posix://") => {}
                Some(uri) => {
                    let status = Status::not_supported(format!("{option}={uri}: no such one"));
                    return Err(status.into());
                }
            }
        }
        Ok(())
    }

    fn prepare_options(
        &mut self,
        options: &mut OpenOptions,
        adjust: impl FnOnce(&mut DbOptions, &mut ColumnFamilyOptions),
    ) -> Outcome {
        if self.try_load_options {
            self.load_options(options)?;
        }
        options.db.create_if_missing = false;
        self.override_options(&mut options.family)?;
        adjust(&mut options.db, &mut options.family);
        let name = self.column_family_name();
        if options.families.is_empty() {
            let path = Path::new(&self.db_path);
            // Opening tells what is wrong with a database whose families cannot be listed.
            let names = version::list_column_families(&*self.fs, path).unwrap_or_default();
            if names.len() > 1 {
                let family = |name: &Vec<u8>| {
                    ColumnFamilyDescriptor::new(name.as_slice(), options.family.clone())
                };
                options.families = names.iter().map(family).collect();
            }
            return Ok(());
        }
        match options.families.iter_mut().find(|family| family.name == name) {
            Some(family) => self.override_options(&mut family.options),
            None => Err(no_family(name)),
        }
    }

    /// Takes the options of the newest OPTIONS file, if there is one.
    fn load_options(&mut self, options: &mut OpenOptions) -> Outcome {
        let config = ConfigOptions {
            ignore_unknown_options: self.arguments.flag("ignore_unknown_options"),
            ..ConfigOptions::default()
        };
        let path = Path::new(&self.db_path);
        let file = match OptionsFile::latest(&*self.fs, path, &config) {
            Ok((_, file)) => file,
            Err(status) if status.is_path_not_found() => return Ok(()),
            Err(status) => return Err(status.into()),
        };
        options.db = file.db;
        let wal_dir = &mut options.db.wal_dir;
        if !wal_dir.is_empty() && !self.fs.file_exists(Path::new(wal_dir))? {
            wal_dir.clone_from(&self.db_path);
            let what = "wal_dir loaded from the option file doesn't exist. Ignore it.";
            writeln!(self.err, "{what}")?;
        }
        for section in file.column_families {
            let mut family = ColumnFamilyDescriptor::new(section.name, section.options);
            set_block_cache(&mut family.options);
            if family.options.merge_operator.is_none() {
                family.options.merge_operator =
                    Some(Arc::new(StringAppendOperator::new(DELIMITER)));
            }
            options.families.push(family);
        }
        Ok(())
    }

    /// Changes options by flags.
    fn override_options(&self, options: &mut ColumnFamilyOptions) -> Outcome {
        let arguments = self.arguments;
        let bloom_bits = self.positive("bloom_bits")?;
        let block_size = self.positive("block_size")?;
        if bloom_bits.is_some() || block_size.is_some() {
            options.table_factory = TableFactory::BlockBased;
            options.table = table_defaults();
            set_block_cache(options);
        }
        if let Some(bits) = bloom_bits {
            options.table.filter_policy =
                Some(FilterPolicy::Bloom { bits_per_key: f64::from(bits) });
        }
        set(&mut options.table.block_size, block_size.map(|size| size as u64));
        options.force_consistency_checks = !arguments.flag("disable_consistency_checks");
        self.override_blob_options(options)?;
        if let Some(compacts) = arguments.boolean("auto_compaction")? {
            options.disable_auto_compactions = !compacts;
        }
        set(&mut options.compression, self.compression("compression_type")?);
        set(&mut options.blob_compression_type, self.compression("blob_compression_type")?);
        let dict_bytes =
            self.in_range("compression_max_dict_bytes", |size| size >= 0, "must be >= 0.")?;
        set(&mut options.compression_opts.max_dict_bytes, dict_bytes.map(|size| size as u32));
        set(&mut options.write_buffer_size, self.positive("write_buffer_size")?.map(|n| n as u64));
        set(&mut options.target_file_size_base, self.positive("file_size")?.map(|n| n as u64));
        if let Some(length) = self.positive("fix_prefix_len")? {
            options.prefix_extractor = slice_transform::builtin(&format!("fixed:{length}"));
        }
        Ok(())
    }

    fn override_blob_options(&self, options: &mut ColumnFamilyOptions) -> Outcome {
        let arguments = self.arguments;
        options.enable_blob_files = arguments.flag("enable_blob_files");
        let min_size = self.in_range("min_blob_size", |size| size >= 0, "must be >= 0.")?;
        set(&mut options.min_blob_size, min_size.map(|size| size as u64));
        set(&mut options.blob_file_size, self.positive("blob_file_size")?.map(|n| n as u64));
        options.enable_blob_garbage_collection = arguments.flag("enable_blob_garbage_collection");
        let share = |name: &str| match arguments.double(name)? {
            Some(share) if !(0.0..=1.0).contains(&share) => {
                Err(Failure::new(format!("{name} must be >= 0 and <= 1.")))
            }
            share => Ok(share),
        };
        let cutoff = share("blob_garbage_collection_age_cutoff")?;
        set(&mut options.blob_garbage_collection_age_cutoff, cutoff);
        let threshold = share("blob_garbage_collection_force_threshold")?;
        set(&mut options.blob_garbage_collection_force_threshold, threshold);
        let readahead = self.positive("blob_compaction_readahead_size")?;
        set(&mut options.blob_compaction_readahead_size, readahead.map(|size| size as u64));
        let level =
            self.in_range("blob_file_starting_level", |level| level >= 0, "must be >= 0.")?;
        set(&mut options.blob_file_starting_level, level);
        let mode = "must be 0 (disable) or 1 (flush only).";
        let mode = self.in_range("prepopulate_blob_cache", |mode| (0..=1).contains(&mode), mode)?;
        set(
            &mut options.prepopulate_blob_cache,
            mode.map(|mode| match mode {
                0 => PrepopulateBlobCache::Disable,
                _ => PrepopulateBlobCache::FlushOnly,
            }),
        );
        Ok(())
    }

    fn positive(&self, name: &str) -> Outcome<Option<i32>> {
        self.in_range(name, |number| number > 0, "must be > 0.")
    }

    fn in_range(
        &self,
        name: &str,
        accepts: impl Fn(i32) -> bool,
        otherwise: &str,
    ) -> Outcome<Option<i32>> {
        match self.arguments.int(name)? {
            Some(number) if !accepts(number) => Err(Failure::new(format!("{name} {otherwise}"))),
            number => Ok(number),
        }
    }

    fn compression(&self, name: &str) -> Outcome<Option<CompressionType>> {
        let Some(given) = self.arguments.option(name) else { return Ok(None) };
        Ok(Some(match given {
            "no" => CompressionType::NoCompression,
            "snappy" => CompressionType::Snappy,
            "zlib" => CompressionType::Zlib,
            "bzip2" => CompressionType::Bzip2,
            "lz4" => CompressionType::Lz4,
            "lz4hc" => CompressionType::Lz4hc,
            "xpress" => CompressionType::Xpress,
            "zstd" => CompressionType::Zstd,
            _ => return Err(Failure::new(format!("Unknown compression algorithm: {given}"))),
        }))
    }
}

/// Sets an option if it was given.
fn set<T>(option: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *option = given;
    }
}

/// The options of a column family by default: those of 7.8.3.
fn defaults() -> ColumnFamilyOptions {
    let mut options = ColumnFamilyOptions::default();
    options.table = table_defaults();
    options.level_compaction_dynamic_level_bytes = false;
    options.compression = CompressionType::Snappy;
    set_block_cache(&mut options);
    options
}

/// The options of tables by default: those of 7.8.3, which reads no later format.
fn table_defaults() -> BlockBasedTableOptions {
    BlockBasedTableOptions::default().format_version(5)
}

/// Sets the block cache of 7.8.3 by default, which no OPTIONS file names.
fn set_block_cache(options: &mut ColumnFamilyOptions) {
    const CAPACITY_BYTES: u64 = 8 << 20;
    options.table.block_cache =
        Some(LruCacheOptions { capacity: CAPACITY_BYTES, ..LruCacheOptions::default() });
}

pub(crate) const TTL_FAMILIES: &str = "ldb doesn't support TTL DB with multiple column families";

fn no_family(name: &str) -> Failure {
    Failure::new(format!("Non-existing column family {name}"))
}
