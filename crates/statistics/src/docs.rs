//! The reference of tickers and histograms, as Markdown.

use crate::{HistogramType, MetricInfo, Ticker};
use std::fmt::Write as _;

/// The text of docs/statistics.md.
pub fn reference() -> String {
    let mut text = HEAD.to_owned();
    add_table(&mut text, "Tickers", Ticker::ALL.iter().map(|ticker| ticker.info()).collect());
    add_table(&mut text, "Histograms", HistogramType::ALL.iter().map(|kind| kind.info()).collect());
    text
}

const HEAD: &str = "\
# Statistics

Every ticker and histogram of RocksDB 11.9, by its name and number, and whether this engine counts
it, or why not. Made from the tables in `crates/statistics/src`; do not edit.

A database counts when it is opened with a `Statistics`
(`OpenContext::statistics`); `touchstone bench --statistics` prints one at its end.

## Operations that are not all timed

At the default level, `kExceptDetailedTimers`, these histograms have a value for every operation, but
not every operation is timed: `rocksdb.db.get.micros`, `rocksdb.db.write.micros`,
`rocksdb.db.seek.micros`, `rocksdb.db.multiget.micros`, `rocksdb.read.block.get.micros`,
`rocksdb.read.block.compaction.micros`. Of each thread the first 32 operations of a kind are timed, then
one in 16, picked at random; those up to the next one count as having taken as long.
COUNT is the number of operations. SUM and the percentiles are right in the mean; P100 and P99.9 may
miss the one slow operation that was not timed. At `kExceptTimeForMutex` and `kAll` every operation is
timed. [Why](decisions/0003-times-of-short-operations.md).

## What counting costs

Up to some hundred instructions for an operation, and less than 3 % of those that it takes without:
[a table](decisions/0003-times-of-short-operations.md#what-it-costs).
`cargo xtask instructions --statistics` counts them again.
";

fn add_table(text: &mut String, title: &str, rows: Vec<&MetricInfo>) {
    let counted = rows.iter().filter(|row| row.is_counted()).count();
    let _ = write!(
        text,
        "\n## {title}\n\n{counted} of {} are counted.\n\n\
         | Number | Name | Counted | What it counts |\n| --- | --- | --- | --- |\n",
        rows.len()
    );
    for row in rows {
        let (counted, MetricInfo { name, doc, detail: number, .. }) = (row.counted_text(), row);
        let _ = writeln!(text, "| {number} | `{name}` | {counted} | {} |", doc.trim());
    }
}

#[cfg(test)]
mod tests;
