//! The option `table_factory`: the format of new tables, and its options.
//!
//! `table_factory` is a name or `{id=name;a=b;…}`; `table_factory.a` is one option of the format.
//! `block_based_table_factory` and `plain_table_factory` take `{a=b;…}` for a format that is fixed.
//! In OPTIONS files `table_factory` is a name alone, and a section of its own has the options.

use crate::object_value::ObjectId;
use crate::option_string::split_pairs;
use crate::options_struct::Configurable;
use crate::release::Release;
use crate::schema::OptionStruct;
use crate::schema::block_based::BlockBasedTableOptions;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::plain::{CuckooTableOptions, PlainTableOptions};
use crate::value::{Context, OptionValue, SetError, bad};

/// A format of tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TableFactory {
    /// `BlockBasedTable`; its options are [`ColumnFamilyOptions::table`].
    #[default]
    BlockBased,
    /// `PlainTable`, which this engine does not read.
    Plain,
    /// `CuckooTable`, which this engine does not read.
    Cuckoo,
    /// Any other, by its name.
    Other(String),
}

impl TableFactory {
    /// The format of this name.
    pub fn from_name(name: &str) -> Self {
        match name {
            "BlockBasedTable" => Self::BlockBased,
            "PlainTable" => Self::Plain,
            "CuckooTable" => Self::Cuckoo,
            _ => Self::Other(name.to_owned()),
        }
    }

    /// The name in option strings and OPTIONS files.
    pub fn name(&self) -> &str {
        match self {
            Self::BlockBased => "BlockBasedTable",
            Self::Plain => "PlainTable",
            Self::Cuckoo => "CuckooTable",
            Self::Other(name) => name,
        }
    }
}

impl OptionValue for TableFactory {
    fn type_name() -> String {
        "TableFactory".to_owned()
    }

    fn set(&mut self, text: &str, _context: &mut Context<'_>) -> Result<(), SetError> {
        let id = ObjectId::parse(text, "");
        if id.id.is_empty() {
            return bad(format!("expected the name of a table format, found {text:?}"));
        }
        *self = Self::from_name(id.id);
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        self.name().to_owned()
    }
}

impl ColumnFamilyOptions {
    /// Sets `name` if it is one of the options this module describes.
    pub(crate) fn set_table_option(
        &mut self,
        name: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> Option<Result<(), SetError>> {
        let (owner, field) = match name.split_once('.') {
            Some((owner, field)) => (owner, Some(field)),
            None => (name, None),
        };
        let only = match owner {
            "table_factory" => None,
            "block_based_table_factory" => Some(TableFactory::BlockBased),
            "plain_table_factory" => Some(TableFactory::Plain),
            _ => return None,
        };
        Some(match (field, only) {
            (Some("id"), None) => self.table_factory.set(text, context),
            (Some(field), only) => {
                let factory = only.unwrap_or_else(|| self.table_factory.clone());
                self.set_table_field(&factory, field, text, context)
            }
            (None, None) => {
                let ObjectId { id, properties } = ObjectId::parse(text, "BlockBasedTable");
                let factory = TableFactory::from_name(id);
                self.set_table_fields(factory, &properties, context)
            }
            (None, Some(factory)) => match split_pairs(text) {
                Ok(properties) => self.set_table_fields(factory, &properties, context),
                Err(error) => bad(error),
            },
        })
    }

    fn set_table_fields(
        &mut self,
        factory: TableFactory,
        properties: &[(&str, &str)],
        context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        for (field, text) in properties {
            self.set_table_field(&factory, field, text, context)?;
        }
        self.table_factory = factory;
        Ok(())
    }

    /// Sets one option of a format.
    pub(crate) fn set_table_field(
        &mut self,
        factory: &TableFactory,
        field: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        let result = match factory {
            TableFactory::BlockBased => self.table.configure(field, text, context),
            TableFactory::Plain => self.plain_table.set_or_remark(field, text, context),
            TableFactory::Cuckoo => self.cuckoo_table.set_or_remark(field, text, context),
            TableFactory::Other(_) => {
                context.remark(crate::config::Remark::Unknown, field, text);
                Ok(())
            }
        };
        result.map_err(|error| match error {
            SetError::UnknownName(name) => {
                SetError::UnknownName(format!("{}.{name}", factory.name()))
            }
            bad @ SetError::BadValue(_) => bad,
        })
    }

    /// Chooses a format and gives it its default options.
    pub(crate) fn reset_table(&mut self, factory: TableFactory) {
        match factory {
            TableFactory::BlockBased => self.table = BlockBasedTableOptions::default(),
            TableFactory::Plain => self.plain_table = PlainTableOptions::default(),
            TableFactory::Cuckoo => self.cuckoo_table = CuckooTableOptions::default(),
            TableFactory::Other(_) => {}
        }
        self.table_factory = factory;
    }

    /// The format's options as OPTIONS files print them: names and values in order.
    pub(crate) fn print_table_options(&self, release: Release) -> Vec<(&'static str, String)> {
        fn printed<S: OptionStruct>(options: &S, release: Release) -> Vec<(&'static str, String)> {
            let rows = S::written_rows(release);
            rows.map(|row| (row.info.name, (row.print)(options, release))).collect()
        }
        match &self.table_factory {
            TableFactory::BlockBased => {
                let rows = BlockBasedTableOptions::written_rows(release);
                rows.map(|row| (row.info.name, self.table.print_option(row, release))).collect()
            }
            TableFactory::Plain => printed(&self.plain_table, release),
            TableFactory::Cuckoo => printed(&self.cuckoo_table, release),
            TableFactory::Other(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
