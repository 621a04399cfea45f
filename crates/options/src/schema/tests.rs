use super::*;
use crate::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompactionOptionsFifo, CompactionOptionsUniversal,
    CompressionOptions, CuckooTableOptions, DbOptions, DbPath, FileTemperatureAge, LruCacheOptions,
    MetadataCacheOptions, PlainTableOptions,
};
use std::collections::BTreeMap;

#[allow(unreachable_pub, reason = "what the macro makes is public")]
mod one_place;

/// What RocksDB 11.9 says of its options: struct, name, default, `mutable` or `fixed`, and whether
/// texts have it.
const FACTS: &str = include_str!("../../testdata/facts.tsv");

/// Defaults that are not RocksDB's, and why.
const OTHER_DEFAULTS: &[(&str, &str)] = &[
    // Releases before 8.6 read no tables of later formats.
    ("format_version", "5"),
    // An object that is always there; ours has no name.
    ("env", "nullptr"),
    // What RocksDB makes of none.
    ("flush_block_policy_factory", "FlushBlockBySizePolicyFactory"),
    // A bit mask, which OPTIONS files have as a number.
    ("verify_output_flags", "0"),
];

/// Rows that RocksDB does not have.
const OWN: &[&str] =
    &["wal_io", "compaction_niceness", "keep_blocks_warm", "deletion_pass_trigger"];

#[derive(Debug)]
struct Fact {
    default: &'static str,
    change: &'static str,
    text: &'static str,
}

fn facts(of: &str) -> BTreeMap<&'static str, Fact> {
    let lines = FACTS.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| <[&str; 5]>::try_from(line.split('\t').collect::<Vec<_>>()));
    let facts = cells.filter_map(|cells| {
        let [owner, name, default, change, text] = cells.unwrap();
        (owner == of).then_some((name, Fact { default, change, text }))
    });
    facts.collect()
}

fn is_same(ours: &str, theirs: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let is_same_number = number(ours).is_some() && number(ours) == number(theirs);
    ours == theirs || is_same_number || (theirs == "{}" && ours.starts_with('{'))
}

/// All there is to say against our rows of `S`.
fn compare<S: OptionStruct>() -> Vec<String> {
    let mut facts = facts(S::NAME);
    assert!(!facts.is_empty(), "{}", S::NAME);
    let mut wrong = Vec::new();
    for row in S::rows() {
        let OptionInfo { name, mutable, .. } = row.info;
        if OWN.contains(&name) && !row.info.written {
            continue;
        }
        let Some(fact) = facts.remove(name) else {
            wrong.push(format!("{name} is not RocksDB's"));
            continue;
        };
        let default = (row.print)(S::defaults(), Release::NEWEST_KNOWN);
        let excused = OTHER_DEFAULTS.contains(&(name, &default));
        if !excused && !is_same(&default, fact.default) {
            wrong.push(format!("{name} is {default}, expected {}", fact.default));
        }
        let change = if mutable { "mutable" } else { "fixed" };
        if fact.change != "-" && fact.change != change {
            wrong.push(format!("{name} is {change}, expected {}", fact.change));
        }
        if row.info.written && fact.text == "no" && fact.change != "-" {
            wrong.push(format!("{name} is written, expected that no text has it"));
        }
    }
    for object in S::objects() {
        if facts.remove(object.name).is_none_or(|fact| fact.text != "no") {
            wrong.push(format!("{} is no object of RocksDB's", object.name));
        }
    }
    for legacy in S::legacy() {
        facts.remove(legacy.name);
    }
    for alias in S::aliases() {
        if facts.remove(alias.name).is_none_or(|fact| fact.text != "alias") {
            wrong.push(format!("{} is no other name", alias.name));
        }
    }
    wrong.extend(facts.into_iter().map(|(name, fact)| format!("{name} is missing: {fact:?}")));
    wrong.into_iter().map(|what| format!("{}: {what}", S::NAME)).collect()
}

#[test]
fn rows_have_the_names_defaults_and_mutability_of_rocksdb() {
    let mut wrong = compare::<DbOptions>();
    wrong.extend(compare::<ColumnFamilyOptions>());
    wrong.extend(compare::<BlockBasedTableOptions>());
    wrong.extend(compare::<MetadataCacheOptions>());
    wrong.extend(compare::<LruCacheOptions>());
    wrong.extend(compare::<CompressionOptions>());
    wrong.extend(compare::<CompactionOptionsUniversal>());
    wrong.extend(compare::<CompactionOptionsFifo>());
    wrong.extend(compare::<FileTemperatureAge>());
    wrong.extend(compare::<DbPath>());
    wrong.extend(compare::<PlainTableOptions>());
    wrong.extend(compare::<CuckooTableOptions>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
