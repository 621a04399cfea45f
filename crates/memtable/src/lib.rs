//! What has been written and not yet flushed: memtables and their list.
