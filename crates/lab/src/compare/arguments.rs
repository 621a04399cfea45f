//! The command line of `touchstone compare`.

use crate::plan::{Cache, OptionSet, Spec};
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
    "use_existing_db",
    "wal_dir",
];

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
    /// How sure the intervals of ratios are, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    pub(super) confidence: f64,
    /// Where the random draws of intervals begin.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// How long a process may take.
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<u64>,
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
        if self.arrival_rate.contains(&0) {
            return Err("--arrival-rate: expected at least 1 operation in a second".to_owned());
        }
        check_flags(&self.flags)?;
        Ok(Spec {
            engines: self.engine.clone(),
            benchmarks: self.benchmarks.clone(),
            sets: self.sets()?,
            flags: self.flags.clone(),
            load: self.load.clone(),
            rounds: self.rounds,
            cache: self.cache,
            control_tolerance: self.control_tolerance / 100.0,
            retries: self.retries,
        })
    }

    pub(super) fn time_limit(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }

    /// The option sets, each once for each rate.
    fn sets(&self) -> Result<Vec<OptionSet>, String> {
        let default =
            OptionSet { name: "default".to_owned(), flags: Vec::new(), arrival_rate: None };
        let sets = match self.set.is_empty() {
            true => vec![default],
            false => self.set.iter().map(|text| option_set(text)).collect::<Result<_, _>>()?,
        };
        for (index, set) in sets.iter().enumerate() {
            if sets[..index].iter().any(|other| other.name == set.name) {
                return Err(format!("--set: '{}' is there twice", set.name));
            }
        }
        if self.arrival_rate.is_empty() {
            return Ok(sets);
        }
        let at_rates = |set: OptionSet| {
            self.arrival_rate.iter().map(move |&rate| OptionSet {
                name: format!("{} at {rate}/s", set.name),
                arrival_rate: Some(rate),
                ..set.clone()
            })
        };
        Ok(sets.into_iter().flat_map(at_rates).collect())
    }
}

/// An option set of its text, `NAME: --flag=value --flag=value`.
fn option_set(text: &str) -> Result<OptionSet, String> {
    let (name, flags) = text
        .split_once(':')
        .filter(|(name, _)| !name.trim().is_empty() && !name.starts_with('-'))
        .ok_or_else(|| format!("--set: expected 'NAME: --flag=value …', found '{text}'"))?;
    let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
    check_flags(&flags)?;
    Ok(OptionSet { name: name.trim().to_owned(), flags, arrival_rate: None })
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
