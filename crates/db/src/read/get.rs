//! A point lookup: memtables and sorted runs from new to old, until one decides.

use crate::column_family::ColumnFamilyData;
use crate::read::get_context::{GetContext, Lookup};
use crate::read::lookup_key::LookupKey;
use crate::read::read_stats::Source;
use crate::read::read_view::ReadView;
use crate::sorted_run::SortedRun;
use base::{ParsedInternalKey, PinnableSlice, Result};
use perf_context::{LevelMetric, PerfMetric, Timer, count_at_level};
use table::{BlockBasedTable, ReadOptions};

/// Finds the newest visible version of `user_key`, given without timestamp, and where that was
/// decided.
pub(crate) fn get(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
    user_key: &[u8],
) -> Result<(Option<Lookup>, Source)> {
    let timestamp = options.timestamp.as_deref().unwrap_or_default();
    let key = LookupKey::new(user_key, timestamp, view.sequence);
    let comparator = &family.comparator;
    let mut context = GetContext::new(comparator, key.user_key(), view.sequence, view.uncommitted)
        .with_merge_operator(view.super_version.resolver.merge_operator.as_deref());
    let mut timer = Timer::start(PerfMetric::GetFromMemtableTime);
    let source = look_up(family, view, options, &key, &mut context, &mut timer)?;
    timer.switch_to(PerfMetric::GetPostProcessTime);
    Ok((context.finish(&view.super_version.resolver, options)?, source))
}

/// As [`get`] of a plain value, which takes the place of `value`. False if there is none.
pub(crate) fn get_into(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
    user_key: &[u8],
    value: &mut Vec<u8>,
) -> Result<(bool, Source)> {
    let timestamp = options.timestamp.as_deref().unwrap_or_default();
    let key = LookupKey::new(user_key, timestamp, view.sequence);
    let resolver = &view.super_version.resolver;
    let comparator = &family.comparator;
    let mut context = GetContext::new(comparator, key.user_key(), view.sequence, view.uncommitted)
        .with_merge_operator(resolver.merge_operator.as_deref())
        .copying_into(value);
    let mut timer = Timer::start(PerfMetric::GetFromMemtableTime);
    let source = look_up(family, view, options, &key, &mut context, &mut timer)?;
    timer.switch_to(PerfMetric::GetPostProcessTime);
    Ok((context.finish_into(resolver, options)?, source))
}

/// What is stored for `user_key`, given without timestamp: the base of its merge operands, then
/// the operands, oldest first. A value alone is one; none if the key has none.
pub(crate) fn get_merge_operands(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
    user_key: &[u8],
) -> Result<Option<Vec<PinnableSlice>>> {
    let timestamp = options.timestamp.as_deref().unwrap_or_default();
    let key = LookupKey::new(user_key, timestamp, view.sequence);
    let comparator = &family.comparator;
    let mut context = GetContext::new(comparator, key.user_key(), view.sequence, view.uncommitted);
    let mut timer = Timer::start(PerfMetric::GetFromMemtableTime);
    look_up(family, view, options, &key, &mut context, &mut timer)?;
    context.finish_unmerged(&view.super_version.resolver, options)
}

/// Shows the context what each source has of the key, until one decides.
#[inline]
fn look_up(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
    key: &LookupKey,
    context: &mut GetContext<'_>,
    timer: &mut Timer<PerfMetric>,
) -> Result<Source> {
    if look_up_in_memtables(view, options, key, context)? {
        return Ok(Source::MemTables);
    }
    if !options.read_tier.includes_tables() {
        return Ok(Source::None);
    }
    timer.switch_to(PerfMetric::GetFromOutputFilesTime);
    look_up_in_tables(family, view, options, key, context)
}

/// Whether a memtable decides.
#[inline]
pub(crate) fn look_up_in_memtables(
    view: ReadView<'_>,
    options: &ReadOptions,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) -> Result<bool> {
    let timestamp = options.timestamp.as_deref();
    for memtable in &view.super_version.memtables {
        if memtable.num_range_deletes() > 0 && !options.ignore_range_deletions {
            for part in &*memtable.range_tombstone_parts() {
                context.add_covering_tombstone(part.max_covering_sequence(
                    key.user_key(),
                    view.sequence,
                    timestamp,
                ));
            }
        }
        let mut visited = Ok(true);
        memtable.get(key.internal_key(), |entry| {
            visited = ParsedInternalKey::parse(entry.key())
                .and_then(|parsed| context.visit(parsed, &entry));
            matches!(visited, Ok(true))
        });
        visited?;
        if context.is_decided() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[inline]
fn look_up_in_tables(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) -> Result<Source> {
    context.take_match();
    for run in &view.super_version.runs {
        let visit = TableVisit { family, view, options, run };
        if let Some(source) = look_up_in_run(visit, key, context)? {
            return Ok(source);
        }
    }
    Ok(Source::None)
}

/// What a lookup goes to a sorted run with.
#[derive(Clone, Copy)]
pub(crate) struct TableVisit<'v, 'o> {
    pub(crate) family: &'o ColumnFamilyData,
    pub(crate) view: ReadView<'v>,
    pub(crate) options: &'o ReadOptions,
    pub(crate) run: &'v SortedRun,
}

/// The run, if it decides.
#[inline]
pub(crate) fn look_up_in_run(
    visit: TableVisit<'_, '_>,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) -> Result<Option<Source>> {
    let TableVisit { family, options, run, .. } = visit;
    for index in run.files_with_key(&family.comparator, key.internal_key()) {
        let table = run.table(index, &family.tables, options)?;
        add_covering_tombstone(visit, &table, key, context);
        let timer = Timer::start(LevelMetric::GetFromTableNanos.at(run.level()));
        table.get(options, key.internal_key(), &mut |key, value| context.visit(key, &value))?;
        drop(timer);
        if let Some(source) = end_visit(run, &table, context) {
            return Ok(Some(source));
        }
    }
    Ok(None)
}

/// Tells the context of a range tombstone in a table that is about to be visited.
#[inline]
pub(crate) fn add_covering_tombstone(
    visit: TableVisit<'_, '_>,
    table: &BlockBasedTable,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) {
    let TableVisit { view, options, .. } = visit;
    if !options.ignore_range_deletions
        && let Some(tombstones) = table.range_tombstones()
    {
        context.add_covering_tombstone(tombstones.max_covering_sequence(
            key.user_key(),
            view.sequence,
            options.timestamp.as_deref(),
        ));
    }
}

/// A table was visited: the run it is in, if it has decided.
#[inline]
pub(crate) fn end_visit(
    run: &SortedRun,
    table: &BlockBasedTable,
    context: &mut GetContext<'_>,
) -> Option<Source> {
    if context.take_match() {
        table.note_found();
    }
    if !context.is_decided() {
        return None;
    }
    if context.has_value() {
        count_at_level(LevelMetric::UserKeyReturnCount, run.level(), 1);
    }
    Some(Source::Level(run.level()))
}
