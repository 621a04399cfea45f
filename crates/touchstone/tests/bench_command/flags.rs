//! Flags beside those of `db_bench`: each is there, with its type and its
//! default.

use crate::{text, touchstone};
use bench::flags::table::FLAGS;
use bench::flags::{Flags, Kind};
use std::collections::BTreeMap;

/// Defaults that differ from RocksDB 7.8.3's, and why.
const OTHER_DEFAULTS: &[(&str, &str)] = &[
    ("benchmarks", "RocksDB's own list ends with an error at its second name"),
    ("cache_size", "32 MiB since RocksDB 8.2"),
];

/// Types that differ from RocksDB 7.8.3's, and why.
const OTHER_TYPES: &[(&str, &str)] = &[("compaction_readahead_size", "uint64 since RocksDB 8.6")];

/// Type and default of each flag that `db_bench` itself defines, by name; none where it is not
/// installed.
fn real_flags() -> Option<BTreeMap<String, (String, String)>> {
    let output = testing::peer::find("db_bench")?.run(&["--help"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let own = text.split("Flags from ").find(|part| part.starts_with("./tools/db_bench_tool.cc"));
    // A flag is wrapped over several lines; the first is indented by four.
    let mut flags = BTreeMap::new();
    for entry in own.expect("db_bench's own flags").split("\n    -").skip(1) {
        let entry = entry.split_whitespace().collect::<Vec<_>>().join(" ");
        let (name, rest) = entry.split_once(' ').expect("a name");
        let (_, typed) = rest.rsplit_once(" type: ").expect("a type");
        let (kind, default) = typed.split_once(" default: ").expect("a default");
        flags.insert(name.to_owned(), (kind.to_owned(), default.trim_matches('"').to_owned()));
    }
    Some(flags)
}

fn gflags_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::Int32 => "int32",
        Kind::Int64 => "int64",
        Kind::Uint32 => "uint32",
        Kind::Uint64 => "uint64",
        Kind::Double => "double",
        Kind::String => "string",
    }
}

#[test]
fn every_flag_of_db_bench_is_there_with_its_type_and_default() {
    let Some(real) = real_flags() else { return };
    assert!(real.len() > 350, "only {} flags found", real.len());
    let mut differences = Vec::new();
    for (name, (kind, default)) in &real {
        let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else {
            differences.push(format!("{name}: missing"));
            continue;
        };
        let argued = OTHER_TYPES.iter().any(|(other, _)| other == name);
        if (gflags_name(flag.kind) == kind) == argued {
            differences.push(format!("{name}: {:?}, not {kind}", flag.kind));
        }
        let argued = OTHER_DEFAULTS.iter().any(|(other, _)| other == name);
        let same = match flag.kind {
            Kind::Double => flag.default.parse::<f64>().ok() == default.parse::<f64>().ok(),
            _ => flag.default == default,
        };
        if same == argued {
            differences.push(format!("{name}: default {:?}, not {default:?}", flag.default));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_table_has_the_flags_of_the_newest_release_too() {
    // 418 of RocksDB 11.9 and 10 that it has no longer.
    assert_eq!(FLAGS.len(), 428);
}

#[test]
fn help_names_every_flag_and_what_becomes_of_it() {
    let text = text(&touchstone(&["--help"]).stdout);
    for flag in bench::flags::all() {
        assert!(text.contains(&format!("  --{} (", flag.name)), "{}", flag.name);
    }
    assert!(text.contains("refused: transactions are not there"));
}

#[test]
fn no_default_is_refused() {
    for flag in bench::flags::all() {
        let parsed = Flags::parse(&[format!("--{}={}", flag.name, flag.default)]);
        assert!(parsed.is_ok(), "{}: {parsed:?}", flag.name);
    }
}
