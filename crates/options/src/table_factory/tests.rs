use super::*;
use crate::config::{ConfigOptions, Remark};

fn from(text: &str) -> ColumnFamilyOptions {
    ColumnFamilyOptions::from_string(text).unwrap_or_else(|status| panic!("{text}: {status}"))
}

#[test]
fn options_of_block_based_tables_have_many_spellings() {
    for text in [
        "block_based_table_factory={block_size=64K;filter_policy=bloomfilter:10:false}",
        "table_factory={id=BlockBasedTable;block_size=64K;filter_policy=bloomfilter:10:false}",
        "table_factory={block_size=64K;filter_policy=bloomfilter:10:false}",
        "table_factory.block_size=64K;table_factory.filter_policy=bloomfilter:10:false",
        "block_based_table_factory.block_size=64K;\
         block_based_table_factory.filter_policy=bloomfilter:10:false",
    ] {
        let options = from(text);
        assert_eq!(options.table_factory, TableFactory::BlockBased);
        assert_eq!(options.table.block_size, 64 << 10, "{text}");
        assert_eq!(options.table.get("filter_policy").unwrap(), "bloomfilter:10:false");
    }
}

#[test]
fn formats_are_chosen_by_name() {
    assert_eq!(from("table_factory=PlainTable").table_factory, TableFactory::Plain);
    let plain = from("plain_table_factory={user_key_len=8;encoding_type=kPrefix}");
    assert_eq!(plain.table_factory, TableFactory::Plain);
    assert_eq!(plain.plain_table.user_key_len, 8);
    let cuckoo = from("table_factory={id=CuckooTable;max_search_depth=5}");
    assert_eq!(cuckoo.table_factory, TableFactory::Cuckoo);
    assert_eq!(cuckoo.cuckoo_table.max_search_depth, 5);
    assert_eq!(from("table_factory.id=CuckooTable").table_factory, TableFactory::Cuckoo);
    let other = from("table_factory=Mine");
    assert_eq!(other.get("table_factory").unwrap(), "Mine");
    assert_eq!(from(&other.to_option_string()).table_factory, other.table_factory);
}

#[test]
fn wrong_options_of_tables_are_refused() {
    for (text, message) in [
        ("block_based_table_factory={blok_size=1}", "unknown option BlockBasedTable.blok_size"),
        ("table_factory.blok_size=1", "unknown option BlockBasedTable.blok_size"),
        ("table_factory={id=PlainTable;block_size=1}", "unknown option PlainTable.block_size"),
        (
            "block_based_table_factory={block_size=big}",
            "option block_based_table_factory: expected a number, found \"big\"",
        ),
        (
            "block_based_table_factory={block_size}",
            "option block_based_table_factory: expected name=value, found \"block_size\"",
        ),
    ] {
        let status = ColumnFamilyOptions::from_string(text).unwrap_err();
        assert_eq!(status.message(), message, "{text}");
    }
}

#[test]
fn block_caches_are_numbers_or_structs() {
    let cache = from("block_based_table_factory={block_cache=8M}").table.block_cache.unwrap();
    assert_eq!((cache.capacity, cache.num_shard_bits), (8 << 20, -1));
    let text = "block_based_table_factory={block_cache={capacity=1M;num_shard_bits=4;\
                high_pri_pool_ratio=0.25;};block_size=1K}";
    let table = from(text).table;
    let cache = table.block_cache.unwrap();
    assert_eq!((cache.capacity, cache.num_shard_bits), (1 << 20, 4));
    assert_eq!(cache.high_pri_pool_ratio.to_bits(), 0.25_f64.to_bits());
    assert_eq!(table.block_size, 1024);
    assert!(from("block_based_table_factory={block_cache=nullptr}").table.block_cache.is_none());
    assert!(
        ColumnFamilyOptions::from_string(
            "block_based_table_factory={block_cache=hyper_clock_cache://1M}"
        )
        .is_err()
    );
}

#[test]
fn fields_of_unknown_formats_are_remarked() {
    let mut options = ColumnFamilyOptions::default();
    let said = options.apply("table_factory", "{id=Mine;a=1}", &ConfigOptions::default()).unwrap();
    assert_eq!((said[0].remark, &*said[0].name), (Remark::Unknown, "a"));
}
