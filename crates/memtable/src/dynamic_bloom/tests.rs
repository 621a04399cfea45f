use super::*;

#[test]
fn added_keys_are_found_and_few_others() {
    let count = 20_000u64;
    // Ten bits for each key.
    let bloom = DynamicBloom::new(count as usize * 10 / 8);
    assert_eq!(bloom.size_bytes(), 25_024);
    for number in 0..count {
        bloom.add(&number.to_be_bytes());
    }
    assert!((0..count).all(|number| bloom.may_contain(&number.to_be_bytes())));
    let others = count..2 * count;
    let wrong = others.filter(|number| bloom.may_contain(&number.to_be_bytes())).count();
    assert!(wrong < 400, "{wrong} of {count}");
}

#[test]
fn an_empty_filter_has_no_key_and_a_tiny_one_works() {
    let bloom = DynamicBloom::new(1);
    assert_eq!(bloom.size_bytes(), 64);
    assert!(!bloom.may_contain(b""));
    bloom.add(b"");
    assert!(bloom.may_contain(b""));
}
