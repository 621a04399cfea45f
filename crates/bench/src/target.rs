//! Opens the databases of a run with options from flags.

use crate::family_options;
use crate::flags::{Flags, Support};
use crate::workload::Target;
use base::{Result, Status};
use db::{ColumnFamilyDescriptor, ReadOptions};
use engines::{Cursor, Engine, Kind, Opening, Provider};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions};
use std::env;
use std::path::PathBuf;

/// Opens `--db`, or with `--num_multi_db` each of `DB/0`, `DB/1`, ….
pub(crate) fn open_all<P: Provider>(flags: &Flags, provider: &P) -> Result<Vec<Target<P::Engine>>> {
    let open = |(path, index)| open(flags, path, index, provider);
    paths(flags).into_iter().map(open).collect()
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

fn open<P: Provider>(
    flags: &Flags,
    path: PathBuf,
    index: Option<u64>,
    provider: &P,
) -> Result<Target<P::Engine>> {
    let mut options = DbOptions::default();
    family_options::apply(flags, |support, value| match support {
        Support::Db(name) => options.apply(name, value, &ConfigOptions::default()).map(|_| ()),
        _ => Ok(()),
    })?;
    // As in `db_bench`, also with --use_existing_db.
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.max_open_files = flags.int("open_files") as i32;
    options.wal_compression = family_options::compression(flags, "wal_compression")?;
    if let Some(directory) = wal_dir(flags, index) {
        options.wal_dir = directory.display().to_string();
    }
    let family = family_options::family_options(flags)?;
    if provider.identity().kind == Kind::Native {
        refuse_unhonoured(flags, &options, &family)?;
    }
    let names: Vec<_> = (0..flags.uint("num_column_families").max(1)).map(family_name).collect();
    let families =
        names.iter().map(|name| ColumnFamilyDescriptor::new(name.as_str(), family.clone()));
    let opening =
        Opening { path, options, families: families.collect(), read_only: flags.bool("readonly") };
    let db = provider.open(&opening)?;
    let families = names.iter().map(|name| db.family(name)).collect::<Result<Vec<_>>>()?;
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
        let (Support::Db(name) | Support::Family(name) | Support::Table(name)) = flag.support
        else {
            continue;
        };
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
