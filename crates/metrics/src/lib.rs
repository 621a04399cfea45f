//! What a database says of itself, for Prometheus.
//!
//! [`text()`] is a pure function from an open database to the text format: properties, tickers and
//! histograms by the names that RocksDB's exporters give them, levels, stalls by cause, and how far a
//! secondary has come. It goes through the tables of those crates, so that what they add shows here.
//! [`serve`] answers with it over HTTP. What only the process knows that writes a database, [`PrimaryStatistics`]
//! takes from its LOG.

#![forbid(unsafe_code)]

mod compaction_metrics;
mod dump;
mod dump_metrics;
mod exposition;
mod level_metrics;
mod limit_metrics;
mod memory_metrics;
mod metric;
mod metric_name;
mod primary_log;
mod primary_statistics;
mod property_metrics;
mod read_metrics;
mod secondary_metrics;
mod server;
mod stall_metrics;
mod statistics_metrics;
mod text;

pub use dump::{Dump, DumpedFamily, DumpedHistogram, Reads};
pub use metric::{Kind, Metric};
pub use primary_statistics::PrimaryStatistics;
pub use server::{Server, serve, serve_text};
pub use text::{metrics, text, text_with};
