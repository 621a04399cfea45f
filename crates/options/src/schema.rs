//! Every option once.
//!
//! A struct of options is a table of rows (`schema/*.rs`). A row is
//!
//! ```text
//! /// What it does, for people: the field's documentation and the text of docs/options.md.
//! field as "key": type = default, [range] fixed accepted 4.3 unwritten;
//! ```
//!
//! - `as "key"`: the name in texts, where it is not the field's.
//! - `[range]`: which values it can have, where not all of its type ([`crate::range`]).
//! - `fixed` or `mutable`: whether it can be changed while the database is open.
//! - `honoured`, `accepted` or `refused`: whether this engine acts on it. What is only accepted is
//!   kept, printed back, and reported when it is set; with what is refused set, no database opens.
//! - `4.3`: the first release that knows the name, as far as releases still at hand tell.
//! - `unwritten`: read, never written.
//!
//! From the rows come the struct with its defaults and setters, reading and printing by name, the
//! check of ranges, comparisons, and the documentation. Below the rows stand objects that only
//! programs give and no text names (`objects`), the names RocksDB gave up (`legacy`), whose values
//! have no effect, and other spellings of rows (`aliases`).

use crate::config::Remark;
use crate::fault::Fault;
use crate::option_string::split_pairs;
use crate::range::{Number, Outside, Range};
use crate::release::Release;
use crate::value::{Context, OptionValue, SetError, bad};

pub(crate) mod block_based;
pub(crate) mod cache;
pub(crate) mod cf;
pub(crate) mod compaction;
pub(crate) mod compression;
pub(crate) mod db;
pub(crate) mod db_path;
pub(crate) mod plain;

/// What is known of an option without a value.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// The name in option strings and OPTIONS files.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Whether it can be changed while the database is open.
    pub mutable: bool,
    /// Whether this engine acts on it.
    pub honoured: bool,
    /// Whether no database opens with another value than the default.
    pub refused: bool,
    /// Which values it can have.
    pub range: Range,
    /// The first release that knows the name, for instance `4.3`, as far as releases still at hand
    /// tell.
    pub since: &'static str,
    /// Whether OPTIONS files have it.
    pub written: bool,
    type_name: fn() -> String,
}

impl OptionInfo {
    /// Its type in words, for instance `u64` or `list of CompressionType`.
    pub fn type_name(&self) -> String {
        (self.type_name)()
    }
}

/// An object that only a program gives: no text has it.
#[derive(Clone, Copy, Debug)]
pub struct ObjectInfo {
    /// RocksDB's name of the field.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// RocksDB's type, without pointers.
    pub type_name: &'static str,
    /// How a program gives it; none if this engine has no such objects.
    pub given_as: Option<&'static str>,
}

/// A name RocksDB gave up; texts may have it, and its value has no effect.
#[derive(Clone, Copy, Debug)]
pub struct LegacyOption {
    /// The name.
    pub name: &'static str,
    /// The first release that knew it.
    pub since: &'static str,
}

/// Another name of an option.
#[derive(Clone, Copy, Debug)]
pub struct OptionAlias {
    /// The other name.
    pub name: &'static str,
    /// The option's name.
    pub target: &'static str,
    /// The first release that knew it.
    pub since: &'static str,
}

