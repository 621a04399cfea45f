//! The ldb and sst_dump command lines.
pub mod sst_dump;
