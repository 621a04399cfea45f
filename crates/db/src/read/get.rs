//! A point lookup: memtables and sorted runs from new to old, until one decides.

use crate::column_family::ColumnFamilyData;
use crate::read::get_context::{GetContext, Lookup};
use crate::read::lookup_key::LookupKey;
use crate::read::read_stats::Source;
use crate::read::read_view::ReadView;
use crate::read::value_resolver::ValueResolver;
use crate::sorted_run::SortedRun;
use base::{InternalKeyComparator, ParsedInternalKey, PinnableSlice, Result, key_prefix};
use perf_context::{LevelMetric, PerfMetric, Timer, count_at_level};
use statistics::Recorder;
use table::{BlockBasedTable, EntryValue, HeldFilter, KeyHash, ReadOptions, TableLookup};

/// Runs of which the candidates' filters are asked for before the first is probed. More lines than
/// these no processor waits for at once.
pub(crate) const RUNS_AHEAD: usize = 8;

/// Where lookups look, as of when, and what they count to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookupScope<'l> {
    pub(crate) family: &'l ColumnFamilyData,
    pub(crate) view: ReadView<'l>,
    pub(crate) options: &'l ReadOptions,
    /// None if nobody wants to know.
    pub(crate) recorder: Option<Recorder<'l>>,
}

impl<'l> LookupScope<'l> {
    /// Where lookups start from that look for `user_key`, given without timestamp.
    #[inline]
    pub(crate) fn key(&self, user_key: &[u8]) -> LookupKey {
        let timestamp = self.options.timestamp.as_deref().unwrap_or_default();
        LookupKey::new(user_key, timestamp, self.view.sequence)
    }

    /// What a lookup of `key` knows when it begins.
    #[inline]
    pub(crate) fn context(&self, key: &'l LookupKey) -> GetContext<'l> {
        let ReadView { sequence, uncommitted, .. } = self.view;
        GetContext::new(&self.family.comparator, key.user_key(), sequence, uncommitted)
    }

    #[inline]
    pub(crate) fn resolver(&self) -> &'l ValueResolver {
        &self.view.super_version.resolver
    }
}

/// Finds the newest visible version of `user_key`, given without timestamp, and where that was
/// decided.
pub(crate) fn get(scope: LookupScope<'_>, user_key: &[u8]) -> Result<(Option<Lookup>, Source)> {
    let key = scope.key(user_key);
    let operator = scope.resolver().merge_operator.as_deref();
    let context = scope.context(&key).with_merge_operator(operator);
    look_up(scope, &key, context, GetContext::finish)
}

/// As [`get`] of a plain value, which takes the place of `value`. False if there is none.
pub(crate) fn get_into(
    scope: LookupScope<'_>,
    user_key: &[u8],
    value: &mut Vec<u8>,
) -> Result<(bool, Source)> {
    let key = scope.key(user_key);
    let operator = scope.resolver().merge_operator.as_deref();
    let context = scope.context(&key).with_merge_operator(operator).copying_into(value);
    look_up(scope, &key, context, GetContext::finish_into)
}

/// What is stored for `user_key`, given without timestamp: the base of its merge operands, then
/// the operands, oldest first. A value alone is one; none if the key has none.
pub(crate) fn get_merge_operands(
    scope: LookupScope<'_>,
    user_key: &[u8],
) -> Result<Option<Vec<PinnableSlice>>> {
    let key = scope.key(user_key);
    Ok(look_up(scope, &key, scope.context(&key), GetContext::finish_unmerged)?.0)
}

/// Shows the context what each source has of the key, until one decides; then what `finish` makes of
/// it.
#[inline]
fn look_up<'l, T>(
    scope: LookupScope<'l>,
    key: &'l LookupKey,
    mut context: GetContext<'l>,
    finish: impl FnOnce(GetContext<'l>, &ValueResolver, &ReadOptions) -> Result<T>,
) -> Result<(T, Source)> {
    let mut timer = Timer::start(PerfMetric::GetFromMemtableTime);
    let source = if look_up_in_memtables(scope, key, &mut context)? {
        Source::MemTables
    } else if !scope.options.read_tier.includes_tables() {
        Source::None
    } else {
        timer.switch_to(PerfMetric::GetFromOutputFilesTime);
        look_up_in_tables(scope, key, &mut context)?
    };
    timer.switch_to(PerfMetric::GetPostProcessTime);
    Ok((finish(context, scope.resolver(), scope.options)?, source))
}

/// Whether a memtable decides.
#[inline]
pub(crate) fn look_up_in_memtables(
    scope: LookupScope<'_>,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) -> Result<bool> {
    let LookupScope { view, options, .. } = scope;
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
                .and_then(|parsed| context.visit_version(parsed, &entry));
            matches!(visited, Ok(true))
        });
        visited?;
        if context.is_decided() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Goes through the runs, some at a time: of each the file is found that may have the key, and the
