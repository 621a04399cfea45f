//! The command line of `touchstone compare`.

use crate::plan::{Cache, Database, OptionSet, Spec, Tree, base_name, database_of};
use clap::Parser;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Flags of the bench that a comparison gives itself.
const OWN_FLAGS: &[&str] = &[
    "arrival_rate",
    "benchmarks",
    "db",
    "engine",
    "json",
    "readonly",
    "shape",
    "use_existing_db",
    "wal_dir",
];

/// The engine whose library a tool is linked with that may be installed, and that tool.
const DEFAULT_DB_BENCH: (&str, &str) = ("debian", "db_bench");

/// Compares engines: each benchmark with each engine in turn (A B, A B, …), in fresh processes.
///
/// Prints tables, and writes them as results.json, results.csv, SVG charts and page.html to --output.
/// docs/compare.md explains what they say.
#[derive(Debug, Parser)]
#[command(
    name = "compare",
    bin_name = "touchstone compare",
    disable_version_flag = true,
    args_override_self = true
)]
pub(super) struct Arguments {
    /// An engine, as `touchstone bench --engine` names it; several. The others are compared with the first.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', default_value = "touchstone")]
    pub(super) engine: Vec<String>,
    /// Benchmarks, as `touchstone bench --benchmarks` names them.
    #[arg(
        long,
        value_name = "NAME,NAME",
        value_delimiter = ',',
        default_value = "fillrandom,readrandom"
    )]
    pub(super) benchmarks: Vec<String>,
    /// Flags that are tried against each other, as "NAME: --flag=value --flag=value"; several.
    #[arg(long, value_name = "SET")]
    pub(super) set: Vec<String>,
    /// How often everything is measured. At least 3 are needed to say how sure a difference is.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(super) rounds: usize,
    /// What of a database is in the page cache when a benchmark begins.
    #[arg(long, value_enum, default_value_t = Cache::Warm)]
    pub(super) cache: Cache,
    /// Operations that begin in each second, whatever the engine does; several rates are several sets.
    #[arg(long, value_name = "RATE,RATE", value_delimiter = ',')]
    pub(super) arrival_rate: Vec<u64>,
    /// The tree that benchmarks meet that only read: a shape as `touchstone bench --shape` names it, or
    /// `loaded` for the one that was loaded; several. They then share a process, each after a warm-up.
    #[arg(long, value_name = "SHAPE")]
    pub(super) shape: Vec<String>,
    /// Flags for one benchmark only, as "BENCHMARK: --flag=value --flag=value"; several.
    #[arg(long, value_name = "FLAGS")]
    pub(super) benchmark_flags: Vec<String>,
    /// Benchmarks that fill the databases for those that need one.
    #[arg(long, value_name = "NAME,NAME", default_value = "fillseq,flush")]
    pub(super) load: String,
    /// Where results go.
    #[arg(long, value_name = "DIR", default_value = "touchstone-compare")]
    pub(super) output: PathBuf,
    /// Where databases go. Default: databases below --output. They are deleted at the end.
    #[arg(long, value_name = "DIR")]
    pub(super) databases: Option<PathBuf>,
    /// Leaves the loaded databases where they are.
    #[arg(long)]
    pub(super) keep_databases: bool,
    /// Goes on with the comparison whose results are in --output.
    #[arg(long)]
    pub(super) resume: bool,
    /// How far the control loop may move around a group before the group is repeated, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
    pub(super) control_tolerance: f64,
    /// How often a group is repeated at most if it does.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) retries: usize,
    /// How many groups are repeated at most, all together. Default: as many as it takes.
    #[arg(long, value_name = "N")]
    pub(super) retries_total: Option<usize>,
    /// RocksDB's own tool that is linked with the library of an engine, to run beside it: the faster of the
    /// two counts; several. Empty for none. Default: debian=db_bench where that is installed.
    #[arg(long, value_name = "ENGINE=PROGRAM")]
    pub(super) db_bench: Vec<String>,
    /// How sure the intervals of ratios are, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    pub(super) confidence: f64,
    /// Where the random draws of intervals begin.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// How long a process may take.
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<u64>,
    /// How long all may take: no round begins that would end later, though one there is always.
    #[arg(long, value_name = "MINUTES")]
    pub(super) minutes: Option<f64>,
    /// The program that has the command bench. Default: this one.
    #[arg(long, value_name = "PATH")]
    pub(super) program: Option<PathBuf>,
    /// Constants of the machine, as `touchstone machine` kept them. Default: those of this host; they are
    /// measured quickly if there are none.
    #[arg(long, value_name = "FILE")]
    pub(super) constants: Option<PathBuf>,
    /// Computes no physical limits.
    #[arg(long)]
    pub(super) no_limits: bool,
    /// Flags of the bench for all.
    #[arg(last = true, value_name = "FLAG")]
    pub(super) flags: Vec<String>,
}

