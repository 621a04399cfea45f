//! A database that is open for writing: what was written is there, now and after a reopen.

mod basics;
mod compactions;
mod fixture;
mod recovery_from_errors;
mod stalls;
