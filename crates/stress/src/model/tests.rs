use super::{Content, ThreadModel};
use crate::operation::operation;

#[test]
fn a_prefix_is_found_and_anything_else_is_not() {
    let mut model = ThreadModel::new(7, 1);
    model.advance(50);
    let found = model.content.clone();
    let mut search = ThreadModel::new(7, 1);
    let last = search.advance_to(&found, 20, 60).unwrap();
    assert_eq!(search.content, found);
    assert!(search.written <= 50 && (50..=60).contains(&last));
    ThreadModel::new(7, 1).advance_to(&found, 51, 60).unwrap_err();
    ThreadModel::new(7, 1).advance_to(&found, 20, 49).unwrap_err();
}

#[test]
fn a_hole_is_no_prefix() {
    let mut with_hole = Content::new();
    for index in (0..50).filter(|index| *index != 30) {
        with_hole.apply(&operation(7, 1, index));
    }
    let why = ThreadModel::new(7, 1).advance_to(&with_hole, 20, 60).unwrap_err();
    assert!(why.contains("no number of writes from 20"), "{why}");
}
