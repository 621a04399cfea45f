//! Tickers and histograms.

use crate::dump::{self, Dump};
use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use crate::metric_name::metric_name;
use statistics::{HistogramType, MetricInfo, Statistics, Ticker};

/// Quantiles of summaries, as labels and in percent.
const QUANTILES: [(&str, f64); 6] =
    [("0.5", 50.0), ("0.9", 90.0), ("0.95", 95.0), ("0.99", 99.0), ("0.999", 99.9), ("1", 100.0)];

/// What another process counted, by the names that it has, those of other releases included.
pub(crate) fn add_dumped(exposition: &mut Exposition, dump: &Dump, labels: &Labels) {
    for (name, &count) in &dump.tickers {
        let info = Ticker::from_name(name).map(Ticker::info);
        exposition.add(&metric_of(name, info, Kind::Counter), labels, count as f64);
    }
    for (name, values) in &dump.histograms {
        let info = HistogramType::from_name(name).map(HistogramType::info);
        let metric = metric_of(name, info, Kind::Summary);
        for (quantile, value) in dump::QUANTILES.iter().zip(values.quantiles) {
            let mut labels = labels.clone();
            labels.push(("quantile", (*quantile).to_owned()));
            let value = if values.count == 0 { f64::NAN } else { value };
            exposition.add(&metric, &labels, value);
        }
        exposition.add_part(&metric, "_sum", labels, values.sum);
        exposition.add_part(&metric, "_count", labels, values.count as f64);
    }
}

/// One that may be unknown here.
fn metric_of(name: &str, info: Option<&MetricInfo>, kind: Kind) -> Metric {
    info.map_or_else(
        || Metric {
            name: metric_name(name, kind).into(),
            help: format!("{name}, as the database dumped it.").into(),
            kind,
        },
        |info| metric(info, kind),
    )
}

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
