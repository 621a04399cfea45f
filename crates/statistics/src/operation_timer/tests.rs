use super::*;
use crate::{HistogramType, Statistics, StatsLevel};
use std::thread;

/// The count of a histogram after `operations` in this thread, and how many of them were timed.
fn run(statistics: &Statistics, operations: u64) -> (u64, u64) {
    let mut timed = 0;
    for _ in 0..operations {
        let recorder = statistics.recorder().unwrap();
        let operation = recorder.start_operation(HistogramType::DbGet);
        timed += u64::from(operation.start.is_some());
        recorder.end_operation(HistogramType::DbGet, operation);
    }
    (statistics.histogram_data(HistogramType::DbGet).count, timed)
}

#[test]
fn every_operation_counts_and_one_in_sixty_four_is_timed() {
    let statistics = Statistics::new();
    for operations in 1..=1000 {
        let (count, timed) = run(&statistics, 1);
        assert_eq!(count, operations);
        assert!(operations > ALL_TIMED || timed == 1);
    }
    let (count, timed) = run(&statistics, 640_000);
    assert_eq!(count, 641_000);
    assert!((9_000..11_000).contains(&timed), "{timed}");
}

#[test]
fn every_operation_is_timed_above_the_default_level() {
    let statistics = Statistics::new();
    run(&statistics, 1000);
    statistics.set_stats_level(StatsLevel::ExceptTimeForMutex);
    assert_eq!(run(&statistics, 1000), (2000, 1000));
    statistics.set_stats_level(StatsLevel::default());
    assert_eq!(run(&statistics, 1000).0, 3000);
    statistics.set_stats_level(StatsLevel::ExceptTimers);
    assert_eq!(run(&statistics, 1000), (3000, 0));
}

#[test]
fn after_a_reset_operations_count_from_zero() {
    let statistics = Statistics::new();
    for operations in 1..200 {
        run(&statistics, operations);
        statistics.reset();
        assert_eq!(run(&statistics, operations).0, operations);
        statistics.reset();
    }
}

#[test]
fn counts_of_threads_add_up_while_they_run() {
    let statistics = Statistics::new();
    let counts = || statistics.histogram_data(HistogramType::DbGet).count;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| run(&statistics, 2000))).collect();
        let mut before = 0;
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            let now = counts();
            assert!(now >= before, "{now} after {before}");
            before = now;
        }
    });
    assert_eq!(counts(), 8000);
}

#[test]
fn an_operation_inside_another_counts_too() {
    let statistics = Statistics::new();
    let mut operations = 0;
    for _ in 0..1000 {
        let recorder = statistics.recorder().unwrap();
        let outer = recorder.start_operation(HistogramType::DbGet);
        run(&statistics, 1);
        recorder.end_operation(HistogramType::DbGet, outer);
        operations += 2;
        assert_eq!(statistics.histogram_data(HistogramType::DbGet).count, operations);
    }
}

#[test]
fn gaps_have_their_mean() {
    let gaps: Vec<_> = (0..100_000).map(|_| random_gap()).collect();
    let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!((mean - (MEAN_GAP - 1) as f64).abs() < 0.2, "{mean}");
    assert_eq!(gaps.iter().max(), Some(&(2 * MEAN_GAP - 2)));
    assert_eq!(gaps.iter().min(), Some(&0));
}
