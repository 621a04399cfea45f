//! What two OPTIONS files say differently.

use crate::options_file::{ColumnFamilySection, OptionsFile};
use crate::schema::block_based::BlockBasedTableOptions;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
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
    let names = DbOptions::infos().map(|info| info.name);
    push(&mut sections, SectionChange::Db, names, |name| (old.db.get(name), new.db.get(name)));
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
    push(
        sections,
        |changes| SectionChange::ColumnFamily(family.clone(), changes),
        ColumnFamilyOptions::infos().map(|info| info.name),
        |name| (old.get(name), new.get(name)),
    );
    if old.table_factory == TableFactory::BlockBased && new.table_factory == old.table_factory {
        push(
            sections,
            |changes| SectionChange::Table(family.clone(), changes),
            BlockBasedTableOptions::infos().map(|info| info.name),
            |name| (old.table.get(name), new.table.get(name)),
        );
    }
}

fn push(
    sections: &mut Vec<SectionChange>,
    section: impl FnOnce(Vec<OptionChange>) -> SectionChange,
    names: impl Iterator<Item = &'static str>,
    values: impl Fn(&str) -> (Option<String>, Option<String>),
) {
    let changes: Vec<OptionChange> = names
        .filter_map(|option| match values(option) {
            (Some(old), Some(new)) if old != new => Some(OptionChange { option, old, new }),
            _ => None,
        })
        .collect();
    if !changes.is_empty() {
        sections.push(section(changes));
    }
}

#[cfg(test)]
mod tests;
