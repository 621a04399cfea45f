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

Time, in microseconds of an operation of `touchstone bench`, without and with `--statistics` in turn: eight pairs of
processes on one processor (two for writes), of each its fastest of four passes (one for writes); 1M keys of 16 + 100
bytes in the block cache, 300,000 in memtables for writes. The best of all, and the median of what the one that counts
takes more in a pair. Two runs of the same are up to 3 % apart; the instructions tell more.
`cargo bench -p touchstone-db --bench operations -- get 20000 --compare-statistics` times the database alone.

| Benchmark | Without | With | Median pair |
| --- | ---: | ---: | ---: |
| readrandom | 0.712 | 0.705 | -1.0 % |
| readmissing | 0.184 | 0.176 | +2.3 % |
| multireadrandom | 0.403 | 0.411 | +0.7 % |
| seekrandom, 10 nexts | 2.232 | 2.218 | +2.0 % |
| readseq | 0.032 | 0.030 | -3.1 % |
| readreverse | 0.051 | 0.051 | +1.8 % |
| fillseq | 0.369 | 0.358 | +2.8 % |
| fillrandom | 0.812 | 0.800 | -1.4 % |
| overwrite | 1.257 | 1.229 | -2.2 % |
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
