//! The rows as CSV: one line for each row, with a head. Numbers are not rounded.

use crate::summary::{Row, Summary};

/// A column: its head, and a row's value in it.
type Column = (&'static str, fn(&Row) -> String);

const COLUMNS: &[Column] = &[
    ("set", |row| row.set.clone()),
    ("benchmark", |row| row.benchmark.clone()),
    ("engine", |row| row.engine.clone()),
    ("rounds", |row| row.samples.len().to_string()),
    ("disturbed_rounds", |row| row.disturbed_rounds.to_string()),
    ("ops_per_second", |row| number(row.ops_per_second)),
    ("median", |row| number(row.median)),
    ("spread", |row| number(row.spread)),
    ("ratio", |row| number(row.ratio)),
    ("ratio_low", |row| number(row.ratio_low)),
    ("ratio_high", |row| number(row.ratio_high)),
    ("verdict", |row| row.verdict.sign().to_owned()),
    ("p50_micros", |row| number(row.p50_micros)),
    ("p99_micros", |row| number(row.p99_micros)),
    ("p999_micros", |row| number(row.p999_micros)),
    ("cpu_micros_per_op", |row| number(row.cpu_micros_per_op)),
    ("resident_peak_bytes", |row| number(row.resident_peak_bytes)),
    ("space_peak_bytes", |row| number(row.space_peak_bytes)),
    ("device_bytes_per_byte", |row| number(row.device_bytes_per_byte)),
    ("limit_ops_per_second", |row| number(row.limit_ops_per_second)),
    ("limit_percent", |row| number(row.limit_percent)),
    ("limited_by", |row| row.limited_by.map(|by| by.name().to_owned()).unwrap_or_default()),
    ("db_bench_ops_per_second", |row| number(row.db_bench_ops_per_second)),
    ("driver_ops_per_second", |row| number(row.driver_ops_per_second)),
    ("skipped", |row| row.skipped.clone().unwrap_or_default()),
    ("samples", |row| {
        let samples: Vec<String> = row.samples.iter().map(f64::to_string).collect();
        samples.join(" ")
    }),
];

/// All rows. An incomplete comparison says so in its first line.
pub fn render(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(missing) = &summary.missing {
        text.push_str(&format!("# INCOMPLETE: {missing}\n"));
    }
    let head: Vec<&str> = COLUMNS.iter().map(|(head, _)| *head).collect();
    text.push_str(&(head.join(",") + "\n"));
    for row in &summary.rows {
        let cells: Vec<String> = COLUMNS.iter().map(|(_, value)| quoted(&value(row))).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// In quotation marks where it must be.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
