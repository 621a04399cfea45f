//! What runs when: a pure function from what is to be compared to an ordered list of steps.
//!
//! A *group* is one benchmark with one option set, run once with each engine, one after the other: what
//! is compared lies next to each other in time. Rounds are outermost (A B, A B, …), so that what changes
//! slowly on the machine meets all engines, and what was measured when somebody interrupts is balanced.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Flags under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionSet {
    /// For tables.
    pub name: String,
    /// Flags of the bench.
    pub flags: Vec<String>,
    /// Operations that begin in a second, whatever the engine does; none where each begins when the one
    /// before it ended.
    pub arrival_rate: Option<u64>,
    /// The tree that benchmarks meet.
    #[serde(default)]
    pub tree: Tree,
}

/// The tree that benchmarks of an option set meet. Where it is chosen, all that only read share a process,
/// and the others run with the sets where it is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tree {
    /// Whatever there is; each benchmark has a process of its own.
    #[default]
    AsItComes,
    /// The one that was loaded.
    Loaded,
    /// One that the bench makes of a copy, as its `--shape` names it.
    Shape(String),
}

/// State of the page cache when a benchmark begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// The database's files were just read.
    Warm,
    /// The database's files were dropped from it.
    Cold,
}

/// What is compared, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// Engines as the bench names them. The first is what the others are compared with.
    pub engines: Vec<String>,
    /// Benchmarks as the bench names them.
    pub benchmarks: Vec<String>,
    /// Option sets.
    pub sets: Vec<OptionSet>,
    /// Flags of all.
    pub flags: Vec<String>,
    /// Flags of single benchmarks, by their base names; they come last.
    #[serde(default)]
    pub benchmark_flags: Vec<(String, Vec<String>)>,
    /// Benchmarks that fill the databases for those that need one, in one process.
    pub load: String,
    /// How often everything is measured.
    pub rounds: usize,
    /// State of the page cache.
    pub cache: Cache,
    /// How far the control loop may move, as a share.
    pub control_tolerance: f64,
    /// How often a group is repeated if it does.
    pub retries: usize,
    /// How many repetitions there are of all groups together; none for as many as it takes.
    #[serde(default)]
    pub retries_total: Option<usize>,
    /// RocksDB's own tool for an engine: the engine's name, and a program that is linked with the same
    /// library. It runs what the engine runs, where it can, and the faster of the two counts.
    #[serde(default)]
    pub db_bench: Vec<(String, PathBuf)>,
}

/// The database that a benchmark begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    /// None; it makes one.
    Fresh,
    /// That which was loaded; it changes nothing in it.
    Shared,
    /// A copy of that which was loaded.
    Copy,
}

/// Benchmarks that make their database.
const FRESH: &[&str] = &[
    "acquireload",
    "compress",
    "crc32c",
    "fill100K",
    "fillanddeleteuniquerandom",
    "fillbatch",
    "fillrandom",
    "fillseekseq",
    "fillseq",
    "fillseqdeterministic",
    "fillsync",
    "filluniquerandom",
    "filluniquerandomdeterministic",
    "randomreplacekeys",
    "timeseries",
    "uncompress",
    "xxh3",
    "xxhash",
    "xxhash64",
];

/// Benchmarks that change nothing.
const READING: &[&str] = &[
    "approximatesizerandom",
    "multireadrandom",
    "newiterator",
    "readmissing",
    "readrandom",
    "readrandomfast",
    "readrandomoperands",
    "readrandomsmall",
    "readreverse",
    "readseq",
    "readtocache",
    "seekrandom",
    "verifychecksum",
];

/// Flags that come last where a database is filled.
const LOAD_FLAGS: &[&str] =
    &["--duration=0", "--threads=1", "--writes=-1", "--benchmark_write_rate_limit=0"];

/// The benchmark without repeats and warm-ups (`readrandom[X5-W1]`).
pub fn base_name(benchmark: &str) -> &str {
    benchmark.split_once('[').map_or(benchmark, |(name, _)| name)
}

/// What a benchmark begins with. One that is not known gets a copy, whatever it does.
pub fn database_of(benchmark: &str) -> Database {
    match base_name(benchmark) {
        name if FRESH.contains(&name) => Database::Fresh,
        name if READING.contains(&name) => Database::Shared,
        _ => Database::Copy,
    }
}

