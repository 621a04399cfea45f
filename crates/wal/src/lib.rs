//! Write-ahead log framing and write batches.
//!
//! A log is a file of checksummed *physical* records in 32 KiB blocks ([`log_format`]); one or more
//! of them make a *logical* record. In a WAL a logical record is a write batch ([`write_batch`]), in
//! a MANIFEST it is a version edit, of which this crate knows nothing.
//!
//! [`LogReader`] reports what it met, in order: records and [`LogDamage`]. It does not decide what
//! damage means; [`WalRecoveryMode::verdict`] does, from the damage alone.

#![forbid(unsafe_code)]

mod log_compression;
pub mod log_format;
pub mod log_reader;
mod log_source;
pub mod log_writer;
pub mod recovery_mode;
#[cfg(test)]
mod test_files;
pub mod write_batch;
pub mod write_batch_reader;

pub use log_format::{LogCompression, PredecessorWalInfo};
pub use log_reader::{DamageKind, LogDamage, LogEntry, LogReader, LogicalRecord};
pub use log_writer::LogWriter;
pub use recovery_mode::{Verdict, WalRecoveryMode};
pub use write_batch::{WriteBatch, check_entry_size};
pub use write_batch_reader::{Entry, Record, RecordIterator, WriteBatchReader};
