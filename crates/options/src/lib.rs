//! Every option once: OPTIONS files and option strings.
//!
//! - [`DbOptions`], [`ColumnFamilyOptions`] and the structs inside them are made from tables of
//!   rows (`schema/`), one per option: its name, type, default, text and whether the engine acts
//!   on it. Adding an option is adding a row.
//! - [`option_string`]: the grammar of `a=1;b={c=2;d=3}`.
//! - [`OptionsFile`]: the OPTIONS files of every release.
//! - [`Options::for_budget`]: options from memory, processors and the kind of load, each choice with
//!   its reason ([`Budget`]). [`dangers`] says what may go wrong with options, [`difference`] where
//!   two files differ.
//! - [`Registry`]: the comparators, merge operators and prefix extractors that texts name.
//!
//! Whoever reads options gets [`Diagnostic`]s beside them: what was kept but is not honoured yet,
//! what was not known and tolerated, which objects are missing. This crate must not know how any
//! option is acted on.

#![forbid(unsafe_code)]

pub mod budget;
mod change;
pub mod config;
pub mod dangers;
pub mod difference;
pub mod docs;
pub mod enums;
pub mod fault;
pub mod filter_policy;
mod ini;
mod listing;
pub mod object_value;
pub mod option_string;
mod options;
pub mod options_file;
mod options_struct;
pub mod range;
pub mod registry;
pub mod release;
pub mod rules;
mod schema;
pub mod table_factory;
mod value;

pub use budget::{Budget, WorkloadProfile};
pub use config::{ConfigOptions, Diagnostic, Remark};
pub use enums::{
    BlockSearchType, CacheTier, CacheUsage, ChecksumType, CompactionPri, CompactionStopStyle,
    CompactionStyle, CompressionType, DataBlockIndexType, EncodingType, IndexShorteningMode,
    IndexType, InfoLogLevel, PinningTier, PrepopulateBlobCache, PrepopulateBlockCache, Temperature,
    WalIo, WalRecoveryMode,
};
pub use fault::Fault;
pub use filter_policy::FilterPolicy;
pub use object_value::{ObjectName, ObjectNames};
pub use options::Options;
pub use options_file::{ColumnFamilySection, ColumnFamilyText, OptionsFile};
pub use range::Range;
pub use registry::Registry;
pub use release::Release;
pub use schema::block_based::{
    BlockBasedTableOptions, CacheUsageOptions, MetadataCacheOptions, ReadAmpBytesPerBit,
};
pub use schema::cache::LruCacheOptions;
pub use schema::cf::ColumnFamilyOptions;
pub use schema::compaction::{
    CompactionOptionsFifo, CompactionOptionsUniversal, FileTemperatureAge,
};
pub use schema::compression::CompressionOptions;
pub use schema::db::DbOptions;
pub use schema::db_path::DbPath;
pub use schema::plain::{CuckooTableOptions, PlainTableOptions};
pub use schema::{LegacyOption, ObjectInfo, OptionAlias, OptionInfo};
pub use table_factory::TableFactory;
