use super::constants::Constant;
use super::*;
use std::collections::BTreeSet;

/// So little that a test can do it.
const TINY: Effort =
    Effort { memory_bytes: 1 << 20, file_bytes: 1 << 20, loops: 4, operations: 2000 };

fn constant(symbol: &str) -> &'static Constant {
    CONSTANTS.iter().find(|constant| constant.symbol == symbol).expect("there is one")
}

#[test]
fn every_constant_has_a_value_or_a_reason() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut measured = Vec::new();
    let report = measure_all(directory.path(), TINY, &mut |what| measured.push(what.to_owned()))
        .expect("it");
    assert_eq!(measured.len(), CONSTANTS.len());
    for constant in CONSTANTS {
        let value = &report.constants.0[constant.name];
        assert!(value.value.is_some() != value.missing.is_some(), "{}", constant.name);
        assert!(value.value.is_none_or(f64::is_finite), "{}", constant.name);
    }
    // What needs nothing of the file system is there everywhere.
    for symbol in ["D", "T32", "Br", "Bc", "Sy", "clock", "mutex", "atomic", "W140"] {
        let value = report.constants.get(constant(symbol).name).expect(symbol);
        assert!(value > 0.0, "{symbol}");
    }
    let left = std::fs::read_dir(directory.path()).expect("it is there").count();
    assert_eq!(left, 0, "files were left behind");
}

#[test]
fn names_and_symbols_are_unique() {
    let names: BTreeSet<&str> = CONSTANTS.iter().map(|constant| constant.name).collect();
    let symbols: BTreeSet<&str> = CONSTANTS.iter().map(|constant| constant.symbol).collect();
    assert_eq!((names.len(), symbols.len()), (CONSTANTS.len(), CONSTANTS.len()));
}

#[test]
fn what_is_kept_is_read_again_and_is_for_this_machine_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let values = Values::of_symbols(&[("D", 90.0), ("I1", 14_000.0)]);
    let report = Report::new(directory.path(), Effort::QUICK, values).expect("a report");
    let file = directory.path().join("below").join("machine.json");
    report.write(&file).expect("it can be written");
    let read = Report::read(&file).expect("it can be read");
    assert_eq!(read, report);
    assert!(read.is_for(directory.path()));
    let mut other = read;
    other.host.cpu.push_str(" of another kind");
    assert!(!other.is_for(directory.path()));
}

#[test]
fn a_file_that_is_no_report_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("machine.json");
    std::fs::write(&file, "{\"schema\": 1}").expect("it can be written");
    let error = Report::read(&file).expect_err("fields are missing");
    assert!(error.contains("machine.json") && error.contains("host"), "{error}");
}

#[test]
fn the_table_has_constants_limits_and_what_is_missing() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut values = Values::of_symbols(&[("D", 90.0), ("Sf", 3500.0)]);
    let missing = Value { value: None, missing: Some("no disk".to_owned()) };
    values.0.insert(constant("Dw").name.to_owned(), missing);
    let table = Report::new(directory.path(), Effort::FULL, values).expect("a report").table();
    for expected in ["D ", "90.0", "Dw: no disk", "readrandom", "0.370", "memory", "3500"] {
        assert!(table.contains(expected), "{expected} is not in\n{table}");
    }
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let mut err = Vec::new();
    let arguments = ["--quick".to_owned(), "--directory=/nowhere/at/all".to_owned()];
    assert_eq!(main(&arguments, &mut Vec::new(), &mut err), 1);
    let err = String::from_utf8(err).expect("text");
    assert!(err.contains("/nowhere/at/all"), "{err}");
}
