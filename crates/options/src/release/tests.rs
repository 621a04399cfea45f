use super::*;

#[test]
fn releases_are_ordered_by_number() {
    let old = Release::parse("9.10.0").unwrap();
    assert!(old < Release::parse("10.2").unwrap());
    assert_eq!(old.to_string(), "9.10.0");
    assert_eq!(Release::parse("7").unwrap(), Release::new(7, 0, 0));
    assert_eq!(Release::parse("").unwrap(), Release::default());
}

#[test]
fn what_came_with_a_release_is_in_later_ones() {
    let release = Release::new(7, 8, 3);
    assert!(release.has("7.8") && release.has("6.29") && release.has("4.3"));
    assert!(!release.has("7.9") && !release.has("10.2"));
}

#[test]
fn what_is_no_release_is_refused() {
    for text in ["7.", ".8", "7.8.3.1", "7.x", "-7", "7 .8", "99999999999"] {
        let status = Release::parse(text).unwrap_err();
        assert_eq!(status.code(), base::status::Code::InvalidArgument, "{text}");
        assert!(status.message().contains(text));
    }
}
