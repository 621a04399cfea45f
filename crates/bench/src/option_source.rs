//! Where the options of databases come from: flags, or the file of `--options_file`.

use crate::compaction_filters::KeepFilter;
use crate::family_options::{self, family_options};
use crate::flags::{Flags, Support};
use base::compaction_filter::SharedCompactionFilter;
use base::{Result, Status};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions, OptionsFile};
use std::path::Path;
use std::sync::Arc;

/// The options of a run's databases, and of all of their families.
///
/// # Errors
/// `InvalidArgument` or `NotSupported` that names a flag, or an option of the file.
pub(crate) fn database_options(
    flags: &Flags,
    filter: Option<SharedCompactionFilter>,
) -> Result<(DbOptions, ColumnFamilyOptions)> {
    let (mut db, mut family) = match flags.text("options_file") {
        "" => (db_options(flags)?, family_options(flags)?),
        path => of_file(flags, Path::new(path))?,
    };
    // As in `db_bench`, also with --use_existing_db.
    db.create_if_missing = true;
    db.create_missing_column_families = true;
    if family.compaction_filter.is_none() {
        let keeps = flags.bool("use_keep_filter");
        family.compaction_filter = filter.or_else(|| keeps.then(|| Arc::new(KeepFilter) as _));
    }
    Ok((db, family))
}

fn db_options(flags: &Flags) -> Result<DbOptions> {
    let mut options = DbOptions::default();
    family_options::apply(flags, |support, value| match support {
        Support::Db(name) => options.apply(name, value, &ConfigOptions::default()).map(|_| ()),
        _ => Ok(()),
    })?;
    options.wal_compression = family_options::compression(flags, "wal_compression")?;
    Ok(options)
}

/// The options of the database in an OPTIONS file and of its family `default`, which all have here.
fn of_file(flags: &Flags, path: &Path) -> Result<(DbOptions, ColumnFamilyOptions)> {
    let config = ConfigOptions::default();
    let file = OptionsFile::read(&*env::default_file_system(), path, &config)
        .map_err(|status| status.context("--options_file"))?;
    for diagnostic in &file.diagnostics {
        eprintln!("warning: {}: {diagnostic}", path.display());
    }
    let mut family = file.column_families.into_iter().find(|family| *family.name == *b"default");
    let mut family = family
        .take()
        .ok_or_else(|| {
            Status::invalid_argument(format!(
                "--options_file={}: there is no section for the family default",
                path.display()
            ))
        })?
        .options;
    if family.table.filter_policy.is_none() {
        family.table.filter_policy = family_options::filter_policy(flags);
    }
    for flag in overruled(flags) {
        eprintln!("note: --{flag} changes nothing: options come from --options_file");
    }
    Ok((file.db, family))
}

/// Flags that were given and whose options the file decides.
fn overruled(flags: &Flags) -> Vec<&'static str> {
    let given = flags.changed().map(|(flag, _)| flag);
    given.filter(|flag| flag.support.option().is_some()).map(|flag| flag.name).collect()
}

#[cfg(test)]
mod tests;
