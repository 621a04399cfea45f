//! How old it is what another process dumped.

use crate::dump::Dump;
use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};

const AGE: Metric = Metric::new(
    "rocksdb_dumped_statistics_age_seconds",
    Kind::Gauge,
    "Seconds since the writing process dumped what is told of it: tickers, histograms, jobs, stalls.",
);
const TIME: Metric = Metric::new(
    "rocksdb_dumped_statistics_timestamp_seconds",
    Kind::Gauge,
    "When it did that, in seconds since 1970.",
);

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    [AGE, TIME].into_iter()
}

/// Of a dump of `age_micros` ago.
pub(crate) fn add(exposition: &mut Exposition, dump: &Dump, age_micros: u64, labels: &Labels) {
    exposition.add(&AGE, labels, age_micros as f64 / 1e6);
    exposition.add(&TIME, labels, dump.at_micros as f64 / 1e6);
}
