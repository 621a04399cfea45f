use super::*;
use std::sync::Arc;

#[test]
fn names_are_rocksdbs() {
    let names: Vec<_> = CacheEntryRole::ALL.iter().map(|role| role.hyphen_name()).collect();
    assert_eq!(
        names,
        [
            "data-block",
            "filter-block",
            "filter-meta-block",
            "deprecated-filter-block",
            "index-block",
            "other-block",
            "write-buffer",
            "compression-dictionary-building-buffer",
            "filter-construction",
            "block-based-table-reader",
            "file-metadata",
            "blob-value",
            "blob-cache",
            "misc",
        ]
    );
    assert_eq!(CacheEntryRole::DataBlock.camel_name(), "DataBlock");
}

#[test]
fn values_of_others_are_not_known() {
    let value = CacheValue::from(Arc::new(7_u64));
    assert_eq!(CacheEntryRole::of_table_value(&value), None);
    let charge = RoleCharge(CacheEntryRole::FileMetadata).into();
    assert_eq!(CacheEntryRole::of_table_value(&charge), Some(CacheEntryRole::FileMetadata));
}
