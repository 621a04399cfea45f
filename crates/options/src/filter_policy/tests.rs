use super::*;
use crate::config::ConfigOptions;

fn set(text: &str) -> Result<Option<FilterPolicy>, SetError> {
    let config = ConfigOptions::default();
    let mut value = Some(FilterPolicy::ReadOnly);
    value.set(text, &mut Context::new(&config)).map(|()| value)
}

#[test]
fn policies_are_read_and_printed() {
    let bloom = |bits_per_key| Some(FilterPolicy::Bloom { bits_per_key });
    let ribbon = |bits_per_key, bloom_before_level| {
        Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level })
    };
    for (text, policy, printed) in [
        ("nullptr", None, "nullptr"),
        ("", None, "nullptr"),
        ("bloomfilter:10:false", bloom(10.0), "bloomfilter:10:false"),
        ("bloomfilter:9.5", bloom(9.5), "bloomfilter:9.5:false"),
        ("rocksdb.BloomFilter:10:true", bloom(10.0), "bloomfilter:10:false"),
        ("ribbonfilter:10", ribbon(10.0, 0), "ribbonfilter:10:0"),
        ("ribbonfilter:12.125:-1", ribbon(12.125, -1), "ribbonfilter:12.125:-1"),
        ("{id=ribbonfilter:10:0;bloom_before_level=3;}", ribbon(10.0, 3), "ribbonfilter:10:3"),
        ("rocksdb.BuiltinBloomFilter", Some(FilterPolicy::ReadOnly), READ_ONLY),
        // What 7.9 and later write for a filter made for tests.
        ("bloomfilter", Some(FilterPolicy::Other("bloomfilter".to_owned())), "bloomfilter"),
        (
            "{id=mine;a=1;}",
            Some(FilterPolicy::Other("{id=mine;a=1;}".to_owned())),
            "{id=mine;a=1;}",
        ),
    ] {
        let found = set(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(found, policy, "{text}");
        assert_eq!(found.print(Release::NEWEST_KNOWN), printed);
        assert_eq!(set(printed).unwrap(), policy);
    }
}

#[test]
fn built_in_policies_with_wrong_arguments_are_refused() {
    for text in [
        "bloomfilter:",
        "bloomfilter:ten",
        "bloomfilter:-1",
        "bloomfilter:inf",
        "bloomfilter:10:maybe",
        "bloomfilter:10:false:1",
        "ribbonfilter:10:x",
        "{id=bloomfilter:10:false;bloom_before_level=1}",
        "{id=ribbonfilter:10;bloom_before_level=x}",
    ] {
        assert!(matches!(set(text), Err(SetError::BadValue(_))), "{text}");
    }
}

#[test]
fn the_level_of_a_ribbon_filter_is_a_field() {
    let config = ConfigOptions::default();
    let mut context = Context::new(&config);
    let mut policy = set("ribbonfilter:10:0").unwrap();
    policy.set_field("bloom_before_level", "2", &mut context).unwrap();
    assert_eq!(policy.print(Release::NEWEST_KNOWN), "ribbonfilter:10:2");
    assert!(policy.set_field("bloom_before_level", "x", &mut context).is_err());
    assert!(policy.set_field("bits", "2", &mut context).is_err());
    let mut none: Option<FilterPolicy> = None;
    assert!(none.set_field("bloom_before_level", "2", &mut context).is_err());
}
