use super::sum_up;
use crate::test_environment::parse_entry;
use std::path::Path;
use table::StoredEntry;
use testing::datadriven::{self, Directive};

fn sums(directive: &Directive) -> String {
    let entries: Vec<_> = directive.input.split_whitespace().map(parse_entry).collect();
    let stored = entries.iter().map(|(key, value)| StoredEntry::apart(key.as_bytes(), value));
    let zeroed_up_to = directive.value("zeroed-up-to").map(|number| number.parse().unwrap());
    format!("{:?}\n", sum_up(stored, zeroed_up_to))
}

#[test]
fn what_entries_must_be_to_go_on_as_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/block_copy.txt");
    datadriven::run(&path, sums);
}
