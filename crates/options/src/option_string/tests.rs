use super::*;

fn pairs(text: &str) -> Vec<(&str, &str)> {
    split_pairs(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn pairs_are_taken_apart_in_order() {
    assert_eq!(pairs("a=1;b=2"), [("a", "1"), ("b", "2")]);
    assert_eq!(pairs(" a = 1 ; b=2; "), [("a", "1"), ("b", "2")]);
    assert_eq!(pairs("{a=1;b=2;}"), [("a", "1"), ("b", "2")]);
    assert_eq!(pairs("{ {a=1} }"), [("a", "1")]);
    assert_eq!(pairs("a=1;a=2"), [("a", "1"), ("a", "2")]);
    assert_eq!(pairs(""), []);
    assert_eq!(pairs("{}"), []);
    assert_eq!(pairs("a=;b="), [("a", ""), ("b", "")]);
}

#[test]
fn values_keep_their_braces_and_their_equals_signs() {
    assert_eq!(pairs("a={b=1;c={d=2;};};e=3"), [("a", "{b=1;c={d=2;};}"), ("e", "3")]);
    assert_eq!(pairs("a={b=1} ;c=2"), [("a", "{b=1}"), ("c", "2")]);
    assert_eq!(pairs("a=b=c;d={e}"), [("a", "b=c"), ("d", "{e}")]);
    // The braces at both ends are two pairs.
    assert_eq!(split_pairs("{a=1};{b=2}").unwrap_err(), "expected '=' after \"\"",);
}

#[test]
fn what_is_no_pair_is_refused() {
    for (text, error) in [
        ("a", "expected name=value, found \"a\""),
        ("a=1;b", "expected name=value, found \"b\""),
        ("=1", "has a '=' with no name before it"),
        ("a=1;;b=2", "expected '=' after \"\""),
        ("a{=1", "expected '=' after \"a\""),
        ("a={b=1", "has a brace that is not closed"),
        ("a={b=1}c", "has something other than ';' after a closing brace"),
    ] {
        assert_eq!(split_pairs(text).unwrap_err(), error, "{text}");
    }
}

#[test]
fn deep_nesting_is_refused_without_recursion() {
    let text = format!("a={}1{}", "{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(split_pairs(&text).unwrap_err(), "has braces nested deeper than 32");
    assert!(split_pairs(&text[2..]).is_err());
    assert_eq!(strip_braces(&text[2..]), &text[2..]);
}

#[test]
fn lists_are_taken_apart() {
    assert_eq!(split_list("1:2:3").unwrap(), ["1", "2", "3"]);
    assert_eq!(split_list("{1:2}").unwrap(), ["1", "2"]);
    assert_eq!(split_list("1:").unwrap(), ["1"]);
    assert_eq!(split_list("1::2").unwrap(), ["1", "", "2"]);
    assert_eq!(split_list("{a:b}:{c}").unwrap(), ["a:b", "c"]);
    assert_eq!(split_list("{{a=b:c;}}").unwrap(), ["a=b:c;"]);
    assert_eq!(split_list(" ").unwrap(), Vec::<&str>::new());
    assert!(split_list("{a}b").is_err());
    assert!(split_list("a:{b").is_err());
}

#[test]
fn escapes_are_undone() {
    let plain = "a\\b#c:d\re\nf=g;\"h\" [i]";
    let escaped = escape(plain);
    assert_eq!(escaped, r#"a\\b\#c\:d\re\nf=g;"h" [i]"#);
    assert_eq!(unescape(&escaped), plain);
    assert_eq!(unescape(r"\q\"), "q");
    assert!(matches!(escape("plain"), Cow::Borrowed(_)));
    assert!(matches!(unescape("plain"), Cow::Borrowed(_)));
}

#[test]
fn quoted_values_survive() {
    for value in ["a", "", "a=b", "a;b", " a ", "{a}:{b}", "{a;b}", "a}{b"] {
        let quoted = quote(value);
        let text = format!("n={quoted};m=1");
        let found = pairs(&text);
        assert_eq!(found.len(), 2, "{text}");
        let back = if quoted == value { found[0].1 } else { strip_braces(found[0].1) };
        assert_eq!(back, value, "{text}");
    }
}
