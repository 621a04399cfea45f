use super::*;
use base::compaction_filter::RemoveEmptyValueCompactionFilter;
use options::DbPath;
use std::sync::Arc;

const MONTH: u64 = 30 * 24 * 60 * 60;

fn sanitized(change: impl FnOnce(&mut ColumnFamilyOptions)) -> ColumnFamilyOptions {
    let mut family = ColumnFamilyOptions::default();
    change(&mut family);
    sanitize_column_family(&DbOptions::default(), &family)
}

#[test]
fn defaults_stay_but_for_ages() {
    let mut expected = ColumnFamilyOptions::default();
    expected.ttl = MONTH;
    expected.periodic_compaction_seconds = 0;
    assert_eq!(format!("{:?}", sanitized(|_| {})), format!("{expected:?}"));
}

#[test]
fn ages_by_style() {
    let ages = |change: fn(&mut ColumnFamilyOptions)| {
        let family = sanitized(change);
        (family.ttl, family.periodic_compaction_seconds)
    };
    let unset = UNSET_SECONDS;
    assert_eq!(unset, ColumnFamilyOptions::default().ttl);
    assert_eq!(ages(|family| family.ttl = 0), (0, 0));
    assert_eq!(ages(|family| family.periodic_compaction_seconds = 7), (MONTH, 7));
    assert_eq!(ages(|family| family.table_factory = TableFactory::from_name("PlainTable")), (0, 0));
    let filter = |family: &mut ColumnFamilyOptions| {
        family.compaction_filter = Some(Arc::new(RemoveEmptyValueCompactionFilter));
    };
    assert_eq!(ages(filter), (MONTH, MONTH));
    assert_eq!(ages(|family| family.compaction_style = CompactionStyle::Universal), (MONTH, MONTH));
    assert_eq!(ages(|family| family.compaction_style = CompactionStyle::Fifo), (MONTH, 0));
    let off = |family: &mut ColumnFamilyOptions| {
        family.compaction_style = CompactionStyle::Fifo;
        family.ttl = 0;
    };
    assert_eq!(ages(off), (0, 0));
    let fifo = |family: &mut ColumnFamilyOptions| {
        family.compaction_style = CompactionStyle::Fifo;
        family.ttl = 500;
        family.periodic_compaction_seconds = 300;
    };
    assert_eq!(ages(fifo), (500, 300));
    let universal = |family: &mut ColumnFamilyOptions| {
        family.compaction_style = CompactionStyle::Universal;
        family.ttl = 500;
        family.periodic_compaction_seconds = 0;
    };
    assert_eq!(ages(universal), (500, 500));
    let universal_without_ttl = |family: &mut ColumnFamilyOptions| {
        family.compaction_style = CompactionStyle::Universal;
        family.ttl = 0;
    };
    assert_eq!(ages(universal_without_ttl), (0, MONTH));
}

#[test]
fn triggers_ascend() {
    let family = sanitized(|family| {
        family.level0_file_num_compaction_trigger = 0;
        family.level0_slowdown_writes_trigger = -5;
        family.level0_stop_writes_trigger = -9;
        family.soft_pending_compaction_bytes_limit = 10;
        family.hard_pending_compaction_bytes_limit = 5;
    });
    assert_eq!(family.level0_file_num_compaction_trigger, 1);
    assert_eq!(family.level0_slowdown_writes_trigger, 1);
    assert_eq!(family.level0_stop_writes_trigger, 1);
    assert_eq!(family.soft_pending_compaction_bytes_limit, 5);
    let family = sanitized(|family| family.soft_pending_compaction_bytes_limit = 0);
    assert_eq!(family.soft_pending_compaction_bytes_limit, 256 << 30);
    let family = sanitized(|family| family.compaction_style = CompactionStyle::Fifo);
    assert_eq!(family.level0_stop_writes_trigger, i32::MAX);
}

#[test]
fn memtables_are_two_at_least() {
    let family = sanitized(|family| {
        family.max_write_buffer_number = -1;
        family.min_write_buffer_number_to_merge = 9;
    });
    assert_eq!((family.max_write_buffer_number, family.min_write_buffer_number_to_merge), (2, 1));
    let db = DbOptions { atomic_flush: true, ..DbOptions::default() };
    let mut family = ColumnFamilyOptions::default();
    family.max_write_buffer_number = 9;
    family.min_write_buffer_number_to_merge = 4;
    assert_eq!(sanitize_column_family(&db, &family).min_write_buffer_number_to_merge, 1);
}

#[test]
fn dynamic_levels_need_one_directory_and_leveled_compaction() {
    let dynamic = |change: fn(&mut ColumnFamilyOptions)| {
        sanitized(change).level_compaction_dynamic_level_bytes
    };
    assert!(dynamic(|_| {}));
    assert!(!dynamic(|family| family.compaction_style = CompactionStyle::Universal));
    assert!(!dynamic(|family| family.cf_paths = vec![DbPath::default(), DbPath::default()]));
    assert!(dynamic(|family| family.cf_paths = vec![DbPath::default()]));
    let family = sanitized(|family| {
        family.num_levels = 1;
        family.max_bytes_for_level_multiplier = -1.0;
    });
    assert_eq!((family.num_levels, family.max_bytes_for_level_multiplier), (2, 1.0));
}

#[test]
fn the_rate_of_delayed_writes_is_the_first_that_is_set() {
    let mut db = DbOptions::default();
    assert_eq!(delayed_write_rate(&db), 16 << 20);
    db.rate_limiter_bytes_per_sec = 7;
    assert_eq!(delayed_write_rate(&db), 7);
    db.delayed_write_rate = 9;
    assert_eq!(delayed_write_rate(&db), 9);
}
