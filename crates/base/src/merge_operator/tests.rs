use super::*;

fn merge(name: &str, existing: Option<&[u8]>, operands: &[&[u8]]) -> Vec<u8> {
    builtin(name).unwrap().full_merge(b"key", existing, operands).unwrap()
}

fn partial(name: &str, operands: &[&[u8]]) -> Option<Vec<u8>> {
    builtin(name).unwrap().partial_merge(b"key", operands)
}

#[test]
fn names_and_nicknames_are_rocksdbs() {
    for (class_name, nicknames) in [
        ("UInt64AddOperator", &["uint64add"][..]),
        ("PutOperator", &["put", "put_v1"]),
        ("MaxOperator", &["max"]),
        ("StringAppendOperator", &["stringappend"]),
        ("StringAppendTESTOperator", &["stringappendtest"]),
        ("BytesXOR", &["bytesxor"]),
        ("MergeSortOperator", &["sortlist"]),
    ] {
        for name in [class_name].iter().chain(nicknames) {
            assert_eq!(builtin(name).unwrap().name(), class_name, "{name}");
        }
    }
    for unknown in ["", "append", "Put", "cassandra", "nullptr"] {
        assert!(builtin(unknown).is_none(), "{unknown}");
    }
}

#[test]
fn uint64add_adds_and_counts_other_lengths_as_zero() {
    let number = |n: u64| n.to_le_bytes();
    assert_eq!(merge("uint64add", None, &[&number(3)]), number(3));
    assert_eq!(merge("uint64add", Some(&number(1)), &[&number(2), &number(39)]), number(42));
    assert_eq!(merge("uint64add", Some(&number(u64::MAX)), &[&number(2)]), number(1));
    assert_eq!(merge("uint64add", Some(b"seven"), &[&number(2), b"", b"123456789"]), number(2));
    assert_eq!(partial("uint64add", &[&number(1), b"x", &number(2)]).unwrap(), number(3));
}

#[test]
fn put_takes_the_newest_operand() {
    for name in ["put", "put_v1"] {
        assert_eq!(merge(name, Some(b"old"), &[b"a", b"b"]), b"b");
        assert_eq!(merge(name, None, &[b"a", b""]), b"");
        assert_eq!(partial(name, &[b"a", b"b"]).unwrap(), b"b");
    }
    assert!(PutOperator.full_merge(b"key", None, &[]).is_err());
}

#[test]
fn max_compares_bytes() {
    assert_eq!(merge("max", Some(b"b"), &[b"a", b"ab"]), b"b");
    assert_eq!(merge("max", Some(b""), &[b"a", b"ab", b"\xff"]), b"\xff");
    assert_eq!(merge("max", None, &[b""]), b"");
    assert_eq!(partial("max", &[b"10", b"9"]).unwrap(), b"9");
}

#[test]
fn stringappend_joins_and_keeps_an_empty_value() {
    for name in ["stringappend", "stringappendtest"] {
        assert_eq!(merge(name, None, &[b"a"]), b"a");
        assert_eq!(merge(name, None, &[b"", b"a"]), b",a");
        assert_eq!(merge(name, Some(b""), &[b"a", b"b"]), b",a,b");
        assert_eq!(merge(name, Some(b"x"), &[b"a", b"", b"b"]), b"x,a,,b");
    }
    assert_eq!(partial("stringappend", &[b"a", b"b", b"c"]).unwrap(), b"a,b,c");
    assert_eq!(partial("stringappendtest", &[b"a", b"b"]), None);
}

#[test]
fn delimiters_may_be_empty_or_long() {
    for (delimiter, expected) in [("", "xab"), ("|", "x|a|b"), ("<>", "x<>a<>b"), ("\0", "x\0a\0b")]
    {
        for name in ["stringappend", "StringAppendTESTOperator"] {
            let operator = builtin_with_delimiter(name, delimiter.as_bytes()).unwrap();
            let merged = operator.full_merge(b"key", Some(b"x"), &[b"a", b"b"]).unwrap();
            assert_eq!(merged, expected.as_bytes());
        }
    }
    assert!(builtin_with_delimiter("uint64add", b",").is_none());
}

#[test]
fn bytesxor_pads_with_zeroes() {
    assert_eq!(merge("bytesxor", None, &[b"\x0f"]), b"\x0f");
    assert_eq!(merge("bytesxor", Some(b"\xff\x01"), &[b"\x0f", b"\x01\x02\x03"]), b"\xf1\x03\x03");
    assert_eq!(partial("bytesxor", &[b"ab", b"ab"]).unwrap(), b"\0\0");
}

#[test]
fn sortlist_merges_operands_and_ignores_the_value() {
    assert_eq!(merge("sortlist", None, &[b"1,5,9", b"-3,5,7", b"10"]), b"-3,1,5,5,7,9,10");
    assert_eq!(merge("sortlist", Some(b"4"), &[b"2"]), b"2");
    assert_eq!(merge("sortlist", None, &[b" +1,2x,3\0,junk"]), b"1,2,3");
    assert_eq!(merge("sortlist", None, &[b"9,1", b"5"]), b"5,9,1");
    assert_eq!(partial("sortlist", &[b"2,3", b"1"]).unwrap(), b"1,2,3");
}

#[test]
fn sortlist_refuses_what_is_no_number() {
    for operand in [&b""[..], b"1,", b"x", b"2147483648", b"-", b"1,,2", b"\xff"] {
        let error = builtin("sortlist").unwrap().full_merge(b"key", None, &[operand]).unwrap_err();
        assert!(error.is_corruption(), "{operand:?}");
        assert_eq!(partial("sortlist", &[b"1", operand]), None);
    }
    assert_eq!(merge("sortlist", None, &[b"-2147483648,2147483647"]), b"-2147483648,2147483647");
}
