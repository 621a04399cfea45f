use super::*;

fn parse(arguments: &[&str]) -> Result<Flags, FlagError> {
    Flags::parse(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>())
}

#[test]
fn the_table_is_sorted_and_its_defaults_are_values() {
    for flags in [FLAGS, OWN_FLAGS] {
        assert!(flags.is_sorted_by(|a, b| a.name < b.name));
    }
    for flag in all() {
        check(flag, flag.default).unwrap_or_else(|error| panic!("{}: {error}", flag.name));
        assert!(!flag.doc.is_empty(), "{}", flag.name);
    }
}

#[test]
fn every_form_of_a_flag() {
    let flags = parse(&[
        "--num=10",
        "-reads",
        "20",
        "--threads",
        "2",
        "--histogram",
        "--noverify_checksum",
        "--use-existing-db=yes",
        "--num=30",
        "positional",
        "--key_size=0x18",
        "--",
        "--nonsense",
    ])
    .unwrap();
    assert_eq!((flags.int("num"), flags.int("reads"), flags.int("threads")), (30, 20, 2));
    assert_eq!(flags.int("key_size"), 24);
    assert!(flags.bool("histogram") && flags.bool("use_existing_db"));
    assert!(!flags.bool("verify_checksum"));
    assert_eq!(flags.int("value_size"), 100);
    assert!(flags.is_given("reads") && !flags.is_given("value_size"));
}

#[test]
fn what_is_wrong_is_said_as_gflags_says_it() {
    let error = |arguments: &[&str]| parse(arguments).unwrap_err().to_string();
    assert_eq!(error(&["--nums=1"]), "ERROR: unknown command line flag 'nums'");
    assert_eq!(error(&["--num=x"]), "ERROR: illegal value 'x' specified for int64 flag 'num'");
    assert_eq!(
        error(&["--threads=3000000000"]),
        "ERROR: illegal value '3000000000' specified for int32 flag 'threads'"
    );
    assert_eq!(error(&["--num"]), "ERROR: flag '--num' is missing its argument");
    assert!(parse(&["--nums=1", "--undefok=nums"]).is_ok());
}

#[test]
fn what_would_change_the_result_is_refused_unless_at_its_default() {
    assert!(parse(&["--transaction_db=0"]).is_ok());
    let error = parse(&["--transaction_db"]).unwrap_err().to_string();
    assert!(error.contains("--transaction_db=true"), "{error}");
    assert!(error.contains("transactions"), "{error}");
}

#[test]
fn what_changes_nothing_is_noted() {
    let flags =
        parse(&["--sync", "--backup_rate_limit=1", "--disable_seek_compaction=0", "--mmap_read"])
            .unwrap();
    assert_eq!(
        flags.notes(),
        ["--backup_rate_limit changes nothing: it concerns only backup, which is not there"]
    );
    let changed: Vec<_> = flags.changed().map(|(flag, value)| (flag.name, value)).collect();
    assert_eq!(changed, [("backup_rate_limit", "1"), ("mmap_read", "true"), ("sync", "true")]);
}

#[test]
fn limits_of_values_are_kept() {
    for bad in ["--readwritepercent=0", "--deletepercent=100", "--table_cache_numshardbits=20"] {
        let error = parse(&[bad]).unwrap_err().to_string();
        assert!(error.contains("expected"), "{error}");
    }
    assert!(parse(&["--cache_numshardbits=-1", "--prefix_size=0"]).is_ok());
}

#[test]
fn flag_files_nest_and_count_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let (outer, inner) = (directory.path().join("outer"), directory.path().join("inner"));
    std::fs::write(&inner, "--num=5\n--reads=6\n").unwrap();
    std::fs::write(&outer, format!("# comment\n--flagfile={}\n\n--num=7\n", inner.display()))
        .unwrap();
    let flags = parse(&[&format!("--flagfile={}", outer.display())]).unwrap();
    assert_eq!((flags.int("num"), flags.int("reads")), (7, 6));
    std::fs::write(&outer, format!("--flagfile={}\n", outer.display())).unwrap();
    let error = parse(&["--flagfile", outer.to_str().unwrap()]).unwrap_err().to_string();
    assert!(error.contains("files deep"), "{error}");
    assert!(parse(&["--flagfile=/nowhere"]).unwrap_err().to_string().contains("/nowhere"));
}
