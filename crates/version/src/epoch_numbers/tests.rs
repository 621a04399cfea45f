use super::*;

#[test]
fn reserved_numbers_are_not_given_out() {
    assert_eq!(EpochNumbers::new(0, false).next(), 1);
    assert_eq!(EpochNumbers::new(1, true).next(), 2);
    let numbers = EpochNumbers::new(5, true);
    assert_eq!((numbers.next(), numbers.next()), (5, 6));
    numbers.mark_used(9);
    numbers.mark_used(3);
    assert_eq!((numbers.peek(), numbers.next()), (10, 10));
}
