//! Point lookups of several keys of one column family, step by step together.
//!
//! What [`get`](crate::read::get) does for one key is done here for a group of them: each source is asked
//! for all keys that are still open, newest source first. In a sorted run the steps of each table's
//! lookup ([`StagedGet`]) are taken for all keys before the next step, so that the memory that they
//! wait for comes at once.

use crate::column_family::ColumnFamilyData;
use crate::read::get::{
    TableVisit, add_covering_tombstone, end_visit, look_up_in_memtables, look_up_in_run,
};
use crate::read::get_context::{GetContext, Lookup};
use crate::read::lookup_key::LookupKey;
use crate::read::read_stats::Source;
use crate::read::read_view::ReadView;
use crate::sorted_run::TableRef;
use base::{Result, Status};
use perf_context::{LevelMetric, PerfMetric, Timer};
use table::filter::KeyHash;
use table::{ReadOptions, StagedGet};

/// Keys of a group. More memory than theirs would not be asked for at once by any processor, and
/// what was asked for first could be displaced before it is used.
pub(crate) const GROUP_SIZE_MAX: usize = 32;

/// A key that is being looked up.
struct Pending<'k> {
    key: &'k LookupKey,
    context: GetContext<'k>,
    hash: Option<KeyHash<'k>>,
    /// What decided, once something has.
    decided: Option<Result<Source>>,
}

/// Finds the newest visible versions of keys, given without timestamp, and where each was decided;
/// gives them to `each` in the order of the keys.
pub(crate) fn get_together<K: AsRef<[u8]>>(
    family: &ColumnFamilyData,
    view: ReadView<'_>,
    options: &ReadOptions,
    user_keys: &[K],
    mut each: impl FnMut(Result<(Option<Lookup>, Source)>),
) {
    let timestamp = options.timestamp.as_deref().unwrap_or_default();
    let keys: Vec<LookupKey> = user_keys
        .iter()
        .map(|key| LookupKey::new(key.as_ref(), timestamp, view.sequence))
        .collect();
    let resolver = &view.super_version.resolver;
    let mut timer = Timer::start(PerfMetric::GetFromMemtableTime);
    let mut pending: Vec<Pending<'_>> = Vec::with_capacity(keys.len());
    for key in &keys {
        let (comparator, sequence) = (&family.comparator, view.sequence);
        let mut context = GetContext::new(comparator, key.user_key(), sequence, view.uncommitted)
            .with_merge_operator(resolver.merge_operator.as_deref());
        let decided = match look_up_in_memtables(view, options, key, &mut context) {
            Ok(true) => Some(Ok(Source::MemTables)),
            Ok(false) => None,
            Err(status) => Some(Err(status)),
        };
        pending.push(Pending { key, context, hash: None, decided });
    }
    if options.read_tier.includes_tables() {
        timer.switch_to(PerfMetric::GetFromOutputFilesTime);
        look_up_in_tables(family, view, options, &mut pending);
    }
    timer.switch_to(PerfMetric::GetPostProcessTime);
    for Pending { context, decided, .. } in pending {
        each(match decided.unwrap_or(Ok(Source::None)) {
            Ok(source) => context.finish(resolver, options).map(|lookup| (lookup, source)),
            Err(status) => Err(status),
        });
    }
}

fn look_up_in_tables<'v>(
    family: &ColumnFamilyData,
    view: ReadView<'v>,
    options: &ReadOptions,
    pending: &mut [Pending<'_>],
) {
    let mut staged = Vec::with_capacity(pending.len());
    for run in &view.super_version.runs {
        if pending.iter().all(|one| one.decided.is_some()) {
            return;
        }
        let visit = TableVisit { family, view, options, run };
        let _timer = Timer::start(LevelMetric::GetFromTableNanos.at(run.level()));
        begin(visit, pending, &mut staged);
        advance(&mut staged, pending);
        for (at, get) in staged.drain(..) {
            let one = &mut pending[at];
            let table = get.table();
            let visited = get.visit(&mut |key, value| one.context.visit(key, &value));
            one.decided = match visited {
                Ok(()) => end_visit(run, table, &mut one.context).map(Ok),
                Err(status) => Some(Err(status)),
            };
        }
    }
}

type Staged<'v, 'k> = Vec<(usize, StagedGet<'v, 'k>)>;

/// Begins the lookups of the open keys that one table of a run may have, each with the place of its
/// key. Those of the others that are not that simple are done at once.
fn begin<'v, 'k>(
    visit: TableVisit<'v, '_>,
    pending: &mut [Pending<'k>],
    staged: &mut Staged<'v, 'k>,
) {
    let TableVisit { family, options, run, .. } = visit;
    for (at, one) in pending.iter_mut().enumerate().filter(|(_, one)| one.decided.is_none()) {
        let internal_key = one.key.internal_key();
        let mut files = run.files_with_key(&family.comparator, internal_key);
        let Some(file) = files.next() else { continue };
        match run.table(file, &family.tables, options) {
            Ok(TableRef::Borrowed(table)) if files.next().is_none() => {
                one.context.take_match();
                add_covering_tombstone(visit, table, one.key, &mut one.context);
                staged.push((at, StagedGet::begin(table, options, internal_key, &mut one.hash)));
            }
            _ => {
                one.decided = look_up_in_run(visit, one.key, &mut one.context).transpose();
            }
        }
    }
}

/// Takes all steps but the last for all keys. Those that no table has by its filter, or that fail, are
/// staged no more.
fn advance(staged: &mut Staged<'_, '_>, pending: &mut [Pending<'_>]) {
    let mut fail = |at: usize, status: Status| {
        pending[at].decided = Some(Err(status));
        false
    };
    staged.retain_mut(|(at, get)| get.pass_filter().unwrap_or_else(|status| fail(*at, status)));
    staged.retain_mut(|(at, get)| match get.find_block() {
        Ok(()) => true,
        Err(status) => fail(*at, status),
    });
    staged.iter().for_each(|(_, get)| get.prefetch_block());
    staged.iter_mut().for_each(|(_, get)| get.take_block());
    staged.iter_mut().for_each(|(_, get)| get.find_entry());
}
