//! Every combination of what shapes a table: written, read back, and read by RocksDB 7.8.3.

use crate::block_based::TableTail;
use crate::filter::FilterPolicy;
use crate::read_options::ReadOptions;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{BytesFile, Pairs, backward, build_table, forward, open};
use base::{InternalKey, ValueType};

fn entries(count: u32) -> Pairs {
    (0..count)
        .map(|number| {
            let user_key = format!("key{:08}", number * 7);
            let value_type = if number % 13 == 5 { ValueType::Deletion } else { ValueType::Value };
            let key = InternalKey::new(user_key.as_bytes(), u64::from(number) + 1, value_type);
            let value = match value_type {
                ValueType::Value => format!("value{:0100}", number % 50).into_bytes(),
                _ => Vec::new(),
            };
            (key.as_bytes().to_vec(), value)
        })
        .collect()
}

#[test]
fn smoke() {
    let options = TableBuilderOptions {
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..Default::default()
    };
    let pairs = entries(1000);
    let (bytes, finished) = build_table(&options, &pairs).unwrap();
    let tail = TableTail::read(&BytesFile(bytes.clone()), bytes.len() as u64).unwrap();
    assert_eq!(tail.properties.as_ref(), Some(&finished.properties));
    let table = open(bytes, &TableOptions::default()).unwrap();
    let read_options = ReadOptions { total_order_seek: true, ..Default::default() };
    assert_eq!(forward(&mut table.new_iterator(&read_options)).unwrap(), pairs);
    assert_eq!(backward(&mut table.new_iterator(&read_options)).unwrap(), pairs);
}
