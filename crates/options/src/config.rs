//! How options are read, and what there is to say about them afterwards.

use crate::registry::Registry;
use crate::release::Release;
use std::fmt;
use std::sync::Arc;

/// How option strings and OPTIONS files are read (`rocksdb::ConfigOptions`).
#[derive(Clone, Debug)]
pub struct ConfigOptions {
    /// Report what is not known instead of failing. In an OPTIONS file this counts only if the
    /// file's release is newer than [`ConfigOptions::reader`]: in a file of a known release a name
    /// that is not known is damage. Default: false.
    pub ignore_unknown_options: bool,
    /// Whether values went through [`escape`](crate::option_string::escape). OPTIONS files always
    /// did. Default: true.
    pub input_strings_escaped: bool,
    /// The release to be: options that came later are not known to it. Default: the newest.
    pub reader: Release,
    /// The comparators, merge operators and prefix extractors there are. Default: the built-in
    /// ones.
    pub registry: Arc<Registry>,
}

impl Default for ConfigOptions {
    fn default() -> Self {
        Self {
            ignore_unknown_options: false,
            input_strings_escaped: true,
            reader: Release::NEWEST_KNOWN,
            registry: Arc::default(),
        }
    }
}

/// What there is to say about an option that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remark {
    /// Kept; this engine does not act on it yet. In an OPTIONS file, which names every option,
    /// this is said only of values that are not the default.
    NotHonoured,
    /// RocksDB gave this option up; its value has no effect.
    Legacy,
    /// The name is not known, and the value is lost.
    Unknown,
    /// The value is not one, and the option is as it was.
    BadValue,
    /// The value names an object nobody registered; the default one is in its place.
    NotRegistered,
    /// Given more than once in a section; the first counts.
    Repeated,
}

/// A remark about one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What there is to say.
    pub remark: Remark,
    /// The option's name as it was given.
    pub name: String,
    /// The value as it was given.
    pub value: String,
    /// The section of the OPTIONS file, for instance `CFOptions "default"`; empty for option
    /// strings.
    pub section: String,
    /// The line in the OPTIONS file, from 1; 0 for option strings.
    pub line: u32,
}

impl Diagnostic {
    pub(crate) fn new(remark: Remark, name: String, value: &str) -> Self {
        Self { remark, name, value: value.to_owned(), section: String::new(), line: 0 }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = match self.remark {
            Remark::NotHonoured => "accepted, not honoured yet",
            Remark::Legacy => "no longer has an effect",
            Remark::Unknown => "unknown option, ignored",
            Remark::BadValue => "value not understood, ignored",
            Remark::NotRegistered => "names nothing that is registered, ignored",
            Remark::Repeated => "given more than once, ignored",
        };
        if self.line > 0 {
            write!(f, "line {}, [{}]: ", self.line, self.section)?;
        }
        write!(f, "{}={}: {said}", self.name, self.value)
    }
}
