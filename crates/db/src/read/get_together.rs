//! Point lookups of several keys of one column family, step by step together.
//!
//! What [`get`](crate::read::get) does for one key is done here for a group of them: each source is asked
//! for all keys that are still open, newest source first. In a sorted run the steps of each table's
//! lookup ([`StagedGet`]) are taken for all keys before the next step, so that the memory that they
//! wait for comes at once.

use crate::read::get::{
    Candidate, LookupScope, RUNS_AHEAD, RunVisit, Wanted, add_covering_tombstone, end_visit,
    look_up_in_memtables, look_up_in_run, runs_ahead,
};
use crate::read::get_context::{GetContext, Lookup};
use crate::read::lookup_key::LookupKey;
use crate::read::read_stats::Source;
use crate::sorted_run::{SortedRun, TableRef};
use base::Result;
use perf_context::{LevelMetric, PerfMetric, Timer};
use table::{
    ReadOptions, StagedGet, TableLookup, ask_partitioned_filters, find_blocks, read_missing_blocks,
};

/// Keys of a group. More memory than theirs would not be asked for at once by any processor, and
/// what was asked for first could be displaced before it is used.
pub(crate) const GROUP_SIZE_MAX: usize = 32;

/// A key that is being looked up.
struct Pending<'k> {
    key: &'k LookupKey,
    context: GetContext<'k>,
    /// What decided, once something has.
    decided: Option<Result<Source>>,
}

impl Pending<'_> {
    /// Whether older sources have to be asked.
    #[inline]
    fn is_open(&self) -> bool {
        self.decided.is_none()
    }
}

/// Finds the newest visible versions of keys, given without timestamp, and where each was decided;
/// gives them to `each` in the order of the keys.
pub(crate) fn get_together<K: AsRef<[u8]>>(
    scope: LookupScope<'_>,
    user_keys: &[K],
    mut each: impl FnMut(Result<(Option<Lookup>, Source)>),
) {
    let keys: Vec<LookupKey> = user_keys.iter().map(|key| scope.key(key.as_ref())).collect();
    let resolver = scope.resolver();
    let mut timer = Timer::start(PerfMetric::GetFromMemtableTime);
    let mut pending: Vec<Pending<'_>> = Vec::with_capacity(keys.len());
    for key in &keys {
        let operator = resolver.merge_operator.as_deref();
        let mut context = scope.context(key).with_merge_operator(operator);
        let decided = match look_up_in_memtables(scope, key, &mut context) {
            Ok(true) => Some(Ok(Source::MemTables)),
            Ok(false) => None,
            Err(status) => Some(Err(status)),
        };
        pending.push(Pending { key, context, decided });
    }
    if scope.options.read_tier.includes_tables() {
        timer.switch_to(PerfMetric::GetFromOutputFilesTime);
        look_up_in_tables(scope, &keys, &mut pending);
    }
    timer.switch_to(PerfMetric::GetPostProcessTime);
    for Pending { context, decided, .. } in pending {
        each(match decided.unwrap_or(Ok(Source::None)) {
            Ok(source) => context.finish(resolver, scope.options).map(|lookup| (lookup, source)),
            Err(status) => Err(status),
        });
    }
}

