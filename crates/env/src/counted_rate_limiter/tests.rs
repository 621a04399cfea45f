use super::*;
use crate::clock::{ManualClock, SystemClock};
use crate::rate_limiter::{GenericRateLimiter, RateLimiterMode, RateLimiterOptions};

/// 1000 bytes every 100 ms.
const OPTIONS: RateLimiterOptions = RateLimiterOptions {
    rate_bytes_per_sec: 10_000,
    refill_period_us: 100_000,
    fairness: 10,
    mode: RateLimiterMode::AllIo,
    auto_tuned: false,
    single_burst_bytes: 0,
};

#[test]
fn requests_count_and_how_long_they_waited() {
    let statistics = Arc::new(Statistics::new());
    let clock: Arc<dyn SystemClock> = Arc::new(ManualClock::new(1_000_000));
    let limiter = GenericRateLimiter::with_clock(OPTIONS, clock).unwrap();
    let limiter = CountedRateLimiter::wrap(Arc::new(limiter), Some(&statistics));
    limiter.request(400, IoPriority::Low, IoOperation::Write);
    limiter.request(600, IoPriority::Low, IoOperation::Write);
    let granted = limiter.request_token(5000, 0, IoPriority::User, IoOperation::Read);
    assert_eq!(granted, 1000);
    for (ticker, expected) in [
        (Ticker::RateLimiterRequestsWrite, 2),
        (Ticker::RateLimiterBytesWrite, 1000),
        (Ticker::RateLimiterDelayedRequestsWrite, 0),
        (Ticker::RateLimiterTotalWaitMicrosWrite, 0),
        (Ticker::RateLimiterRequestsRead, 1),
        (Ticker::RateLimiterBytesRead, 1000),
        (Ticker::RateLimiterDelayedRequestsRead, 1),
        (Ticker::RateLimiterTotalWaitMicrosRead, 100_000),
        (Ticker::NumberRateLimiterDrains, 1),
    ] {
        assert_eq!(statistics.ticker_count(ticker), expected, "{}", ticker.name());
    }
    let waits = statistics.histogram_data(HistogramType::RateLimiterWaitMicrosRead);
    assert_eq!((waits.count, waits.sum), (1, 100_000));
    let waits = statistics.histogram_data(HistogramType::RateLimiterWaitMicrosWrite);
    assert_eq!(waits.count, 0);
}

#[test]
fn what_is_not_limited_does_not_count() {
    let statistics = Arc::new(Statistics::new());
    let options = RateLimiterOptions { mode: RateLimiterMode::WritesOnly, ..OPTIONS };
    let limiter = Arc::new(GenericRateLimiter::new(options).unwrap());
    let limiter = CountedRateLimiter::wrap(limiter, Some(&statistics));
    limiter.request(400, IoPriority::Low, IoOperation::Read);
    assert_eq!(statistics.ticker_count(Ticker::RateLimiterRequestsRead), 0);
    assert_eq!(limiter.total_requests(None), 0);
}
