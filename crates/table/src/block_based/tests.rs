use crate::read_options::ReadOptions;
use crate::table_options::TableOptions;
use crate::test_files::{backward, forward, open, options_of, tables_of};
use base::Result;
use base::status::Code;
use testing::fixtures::{self, Fixture};
use testing::parallel;

/// Fixtures whose tables are none of ours.
fn is_other_table(fixture: &Fixture) -> bool {
    fixture.name.starts_with("q02") || fixture.name.starts_with("q03")
}

/// Fixtures of which some tables are damaged, or not meant to be read.
fn is_damaged(fixture: &Fixture) -> bool {
    ["o07", "o08", "o09", "o17"].iter().any(|case| fixture.name.starts_with(case))
}

#[test]
fn every_table_of_the_fixtures_reads_alike_in_both_directions() {
    let all = fixtures::matching(|_, name| !name.starts_with("q02") && !name.starts_with("q03"));
    parallel::for_each(&all, |fixture| -> Result<()> {
        if is_damaged(fixture) || is_other_table(fixture) {
            return Ok(());
        }
        for (name, bytes) in tables_of(fixture) {
            let table = open(bytes, &options_of(fixture))
                .map_err(|status| status.context(format!("{fixture} {name}")))?;
            let options = ReadOptions { total_order_seek: true, ..Default::default() };
            let found = forward(&mut table.new_iterator(&options))?;
            assert_eq!(backward(&mut table.new_iterator(&options))?, found, "{fixture} {name}");
            let properties = table.properties();
            // Before 6.0 range tombstones did not count as entries.
            let counts = [0, properties.num_range_deletions]
                .map(|tombstones| properties.num_entries.wrapping_sub(tombstones));
            assert!(counts.contains(&(found.len() as u64)), "{fixture} {name}: {counts:?}");
            table.verify_checksum(&options)?;
        }
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
