//! OPTIONS files.
//!
//! ```text
//! [Version]
//!   rocksdb_version=7.8.3
//!   options_file_version=1.1
//! [DBOptions]
//!   name=value
//! [CFOptions "default"]
//!   comparator=leveldb.BytewiseComparator
//! [TableOptions/BlockBasedTable "default"]
//!   format_version=5
//! ```
//!
//! There is one `DBOptions`, and a `CFOptions` for every column family, `default` first; the
//! options of a family's table format come anywhere after it. `Version` may be missing. A name
//! that is given twice in a section counts as it was given first.
//!
//! A name that is not known is an error, for it may be damage or matter for the data, unless the
//! caller tolerates it *and* the file says to be of a newer release than the reader. Then values
//! that are not understood are passed over too.

mod rewrite;
mod written_release;

use crate::config::{ConfigOptions, Diagnostic, Remark};
use crate::ini::{self, Section, Statement, at_line};
use crate::option_string::escape_bytes;
use crate::options_struct::{Configurable, to_status};
use crate::release::{Release, numbers};
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;
use crate::table_factory::TableFactory;
use crate::value::{Context, SetError};
use base::filename::{FileType, parse_file_name};
use base::status::SubCode;
use base::{ColumnFamilyName, Result, Status};
use env::{FileSystem, read_file_to_vec};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Name of the column family every database has.
pub(crate) const DEFAULT_COLUMN_FAMILY: &str = "default";
const TABLE_OPTIONS: &str = "TableOptions/";
/// Ten thousand column families need about a tenth of this.
const SIZE_MAX_BYTES: u64 = 1 << 30;

/// What an OPTIONS file says.
#[derive(Clone, Debug, Default)]
pub struct OptionsFile {
    /// The release that wrote it; all zero if it does not say.
    pub rocksdb_version: Release,
    /// Options of the database.
    pub db: DbOptions,
    /// Options of the column families, `default` first.
    pub column_families: Vec<ColumnFamilySection>,
    /// What there is to say about single options.
    pub diagnostics: Vec<Diagnostic>,
}

/// A column family in an [`OptionsFile`].
#[derive(Clone, Debug)]
pub struct ColumnFamilySection {
    /// The family's name.
    pub name: ColumnFamilyName,
    /// The family's options.
    pub options: ColumnFamilyOptions,
}

