use super::*;

#[test]
fn text_is_shown_as_text_and_bytes_with_escapes() {
    let text = ColumnFamilyName::from("naïve \"1\"");
    assert_eq!(
        (text.to_string(), format!("{text:?}")),
        ("naïve \"1\"".into(), "\"naïve \\\"1\\\"\"".into())
    );
    let bytes = ColumnFamilyName::from(&b"a\xff\0"[..]);
    assert_eq!(
        (bytes.to_string(), format!("{bytes:?}")),
        ("a\u{fffd}\0".into(), "\"a\\xff\\x00\"".into())
    );
    assert_eq!((text.as_str(), bytes.as_str()), (Some("naïve \"1\""), None));
    assert_eq!(format!("{:>4}|", ColumnFamilyName::from("a")), "   a|");
}

#[test]
fn names_are_compared_as_bytes() {
    assert_eq!(ColumnFamilyName::from("default"), "default");
    assert_ne!(ColumnFamilyName::from(&b"\xff"[..]), "\u{fffd}");
}
