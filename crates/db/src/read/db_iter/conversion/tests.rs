mod model;
mod world;

use crate::{CompactRangeOptions, IngestExternalFileOptions, ReadOptions};
use base::status::Code;
use perf_context::{PerfLevel, PerfMetric, perf_context, reset_perf_context, set_perf_level};
use table::TableFilter;
use world::World;

/// Moves over all keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Forward,
    Backward,
}

/// Goes over everything; the keys shown, in ascending order.
fn walk(world: &World, way: Way, options: &ReadOptions) -> String {
    let mut iterator = world.db().new_iterator(options, &world.family()).unwrap();
    let mut shown = Vec::new();
    match way {
        Way::Forward => iterator.seek_to_first(),
        Way::Backward => iterator.seek_to_last(),
    }
    while iterator.valid() {
        shown.push(String::from_utf8(iterator.key().to_vec()).unwrap());
        match way {
            Way::Forward => iterator.next(),
            Way::Backward => iterator.prev(),
        }
    }
    iterator.status().unwrap();
    shown.sort();
    shown.concat()
}

fn walk_all(world: &World, way: Way) -> String {
    walk(world, way, &ReadOptions::default())
}

/// Deletions that a walk passes one by one.
fn passed(world: &World, way: Way) -> u64 {
    reset_perf_context();
    set_perf_level(PerfLevel::EnableCount);
    walk_all(world, way);
    set_perf_level(PerfLevel::Disable);
    perf_context().get(PerfMetric::InternalDeleteSkippedCount)
}

/// Keys `a` to `n` in a table, of which the first stretch is deleted in another, and the second in the
/// memtable.
fn prepared(options: &str, in_table: &str, in_memory: &str) -> World {
    let world = World::new(options);
    world.put("abcdefghijklmn");
    world.flush();
    if !in_table.is_empty() {
        world.delete(in_table);
        world.flush();
    }
    world.delete(in_memory);
    world
}

const FOUR: &str = "min_tombstones_for_range_conversion=4";
const BOTH: [Way; 2] = [Way::Forward, Way::Backward];

#[test]
fn deletions_in_a_row_come_under_a_range_tombstone() {
    for way in BOTH {
        let world = prepared(FOUR, "bcdef", "ijklm");
        assert_eq!(walk_all(&world, way), "aghn");
        assert_eq!(world.ranges(), ["b..g", "i..n"], "{way:?}");
        assert_eq!(world.counted(), (2, 0));
        assert_eq!(walk_all(&world, way), "aghn");
        assert_eq!(world.counted(), (2, 0), "these are under one");
        world.put("b");
        assert_eq!(walk_all(&world, way), "abghn");
        assert_eq!(world.counted(), (2, 0));
    }
}

#[test]
fn stretches_that_are_too_short_or_not_in_a_row_stay() {
    for way in BOTH {
        let world = prepared(FOUR, "bcd", "efghijklm");
        world.put("fj");
        assert_eq!(walk_all(&world, way), "afjn");
        assert_eq!(world.ranges(), ["b..f"], "{way:?}: of g to i, and k to m, there are three");
        let world = prepared("", "bcdef", "ijklm");
        assert_eq!(walk_all(&world, way), "aghn");
        assert_eq!((world.ranges().len(), world.counted()), (0, (0, 0)));
    }
}

/// Older versions beneath a deletion, keys that are too new to be seen, and what a range tombstone hides
/// neither count nor end the row.
#[test]
fn what_does_not_show_between_deletions_does_not_matter() {
    for way in BOTH {
        let world = prepared(FOUR, "", "");
        world.put("cccddd");
        world.delete("bcde");
        world.delete_range("f", "h");
        let snapshot = world.db().snapshot();
        world.put("dx");
        let options = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
        assert_eq!(walk(&world, way, &options), "ahijklmn");
        assert_eq!(world.ranges(), ["b..h", "f..h"], "{way:?}");
        assert_eq!(walk_all(&world, way), "adhijklmnx");
        assert_eq!(walk(&world, way, &options), "ahijklmn");
        let world = prepared(FOUR, "", "bcd");
        world.delete_range("e", "m");
        assert_eq!(walk_all(&world, way), "amn");
        assert_eq!(world.ranges(), ["e..m"], "{way:?}: three deletions are bare");
    }
}

#[test]
fn a_row_goes_to_the_bound_or_to_the_last_deletion() {
    let upper =
        |key: &str| ReadOptions { iterate_upper_bound: Some(key.into()), ..ReadOptions::default() };
    for way in BOTH {
        let world = prepared(FOUR, "", "jklmn");
        assert_eq!(walk_all(&world, way), "abcdefghi");
        assert_eq!(world.ranges(), ["j..n"], "{way:?}: behind the last deletion may be others");
        let world = prepared(FOUR, "", "jklmn");
        assert_eq!(walk(&world, way, &upper("z")), "abcdefghi");
        assert_eq!(world.ranges(), ["j..z"], "{way:?}");
        let world = prepared(FOUR, "", "ghijklm");
        assert_eq!(walk(&world, way, &upper("k")), "abcdef");
        assert_eq!(world.ranges(), ["g..k"], "{way:?}");
        let world = prepared(FOUR, "", "ghijklm");
        let lower = ReadOptions { iterate_lower_bound: Some("i".into()), ..ReadOptions::default() };
        assert_eq!(walk(&world, way, &lower), "n");
        assert_eq!(world.ranges(), ["i..n"], "{way:?}");
    }
}

