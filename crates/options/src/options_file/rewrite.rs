//! A file that is saved again in the place of another. Releases differ in the order of options and
//! in which of them they write; what is saved should differ from what was there in what has changed
//! alone.

use super::{OptionsFile, TABLE_OPTIONS, write_statements};
use crate::config::ConfigOptions;
use crate::ini::{self, Section};
use crate::option_string::{escape_bytes, inside_braces, split_pairs};
use crate::options_struct::Configurable;
use crate::release::Release;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use crate::schema::{OptionStruct, Row};
use crate::table_factory::TableFactory;
use base::Result;
use std::collections::HashMap;

impl OptionsFile {
    /// As [`OptionsFile::to_content`], in the order of `original`, the content of a file, and with
    /// its spelling of values that are the same. What `original` leaves out and has its default stays
    /// out. For the release that wrote `original` also what RocksDB gave up, or nobody knows, stays.
    ///
    /// # Errors
    /// As [`OptionsFile::parse`], for what is no OPTIONS file.
    pub fn to_content_like(&self, original: &[u8], release: Release) -> Result<Vec<u8>> {
        let sections = ini::parse(original)?;
        let config = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
        let old = Self::parse_content(original, &config)?;
        let original = Original { sections: &sections, is_same: old.rocksdb_version == release };
        let mut text = format!("[Version]\n  rocksdb_version={release}\n");
        text.push_str("  options_file_version=1.1\n\n[DBOptions]\n");
        let db = statements(&self.db, Some(&old.db), release, DbOptions::print_option);
        write_statements(&mut text, original.arrange("DBOptions", b"", db));
        let mut content = text.into_bytes();
        for family in &self.column_families {
            let (name, options) = (&family.name, &family.options);
            let title = format!("{TABLE_OPTIONS}{}", options.table_factory.name());
            let old = old.column_family(name);
            let family = statements(options, old, release, ColumnFamilyOptions::print_option);
            let table = table_statements(options, old, release);
            for (title, statements) in [("CFOptions", family), (&title, table)] {
                let mut text = String::new();
                write_statements(&mut text, original.arrange(title, name, statements));
                content.extend_from_slice(format!("\n[{title} \"").as_bytes());
                content.extend_from_slice(&escape_bytes(name));
                content.extend_from_slice(b"\"]\n");
                content.extend_from_slice(text.as_bytes());
            }
        }
        Ok(content)
    }
}

/// What may be written of an option.
struct Statement {
    name: &'static str,
    value: String,
    /// Whether it need not be written where it was not: the value is the default, or nothing, or the
    /// release does not know it.
    may_be_left_out: bool,
    /// Whether it was the same before.
    is_unchanged: bool,
}

fn statements<S: OptionStruct>(
    options: &S,
    old: Option<&S>,
    release: Release,
    print: impl Fn(&S, &'static Row<S>, Release) -> String,
) -> Vec<Statement> {
    let rows = S::rows().iter().filter(|row| row.info.written);
    let statement = |row: &'static Row<S>| {
        let value = print(options, row, release);
        let is_default = value == print(S::defaults(), row, release);
        let may_be_left_out = is_default || value.is_empty() || !release.has(row.info.since);
        let is_unchanged = old.is_some_and(|old| print(old, row, release) == value);
        Statement { name: row.info.name, value, may_be_left_out, is_unchanged }
    };
    rows.map(statement).collect()
}

fn table_statements(
    options: &ColumnFamilyOptions,
    old: Option<&ColumnFamilyOptions>,
    release: Release,
) -> Vec<Statement> {
    fn of<S: OptionStruct>(options: &S, old: Option<&S>, release: Release) -> Vec<Statement> {
        statements(options, old, release, |options, row, release| (row.print)(options, release))
    }
    match &options.table_factory {
        TableFactory::BlockBased => of(&options.table, old.map(|old| &old.table), release),
        TableFactory::Plain => of(&options.plain_table, old.map(|old| &old.plain_table), release),
        TableFactory::Cuckoo => {
            of(&options.cuckoo_table, old.map(|old| &old.cuckoo_table), release)
        }
        TableFactory::Other(_) => Vec::new(),
    }
}

/// The file that was there.
struct Original<'t> {
    sections: &'t [Section<'t>],
    /// Whether the same release is to read the new one.
    is_same: bool,
}

impl Original<'_> {
    /// Statements in the order of a section; those it did not have come last.
    fn arrange(
        &self,
        title: &str,
        argument: &[u8],
        statements: Vec<Statement>,
    ) -> Vec<(&str, String)> {
        let is_it =
            |section: &&Section<'_>| section.title == title && *section.argument == *argument;
        let Some(section) = self.sections.iter().find(is_it) else {
            let written = statements.into_iter().filter(|new| !new.value.is_empty());
            return written.map(|new| (new.name, new.value)).collect();
        };
        let mut rest: HashMap<&str, Statement> =
            statements.into_iter().map(|new| (new.name, new)).collect();
        let mut arranged: Vec<(&str, String)> = Vec::with_capacity(section.statements.len());
        for ini::Statement { name, value, .. } in &section.statements {
            match rest.remove(name) {
                Some(new) if new.is_unchanged => arranged.push((name, (*value).to_owned())),
                Some(new) => arranged.push((name, self.arrange_fields(value, new.value))),
                None if self.is_same => arranged.push((name, (*value).to_owned())),
                None => {}
            }
        }
        let mut new: Vec<Statement> =
            rest.into_values().filter(|new| !new.may_be_left_out).collect();
        new.sort_unstable_by_key(|new| new.name);
        arranged.extend(new.into_iter().map(|new| (new.name, new.value)));
        arranged
    }

    /// The fields of a struct in the order of `old`, if both are structs.
    fn arrange_fields(&self, old: &str, new: String) -> String {
        let fields = |text| inside_braces(text).and_then(|inside| split_pairs(inside).ok());
        let (Some(old), Some(mut rest)) = (fields(old), fields(&new)) else { return new };
        let mut arranged = String::from("{");
        for (name, value) in old {
            let value = match rest.iter().position(|(other, _)| *other == name) {
                Some(at) => rest.remove(at).1,
                None if self.is_same => value,
                None => continue,
            };
            arranged.extend([name, "=", value, ";"]);
        }
        for (name, value) in rest.into_iter().filter(|_| !self.is_same) {
            arranged.extend([name, "=", value, ";"]);
        }
        arranged.push('}');
        arranged
    }
}

#[cfg(test)]
mod tests;
