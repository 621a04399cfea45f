//! Reading the tables of the fixtures, whole and damaged.

#![expect(clippy::panic_in_result_fn, reason = "checks pass on errors of setting up")]

mod damage;
mod features;
pub(crate) mod lookups;
mod shapes;
mod test_table;

use crate::block_based::BlockBasedTable;
use crate::properties::TableProperties;
use crate::read_options::ReadOptions;
use crate::table_options::{MetadataPinning, PinnedTables, TableOptions};
use crate::test_files::{backward, forward, open, options_of, tables_of};
use base::Result;
use base::status::Code;
use std::sync::Arc;
use testing::fixtures::{self, Fixture};
use testing::parallel;

/// Calls `check` for every whole block-based table of the fixtures, with options to open it by.
fn for_each_table(
    wanted: impl Fn(&str, &str) -> bool,
    check: impl Fn(&str, Vec<u8>, TableOptions) -> Result<()> + Sync,
) {
    for_each_table_of_fixtures(wanted, |_, name, bytes, options| check(name, bytes, options));
}

/// As [`for_each_table`], with the fixture that a table is of.
pub(super) fn for_each_table_of_fixtures(
    wanted: impl Fn(&str, &str) -> bool,
    check: impl Fn(&Fixture, &str, Vec<u8>, TableOptions) -> Result<()> + Sync,
) {
    /// Tables of other kinds, and damaged ones.
    const LEFT_OUT: [&str; 6] = ["q02", "q03", "o07", "o08", "o09", "o17"];
    let fixtures = fixtures::matching(|release, name| {
        wanted(release, name) && !LEFT_OUT.contains(&&name[..3])
    });
    assert!(!fixtures.is_empty());
    parallel::for_each(&fixtures, |fixture| -> Result<()> {
        for (name, bytes) in tables_of(fixture) {
            let options = options_of(fixture);
            check(fixture, &name, bytes, options).map_err(|status| status.context(name))?;
        }
        Ok(())
    });
}

/// Indexes and filters are in the block cache, all of them.
pub(crate) fn nothing_pinned() -> MetadataPinning {
    let (top_level, partitions) = (PinnedTables::None, PinnedTables::None);
    MetadataPinning { top_level, partitions, unpartitioned: PinnedTables::None }
}

pub(crate) fn total_order() -> ReadOptions {
    ReadOptions { total_order_seek: true, ..Default::default() }
}

/// Opens a table of a fixture; `which` counts those by name.
fn open_nth(
    fixture: &Fixture,
    which: usize,
    options: &TableOptions,
) -> Result<Arc<BlockBasedTable>> {
    open(tables_of(fixture).swap_remove(which).1, options)
}

#[test]
fn every_table_of_the_fixtures_reads_alike_in_both_directions() {
    for_each_table(
        |_, _| true,
        |name, bytes, options| {
            let table = open(bytes, &options)?;
            let found = forward(&mut table.new_iterator(&total_order()))?;
            assert_eq!(backward(&mut table.new_iterator(&total_order()))?, found, "{name}");
            assert!(
                found.is_sorted_by(|(a, _), (b, _)| table.comparator().compare(a, b).is_lt()),
                "{name}"
            );
            // Before 6.0 range tombstones did not count as entries.
            let properties = table.properties();
            let counts = [0, properties.num_range_deletions]
                .map(|tombstones| properties.num_entries.wrapping_sub(tombstones));
            assert!(counts.contains(&(found.len() as u64)), "{name}: {counts:?}");
            // Releases 10 and 11 count wrong where blocks may be compressed with a dictionary.
            if properties.compression_options.contains("max_dict_bytes=0") {
                assert_eq!(table.data_blocks()?.len() as u64, properties.num_data_blocks, "{name}");
            }
            let tombstones = table.range_tombstones().map_or(0, |list| list.tombstone_count());
            assert_eq!(tombstones as u64, properties.num_range_deletions, "{name}");
            table.verify_checksum(&total_order())
        },
    );
}

#[test]
fn properties_of_7_to_8_encode_to_the_very_bytes() {
    // Later releases always write some numbers that these don't know.
    let wanted = |release: &str, _: &str| release.starts_with('7') || release.starts_with('8');
    for_each_table(wanted, |name, bytes, options| {
        let table = open(bytes, &options)?;
        // Patched after it was written, or with a tail that begins at 0.
        let is_ingested = table.properties().external_sst_file_version()?.is_some();
        if is_ingested || table.properties().num_data_blocks == 0 {
            return Ok(());
        }
        let handle = table.metaindex().properties().expect("properties");
        let block = table.raw_block(handle)?.contents;
        assert!(TableProperties::decode(&block)?.encode() == block, "{name}");
        Ok(())
    });
}

#[test]
fn other_kinds_of_tables_are_refused_by_name() {
    for (case, message) in [("q02", "plain table"), ("q03", "cuckoo table")] {
        for fixture in fixtures::of_case(case) {
            for (name, bytes) in tables_of(&fixture) {
                let status = open(bytes, &TableOptions::default()).unwrap_err();
                assert_eq!(status.code(), Code::NotSupported, "{fixture} {name}: {status}");
                assert!(status.message().contains(message), "{status}");
            }
        }
    }
}
