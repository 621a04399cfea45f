//! What programs do with structs of options: read, change and print them as text.

use crate::config::{ConfigOptions, Diagnostic};
use crate::object_value::Object;
use crate::option_string::{inside_braces, quote, split_pairs};
use crate::release::Release;
use crate::schema::block_based::BlockBasedTableOptions;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use crate::schema::{LegacyOption, ObjectInfo, OptionAlias, OptionInfo, OptionStruct, Row};
use crate::table_factory::TableFactory;
use crate::value::{Context, SetError};
use base::{Result, Status};

pub(crate) fn to_status(error: SetError, name: &str) -> Status {
    Status::invalid_argument(match error {
        SetError::UnknownName(unknown) => format!("unknown option {unknown}"),
        SetError::BadValue(why) => format!("option {name}: {why}"),
    })
}

fn print_field<S: Configurable>(options: &S, owner: &str, field: &str) -> Option<String> {
    field.split('.').try_fold(options.print_named(owner)?, |value, field| {
        let fields = split_pairs(inside_braces(&value)?).ok()?;
        fields.into_iter().find(|(name, _)| *name == field).map(|(_, text)| text.to_owned())
    })
}

/// A struct whose options have names of their own in OPTIONS files.
pub(crate) trait Configurable: OptionStruct + Clone {
    /// Sets one option.
    fn configure(
        &mut self,
        name: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> std::result::Result<(), SetError> {
        self.set_or_remark(name, text, context)
    }

    /// The option's value as text.
    fn print_option(&self, row: &'static Row<Self>, release: Release) -> String {
        (row.print)(self, release)
    }

    /// Sets one option, all or nothing.
    fn apply_one(
        &mut self,
        name: &str,
        value: &str,
        config: &ConfigOptions,
    ) -> Result<Vec<Diagnostic>> {
        self.apply_all(&[(name, value)], config)
    }

    /// Sets the options in `a=b;c=d`, all or nothing.
    fn apply_text(&mut self, text: &str, config: &ConfigOptions) -> Result<Vec<Diagnostic>> {
        let pairs = split_pairs(text)
            .map_err(|error| Status::invalid_argument(format!("option string {error}: {text}")))?;
        self.apply_all(&pairs, config)
    }

    fn apply_all(
        &mut self,
        pairs: &[(&str, &str)],
        config: &ConfigOptions,
    ) -> Result<Vec<Diagnostic>> {
        let mut changed = self.clone();
        let mut context = Context::new(config);
        for (name, value) in pairs {
            changed.configure(name, value, &mut context).map_err(|error| to_status(error, name))?;
        }
        let diagnostics = context.diagnostics;
        *self = changed;
        Ok(diagnostics)
    }

    fn print_named(&self, name: &str) -> Option<String> {
        if let Some((owner, field)) = name.split_once('.') {
            return self.print_field(owner, field);
        }
        let alias = Self::aliases().iter().find(|alias| alias.name == name);
        let row = Self::row(alias.map_or(name, |alias| alias.target))?;
        Some(self.print_option(row, Release::NEWEST_KNOWN))
    }

    /// The field `field`, which may have dots in it, of the option `owner`.
    fn print_field(&self, owner: &str, field: &str) -> Option<String> {
        print_field(self, owner, field)
    }

    /// The options that this engine does not act on and that are not the default, with their
    /// values.
    fn list_unhonoured(&self) -> Vec<(String, String)> {
        self.unhonoured_rows(|options, row| options.print_option(row, Release::NEWEST_KNOWN))
    }

    /// The options OPTIONS files of `release` have, with their values, without those that are
    /// empty.
    fn print_written(&self, release: Release) -> Vec<(&'static str, String)> {
        let rows = Self::written_rows(release);
        let printed = rows.map(|row| (row.info.name, self.print_option(row, release)));
        printed.filter(|(_, value)| !value.is_empty()).collect()
    }
}

impl Configurable for DbOptions {}

impl Configurable for BlockBasedTableOptions {
    fn configure(
        &mut self,
        name: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> std::result::Result<(), SetError> {
        // Where these are part of other options, theirs are in the context.
        let outer =
            std::mem::replace(&mut context.object_texts, std::mem::take(&mut self.object_texts));
        let result = self.set_or_remark(name, text, context);
        self.object_texts = std::mem::replace(&mut context.object_texts, outer);
        result
    }

    fn print_option(&self, row: &'static Row<Self>, release: Release) -> String {
        let object = self.object(row.info.name);
        let text = object.and_then(|object| self.object_texts.text(row.info.name, &object));
        text.map_or_else(|| (row.print)(self, release), str::to_owned)
    }
}

impl Configurable for ColumnFamilyOptions {
    fn configure(
        &mut self,
        name: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> std::result::Result<(), SetError> {
        context.object_texts = std::mem::take(&mut self.object_texts);
        let result = match self.set_table_option(name, text, context) {
            Some(result) => context.or_remark(result, name, text),
            None => self.set_or_remark(name, text, context),
        };
        self.object_texts = std::mem::take(&mut context.object_texts);
        result
    }

    fn print_option(&self, row: &'static Row<Self>, release: Release) -> String {
        let object = self.object(row.info.name);
        let text = object.and_then(|object| self.object_texts.text(row.info.name, &object));
        text.map_or_else(|| (row.print)(self, release), str::to_owned)
    }

    fn print_field(&self, owner: &str, field: &str) -> Option<String> {
        match (owner, &self.table_factory) {
            ("table_factory" | "block_based_table_factory", TableFactory::BlockBased) => {
                self.table.print_named(field)
            }
            _ => print_field(self, owner, field),
        }
    }

    fn list_unhonoured(&self) -> Vec<(String, String)> {
        let mut listed =
            self.unhonoured_rows(|options, row| options.print_option(row, Release::NEWEST_KNOWN));
        if self.table_factory == TableFactory::BlockBased {
            listed.extend(self.table.list_unhonoured());
        }
        listed
    }
}

impl BlockBasedTableOptions {
    fn object(&self, option: &str) -> Option<Object> {
        (option == "flush_block_policy_factory")
            .then(|| Object::FlushBlockPolicyFactory(self.flush_block_policy_factory.clone()))
    }