/// One option of the struct `S`.
pub(crate) struct Row<S: 'static> {
    pub(crate) info: OptionInfo,
    pub(crate) set: fn(&mut S, &str, &mut Context<'_>) -> Result<(), SetError>,
    pub(crate) set_field: fn(&mut S, &str, &str, &mut Context<'_>) -> Result<(), SetError>,
    pub(crate) print: fn(&S, Release) -> String,
    /// Where the value is a struct: its options that this engine does not act on.
    pub(crate) unhonoured: fn(&S) -> Vec<(String, String)>,
    pub(crate) number: fn(&S) -> Option<Number>,
    pub(crate) set_number: fn(&mut S, Number),
    /// Where the value is a struct: what is wrong with its options.
    pub(crate) faults: fn(&S) -> Vec<Fault>,
    /// Where the value is a struct: corrects its options.
    pub(crate) correct: fn(&mut S),
}

/// What a name stands for in a struct of options.
pub(crate) enum Entry<S: 'static> {
    Row(&'static Row<S>),
    Legacy,
}

/// A struct made of rows.
pub(crate) trait OptionStruct: Sized + Default + 'static {
    /// What the documentation calls it.
    const NAME: &'static str;
    fn rows() -> &'static [Row<Self>];
    fn objects() -> &'static [ObjectInfo];
    fn legacy() -> &'static [LegacyOption];
    fn aliases() -> &'static [OptionAlias];
    fn defaults() -> &'static Self;
    /// The row with this name, whatever release it came with.
    fn row(name: &str) -> Option<&'static Row<Self>>;
    /// Takes a text that has no `name=value` in it, if there is such a form.
    fn set_short_form(&mut self, text: &str) -> Result<(), SetError>;

    /// What `name` stands for to the release the context reads as.
    fn find(name: &str, context: &Context<'_>) -> Option<Entry<Self>> {
        let reader = context.config.reader;
        if let Some(row) = Self::row(name) {
            return reader.has(row.info.since).then_some(Entry::Row(row));
        }
        if let Some(alias) = Self::aliases().iter().find(|alias| alias.name == name) {
            let known = reader.has(alias.since);
            return Self::row(alias.target).filter(|_| known).map(Entry::Row);
        }
        let legacy = Self::legacy().iter().find(|legacy| legacy.name == name)?;
        reader.has(legacy.since).then_some(Entry::Legacy)
    }

    /// Sets one option. In `name`, `a.b` is the field `b` of the option `a`.
    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        let (row, field) = match Self::find(name, context) {
            Some(Entry::Legacy) => {
                context.remark(Remark::Legacy, name, text);
                return Ok(());
            }
            Some(Entry::Row(row)) => (row, None),
            None if Self::objects().iter().any(|object| object.name == name) => {
                return bad("only a program can give this object");
            }
            None => {
                let unknown = || SetError::UnknownName(name.to_owned());
                let (owner, field) = name.split_once('.').ok_or_else(unknown)?;
                match Self::find(owner, context) {
                    Some(Entry::Row(row)) => (row, Some(field)),
                    _ => return Err(unknown()),
                }
            }
        };
        context.option = row.info.name;
        let outer = context.enter(&row.info);
        let result = match field {
            None => (row.set)(self, text, context),
            Some(field) => (row.set_field)(self, field, text, context),
        };
        context.leave(outer);
        let print = |options| (row.print)(options, Release::NEWEST_KNOWN);
        let is_default = || print(self) == print(Self::defaults());
        let unsaid = !row.info.honoured && !context.inside_accepted;
        if unsaid && result.is_ok() && !(context.exhaustive && is_default()) {
            context.remark(Remark::NotHonoured, name, text);
        }
        result
    }

    /// Sets one option, or, where the context is lenient, remarks why not.
    fn set_or_remark(
        &mut self,
        name: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        let result = self.set_option(name, text, context);
        context.or_remark(result, name, text)
    }

    /// Sets the options in `a=b;c=d`.
    fn set_pairs(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        for (name, text) in split_pairs(text).map_err(SetError::BadValue)? {
            self.set_or_remark(name, text, context)?;
        }
        Ok(())
    }

    /// The rows that OPTIONS files of `release` have.
    fn written_rows(release: Release) -> impl Iterator<Item = &'static Row<Self>> {
        let rows = Self::rows().iter();
        rows.filter(move |row| row.info.written && release.has(row.info.since))
    }

    /// The options that this engine does not act on and that are not the default, with their
    /// values as `print` has them. `a.b` is the field `b` of an option `a` that is acted on.
    fn unhonoured_rows(
        &self,
        print: impl Fn(&Self, &'static Row<Self>) -> String,
    ) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for row in Self::rows() {
            let name = row.info.name;
            if row.info.honoured {
                let fields = (row.unhonoured)(self).into_iter();
                found.extend(fields.map(|(field, value)| (format!("{name}.{field}"), value)));
                continue;
            }
            let value = print(self, row);
            if value != print(Self::defaults(), row) {
                found.push((name.to_owned(), value));
            }
        }
        found
    }

    /// What is wrong with single options, whatever others are.
    fn row_faults(&self) -> Vec<Fault> {
        let mut found = Vec::new();
        for row in Self::rows() {
            let OptionInfo { name, range, refused, .. } = row.info;
            let print = |options| (row.print)(options, Release::NEWEST_KNOWN);
            if refused && print(self) != print(Self::defaults()) {
                found.push(Fault::refused(name, print(self), &print(Self::defaults())));
            }
            if (row.number)(self).is_some_and(|number| !range.holds(number)) {
                found.push(Fault::outside(name, print(self), range));
            }
            found.extend((row.faults)(self).into_iter().map(|fault| fault.within(name)));
        }
        found
    }

    /// Gives options outside a range that corrects them the nearest value inside.
    fn correct_rows(&mut self) {
        for row in Self::rows() {
            let range = &row.info.range;
            let is_outside = |number: &Number| !range.holds(*number);
            if range.outside() == Outside::Corrected
                && let Some(number) = (row.number)(self).filter(is_outside)
            {
                (row.set_number)(self, range.nearest(number));
            }
            (row.correct)(self);
        }
    }

    /// `name=value;` for every row that OPTIONS files have, those with an empty value too.
    fn print_pairs(&self, release: Release) -> String {
        let mut printed = String::new();
        for row in Self::written_rows(release) {
            printed.push_str(row.info.name);
            printed.push('=');
            printed.push_str(&(row.print)(self, release));
            printed.push(';');
        }
        printed
    }
}

