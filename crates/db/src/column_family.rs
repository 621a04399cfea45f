//! An open column family.

use crate::conversion_gate::ConversionGate;
use crate::internal_stats::InternalStats;
use crate::options_file_writer::FamilyText;
use crate::super_version::SuperVersion;
use crate::table_set::TableSet;
use arc_swap::ArcSwap;
use base::{ColumnFamilyName, InternalKeyComparator};
use memtable::MemTableMemory;
use options::ColumnFamilyOptions;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use version::{EpochNumbers, Version};

/// The name of the family that every database has.
pub const DEFAULT_COLUMN_FAMILY_NAME: &str = "default";

/// A family to open, and how.
#[derive(Clone, Debug)]
pub struct ColumnFamilyDescriptor {
    /// Its name: any bytes; most are text.
    pub name: ColumnFamilyName,
    /// How it is read.
    pub options: ColumnFamilyOptions,
}

impl ColumnFamilyDescriptor {
    /// The family `name` with `options`.
    pub fn new(name: impl Into<ColumnFamilyName>, options: ColumnFamilyOptions) -> Self {
        Self { name: name.into(), options }
    }
}

/// A column family of an open database. Constant after construction but for its state.
#[derive(Debug)]
pub(crate) struct ColumnFamilyData {
    pub(crate) id: u32,
    pub(crate) name: ColumnFamilyName,
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) tables: Arc<TableSet>,
    /// The current state. Readers load it without a lock; writers of it hold the state lock.
    pub(crate) super_version: ArcSwap<SuperVersion>,
    /// WALs with a smaller number hold nothing for it. Set after the MANIFEST says so.
    pub(crate) log_number: AtomicU64,
    /// Where new files of L0 get their place in its order.
    pub(crate) epoch_numbers: Arc<EpochNumbers>,
    /// Whether scans may add range tombstones.
    pub(crate) conversions: Arc<ConversionGate>,
    pub(crate) stats: InternalStats,
    /// Where the memory of its memtables is counted; none in a database that is only read.
    pub(crate) memtable_memory: Option<Arc<MemTableMemory>>,
    /// Its options, and how OPTIONS files have them, once that was asked for.
    pub(crate) options_text: Mutex<Option<(Arc<ColumnFamilyOptions>, Arc<FamilyText>)>>,
}

impl ColumnFamilyData {
    /// The options as they are now; they belong to its state. To be taken once by what has to see
    /// one state of them.
    pub(crate) fn options(&self) -> Arc<ColumnFamilyOptions> {
        self.super_version.load().options.clone()
    }

    /// Has the block cache count what is known of the files of `version`, if that is asked for.
    pub(crate) fn charge_file_metadata(&self, version: &Version) {
        if let Some(charged) = &self.tables.options.load().charges.file_metadata {
            charged.follow(version.metadata_bytes());
        }
    }
}

/// Names a column family of an open database.
#[derive(Clone, Debug)]
pub struct ColumnFamilyHandle(pub(crate) Arc<ColumnFamilyData>);

impl ColumnFamilyHandle {
    /// Its name.
    pub fn name(&self) -> &ColumnFamilyName {
        &self.0.name
    }

    /// Its number in WALs, tables and the MANIFEST.
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// How its keys are ordered.
    pub fn comparator(&self) -> &InternalKeyComparator {
        &self.0.comparator
    }

    /// WALs with a smaller number hold nothing for it.
    pub fn log_number(&self) -> u64 {
        self.0.log_number.load(Ordering::Acquire)
    }

    /// Its files as of now.
    pub fn version(&self) -> Arc<Version> {
        self.0.super_version.load().version.clone()
    }

    /// Its options as they are now: those it was opened with, and what [`Db::set_options`] changed
    /// of them.
    ///
    /// [`Db::set_options`]: crate::Db::set_options
    pub fn options(&self) -> Arc<ColumnFamilyOptions> {
        self.0.options()
    }
}
