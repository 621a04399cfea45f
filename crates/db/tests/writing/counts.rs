//! What an open database counts.

use crate::fixture::{Fixture, default_family, put};
use db::{CompactRangeOptions, Db, FlushOptions, ReadOptions};
use statistics::{HistogramType, Statistics, StatsLevel, Ticker};
use std::sync::Arc;

fn key(index: usize) -> String {
    format!("key{index:04}")
}

fn counted() -> (Fixture, Arc<Statistics>) {
    let mut fixture = Fixture::new();
    let statistics = Arc::new(Statistics::new());
    fixture.context.statistics = Some(statistics.clone());
    (fixture, statistics)
}

/// Gets, lookups of two keys and seeks, 500 of each; every other key is there.
fn read(db: &Db) {
    let (family, options) = (default_family(db), ReadOptions::default());
    let mut cursor = db.new_iterator(&options, &family).unwrap();
    for index in 0..500 {
        let (here, missing) = (key(index), format!("{}-", key(index)));
        let one = if index % 2 == 0 { &here } else { &missing };
        let value = db.get(&options, &family, one.as_bytes()).unwrap();
        assert_eq!(value.is_some(), index % 2 == 0);
        let values = db.multi_get(&options, &family, &[&here, &missing]);
        assert_eq!(values.into_iter().flatten().flatten().count(), 1);
        cursor.seek(here.as_bytes());
        assert!(cursor.valid());
    }
}

#[test]
fn there_is_a_time_for_every_operation_at_levels_that_have_times() {
    for (level, expected) in [
        (StatsLevel::ExceptTimers, 0),
        (StatsLevel::ExceptDetailedTimers, 500),
        (StatsLevel::ExceptTimeForMutex, 500),
        (StatsLevel::All, 500),
    ] {
        let (fixture, statistics) = counted();
        let db = fixture.open();
        statistics.reset();
        statistics.set_stats_level(level);
        (0..500).for_each(|index| put(&db, &key(index), "value"));
        read(&db);
        let count = |kind| statistics.histogram_data(kind).count;
        assert_eq!(count(HistogramType::DbWrite), expected, "{level:?}");
        assert_eq!(count(HistogramType::DbGet), expected, "{level:?}");
        assert_eq!(count(HistogramType::DbMultiget), expected, "{level:?}");
        assert_eq!(count(HistogramType::DbSeek), expected, "{level:?}");
        let ticker = |ticker| statistics.ticker_count(ticker);
        assert_eq!(ticker(Ticker::NumberKeysRead), 500);
        assert_eq!(ticker(Ticker::BytesRead), 250 * 5);
        assert_eq!(ticker(Ticker::NumberMultigetCalls), 500);
        assert_eq!(ticker(Ticker::NumberMultigetKeysFound), 500);
        assert_eq!(ticker(Ticker::NumberMultigetBytesRead), 500 * 5);
        assert_eq!(ticker(Ticker::MemtableHit), 250 + 500);
        assert_eq!(ticker(Ticker::MemtableMiss), 250 + 500);
        assert_eq!(ticker(Ticker::NumberKeysWritten), 500);
        assert_eq!(ticker(Ticker::NumberDbSeekFound), 500);
    }
}

#[test]
fn what_flushes_ask_of_the_rate_limiter_counts() {
    let (mut fixture, statistics) = counted();
    fixture.options.rate_limiter_bytes_per_sec = 1 << 30;
    let db = fixture.open();
    (0..500).for_each(|index| put(&db, &key(index), "value"));
    assert_eq!(statistics.ticker_count(Ticker::RateLimiterRequestsWrite), 0);
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    assert!(statistics.ticker_count(Ticker::RateLimiterRequestsWrite) > 0);
    assert!(statistics.ticker_count(Ticker::RateLimiterBytesWrite) > 0);
    assert_eq!(statistics.ticker_count(Ticker::RateLimiterRequestsRead), 0);
}

#[test]
fn seeks_count_the_blocks_they_come_to_and_those_that_are_of_use() {
    let (mut fixture, statistics) = counted();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let family = default_family(&db);
    let flush = || db.flush(&FlushOptions::default(), &[&family]).unwrap();
    (0..500).for_each(|index| put(&db, &key(index), "value"));
    flush();
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    let is_last = statistics.ticker_count(Ticker::LastLevelReadCount) > 0;
    let counts = || {
        let tickers = [
            Ticker::LastLevelSeekData,
            Ticker::LastLevelSeekDataUsefulNoFilter,
            Ticker::NonLastLevelSeekData,
            Ticker::NonLastLevelSeekDataUsefulNoFilter,
        ];
        let counts = tickers.map(|ticker| statistics.ticker_count(ticker));
        if is_last { counts } else { [counts[2], counts[3], counts[0], counts[1]] }
    };
    // A cursor each; what is behind all keys comes to no block.
    for index in 0..100 {
        let mut cursor = db.new_iterator(&ReadOptions::default(), &family).unwrap();
        cursor.seek(key(index).as_bytes());
        assert_eq!(cursor.value(), b"value");
        cursor.seek(b"z");
        assert!(!cursor.valid());
    }
    assert_eq!(counts(), [100, 100, 0, 0]);
    // One cursor for all, which counts now and then; that a block is still there does not count.
    let mut cursor = db.new_iterator(&ReadOptions::default(), &family).unwrap();
    for round in 1..=100 {
        for index in [0, 499] {
            cursor.seek(key(index).as_bytes());
            assert_eq!(cursor.value(), b"value");
        }
        let [data, useful, ..] = counts();
        assert!(data <= 100 + 2 * round && useful <= 100 + 2 * round);
        assert!(data + 32 >= 100 + 2 * round && useful + 33 >= 100 + 2 * round);
    }
    drop(cursor);
    assert_eq!(counts(), [300, 300, 0, 0]);
}
