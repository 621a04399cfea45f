use super::*;

#[test]
fn what_is_no_release_is_said() {
    let error = fetched_library("newest").unwrap_err().to_string();
    assert!(error.contains("newest"), "{error}");
}

#[test]
fn a_package_without_a_library_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let package = directory.path().join("package.jar");
    fs::write(&package, "no archive").unwrap();
    let error = unpack(&package, &directory.path().join("library")).unwrap_err().to_string();
    assert!(error.contains("package.jar") && error.contains(IN_PACKAGE), "{error}");
}
