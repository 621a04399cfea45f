//! What two OPTIONS files say differently.

use crate::options_file::{ColumnFamilySection, OptionsFile};
use crate::options_struct::Configurable;
use crate::release::Release;
use crate::schema::Row;
use crate::schema::cf::ColumnFamilyOptions;
use crate::table_factory::TableFactory;
use base::ColumnFamilyName;

/// One option that two OPTIONS files have different values of. What a file does not say has the
/// default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionChange {
    /// The option's name.
    pub option: &'static str,
    /// Its value in the first file, as OPTIONS files have it.
    pub old: String,
    /// Its value in the second file.
    pub new: String,
}

/// What differs in a section of OPTIONS files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionChange {
    /// Options of the database.
    Db(Vec<OptionChange>),
    /// Options of a column family that both have.
    ColumnFamily(ColumnFamilyName, Vec<OptionChange>),
    /// Options of its tables.
    Table(ColumnFamilyName, Vec<OptionChange>),
    /// A column family that only the first file has.
    Removed(ColumnFamilyName),
    /// A column family that only the second file has.
    Added(ColumnFamilyName),
}

/// What `new` says differently from `old`: sections with differences only.
pub fn difference(old: &OptionsFile, new: &OptionsFile) -> Vec<SectionChange> {
    let mut sections = Vec::new();
    push(&mut sections, SectionChange::Db, changes(&old.db, &new.db));
    for ColumnFamilySection { name, options } in &old.column_families {
        match new.column_family(name) {
            None => sections.push(SectionChange::Removed(name.clone())),
            Some(options_now) => family_difference(&mut sections, name, options, options_now),
        }
    }
    let added =
        new.column_families.iter().filter(|family| old.column_family(&family.name).is_none());
    sections.extend(added.map(|family| SectionChange::Added(family.name.clone())));
    sections
}

fn family_difference(
    sections: &mut Vec<SectionChange>,
    family: &ColumnFamilyName,
    old: &ColumnFamilyOptions,
    new: &ColumnFamilyOptions,
) {
    let of_family = |changes| SectionChange::ColumnFamily(family.clone(), changes);
    push(sections, of_family, changes(old, new));
    if old.table_factory == TableFactory::BlockBased && new.table_factory == old.table_factory {
        let of_table = |changes| SectionChange::Table(family.clone(), changes);
        push(sections, of_table, changes(&old.table, &new.table));
    }
}

/// The options that have different values.
pub(crate) fn changes<S: Configurable>(old: &S, new: &S) -> Vec<OptionChange> {
    let change = |row: &'static Row<S>| {
        let print = |options: &S| options.print_option(row, Release::NEWEST_KNOWN);
        let (old, new) = (print(old), print(new));
        (old != new).then_some(OptionChange { option: row.info.name, old, new })
    };
    S::rows().iter().filter_map(change).collect()
}

fn push(
    sections: &mut Vec<SectionChange>,
    section: impl FnOnce(Vec<OptionChange>) -> SectionChange,
    changes: Vec<OptionChange>,
) {
    if !changes.is_empty() {
        sections.push(section(changes));
    }
}

#[cfg(test)]
mod tests;