/// A struct inside another is `{a=b;c=d;}`.
impl<S: OptionStruct> OptionValue for S {
    fn type_name() -> String {
        S::NAME.to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        if text.contains('=') || text == "{}" {
            self.set_pairs(text, context).map_err(|error| within(error, S::NAME))
        } else {
            self.set_short_form(&context.plain(text))
        }
    }

    fn set_field(
        &mut self,
        path: &str,
        text: &str,
        context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        self.set_option(path, text, context).map_err(|error| within(error, S::NAME))
    }

    fn print(&self, release: Release) -> String {
        format!("{{{}}}", self.print_pairs(release))
    }

    fn unhonoured(&self) -> Vec<(String, String)> {
        self.unhonoured_rows(|options, row| (row.print)(options, Release::NEWEST_KNOWN))
    }

    fn faults(&self) -> Vec<Fault> {
        self.row_faults()
    }

    fn correct(&mut self) {
        self.correct_rows();
    }
}

fn within(error: SetError, name: &str) -> SetError {
    match error {
        SetError::UnknownName(unknown) => SetError::BadValue(format!("{name} has no {unknown}")),
        bad @ SetError::BadValue(_) => bad,
    }
}

/// The short form of structs that have none.
pub(crate) fn no_short_form<S: OptionStruct>(_: &mut S, text: &str) -> Result<(), SetError> {
    bad(format!("expected {{name=value;…}} with the fields of {}, found {text:?}", S::NAME))
}

