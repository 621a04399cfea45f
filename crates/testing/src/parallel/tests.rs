use super::{failures, for_each, report};

#[test]
fn every_item_is_checked_once_and_failures_keep_their_order() {
    let items: Vec<u32> = (0..1000).collect();
    let failed = failures(&items, |&item| match item {
        500 => panic!("five {}", "hundred"),
        7 | 999 => Err(format!("no {item}")),
        _ => Ok(()),
    });
    let expected = [("7", "no 7"), ("500", "panicked: five hundred"), ("999", "no 999")];
    let expected = expected.map(|(name, why)| (name.to_owned(), why.to_owned()));
    assert_eq!(failed, expected);
}

#[test]
#[should_panic(expected = "1 of 3 failed:\n  b: two\n      lines")]
fn the_report_names_the_item() {
    for_each(&["a", "b", "c"], |&item| if item == "b" { Err("two\nlines") } else { Ok(()) });
}

#[test]
fn nothing_to_check_is_no_failure() {
    for_each(&[] as &[u32], |_| Err("never called"));
}

#[test]
fn a_long_report_is_cut() {
    let failed: Vec<_> = (0..100).map(|n| (n.to_string(), "no".to_owned())).collect();
    let text = report(&failed, 200);
    assert!(text.starts_with("100 of 200 failed:\n  0: no\n"), "{text}");
    assert!(text.ends_with("\n  39: no\n  and 60 more"), "{text}");
}
