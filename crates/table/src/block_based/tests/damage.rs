//! Damaged tables give an error or what the whole table gives, in bounded time and memory.

use super::total_order;
use crate::block_based::TableLookup;
use crate::table_options::TableOptions;
use crate::test_files::{Pairs, backward, forward, open, options_of, tables_of};
use base::dbformat::extract_trailer;
use base::{InternalIterator, Result};
use testing::corrupt::{self, Damage, MASKS};
use testing::fixtures;
use testing::parallel;

/// Entries and range tombstones.
type Content = (Pairs, Vec<String>);

/// All that a table holds, read in several ways.
fn content(bytes: Vec<u8>, options: &TableOptions) -> Result<Content> {
    let table = open(bytes, options)?;
    let pairs = forward(&mut table.new_iterator(&total_order()))?;
    assert_eq!(backward(&mut table.new_iterator(&total_order()))?, pairs);
    let mut iter = table.new_iterator(&total_order());
    for (key, _) in pairs.iter().step_by(pairs.len() / 5 + 1) {
        iter.seek(key)?;
        iter.seek_for_prev(key)?;
        table.get(&TableLookup::new(&total_order(), key, None), &mut |_, _| Ok(false))?;
    }
    let fragments = table.range_tombstones().map_or(Vec::new(), |list| {
        list.fragments().map(|fragment| format!("{fragment:?}")).collect()
    });
    Ok((pairs, fragments))
}

/// Tables of at most `size_max` bytes, one for each of these cases of each release that has one.
fn small_tables(cases: &[&str], size_max: usize) -> Vec<(String, Vec<u8>, TableOptions)> {
    let wanted = |_: &str, name: &str| cases.iter().any(|case| name.starts_with(case));
    fixtures::matching(wanted)
        .iter()
        .filter_map(|fixture| {
            let (name, bytes) =
                tables_of(fixture).into_iter().min_by_key(|(_, bytes)| bytes.len())?;
            let is_small = bytes.len() <= size_max;
            is_small.then(|| (format!("{fixture} {name}"), bytes, options_of(fixture)))
        })
        .collect()
}

struct Table(String, Vec<u8>, TableOptions);

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Applies each damage of `damages`. `is_checked` says whether other content than that of the whole
/// table would be noticed.
fn check(
    cases: &[&str],
    size_max: usize,
    is_checked: bool,
    damages: impl Fn(usize) -> Vec<Damage> + Sync,
) {
    let tables: Vec<_> = small_tables(cases, size_max)
        .into_iter()
        .map(|(name, bytes, options)| Table(name, bytes, options))
        .collect();
    assert!(tables.len() >= cases.len(), "{} tables", tables.len());
    parallel::for_each(&tables, |Table(_, bytes, options)| -> Result<()> {
        let whole = content(bytes.clone(), options)?;
        // As a MANIFEST would say it.
        let largest_sequence =
            whole.0.iter().map(|(key, _)| extract_trailer(key) >> 8).max().filter(|_| is_checked);
        let options = &TableOptions { largest_sequence, ..options.clone() };
        for damage in damages(bytes.len()) {
            if let Ok(found) = content(damage.apply(bytes), options) {
                assert!(found == whole || !is_checked, "{damage}");
            }
        }
        Ok(())
    });
}

#[test]
fn flipped_and_cut_tables_of_every_format() {
    let cases = [
        "b01",
        "b02",
        "b03",
        "b05",
        "b07",
        "c05",
        "c07",
        "c08",
        "c11",
        "c12-checksum-x",
        "c13-format-6-x",
        "c13-format-6-c",
    ];
    check(&cases, 1700, true, corrupt::all);
}

#[test]
fn flipped_and_cut_tables_of_rarer_features() {
    let cases = [
        "b09", "b12", "c01", "c03", "c10", "c15", "c17", "c19", "c22", "f01", "h01", "h05", "h06",
        "i01", "l03", "m02", "q01", "q08", "q11", "q18",
    ];
    check(&cases, 4000, true, |size| {
        let flips = corrupt::flips(size, &[0x01]);
        flips.chain(corrupt::truncations(size).step_by(7)).collect()
    });
}

#[test]
fn several_masks() {
    check(&["c11-format-4", "c11-format-6", "f01"], 1300, true, |size| {
        corrupt::flips(size, &MASKS).collect()
    });
}

#[test]
fn tables_without_checksums_are_read_without_harm() {
    check(&["c12-checksum-none", "c13-format-6-none"], 1700, false, |size| {
        corrupt::flips(size, &MASKS).chain(corrupt::truncations(size)).collect()
    });
}

#[test]
fn damaged_fixtures_are_refused_naming_file_and_offset() {
    let expected = [
        ("o07", "block checksum mismatch"),
        ("o08", "Bad table magic number"),
        ("o09", "Bad table magic number"),
        ("o17", "block checksum mismatch"),
    ];
    for (case, message) in expected {
        for fixture in fixtures::of_case(case) {
            let results: Vec<_> = tables_of(&fixture)
                .into_iter()
                .map(|(_, bytes)| content(bytes, &options_of(&fixture)))
                .collect();
            let errors: Vec<_> =
                results.iter().filter_map(|result| result.as_ref().err()).collect();
            let [status] = errors[..] else { panic!("{fixture}: {errors:?}") };
            assert!(status.is_corruption(), "{fixture}: {status}");
            assert!(status.message().contains(message), "{fixture}: {status}");
            assert!(status.message().starts_with("/db/000009.sst at offset "), "{status}");
        }
    }
}
