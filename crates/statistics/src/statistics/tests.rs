use super::*;
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

#[test]
fn names_and_numbers_are_rocksdbs() {
    assert_eq!(Ticker::ALL.len(), 267);
    assert_eq!(HistogramType::ALL.len(), 80);
    assert_eq!(Ticker::from_number(61).unwrap().name(), "rocksdb.bytes.written");
    assert_eq!(HistogramType::from_number(1).unwrap().name(), "rocksdb.db.write.micros");
    for (number, ticker) in Ticker::ALL.iter().enumerate() {
        assert_eq!(ticker.number(), number);
        assert_eq!(Ticker::from_name(ticker.name()), Some(*ticker));
    }
    for (number, kind) in HistogramType::ALL.iter().enumerate() {
        assert_eq!(kind.number(), number);
        assert_eq!(HistogramType::from_name(kind.name()), Some(*kind));
    }
    let names: BTreeSet<_> = Ticker::ALL.iter().map(|ticker| ticker.name()).collect();
    assert_eq!(names.len(), Ticker::ALL.len());
}

#[test]
fn counts_of_all_threads_are_summed_up_also_of_those_gone() {
    let statistics = Statistics::new();
    for round in 1..=3u64 {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for value in 0..1000 {
                        statistics.record_tick(Ticker::BytesRead, 2);
                        statistics.record_in_histogram(HistogramType::DbGet, value);
                    }
                });
            }
        });
        statistics.record_tick(Ticker::BytesRead, 1);
        assert_eq!(statistics.ticker_count(Ticker::BytesRead), round * 8001);
        let data = statistics.histogram_data(HistogramType::DbGet);
        assert_eq!((data.count, data.sum), (round * 4000, round * 4 * 499_500));
        assert_eq!((data.min, data.max, data.average), (0.0, 999.0, 499.5));
    }
    // Threads that are gone leave their counts, not their memory.
    assert!(statistics.totals.lock().thread_count() <= 5);
}

#[test]
fn counts_of_several_statistics_stay_apart() {
    let (one, two) = (Statistics::new(), Statistics::new());
    for _ in 0..10 {
        one.record_tick(Ticker::WalFileBytes, 1);
        two.record_ticks(&[(Ticker::WalFileBytes, 2), (Ticker::WalFileSynced, 1)]);
    }
    drop(Statistics::new());
    assert_eq!(one.ticker_count(Ticker::WalFileBytes), 10);
    assert_eq!(two.ticker_count(Ticker::WalFileBytes), 20);
    assert_eq!(two.ticker_count(Ticker::WalFileSynced), 10);
}

#[test]
fn counters_of_statistics_that_are_gone_are_freed() {
    for _ in 0..100 {
        Statistics::new().record_tick(Ticker::BytesRead, 1);
    }
    assert!(own_counters::count() <= 2, "{}", own_counters::count());
}

#[test]
fn tickers_are_set_and_taken() {
    let statistics = Statistics::new();
    statistics.record_tick(Ticker::BytesWritten, 5);
    statistics.set_ticker_count(Ticker::BytesWritten, 100);
    statistics.record_tick(Ticker::BytesWritten, 5);
    assert_eq!(statistics.take_ticker_count(Ticker::BytesWritten), 105);
    statistics.record_tick(Ticker::BytesWritten, 7);
    assert_eq!(statistics.ticker_count(Ticker::BytesWritten), 7);
}

#[test]
fn a_reset_forgets_what_other_threads_counted() {
    let statistics = Statistics::new();
    let count = || {
        statistics.record_tick(Ticker::BytesWritten, 5);
        statistics.record_in_histogram(HistogramType::DbWrite, 77);
    };
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            count();
            barrier.wait();
            barrier.wait();
            count();
        });
        barrier.wait();
        count();
        assert_eq!(statistics.histogram_data(HistogramType::DbWrite).count, 2);
        statistics.reset();
        assert_eq!(statistics.histogram_data(HistogramType::DbWrite), HistogramData::default());
        assert_eq!(statistics.ticker_count(Ticker::BytesWritten), 0);
        barrier.wait();
    });
    assert_eq!(statistics.ticker_count(Ticker::BytesWritten), 5);
    let data = statistics.histogram_data(HistogramType::DbWrite);
    assert_eq!((data.count, data.min, data.max), (1, 77.0, 77.0));
}

