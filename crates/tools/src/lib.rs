//! The ldb, sst_dump and shape command lines.
pub mod shape;
pub mod sst_dump;
