//! A rate limiter whose requests count in the statistics of a database.

use crate::rate_limiter::{Grant, IoOperation, IoPriority, RateLimiter};
use statistics::{HistogramType, Statistics, Ticker};
use std::sync::Arc;

/// A limiter as one database uses it: what it requests, its statistics have.
#[derive(Debug)]
pub struct CountedRateLimiter {
    limiter: Arc<dyn RateLimiter>,
    statistics: Arc<Statistics>,
}

impl CountedRateLimiter {
    /// `limiter`, counted if anybody wants to know.
    pub fn wrap(
        limiter: Arc<dyn RateLimiter>,
        statistics: Option<&Arc<Statistics>>,
    ) -> Arc<dyn RateLimiter> {
        match statistics {
            None => limiter,
            Some(statistics) => Arc::new(Self { limiter, statistics: statistics.clone() }),
        }
    }
}

/// Where requests for one kind of operation count.
struct Metrics {
    bytes: Ticker,
    requests: Ticker,
    delayed_requests: Ticker,
    total_wait_micros: Ticker,
    wait_micros: HistogramType,
}

impl Metrics {
    fn of(operation: IoOperation) -> Self {
        match operation {
            IoOperation::Read => Self {
                bytes: Ticker::RateLimiterBytesRead,
                requests: Ticker::RateLimiterRequestsRead,
                delayed_requests: Ticker::RateLimiterDelayedRequestsRead,
                total_wait_micros: Ticker::RateLimiterTotalWaitMicrosRead,
                wait_micros: HistogramType::RateLimiterWaitMicrosRead,
            },
            IoOperation::Write => Self {
                bytes: Ticker::RateLimiterBytesWrite,
                requests: Ticker::RateLimiterRequestsWrite,
                delayed_requests: Ticker::RateLimiterDelayedRequestsWrite,
                total_wait_micros: Ticker::RateLimiterTotalWaitMicrosWrite,
                wait_micros: HistogramType::RateLimiterWaitMicrosWrite,
            },
        }
    }
}

impl RateLimiter for CountedRateLimiter {
    fn request(&self, bytes: u64, priority: IoPriority, operation: IoOperation) {
        self.request_and_tell(bytes, priority, operation);
    }

    fn request_and_tell(
        &self,
        bytes: u64,
        priority: IoPriority,
        operation: IoOperation,
    ) -> Option<Grant> {
        let grant = self.limiter.request_and_tell(bytes, priority, operation)?;
        let metrics = Metrics::of(operation);
        self.statistics.record(|recorder| {
            recorder.tick(Ticker::NumberRateLimiterDrains, grant.drains);
            recorder.tick(metrics.requests, 1);
            recorder.tick(metrics.bytes, bytes);
            if let Some(micros) = grant.waited_micros {
                recorder.tick(metrics.delayed_requests, 1);
                recorder.tick(metrics.total_wait_micros, micros);
                recorder.value(metrics.wait_micros, micros);
            }
        });
        Some(grant)
    }

    fn set_bytes_per_second(&self, bytes_per_second: u64) {
        self.limiter.set_bytes_per_second(bytes_per_second);
    }

    fn bytes_per_second(&self) -> u64 {
        self.limiter.bytes_per_second()
    }

    fn set_single_burst_bytes(&self, bytes: u64) {
        self.limiter.set_single_burst_bytes(bytes);
    }

    fn single_burst_bytes(&self) -> u64 {
        self.limiter.single_burst_bytes()
    }

    fn total_bytes_through(&self, priority: Option<IoPriority>) -> u64 {
        self.limiter.total_bytes_through(priority)
    }

    fn total_requests(&self, priority: Option<IoPriority>) -> u64 {
        self.limiter.total_requests(priority)
    }

    fn total_pending_requests(&self, priority: Option<IoPriority>) -> u64 {
        self.limiter.total_pending_requests(priority)
    }

    fn is_rate_limited(&self, operation: IoOperation) -> bool {
        self.limiter.is_rate_limited(operation)
    }
}

#[cfg(test)]
mod tests;
