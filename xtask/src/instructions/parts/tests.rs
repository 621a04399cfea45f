use super::*;

const TEXT: &str =
    "# what it is\ntable\tkernels\tblock: load\t5200.0\nwal\tappends\tlog: append\t120.5\n";

#[test]
fn the_table_is_read_and_written_with_its_comments() {
    let mut parts = parse(TEXT).unwrap();
    assert_eq!(parts[0].name, "block: load");
    assert_eq!((parts[1].package.as_str(), parts[1].bench.as_str()), ("wal", "appends"));
    assert_eq!(with_counts(TEXT, &parts), TEXT);
    parts[1].instructions = 119.25;
    assert!(with_counts(TEXT, &parts).ends_with("log: append\t119.2\n"));
    for bad in ["table\tkernels\t5", "table\tkernels\tblock: load\tmany"] {
        assert!(parse(bad).unwrap_err().contains("is not a package"), "{bad}");
    }
}

/// Names are those of benches that there are: the source of each has the beginning of it.
#[test]
fn parts_are_of_benches_that_there_are() {
    let text = std::fs::read_to_string(files::root().join(TABLE)).unwrap();
    let parts = parse(&text).unwrap();
    assert!(!parts.is_empty());
    for Part { package, bench, name, .. } in parts {
        let directory = package.strip_prefix("touchstone-").unwrap();
        let source = format!("crates/{directory}/benches/{bench}.rs");
        let source = std::fs::read_to_string(files::root().join(&source)).unwrap();
        let (kind, rest) = name.split_once(": ").unwrap();
        assert!(source.contains(kind), "{name}");
        let verb = rest.split([',', ' ']).next().unwrap();
        assert!(source.contains(verb), "{name}");
    }
}
