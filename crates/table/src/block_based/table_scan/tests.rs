#![expect(clippy::panic_in_result_fn, reason = "checks pass on errors of setting up")]

use crate::block_based::tests::{for_each_table_of_fixtures, total_order};
use crate::block_based::{BlockBasedTable, TableScan};
use crate::entry_columns::RankOrder;
use crate::read_options::ReadOptions;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{Pairs, build_table, forward, open};
use base::{InternalKey, Result, ValueType};
use std::sync::Arc;

fn rest_of(scan: &mut TableScan) -> Result<Pairs> {
    let mut pairs = Vec::new();
    while scan.valid() {
        pairs.push((scan.key().to_vec(), scan.value().to_vec()));
        scan.next()?;
    }
    Ok(pairs)
}

#[test]
fn every_table_of_the_fixtures_is_scanned_as_its_iterator_has_it() {
    for_each_table_of_fixtures(
        |_, _| true,
        |_, name, bytes, options| {
            let table = open(bytes, &options)?;
            if !table.can_be_scanned() {
                let refused = table.new_scan(&total_order(), &RankOrder::default());
                assert!(refused.is_err(), "{name}");
                return Ok(());
            }
            let pairs = forward(&mut table.new_iterator(&total_order()))?;
            let mut scan = table.new_scan(&total_order(), &RankOrder::default())?;
            assert!(!scan.valid(), "{name}");
            scan.seek_to_first()?;
            assert_eq!(rest_of(&mut scan)?, pairs, "{name}");
            for (position, (key, _)) in pairs.iter().enumerate().step_by(pairs.len() / 7 + 1) {
                scan.seek(key)?;
                assert_eq!(rest_of(&mut scan)?, pairs[position..], "{name}");
            }
            Ok(())
        },
    );
}

fn key(number: usize) -> Vec<u8> {
    let user_key = format!("key{number:04}");
    InternalKey::new(user_key.as_bytes(), 7, ValueType::Value).as_bytes().to_vec()
}

/// Every second key.
fn table_of(count: usize) -> Result<(Arc<BlockBasedTable>, Pairs)> {
    let pairs: Pairs =
        (0..count).map(|number| (key(2 * number), vec![number as u8; number % 50])).collect();
    let options = TableBuilderOptions { block_size: 200, ..Default::default() };
    let (bytes, _) = build_table(&options, &pairs)?;
    Ok((open(bytes, &TableOptions::default())?, pairs))
}

#[test]
fn seeks_go_to_the_first_key_from_the_target_on() -> Result<()> {
    let (table, pairs) = table_of(200)?;
    let mut scan = table.new_scan(&total_order(), &RankOrder::new(b"key"))?;
    for target in [0, 1, 2, 31, 200, 397, 398] {
        scan.seek(&key(target))?;
        assert_eq!(rest_of(&mut scan)?, pairs[target.div_ceil(2)..], "{target}");
    }
    scan.seek(&key(399))?;
    assert!(!scan.valid());
    Ok(())
}

#[test]
fn blocks_behind_the_upper_bound_are_left_out() -> Result<()> {
    let (table, pairs) = table_of(200)?;
    let iterate_upper_bound = Some(b"key0100".to_vec());
    let options = ReadOptions { iterate_upper_bound, ..total_order() };
    let mut scan = table.new_scan(&options, &RankOrder::default())?;
    scan.seek_to_first()?;
    let found = rest_of(&mut scan)?;
    let iterated = forward(&mut table.new_iterator(&options))?;
    assert_eq!(found, iterated);
    assert!((50..100).contains(&found.len()) && pairs.starts_with(&found), "{}", found.len());
    Ok(())
}
