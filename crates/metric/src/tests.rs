#![allow(unreachable_pub, reason = "what the macro makes is public")]

use super::{MetricInfo, is_numbered};

const NO_REASON: &str = "for no reason";

metrics! {
    /// A metric.
    pub enum Sample: u16;
    rows {
        /// The first.
        First = "sample.first", 0, counted;
        /// The second.
        Second = "sample.second", 1, idle(NO_REASON);
    }
}

#[test]
fn rows_are_found_by_name_and_number() {
    assert_eq!(Sample::ALL, [Sample::First, Sample::Second]);
    for (number, &metric) in Sample::ALL.iter().enumerate() {
        assert_eq!(metric.number(), number);
        assert_eq!(Sample::from_number(number), Some(metric));
        assert_eq!(Sample::from_name(metric.name()), Some(metric));
    }
    assert_eq!(Sample::from_number(Sample::COUNT), None);
    assert_eq!(Sample::from_name("sample"), None);
}

#[test]
fn rows_say_whether_they_are_counted() {
    assert!(Sample::First.info().is_counted());
    assert_eq!(Sample::First.info().counted_text(), "yes");
    let MetricInfo { name, doc, detail, idle } = *Sample::Second.info();
    assert_eq!(
        (name, doc.trim(), detail, idle),
        ("sample.second", "The second.", 1, Some(NO_REASON))
    );
    assert_eq!(Sample::Second.info().counted_text(), "no: for no reason");
}

#[test]
fn gaps_in_numbers_are_noticed() {
    assert!(is_numbered(&Sample::INFO));
    assert!(!is_numbered(&[*Sample::Second.info()]));
}
