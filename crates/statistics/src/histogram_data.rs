//! What a histogram says in a few numbers.

use base::histogram::Histogram;

/// What a histogram says in a few numbers (`HistogramData`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistogramData {
    /// Half of the values are below it.
    pub median: f64,
    /// 95 of 100 are below it.
    pub percentile95: f64,
    /// 99 of 100 are below it.
    pub percentile99: f64,
    /// The mean.
    pub average: f64,
    /// Their standard deviation.
    pub standard_deviation: f64,
    /// The largest value; 0 if there is none.
    pub max: f64,
    /// The smallest; 0 if there is none.
    pub min: f64,
    /// How many.
    pub count: u64,
    /// All together.
    pub sum: u64,
}

impl From<&Histogram> for HistogramData {
    fn from(histogram: &Histogram) -> Self {
        Self {
            median: histogram.percentile(50.0),
            percentile95: histogram.percentile(95.0),
            percentile99: histogram.percentile(99.0),
            average: histogram.average(),
            standard_deviation: histogram.standard_deviation(),
            max: histogram.max() as f64,
            min: histogram.min() as f64,
            count: histogram.count(),
            sum: histogram.sum() as u64,
        }
    }
}
