#![expect(clippy::panic_in_result_fn, reason = "checks pass on errors of setting up")]

use crate::block_based::{BlockBasedTableBuilder, OpenBlock};
use crate::entry_columns::StoredEntry;
use crate::filter::FilterPolicy;
use crate::table_builder_options::TableBuilderOptions;
use crate::test_files::{Pairs, build_table};
use base::dbformat::extract_user_key;
use base::slice_transform::FixedPrefix;
use base::{InternalKey, ParsedInternalKey, Result, ValueType};
use compression::CompressionType;
use env::{FileOptions, FileSystem, MemFileSystem, read_exact_at};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A value as some block could have it, with another sequence number, and as few or as many bytes of the
/// key before the value as its size says.
fn add_value(block: &mut OpenBlock<'_>, user_key: &[u8], sequence: u64, value: &[u8]) -> bool {
    let key = InternalKey::new(user_key, sequence + 5, ValueType::Value);
    let key = key.as_bytes();
    let stored = [&key[value.len() % (key.len() + 1)..], value].concat();
    let entry = StoredEntry { key, stored: &stored, value_size: value.len() };
    assert_eq!(entry.value(), value);
    block.add(&entry, sequence, ValueType::Value)
}

/// The file, and how many entries went straight to an open block.
fn build_through_open_blocks(
    options: &TableBuilderOptions,
    entries: &Pairs,
) -> Result<(Vec<u8>, usize)> {
    let (path, fs) = (Path::new("/000009.sst"), MemFileSystem::new());
    let file = fs.new_writable_file(path, &FileOptions::default())?;
    let mut builder = BlockBasedTableBuilder::new(options, file)?;
    let mut taken = 0;
    for (key, value) in entries {
        let ParsedInternalKey { user_key, sequence, value_type } = ParsedInternalKey::parse(key)?;
        let is_taken = value_type == ValueType::Value
            && builder.open_block().is_some_and(|mut block| {
                let is_taken = add_value(&mut block, user_key, sequence, value);
                assert_eq!(is_taken, block.last_key() == key);
                is_taken
            });
        taken += usize::from(is_taken);
        if !is_taken {
            builder.add(key, value)?;
        }
    }
    let mut table = builder.finish()?;
    table.file.flush()?;
    let file = fs.new_random_access_file(path, &FileOptions::default())?;
    Ok((read_exact_at(&*file, 0, file.size()? as usize)?, taken))
}

fn entries() -> impl Strategy<Value = Pairs> {
    // Few letters, so that many keys begin with others, and with what trailers begin with.
    let letter = prop_oneof![Just(0_u8), Just(1), Just(b'a'), Just(0xff)];
    let user_key = prop::collection::vec(letter, 0..5);
    let value_type = prop_oneof![4 => Just(ValueType::Value), 1 => Just(ValueType::Deletion)];
    let entry = (user_key, 0..3_u64, value_type, 0..200_usize);
    prop::collection::vec(entry, 0..200).prop_map(|entries| {
        let mut seen = BTreeSet::new();
        let mut made: Vec<_> = entries
            .into_iter()
            .filter(|(key, sequence, ..)| seen.insert((key.clone(), *sequence)))
            .collect();
        made.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        let encode = |(key, sequence, value_type, size): (Vec<u8>, u64, ValueType, usize)| {
            let key = InternalKey::new(&key, sequence, value_type).as_bytes().to_vec();
            let value = vec![size as u8; if value_type == ValueType::Value { size } else { 0 }];
            (key, value)
        };
        made.into_iter().map(encode).collect()
    })
}

fn plain() -> TableBuilderOptions {
    TableBuilderOptions {
        block_size: 300,
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        db_session_id: "SESSION".to_owned(),
        ..Default::default()
    }
}

proptest! {
    #[test]
    fn tables_are_the_same(
        entries in entries(),
        block_size_deviation in prop_oneof![Just(0_u8), Just(10), Just(50)],
        block_restart_interval in 1..17_usize,
        use_delta_encoding: bool,
    ) {
        let options = TableBuilderOptions {
            block_size_deviation,
            block_restart_interval,
            use_delta_encoding,
            ..plain()
        };
        let (expected, _) = build_table(&options, &entries).unwrap();
        let (bytes, _) = build_through_open_blocks(&options, &entries).unwrap();
        prop_assert_eq!(bytes, expected);
    }
}

fn values(count: u32) -> Pairs {
    let key = |number: u32| InternalKey::new(&number.to_be_bytes(), 7, ValueType::Value);
    (0..count).map(|number| (key(number).as_bytes().to_vec(), vec![b'v'; 20])).collect()
}

#[test]
fn most_values_go_straight_to_the_block() -> Result<()> {
    let entries = values(1000);
    let (bytes, taken) = build_through_open_blocks(&plain(), &entries)?;
    assert_eq!(bytes, build_table(&plain(), &entries)?.0);
    assert!(taken > 700, "{taken}");
    let last = entries.last().map(|(key, _)| extract_user_key(key).to_vec());
    assert_eq!(last, Some(999_u32.to_be_bytes().to_vec()));
    Ok(())
}

/// Where somebody beside the block has a say, blocks don't open, and tables come out the same.
#[test]
fn others_are_asked_where_they_have_a_say() -> Result<()> {
    let filter = plain().filter_policy;
    let cases = [
        TableBuilderOptions { prefix_extractor: Some(Arc::new(FixedPrefix::new(3))), ..plain() },
        TableBuilderOptions { whole_key_filtering: false, ..plain() },
        TableBuilderOptions {
            index_type: crate::index::IndexType::TwoLevel,
            partition_filters: true,
            filter_policy: filter,
            ..plain()
        },
        TableBuilderOptions { data_block_hash_table_util_ratio: Some(0.75), ..plain() },
        TableBuilderOptions {
            compression: CompressionType::Zstd,
            compression_options: compression::CompressionOptions {
                max_dict_bytes: 4096,
                ..Default::default()
            },
            ..plain()
        },
    ];
    for options in cases {
        let entries = values(1000);
        let (bytes, taken) = build_through_open_blocks(&options, &entries)?;
        assert_eq!(bytes, build_table(&options, &entries)?.0, "{options:?}");
        assert_eq!(taken, 0, "{options:?}");
    }
    Ok(())
}

#[test]
fn keys_out_of_order_are_not_taken() -> Result<()> {
    let file =
        MemFileSystem::new().new_writable_file(Path::new("/1.sst"), &FileOptions::default())?;
    let mut builder = BlockBasedTableBuilder::new(&plain(), file)?;
    assert!(builder.open_block().is_none());
    builder.add(InternalKey::new(b"bb", 5, ValueType::Value).as_bytes(), b"")?;
    let mut block = builder.open_block().ok_or_else(|| base::Status::aborted("no block"))?;
    for user_key in [&b"bb"[..], b"b", b"ba", b"a", b"", b"bbb"] {
        assert!(!add_value(&mut block, user_key, 4, b""), "{user_key:?}");
    }
    assert!(add_value(&mut block, b"bc", 9, b""));
    assert_eq!(builder.num_entries(), 2);
    assert_eq!(builder.sequence_range(), (5, 9));
    Ok(())
}
