//! Block caches by RocksDB's names and options.
