//! The database: open, recover, read.
//!
//! [`Db::open_for_read_only`] reads CURRENT, the MANIFEST and the WALs; [`Db::get`] and
//! [`Db::new_iterator`] then go through memtables and tables from new to old. A read reads aloud in
//! `read/get.rs`, a scan in `read/scan.rs` and `read/db_iter.rs`, an open in `recovery.rs`.

#![forbid(unsafe_code)]

mod approximate_size;
mod background;
mod background_control;
mod cache_dump;
mod call_warnings;
mod caught_panic;
mod close;
mod column_family;
mod column_family_change;
mod compaction_abort;
mod compaction_state;
mod compaction_work;
mod conversion_gate;
mod db;
mod db_background;
mod db_impl;
mod db_state;
mod db_write;
mod deletion_passes;
mod error_handler;
pub mod event_listener;
mod events;
mod family_files;
mod file_checks;
mod file_deletions;
mod flow_control;
mod flush;
mod flush_job;
mod flush_reason;
mod history;
mod identity;
mod info_log;
mod ingest;
mod ingest_options;
mod inspect;
mod internal_stats;
mod job_helpers;
mod job_io;
mod level0_table;
mod level_files_brief;
mod live_files;
mod manual_compaction;
mod memory_relief;
mod memtable_list;
mod obsolete_files;
mod open;
mod open_files;
mod option_reference;
mod options_file_writer;
mod periodic_work;
mod picker_options;
mod property;
mod read;
mod recovery;
mod resume;
mod sanitize;
mod secondary;
mod sequence_times;
mod set_db_options;
mod set_options;
mod shape;
mod snapshot_list;
mod sorted_run;
mod sst_file_writer;
mod stats_history;
mod steady_recovery;
mod super_version;
mod switch_memtable;
mod table_builder_options;
mod table_set;
mod validate_options;
mod waiting_flushes;
mod wal_archive;
mod wal_tracking;
mod warm_outputs;
mod warnings;
mod work_stats;
mod write;
mod write_buffer_manager;
mod write_stats;

#[doc = include_str!("../../../docs/hooks.md")]
pub mod hooks {}

pub use approximate_size::{MemTableStats, SizeApproximationOptions};
pub use background_control::WaitForCompactOptions;
pub use cache_dump::{CacheDumpInfo, CacheLoadInfo};
pub use close::FlushWalOptions;
pub use column_family::{ColumnFamilyDescriptor, ColumnFamilyHandle, DEFAULT_COLUMN_FAMILY_NAME};
pub use compaction::CompactFilesOptions;
pub use db::{Db, KeyPresence, OpenContext};
pub use event_listener::*;
pub use flush::FlushOptions;
pub use flush_reason::FlushReason;
pub use ingest::{IngestExternalFileArg, ReplacedRange};
pub use ingest_options::IngestExternalFileOptions;
pub use inspect::InternalEntries;
pub use live_files::LiveFileMetaData;
pub use manual_compaction::{
    BlobGarbageCollectionPolicy, BottommostLevelCompaction, CompactRangeOptions,
};
pub use option_reference::{CallStruct, call_structs, option_reference};
pub use property::docs::properties_reference;
pub use property::{PropertyInfo, PropertyKind};
pub use read::db_iterator::DbIterator;
pub use read::value_resolver::Columns;
pub use recovery::{PreparedTransaction, RecoveredDb, TransactionWritePolicy};
pub use secondary::SecondaryProgress;
pub use shape::ShapeOptions;
pub use snapshot_list::Snapshot;
pub use sst_file_writer::{ExternalSstFileInfo, SstFileWriter};
pub use stats_history::StatsSlice;
pub use stats_history::persistent::STATS_COLUMN_FAMILY_NAME;
pub use table::{ReadOptions, ReadTier, TableFilter, TableProperties};
pub use validate_options::validate as validate_options;
pub use wal::WriteBatch;
pub use warnings::reading_warnings;
pub use write::write_options::WriteOptions;
pub use write_buffer_manager::WriteBufferManager;
