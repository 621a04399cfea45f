//! The ldb and sst_dump command lines.
