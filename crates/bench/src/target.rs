//! Opens the databases of a run with options from flags.

use crate::flags::Flags;
use crate::option_source::database_options;
use crate::workload::Target;
use base::compaction_filter::SharedCompactionFilter;
use base::{Result, Status};
use db::{ColumnFamilyDescriptor, ReadOptions};
use engines::{Cursor, Engine, Kind, Opening, Provider};
use options::{ColumnFamilyOptions, DbOptions};
use std::env;
use std::path::{Path, PathBuf};

/// Opens `--db`, or with `--num_multi_db` each of `DB/0`, `DB/1`, ….
/// `filter` is what compactions ask, if they are to ask something.
pub(crate) fn open_all<P: Provider>(
    flags: &Flags,
    provider: &P,
    filter: Option<SharedCompactionFilter>,
) -> Result<Vec<Target<P::Engine>>> {
    let (options, family) = checked_options(flags, provider, filter)?;
    let open = |(path, index)| {
        let mut options = options.clone();
        if let Some(directory) = wal_dir(flags, index) {
            options.wal_dir = directory.display().to_string();
        }
        let families = families(flags, &family);
        let read_only = flags.bool("readonly");
        let secondary_path = secondary_path(flags, index, provider)?;
        open(provider, &Opening { path, options, families, read_only, secondary_path })
    };
    paths(flags).into_iter().map(open).collect()
}

/// The options of the databases; flags that would set one in vain are refused.
pub(crate) fn checked_options<P: Provider>(
    flags: &Flags,
    provider: &P,
    filter: Option<SharedCompactionFilter>,
) -> Result<(DbOptions, ColumnFamilyOptions)> {
    let (options, family) = database_options(flags, filter)?;
    if provider.identity().kind == Kind::Native && flags.text("options_file").is_empty() {
        refuse_unhonoured(flags, &options, &family)?;
    }
    Ok((options, family))
}

/// Opens another database than the run's, to read what is in its family `default`.
pub(crate) fn open_for_reading<P: Provider>(
    flags: &Flags,
    path: &Path,
    provider: &P,
) -> Result<Target<P::Engine>> {
    let (options, family) = database_options(flags, None)?;
    let families = vec![ColumnFamilyDescriptor::new(&*family_name(0), family)];
    let path = path.to_owned();
    open(provider, &Opening { path, options, families, read_only: true, secondary_path: None })
}

/// Whether there is anything where the databases would be.
pub(crate) fn is_there(flags: &Flags) -> bool {
    let files = |path: &Path| ::env::default_file_system().get_children(path);
    paths(flags).iter().any(|(path, _)| files(path).is_ok_and(|files| !files.is_empty()))
}

/// Where the secondary of a database has its own files; none without `--use_secondary_db`.
fn secondary_path<P: Provider>(
    flags: &Flags,
    index: Option<u64>,
    provider: &P,
) -> Result<Option<PathBuf>> {
    if !flags.bool("use_secondary_db") {
        return Ok(None);
    }
    if provider.identity().kind != Kind::Native {
        return Err(Status::not_supported(
            "--use_secondary_db: other engines are not opened as secondaries here",
        ));
    }
    let path = match flags.text("secondary_path") {
        "" => test_directory().join("dbbench_secondary"),
        path => PathBuf::from(path),
    };
    Ok(Some(index.map_or(path.clone(), |index| path.join(index.to_string()))))
}

/// `--num_column_families` families with the same options.
fn families(flags: &Flags, options: &ColumnFamilyOptions) -> Vec<ColumnFamilyDescriptor> {
    let names = (0..flags.uint("num_column_families").max(1)).map(family_name);
    names.map(|name| ColumnFamilyDescriptor::new(name.as_str(), options.clone())).collect()
}

/// Deletes the databases that [`open_all`] would open.
pub(crate) fn destroy_all<P: Provider>(flags: &Flags, provider: &P) -> Result<()> {
    for (path, index) in paths(flags) {
        provider.destroy(&path, wal_dir(flags, index).as_deref())?;
    }
    if flags.uint("num_multi_db") > 1 {
        ::env::default_file_system().create_dir_if_missing(&database_path(flags))?;
    }
    Ok(())
}

/// Where the databases are, with their numbers if there may be several.
fn paths(flags: &Flags) -> Vec<(PathBuf, Option<u64>)> {
    let path = database_path(flags);
    match flags.uint("num_multi_db") {
        0 | 1 => vec![(path, None)],
        count => (0..count).map(|index| (path.join(index.to_string()), Some(index))).collect(),
    }
}

/// `--wal_dir`, or the part of it that a database has of several.
fn wal_dir(flags: &Flags, index: Option<u64>) -> Option<PathBuf> {
    let directory = Some(flags.text("wal_dir")).filter(|text| !text.is_empty()).map(PathBuf::from);
    directory.map(|path| index.map_or(path.clone(), |index| path.join(index.to_string())))
}

/// All directories that files of the databases are in, with what is below them.
pub(crate) fn directories(flags: &Flags) -> Vec<PathBuf> {
    let path = database_path(flags);
    let apart = wal_dir(flags, None).filter(|directory| !directory.starts_with(&path));
    [path].into_iter().chain(apart).collect()
}

/// Every key there is, in order (`--use_existing_keys`).
pub(crate) fn all_keys<E: Engine>(targets: &[Target<E>]) -> Result<Vec<Vec<u8>>> {
    let [target] = targets else {
        return Err(Status::not_supported("--use_existing_keys with --num_multi_db"));
    };
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let options = target.db.read_options(&options)?;
    let mut iterator = target.db.new_iterator(&options, &target.families[0])?;
    let mut keys = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        keys.push(iterator.key().to_vec());
        iterator.next();
    }
    iterator.status().map(|()| keys)
}

/// `--db`, or where `db_bench` puts it.
pub(crate) fn database_path(flags: &Flags) -> PathBuf {
    match flags.text("db") {
        "" => test_directory().join("dbbench"),
        path => PathBuf::from(path),
    }
}

/// Where tests and tools of RocksDB put what they are not told to put elsewhere.
fn test_directory() -> PathBuf {
    let directory = env::var("TEST_TMPDIR")
        .unwrap_or_else(|_| format!("/tmp/rocksdbtest-{}", rustix::process::geteuid().as_raw()));
    PathBuf::from(directory)
}

fn open<P: Provider>(provider: &P, opening: &Opening) -> Result<Target<P::Engine>> {
    let db = provider.open(opening)?;
    let names = opening.families.iter().map(|family| family.name.to_string());
    let families = names.map(|name| db.family(&name)).collect::<Result<Vec<_>>>()?;
    Ok(Target { db, families })
}

/// Refuses flags that set an option which our engine does not act on.
fn refuse_unhonoured(
    flags: &Flags,
    options: &DbOptions,
    family: &ColumnFamilyOptions,
) -> Result<()> {
    let unhonoured: Vec<_> = options.unhonoured().into_iter().chain(family.unhonoured()).collect();
    for (flag, value) in flags.changed() {
        let Some((_, name)) = flag.support.option() else { continue };
        let is_set = |option: &str| {
            option.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if unhonoured.iter().any(|(option, _)| is_set(option)) {
            return Err(Status::not_supported(format!(
                "--{}={value}: nothing acts on the option {name} yet, and it would change the \
                 result",
                flag.name
            )));
        }
    }
    Ok(())
}

/// As `db_bench` names the families it makes.
pub(crate) fn family_name(index: u64) -> String {
    match index {
        0 => "default".to_owned(),
        _ => format!("column_family_name_{index:06}"),
    }
}
