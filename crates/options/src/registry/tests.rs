use super::*;
use base::slice_transform::FixedPrefix;
use std::cmp::Ordering;

#[derive(Debug)]
struct Named(&'static str);

impl Comparator for Named {
    fn name(&self) -> &str {
        self.0
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len())
    }
}

impl MergeOperator for Named {
    fn name(&self) -> &str {
        self.0
    }
    fn full_merge(&self, _: &[u8], _: Option<&[u8]>, _: &[&[u8]]) -> base::Result<Vec<u8>> {
        Ok(b"own".to_vec())
    }
}

#[test]
fn built_in_objects_need_no_registration() {
    let registry = Registry::new();
    let comparator = registry.comparator("rocksdb.ReverseBytewiseComparator").unwrap();
    assert_eq!(comparator.compare(b"a", b"b"), Ordering::Greater);
    assert_eq!(registry.merge_operator("max").unwrap().name(), "MaxOperator");
    assert_eq!(registry.slice_transform("fixed:4").unwrap().name(), "rocksdb.FixedPrefix.4");
    assert!(registry.comparator("golden.shortlex").is_none());
    assert!(registry.merge_operator("golden.append").is_none());
    assert!(registry.slice_transform("nullptr").is_none());
}

#[test]
fn registered_objects_go_first() {
    let mut registry = Registry::new();
    registry
        .register_comparator(Arc::new(Named("by length")))
        .register_merge_operator(Arc::new(Named("max")))
        .register_slice_transform(Arc::new(FixedPrefix::new(3)));
    assert_eq!(registry.comparator("by length").unwrap().compare(b"z", b"aa"), Ordering::Less);
    let merged = registry.merge_operator("max").unwrap().full_merge(b"k", None, &[b"x"]).unwrap();
    assert_eq!(merged, b"own");
    assert!(registry.slice_transform("rocksdb.FixedPrefix.3").is_some());
}

#[test]
fn delimiters_are_configurable() {
    let registry = Registry::new();
    let operator = registry
        .configured_merge_operator("StringAppendOperator", &[("delimiter", "--".into())])
        .unwrap();
    assert_eq!(operator.full_merge(b"k", Some(b"a"), &[b"b"]).unwrap(), b"a--b");
    assert!(
        registry.configured_merge_operator("stringappend", &[("colour", "red".into())]).is_none()
    );
    assert!(registry.configured_merge_operator("max", &[("delimiter", ",".into())]).is_none());
}