fn look_up_in_tables<'l>(
    scope: LookupScope<'l>,
    keys: &'l [LookupKey],
    pending: &mut [Pending<'l>],
) {
    let lookups: Vec<TableLookup<'_>> = keys
        .iter()
        .map(|key| TableLookup::new(scope.options, key.internal_key(), scope.recorder))
        .collect();
    let runs = &scope.view.super_version.runs[..];
    let mut staged = Vec::with_capacity(pending.len());
    let wanted = keys.iter().zip(&lookups).map(|(key, lookup)| Wanted::new(scope, key, lookup));
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    let mut candidates = Vec::with_capacity(pending.len() * runs.len().min(RUNS_AHEAD));
    for runs in runs.chunks(runs_ahead(scope)) {
        candidates.clear();
        for (run_at, run) in runs.iter().enumerate() {
            for (at, one) in pending.iter().enumerate() {
                if one.is_open() {
                    match wanted[at].approach(run) {
                        Candidate::None => {}
                        candidate => candidates.push((run_at, at, candidate)),
                    }
                }
            }
        }
        for same in candidates.chunk_by(|(a, ..), (b, ..)| a == b) {
            let run = &runs[same[0].0];
            let _timer = Timer::start(LevelMetric::GetFromTableNanos.at(run.level()));
            for &(_, at, candidate) in same {
                let one = &mut pending[at];
                if one.is_open() {
                    let stage = |get| staged.push((at, get));
                    begin(run_visit(scope, run, one.key), &wanted[at], candidate, one, stage);
                }
            }
            advance(scope.options, &mut staged, pending);
            for (at, get) in staged.drain(..) {
                let one = &mut pending[at];
                let table = get.table();
                let visited = get.visit(&mut |key, value| one.context.visit(key, &value));
                let visit = run_visit(scope, run, one.key);
                one.decided = match visited {
                    Ok(()) => end_visit(visit, table, &mut one.context).map(Ok),
                    Err(status) => Some(Err(status)),
                };
            }
        }
        if pending.iter().all(|one| !one.is_open()) {
            return;
        }
    }
}

#[inline]
fn run_visit<'l>(scope: LookupScope<'l>, run: &'l SortedRun, key: &'l LookupKey) -> RunVisit<'l> {
    RunVisit { scope, run, key, is_last: false, has_passed: false }
}

type Staged<'l> = Vec<(usize, StagedGet<'l, 'l>)>;

/// Begins the lookup of an open key that one table of a run may have, unless its filter has no such key.
/// One that is not that simple is done at once.
#[inline]
fn begin<'l>(
    visit: RunVisit<'l>,
    wanted: &Wanted<'l>,
    candidate: Candidate<'l>,
    one: &mut Pending<'_>,
    stage: impl FnOnce(StagedGet<'l, 'l>),
) {
    let RunVisit { scope, run, key, .. } = visit;
    let file = match candidate {
        Candidate::None => return,
        Candidate::Behind(filter) => {
            if !filter.may_match(wanted.lookup, wanted.hash) {
                return;
            }
            if let Some(table) = run.opened_table(0) {
                one.context.take_match();
                return stage(StagedGet::begin_passed(table, wanted.lookup));
            }
            0
        }
        Candidate::File(file) => file,
    };
    let comparator = &scope.family.comparator;
    match run.table(file, &scope.family.tables, scope.options) {
        Ok(TableRef::Borrowed(table))
            if run.next_with_key(file, comparator, key.internal_key()).is_none() =>
        {
            one.context.take_match();
            add_covering_tombstone(visit, table, &mut one.context);
            stage(StagedGet::begin(table, wanted.lookup));
        }
        _ => {
            let decided = look_up_in_run(visit, Some(file), wanted.lookup, &mut one.context);
            one.decided = decided.transpose();
        }
    }
}

/// Takes all steps but the last for all keys. Those that no table has by its filter are staged no more.
fn advance(options: &ReadOptions, staged: &mut Staged<'_>, pending: &mut [Pending<'_>]) {
    let waits_together = options.optimize_multiget_for_io;
    if waits_together {
        ask_partitioned_filters(staged.iter_mut().map(|(_, get)| get));
    }
    staged.retain_mut(|(at, get)| {
        get.pass_filter().unwrap_or_else(|status| {
            pending[*at].decided = Some(Err(status));
            false
        })
    });
    match waits_together {
        true => find_blocks(staged.iter_mut().map(|(_, get)| get)),
        false => staged.iter_mut().for_each(|(_, get)| get.find_block()),
    }
    staged.iter().for_each(|(_, get)| get.prefetch_block());
    staged.iter_mut().for_each(|(_, get)| get.take_block());
    if waits_together {
        read_missing_blocks(staged.iter_mut().map(|(_, get)| get));
    }
    staged.iter_mut().for_each(|(_, get)| get.find_entry());
}
