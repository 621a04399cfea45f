//! The reference of what threads count, as Markdown.

use crate::MetricInfo;
use crate::io_metric::IoMetric;
use crate::level_metric::LevelMetric;
use crate::measure::Measure;
use crate::perf_metric::PerfMetric;
use std::fmt::Write as _;

const HEAD: &str = "\
# Perf context and I/O statistics

What each thread counts and times of its own operations, by the names RocksDB 11.9 has for it. Made
from the tables in `crates/perf_context/src`; do not edit.

```rust
use perf_context::{PerfLevel, perf_context, reset_perf_context, set_perf_level};

set_perf_level(PerfLevel::EnableTimeExceptForMutex);
reset_perf_context();
// An operation of this thread, then:
println!(\"{}\", perf_context().to_text(true));
```

**From** is the level of [`set_perf_level`] from which on a metric is measured: `count` (the level of
a thread that sets none), `wait`, `time`, `cpu time`, `mutex time`. Times are in nanoseconds. What is
counted by level needs `enable_per_level_perf_context` too.

## What the levels cost

Instructions of a lookup, a seek and a write at each level, and what they are more than at the first; on 20,000
keys in the block cache. `cargo xtask instructions --perf-levels` counts them again.

| Operation | nothing | count | wait | time |
| --- | ---: | ---: | ---: | ---: |
| get | 2852 | 2896 (+1.5 %) | 2887 (+1.2 %) | 4110 (+44.1 %) |
| seek | 1970 | 1996 (+1.3 %) | 1995 (+1.2 %) | 2470 (+25.4 %) |
| put_scattered | 3273 | 3273 (-0.0 %) | 3749 (+14.6 %) | 4704 (+43.7 %) |

From `cpu time` on the system is asked for the time of the processor, which takes most of the time of an
operation and no instructions that could be counted. Nanoseconds, the least of 50 rounds on a machine with others
at work, by `cargo bench -p touchstone-db --bench operations -- get 20000 --perf-level=5` (levels as RocksDB
numbers them):

| Operation | nothing | time | cpu time | mutex time |
| --- | ---: | ---: | ---: | ---: |
| get | 354 | 657 | 1964 | 1791 |
| seek | 189 | 306 | 1494 | 1634 |
| put_scattered | 415 | 798 | 836 | 917 |
";

/// The text of docs/perf-context.md.
pub fn reference() -> String {
    let mut text = HEAD.to_owned();
    add_table(&mut text, "Perf context", PerfMetric::ALL.iter().map(|metric| metric.info()));
    add_table(&mut text, "By level", LevelMetric::ALL.iter().map(|metric| metric.info()));
    add_table(&mut text, "I/O statistics", IoMetric::ALL.iter().map(|metric| metric.info()));
    text
}

fn add_table<'a>(text: &mut String, title: &str, rows: impl Iterator<Item = &'a MetricInfo>) {
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n## {title}\n\n| Name | From | Measured | What it says |\n| --- | --- | --- | --- |\n"
    );
    for row in rows {
        let MetricInfo { name, doc, detail: measure, .. } = row;
        let from = match measure {
            Measure::Always => "always",
            Measure::Count => "count",
            Measure::Wait => "wait",
            Measure::Time => "time",
            Measure::CpuTime => "cpu time",
            Measure::MutexTime => "mutex time",
        };
        let measured = row.counted_text();
        let _ = writeln!(text, "| `{name}` | {from} | {measured} | {} |", doc.trim());
    }
}

#[cfg(test)]
mod tests;
