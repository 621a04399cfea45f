use super::ClosedGates;
use crate::set_options::tests::Setup;

#[test]
fn scans_of_before_the_files_came_add_nothing() {
    let setup = Setup::new("", &[("default", "")]);
    let family = setup.family("default").0;
    let number = family.super_version.load().number;
    assert_eq!(family.conversions.pass(number, || 5), Some(5));
    let closed = ClosedGates::of([family.clone(), family.clone()].into_iter());
    assert_eq!(family.conversions.pass(number, || 5), None, "while files are taken in");
    drop(closed);
    assert_eq!(family.conversions.pass(number - 1, || 5), None, "the files are not in its state");
    assert_eq!(family.conversions.pass(number, || 5), Some(5));
}
