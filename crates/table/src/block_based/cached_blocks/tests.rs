use super::*;
use crate::ReadOptions;
use crate::index::IndexType;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, build_table, forward};
use base::{InternalKey, ValueType};
use cache::{Cache, LruCache, LruCacheOptions};
use std::sync::Arc;

fn entries() -> Pairs {
    let entry = |number: u32| {
        let key = InternalKey::new(format!("key{number:06}").as_bytes(), 7, ValueType::Value);
        (key.as_bytes().to_vec(), format!("value {number} ").repeat(5).into_bytes())
    };
    (0..2000).map(entry).collect()
}

fn table(index_type: IndexType, cache: &Arc<dyn Cache>) -> Arc<BlockBasedTable> {
    let options = TableBuilderOptions { index_type, ..TableBuilderOptions::default() };
    let (bytes, _) = build_table(&options, &entries()).unwrap();
    let size = bytes.len() as u64;
    let options = TableOptions { block_cache: Some(cache.clone()), ..TableOptions::default() };
    BlockBasedTable::open(Arc::new(BytesFile(bytes)), size, &options).unwrap()
}

#[test]
fn blocks_that_were_read_are_known_and_go() {
    for index_type in [IndexType::BinarySearch, IndexType::TwoLevel] {
        let options = LruCacheOptions::with_capacity(10 << 20);
        let cache: Arc<dyn Cache> = Arc::new(LruCache::new(&options).unwrap());
        let (gone, stays) = (table(index_type, &cache), table(index_type, &cache));
        assert_eq!(gone.blocks_in_cache().read, 0);
        gone.erase_from_cache();
        for table in [&gone, &stays] {
            assert_eq!(
                forward(&mut table.new_iterator(&ReadOptions::default())).unwrap(),
                entries()
            );
        }
        let blocks = gone.blocks_in_cache();
        assert!(blocks.total > 30 && blocks.read == blocks.total, "{blocks:?}");
        let usage = cache.usage_bytes();
        gone.erase_from_cache();
        assert_eq!(gone.blocks_in_cache().read, 0);
        assert_eq!(cache.usage_bytes(), usage / 2, "of the other nothing went");
        assert_eq!(stays.blocks_in_cache(), blocks);
        // Whoever reads it nevertheless can.
        assert_eq!(forward(&mut gone.new_iterator(&ReadOptions::default())).unwrap(), entries());
    }
}
