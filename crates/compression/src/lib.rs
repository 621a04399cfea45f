//! One file per codec of RocksDB's block compression, and its dictionaries.
