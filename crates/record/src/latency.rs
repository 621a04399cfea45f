//! How long operations of one type took.

use serde::{Deserialize, Serialize};

/// How long operations of one type took, in microseconds. Percentiles are those of the histogram's
/// buckets, as RocksDB computes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// How many were timed.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub stddev: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// Half of them took at most this.
    pub p50: f64,
    /// 95 of 100 took at most this.
    pub p95: f64,
    /// 99 of 100 took at most this.
    pub p99: f64,
    /// 999 of 1,000 took at most this.
    pub p999: f64,
    /// 9,999 of 10,000 took at most this.
    pub p9999: f64,
}
