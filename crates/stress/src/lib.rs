//! Crashes, power losses and I/O faults under a database, and what must survive them; reads that meet
//! writes.
//!
//! - [`process_crash`]: a process that writes is killed, another one checks what is left.
//! - [`power_loss`]: a disk in memory that keeps some of what was not synced.
//! - [`io_faults`]: operation k of the file system fails, for every k.
//! - [`torn_reads`]: memtables are read while they are filled.
//!
//! Every check is repeatable: it is decided by seeds, and a failure comes with the command that
//! brings it again. `docs/stress.md` says what is held true, and what is not.

#![forbid(unsafe_code)]

pub mod command_line;
pub mod database;
pub mod dishonest_fs;
pub mod ingestion;
pub mod io_faults;
pub mod model;
pub mod operation;
pub mod power_loss;
pub mod process_crash;
pub mod random;
pub mod random_options;
pub mod torn_reads;
pub mod watchdog;
