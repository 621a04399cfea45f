use super::*;

#[test]
fn empty_values_are_removed() {
    let filter = builtin("RemoveEmptyValueCompactionFilter").unwrap();
    let decide = |value| filter.filter(0, b"k", value);
    assert_eq!(decide(FilterValue::Value(b"")), Decision::Remove);
    assert_eq!(decide(FilterValue::Value(b"x")), Decision::Keep);
    assert_eq!(decide(FilterValue::MergeOperand(b"")), Decision::Keep);
    assert_eq!(decide(FilterValue::Entity(&[])), Decision::Keep);
    assert!(filter.ignore_snapshots());
    assert!(builtin("Mine").is_none());
}
