use super::*;

/// What a table is the same with or without.
#[test]
fn what_cannot_be_seen_from_outside_is_passed_on() {
    let options = |text: &str| family_part(&ColumnFamilyOptions::from_string(text).unwrap());
    assert!(!options("").verify_compression);
    assert!(options("block_based_table_factory={verify_compression=true}").verify_compression);
}
