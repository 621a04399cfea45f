//! Reading: point lookups and scans.

pub(crate) mod blob_reads;
pub(crate) mod db_iter;
pub(crate) mod db_iterator;
pub(crate) mod get;
pub(crate) mod get_context;
pub(crate) mod get_together;
pub(crate) mod idle_iterators;
pub(crate) mod level_iterator;
pub(crate) mod lookup_key;
pub(crate) mod multi_get;
pub(crate) mod read_stats;
pub(crate) mod read_view;
pub(crate) mod scan;
pub(crate) mod scan_cursor;
pub(crate) mod value_resolver;
