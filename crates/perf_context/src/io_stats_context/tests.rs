use super::*;
use crate::timer::Timer;
use crate::{PerfLevel, set_perf_level};
use std::thread;

fn alone(test: impl FnOnce() + Send + 'static) {
    thread::spawn(test).join().unwrap();
}

#[test]
fn bytes_are_counted_at_every_level() {
    alone(|| {
        set_perf_level(PerfLevel::Disable);
        count_io(IoMetric::BytesRead, 10);
        drop(Timer::start(IoMetric::ReadNanos));
        assert_eq!(io_stats_context().to_text(true), "thread_pool_id = 4, bytes_read = 10");
        set_perf_level(PerfLevel::EnableTimeExceptForMutex);
        drop(Timer::start(IoMetric::ReadNanos));
        assert!(io_stats_context().get(IoMetric::ReadNanos) > 0);
    });
}

#[test]
fn nothing_is_counted_when_it_is_disabled() {
    alone(|| {
        disable_io_stats(true);
        count_io(IoMetric::BytesRead, 10);
        disable_io_stats(false);
        count_io(IoMetric::BytesWritten, 3);
        assert_eq!(io_stats_context().to_text(true), "thread_pool_id = 4, bytes_written = 3");
    });
}

#[test]
fn what_the_thread_is_stays() {
    alone(|| {
        set_thread_pool_id(2);
        count_io(IoMetric::BytesWritten, 3);
        reset_io_stats_context();
        assert_eq!(io_stats_context().to_text(true), "thread_pool_id = 2");
        assert!(io_stats_context().to_string().contains("bytes_written = 0, "));
    });
}