impl OptionsFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// `InvalidArgument` that names file, line and option; `Corruption` where a section that must
    /// be there is not, or the file is no text.
    pub fn read(fs: &dyn FileSystem, path: &Path, config: &ConfigOptions) -> Result<Self> {
        Self::parse(path, &read_file_to_vec(fs, path, SIZE_MAX_BYTES)?, config)
    }

    /// Reads the newest OPTIONS file of a database, and says which it was.
    ///
    /// # Errors
    /// As [`OptionsFile::read`]; `NotFound` if there is none.
    pub fn latest(
        fs: &dyn FileSystem,
        db_path: &Path,
        config: &ConfigOptions,
    ) -> Result<(PathBuf, Self)> {
        let Some(path) = Self::latest_path(fs, db_path)? else {
            let message = format!("no OPTIONS file in {}", db_path.display());
            return Err(Status::not_found(message).with_subcode(SubCode::PathNotFound));
        };
        let file = Self::read(fs, &path, config)?;
        Ok((path, file))
    }

    /// The path of the newest OPTIONS file of a database, if there is one.
    pub fn latest_path(fs: &dyn FileSystem, db_path: &Path) -> Result<Option<PathBuf>> {
        let numbered = fs.get_children(db_path)?.into_iter().filter_map(|name| {
            match parse_file_name(&name)? {
                (number, FileType::Options) => Some((number, name)),
                _ => None,
            }
        });
        Ok(numbered.max().map(|(_, name)| db_path.join(name)))
    }

    /// Takes the content of the file at `path` apart.
    ///
    /// # Errors
    /// As [`OptionsFile::read`].
    pub fn parse(path: &Path, content: &[u8], config: &ConfigOptions) -> Result<Self> {
        Self::parse_content(content, config).map_err(|status| status.context(path.display()))
    }

    fn parse_content(content: &[u8], config: &ConfigOptions) -> Result<Self> {
        let sections = ini::parse(content)?;
        let config = ConfigOptions { input_strings_escaped: true, ..config.clone() };
        let mut context = Context::new(&config);
        context.exhaustive = true;
        let mut loader = Loader::default();
        for section in &sections {
            loader.load(section, &mut context)?;
        }
        if !loader.titles.contains("DBOptions") {
            return Err(Status::corruption("expected a section [DBOptions], found none"));
        }
        if loader.file.column_families.is_empty() {
            return Err(Status::corruption(
                "expected a section [CFOptions \"default\"], found none",
            ));
        }
        Ok(loader.file)
    }

    /// The options of a column family.
    pub fn column_family(&self, name: impl AsRef<[u8]>) -> Option<&ColumnFamilyOptions> {
        let name = name.as_ref();
        let found = self.column_families.iter().find(|section| *section.name == *name);
        Some(&found?.options)
    }

    /// The content of an OPTIONS file that `release` reads, from 6.12 on: without options that came
    /// later. Text, but for names of column families that are none.
    pub fn to_content(&self, release: Release) -> Vec<u8> {
        let mut content = Self::opening(&self.db, release);
        for ColumnFamilySection { name, options } in &self.column_families {
            ColumnFamilyText::of(options, release).append_to(&mut content, name);
        }
        content
    }

    /// What an OPTIONS file begins with: all before the column families. For those who have many
    /// of these, with texts that they keep.
    pub fn opening(db: &DbOptions, release: Release) -> Vec<u8> {
        let mut text = String::from("# Options of a database, in the format of RocksDB.\n\n");
        // Writing to a string cannot fail.
        let _ = write!(text, "[Version]\n  rocksdb_version={release}\n");
        text.push_str("  options_file_version=1.1\n\n[DBOptions]\n");
        write_statements(&mut text, db.print_written(release));
        text.into_bytes()
    }
}

/// The sections of a column family, without its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnFamilyText {
    options: String,
    table_factory: String,
    table_options: String,
}

impl ColumnFamilyText {
    /// Those of `options`, as `release` reads them.
    pub fn of(options: &ColumnFamilyOptions, release: Release) -> Self {
        let text_of = |statements: Vec<(&'static str, String)>| {
            let mut text = String::new();
            write_statements(&mut text, statements);
            text
        };
        Self {
            options: text_of(options.print_written(release)),
            table_factory: options.table_factory.name().to_owned(),
            table_options: text_of(options.print_table_options(release)),
        }
    }

    /// Appends them to the content of a file, for the column family `name`.
    pub fn append_to(&self, content: &mut Vec<u8>, name: &ColumnFamilyName) {
        let name = &*escape_bytes(name);
        let Self { options, table_factory, table_options } = self;
        for (title, of_title, statements) in
            [("CFOptions", "", options), (TABLE_OPTIONS, &**table_factory, table_options)]
        {
            for part in ["\n[", title, of_title, " \""] {
                content.extend_from_slice(part.as_bytes());
            }
            content.extend_from_slice(name);
            content.extend_from_slice(b"\"]\n");
            content.extend_from_slice(statements.as_bytes());
        }
    }
}

fn write_statements(text: &mut String, statements: Vec<(&str, String)>) {
    for (name, value) in statements {
        let _ = writeln!(text, "  {name}={value}");
    }
}

/// An [`OptionsFile`] on the way from its sections.
#[derive(Default)]
struct Loader<'t> {
    file: OptionsFile,
    /// Titles that may be there once, as far as they were.
    titles: HashSet<&'t str>,
    /// Places of column families by name.
    families: HashMap<ColumnFamilyName, usize>,
}

