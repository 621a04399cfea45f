//! What a comparison publishes, each form a pure function of the summary.

pub mod chart;
pub mod csv;
pub mod markdown;
mod numbers;
pub mod page;
pub mod terminal;
pub mod versions;

use crate::summary::Summary;

/// The files by name, with their text.
///
/// # Errors
/// A chart cannot be drawn.
pub fn files(summary: &Summary) -> Result<Vec<(String, String)>, String> {
    let charts = chart::all(summary)?;
    let json = serde_json::to_string_pretty(summary).map_err(|error| error.to_string())?;
    let mut files = vec![
        ("results.json".to_owned(), json + "\n"),
        ("results.csv".to_owned(), csv::render(summary)),
        ("versions.tsv".to_owned(), versions::render(summary)),
        ("results.md".to_owned(), markdown::render(summary, &charts)),
        ("page.html".to_owned(), page::render(summary, &charts)),
    ];
    files.extend(charts.into_iter().map(|chart| (format!("{}.svg", chart.name), chart.svg)));
    Ok(files)
}

#[cfg(test)]
mod tests;
