//! Everything in the text format.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use crate::{
    compaction_metrics, level_metrics, limit_metrics, property_metrics, secondary_metrics,
    stall_metrics, statistics_metrics,
};
use db::Db;

const SEQUENCE: Metric = Metric::new(
    "rocksdb_latest_sequence_number",
    Kind::Gauge,
    "Number of the last write. Its growth is the number of entries written.",
);

/// What `db` says of itself in the text format of Prometheus, version 0.0.4. Labels are `db`, the
/// path; `cf`, the column family; `level`; `cause` and `condition` of stalls; `quantile`. Tickers and
/// histograms are there if the database was opened with statistics.
pub fn text(db: &Db) -> String {
    let mut exposition = Exposition::default();
    let of_db: Labels = vec![("db", db.path().display().to_string())];
    exposition.add(&SEQUENCE, &of_db, db.latest_sequence_number() as f64);
    if let Some(statistics) = db.statistics() {
        statistics_metrics::add(&mut exposition, statistics, &of_db);
    }
    secondary_metrics::add(&mut exposition, db, &of_db);
    for (index, family) in db.column_families().enumerate() {
        let is_first = index == 0;
        let mut labels = of_db.clone();
        labels.push(("cf", family.name().to_string()));
        if is_first {
            property_metrics::add_db(&mut exposition, db, &family, &of_db);
            compaction_metrics::add_db(&mut exposition, db, &family, &of_db);
        }
        property_metrics::add_family(&mut exposition, db, &family, &labels);
        compaction_metrics::add_family(&mut exposition, db, &family, &labels);
        level_metrics::add(&mut exposition, db, &family, &labels);
        limit_metrics::add(&mut exposition, &family, &labels);
        stall_metrics::add(&mut exposition, db, &family, &of_db, &labels, is_first);
    }
    exposition.into_text()
}

/// Every metric that [`text()`] may give.
pub fn metrics() -> Vec<Metric> {
    let mut metrics: Vec<Metric> = [SEQUENCE]
        .into_iter()
        .chain(property_metrics::metrics())
        .chain(statistics_metrics::metrics())
        .chain(compaction_metrics::metrics())
        .chain(level_metrics::metrics())
        .chain(limit_metrics::metrics())
        .chain(stall_metrics::metrics())
        .chain(secondary_metrics::metrics())
        .collect();
    metrics.sort_by(|a, b| a.name.cmp(&b.name));
    metrics
}