#[test]
fn the_level_says_what_is_counted() {
    let statistics = Statistics::new();
    assert_eq!(statistics.stats_level(), StatsLevel::ExceptDetailedTimers);
    let counted = |level| {
        statistics.reset();
        statistics.set_stats_level(level);
        statistics.record_tick(Ticker::BytesRead, 1);
        statistics.record_in_histogram(HistogramType::BytesPerRead, 1);
        statistics.stop_timer(HistogramType::DbGet, statistics.start_timer());
        [
            statistics.ticker_count(Ticker::BytesRead),
            statistics.histogram_data(HistogramType::BytesPerRead).count,
            statistics.histogram_data(HistogramType::DbGet).count,
        ]
    };
    assert_eq!(counted(StatsLevel::DisableAll), [0, 0, 0]);
    assert_eq!(counted(StatsLevel::ExceptHistogramOrTimers), [1, 0, 0]);
    assert_eq!(counted(StatsLevel::ExceptTimers), [1, 1, 0]);
    assert_eq!(counted(StatsLevel::ExceptDetailedTimers), [1, 1, 1]);
    statistics.set_stats_level(StatsLevel::ExceptTimeForMutex);
    assert_eq!(statistics.start_lock_timer(), None);
    statistics.set_stats_level(StatsLevel::All);
    assert!(statistics.start_lock_timer().is_some());
    for number in 0..=5 {
        assert_eq!(StatsLevel::from_number(number) as u8, number);
    }
}

#[test]
fn printed_as_rocksdb_prints_it() {
    let statistics = Statistics::new();
    statistics.record_tick(Ticker::NumberKeysWritten, 3);
    for value in [1, 2, 3] {
        statistics.record_in_histogram(HistogramType::DbWrite, value);
    }
    let text = statistics.to_string();
    assert_eq!(text.lines().count(), 267 + 80);
    assert!(text.starts_with("rocksdb.block.cache.miss COUNT : 0\n"), "{text}");
    assert!(text.contains("\nrocksdb.number.keys.written COUNT : 3\n"), "{text}");
    let expected = "\nrocksdb.db.write.micros P50 : 1.500000 P95 : 2.850000 P99 : 2.970000 \
                    P100 : 3.000000 COUNT : 3 SUM : 6\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn sums_of_tickers_are_those_of_their_parts_until_they_are_set() {
    let statistics = Statistics::new();
    for &sum in Ticker::ALL.iter().filter(|ticker| !ticker.parts().is_empty()) {
        for (&part, count) in sum.parts().iter().zip([1, 20, 300, 4000]) {
            statistics.record_tick(part, count);
        }
        assert_eq!(statistics.ticker_count(sum), 4321, "{}", sum.name());
        // A part and its sum go on from what each was set to.
        assert_eq!(statistics.take_ticker_count(sum.parts()[0]), 1);
        assert_eq!(statistics.ticker_count(sum), 4321);
        statistics.set_ticker_count(sum, 10);
        statistics.record_tick(sum.parts()[0], 5);
        assert_eq!(statistics.ticker_count(sum), 15);
        assert_eq!(statistics.ticker_count(sum.parts()[0]), 5);
    }
}

#[test]
fn values_count_only_at_levels_with_histograms() {
    let statistics = Statistics::new();
    let kind = HistogramType::BytesPerRead;
    let count_of_ten = || {
        let before = statistics.histogram_data(kind).count;
        (0..10).for_each(|value| statistics.record_in_histogram(kind, value % 3 * 100));
        statistics.histogram_data(kind).count - before
    };
    for (level, count) in [
        (StatsLevel::ExceptTimers, 10),
        (StatsLevel::ExceptHistogramOrTimers, 0),
        (StatsLevel::All, 10),
        (StatsLevel::DisableAll, 0),
        (StatsLevel::ExceptHistogramOrTimers, 0),
        (StatsLevel::default(), 10),
    ] {
        statistics.set_stats_level(level);
        assert_eq!(count_of_ten(), count, "{level:?}");
    }
    statistics.reset();
    assert_eq!(statistics.histogram_data(kind).count, 0);
    assert_eq!(count_of_ten(), 10);
    let HistogramData { sum, min, max, .. } = statistics.histogram_data(kind);
    assert_eq!((sum, min, max), (900, 0.0, 200.0));
}
