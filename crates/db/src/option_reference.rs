//! The reference of all options, `docs/options.md`: those of databases, and those of calls.

use crate::{
    CompactFilesOptions, CompactRangeOptions, FlushOptions, IngestExternalFileOptions, ReadOptions,
    WaitForCompactOptions, WriteOptions,
};
use base::call_options::{CallOption, CallOptions};
use std::fmt::Write as _;

const INTRODUCTION: &str = "
# Options of calls

They are given with a call and stand in no text. What is *accepted* changes nothing; the database
warns once when it is set (`Db::call_warnings`, and its LOG). With what is *refused* set, a call is
`NotSupported`; where no default stands, the option is an object that this engine has none of.
";

/// A struct of options of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallStruct {
    /// Its name.
    pub name: &'static str,
    /// What it has.
    pub options: &'static [CallOption],
}

fn of<O: CallOptions>() -> CallStruct {
    CallStruct { name: O::NAME, options: O::infos() }
}

/// Every struct of options of a call.
pub fn call_structs() -> Vec<CallStruct> {
    vec![
        of::<ReadOptions>(),
        of::<WriteOptions>(),
        of::<FlushOptions>(),
        of::<CompactRangeOptions>(),
        of::<CompactFilesOptions>(),
        of::<WaitForCompactOptions>(),
        of::<IngestExternalFileOptions>(),
    ]
}

/// The whole text.
pub fn option_reference() -> String {
    let mut text = options::docs::reference();
    text.push_str(INTRODUCTION);
    for CallStruct { name, options } in call_structs() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {name}\n\n");
        text.push_str("| Option | Type | Default | Support | What it does |\n");
        text.push_str("| --- | --- | --- | --- | --- |\n");
        for CallOption { name, doc, type_name, default, support } in options {
            let default = match *default {
                "" => String::new(),
                default => format!("`{default}`"),
            };
            let (doc, word) = (doc.trim(), support.word());
            let _ = writeln!(text, "| `{name}` | `{type_name}` | {default} | {word} | {doc} |");
        }
    }
    text
}

#[cfg(test)]
mod tests;
