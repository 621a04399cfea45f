use super::*;

fn parse(line: &str) -> Arguments {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    Arguments::parse(&words)
}

#[test]
fn options_flags_and_words_in_any_order() {
    let arguments = parse("--db=x get --hex key -v --from=a=b");
    assert_eq!(arguments.command(), Some("get"));
    assert_eq!(arguments.parameters(), ["key", "-v"]);
    assert_eq!(arguments.option("db"), Some("x"));
    assert_eq!(arguments.option("from"), Some("a=b"));
    assert!(arguments.flag("hex") && !arguments.flag("db"));
    let names: Vec<_> = arguments.names().collect();
    assert_eq!(names, [("option", "db"), ("option", "from"), ("flag", "hex")]);
}

#[test]
fn equals_signs_count_as_rocksdb_splits_them() {
    assert!(parse("--from=").flag("from"));
    assert_eq!(parse("--from=a=").option("from"), Some("a"));
    assert_eq!(parse("--from==").option("from"), Some(""));
    assert_eq!(parse("--from==a").option("from"), Some("=a"));
    assert_eq!(parse("--from=a=b=").option("from"), Some("a=b="));
    assert_eq!(parse("--from=a --from=b").option("from"), Some("b"));
}

#[test]
fn numbers_are_read_up_to_what_is_none() {
    assert_eq!(parse("--n=\t+12x").int("n"), Ok(Some(12)));
    assert_eq!(parse("--n=-2147483648").int("n"), Ok(Some(i32::MIN)));
    assert_eq!(parse("--m=1").int("n"), Ok(None));
    let reason = |text: &str| parse(text).int("n").expect_err("no number").reason().to_owned();
    assert_eq!(reason("--n=x"), "n has an invalid value.");
    assert_eq!(reason("--n=-"), "n has an invalid value.");
    assert_eq!(reason("--n=2147483648"), "n has a value out-of-range.");
    assert_eq!(reason("--n=99999999999999999999"), "n has a value out-of-range.");
    assert_eq!(parse("--n=0.25x").double("n"), Ok(Some(0.25)));
    assert!(parse("--n=x").double("n").is_err());
}

#[test]
fn booleans_are_words() {
    assert_eq!(parse("--b=TRUE").boolean("b"), Ok(Some(true)));
    assert_eq!(parse("--b=false").flag_or_true("b"), Ok(false));
    assert_eq!(parse("--b").flag_or_true("b"), Ok(true));
    assert!(parse("--b=1").boolean("b").is_err());
}

#[test]
fn keys_may_be_hexadecimal() {
    assert_eq!(key("0x00aF", true), Ok(vec![0, 0xaf]));
    assert_eq!(key("0x00aF", false), Ok(b"0x00aF".to_vec()));
    assert_eq!(key("0x", true), Ok(vec![]));
    for bad in ["", "00", "0x0", "0xgg", "0x\u{e9}"] {
        assert!(key(bad, true).is_err(), "{bad}");
    }
}
