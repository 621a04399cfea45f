//! Seeks and gets against what a scan finds.

use super::{for_each_table, nothing_pinned, total_order};
use crate::block_based::{
    BlockBasedTable, EntryValue, StagedGet, TableIterator, TableLookup, ask_partitioned_filters,
    find_blocks, read_missing_blocks,
};
use crate::read_options::ReadOptions;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::{MetadataPinning, TableOptions};
use crate::test_files::{Pairs, build_table, forward, open};
use base::dbformat::{MAX_SEQUENCE_NUMBER, extract_user_key};
use base::{InternalIterator, InternalKey, ParsedInternalKey, Result, ValueType};
use cache::{LruCache, LruCacheOptions};
use std::iter::once;
use std::sync::Arc;

/// Targets at every `step`-th key, before all its versions, after them, and around it.
fn targets(pairs: &Pairs, step: usize) -> Vec<Vec<u8>> {
    let mut targets = Vec::new();
    for (key, _) in pairs.iter().step_by(step) {
        let user_key = extract_user_key(key);
        targets.push(key.clone());
        for sequence in [MAX_SEQUENCE_NUMBER, 0] {
            targets.push(InternalKey::for_seek(user_key, sequence).as_bytes().to_vec());
        }
        let mut longer = user_key.to_vec();
        longer.insert(user_key.len().saturating_sub(8), 0);
        let shorter = &user_key[..user_key.len().saturating_sub(1)];
        for other in [&longer[..], shorter] {
            targets.push(InternalKey::for_seek(other, 1 << 40).as_bytes().to_vec());
        }
    }
    targets
}

pub(crate) fn check_seeks(table: &Arc<BlockBasedTable>, name: &str) -> Result<()> {
    let comparator = table.comparator();
    let mut iter = table.new_raw_iterator(&total_order());
    let pairs = &forward(&mut iter)?;
    for target in targets(pairs, pairs.len() / 300 + 1) {
        if !comparator.is_long_enough(&target) {
            continue;
        }
        let start = pairs.partition_point(|(key, _)| comparator.compare(key, &target).is_lt());
        iter.seek(&target)?;
        let found = iter.valid().then(|| iter.key());
        assert_eq!(found, pairs.get(start).map(|(key, _)| &key[..]), "{name}: seek {target:?}");
        let end = pairs.partition_point(|(key, _)| comparator.compare(key, &target).is_le());
        iter.seek_for_prev(&target)?;
        let found = iter.valid().then(|| iter.key());
        let expected = end.checked_sub(1).map(|last| &pairs[last].0[..]);
        assert_eq!(found, expected, "{name}: seek for prev {target:?}");
    }
    Ok(())
}

/// Every version of every `step`-th user key is visited, from the newest on.
pub(crate) fn check_gets(table: &Arc<BlockBasedTable>, pairs: &Pairs, name: &str) -> Result<()> {
    let comparator = table.comparator();
    let step = pairs.len() / 300 + 1;
    for (key, _) in pairs.iter().step_by(step) {
        let user_key = extract_user_key(key);
        let target = InternalKey::for_seek(user_key, MAX_SEQUENCE_NUMBER);
        assert!(table.key_may_match(&total_order(), target.as_bytes())?, "{name}: {key:?}");
        assert!(table.prefix_may_match(&total_order(), target.as_bytes())?, "{name}: {key:?}");
        let start =
            pairs.partition_point(|(key, _)| comparator.compare(key, target.as_bytes()).is_lt());
        let expected = pairs[start..]
            .iter()
            .take_while(|(key, _)| extract_user_key(key) == user_key)
            .cloned()
            .collect::<Vec<_>>();
        let options = total_order();
        let lookup = TableLookup::new(&options, target.as_bytes(), None);
        for steps in [None, Some(Steps::Alone), Some(Steps::Together)] {
            let mut found: Pairs = Vec::new();
            let mut visit = |parsed: ParsedInternalKey<'_>, value: EntryValue<'_>| {
                let is_same = parsed.user_key == user_key;
                if is_same {
                    let mut key = Vec::new();
                    parsed.append_to(&mut key);
                    found.push((key, value.pin().to_vec()));
                }
                Ok(is_same)
            };
            match steps {
                None => table.get(&lookup, &mut visit)?,
                Some(steps) => get_in_steps(table, &lookup, steps, &mut visit)?,
            }
            assert_eq!(found, expected, "{name}: get {key:?}, {steps:?}");
        }
    }
    Ok(())
}

/// How blocks come that are not in memory.
#[derive(Clone, Copy, Debug)]
enum Steps {
    Alone,
    Together,
}

/// As a batch of one key looks it up.
fn get_in_steps(
    table: &BlockBasedTable,
    lookup: &TableLookup<'_>,
    steps: Steps,
    visit: &mut dyn FnMut(ParsedInternalKey<'_>, EntryValue<'_>) -> Result<bool>,
) -> Result<()> {
    let mut get = StagedGet::begin(table, lookup);
    if let Steps::Together = steps {
        ask_partitioned_filters(once(&mut get));
    }
    if !get.pass_filter()? {
        return Ok(());
    }
    match steps {
        Steps::Alone => get.find_block(),
        Steps::Together => find_blocks(once(&mut get)),
    }
    get.prefetch_block();
    get.take_block();
    if let Steps::Together = steps {
        read_missing_blocks(once(&mut get));
    }
    get.find_entry();
    get.visit(visit)
}

