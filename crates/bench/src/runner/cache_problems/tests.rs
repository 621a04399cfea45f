use super::*;

#[test]
fn problems_are_told_with_their_numbers() {
    let problems = |usage, pinned| CacheUse { capacity: 1000, usage, pinned }.problems();
    assert_eq!(problems(1000, 500), Vec::<String>::new());
    let over = problems(1001, 500);
    assert!(over.len() == 1 && over[0].contains("1001 bytes, more than its 1000"), "{over:?}");
    let pinned = problems(900, 501);
    assert!(pinned.len() == 1 && pinned[0].starts_with("501 bytes"), "{pinned:?}");
    assert_eq!(problems(2000, 2000).len(), 2);
}
