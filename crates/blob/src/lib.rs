//! Blob files and blob indexes.
