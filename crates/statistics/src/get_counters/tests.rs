use crate::{GetOutcome, HistogramType, Statistics, StatsLevel, Ticker};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// What lookups that ended so have added, as `name count` of the tickers that are not at zero.
fn counts_after(outcomes: &[(GetOutcome, u64)]) -> Vec<String> {
    let statistics = Statistics::new();
    statistics.record(|recorder| {
        outcomes.iter().for_each(|&(outcome, bytes)| recorder.end_get(outcome, bytes));
    });
    let named = Ticker::ALL.iter().zip(statistics.ticker_counts());
    let counted = named.filter(|(_, count)| *count > 0);
    counted.map(|(ticker, count)| format!("{} {count}", ticker.name())).collect()
}

#[test]
fn an_outcome_counts_in_every_ticker_it_stands_for() {
    let cases: [(GetOutcome, u64, &[&str]); 6] = [
        (GetOutcome::Unknown, 0, &["rocksdb.memtable.miss 1", "rocksdb.number.keys.read 1"]),
        (
            GetOutcome::InMemTables,
            7,
            &["rocksdb.memtable.hit 1", "rocksdb.number.keys.read 1", "rocksdb.bytes.read 7"],
        ),
        (GetOutcome::DeletedInTable, 0, &["rocksdb.memtable.miss 1", "rocksdb.number.keys.read 1"]),
        (
            GetOutcome::found_at(0),
            5,
            &[
                "rocksdb.memtable.miss 1",
                "rocksdb.l0.hit 1",
                "rocksdb.number.keys.read 1",
                "rocksdb.bytes.read 5",
            ],
        ),
        (
            GetOutcome::found_at(1),
            0,
            &["rocksdb.memtable.miss 1", "rocksdb.l1.hit 1", "rocksdb.number.keys.read 1"],
        ),
        (
            GetOutcome::found_at(6),
            9,
            &[
                "rocksdb.memtable.miss 1",
                "rocksdb.l2andup.hit 1",
                "rocksdb.number.keys.read 1",
                "rocksdb.bytes.read 9",
            ],
        ),
    ];
    for (outcome, bytes, expected) in cases {
        let mut counts = counts_after(&[(outcome, bytes)]);
        let mut expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        counts.sort();
        expected.sort();
        assert_eq!(counts, expected, "{outcome:?}");
    }
}

#[test]
fn outcomes_add_to_what_is_ticked_and_are_forgotten_with_it() {
    let statistics = Statistics::new();
    statistics.record_tick(Ticker::MemtableMiss, 40);
    statistics.record(|recorder| recorder.end_get(GetOutcome::Unknown, 0));
    assert_eq!(statistics.ticker_count(Ticker::MemtableMiss), 41);
    assert_eq!(statistics.histogram(HistogramType::BytesPerRead).count(), 1);
    assert_eq!(statistics.take_ticker_count(Ticker::MemtableMiss), 41);
    assert_eq!(statistics.ticker_count(Ticker::NumberKeysRead), 1);
    statistics.reset();
    statistics.record(|recorder| recorder.end_get(GetOutcome::FoundAtL1, 3));
    assert_eq!(statistics.ticker_count(Ticker::MemtableMiss), 1);
    assert_eq!(statistics.ticker_count(Ticker::NumberKeysRead), 1);
    assert_eq!(statistics.ticker_count(Ticker::GetHitL1), 1);
    let sizes = statistics.histogram(HistogramType::BytesPerRead);
    assert_eq!((sizes.count(), sizes.max()), (1, 3));
}

#[test]
fn lookups_that_end_in_many_ways_all_count() {
    let statistics = Statistics::new();
    let mut bytes = 0;
    for turn in 0..1000_u64 {
        let (outcome, size) = match turn % 5 {
            0 => (GetOutcome::Unknown, 0),
            1 => (GetOutcome::InMemTables, turn),
            2 => (GetOutcome::found_at(3), 100),
            3 => (GetOutcome::found_at(3), 100),
            _ => (GetOutcome::DeletedInTable, 0),
        };
        bytes += size;
        statistics.record(|recorder| recorder.end_get(outcome, size));
        assert_eq!(statistics.ticker_count(Ticker::NumberKeysRead), turn + 1);
        assert_eq!(statistics.ticker_count(Ticker::BytesRead), bytes);
    }
    assert_eq!(statistics.ticker_count(Ticker::MemtableHit), 200);
    assert_eq!(statistics.ticker_count(Ticker::MemtableMiss), 800);
    assert_eq!(statistics.ticker_count(Ticker::GetHitL2AndUp), 400);
    let sizes = statistics.histogram(HistogramType::BytesPerRead);
    assert_eq!((sizes.count(), sizes.sum(), sizes.max()), (1000, bytes as f64, 996));
}

#[test]
fn sizes_count_only_at_levels_with_histograms_and_tickers_always() {
    let statistics = Statistics::new();
    let look_up = |times: u64| {
        (0..times).for_each(|_| statistics.record(|all| all.end_get(GetOutcome::FoundAtL0, 10)));
    };
    let counts = || {
        let sizes = statistics.histogram(HistogramType::BytesPerRead);
        (statistics.ticker_count(Ticker::GetHitL0), sizes.count(), sizes.sum())
    };
    look_up(3);
    statistics.set_stats_level(StatsLevel::ExceptHistogramOrTimers);
    look_up(4);
    assert_eq!(counts(), (7, 3, 30.0));
    statistics.set_stats_level(StatsLevel::ExceptTimers);
    look_up(5);
    assert_eq!(counts(), (12, 8, 80.0));
    statistics.set_stats_level(StatsLevel::DisableAll);
    look_up(6);
    assert_eq!(counts(), (12, 8, 80.0));
}

#[test]
fn whoever_reads_meanwhile_sees_every_lookup_once() {
    let (statistics, is_over) = (Statistics::new(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0..200_000_u64 {
                statistics.record(|all| all.end_get(GetOutcome::InMemTables, turn % 3));
            }
            is_over.store(true, Ordering::Release);
        });
        let mut before = 0;
        while !is_over.load(Ordering::Acquire) {
            let count = statistics.ticker_count(Ticker::NumberKeysRead);
            assert!(count >= before, "{count} after {before}");
            before = count;
        }
    });
    assert_eq!(statistics.ticker_count(Ticker::MemtableHit), 200_000);
    assert_eq!(statistics.histogram(HistogramType::BytesPerRead).count(), 200_000);
}
