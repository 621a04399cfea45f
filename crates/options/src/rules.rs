//! Whether options make sense: each in its range, and together.
//!
//! [`faults`] tells all that is wrong, [`check`] is what an open asks. The rules about more than
//! one option are lists (`rules/`), an entry each: the option to name, what is wrong and what to do
//! about it, and a pure function that says whether it is so. They are RocksDB's, with its codes.

mod family;
mod of_database;
mod of_tables;

use crate::fault::Fault;
use crate::schema::OptionStruct;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use crate::table_factory::TableFactory;
use base::status::Code;
use base::{ColumnFamilyName, Result};

/// A rule that a function of type `F` tests.
struct Rule<F> {
    /// The option to name.
    option: &'static str,
    /// The code of the error.
    code: Code,
    /// What is wrong and what to do, after `option=value `.
    remedy: &'static str,
    is_broken: F,
}

type DatabaseRule = Rule<fn(&DbOptions) -> bool>;
type FamilyRule = Rule<fn(&Family<'_>) -> bool>;

const fn invalid<F>(option: &'static str, remedy: &'static str, is_broken: F) -> Rule<F> {
    Rule { option, code: Code::InvalidArgument, remedy, is_broken }
}

const fn unsupported<F>(option: &'static str, remedy: &'static str, is_broken: F) -> Rule<F> {
    Rule { option, code: Code::NotSupported, remedy, is_broken }
}

impl<F> Rule<F> {
    fn fault(
        &self,
        is_broken: impl Fn(&F) -> bool,
        value_of: impl Fn(&str) -> Option<String>,
    ) -> Option<Fault> {
        let value = || value_of(self.option).unwrap_or_default();
        is_broken(&self.is_broken).then(|| Fault::new(self.option, value(), self.remedy, self.code))
    }
}

/// A column family and the database that it is in.
struct Family<'o> {
    db: &'o DbOptions,
    options: &'o ColumnFamilyOptions,
    is_default: bool,
}

/// What is wrong with the options of a database and of these column families: the options, and how
/// they go together.
pub fn faults<'o>(
    db: &DbOptions,
    families: impl IntoIterator<Item = (&'o ColumnFamilyName, &'o ColumnFamilyOptions)>,
) -> Vec<Fault> {
    let mut found = Vec::new();
    for (name, options) in families {
        found.extend(family_faults(db, name, options));
    }
    found.extend(db.row_faults());
    let rules = of_database::RULES.iter();
    found.extend(rules.filter_map(|rule| rule.fault(|test| test(db), |option| db.get(option))));
    found
}

/// As [`faults`], of one column family.
pub fn family_faults(
    db: &DbOptions,
    name: &ColumnFamilyName,
    options: &ColumnFamilyOptions,
) -> Vec<Fault> {
    let is_default = *name == *crate::options_file::DEFAULT_COLUMN_FAMILY;
    let family = Family { db, options, is_default };
    let fault = |rule: &FamilyRule| rule.fault(|test| test(&family), |option| options.get(option));
    let rules = family::RULES.iter().chain(family::BLOB_RULES);
    let mut found: Vec<Fault> = rules.filter_map(fault).collect();
    let mut rows = options.row_faults();
    if options.table_factory == TableFactory::BlockBased {
        found.extend(of_tables::RULES.iter().filter_map(fault));
        let table = options.table.row_faults().into_iter();
        rows.extend(table.map(|fault| fault.within("table_factory")));
    }
    rows.retain(|fault| family::has_a_say(options, &fault.option));
    found.extend(rows);
    let owner = format!("column family {name}");
    found.into_iter().map(|fault| fault.of(&owner)).collect()
}

/// Fails with the first of [`faults`] that keeps a database from being opened.
///
/// # Errors
/// `InvalidArgument` or `NotSupported`, as RocksDB; a sentence that names the option, its value and
/// what to do.
pub fn check(faults: &[Fault]) -> Result<()> {
    faults.iter().find_map(Fault::status).map_or(Ok(()), Err)
}

impl ColumnFamilyOptions {
    /// These options, those outside a range that corrects them with the nearest value inside.
    #[must_use]
    pub fn corrected(&self) -> Self {
        let mut corrected = self.clone();
        corrected.correct_rows();
        corrected.table.correct_rows();
        corrected
    }
}

#[cfg(test)]
mod tests;
