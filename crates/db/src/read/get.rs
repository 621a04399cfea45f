//! A point lookup: memtables and sorted runs from new to old, until one decides.

use crate::column_family::ColumnFamilyData;
use crate::read::get_context::{GetContext, Lookup};
use crate::read::lookup_key::LookupKey;
use crate::read::read_stats::Source;
use crate::read::read_view::ReadView;
use base::{ParsedInternalKey, PinnableSlice, Result};
use perf_context::{LevelMetric, PerfMetric, Timer, count_at_level};
use table::ReadOptions;

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
fn look_up_in_memtables(
    view: ReadView<'_>,
    options: &ReadOptions,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) -> Result<bool> {
    let timestamp = options.timestamp.as_deref();
    for memtable in &view.super_version.memtables {
        if memtable.num_range_deletes() > 0 && !options.ignore_range_deletions {
            let tombstones = memtable.fragmented_range_tombstones();
            context.add_covering_tombstone(tombstones.max_covering_sequence(
                key.user_key(),
                view.sequence,
                timestamp,
            ));
        }
        let mut visited = Ok(true);
        memtable.get(key.internal_key(), |entry| {
            visited = ParsedInternalKey::parse(entry.key())
                .and_then(|parsed| context.visit(parsed, || entry.pinned_value()));
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
    let timestamp = options.timestamp.as_deref();
    context.take_match();
    for run in &view.super_version.runs {
        for index in run.files_with_key(&family.comparator, key.internal_key()) {
            let table = run.table(index, &family.tables, options)?;
            if !options.ignore_range_deletions
                && let Some(tombstones) = table.range_tombstones()
            {
                context.add_covering_tombstone(tombstones.max_covering_sequence(
                    key.user_key(),
                    view.sequence,
                    timestamp,
                ));
            }
            let timer = Timer::start(LevelMetric::GetFromTableNanos.at(run.level()));
            table.get(options, key.internal_key(), &mut |key, value| {
                context.visit(key, || value.pin())
            })?;
            drop(timer);
            if context.take_match() {
                table.note_found();
            }
            if context.is_decided() {
                if context.has_value() {
                    count_at_level(LevelMetric::UserKeyReturnCount, run.level(), 1);
                }
                return Ok(Source::Level(run.level()));
            }
        }
    }
    Ok(Source::None)
}
