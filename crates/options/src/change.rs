//! Changing the options of a database that is open: those whose rows say `mutable`, all that are
//! named or none.
//!
//! Names are looked up as RocksDB does it. What it gave up it mostly still takes here, without
//! effect. A fixed option that names an object may be "changed" to the object it has.

use crate::config::{ConfigOptions, Diagnostic, Remark};
use crate::options_struct::{Configurable, to_status};
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use crate::schema::{OptionInfo, OptionStruct};
use crate::table_factory::TableFactory;
use crate::value::Context;
use base::{Result, Status};

/// Names that RocksDB gave up and that it takes while a database is open.
const LEGACY_DB: &[&str] = &["allow_os_buffer", "base_background_compactions"];
/// Of column families. The others that it gave up it calls fixed.
const LEGACY_FIXED: &[&str] = &[
    "compaction_measure_io_stats",
    "purge_redundant_kvs_while_flush",
    "level_compaction_dynamic_file_size",
    "max_mem_compaction_level",
    "max_write_buffer_number_to_maintain",
    "rate_limit_delay_max_milliseconds",
];

/// What a name stands for.
enum Named {
    Mutable,
    Fixed(&'static OptionInfo),
    Legacy,
    Unknown,
}

fn find<S: OptionStruct>(name: &str) -> Named {
    let alias_of =
        |name: &str| S::aliases().iter().find(|alias| alias.name == name).map(|alias| alias.target);
    let row_of = |name: &str| S::row(alias_of(name).unwrap_or(name));
    if S::legacy().iter().any(|legacy| legacy.name == name) {
        return Named::Legacy;
    }
    let owner = || name.split_once('.').and_then(|(owner, _)| row_of(owner));
    match row_of(name).or_else(owner).map(|row| &row.info) {
        Some(info) if info.mutable => Named::Mutable,
        Some(info) => Named::Fixed(info),
        None => Named::Unknown,
    }
}

/// Sets options one after the other in a copy.
fn apply<S: Configurable>(
    options: &S,
    changes: &[(&str, &str)],
    config: &ConfigOptions,
    may_change: impl Fn(&str, &str) -> Result<bool>,
) -> Result<(S, Vec<Diagnostic>)> {
    let mut changed = options.clone();
    let mut context = Context::new(config);
    for (name, value) in changes {
        if may_change(name, value)? {
            changed.configure(name, value, &mut context).map_err(|error| to_status(error, name))?;
        }
    }
    let remarks = context.diagnostics;
    match remarks.iter().find(|said| said.remark == Remark::NotRegistered) {
        Some(said) => Err(Status::invalid_argument(format!("option {said}"))),
        None => Ok((changed, remarks)),
    }
}

impl DbOptions {
    /// These options with `changes` (names and values), and what there is to say about them. In a
    /// name, `a.b` is the field `b` of the option `a`.
    ///
    /// # Errors
    /// As RocksDB gives them: `NotFound` for options that are not known or cannot be changed,
    /// `InvalidArgument` for values; each names the option.
    pub fn changed(
        &self,
        changes: &[(&str, &str)],
        config: &ConfigOptions,
    ) -> Result<(Self, Vec<Diagnostic>)> {
        apply(self, changes, config, |name, _| match find::<Self>(name) {
            Named::Mutable => Ok(true),
            Named::Legacy if LEGACY_DB.contains(&name) => Ok(true),
            Named::Fixed(_) => Err(Status::not_found(format!(
                "Unrecognized option: {name} (it cannot be changed while the database is open)"
            ))),
            Named::Legacy | Named::Unknown => {
                Err(Status::not_found(format!("Unrecognized option: {name}")))
            }
        })
    }
}

impl ColumnFamilyOptions {
    /// As [`DbOptions::changed`]. Options of the table format are changed as
    /// `block_based_table_factory={a=b;…}`, or one as `table_factory.a`.
    ///
    /// # Errors
    /// `InvalidArgument` that names the option, for one that is not known or cannot be changed and
    /// for a bad value.
    pub fn changed(
        &self,
        changes: &[(&str, &str)],
        config: &ConfigOptions,
    ) -> Result<(Self, Vec<Diagnostic>)> {
        let (changed, remarks) = apply(self, changes, config, |name, value| {
            let is_present = |info: &'static OptionInfo| self.is_present_object(info, value);
            match find::<Self>(name) {
                Named::Mutable => self.check_table_format(name).map(|()| true),
                Named::Legacy if !LEGACY_FIXED.contains(&name) => Ok(true),
                Named::Fixed(info) if is_present(info) => Ok(false),
                Named::Legacy | Named::Fixed(_) => {
                    Err(Status::invalid_argument(format!("Option not changeable: {name}")))
                }
                Named::Unknown => Err(Status::invalid_argument(format!(
                    "Could not find option: {name}: no column family has one of this name"
                ))),
            }
        })?;
        if changed.table_factory != self.table_factory {
            return Err(Status::invalid_argument(format!(
                "Option not changeable: table_factory is {}, and cannot become {} while the \
                 database is open",
                self.table_factory.name(),
                changed.table_factory.name()
            )));
        }
        Ok((changed, remarks))
    }

    /// Whether a fixed option names an object, and `value` names the same.
    fn is_present_object(&self, info: &OptionInfo, value: &str) -> bool {
        let is_object = matches!(
            info.type_name().as_str(),
            "object" | "comparator" | "merge operator" | "prefix extractor" | "memtable factory"
        );
        is_object && self.get(info.name).is_some_and(|present| present == value)
    }

    /// Options of a format can be changed where that is the format.
    fn check_table_format(&self, name: &str) -> Result<()> {
        let of = match name.split('.').next() {
            Some("block_based_table_factory") => TableFactory::BlockBased,
            Some("plain_table_factory") => TableFactory::Plain,
            _ => return Ok(()),
        };
        match of == self.table_factory {
            true => Ok(()),
            false => Err(Status::invalid_argument(format!(
                "Cannot modify {} as {name}",
                self.table_factory.name()
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
