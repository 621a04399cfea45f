use super::*;

#[test]
fn the_reference_in_the_tree_is_current() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/properties.md");
    if std::env::var_os("TOUCHSTONE_REWRITE").is_some() {
        std::fs::write(&path, properties_reference()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == properties_reference(),
        "{} is out of date: run this test with TOUCHSTONE_REWRITE=1",
        path.display()
    );
}
