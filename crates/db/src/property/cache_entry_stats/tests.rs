use super::*;

fn stats() -> CacheEntryStats {
    CacheEntryStats {
        id: "LRUCache@0x1#2".to_owned(),
        capacity: 8 << 20,
        usage: 100,
        table_size: 256,
        occupancy: 88,
        collections: 1,
        copies: 0,
        secs_for_collection: 4.8e-5,
        secs_since_collection: 0,
        roles: Roles::from([
            (0, RoleStats { count: 3, bytes: 1 << 20 }),
            (13, RoleStats { count: 1, bytes: 0 }),
        ]),
    }
}

/// The form is what `db_bench` 7.8.3 printed.
#[test]
fn as_text() {
    assert_eq!(
        stats().to_text(),
        "Block cache LRUCache@0x1#2 capacity: 8.00 MB usage: 0.10 KB table_size: 256 \
         occupancy: 88 collections: 1 last_copies: 0 last_secs: 4.8e-05 secs_since: 0\n\
         Block cache entry stats(count,size,portion): DataBlock(3,1.00 MB,12.5%) \
         Misc(1,0.00 KB,0%)\n"
    );
}

#[test]
fn as_map() {
    let map = stats().to_map();
    assert_eq!(map.len(), 4 + 3 * CacheEntryRole::ALL.len());
    assert_eq!(map["count.data-block"], "3");
    assert_eq!(map["percent.data-block"], "12.500000");
    assert_eq!(map["bytes.filter-block"], "0");
    assert_eq!(map["secs_for_last_collection"], "0.000048");
}

#[test]
fn a_result_is_told_again_for_a_while() {
    let cache = cache::LruCache::new(&cache::LruCacheOptions::with_capacity(1 << 20)).unwrap();
    let cache: Arc<dyn Cache> = Arc::new(cache);
    let collector = CacheEntryCollector::default();
    assert!(collector.last().is_none());
    assert_eq!(collector.collect(&cache, Freshness::Fresh).collections, 1);
    assert_eq!(collector.collect(&cache, Freshness::Fast).copies, 1);
    let again = collector.last().unwrap();
    assert_eq!((again.collections, again.copies), (1, 1));
    assert_eq!(Freshness::Fresh.age_max(Duration::from_secs(2)), Duration::from_secs(20));
    assert_eq!(Freshness::Fast.age_max(Duration::ZERO), Duration::from_secs(180));
}
