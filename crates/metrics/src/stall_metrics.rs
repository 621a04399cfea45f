//! What holds writes back, by cause.

use crate::dump::DumpedFamily;
use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use db::{ColumnFamilyHandle, Db};

/// A number for each cause in `touchstone.stall`.
struct Row {
    /// What follows the cause in the name.
    ending: &'static str,
    condition: &'static str,
    metric: Metric,
    /// Whether it is that of the column family, or of all together.
    is_of_family: bool,
}

const FOUND: Metric = Metric::new(
    "rocksdb_write_stalls_total",
    Kind::Counter,
    "How often the column family was found to delay or stop writes.",
);
const WRITES: Metric =
    Metric::new("rocksdb_stalled_writes_total", Kind::Counter, "Writes that were held back.");
const SECONDS: Metric = Metric::new(
    "rocksdb_stalled_write_seconds_total",
    Kind::Counter,
    "Seconds that writes were held back.",
);

const ROWS: &[Row] = &[
    // Longer endings first.
    Row { ending: "-delayed-writes", condition: "delayed", metric: WRITES, is_of_family: false },
    Row { ending: "-stopped-writes", condition: "stopped", metric: WRITES, is_of_family: false },
    Row { ending: "-delayed-seconds", condition: "delayed", metric: SECONDS, is_of_family: false },
    Row { ending: "-stopped-seconds", condition: "stopped", metric: SECONDS, is_of_family: false },
    Row { ending: "-delays", condition: "delayed", metric: FOUND, is_of_family: true },
    Row { ending: "-stops", condition: "stopped", metric: FOUND, is_of_family: true },
];

/// Of writes with low priority, which wait for compactions by themselves.
const LOW_PRIORITY: &[(&str, Metric)] =
    &[("low-priority-writes", WRITES), ("low-priority-seconds", SECONDS)];

/// One of these is 1.
const CONDITION: Metric = Metric::new(
    "rocksdb_write_condition",
    Kind::Gauge,
    "What happens to writes now, and why: 1 for what is so.",
);

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    [FOUND, WRITES, SECONDS, CONDITION].into_iter()
}

/// How often a column family was found to hold writes back in another process, as it dumped that.
pub(crate) fn add_of_dump(exposition: &mut Exposition, family: &DumpedFamily, labels: &Labels) {
    for (name, &count) in &family.stalls {
        let found = ROWS.iter().filter(|row| row.is_of_family);
        let found = found.filter_map(|row| Some((row, name.strip_suffix(row.ending)?)));
        for (row, cause) in found.filter(|(_, cause)| *cause != "total") {
            let mut labels = labels.clone();
            labels.push(("cause", cause.to_owned()));
            labels.push(("condition", row.condition.to_owned()));
            exposition.add(&row.metric, &labels, count as f64);
        }
    }
}

/// What the files of a secondary, and what it has in memory, would do to writes. It holds none back.
pub(crate) fn add_condition(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    let stall = db.map_property(family, "touchstone.stall").unwrap_or_default();
    if let (Some(condition), Some(cause)) = (stall.get("condition"), stall.get("cause")) {
        let mut labels = labels.clone();
        labels.push(("cause", cause.clone()));
        labels.push(("condition", condition.clone()));
        exposition.add(&CONDITION, &labels, 1.0);
    }
}

/// What holds writes back. Times are those of all column families; they are given with the first.
pub(crate) fn add(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    of_db: &Labels,
    of_family: &Labels,
    is_first: bool,
) {
    let Some(stall) = db.map_property(family, "touchstone.stall") else { return };
    let with = |labels: &Labels, cause: &str, condition: &str| {
        let mut labels = labels.clone();
        labels.push(("cause", cause.to_owned()));
        labels.push(("condition", condition.to_owned()));
        labels
    };
    for (name, value) in &stall {
        let Ok(number) = value.parse::<f64>() else { continue };
        let found = ROWS.iter().find_map(|row| Some((row, name.strip_suffix(row.ending)?)));
        if let Some((row, cause)) = found {
            let labels = if row.is_of_family { of_family } else { of_db };
            if row.is_of_family || is_first {
                exposition.add(&row.metric, &with(labels, cause, row.condition), number);
            }
        } else if is_first
            && let Some((_, metric)) = LOW_PRIORITY.iter().find(|(low, _)| low == name)
        {
            exposition.add(metric, &with(of_db, "low-priority", "delayed"), number);
        }
    }
    if is_first && let (Some(condition), Some(cause)) = (stall.get("condition"), stall.get("cause"))
    {
        exposition.add(&CONDITION, &with(of_db, cause, condition), 1.0);
    }
}