#[test]
fn a_seek_back_to_a_deletion_leaves_its_key_out() {
    let world = prepared(FOUR, "", "efghijk");
    let mut iterator = world.db().new_iterator(&ReadOptions::default(), &world.family()).unwrap();
    iterator.seek_for_prev(b"h");
    assert_eq!(iterator.key(), b"d");
    assert_eq!(world.ranges(), ["e..h"]);
}

#[test]
fn older_snapshots_show_what_they_did() {
    for way in BOTH {
        let world = prepared(FOUR, "", "");
        let snapshot = world.db().snapshot();
        world.delete("bcdefg");
        assert_eq!(walk_all(&world, way), "ahijklmn");
        assert_eq!(world.ranges(), ["b..h"]);
        let options = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
        world.flush();
        assert_eq!(walk(&world, way, &options), "abcdefghijklmn");
        world
            .db()
            .compact_range(&CompactRangeOptions::default(), &world.family(), None, None)
            .unwrap();
        assert_eq!(walk(&world, way, &options), "abcdefghijklmn");
        assert_eq!(walk_all(&world, way), "ahijklmn");
    }
}

/// What is outside of the memtable would be newer than the range tombstone.
#[test]
fn a_scan_older_than_the_memtable_adds_none() {
    let world = prepared(FOUR, "bcdefg", "");
    let snapshot = world.db().snapshot();
    world.put("x");
    world.flush();
    world.put("y");
    let options = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    assert_eq!(walk(&world, Way::Forward, &options), "ahijklmn");
    assert_eq!((world.ranges().len(), world.counted()), (0, (0, 1)));
    assert_eq!(walk_all(&world, Way::Forward), "ahijklmnxy");
    assert_eq!(world.counted(), (1, 1));
}

#[test]
fn a_memtable_that_is_full_takes_none() {
    let world = prepared(FOUR, "", "bcdefg");
    let mut iterator = world.db().new_iterator(&ReadOptions::default(), &world.family()).unwrap();
    world.flush();
    iterator.seek(b"b");
    assert_eq!(iterator.key(), b"h");
    assert_eq!((world.ranges().len(), world.counted()), (0, (0, 1)));
    // Nothing was written since: the numbers of the table are not all the same, so order is clear.
    assert_eq!(walk_all(&world, Way::Forward), "ahijklmn");
    assert_eq!((world.ranges(), world.counted()), (vec!["b..h".to_owned()], (1, 1)));
}

/// Releases before epoch numbers order files of level 0 by sequence numbers.
#[test]
fn a_table_of_one_sequence_number_keeps_it_for_itself() {
    let world = prepared(FOUR, "bcdefg", "x");
    world.flush();
    assert_eq!(walk_all(&world, Way::Forward), "ahijklmn");
    assert_eq!((world.ranges().len(), world.counted()), (0, (0, 1)));
    world.put("y");
    assert_eq!(walk_all(&world, Way::Forward), "ahijklmny");
    assert_eq!(world.counted(), (1, 1));
}

#[test]
fn a_scan_of_before_an_ingestion_adds_none() {
    let world = prepared(FOUR, "", "bdfg");
    let mut iterator = world.db().new_iterator(&ReadOptions::default(), &world.family()).unwrap();
    world.delete("ce");
    let mut older = world.db().new_iterator(&ReadOptions::default(), &world.family()).unwrap();
    world.flush();
    // Between deletions, and with sequence number 0.
    let options = IngestExternalFileOptions { snapshot_consistency: false, ..Default::default() };
    world.ingest(&["bb", "cc"], &options);
    older.seek(b"b");
    assert_eq!(older.key(), b"h");
    iterator.seek(b"f");
    assert_eq!(world.ranges().len(), 0);
    assert_eq!(walk_all(&world, Way::Forward), "abbcchijklmn");
}

#[test]
fn a_file_that_came_after_the_scan_shows() {
    let world = prepared(FOUR, "bdfg", "y");
    let older = || world.db().new_iterator(&ReadOptions::default(), &world.family()).unwrap();
    let mut iterators = [older(), older()];
    world.delete("ce");
    iterators[1] = older();
    let options = IngestExternalFileOptions { snapshot_consistency: false, ..Default::default() };
    world.flush();
    world.put("z");
    let mut newest = older();
    world.ingest(&["bb", "cc"], &options);
    newest.seek(b"b");
    assert_eq!(newest.key(), b"h");
    assert_eq!(
        (world.ranges().len(), world.counted()),
        (0, (0, 1)),
        "the memtable takes writes yet"
    );
    assert_eq!(walk_all(&world, Way::Backward), "abbcchijklmnz");
    for mut iterator in iterators {
        iterator.seek(b"f");
        assert_eq!(iterator.key(), b"h");
    }
    assert_eq!(walk_all(&world, Way::Forward), "abbcchijklmnz");
}

