//! Tickers and histograms.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use crate::metric_name::metric_name;
use statistics::{HistogramType, MetricInfo, Statistics, Ticker};

/// Quantiles of summaries, as labels and in percent.
const QUANTILES: [(&str, f64); 6] =
    [("0.5", 50.0), ("0.9", 90.0), ("0.95", 95.0), ("0.99", 99.0), ("0.999", 99.9), ("1", 100.0)];

fn metric(info: &MetricInfo, kind: Kind) -> Metric {
    Metric { name: metric_name(info.name, kind).into(), help: info.doc.into(), kind }
}

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    let tickers = Ticker::ALL.iter().map(|ticker| metric(ticker.info(), Kind::Counter));
    let histograms = HistogramType::ALL.iter().map(|kind| metric(kind.info(), Kind::Summary));
    tickers.chain(histograms)
}

/// What was counted; what this engine never counts is left out.
pub(crate) fn add(exposition: &mut Exposition, statistics: &Statistics, labels: &Labels) {
    let counts = statistics.ticker_counts();
    for (ticker, count) in Ticker::ALL.iter().zip(counts) {
        if ticker.info().is_counted() || count > 0 {
            exposition.add(&metric(ticker.info(), Kind::Counter), labels, count as f64);
        }
    }
    for kind in HistogramType::ALL {
        let values = statistics.histogram(*kind);
        if !kind.info().is_counted() && values.count() == 0 {
            continue;
        }
        let metric = metric(kind.info(), Kind::Summary);
        for (quantile, percent) in QUANTILES {
            let mut labels = labels.clone();
            labels.push(("quantile", quantile.to_owned()));
            let value = match percent {
                100.0 => values.max() as f64,
                percent => values.percentile(percent),
            };
            // Nothing is known of a distribution without values.
            let value = if values.count() == 0 { f64::NAN } else { value };
            exposition.add(&metric, &labels, value);
        }
        exposition.add_part(&metric, "_sum", labels, values.sum());
        exposition.add_part(&metric, "_count", labels, values.count() as f64);
    }
}
