use super::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn read(histogram: &AtomicHistogram) -> Histogram {
    let mut sum = Histogram::default();
    histogram.add_to(&mut sum);
    sum
}

#[test]
fn it_is_as_a_histogram_that_all_values_are_added_to() {
    let histogram = AtomicHistogram::new();
    let mut expected = Histogram::default();
    for value in [0, 1, 2, 3, 100, 4095, 4096, 1 << 33, 1 << 40] {
        histogram.add(value);
        expected.add(value);
    }
    let found = read(&histogram);
    assert_eq!(found.count(), expected.count());
    assert_eq!((found.sum(), found.min(), found.max()), (expected.sum(), 0, 1 << 40));
    assert_eq!(found.standard_deviation(), expected.standard_deviation());
    for percent in [10.0, 50.0, 90.0, 99.0] {
        assert_eq!(found.percentile(percent), expected.percentile(percent));
    }
    histogram.clear();
    assert_eq!(read(&histogram).count(), 0);
}

#[test]
fn what_is_pending_does_not_show() {
    let histogram = AtomicHistogram::new();
    histogram.add(10);
    histogram.add_for_several(7, 3);
    for (left, count) in [(3, 2), (2, 3), (0, 5)] {
        store(&histogram.pending, left);
        let found = read(&histogram);
        assert_eq!(found.count(), count);
        assert_eq!(found.sum(), 10.0 + 7.0 * (count - 1) as f64);
    }
    assert_eq!(read(&histogram).min(), 7);
}

#[test]
fn what_is_pending_can_be_taken_back() {
    let histogram = AtomicHistogram::new();
    let mut expected = Histogram::default();
    for (value, others) in [(7, 5), (0, 2), (1 << 33, 9)] {
        histogram.add_for_several(value, others);
        expected.add(value);
        histogram.take_back_pending();
        let found = read(&histogram);
        assert_eq!((found.count(), found.sum()), (expected.count(), expected.sum()));
        assert_eq!(found.standard_deviation(), expected.standard_deviation());
        assert_eq!(load(&histogram.pending), 0);
    }
}

#[test]
fn squares_of_large_values_do_not_wrap_around() {
    let histogram = AtomicHistogram::new();
    for _ in 0..3 {
        histogram.add(u64::MAX / 4);
        histogram.add(0);
    }
    let deviation = read(&histogram).standard_deviation();
    assert!((deviation / (u64::MAX / 8) as f64 - 1.0).abs() < 1e-6, "{deviation}");
}

#[test]
fn runs_of_a_value_count_as_often_as_it_was_added() {
    let histogram = AtomicHistogram::new();
    let mut expected = Histogram::default();
    for value in [0, 0, 7, 7, 0, 100, 7, 7, 100, 5000, 5000, 0, 7, 0, 100] {
        histogram.add(value);
        expected.add(value);
        let found = read(&histogram);
        assert_eq!((found.count(), found.sum()), (expected.count(), expected.sum()));
        assert_eq!((found.min(), found.max()), (expected.min(), expected.max()));
        assert_eq!(found.standard_deviation(), expected.standard_deviation());
        assert_eq!(found.percentile(50.0), expected.percentile(50.0));
    }
    // What is added for operations to come is no part of the run.
    histogram.add_for_several(0, 2);
    histogram.add(0);
    assert_eq!(read(&histogram).count(), expected.count() + 2);
}

#[test]
fn a_reader_sees_each_run_once_while_it_ends() {
    let histogram = AtomicHistogram::new();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for value in 0..20_000 {
                histogram.add(value / 2 % 4);
            }
            is_done.store(true, Ordering::Relaxed);
        });
        let mut count_before = 0;
        while !is_done.load(Ordering::Relaxed) {
            let found = read(&histogram);
            let (count, sum) = (found.count(), found.sum());
            assert!(count >= count_before, "{count} after {count_before}");
            // Eight values in a row have the sum twelve: no reader is further off than a part of those.
            let expected = count as f64 * 1.5;
            assert!((sum - expected).abs() <= 4.0, "{count} values, sum {sum}");
            count_before = count;
        }
    });
    assert_eq!(read(&histogram).count(), 20_000);
}
