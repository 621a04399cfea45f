//! Everything in the text format.

use crate::dump::Dump;
use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use crate::{
    compaction_metrics, dump_metrics, level_metrics, limit_metrics, memory_metrics,
    property_metrics, read_metrics, secondary_metrics, stall_metrics, statistics_metrics,
};
use db::{ColumnFamilyHandle, Db};

const SEQUENCE: Metric = Metric::new(
    "rocksdb_latest_sequence_number",
    Kind::Gauge,
    "Number of the last write. Its growth is the number of entries written.",
);

/// What `db` says of itself in the text format of Prometheus, version 0.0.4. Labels are `db`, the
/// path; `cf`, the column family; `level`; `cause` and `condition` of stalls; `quantile`. Tickers and
/// histograms are there if the database was opened with statistics.
pub fn text(db: &Db) -> String {
    text_with(db, None)
}

/// As [`text()`], of a database that another process is writing: what only that process knows is taken
/// from `dump`, the newest of [`PrimaryStatistics`](crate::PrimaryStatistics).
pub fn text_with(db: &Db, dump: Option<&Dump>) -> String {
    let mut exposition = Exposition::default();
    let of_db: Labels = vec![("db", db.path().display().to_string())];
    exposition.add(&SEQUENCE, &of_db, db.latest_sequence_number() as f64);
    if let Some(dump) = dump {
        let age = db.context().clock.now_micros().saturating_sub(dump.at_micros);
        dump_metrics::add(&mut exposition, dump, age, &of_db);
    }
    match (db.statistics(), dump) {
        (Some(statistics), _) => statistics_metrics::add(&mut exposition, statistics, &of_db),
        (None, Some(dump)) => statistics_metrics::add_dumped(&mut exposition, dump, &of_db),
        (None, None) => {}
    }
    secondary_metrics::add(&mut exposition, db, &of_db);
    for (index, family) in db.column_families().enumerate() {
        let is_first = index == 0;
        let mut labels = of_db.clone();
        labels.push(("cf", family.name().to_string()));
        if is_first {
            property_metrics::add_db(&mut exposition, db, &family, &of_db);
            memory_metrics::add(&mut exposition, db, &family, &of_db);
        }
        property_metrics::add_family(&mut exposition, db, &family, &labels);
        level_metrics::add(&mut exposition, db, &family, &labels);
        limit_metrics::add(&mut exposition, &family, &labels);
        match dump {
            None => add_activity(&mut exposition, db, &family, &of_db, &labels, is_first),
            Some(dump) => {
                if is_first {
                    compaction_metrics::add_db_of_dump(&mut exposition, dump, &of_db);
                    stall_metrics::add_condition(&mut exposition, db, &family, &of_db);
                }
                add_dumped_activity(&mut exposition, dump, &family, &labels);
            }
        }
    }
    exposition.into_text()
}

/// What this process does.
fn add_activity(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    of_db: &Labels,
    labels: &Labels,
    is_first: bool,
) {
    if is_first {
        compaction_metrics::add_db(exposition, db, family, of_db);
    }
    compaction_metrics::add_family(exposition, db, family, labels);
    stall_metrics::add(exposition, db, family, of_db, labels, is_first);
    let reads = db.property(family, "rocksdb.cf-file-histogram").unwrap_or_default();
    read_metrics::add(exposition, &Dump::reads_of_property(&reads), labels);
}

/// What another process does.
fn add_dumped_activity(
    exposition: &mut Exposition,
    dump: &Dump,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    if let Some(dumped) = dump.families.get(&family.name().to_string()) {
        compaction_metrics::add_family_of_dump(exposition, dumped, labels);
        stall_metrics::add_of_dump(exposition, dumped, labels);
        read_metrics::add(exposition, &dumped.reads, labels);
    }
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
        .chain(dump_metrics::metrics())
        .chain(memory_metrics::metrics())
        .chain(read_metrics::metrics())
        .collect();
    metrics.sort_by(|a, b| a.name.cmp(&b.name));
    metrics
}
