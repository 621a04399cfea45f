use super::*;

#[test]
fn slashes_in_a_row_become_one_but_at_the_start() {
    for (path, expected) in [
        ("db//000001.sst", "db/000001.sst"),
        ("/a///b/", "/a/b/"),
        ("//host/a//b", "//host/a/b"),
        ("//", "/"),
        ("", ""),
    ] {
        assert_eq!(normalized(path), expected);
    }
}
