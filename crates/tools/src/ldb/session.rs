//! What a running command has: its arguments, the files, and where its text goes.

use super::arguments::Arguments;
use super::failure::Outcome;
use env::FileSystem;
use std::io::{BufRead, Write};
use std::sync::Arc;

/// A command while it runs.
pub(crate) struct Session<'a> {
    /// The command line.
    pub(crate) arguments: &'a Arguments,
    /// Where the files are.
    pub(crate) fs: Arc<dyn FileSystem>,
    /// What the user has to say.
    pub(crate) input: &'a mut dyn BufRead,
    /// What was asked for.
    pub(crate) out: &'a mut dyn Write,
    /// What is said about it.
    pub(crate) err: &'a mut dyn Write,
    /// The database's directory as typed; empty if it was not.
    pub(crate) db_path: String,
    /// Keys are typed and printed as hexadecimal (`--hex`, `--key_hex`).
    pub(crate) is_key_hex: bool,
    /// Values are typed and printed as hexadecimal (`--hex`, `--value_hex`).
    pub(crate) is_value_hex: bool,
    /// Values end in the time of their writing (`--ttl`).
    pub(crate) is_ttl: bool,
    /// Take options from the database's OPTIONS file (`--try_load_options`): unless told
    /// otherwise, where `--db` is given and it is no database with times.
    pub(crate) try_load_options: bool,
    /// Ends the command with this failure, but only after it has done its work.
    pub(crate) failure_at_end: Option<super::failure::Failure>,
}

impl<'a> Session<'a> {
    /// A session that reads the flags all commands share.
    pub(crate) fn new(
        arguments: &'a Arguments,
        fs: Arc<dyn FileSystem>,
        input: &'a mut dyn BufRead,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
    ) -> Outcome<Self> {
        let is_ttl = arguments.flag("ttl");
        let default =
            arguments.option("db").is_some() && !arguments.flag("create_if_missing") && !is_ttl;
        let try_load_options = arguments.flag("try_load_options")
            || arguments.boolean("try_load_options")?.unwrap_or(default);
        Ok(Self {
            db_path: arguments.option("db").unwrap_or_default().to_owned(),
            is_key_hex: arguments.flag_or_true("hex")? || arguments.flag_or_true("key_hex")?,
            is_value_hex: arguments.flag_or_true("hex")? || arguments.flag_or_true("value_hex")?,
            is_ttl,
            try_load_options,
            failure_at_end: None,
            arguments,
            fs,
            input,
            out,
            err,
        })
    }

    /// The column family to use.
    pub(crate) fn column_family_name(&self) -> &'a str {
        self.arguments.option("column_family").unwrap_or("default")
    }
}
