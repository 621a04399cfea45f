use super::*;
use base::merge_operator::StringAppendOperator;

fn stored(value: &[u8], time: i32) -> Vec<u8> {
    [value, &time.to_le_bytes()].concat()
}

const ALL: TimeRange = TimeRange { start: TIME_MIN, end: TIME_MAX };

#[test]
fn values_end_in_their_time() {
    let bytes = stored(b"v", TIME_MIN);
    let timed = TimedValue { value: b"v", time: TIME_MIN };
    assert_eq!(TimedValue::decode(&bytes), Ok(timed));
    assert_eq!(TimedValue::decode_in(&bytes, ALL), Ok(Some(timed)));
    let later = TimeRange { start: TIME_MIN + 1, end: TIME_MAX };
    assert_eq!(TimedValue::decode_in(&bytes, later), Ok(None));
}

#[test]
fn values_without_a_time_are_corrupt() {
    assert!(TimedValue::decode(b"abc").is_err_and(|status| status.is_corruption()));
    let early = stored(b"v", TIME_MIN - 1);
    assert!(TimedValue::decode(&early).is_err_and(|status| status.is_corruption()));
    assert_eq!(TimedValue::decode_in(&early, ALL), Ok(None));
    let all = TimeRange { start: 0, end: TIME_MAX };
    assert!(TimedValue::decode_in(&early, all).is_err());
}

#[test]
fn merging_leaves_out_times_and_adds_the_present_one() {
    let operator = TtlMergeOperator::new(Arc::new(StringAppendOperator::new(b":")));
    let (base, operand) = (stored(b"a", 1), stored(b"b", 2));
    let merged = operator.full_merge(b"k", Some(&base), &[&operand]).expect("merged");
    let timed = TimedValue::decode(&merged).expect("has a time");
    assert_eq!(timed.value, b"a:b");
    assert!(operator.full_merge(b"k", None, &[b"abc"]).is_err());
}

#[test]
fn times_are_printed_as_in_the_c_locale() {
    // The local time zone is whatever it is here; the form is the same everywhere.
    let text = local_time(TIME_MIN).expect("a time");
    assert_eq!(text.len(), "Fri May 10 00:40:02 2013".len());
    assert!(text.contains(" May ") && text.ends_with(" 2013"), "{text}");
}
