use super::*;

fn quiet() -> Progress {
    Progress::default()
}

#[test]
fn the_result_line_has_rocksdbs_form() {
    let mut stats = Stats::start(0, quiet());
    for _ in 0..1000 {
        stats.finished_operations(1, OperationType::Read);
        stats.add_bytes(116);
    }
    stats.add_message("(640 of 1000 found)");
    stats.stop();
    stats.finish = stats.start + Duration::from_millis(2);
    stats.running = Duration::from_millis(2);
    assert_eq!(
        stats.result("readrandom"),
        "readrandom   :       2.000 micros/op 500000 ops/sec 0.002 seconds 1000 operations;   55.3 \
         MB/s (640 of 1000 found)\n"
    );
}

#[test]
fn merged_threads_share_the_clock_and_sum_the_rest() {
    let start = Instant::now();
    let thread = |id| {
        let mut stats =
            Stats::start(id, Progress { with_histogram: true, slow_micros: u64::MAX, ..quiet() });
        stats.finished_operations(10, OperationType::Seek);
        stats.start = start;
        stats.finish = start + Duration::from_secs(1);
        stats.running = Duration::from_secs(1);
        stats
    };
    let mut both = thread(0);
    let mut other = thread(1);
    other.add_message("second");
    both.merge(&other);
    let text = both.result("seekrandom");
    let line =
        "seekrandom   :  100000.000 micros/op 20 ops/sec 1.000 seconds 20 operations; second";
    assert!(text.starts_with(line), "{text}");
    assert!(text.contains("Microseconds per seek:\nCount: 2 "), "{text}");
}

#[test]
fn a_wait_counts_in_the_time_of_every_thread_and_in_no_latency() {
    let start = Instant::now() - Duration::from_secs(3);
    let thread = |id, seconds| {
        let mut stats =
            Stats::start(id, Progress { with_histogram: true, slow_micros: u64::MAX, ..quiet() });
        stats.finished_operations(10, OperationType::Write);
        stats.start = start;
        stats.finish = start + Duration::from_secs(seconds);
        stats.running = Duration::from_secs(seconds);
        stats
    };
    let mut both = thread(0, 1);
    both.merge(&thread(1, 2));
    assert_eq!(both.wait_seconds(), None);
    let slowest = both.latencies()["write"].max;
    both.waited();
    let wait = both.wait_seconds().expect("a wait");
    assert!(wait >= 1.0, "{wait}");
    assert!((both.elapsed_seconds() - (2.0 + wait)).abs() < 1e-6, "{}", both.elapsed_seconds());
    let micros = (3.0 + 2.0 * wait) * 1e6 / 20.0;
    assert!((both.micros_per_operation() - micros).abs() < 1.0, "{}", both.micros_per_operation());
    assert_eq!(both.latencies()["write"].max, slowest);
}

#[test]
fn at_a_given_rate_latency_counts_from_when_operations_should_have_begun() {
    let progress = Progress {
        with_histogram: true,
        slow_micros: u64::MAX,
        arrivals: Some(Arrivals::new(1000, 1)),
        ..quiet()
    };
    let mut stats = Stats::start(0, progress);
    // The first operation takes 20 ms. Nineteen others should have begun meanwhile, and were late.
    std::thread::sleep(Duration::from_millis(20));
    (0..20).for_each(|_| stats.finished_operations(1, OperationType::Read));
    let (_, histogram) = &stats.histograms[0];
    assert!(histogram.average() >= 9_000.0, "{}", histogram.average());
    // After that they keep to the rate.
    (0..5).for_each(|_| stats.finished_operations(1, OperationType::Read));
    assert!(stats.start.elapsed() >= Duration::from_millis(25));
}