    /// As [`ColumnFamilyOptions::unregistered`].
    pub fn unregistered(&self, option: &str) -> Option<&str> {
        self.object_texts.unregistered(option, &self.object(option)?)
    }
}

impl ColumnFamilyOptions {
    fn object(&self, option: &str) -> Option<Object> {
        Some(match option {
            "comparator" => Object::Comparator(self.comparator.clone()),
            "memtable_factory" => Object::MemTableRepFactory(self.memtable_factory.clone()),
            "merge_operator" => Object::MergeOperator(self.merge_operator.clone()),
            "prefix_extractor" => Object::SliceTransform(self.prefix_extractor.clone()),
            "memtable_insert_with_hint_prefix_extractor" => {
                Object::SliceTransform(self.memtable_insert_with_hint_prefix_extractor.clone())
            }
            "compaction_filter" => Object::CompactionFilter(self.compaction_filter.clone()),
            "compaction_filter_factory" => {
                Object::CompactionFilterFactory(self.compaction_filter_factory.clone())
            }
            "sst_partitioner_factory" => {
                Object::SstPartitionerFactory(self.sst_partitioner_factory.clone())
            }
            "table_properties_collectors" => {
                Object::Collectors(self.table_properties_collector_factories.clone())
            }
            _ => return None,
        })
    }

    /// The name that an option whose value is an object was set to, where nobody had registered an
    /// object of that name and none was given since. Of a list the first such name. `table_factory.a`
    /// is an option of block-based tables.
    pub fn unregistered(&self, option: &str) -> Option<&str> {
        if let Some(field) = option.strip_prefix("table_factory.") {
            return self.table.unregistered(field);
        }
        self.object_texts.unregistered(option, &self.object(option)?)
    }

