//! Any database, opened to be looked at, by the options of its newest OPTIONS file. Little stops that:
//! comparators, merge operators and options that nobody registered are noted.

mod fallback_comparator;

use base::status::Code;
use base::{ColumnFamilyName, Result, Status};
use db::{ColumnFamilyDescriptor, Db, OpenContext, TransactionWritePolicy};
use env::FileSystem;
use fallback_comparator::FallbackComparator;
use options::{
    ColumnFamilyOptions, ConfigOptions, DbOptions, OptionsFile, Registry, Release, TableFactory,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use version::{ColumnFamilyReplay, LevelTargetRule, read_current, replay_manifest};

/// Levels that a column family may be taken to have because of the files in it.
const LEVELS_MAX: u32 = 1000;

/// Which database, and how to open it.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) db: PathBuf,
    /// The column family; none for all.
    pub(crate) column_family: Option<String>,
    pub(crate) try_load_options: bool,
    pub(crate) ignore_unknown_options: bool,
    /// Names and values of options that go before those of the OPTIONS file.
    pub(crate) options: Vec<(&'static str, String)>,
}

impl Wanted {
    /// All column families of the database in `db`, as its OPTIONS file has them.
    pub(crate) fn all_families(db: PathBuf) -> Self {
        Self {
            db,
            column_family: None,
            try_load_options: true,
            ignore_unknown_options: true,
            options: Vec::new(),
        }
    }
}

/// An open database and what to say about its options.
pub(crate) struct Database {
    pub(crate) db: Db,
    /// Where its process has its LOG (`db_log_dir`); empty for its own directory.
    pub(crate) log_directory: String,
    /// The OPTIONS file that was read, if there is one.
    pub(crate) options_file: Option<PathBuf>,
    /// The release that wrote it, if it says so.
    pub(crate) rocksdb_version: Option<Release>,
    /// Targets and scores are those of that release.
    pub(crate) rule: LevelTargetRule,
    pub(crate) notes: Vec<String>,
    /// What is said beside the shape.
    pub(crate) warnings: Vec<String>,
}

impl Database {
    pub(crate) fn open(wanted: &Wanted, fs: &Arc<dyn FileSystem>) -> Result<Self> {
        Self::open_by(wanted, fs, |options, families| {
            open_by_any_policy(options, &wanted.db, families, fs)
        })
    }

    /// Opens it by `open`, which gets the options that were found.
    pub(crate) fn open_by(
        wanted: &Wanted,
        fs: &Arc<dyn FileSystem>,
        open: impl FnOnce(&DbOptions, &[ColumnFamilyDescriptor]) -> Result<Db>,
    ) -> Result<Self> {
        let path = &wanted.db;
        let (manifest, _) = read_current(&**fs, path)?;
        let mut notes = Vec::new();
        let loaded = load_options(wanted, &**fs, &mut notes)?;
        let (options_file, file) = match loaded {
            Some((path, file)) => (Some(path), file),
            None => (None, OptionsFile::default()),
        };
        let mut families = Vec::new();
        for family in replay_manifest(&**fs, &manifest)?.families.values() {
            let name = family.display_name();
            if name.as_bytes() != family.name {
                notes.push(format!("column family {name} is left out: its name is no text"));
            } else if wanted.column_family.as_ref().is_none_or(|family| **family == *name) {
                families.push(descriptor(family, &file, wanted, &mut notes)?);
            }
        }
        if let (Some(family), true) = (&wanted.column_family, families.is_empty()) {
            return Err(unknown_family(family, path));
        }
        let mut options = file.db;
        use_existing_wal_dir(&mut options, path, &**fs, &mut notes)?;
        let db = open(&options, &families)?;
        let warnings = db::reading_warnings(&options, &families);
        let rocksdb_version =
            Some(file.rocksdb_version).filter(|version| *version != Release::default());
        let rule = rule_of(rocksdb_version);
        let log_directory = options.db_log_dir;
        Ok(Self { db, log_directory, options_file, rocksdb_version, rule, notes, warnings })
    }
}

/// Opens the database by the policy that its transactions were written under: which one that was
/// does not matter for its shape.
fn open_by_any_policy(
    options: &DbOptions,
    path: &Path,
    families: &[ColumnFamilyDescriptor],
    fs: &Arc<dyn FileSystem>,
) -> Result<Db> {
    let open = |transaction_write_policy| {
        let file_system = Arc::clone(fs);
        let context =
            OpenContext { file_system, transaction_write_policy, ..OpenContext::default() };
        Db::open_for_read_only(options, path, families, &context)
    };
    match open(TransactionWritePolicy::WriteCommitted) {
        Err(status) if status.code() == Code::NotSupported => {
            open(TransactionWritePolicy::WritePrepared)
                .or_else(|_| open(TransactionWritePolicy::WriteUnprepared))
                .map_err(|_| status)
        }
        result => result,
    }
}

fn unknown_family(wanted: &str, path: &Path) -> Status {
    let names = Db::list_column_families(path, &OpenContext::default()).unwrap_or_default();
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    Status::invalid_argument(format!(
        "column family {wanted:?} is not in {}, which has {}",
        path.display(),
        names.join(", ")
    ))
}

/// Whose arithmetic gives the targets and scores that the writer of a database sees.
fn rule_of(release: Option<Release>) -> LevelTargetRule {
    match release {
        Some(release) if release < Release::new(7, 5, 0) => LevelTargetRule::WriteBurst,
        Some(release) if release < Release::new(8, 2, 0) => LevelTargetRule::Steady,
        _ => LevelTargetRule::Draining,
    }
}

fn load_options(
    wanted: &Wanted,
    fs: &dyn FileSystem,
    notes: &mut Vec<String>,
) -> Result<Option<(PathBuf, OptionsFile)>> {
    const DEFAULTS: &str = "targets and scores are those of RocksDB's defaults";
    if !wanted.try_load_options {
        notes.push(format!("no OPTIONS file was read: {DEFAULTS}"));
        return Ok(None);
    }
    let Some(path) = OptionsFile::latest_path(fs, &wanted.db)? else {
        notes.push(format!("there is no OPTIONS file: {DEFAULTS}"));
        return Ok(None);
    };
    let config = ConfigOptions {
        ignore_unknown_options: wanted.ignore_unknown_options,
        ..ConfigOptions::default()
    };
    let file = OptionsFile::read(fs, &path, &config)
        .map_err(|status| status.context("--try_load_options=false does without it"))?;
    Ok(Some((path, file)))
}

/// How to open a column family, whatever it was made with.
fn descriptor(
    family: &ColumnFamilyReplay,
    file: &OptionsFile,
    wanted: &Wanted,
    notes: &mut Vec<String>,
) -> Result<ColumnFamilyDescriptor> {
    let name = ColumnFamilyName::from(family.name.as_slice());
    let mut options = file.column_family(&name).cloned().unwrap_or_default();
    for (option, value) in &wanted.options {
        options.apply(option, compaction_style_name(option, value), &ConfigOptions::default())?;
    }
    let mut note = |text: String| notes.push(format!("column family {name}: {text}"));
    if let Some(comparator) = &family.comparator_name {
        let comparator = String::from_utf8_lossy(comparator).into_owned();
        set_comparator(&mut options, comparator, &mut note);
    }
    options.persist_user_defined_timestamps = family.persist_user_defined_timestamps;
    let levels = family.builder.files().map(|(level, _)| level + 1).max().unwrap_or(0);
    if i64::from(options.num_levels) < i64::from(levels) && levels <= LEVELS_MAX {
        note(format!(
            "num_levels is {}, but there are files on {levels} levels",
            options.num_levels
        ));
        options.num_levels = i32::try_from(levels).unwrap_or(i32::MAX);
    }
    if options.table_factory != TableFactory::BlockBased {
        note(format!("its tables are of {}, which is not read", options.table_factory.name()));
        options.table_factory = TableFactory::BlockBased;
    }
    Ok(ColumnFamilyDescriptor::new(name, options))
}

/// Orders keys as the MANIFEST says, bytewise where that order is not there.
fn set_comparator(options: &mut ColumnFamilyOptions, name: String, note: &mut impl FnMut(String)) {
    if options.comparator.name() == name {
        return;
    }
    match Registry::new().comparator(&name) {
        Some(comparator) => options.comparator = comparator,
        None => {
            note(format!("comparator {name} is not registered, files are ordered bytewise"));
            options.comparator = Arc::new(FallbackComparator { name });
            // Files that are in order by one comparator may overlap by another.
            options.force_consistency_checks = false;
        }
    }
}

/// Numbers of styles are what `db_bench` takes.
fn compaction_style_name<'a>(option: &str, value: &'a str) -> &'a str {
    match (option, value) {
        ("compaction_style", "0") => "kCompactionStyleLevel",
        ("compaction_style", "1") => "kCompactionStyleUniversal",
        ("compaction_style", "2") => "kCompactionStyleFIFO",
        ("compaction_style", "3") => "kCompactionStyleNone",
        _ => value,
    }
}

/// A database that was moved has its WALs where it is.
fn use_existing_wal_dir(
    options: &mut DbOptions,
    path: &Path,
    fs: &dyn FileSystem,
    notes: &mut Vec<String>,
) -> Result<()> {
    if !options.wal_dir.is_empty() && !fs.file_exists(Path::new(&options.wal_dir))? {
        notes.push(format!(
            "wal_dir {} does not exist: {} is used",
            options.wal_dir,
            path.display()
        ));
        options.wal_dir.clear();
    }
    Ok(())
}
