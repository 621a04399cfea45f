use super::*;
use crate::timer::Timer;
use crate::{PerfLevel, set_perf_level};
use std::thread;
use std::time::Duration;

/// In a thread of its own, where nothing was counted before.
fn alone(test: impl FnOnce() + Send + 'static) {
    thread::spawn(test).join().unwrap();
}

#[test]
fn a_thread_counts_for_itself() {
    alone(|| {
        count(PerfMetric::BlockReadCount, 2);
        count(PerfMetric::BlockReadCount, 3);
        alone(|| assert_eq!(perf_context().get(PerfMetric::BlockReadCount), 0));
        assert_eq!(perf_context().get(PerfMetric::BlockReadCount), 5);
        reset_perf_context();
        assert_eq!(perf_context().non_zero().count(), 0);
    });
}

#[test]
fn nothing_is_counted_below_its_level() {
    alone(|| {
        set_perf_level(PerfLevel::Disable);
        count(PerfMetric::BlockReadCount, 2);
        set_perf_level(PerfLevel::EnableWait);
        drop(Timer::start(PerfMetric::BlockReadTime));
        assert_eq!(perf_context().non_zero().count(), 0);
    });
}

#[test]
fn times_run_until_the_timer_is_dropped() {
    alone(|| {
        set_perf_level(PerfLevel::EnableTimeAndCpuTimeExceptForMutex);
        let timers =
            (Timer::start(PerfMetric::BlockReadTime), Timer::start(PerfMetric::GetCpuNanos));
        thread::sleep(Duration::from_millis(20));
        drop(timers);
        let context = perf_context();
        let clock = context.get(PerfMetric::BlockReadTime);
        let processor = context.get(PerfMetric::GetCpuNanos);
        assert!(clock >= 20_000_000, "{clock}");
        assert!(processor > 0 && processor < clock / 2, "{processor} of {clock}");
        drop(Timer::start(PerfMetric::DbMutexLockNanos));
        assert_eq!(perf_context().get(PerfMetric::DbMutexLockNanos), 0);
    });
}

#[test]
fn levels_count_on_request() {
    alone(|| {
        count_at_level(LevelMetric::BlockCacheHitCount, 2, 7);
        assert_eq!(perf_context().non_zero().count(), 0);
        enable_per_level_perf_context();
        count_at_level(LevelMetric::BlockCacheHitCount, 2, 7);
        set_perf_level(PerfLevel::EnableTimeExceptForMutex);
        drop(Timer::start(LevelMetric::GetFromTableNanos.at(70)));
        disable_per_level_perf_context();
        count_at_level(LevelMetric::BlockCacheHitCount, 2, 7);
        let context = perf_context();
        assert_eq!(context.get_at_level(LevelMetric::BlockCacheHitCount, 2), 7);
        assert!(context.get_at_level(LevelMetric::GetFromTableNanos, 70) > 0);
    });
}

#[test]
fn text_is_as_rocksdb_prints_it() {
    alone(|| {
        enable_per_level_perf_context();
        count(PerfMetric::UserKeyComparisonCount, 12);
        count(PerfMetric::BlockReadByte, 4096);
        count_at_level(LevelMetric::BlockCacheMissCount, 0, 1);
        count_at_level(LevelMetric::BlockCacheMissCount, 5, 2);
        assert_eq!(
            perf_context().to_text(true),
            "user_key_comparison_count = 12, block_read_byte = 4096, \
             block_cache_miss_count = 1@level0, 2@level5"
        );
        let all = perf_context().to_string();
        assert!(all.starts_with("user_key_comparison_count = 12, block_cache_hit_count = 0, "));
        let values: Vec<_> = perf_context().non_zero().collect();
        assert_eq!(values[3], ("block_cache_miss_count@level5".to_owned(), 2));
    });
}

#[test]
fn names_are_one_of_a_kind() {
    let mut names: Vec<_> = PerfMetric::ALL.iter().map(|metric| metric.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 120);
}
