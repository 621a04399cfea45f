//! Options as an info log lists them: one line for each, structs inside structs taken apart.

use crate::option_string::{inside_braces, split_pairs};
use crate::options_struct::Configurable;
use crate::release::Release;
use crate::schema::block_based::BlockBasedTableOptions;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;

/// What is listed of one option: `a.b` with its value, booleans as 0 and 1.
type Listed = (String, String);

fn as_listed(value: &str) -> String {
    match value {
        "true" => "1",
        "false" => "0",
        other => other,
    }
    .to_owned()
}

/// An option, or those inside it if it is a struct.
fn push(listed: &mut Vec<Listed>, name: &str, value: &str) {
    let fields = inside_braces(value).and_then(|inside| split_pairs(inside).ok());
    match fields.filter(|fields| !fields.is_empty()) {
        None => listed.push((name.to_owned(), as_listed(value))),
        Some(fields) => {
            for (field, value) in fields {
                push(listed, &format!("{name}.{field}"), value);
            }
        }
    }
}

fn list<S: Configurable>(options: &S) -> Vec<Listed> {
    let release = Release::NEWEST_KNOWN;
    let mut listed = Vec::new();
    for row in S::rows() {
        push(&mut listed, row.info.name, &options.print_option(row, release));
    }
    listed
}

macro_rules! listings {
    ($($struct:ident),*) => {$(
        impl $struct {
            /// Every option with its value, in the order of the documentation. The options of a
            /// struct are listed one by one: `outer.inner`. Booleans are 0 or 1.
            pub fn listing(&self) -> Vec<(String, String)> {
                list(self)
            }
        }
    )*};
}

listings!(DbOptions, ColumnFamilyOptions, BlockBasedTableOptions);

#[cfg(test)]
mod tests;
