//! Builds the iterator of a scan: memtables and sorted runs under one merge.

use crate::column_family::ColumnFamilyData;
use crate::read::db_iter::{DbIterator, DbIteratorParts};
use crate::read::level_iterator::LevelIterator;
use crate::read::read_view::ReadView;
use base::InternalIterator;
use iterator::RangeTombstoneAggregator;
use std::sync::Arc;
use table::ReadOptions;

/// An iterator over a column family as `view` shows it.
pub(crate) fn new_iterator(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
) -> DbIterator {
    let comparator = &family.comparator;
    let tombstones = RangeTombstoneAggregator::new(
        comparator.clone(),
        view.sequence,
        options.timestamp.as_deref(),
    );
    let sink = (!options.ignore_range_deletions).then(|| tombstones.sink());
    let shared_options = Arc::new(options.clone());
    let mut children: Vec<Box<dyn InternalIterator>> = Vec::new();
    for memtable in &view.super_version.memtables {
        if let Some(sink) = &sink
            && memtable.num_range_deletes() > 0
        {
            sink.add(memtable.fragmented_range_tombstones().clone());
        }
        if memtable.num_entries() > memtable.num_range_deletes() {
            children.push(Box::new(memtable.new_iterator()));
        }
    }
    for run in &view.super_version.runs {
        children.push(Box::new(LevelIterator::new(
            family.tables.clone(),
            run.clone(),
            comparator.clone(),
            shared_options.clone(),
            sink.clone(),
        )));
    }
    let parts = DbIteratorParts {
        internal: iterator::merge(comparator, children),
        tombstones,
        comparator: comparator.clone(),
        resolver: family.resolver.clone(),
        prefix_extractor: family.options.prefix_extractor.clone(),
        sequence: view.sequence,
        uncommitted: view.uncommitted.clone(),
        skips_max: family.options.max_sequential_skip_in_iterations,
    };
    DbIterator::new(parts, options)
}