/// line of its filter asked for, before the first filter is probed.
#[inline]
fn look_up_in_tables(
    scope: LookupScope<'_>,
    key: &LookupKey,
    context: &mut GetContext<'_>,
) -> Result<Source> {
    context.take_match();
    let lookup = TableLookup::new(scope.options, key.internal_key(), scope.recorder);
    let runs = &scope.view.super_version.runs[..];
    if let [run] = runs {
        let visit = RunVisit { scope, run, key, is_last: true, has_passed: false };
        let candidate = run.first_with_key(&scope.family.comparator, key.internal_key());
        return Ok(look_up_in_run(visit, candidate, &lookup, context)?.unwrap_or(Source::None));
    }
    let wanted = Wanted::new(scope, key, &lookup);
    let mut left = runs.len();
    for runs in runs.chunks(runs_ahead(scope)) {
        left -= runs.len();
        let mut candidates = [Candidate::None; RUNS_AHEAD];
        for (run, candidate) in runs.iter().zip(&mut candidates) {
            *candidate = wanted.approach(run);
        }
        for (at, (run, &candidate)) in runs.iter().zip(&candidates).enumerate() {
            let is_last = left == 0 && at + 1 == runs.len();
            let first = match candidate {
                Candidate::None => continue,
                Candidate::Behind(filter) if !filter.may_match(&lookup, wanted.hash) => continue,
                Candidate::Behind(_) => 0,
                Candidate::File(file) => file,
            };
            let has_passed = matches!(candidate, Candidate::Behind(_));
            let visit = RunVisit { scope, run, key, is_last, has_passed };
            if let Some(source) = look_up_in_run(visit, Some(first), &lookup, context)? {
                return Ok(source);
            }
        }
    }
    Ok(Source::None)
}

/// Of so many runs the candidates are found before the first is probed.
#[inline]
pub(crate) fn runs_ahead(scope: LookupScope<'_>) -> usize {
    // Keys that are not ordered as bytes are compared by code of the user, which may be slow.
    if scope.family.comparator.is_bytewise() { RUNS_AHEAD } else { 1 }
}

/// A key that several runs are asked for, with what each of them needs of it.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'l> {
    comparator: &'l InternalKeyComparator,
    internal_key: &'l [u8],
    pub(crate) lookup: &'l TableLookup<'l>,
    /// The [`key_prefix()`] of the user key; none where keys are not ordered as bytes.
    number: Option<u64>,
    pub(crate) hash: KeyHash<'l>,
}

/// What of a run may have a key.
#[derive(Clone, Copy)]
pub(crate) enum Candidate<'l> {
    /// Nothing.
    None,
    /// The only file, if this filter of it lets the key pass.
    Behind(&'l HeldFilter),
    /// This file is the first that may.
    File(usize),
}

impl<'l> Wanted<'l> {
    #[inline]
    pub(crate) fn new(
        scope: LookupScope<'l>,
        key: &'l LookupKey,
        lookup: &'l TableLookup<'l>,
    ) -> Self {
        let comparator = &scope.family.comparator;
        let number = comparator.is_bytewise().then(|| key_prefix(key.user_key()));
        let hash = lookup.hash(comparator);
        Self { comparator, internal_key: key.internal_key(), lookup, number, hash }
    }

    /// Finds what of a run may have the key, and asks for the line of its filter.
    #[inline]
    pub(crate) fn approach(&self, run: &'l SortedRun) -> Candidate<'l> {
        if let Some(number) = self.number {
            if !run.may_have(number) {
                return Candidate::None;
            }
            if run.spans(number)
                && let Some(filter) = run.filter()
            {
                filter.prefetch(self.hash);
                return Candidate::Behind(filter);
            }
        }
        self.approach_file(run)
    }

    #[inline(never)]
    fn approach_file(&self, run: &'l SortedRun) -> Candidate<'l> {
        let Some(file) = run.first_with_key(self.comparator, self.internal_key) else {
            return Candidate::None;
        };
        if let Some(table) = run.opened_table(file) {
            table.prefetch_filter(self.lookup);
        }
        Candidate::File(file)
    }
}

/// A sorted run, and who looks for what in it.
#[derive(Clone, Copy)]
pub(crate) struct RunVisit<'l> {
    pub(crate) scope: LookupScope<'l>,
    pub(crate) run: &'l SortedRun,
    pub(crate) key: &'l LookupKey,
    /// Whether no older run is left: if the key is anywhere, it is here.
    pub(crate) is_last: bool,
    /// Whether the filter of its only file has let the key pass.
    pub(crate) has_passed: bool,
}

/// The run, if it decides. `candidate` is the first file that may have the key.
#[inline]
pub(crate) fn look_up_in_run(
    visit: RunVisit<'_>,
    mut candidate: Option<usize>,
    lookup: &TableLookup<'_>,
    context: &mut GetContext<'_>,
) -> Result<Option<Source>> {
    let RunVisit { scope, run, key, is_last, has_passed } = visit;
    while let Some(index) = candidate {
        let table = run.table(index, &scope.family.tables, scope.options)?;
        add_covering_tombstone(visit, &table, context);
        let timer = Timer::start(LevelMetric::GetFromTableNanos.at(run.level()));
        let mut show =
            |key: ParsedInternalKey<'_>, value: EntryValue<'_>| context.visit(key, &value);
        match (has_passed, is_last) {
            (true, _) => table.get_passed(lookup, &mut show)?,
            (false, true) => table.get_last(lookup, &mut show)?,
            (false, false) => table.get(lookup, &mut show)?,
        }
        drop(timer);
        if let Some(source) = end_visit(visit, &table, context) {
            return Ok(Some(source));
        }
        candidate = run.next_with_key(index, &scope.family.comparator, key.internal_key());
    }
    Ok(None)
}

/// Tells the context of a range tombstone in a table that is about to be visited.
#[inline]
pub(crate) fn add_covering_tombstone(
    visit: RunVisit<'_>,
    table: &BlockBasedTable,
    context: &mut GetContext<'_>,
) {
    let RunVisit { scope: LookupScope { view, options, .. }, key, .. } = visit;
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
    visit: RunVisit<'_>,
    table: &BlockBasedTable,
    context: &mut GetContext<'_>,
) -> Option<Source> {
    if context.take_match() {
        table.note_found(visit.scope.recorder);
    }
    if !context.is_decided() {
        return None;
    }
    if context.has_value() {
        count_at_level(LevelMetric::UserKeyReturnCount, visit.run.level(), 1);
    }
    Some(Source::Level(visit.run.level()))
}