impl<'t> Loader<'t> {
    fn load(&mut self, section: &'t Section<'t>, context: &mut Context<'t>) -> Result<()> {
        let title = section.title;
        if matches!(title, "Version" | "DBOptions") && !self.titles.insert(title) {
            return Err(at_line(section.line, format_args!("found a second section [{title}]")));
        }
        let diagnostics = &mut self.file.diagnostics;
        match title {
            "Version" => self.load_version(section, context),
            "DBOptions" => {
                let db = &mut self.file.db;
                set_statements(section, context, diagnostics, |statement, context| {
                    db.configure(statement.name, statement.value, context)
                })
            }
            "CFOptions" => {
                let mut options = ColumnFamilyOptions::default();
                set_statements(section, context, diagnostics, |statement, context| {
                    options.configure(statement.name, statement.value, context)
                })?;
                self.add_family(section, options)
            }
            _ => match title.strip_prefix(TABLE_OPTIONS) {
                Some(factory) if !factory.is_empty() => self.load_table(factory, section, context),
                _ => Err(at_line(section.line, format_args!("unknown section [{title}]"))),
            },
        }
    }

    fn load_version(&mut self, section: &Section<'t>, context: &mut Context<'t>) -> Result<()> {
        for Statement { name, value, line } in &section.statements {
            let at = |status: Status| status.context(format_args!("line {line}: {name}"));
            match *name {
                "rocksdb_version" => {
                    self.file.rocksdb_version = Release::parse(value).map_err(at)?;
                }
                "options_file_version" => {
                    let [major, _] = numbers(value).map_err(at)?;
                    if major < 1 {
                        return Err(at_line(*line, format_args!("expected {name} 1 or newer")));
                    }
                }
                _ => context.remark(Remark::Unknown, name, value),
            }
            label(section, *line, context, &mut self.file.diagnostics);
        }
        // In a file of a release whose options are all known, an unknown one is damage.
        context.lenient &= self.file.rocksdb_version > context.config.reader;
        Ok(())
    }

    fn add_family(&mut self, section: &Section<'t>, options: ColumnFamilyOptions) -> Result<()> {
        let name = section.argument.clone();
        let families = &mut self.file.column_families;
        if families.is_empty() != (name == *DEFAULT_COLUMN_FAMILY) {
            let wrong = "expected [CFOptions \"default\"] once, before all other [CFOptions]";
            return Err(at_line(section.line, wrong));
        }
        if self.families.insert(name.clone(), families.len()).is_some() {
            let wrong = format_args!("found a second section [CFOptions {name:?}]");
            return Err(at_line(section.line, wrong));
        }
        families.push(ColumnFamilySection { name, options });
        Ok(())
    }

    fn load_table(
        &mut self,
        factory: &str,
        section: &'t Section<'t>,
        context: &mut Context<'t>,
    ) -> Result<()> {
        let Some(&family) = self.families.get(&section.argument) else {
            let name = &section.argument;
            let wrong = format_args!("expected [CFOptions {name:?}] before its table's options");
            return Err(at_line(section.line, wrong));
        };
        let options = &mut self.file.column_families[family].options;
        let factory = TableFactory::from_name(factory);
        options.reset_table(factory.clone());
        set_statements(section, context, &mut self.file.diagnostics, |statement, context| {
            options.set_table_field(&factory, statement.name, statement.value, context)
        })
    }
}

/// Gives each statement of a section to `set`, the first of each name.
fn set_statements<'t>(
    section: &'t Section<'t>,
    context: &mut Context<'t>,
    diagnostics: &mut Vec<Diagnostic>,
    mut set: impl FnMut(&'t Statement<'t>, &mut Context<'t>) -> std::result::Result<(), SetError>,
) -> Result<()> {
    let mut names = HashSet::with_capacity(section.statements.len());
    for statement in &section.statements {
        let Statement { name, value, line } = statement;
        if names.insert(*name) {
            set(statement, context).map_err(|error| {
                to_status(error, name).context(format_args!("line {line}: [{section}]"))
            })?;
        } else {
            context.remark(Remark::Repeated, name, value);
        }
        label(section, *line, context, diagnostics);
    }
    Ok(())
}

/// Says in the context's new diagnostics where they come from, and moves them.
fn label(
    section: &Section<'_>,
    line: u32,
    context: &mut Context<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    diagnostics.extend(context.diagnostics.drain(..).map(|mut diagnostic| {
        diagnostic.section = section.to_string();
        diagnostic.line = line;
        diagnostic
    }));
}

#[cfg(test)]
mod tests;
