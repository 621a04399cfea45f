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

/// Writes 10 and 25 are the first of a log each: the end of one log may be missing, or of two, but
/// nothing amid a log.
#[test]
fn gaps_end_where_a_log_begins() {
    let content_of = |lost: &[(u64, u64)]| {
        let mut content = Content::new();
        for index in
            (0..40).filter(|index| lost.iter().all(|(from, to)| !(*from..*to).contains(index)))
        {
            content.apply(&operation(7, 1, index));
        }
        content
    };
    let explain = |lost: &[(u64, u64)], gaps_max| {
        let mut model = ThreadModel::new(7, 1);
        model.advance_with_gaps(&content_of(lost), (3, 40), &[10, 25], gaps_max)
    };
    explain(&[(6, 10)], 1).unwrap();
    explain(&[(6, 25)], 1).unwrap();
    explain(&[(6, 10), (20, 25)], 2).unwrap();
    explain(&[(6, 10), (20, 25)], 1).unwrap_err();
    explain(&[(6, 9)], 2).unwrap_err();
    explain(&[(12, 20)], 2).unwrap_err();
}
