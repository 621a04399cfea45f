use super::{line_of, manifest, package_name};
use crate::files;

#[test]
fn the_manifest_names_crates_by_their_packages_and_sets_no_profile() {
    let text = manifest(&files::root()).unwrap();
    assert!(text.contains("db = { package = \"touchstone-db\", path = "), "{text}");
    assert!(text.contains("\n[workspace]\n"), "a workspace of its own");
    assert!(text.contains("\nrustix = "), "{text}");
    assert!(!text.contains("profile"), "{text}");
}

#[test]
fn lines_are_found_by_whole_names() {
    let text = "names = 1\nname = \"a-crate\"\n";
    assert_eq!(line_of(text, "name").unwrap(), "name = \"a-crate\"");
    assert_eq!(package_name(text).unwrap(), "a-crate");
    assert!(line_of(text, "nam").unwrap_err().contains("nam ="));
}
