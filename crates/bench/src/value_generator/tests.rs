use super::*;

#[test]
fn values_repeat_what_is_random_in_them() {
    let mut values = ValueGenerator::new(100, 0.25);
    let value = values.next_value().to_vec();
    assert_eq!(value[..25], value[25..50]);
    assert_eq!(value[..25], value[75..]);
    assert_ne!(value, values.next_value());
    assert!(value.iter().all(|byte| (b' '..=b'~').contains(byte)));
}

#[test]
fn a_pool_starts_again_where_a_value_does_not_fit() {
    let mut values = ValueGenerator::new(400_000, 1.0);
    let first = values.next_value().to_vec();
    assert_ne!(first, values.next_value());
    // The third would end behind the pool of 1,048,600 bytes.
    assert_eq!(first, values.next_value());
    assert_eq!(ValueGenerator::new(2_000_000, 0.5).next_value().len(), 2_000_000);
}
