use super::*;
use rustix::thread::transparent_huge_pages_are_disabled;

#[test]
fn the_choice_of_the_system_has_brackets() {
    assert_eq!(HugePages::parse("always [madvise] never\n"), Some(HugePages::Madvise));
    assert_eq!(HugePages::parse("[always] madvise never\n"), Some(HugePages::Always));
    assert_eq!(HugePages::parse("always madvise [never]\n"), Some(HugePages::Never));
    assert_eq!(HugePages::parse("always madvise never\n"), None);
    assert_eq!(HugePages::parse("always [defer] never\n"), None);
    assert_eq!(HugePages::parse("always [inherit] madvise never\n"), None);
}

#[test]
fn a_process_asks_no_more_where_one_has_to_ask() {
    let asks_no_more = ask_for_none();
    assert_eq!(asks_no_more, HugePages::of_system() == Some(HugePages::Madvise));
    assert_eq!(transparent_huge_pages_are_disabled().unwrap_or(false), asks_no_more);
}
