//! Builds the iterator of a scan: memtables and sorted runs under one merge.

use crate::column_family::ColumnFamilyData;
use crate::read::db_iter::{DbIter, DbIterParts, HiddenRun};
use crate::read::db_iterator::DbIterator;
use crate::read::level_iterator::{LevelIterator, LevelScan};
use crate::read::read_stats::ScanStats;
use crate::read::read_view::{ReadView, Visibility};
use crate::read::scan_cursor::{ScanCursor, ScanRun};
use iterator::RangeTombstoneAggregator;
use statistics::Statistics;
use std::sync::Arc;
use table::{ReadOptions, SeekReads};

/// What a scan is made from, and made anew from when it is refreshed.
#[derive(Clone)]
pub(crate) struct ScanOrigin {
    /// Those that were given.
    pub(crate) asked: Arc<ReadOptions>,
    /// Those that hold.
    pub(crate) options: Arc<ReadOptions>,
    pub(crate) visibility: Arc<Visibility>,
    pub(crate) statistics: Option<Arc<Statistics>>,
}

impl ScanOrigin {
    /// An iterator at the newest state.
    pub(crate) fn new_iterator(self, family: &Arc<ColumnFamilyData>) -> DbIterator {
        let super_version = family.super_version.load();
        let sequence = self.visibility.last_sequence();
        let view = ReadView {
            super_version: &super_version,
            sequence,
            uncommitted: &self.visibility.uncommitted,
        };
        self.clone().new_iterator_at(family.clone(), view)
    }

    /// An iterator over what `view` shows.
    pub(crate) fn new_iterator_at(
        self,
        family: Arc<ColumnFamilyData>,
        view: ReadView<'_>,
    ) -> DbIterator {
        let statistics = self.statistics.clone();
        let mut scan = Box::new(new_iterator(&family, view, &self.options, statistics));
        scan.set_origin(self);
        DbIterator::new(scan, family)
    }
}

/// What a scan goes over.
pub(crate) struct Sources {
    /// All entries.
    pub(crate) internal: ScanCursor,
    /// Which of them are hidden; those of a table join when the scan comes to it.
    pub(crate) tombstones: RangeTombstoneAggregator,
    /// Whether the memtable that takes writes is one of them, with what is still to be written to it.
    pub(crate) has_active: bool,
}

/// The memtables and tables of a column family under one merge.
pub(crate) fn sources(
    family: &ColumnFamilyData,
    view: &ReadView<'_>,
    options: &Arc<ReadOptions>,
) -> Sources {
    let comparator = &family.comparator;
    let tombstones = RangeTombstoneAggregator::new(
        comparator.clone(),
        view.sequence,
        options.timestamp.as_deref(),
    );
    let sink = (!options.ignore_range_deletions).then(|| tombstones.sink());
    let runs = match options.read_tier.includes_tables() {
        true => view.super_version.runs.as_slice(),
        false => &[],
    };
    let mut has_active = false;
    let mut children = Vec::with_capacity(view.super_version.memtables.len() + runs.len());
    for (age, memtable) in view.super_version.memtables.iter().enumerate() {
        // Tombstones first: a writer may add to the memtable meanwhile.
        let parts = (sink.is_some() && memtable.num_range_deletes() > 0)
            .then(|| memtable.range_tombstone_parts());
        if memtable.num_point_entries() > 0 {
            has_active |= age == 0 && memtable.has_live_iterators();
            children.push(ScanRun::Other(memtable.new_iterator()));
        }
        if let Some((sink, parts)) = sink.as_ref().zip(parts) {
            parts.iter().for_each(|part| sink.add(part.clone(), children.len()));
        }
    }
    let scan = Arc::new(LevelScan {
        tables: family.tables.clone(),
        comparator: comparator.clone(),
        options: options.clone(),
        prefix_extractor: view.super_version.options.prefix_extractor.clone(),
        tombstones: sink,
        reads: SeekReads::default(),
    });
    for run in runs {
        let older_from = children.len() + 1;
        let level = LevelIterator::new(scan.clone(), run.clone(), older_from);
        children.push(ScanRun::Level(Box::new(level)));
    }
    Sources { internal: ScanCursor::new(comparator, children), tombstones, has_active }
}

/// An iterator over a column family as `view` shows it.
pub(crate) fn new_iterator(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &Arc<ReadOptions>,
    statistics: Option<Arc<Statistics>>,
) -> DbIter {
    let comparator = &family.comparator;
    let Sources { internal, tombstones, has_active } = sources(family, &view, options);
    let is_plain = comparator.timestamp_size() == 0 && view.uncommitted.is_empty();
    let parts = DbIterParts {
        internal,
        tombstones,
        comparator: comparator.clone(),
        resolver: view.super_version.resolver.clone(),
        prefix_extractor: view.super_version.options.prefix_extractor.clone(),
        sequence: view.sequence,
        uncommitted: view.uncommitted.clone(),
        skips_max: view.super_version.options.max_sequential_skip_in_iterations,
        super_version_number: view.super_version.number,
        stats: ScanStats::new(statistics),
        hidden_run: HiddenRun::new(family, view.super_version, options, is_plain),
        has_active,
    };
    DbIter::new(parts, options)
}
