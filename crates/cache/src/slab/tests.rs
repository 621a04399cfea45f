use super::{CHUNK_LENGTH, Slab};

#[test]
fn entries_keep_their_numbers_and_places() {
    let mut slab = Slab::default();
    let count = 3 * CHUNK_LENGTH + 1;
    let mut first_place = None;
    for number in 0..count {
        assert_eq!(slab.len(), number);
        slab.push(number);
        let place = std::ptr::from_ref(&slab[0]).addr();
        assert_eq!(*first_place.get_or_insert(place), place);
    }
    assert_eq!(slab.len(), count);
    slab[CHUNK_LENGTH] = 7;
    let expected: Vec<usize> =
        (0..count).map(|number| if number == CHUNK_LENGTH { 7 } else { number }).collect();
    assert_eq!(slab.iter().copied().collect::<Vec<_>>(), expected);
    assert!((0..count).all(|number| slab[number] == expected[number]));
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_number_that_is_not_there_panics() {
    let mut slab = Slab::default();
    slab.push(1);
    let _ = slab[1];
}
