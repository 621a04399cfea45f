//! The reference of tickers and histograms, as Markdown.

use crate::{GONE_HISTOGRAMS, GONE_TICKERS, HistogramType, MetricInfo, Ticker};
use std::fmt::Write as _;

/// The text of docs/statistics.md.
pub fn reference() -> String {
    let mut text = HEAD.to_owned();
    add_table(&mut text, "Tickers", Ticker::ALL.iter().map(|ticker| ticker.info()).collect());
    add_table(&mut text, "Histograms", HistogramType::ALL.iter().map(|kind| kind.info()).collect());
    text += GONE;
    let tickers = GONE_TICKERS.iter().map(|row| (row, "ticker"));
    let histograms = GONE_HISTOGRAMS.iter().map(|row| (row, "histogram"));
    for ((number, name), kind) in tickers.chain(histograms) {
        let _ = writeln!(text, "| {number} | `{name}` | {kind} |");
    }
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
one in 64, picked at random; those up to the next one count as having taken as long.
COUNT is the number of operations. SUM and the percentiles are right in the mean; P100 and P99.9 may
miss the one slow operation that was not timed. At `kExceptTimeForMutex` and `kAll` every operation is
timed. [Why](decisions/0003-times-of-short-operations.md).

## What counting costs

Up to some hundred instructions for an operation, and less than 3 % of those that it takes without:
[a table](decisions/0003-times-of-short-operations.md#what-it-costs).
`cargo xtask instructions --statistics` counts them again.

Time, in nanoseconds of the processor, of databases with statistics and without in turns of 2,500 operations, 200
pairs of turns on 20,000 keys; the median of what the one that counts takes more, and the middle half. Others
were at work on the machine, so that the median is no better than some percent: it is the instructions that
decide. `cargo bench -p touchstone-db --bench operations -- get 20000 --compare-statistics` times them again.

| Operation | Without | With | More | Middle half |
| --- | ---: | ---: | ---: | ---: |
| get | 686 | 702 | +2.0 % | -14.7 to +19.2 |
| get_missing | 187 | 196 | +5.2 % | -2.7 to +13.3 |
| seek | 458 | 463 | +3.0 % | -15.6 to +29.5 |
| overwrite | 1730 | 1753 | -1.0 % | -8.8 to +8.5 |
| next | 66.6 | 67.4 | -1.1 % | -8.1 to +7.7 |
| multi_get | 441 | 457 | +1.9 % | -11.0 to +17.6 |
";

const GONE: &str = "
## Gone since RocksDB 7.8

Names that RocksDB 7.8 has and 11.9 has no longer. They are not counted, and have no number any more.

| Number in 7.8 | Name | What it was |
| --- | --- | --- |
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