    /// Fails if `option` (as for [`ColumnFamilyOptions::unregistered`]) is not what was asked for.
    ///
    /// # Errors
    /// `InvalidArgument` with the option and the name.
    pub fn require_registered(&self, option: &str) -> Result<()> {
        match self.unregistered(option) {
            None => Ok(()),
            Some(name) => Err(Status::invalid_argument(format!(
                "option {option}: no object is registered under the name {name}"
            ))),
        }
    }
}

macro_rules! public_methods {
    ($($struct:ident),*) => {$(
        impl $struct {
            /// The defaults changed by an option string, for instance `a=1;b={c=2;d=3}`.
            ///
            /// # Errors
            /// `InvalidArgument` that names the option.
            pub fn from_string(text: &str) -> Result<Self> {
                let mut options = Self::default();
                options.apply_string(text, &ConfigOptions::default())?;
                Ok(options)
            }

            /// Sets the options in an option string: all, or on an error none. Says what there is
            /// to say about them.
            ///
            /// # Errors
            /// `InvalidArgument` that names the option.
            pub fn apply_string(
                &mut self,
                text: &str,
                config: &ConfigOptions,
            ) -> Result<Vec<Diagnostic>> {
                self.apply_text(text, config)
            }

            /// Sets one option. In `name`, `a.b` is the field `b` of the option `a`.
            ///
            /// # Errors
            /// `InvalidArgument` that names the option; it is then as it was.
            pub fn apply(
                &mut self,
                name: &str,
                value: &str,
                config: &ConfigOptions,
            ) -> Result<Vec<Diagnostic>> {
                self.apply_one(name, value, config)
            }

            /// The value of one option as OPTIONS files have it; none if there is no such option.
            /// `a.b` is the field `b` of the option `a`.
            pub fn get(&self, name: &str) -> Option<String> {
                self.print_named(name)
            }

            /// The options that this engine does not act on yet and that are not the default, with
            /// their values. `a.b` is the field `b` of the option `a`.
            pub fn unhonoured(&self) -> Vec<(String, String)> {
                self.list_unhonoured()
            }

            /// Every option, in the order of the documentation.
            pub fn infos() -> impl ExactSizeIterator<Item = &'static OptionInfo> {
                Self::rows().iter().map(|row| &row.info)
            }

            /// What only programs give: objects that no text has.
            pub fn object_infos() -> &'static [ObjectInfo] {
                Self::objects()
            }

            /// The names RocksDB gave up.
            pub fn legacy_options() -> &'static [LegacyOption] {
                Self::legacy()
            }

            /// Other names of options.
            pub fn option_aliases() -> &'static [OptionAlias] {
                Self::aliases()
            }
        }
    )*};
}

public_methods!(DbOptions, ColumnFamilyOptions, BlockBasedTableOptions);

fn join(pairs: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let pairs = pairs.into_iter();
    pairs.map(|(name, value)| format!("{name}={};", quote(&value))).collect()
}

impl DbOptions {
    /// An option string that [`DbOptions::from_string`] takes back.
    pub fn to_option_string(&self) -> String {
        join(self.print_written(Release::NEWEST_KNOWN))
    }
}

impl BlockBasedTableOptions {
    /// An option string that [`BlockBasedTableOptions::from_string`] takes back.
    pub fn to_option_string(&self) -> String {
        join(self.print_written(Release::NEWEST_KNOWN))
    }
}

impl ColumnFamilyOptions {
    /// An option string that [`ColumnFamilyOptions::from_string`] takes back, options of the table
    /// format included.
    pub fn to_option_string(&self) -> String {
        let release = Release::NEWEST_KNOWN;
        join(self.print_written(release).into_iter().map(|(name, value)| {
            if name != "table_factory" {
                return (name, value);
            }
            let options = join(self.print_table_options(release));
            (name, format!("{{id={value};{options}}}"))
        }))
    }
}

#[cfg(test)]
mod tests;