/// Benchmarks of one process with one option set in one round; indexes into [`Spec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Group {
    /// From 0.
    pub round: usize,
    /// Index of the option set.
    pub set: usize,
    /// Index of the benchmark; of several that share a process, of the first.
    pub benchmark: usize,
}

/// A step of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Fills the database of an engine with an option set.
    Load {
        /// Index of the option set.
        set: usize,
        /// Index of the engine.
        engine: usize,
    },
    /// Measures a group.
    Measure(Group),
}

/// All steps in order.
pub fn plan(spec: &Spec) -> Vec<Step> {
    let needs_load = spec.benchmarks.iter().any(|name| database_of(name) != Database::Fresh);
    let sets = 0..spec.sets.len();
    let loads = sets
        .clone()
        .filter(|set| spec.loaded_by(*set) == *set)
        .flat_map(|set| (0..spec.engines.len()).map(move |engine| Step::Load { set, engine }));
    let mut steps: Vec<Step> = if needs_load { loads.collect() } else { Vec::new() };
    for round in 0..spec.rounds {
        for set in sets.clone() {
            let parts = spec.parts(set);
            let group = |part: &Vec<usize>| Group { round, set, benchmark: part[0] };
            steps.extend(parts.iter().map(|part| Step::Measure(group(part))));
        }
    }
    steps
}

impl Spec {
    /// The benchmarks of an option set, those together that share a process; none of them is empty.
    pub fn parts(&self, set: usize) -> Vec<Vec<usize>> {
        let reads = |index: &usize| database_of(&self.benchmarks[*index]) == Database::Shared;
        let all = 0..self.benchmarks.len();
        let are_chosen = self.sets.iter().any(|set| set.tree != Tree::AsItComes);
        match self.sets[set].tree {
            Tree::AsItComes => {
                all.filter(|index| !are_chosen || !reads(index)).map(|index| vec![index]).collect()
            }
            Tree::Loaded | Tree::Shape(_) => {
                let together: Vec<usize> = all.filter(reads).collect();
                if together.is_empty() { Vec::new() } else { vec![together] }
            }
        }
    }

    /// The benchmarks that a group measures.
    pub fn benchmarks_of(&self, group: Group) -> Vec<usize> {
        let mut parts = self.parts(group.set).into_iter();
        parts.find(|part| part[0] == group.benchmark).unwrap_or_default()
    }

    /// The group that measures a benchmark with an option set; none if it does not run with it.
    pub fn group_of(&self, round: usize, set: usize, benchmark: usize) -> Option<Group> {
        let mut parts = self.parts(set).into_iter();
        let part = parts.find(|part| part.contains(&benchmark))?;
        Some(Group { round, set, benchmark: part[0] })
    }

    /// What the bench is told to run for a group. Where trees are chosen each benchmark runs once more
    /// before, unless its name says how often it does.
    pub fn benchmarks_text(&self, group: Group) -> String {
        let warms_up = self.sets[group.set].tree != Tree::AsItComes;
        let name = |index: usize| match self.benchmarks[index].as_str() {
            name if warms_up && !name.contains('[') => format!("{name}[W1]"),
            name => name.to_owned(),
        };
        self.benchmarks_of(group).into_iter().map(name).collect::<Vec<_>>().join(",")
    }

    /// The flags of the benchmark of a group: those of its option set, then its own.
    pub fn flags_of_group(&self, group: Group) -> Vec<String> {
        let mut flags = self.flags_of(group.set);
        if let Tree::Shape(shape) = &self.sets[group.set].tree {
            flags.push(format!("--shape={shape}"));
        }
        let name = base_name(&self.benchmarks[group.benchmark]);
        let own = self.benchmark_flags.iter().filter(|(benchmark, _)| benchmark == name);
        flags.extend(own.flat_map(|(_, flags)| flags.iter().cloned()));
        flags
    }