impl Arguments {
    /// What is compared.
    ///
    /// # Errors
    /// A sentence on what makes no sense.
    pub(super) fn spec(&self) -> Result<Spec, String> {
        let all = [("--engine", &self.engine), ("--benchmarks", &self.benchmarks)];
        for (flag, names) in all {
            if names.iter().any(|name| name.trim().is_empty()) {
                return Err(format!("{flag}: expected a name, found none"));
            }
        }
        if self.rounds == 0 {
            return Err("--rounds: expected at least 1".to_owned());
        }
        if !(50.0..100.0).contains(&self.confidence) {
            return Err("--confidence: expected from 50 up to less than 100 percent".to_owned());
        }
        if self.control_tolerance <= 0.0 || self.control_tolerance.is_nan() {
            return Err("--control-tolerance: expected more than 0 percent".to_owned());
        }
        if self.minutes.is_some_and(|minutes| !(0.0..1e6).contains(&minutes)) {
            return Err("--minutes: expected from 0 up to less than 1,000,000".to_owned());
        }
        if self.arrival_rate.contains(&0) {
            return Err("--arrival-rate: expected at least 1 operation in a second".to_owned());
        }
        check_flags(&self.flags)?;
        let benchmark_flags = self.benchmark_flags()?;
        self.check_shapes(&benchmark_flags)?;
        Ok(Spec {
            engines: self.engine.clone(),
            benchmarks: self.benchmarks.clone(),
            sets: self.sets()?,
            flags: self.flags.clone(),
            benchmark_flags,
            load: self.load.clone(),
            rounds: self.rounds,
            cache: self.cache,
            control_tolerance: self.control_tolerance / 100.0,
            retries: self.retries,
            retries_total: self.retries_total,
            db_bench: self.db_bench()?,
        })
    }

    /// The command line that measures the same, without where things are and how long they may take.
    pub(super) fn command(&self) -> Vec<String> {
        let default = Self::parse_from(["compare"]);
        let mut command = vec!["touchstone".to_owned(), "compare".to_owned()];
        command.push(format!("--engine={}", self.engine.join(",")));
        command.push(format!("--benchmarks={}", self.benchmarks.join(",")));
        let several = [
            ("set", &self.set),
            ("shape", &self.shape),
            ("benchmark-flags", &self.benchmark_flags),
            ("db-bench", &self.db_bench),
        ];
        for (name, values) in several {
            command.extend(values.iter().map(|value| format!("--{name}={value}")));
        }
        let rates: Vec<String> = self.arrival_rate.iter().map(u64::to_string).collect();
        let cache = if self.cache == Cache::Cold { "cold" } else { "warm" };
        let single = [
            ("arrival-rate", rates.join(","), String::new()),
            ("rounds", self.rounds.to_string(), default.rounds.to_string()),
            ("cache", cache.to_owned(), "warm".to_owned()),
            ("load", self.load.clone(), default.load.clone()),
            (
                "control-tolerance",
                self.control_tolerance.to_string(),
                default.control_tolerance.to_string(),
            ),
            ("retries", self.retries.to_string(), default.retries.to_string()),
            (
                "minutes",
                self.minutes.map(|minutes| minutes.to_string()).unwrap_or_default(),
                String::new(),
            ),
            (
                "retries-total",
                self.retries_total.map(|most| most.to_string()).unwrap_or_default(),
                String::new(),
            ),
            ("confidence", self.confidence.to_string(), default.confidence.to_string()),
            ("seed", self.seed.to_string(), default.seed.to_string()),
        ];
        let given = single.into_iter().filter(|(_, value, default)| value != default);
        command.extend(given.map(|(name, value, _)| format!("--{name}={value}")));
        if self.no_limits {
            command.push("--no-limits".to_owned());
        }
        if !self.flags.is_empty() {
            command.push("--".to_owned());
            command.extend(self.flags.iter().cloned());
        }
        command
    }