#[test]
fn lookups_in_every_table_agree_with_a_scan() {
    for_each_table(
        |_, _| true,
        |name, bytes, options| {
            let table = open(bytes, &options)?;
            let pairs = forward(&mut table.new_iterator(&total_order()))?;
            check_seeks(&table, name)?;
            check_gets(&table, &pairs, name)
        },
    );
}

#[test]
fn lookups_through_a_cache_agree_with_a_scan() {
    let wanted = |_: &str, name: &str| ["c", "l", "q0"].iter().any(|case| name.starts_with(case));
    for_each_table(wanted, |name, bytes, options| {
        for capacity in [0, 20_000, 1 << 20] {
            let cache_options = LruCacheOptions::with_capacity(capacity);
            let options = TableOptions {
                block_cache: Some(Arc::new(LruCache::new(&cache_options)?)),
                cache_index_and_filter_blocks: true,
                metadata_pinning: match capacity {
                    0 => MetadataPinning::default(),
                    _ => nothing_pinned(),
                },
                ..options.clone()
            };
            let table = open(bytes.clone(), &options)?;
            for _ in 0..2 {
                let pairs = forward(&mut table.new_iterator(&total_order()))?;
                check_seeks(&table, name)?;
                check_gets(&table, &pairs, name)?;
            }
        }
        Ok(())
    });
}

#[test]
fn filters_know_most_keys_that_are_not_there() {
    let cases = ["c01", "c02", "c03", "c05", "c06", "c07", "c11-format"];
    let counts = parking_lot::Mutex::new((0u32, 0u32));
    let wanted = |_: &str, name: &str| cases.iter().any(|case| name.starts_with(case));
    for_each_table(wanted, |name, bytes, options| {
        let table = open(bytes, &options)?;
        if table.metaindex().filter().is_none() {
            return Ok(());
        }
        let mut matches = 0;
        let count = 1000;
        for number in 0..count {
            let key = format!("key{number:06}x");
            let target = InternalKey::for_seek(key.as_bytes(), MAX_SEQUENCE_NUMBER);
            matches += u32::from(table.key_may_match(&ReadOptions::default(), target.as_bytes())?);
        }
        assert!(matches < count / 2, "{name}: {matches} of {count}");
        let mut counts = counts.lock();
        counts.0 += count;
        counts.1 += matches;
        Ok(())
    });
    let (asked, matched) = counts.into_inner();
    assert!(asked > 50_000, "{asked}");
    assert!(matched * 20 < asked, "{matched} of {asked}");
}

/// At each entry from the last one back, whether the table's iterator knows it for its user key's newest.
fn starts_of_user_keys(iter: &mut TableIterator) -> Result<Vec<(Vec<u8>, bool)>> {
    let mut found = Vec::new();
    iter.seek_to_last()?;
    while iter.valid() {
        found.push((iter.key().to_vec(), iter.starts_user_key()));
        iter.prev()?;
    }
    found.reverse();
    Ok(found)
}

#[test]
fn what_is_known_for_the_newest_of_its_user_key_is_that() {
    for_each_table(
        |_, _| true,
        |name, bytes, options| {
            let table = open(bytes, &options)?;
            let found = starts_of_user_keys(&mut table.new_iterator(&total_order()))?;
            for pair in found.windows(2) {
                let [before, here] = [&pair[0].0, &pair[1].0].map(|key| extract_user_key(key));
                let differ = table.comparator.compare_without_timestamp(before, here).is_ne();
                assert!(differ || !pair[1].1, "{name}: {here:?}");
            }
            Ok(())
        },
    );
}

#[test]
fn the_index_tells_whether_a_block_begins_with_a_user_key_of_its_own() -> Result<()> {
    let options = TableBuilderOptions { block_size: 1, ..Default::default() };
    let known_of = |user_keys: &[&str]| -> Result<Vec<bool>> {
        let entries = (1..).zip(user_keys).map(|(at, user_key)| {
            let key = InternalKey::new(user_key.as_bytes(), 100 - at, ValueType::Value);
            (key.as_bytes().to_vec(), Vec::new())
        });
        let (bytes, _) = build_table(&options, &entries.collect::<Vec<_>>())?;
        let table = open(bytes, &TableOptions::default())?;
        let found = starts_of_user_keys(&mut table.new_iterator(&total_order()))?;
        Ok(found.into_iter().map(|(_, is_known)| is_known).collect())
    };
    // Each entry is a block. There may be newer versions of the first in another file.
    assert_eq!(known_of(&["a", "b", "c", "d"])?, [false, true, true, true]);
    assert_eq!(known_of(&["a", "b", "b", "c"])?, [false, true, false, true]);
    Ok(())
}
