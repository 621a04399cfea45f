use super::*;
use base::call_options::Support;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What RocksDB 11.9 says of its options: struct, name, default, and more that is not for calls.
const FACTS: &str = include_str!("../../../options/testdata/facts.tsv");

#[test]
fn the_reference_in_the_tree_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    if std::env::var_os("TOUCHSTONE_REWRITE").is_some() {
        std::fs::write(&path, option_reference()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == option_reference(),
        "{} is out of date: run this test with TOUCHSTONE_REWRITE=1",
        path.display()
    );
}

#[test]
fn every_struct_of_rocksdb_is_here_or_said_to_be_missing() {
    let structs: BTreeSet<&str> = FACTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split('\t').next())
        .collect();
    assert!(structs.len() > 40, "{structs:?}");
    let reference = option_reference();
    for name in &structs {
        let title = format!("\n## {}\n", known_here_as(name));
        let is_missing = WITHOUT_ROWS.iter().any(|(missing, _)| missing == name);
        assert!(reference.contains(&title) != is_missing, "{name}");
    }
    for (missing, _) in WITHOUT_ROWS {
        assert!(structs.contains(missing), "{missing} is no struct of RocksDB's");
    }
}

fn known_here_as(rocksdb: &str) -> &str {
    match rocksdb {
        "CompactionOptions" => "CompactFilesOptions",
        "FlushWALOptions" => "FlushWalOptions",
        name => name,
    }
}

/// Our default as RocksDB writes it: no object and no limit have other words there.
fn is_same(ours: &str, theirs: &str) -> bool {
    let word = ours.rsplit("::").next().unwrap();
    match theirs {
        "nullptr" | "nullopt" | "IO_TOTAL" | "kDisableCompressionOption" => ours == "None",
        "18446744073709551615" => ours == "u64::MAX",
        "0" => matches!(ours, "0" | "0.0" | "None"),
        _ if theirs.starts_with("see ") => ours == format!("{}::default()", &theirs[4..]),
        "kLZ4Compression" => word == "Lz4",
        _ if theirs.starts_with('k') => {
            theirs[1..].trim_end_matches("Tier").trim_end_matches("CacheMetadata") == word
        }
        _ => ours.parse::<f64>().map_or(ours == theirs, |ours| theirs.parse() == Ok(ours)),
    }
}

#[test]
fn rows_have_the_names_and_defaults_of_rocksdb() {
    let mut wrong = Vec::new();
    for CallStruct { name: owner, options } in call_structs() {
        let cells = FACTS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let facts = cells.filter(|cells| known_here_as(cells[0]) == owner);
        let mut facts: BTreeMap<_, _> = facts.map(|cells| (cells[1], cells[2])).collect();
        assert!(facts.len() > 1, "{owner}");
        for option in options {
            match facts.remove(option.name) {
                Some(_) if option.default.is_empty() => {
                    assert_eq!(option.support, Support::Refused, "{owner}: {}", option.name);
                }
                Some(theirs) if is_same(option.default, theirs) => {}
                // An argument of the constructor in RocksDB.
                Some("-") => {}
                // An argument of the call in RocksDB.
                None if option.name == "output_path_id" => {}
                other => wrong.push(format!("{owner}: {option:?}, expected {other:?}")),
            }
        }
        wrong.extend(facts.into_iter().map(|fact| format!("{owner}: {fact:?} is missing")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
