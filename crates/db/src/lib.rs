//! The database: open, recover, read.