#[test]
fn scans_that_may_leave_out_keys_add_none() {
    let tails = [
        ReadOptions { ignore_range_deletions: true, ..ReadOptions::default() },
        ReadOptions { max_skippable_internal_keys: 100, ..ReadOptions::default() },
        ReadOptions { read_tier: table::ReadTier::Memtable, ..ReadOptions::default() },
    ];
    for options in tails {
        let world = prepared(FOUR, "", "bcdefg");
        for way in BOTH {
            walk(&world, way, &options);
        }
        assert_eq!((world.ranges().len(), world.counted()), (0, (0, 0)), "{options:?}");
    }
    let world = prepared(
        "min_tombstones_for_range_conversion=4;cf_allow_ingest_behind=true;\
        compaction_style=kCompactionStyleUniversal;num_levels=4",
        "",
        "bcdefg",
    );
    for way in BOTH {
        walk_all(&world, way);
    }
    assert_eq!((world.ranges().len(), world.counted()), (0, (0, 0)));
}

#[test]
fn tables_cannot_be_left_out() {
    let world = prepared(FOUR, "", "bcdefg");
    let filter = TableFilter::new(|_| true);
    let options = ReadOptions::default().table_filter(Some(filter));
    let refused = world.db().new_iterator(&options, &world.family()).err().unwrap();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let option = ("min_tombstones_for_range_conversion", "0");
    world.db().set_options(&world.family(), &[option]).unwrap();
    assert_eq!(walk(&world, Way::Forward, &options), "ahijklmn");
    assert_eq!(world.ranges().len(), 0);
}

#[test]
fn a_scan_that_sees_prefixes_only_stays_within_one() {
    let world = World::new(
        "min_tombstones_for_range_conversion=3;prefix_extractor=fixed:1;\
        block_based_table_factory={filter_policy=bloomfilter:10:false}",
    );
    let keys = ["a1", "b1", "b2", "b3", "b4", "b5", "c1", "c2", "c3", "c4"];
    let write =
        |keys: &[&str], deletes: bool| keys.iter().for_each(|key| world.write(key, deletes));
    write(&keys, false);
    world.flush();
    write(&["b2", "b3", "b4", "b5", "c1", "c2", "c3"], true);
    let walk_from = |options: &ReadOptions| {
        let mut iterator = world.db().new_iterator(options, &world.family()).unwrap();
        iterator.seek(b"b1");
        while iterator.valid() {
            iterator.next();
        }
        iterator.status().unwrap();
        world.ranges()
    };
    assert_eq!(walk_from(&ReadOptions::default()).len(), 0, "it may leave out others");
    let options = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
    assert_eq!(walk_from(&options), ["b2..b5"]);
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    assert_eq!(walk_from(&options), ["b2..b5", "b5..c4"]);
}

/// What `hidden_run` remembers of a scan that could add none.
#[test]
fn deletions_that_were_passed_before_count() {
    for way in BOTH {
        let world = prepared(FOUR, "abcdefg", "x");
        world.flush();
        assert_eq!(walk_all(&world, Way::Forward), "hijklmn");
        assert_eq!(world.counted(), (0, 1), "one table has one sequence number");
        world.put("y");
        assert_eq!(walk_all(&world, way), "hijklmny");
        assert_eq!((world.ranges(), world.counted()), (vec!["a..h".to_owned()], (1, 1)), "{way:?}");
        assert_eq!(walk_all(&world, way), "hijklmny");
        assert_eq!(world.counted(), (1, 1), "{way:?}");
    }
}

#[test]
fn range_tombstones_are_flushed_and_spare_those_who_open_it_again() {
    for way in BOTH {
        let mut world = World::new("min_tombstones_for_range_conversion=8");
        (0..500).for_each(|key| world.write(&format!("{key:04}"), false));
        world.flush();
        (0..490).for_each(|key| world.write(&format!("{key:04}"), true));
        assert_eq!(passed(&world, way), 490);
        world.flush();
        world.reopen();
        assert_eq!(world.ranges().len(), 0, "it is in a table");
        let again = passed(&world, way);
        assert!(again <= 2, "{way:?}: {again}");
    }
}

#[test]
fn no_one_knows_of_a_range_tombstone_that_was_not_flushed() {
    let mut world = prepared(FOUR, "", "bcdefg");
    walk_all(&world, Way::Forward);
    assert_eq!(world.ranges(), ["b..h"]);
    world.reopen();
    assert_eq!(walk_all(&world, Way::Backward), "ahijklmn");
}
