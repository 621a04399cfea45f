//! The entries of `--benchmarks`, and what makes no sense among them.

use crate::flags::Flags;
use crate::runner::properties::PROPERTY_STEPS;
use crate::shape::keeper::ShapeKeeper;
use crate::tree_actions::actions;
use crate::workload::{Benchmark, Changes, benchmarks};
use base::{Result, Status};
use engines::{Engine, NullEngine};

/// Benchmarks of RocksDB's tool that are not there, and why.
const NOT_THERE: &[(&str, &str)] = &[
    ("approximatememtablestats", "memtables do not estimate ranges"),
    ("backup", "there are no backups"),
    ("cache_report_problems", "caches do not look for problems"),
    ("compressreject", "--benchmarks=compress with --compression_ratio=1 is close to it"),
    ("fillembeddedblob", "tables have no embedded blobs"),
    ("fillembeddedentity", "tables have no embedded blobs"),
    ("fillseqdeterministic", "levels cannot be filled one by one"),
    ("filluniquerandomdeterministic", "levels cannot be filled one by one"),
    ("ingestexternalfile", "files cannot be ingested"),
    ("multireadentity", "wide columns are not read here"),
    ("multireadrandomcoroutine", "there are no coroutines"),
    ("multiscan", "scans are made one by one"),
    ("multiscanrandom", "scans are made one by one"),
    ("openandcompact", "compactions are not made elsewhere"),
    ("randomtransaction", "there are no transactions"),
    ("readrandomcoroutine", "there are no coroutines"),
    ("readrandomentity", "wide columns are not read here"),
    ("readtorowcache", "there is no row cache"),
    ("replay", "operations are not traced"),
    ("resetstats", "databases go on counting"),
    ("restore", "there are no backups"),
    ("stats_history", "the history is not printed; see --persist_stats_to_disk"),
    ("verify", "databases are not compared"),
    ("verifychecksum", "checksums are verified as blocks are read: readseq does it"),
];

/// One entry of `--benchmarks`: `name[X5-W1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) repeats: usize,
    pub(crate) warmups: usize,
}

/// Checks what the command line asks for, before anything is done.
pub(crate) fn checked_steps(flags: &Flags) -> Result<Vec<Step>> {
    check(flags)?;
    crate::runner::threads::perf_level(flags)?;
    for note in flags.notes() {
        eprintln!("note: {note}");
    }
    let steps = flags
        .text("benchmarks")
        .split(',')
        .filter(|name| !name.is_empty())
        .map(parse_step)
        .collect::<Result<Vec<_>>>()?;
    steps.iter().try_for_each(Step::check)?;
    check_writers(flags, &steps)?;
    ShapeKeeper::from_flags(flags)?;
    Ok(steps)
}

/// Checks what matters where something is written, before anything is.
fn check_writers(flags: &Flags, steps: &[Step]) -> Result<()> {
    let Some(writer) = steps.iter().find(|step| step.writes()) else {
        return match keeps_database(flags) {
            true => Ok(()),
            // `db_bench` would delete it.
            false => Err(Status::invalid_argument(
                "no benchmark here fills a database: give --use_existing_db=1 (or --readonly) and \
                 --db=DIR to read one that is there",
            )),
        };
    };
    if flags.bool("readonly") {
        return Err(Status::invalid_argument(format!(
            "benchmark '{}' writes, and --readonly was given",
            writer.name
        )));
    }
    let refused = |flag: &str, what: &str| {
        Err(Status::not_supported(format!("--{flag}: {what}, benchmark '{}' writes", writer.name)))
    };
    if flags.uint("num_column_families") > 1 && flags.uint("num_hot_column_families") > 0 {
        return refused("num_hot_column_families", "families are not made one after another");
    }
    let merges = |step: &&Step| step.name.contains("merge");
    match steps.iter().find(merges) {
        Some(step) if flags.text("merge_operator").is_empty() => {
            Err(Status::invalid_argument(format!("{:<12} : needs --merge_operator", step.name)))
        }
        _ => Ok(()),
    }
}

/// Whether what is at `--db` is used as it is.
pub(crate) fn keeps_database(flags: &Flags) -> bool {
    flags.bool("use_existing_db") || flags.bool("readonly")
}

/// Refuses numbers that no benchmark can run with.
pub(crate) fn check(flags: &Flags) -> Result<()> {
    if flags.int("num") <= 0 {
        return Err(Status::invalid_argument("--num must be at least 1"));
    }
    for name in ["key_size", "threads", "batch_size"] {
        if flags.int(name) <= 0 {
            return Err(Status::invalid_argument(format!("--{name} must be at least 1")));
        }
    }
    Ok(())
}

impl Step {
    /// Whether there is such a step.
    pub(crate) fn check(&self) -> Result<()> {
        let name = &self.name;
        if let Some((_, why)) = NOT_THERE.iter().find(|(known, _)| known == name) {
            return Err(Status::not_supported(format!("benchmark '{name}': {why}")));
        }
        match known_names().iter().any(|known| known == name) {
            true => Ok(()),
            false => Err(Status::invalid_argument(format!(
                "unknown benchmark '{name}'; known are {}",
                known_names().join(", ")
            ))),
        }
    }

    /// Whether it changes the database.
    fn writes(&self) -> bool {
        let benchmark = self.benchmark::<NullEngine>();
        benchmark.is_some_and(|benchmark| benchmark.changes != Changes::Nothing)
            || actions::<NullEngine>().iter().any(|(name, _)| *name == self.name)
    }

    /// What it times; none for a step that is not timed.
    pub(crate) fn benchmark<E: Engine>(&self) -> Option<&'static Benchmark<E>> {
        benchmarks().iter().find(|benchmark| benchmark.name == self.name)
    }
}

fn parse_step(text: &str) -> Result<Step> {
    let unknown = || Status::invalid_argument(format!("unknown benchmark arguments '{text}'"));
    let Some(inner) = text.strip_suffix(']') else {
        return Ok(Step { name: text.to_owned(), repeats: 1, warmups: 0 });
    };
    let (name, arguments) = inner.split_once('[').ok_or_else(unknown)?;
    let mut step = Step { name: name.to_owned(), repeats: 1, warmups: 0 };
    for argument in arguments.split('-').filter(|argument| !argument.is_empty()) {
        let (target, count) = match argument.split_at_checked(1) {
            Some(("X", count)) => (&mut step.repeats, count),
            Some(("W", count)) => (&mut step.warmups, count),
            _ => return Err(unknown()),
        };
        *target = count.parse().map_err(|_| unknown())?;
    }
    Ok(step)
}

fn known_names() -> Vec<&'static str> {
    let timed = benchmarks::<NullEngine>().iter().map(|benchmark| benchmark.name);
    let actions = actions::<NullEngine>().into_iter().map(|(name, _)| name);
    let properties = PROPERTY_STEPS.iter().map(|(name, _)| *name);
    timed.chain(actions).chain(properties).chain(["memstats"]).collect()
}

#[cfg(test)]
mod tests;
