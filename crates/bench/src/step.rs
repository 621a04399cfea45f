//! The entries of `--benchmarks`, and what makes no sense among them.

use crate::flags::{Flag, Flags, Kind, Support};
use crate::runner::properties::PROPERTY_STEPS;
use crate::shape::keeper::ShapeKeeper;
use crate::target;
use crate::tree_actions::actions;
use crate::workload::{Benchmark, Changes, benchmarks};
use base::{Result, Status};
use engines::{Engine, NullEngine};

/// Benchmarks of RocksDB's tool that are not there, and why.
const NOT_THERE: &[(&str, &str)] = &[
    ("backup", "there are no backups"),
    ("fillembeddedblob", "tables have no embedded blobs"),
    ("fillembeddedentity", "tables have no embedded blobs"),
    ("multireadrandomcoroutine", "there are no coroutines"),
    ("openandcompact", "compactions are not made elsewhere"),
    ("readrandomcoroutine", "there are no coroutines"),
    ("readtorowcache", "there is no row cache"),
    ("replay", "operations are not traced"),
    ("restore", "there are no backups"),
];

/// Flags that may be negative though they are not by default.
const SIGNED: [&str; 3] = ["blob_cache_numshardbits", "cache_size", "seed"];

/// Steps that print, compare or forget something, beside those that print a property.
const OTHERS: [&str; 5] =
    ["cache_report_problems", "memstats", "resetstats", "stats_history", "verify"];

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

/// Checks that there is what is to be read, and that reading does not delete it.
fn check_readers(flags: &Flags, steps: &[Step]) -> Result<()> {
    // The null engine has all keys and no directory.
    if flags.text("engine") == "null" || !steps.iter().any(Step::reads_database) {
        return Ok(());
    }
    let path = target::database_path(flags);
    match (keeps_database(flags), target::is_there(flags)) {
        (true, false) => Err(Status::invalid_argument(format!(
            "no benchmark here fills a database, and there is none at {}",
            path.display()
        ))),
        // `db_bench` would delete it.
        (false, true) => Err(Status::invalid_argument(format!(
            "no benchmark here fills a database, and there is something at {}: give \
             --use_existing_db=1 (or --readonly) to read it, or another --db",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Checks what matters where something is written, before anything is.
fn check_writers(flags: &Flags, steps: &[Step]) -> Result<()> {
    let Some(writer) = steps.iter().find(|step| step.writes()) else {
        return check_readers(flags, steps);
    };
    for flag in ["readonly", "use_secondary_db"] {
        if flags.bool(flag) {
            return Err(Status::invalid_argument(format!(
                "benchmark '{}' writes, and --{flag} was given",
                writer.name
            )));
        }
    }
    let shapes = |step: &&Step| step.name.ends_with("deterministic");
    if let Some(step) = steps.iter().find(shapes)
        && !flags.bool("disable_auto_compactions")
    {
        return Err(Status::invalid_argument(format!(
            "{:<12} : needs --disable_auto_compactions=1, since it fills level by level",
            step.name
        )));
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
    ["use_existing_db", "readonly", "use_secondary_db"].iter().any(|flag| flags.bool(flag))
}

/// The longest keys that a database takes, in bytes.
const KEY_SIZE_MAX: u64 = 16 << 20;

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
    if flags.int("prefix_size") > flags.int("key_size") {
        return Err(Status::invalid_argument("--prefix_size is larger than --key_size"));
    }
    if flags.uint("key_size_max") > 0 {
        if flags.int("key_size") < 8 || flags.uint("key_size_max") < flags.uint("key_size") {
            return Err(Status::invalid_argument(
                "--key_size_max: keys of different lengths have 8 bytes at least; give --key_size=8 or more, \
                 and no more than --key_size_max",
            ));
        }
        if flags.uint("key_size_max") > KEY_SIZE_MAX {
            return Err(Status::invalid_argument("--key_size_max is larger than 16 MiB"));
        }
    }
    let is_count = |flag: &Flag| {
        let is_number = matches!(flag.kind, Kind::Int32 | Kind::Int64);
        let is_ours = matches!(flag.support, Support::Honoured | Support::ByHand(..));
        is_number && is_ours && !flag.default.starts_with('-')
    };
    let negative = flags.changed().find(|(flag, _)| {
        is_count(flag) && !SIGNED.contains(&flag.name) && flags.int(flag.name) < 0
    });
    match negative {
        Some((flag, value)) => Err(Status::invalid_argument(format!(
            "--{}={value} is negative, which has no meaning here",
            flag.name
        ))),
        None => Ok(()),
    }
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
    pub(crate) fn writes(&self) -> bool {
        let benchmark = self.benchmark::<NullEngine>();
        benchmark.is_some_and(|benchmark| benchmark.changes != Changes::Nothing)
            || actions::<NullEngine>().iter().any(|(name, _)| *name == self.name)
    }

    /// Whether it needs what is in the database.
    fn reads_database(&self) -> bool {
        self.benchmark::<NullEngine>().is_none_or(|benchmark| benchmark.uses_database)
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
    if step.repeats == 0 {
        return Err(Status::invalid_argument(format!(
            "'{text}' would run nothing: X is at least 1"
        )));
    }
    Ok(step)
}

fn known_names() -> Vec<&'static str> {
    let timed = benchmarks::<NullEngine>().iter().map(|benchmark| benchmark.name);
    let actions = actions::<NullEngine>().into_iter().map(|(name, _)| name);
    let properties = PROPERTY_STEPS.iter().map(|(name, _)| *name);
    timed.chain(actions).chain(properties).chain(OTHERS).collect()
}

#[cfg(test)]
mod tests;
