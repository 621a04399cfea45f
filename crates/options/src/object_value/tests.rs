use super::*;
use crate::ColumnFamilyOptions;
use crate::config::{ConfigOptions, Diagnostic};
use base::comparator::ReverseBytewiseComparator;
use base::merge_operator::MaxOperator;

fn apply(options: &mut ColumnFamilyOptions, name: &str, value: &str) -> Vec<Diagnostic> {
    options.apply(name, value, &ConfigOptions::default()).unwrap()
}

#[test]
fn texts_are_names_with_properties() {
    for (text, id, properties) in [
        ("", "", vec![]),
        ("nullptr", "", vec![]),
        ("a.B:4", "a.B:4", vec![]),
        ("{id=a;b=c;}", "a", vec![("b", "c")]),
        ("b=c;id=a", "a", vec![("b", "c")]),
        ("{id=nullptr}", "", vec![]),
        ("{b=c}", "{b=c}", vec![]),
        ("{id=a", "{id=a", vec![]),
    ] {
        let found = ObjectId::parse(text, "");
        assert_eq!((found.id, found.properties), (id, properties), "{text}");
    }
    let found = ObjectId::parse("b=c", "default");
    assert_eq!((found.id, found.properties), ("default", vec![("b", "c")]));
}

#[test]
fn names_become_objects() {
    let mut options = ColumnFamilyOptions::default();
    assert!(apply(&mut options, "comparator", "rocksdb.ReverseBytewiseComparator").is_empty());
    assert!(apply(&mut options, "merge_operator", "uint64add").is_empty());
    assert!(apply(&mut options, "prefix_extractor", "capped:3").is_empty());
    assert_eq!(options.comparator.name(), "rocksdb.ReverseBytewiseComparator");
    assert_eq!(options.get("merge_operator").unwrap(), "UInt64AddOperator");
    assert_eq!(options.get("prefix_extractor").unwrap(), "rocksdb.CappedPrefix.3");
    assert!(apply(&mut options, "merge_operator", "nullptr").is_empty());
    assert!(options.merge_operator.is_none());
    assert!(options.apply("comparator", "nullptr", &ConfigOptions::default()).is_err());
    assert_eq!(options.comparator.name(), "rocksdb.ReverseBytewiseComparator");
}

#[test]
fn names_nobody_registered_are_kept_as_names() {
    let mut options = ColumnFamilyOptions::default();
    let said = apply(&mut options, "comparator", "golden.shortlex");
    assert_eq!((said[0].remark, &*said[0].name), (Remark::NotRegistered, "comparator"));
    assert_eq!(options.comparator.name(), "leveldb.BytewiseComparator");
    assert_eq!(options.unregistered("comparator"), Some("golden.shortlex"));
    assert_eq!(options.get("comparator").unwrap(), "golden.shortlex");
    assert_eq!(
        options.require_registered("comparator").unwrap_err().message(),
        "option comparator: no object is registered under the name golden.shortlex"
    );
    assert!(options.clone().to_option_string().contains("comparator=golden.shortlex;"));

    options.comparator = Arc::new(ReverseBytewiseComparator);
    assert_eq!(options.unregistered("comparator"), None);
    assert_eq!(options.get("comparator").unwrap(), "rocksdb.ReverseBytewiseComparator");
    options.require_registered("comparator").unwrap();
}

#[test]
fn a_given_object_is_found_by_its_name() {
    let mut options = ColumnFamilyOptions::default();
    apply(&mut options, "merge_operator", "mine");
    assert_eq!(options.unregistered("merge_operator"), Some("mine"));
    options.merge_operator = Some(Arc::new(MaxOperator));
    let operator = options.merge_operator.clone().unwrap();
    assert!(apply(&mut options, "merge_operator", "MaxOperator").is_empty());
    assert_eq!(options.unregistered("merge_operator"), None);
    assert_eq!(options.merge_operator.unwrap().name(), operator.name());
}

#[test]
fn properties_are_printed_back() {
    let mut options = ColumnFamilyOptions::default();
    let text = r"{id=StringAppendOperator;delimiter=\:;}";
    assert!(apply(&mut options, "merge_operator", text).is_empty());
    assert_eq!(options.get("merge_operator").unwrap(), text);

    let unescaped = ConfigOptions { input_strings_escaped: false, ..ConfigOptions::default() };
    let mut other = ColumnFamilyOptions::default();
    other.apply("merge_operator", "{id=stringappend;delimiter=#}", &unescaped).unwrap();
    assert_eq!(other.get("merge_operator").unwrap(), r"{id=stringappend;delimiter=\#}");
    let merged = other.merge_operator.unwrap().full_merge(b"k", Some(b"a"), &[b"b"]).unwrap();
    assert_eq!(merged, b"a#b");
}

#[test]
fn objects_without_a_class_are_texts() {
    let mut options = ColumnFamilyOptions::default();
    assert!(options.compression_manager.is_null());
    let text = "{id=MyManager;level=nullptr;ttl=0;}";
    apply(&mut options, "compression_manager", text);
    assert_eq!(options.compression_manager.id(), "MyManager");
    assert_eq!(options.get("compression_manager").unwrap(), text);
}

#[test]
fn a_maker_hears_what_a_text_says_of_an_object() {
    use base::sst_partitioner::{SstPartitionerFactory, SstPartitionerFixedPrefixFactory};
    let mut registry = Registry::new();
    registry.register_sst_partitioner_factory_maker(
        "by.tenant",
        Arc::new(|properties| match properties {
            [("width", width)] => {
                let length = width.parse().ok()?;
                let factory = SstPartitionerFixedPrefixFactory::new(length);
                Some(Arc::new(factory) as Arc<dyn SstPartitionerFactory>)
            }
            _ => None,
        }),
    );
    let config = ConfigOptions { registry: Arc::new(registry), ..ConfigOptions::default() };
    let mut options = ColumnFamilyOptions::default();
    let mut apply = |text: &str| {
        options.apply("sst_partitioner_factory", text, &config).unwrap();
        let factory = options.sst_partitioner_factory.as_ref();
        let found = factory.map(|factory| format!("{:?}", factory.properties()));
        let printed = options.get("sst_partitioner_factory").unwrap();
        (found, options.unregistered("sst_partitioner_factory").map(str::to_owned), printed)
    };
    let four = Some(r#"[("length", "4")]"#.to_owned());
    assert_eq!(
        apply("{id=by.tenant;width=4}"),
        (four.clone(), None, "{id=by.tenant;width=4}".into())
    );
    let missing = "{id=by.tenant;width=x}";
    assert_eq!(apply(missing), (four, Some("by.tenant".to_owned()), missing.into()));
    assert_eq!(apply("nullptr"), (None, None, "nullptr".into()));
}
