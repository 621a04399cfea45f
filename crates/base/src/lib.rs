//! Types that every other crate shares.
//!
//! What an internal key is and how keys are ordered, how integers are laid out on disk, what an
//! error is, and the traits through which users bring their own comparators, merge operators, prefix
//! extractors, compaction filters, partitioners, collectors of table properties and checksums of
//! files. This crate knows no file and no option.

#![forbid(unsafe_code)]

pub mod block_capacity;
pub mod call_options;
pub mod checksum;
pub mod coding;
pub mod column_family_name;
pub mod common_prefix;
pub mod compaction_filter;
pub mod comparator;
pub mod counted_bytes;
pub mod crc32c;
pub mod dbformat;
pub mod fast_path;
pub mod file_checksum;
pub mod filename;
pub mod flush_block_policy;
pub mod hash;
pub mod histogram;
pub mod internal_iterator;
pub mod internal_key_comparator;
pub mod key_prefix;
pub mod merge_operator;
pub mod pinnable_slice;
pub mod range_tombstone;
pub mod slice_transform;
pub mod sst_partitioner;
pub mod status;
pub mod table_properties_collector;
pub mod wide_columns;

pub use checksum::ChecksumType;
pub use column_family_name::ColumnFamilyName;
pub use common_prefix::common_prefix_length;
pub use compaction_filter::{CompactionFilter, CompactionFilterFactory, SharedCompactionFilter};
pub use comparator::Comparator;
pub use dbformat::{InternalKey, ParsedInternalKey, SequenceNumber, ValueType};
pub use fast_path::FastPath;
pub use file_checksum::{FileChecksumGenContext, FileChecksumGenFactory, FileChecksumGenerator};
pub use flush_block_policy::{FlushBlockPolicy, FlushBlockPolicyFactory};
pub use internal_iterator::{Approached, InternalIterator, NewerVersion, SeekStep};
pub use internal_key_comparator::InternalKeyComparator;
pub use key_prefix::key_prefix;
pub use merge_operator::MergeOperator;
pub use pinnable_slice::PinnableSlice;
pub use range_tombstone::RangeTombstone;
pub use slice_transform::SliceTransform;
pub use sst_partitioner::{SstPartitioner, SstPartitionerFactory};
pub use status::{Result, Status};
pub use table_properties_collector::{TablePropertiesCollector, TablePropertiesCollectorFactory};