    /// How long all may take.
    pub(super) fn budget(&self) -> Option<Duration> {
        self.minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0))
    }

    pub(super) fn time_limit(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }

    /// RocksDB's own tools, by the engines that they stand for.
    fn db_bench(&self) -> Result<Vec<(String, PathBuf)>, String> {
        if self.db_bench.is_empty() {
            let (engine, name) = DEFAULT_DB_BENCH;
            let is_engine = self.engine.iter().any(|other| other == engine);
            let found = if is_engine { in_search_path(name) } else { None };
            return Ok(found.map(|program| (engine.to_owned(), program)).into_iter().collect());
        }
        let of_text = |text: &String| {
            let (engine, program) = text
                .split_once('=')
                .filter(|(engine, program)| !engine.is_empty() && !program.is_empty())
                .ok_or_else(|| format!("--db-bench: expected ENGINE=PROGRAM, found '{text}'"))?;
            match self.engine.iter().any(|other| other == engine) {
                true => Ok((engine.to_owned(), PathBuf::from(program))),
                false => Err(format!("--db-bench: '{engine}' is not in --engine")),
            }
        };
        self.db_bench.iter().filter(|text| !text.is_empty()).map(of_text).collect()
    }

    /// The flags of single benchmarks, by their names.
    fn benchmark_flags(&self) -> Result<Vec<(String, Vec<String>)>, String> {
        let of_text = |text: &String| {
            let (benchmark, flags) = named_flags("--benchmark-flags", "BENCHMARK", text)?;
            match self.benchmarks.iter().any(|name| base_name(name) == benchmark) {
                true => Ok((benchmark, flags)),
                false => Err(format!("--benchmark-flags: '{benchmark}' is not in --benchmarks")),
            }
        };
        self.benchmark_flags.iter().map(of_text).collect()
    }

    /// Sees whether benchmarks can share a process where `--shape` makes them.
    fn check_shapes(&self, own_flags: &[(String, Vec<String>)]) -> Result<(), String> {
        if self.shape.is_empty() {
            return Ok(());
        }
        if self.cache == Cache::Cold {
            return Err("--shape: making a shape and warming up leave nothing cold".to_owned());
        }
        let reading = self.benchmarks.iter().filter(|name| database_of(name) == Database::Shared);
        let reading: Vec<&str> = reading.map(|name| base_name(name)).collect();
        if reading.is_empty() {
            return Err("--shape: none of --benchmarks only reads".to_owned());
        }
        for (index, name) in reading.iter().enumerate() {
            if reading[..index].contains(name) {
                return Err(format!("--shape: '{name}' would be twice in one process"));
            }
            if own_flags.iter().any(|(benchmark, _)| benchmark == name) {
                return Err(format!(
                    "--benchmark-flags: with --shape '{name}' shares a process with others"
                ));
            }
        }
        let named = |shape: &&String| shape.trim().is_empty();
        match self.shape.iter().find(named) {
            Some(_) => Err("--shape: expected a name, found none".to_owned()),
            None => Ok(()),
        }
    }

    /// The option sets, each once for each rate, and then once more for each shape.
    fn sets(&self) -> Result<Vec<OptionSet>, String> {
        let default = OptionSet { name: "default".to_owned(), ..OptionSet::default() };
        let sets = match self.set.is_empty() {
            true => vec![default],
            false => self.set.iter().map(|text| option_set(text)).collect::<Result<_, _>>()?,
        };
        for (index, set) in sets.iter().enumerate() {
            if sets[..index].iter().any(|other| other.name == set.name) {
                return Err(format!("--set: '{}' is there twice", set.name));
            }
        }
        let (rated, shaped) = (self.at_rates(sets), !self.shape.is_empty());
        let writes = self.benchmarks.iter().any(|name| database_of(name) != Database::Shared);
        let in_shapes = |set: &OptionSet| -> Vec<OptionSet> {
            let plain = (!shaped || writes).then(|| set.clone());
            let in_shape = |shape: &String| OptionSet {
                name: match set.name.as_str() {
                    "default" => shape.clone(),
                    name => format!("{name}, {shape}"),
                },
                tree: match shape.as_str() {
                    "loaded" => Tree::Loaded,
                    shape => Tree::Shape(shape.to_owned()),
                },
                ..set.clone()
            };
            plain.into_iter().chain(self.shape.iter().map(in_shape)).collect()
        };
        Ok(rated.iter().flat_map(in_shapes).collect())
    }

    fn at_rates(&self, sets: Vec<OptionSet>) -> Vec<OptionSet> {
        if self.arrival_rate.is_empty() {
            return sets;
        }
        let at_rates = |set: OptionSet| {
            self.arrival_rate.iter().map(move |&rate| OptionSet {
                name: format!("{} at {rate}/s", set.name),
                arrival_rate: Some(rate),
                ..set.clone()
            })
        };
        sets.into_iter().flat_map(at_rates).collect()
    }
}

/// A program of this name in the directories of `PATH`.
fn in_search_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

/// An option set of its text, `NAME: --flag=value --flag=value`.
fn option_set(text: &str) -> Result<OptionSet, String> {
    let (name, flags) = named_flags("--set", "NAME", text)?;
    Ok(OptionSet { name, flags, ..OptionSet::default() })
}

/// A name and flags of a text, `NAME: --flag=value --flag=value`.
fn named_flags(flag: &str, what: &str, text: &str) -> Result<(String, Vec<String>), String> {
    let (name, flags) = text
        .split_once(':')
        .filter(|(name, _)| !name.trim().is_empty() && !name.starts_with('-'))
        .ok_or_else(|| format!("{flag}: expected '{what}: --flag=value …', found '{text}'"))?;
    let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
    check_flags(&flags)?;
    Ok((name.trim().to_owned(), flags))
}

/// Refuses what is no flag, and flags that the comparison gives itself.
fn check_flags(flags: &[String]) -> Result<(), String> {
    for flag in flags {
        let name = flag.trim_start_matches('-');
        if name.len() == flag.len() || name.is_empty() {
            return Err(format!("'{flag}': expected a flag of the bench, as --name=value"));
        }
        let name = name.split_once('=').map_or(name, |(name, _)| name).replace('-', "_");
        if OWN_FLAGS.contains(&name.as_str()) {
            return Err(format!("'{flag}': the comparison gives this flag itself"));
        }
    }
    Ok(())
}
