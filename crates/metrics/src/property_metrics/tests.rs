use super::*;
use db::{ColumnFamilyDescriptor, OpenContext};
use options::{ColumnFamilyOptions, DbOptions};

#[test]
fn every_property_that_is_a_number_is_described() {
    let directory = tempfile::TempDir::new().unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let db = Db::open(&options, directory.path(), &families, &OpenContext::default()).unwrap();
    let family = db.column_family("default").unwrap();
    for property in Db::property_names() {
        if db.int_property(&family, property).is_some() {
            assert!(ROWS.iter().any(|(name, ..)| *name == property), "{property}");
        }
    }
    for (name, ..) in ROWS {
        assert!(Db::property_names().any(|property| property == *name), "{name} is none");
    }
}
