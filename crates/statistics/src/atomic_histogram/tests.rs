use super::*;

fn read(histogram: &AtomicHistogram, pending: &AtomicU64) -> Histogram {
    let mut sum = Histogram::default();
    histogram.add_to(pending, &mut sum);
    sum
}

#[test]
fn it_is_as_a_histogram_that_all_values_are_added_to() {
    let (histogram, none) = (AtomicHistogram::default(), AtomicU64::new(0));
    let mut expected = Histogram::default();
    for value in [0, 1, 2, 3, 100, 4095, 4096, 1 << 33, 1 << 40] {
        histogram.add(value);
        expected.add(value);
    }
    let found = read(&histogram, &none);
    assert_eq!(found.count(), expected.count());
    assert_eq!((found.sum(), found.min(), found.max()), (expected.sum(), 0, 1 << 40));
    assert_eq!(found.standard_deviation(), expected.standard_deviation());
    for percent in [10.0, 50.0, 90.0, 99.0] {
        assert_eq!(found.percentile(percent), expected.percentile(percent));
    }
    histogram.clear();
    assert_eq!(read(&histogram, &none).count(), 0);
}

#[test]
fn what_is_pending_does_not_show() {
    let (histogram, pending) = (AtomicHistogram::default(), AtomicU64::new(0));
    histogram.add(10);
    histogram.add_for_several(7, 3, &pending);
    for (left, count) in [(3, 2), (2, 3), (0, 5)] {
        pending.store(left, Ordering::Relaxed);
        let found = read(&histogram, &pending);
        assert_eq!(found.count(), count);
        assert_eq!(found.sum(), 10.0 + 7.0 * (count - 1) as f64);
    }
    assert_eq!(read(&histogram, &pending).min(), 7);
}

#[test]
fn squares_of_large_values_do_not_wrap_around() {
    let (histogram, none) = (AtomicHistogram::default(), AtomicU64::new(0));
    for _ in 0..3 {
        histogram.add(u64::MAX / 4);
        histogram.add(0);
    }
    let deviation = read(&histogram, &none).standard_deviation();
    assert!((deviation / (u64::MAX / 8) as f64 - 1.0).abs() < 1e-6, "{deviation}");
}
