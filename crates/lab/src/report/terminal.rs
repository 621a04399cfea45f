//! Tables for the terminal, and the same tables as rows for the page.

use super::numbers::{of_rounds, short, short_or_dash};
use crate::summary::{Measure, Row, Summary};
use crate::text_table;

/// Heads of the columns.
pub(super) const HEAD: &[&str] = &[
    "benchmark",
    "engine",
    "op/s",
    "spread",
    "ratio",
    "interval",
    "",
    "p50 us",
    "p99 us",
    "p99.9 us",
    "cpu us/op",
    "limit %",
    "limited by",
    "notes",
];

/// Columns that hold numbers.
pub(super) const NUMBERS: &[usize] = &[2, 3, 4, 5, 7, 8, 9, 10, 11];

/// The whole report.
pub fn render(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(missing) = &summary.missing {
        text.push_str(&format!("INCOMPLETE: {missing}\n\n"));
    }
    for set in &summary.spec.sets {
        let rows: Vec<Vec<String>> =
            summary.rows.iter().filter(|row| row.set == set.name).map(cells).collect();
        if rows.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n", set_title(summary, &set.name)));
        text.push_str(&text_table::render(HEAD, rows, NUMBERS));
        text.push('\n');
    }
    for note in notes(summary) {
        text.push_str(&format!("{note}\n"));
    }
    text
}

/// The option set with its flags.
pub(super) fn set_title(summary: &Summary, name: &str) -> String {
    let index = summary.spec.sets.iter().position(|set| set.name == name).unwrap_or_default();
    match summary.spec.flags_of(index) {
        flags if flags.is_empty() => format!("{name}:"),
        flags => format!("{name}: {}", flags.join(" ")),
    }
}

/// A row's cells, in the order of [`HEAD`].
pub(super) fn cells(row: &Row) -> Vec<String> {
    let interval = match (row.ratio_low, row.ratio_high) {
        (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
        _ => String::new(),
    };
    let percent = row.limit_percent.map(|percent| format!("{percent:.1}"));
    vec![
        row.benchmark.clone(),
        row.engine.clone(),
        short_or_dash(row.ops_per_second),
        row.spread.map(|spread| format!("{spread:.2}")).unwrap_or_default(),
        row.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        interval,
        row.verdict.sign().to_owned(),
        row.p50_micros.map(short).unwrap_or_default(),
        row.p99_micros.map(short).unwrap_or_default(),
        row.p999_micros.map(short).unwrap_or_default(),
        row.cpu_micros_per_op.map(short).unwrap_or_default(),
        percent.unwrap_or_default(),
        row.limited_by.map(|by| by.name().to_owned()).unwrap_or_default(),
        remarks(row),
    ]
}

fn remarks(row: &Row) -> String {
    if let Some(why) = &row.skipped {
        return format!("skipped: {why}");
    }
    let unsteady = match row.disturbed_rounds {
        0 => None,
        rounds => Some(format!("{rounds} of {} rounds unsteady", row.samples.len())),
    };
    let by = match (row.is_of_db_bench(), row.driver_ops_per_second) {
        (true, Some(rate)) => Some(format!("op/s by db_bench; {} through C", short(rate))),
        _ => None,
    };
    [by, unsteady].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A library's file with the directory that it is in, which often is its release.
fn file_of(path: &str) -> String {
    let parts: Vec<&str> = path.rsplit('/').take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// What one has to know to read the tables.
pub(super) fn notes(summary: &Summary) -> Vec<String> {
    let spec = &summary.spec;
    let mut notes = vec![format!(
        "{}, engines in turn, each in a process of its own; spread is the largest \
         divided by the smallest; ratio is to {}, with its {:.0} % interval; + better, - worse, = within \
         the noise, ? too few rounds to say.",
        of_rounds(spec.rounds),
        spec.engine_names().first().map_or("the first engine", String::as_str),
        summary.confidence * 100.0
    )];
    if summary.rows.iter().any(|row| row.measure == Measure::P99Micros) {
        notes.push(
            "At a given rate the ratio is of p99: latency counts from when an operation should have \
             begun."
                .to_owned(),
        );
    }
    if summary.rows.iter().any(|row| row.limit_percent.is_some()) {
        notes.push(
            "limit % is how much of what the machine allows was reached (docs/machine.md)."
                .to_owned(),
        );
    }
    notes.extend(summary.cache.iter().map(|state| format!("Page cache: {state}.")));
    for (name, facts) in &summary.engines {
        let library = facts.library.as_ref().map(|path| format!("from {}", file_of(path)));
        let parts = [facts.name.clone(), facts.version.clone(), library.unwrap_or_default()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        notes.push(format!("{name} is {}.", parts.join(" ")));
    }
    notes.extend(c_function_notes(summary));
    notes.extend(summary.warnings.iter().map(|warning| format!("warning: {warning}")));
    notes
}

/// What is to be known of engines that are driven through RocksDB's C functions.
fn c_function_notes(summary: &Summary) -> Vec<String> {
    let driven = summary.engines.iter().filter(|(_, facts)| facts.kind == "c_api");
    let note = |name: &String| {
        let rows: Vec<&Row> = summary.rows.iter().filter(|row| row.engine == *name).collect();
        let beside: Vec<&&Row> =
            rows.iter().filter(|row| row.db_bench_ops_per_second.is_some()).collect();
        if let Some(why) = rows.iter().find_map(|row| row.db_bench_failure.as_ref()) {
            return format!("{name}: db_bench did not run beside it: {why}.");
        }
        if beside.is_empty() {
            return format!(
                "{name} was measured through RocksDB's C functions alone, which cost a lookup about \
                 0.1 us more than its own db_bench (docs/engines.md)."
            );
        }
        let by_tool = beside.iter().filter(|row| row.is_of_db_bench()).count();
        format!(
            "{name} was measured through RocksDB's C functions and by its own db_bench, the faster of \
             which counts: db_bench in {by_tool} of {} rows where both ran, of {} in all.",
            beside.len(),
            rows.len()
        )
    };
    driven.map(|(name, _)| note(name)).collect()
}
