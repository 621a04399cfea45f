//! MANIFESTs come and go.

use crate::fixture::{Fixture, default_family, put, scan};
use db::FlushOptions;

#[test]
fn a_manifest_that_grew_too_large_goes_when_another_has_taken_its_place() {
    let mut fixture = Fixture::new();
    fixture.options.max_manifest_file_size = 500;
    fixture.options.max_manifest_space_amp_pct = 0;
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let first = manifests(&fixture);
    for round in 0..20 {
        put(&db, &format!("{round}"), "there");
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    }
    db.close().unwrap();
    let left = manifests(&fixture);
    assert!(left.len() == 1 && left != first, "{left:?}, at first {first:?}");
    assert_eq!(scan(&fixture.open()).len(), 20);
}

fn manifests(fixture: &Fixture) -> Vec<String> {
    fixture.files().into_iter().filter(|name| name.starts_with("MANIFEST")).collect()
}