    /// RocksDB's own tool, for an engine that has it and a group that it can run: it knows no shapes and no
    /// arrivals.
    pub fn db_bench_of(&self, group: Group, engine: usize) -> Option<&Path> {
        let set = &self.sets[group.set];
        if matches!(set.tree, Tree::Shape(_)) || set.arrival_rate.is_some() {
            return None;
        }
        let mut tools = self.db_bench.iter();
        tools.find(|(name, _)| *name == self.engines[engine]).map(|(_, program)| program.as_path())
    }

    /// Names of benchmarks for tables: without repeats, where that leaves them unlike each other.
    pub fn benchmark_names(&self) -> Vec<String> {
        let name_of = |name: &String| {
            let base = base_name(name);
            let alike = self.benchmarks.iter().filter(|other| base_name(other) == base).count();
            if alike == 1 { base.to_owned() } else { name.clone() }
        };
        self.benchmarks.iter().map(name_of).collect()
    }

    /// The flags of an option set: those of all first, so that the set's own win.
    pub fn flags_of(&self, set: usize) -> Vec<String> {
        let set = &self.sets[set];
        let mut flags: Vec<String> = self.flags.iter().chain(&set.flags).cloned().collect();
        if let Some(rate) = set.arrival_rate {
            flags.push(format!("--arrival_rate={rate}"));
            flags.push("--histogram=1".to_owned());
            // At low rates the clock would be looked at too rarely.
            flags.push("--ops_between_duration_checks=1".to_owned());
        }
        flags
    }

    /// Whether `other` goes on with this: the same, with as many rounds or more.
    pub fn is_resumed_by(&self, other: &Self) -> bool {
        let same = Self { rounds: self.rounds, ..other.clone() };
        *self == same && other.rounds >= self.rounds
    }

    /// The option set whose databases this one uses: the first with the same flags, as rates do not matter
    /// while a database is filled.
    pub fn loaded_by(&self, set: usize) -> usize {
        let flags = &self.sets[set].flags;
        self.sets.iter().position(|other| other.flags == *flags).unwrap_or(set)
    }

    /// The flags that a database is filled with. What ends a benchmark early, or does it several times, is
    /// not meant for that.
    pub fn load_flags(&self, set: usize) -> Vec<String> {
        let own = self.flags.iter().chain(&self.sets[set].flags).cloned();
        own.chain(LOAD_FLAGS.iter().map(|flag| (*flag).to_owned())).collect()
    }

    /// Names of engines that are unlike each other, also where one is compared with itself.
    pub fn engine_names(&self) -> Vec<String> {
        let name_of = |(index, engine): (usize, &String)| {
            let before = self.engines[..index].iter().filter(|other| *other == engine).count();
            match before {
                0 => engine.clone(),
                count => format!("{engine}#{}", count + 1),
            }
        };
        self.engines.iter().enumerate().map(name_of).collect()
    }

    /// Bytes of disk that it takes at most, as far as flags say: the loaded databases, half as much again
    /// for compactions of one, and a copy or a fresh one.
    pub fn disk_bytes(&self) -> u64 {
        let entries_bytes = |set: usize| {
            let flags = self.flags_of(set);
            let number = |name: &str, default: u64| number_flag(&flags, name).unwrap_or(default);
            let entry = number("key_size", 16).saturating_add(number("value_size", 100));
            number("num", 1_000_000).saturating_mul(entry)
        };
        let loaded = (0..self.sets.len()).filter(|set| self.loaded_by(*set) == *set);
        let sizes: Vec<u64> = loaded.map(entries_bytes).collect();
        let largest = sizes.iter().copied().max().unwrap_or_default();
        let needs_load = self.benchmarks.iter().any(|name| database_of(name) != Database::Fresh);
        let loaded = match needs_load {
            true => sizes
                .iter()
                .fold(0, |sum: u64, size| sum.saturating_add(*size))
                .saturating_mul(self.engines.len() as u64),
            false => 0,
        };
        loaded.saturating_add(largest.saturating_mul(2))
    }
}

/// The number that a flag has, as the last of its name counts.
fn number_flag(flags: &[String], name: &str) -> Option<u64> {
    let value = |flag: &String| {
        let (flag, value) = flag.trim_start_matches('-').split_once('=')?;
        (flag == name).then(|| value.parse().ok())?
    };
    flags.iter().rev().find_map(value)
}