/// Makes a struct of options from its rows; the module's documentation says how rows look.
macro_rules! options {
    (
        $(#[$struct_doc:meta])*
        pub struct $struct:ident, short form $short_form:path;
        rows {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $key:literal)? : $type:ty = $default:expr,
                $([$range:expr])? $change:ident $honour:ident $since:literal $($unwritten:ident)?;
            )*
        }
        $(fields {
            $( $(#[$other_doc:meta])+ pub $other:ident : $other_type:ty; )*
        })?
        $(hidden {
            $( $(#[$hidden_doc:meta])+ $hidden:ident : $hidden_type:ty; )*
        })?
        $(objects {
            $( $(#[doc = $object_doc:literal])+ $object:ident : $object_type:literal $(as $given:literal)?; )*
        })?
        $(legacy { $( $legacy:ident $legacy_since:literal; )* })?
        $(aliases { $( $alias:ident for $target:ident $alias_since:literal; )* })?
    ) => {
        $(#[$struct_doc])*
        #[derive(Clone, Debug)]
        pub struct $struct {
            $( $(#[doc = $doc])+ pub $field: $type, )*
            $( $( $(#[$other_doc])+ pub $other: $other_type, )* )?
            $( $( $(#[$hidden_doc])+ pub(crate) $hidden: $hidden_type, )* )?
        }

        impl Default for $struct {
            fn default() -> Self {
                Self {
                    $( $field: $default, )*
                    $( $( $other: <$other_type>::default(), )* )?
                    $( $( $hidden: <$hidden_type>::default(), )* )?
                }
            }
        }

        /// Setters, to be chained.
        impl $struct {
            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
            $( $(
                $(#[$other_doc])+
                #[must_use]
                pub fn $other(mut self, $other: $other_type) -> Self {
                    self.$other = $other;
                    self
                }
            )* )?
        }

        impl $crate::schema::OptionStruct for $struct {
            const NAME: &'static str = stringify!($struct);

            fn rows() -> &'static [$crate::schema::Row<Self>] {
                use $crate::value::OptionValue;
                static ROWS: &[$crate::schema::Row<$struct>] = &[ $( $crate::schema::Row {
                    info: $crate::schema::OptionInfo {
                        name: $crate::schema::row_key!($field $($key)?),
                        doc: concat!($($doc),+),
                        mutable: $crate::schema::row_word!($change),
                        honoured: $crate::schema::row_word!(honoured $honour),
                        refused: $crate::schema::row_word!(refused $honour),
                        range: $crate::schema::row_range!($($range)?),
                        since: stringify!($since),
                        written: $crate::schema::row_word!(written $($unwritten)?),
                        type_name: <$type as OptionValue>::type_name,
                    },
                    set: |options, text, context| options.$field.set(text, context),
                    set_field: |options, path, text, context| {
                        options.$field.set_field(path, text, context)
                    },
                    print: |options, release| options.$field.print(release),
                    unhonoured: |options| options.$field.unhonoured(),
                    number: |options| options.$field.as_number(),
                    set_number: |options, number| options.$field.set_number(number),
                    faults: |options| options.$field.faults(),
                    correct: |options| options.$field.correct(),
                }, )* ];
                ROWS
            }

            fn row(name: &str) -> Option<&'static $crate::schema::Row<Self>> {
                use std::collections::HashMap;
                static INDEX: std::sync::OnceLock<HashMap<&'static str, usize>> =
                    std::sync::OnceLock::new();
                let index = INDEX.get_or_init(|| {
                    Self::rows().iter().enumerate().map(|(at, row)| (row.info.name, at)).collect()
                });
                Self::rows().get(*index.get(name)?)
            }

            fn defaults() -> &'static Self {
                static DEFAULTS: std::sync::OnceLock<$struct> = std::sync::OnceLock::new();
                DEFAULTS.get_or_init(Self::default)
            }

            fn objects() -> &'static [$crate::schema::ObjectInfo] {
                &[ $( $( $crate::schema::ObjectInfo {
                    name: stringify!($object),
                    doc: concat!($($object_doc),+),
                    type_name: $object_type,
                    given_as: $crate::schema::given_as!($($given)?),
                }, )* )? ]
            }

            fn legacy() -> &'static [$crate::schema::LegacyOption] {
                &[ $( $( $crate::schema::LegacyOption {
                    name: stringify!($legacy),
                    since: stringify!($legacy_since),
                }, )* )? ]
            }

            fn aliases() -> &'static [$crate::schema::OptionAlias] {
                &[ $( $( $crate::schema::OptionAlias {
                    name: stringify!($alias),
                    target: stringify!($target),
                    since: stringify!($alias_since),
                }, )* )? ]
            }

            fn set_short_form(&mut self, text: &str) -> Result<(), $crate::value::SetError> {
                $short_form(self, text)
            }
        }
    };
}

/// The name in texts.
macro_rules! row_key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}

/// What the words of a row say.
macro_rules! row_word {
    (mutable) => {
        true
    };
    (fixed) => {
        false
    };
    (honoured honoured) => {
        true
    };
    (honoured $other:ident) => {
        false
    };
    (refused refused) => {
        true
    };
    (refused $other:ident) => {
        false
    };
    (written) => {
        true
    };
    (written unwritten) => {
        false
    };
}

/// The range of a row.
macro_rules! row_range {
    () => {
        $crate::range::Range::ANY
    };
    ($range:expr) => {{
        use $crate::range::*;
        $range
    }};
}

/// How a program gives an object.
macro_rules! given_as {
    () => {
        None
    };
    ($given:literal) => {
        Some($given)
    };
}

pub(crate) use {given_as, options, row_key, row_range, row_word};

#[cfg(test)]
mod tests;
