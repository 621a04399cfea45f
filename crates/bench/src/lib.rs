//! The db_bench command line.
