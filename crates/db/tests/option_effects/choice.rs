//! Options by name, as one text for the database and one for its column family.

use crate::subject::Command;
use options::{BlockBasedTableOptions, ColumnFamilyOptions, DbOptions};
use std::collections::BTreeMap;

/// Values of options, by name. In a name, `a.b` is the field `b` of the option `a`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice(BTreeMap<String, String>);

impl Choice {
    /// Sets an option; `default` leaves it as it is.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        if value == "default" {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Sets all that `set NAME=VALUE…` says.
    pub(crate) fn set_all(&mut self, command: Command<'_>) {
        for word in command.words() {
            let (name, value) = word.split_once('=').expect("name=value");
            self.set(name, value);
        }
    }

    /// An option string of the database.
    pub(crate) fn database(&self) -> String {
        let is_ours = |name: &str| DbOptions::infos().any(|info| info.name == name);
        format!("create_if_missing=true;{}", option_string(self.pairs(is_ours)))
    }

    /// As `database`, without what no RocksDB knows.
    pub(crate) fn database_in_rocksdb(&self) -> String {
        let is_theirs =
            |name: &str| DbOptions::infos().any(|info| info.name == name && info.since != "0.0");
        format!("create_if_missing=true;{}", option_string(self.pairs(is_theirs)))
    }

    /// An option string of the column family, with the options of its tables.
    pub(crate) fn family(&self) -> String {
        let family = |name: &str| ColumnFamilyOptions::infos().any(|info| info.name == name);
        let table = |name: &str| BlockBasedTableOptions::infos().any(|info| info.name == name);
        let mut text = option_string(self.pairs(family));
        let of_tables = option_string(self.pairs(table));
        if !of_tables.is_empty() {
            text.push_str(&format!("block_based_table_factory={{{of_tables}}};"));
        }
        let known = |name: &str| family(name) || table(name);
        let is_database = |name: &str| DbOptions::infos().any(|info| info.name == name);
        for name in self.0.keys() {
            let owner = name.split('.').next().unwrap();
            assert!(known(owner) || is_database(owner), "no option is called {name}");
        }
        text
    }

    /// The fields of an option, as `a=1;b=2;`.
    pub(crate) fn fields(&self, owner: &str) -> String {
        let fields = self.pairs(|name| name == owner);
        let fields = fields.filter_map(|(name, value)| Some((name.split_once('.')?.1, value)));
        fields.map(|(field, value)| format!("{field}={value};")).collect()
    }

    fn pairs<'a>(
        &'a self,
        is_wanted: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(move |(name, _)| is_wanted(name.split('.').next().unwrap()))
    }
}

/// `a=1;b={c=2;}` for the pairs `a`, `1` and `b.c`, `2`, which are in the order of names.
fn option_string<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut owners: BTreeMap<&str, String> = BTreeMap::new();
    let mut text = String::new();
    for (name, value) in pairs {
        match name.split_once('.') {
            None => text.push_str(&format!("{name}={value};")),
            Some((owner, field)) => {
                owners.entry(owner).or_default().push_str(&format!("{field}={value};"));
            }
        }
    }
    for (owner, fields) in owners {
        text.push_str(&format!("{owner}={{{fields}}};"));
    }
    text
}
