//! The command line: campaigns, and single rounds of them.

use crate::io_faults::{self, Mode, Variant};
use crate::power_loss;
use crate::process_crash::{self, Campaign, Readers};
use crate::torn_reads::{self, Container};
use crate::watchdog::within;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: touchstone-stress COMMAND [--seed=N] [--rounds=N]

  crash        kills a process that writes; --directory=DIR is where (default: a temporary one)
  power-loss   loses the power under a database in memory
  faults       fails each operation of the file system in turn; --variant=NAME, --mode=NAME and
               --k=N are for one
  torn-reads   reads memtables while they are filled, --operations=N times or a little more, by
               --readers=N threads (3); --container=NAME is for one
  write        the process that crash kills

--seed is that of the first round; a failure names the command that repeats it.
";

/// How long a round may take.
const ROUND_LIMIT: Duration = Duration::from_secs(120);

/// Operations of readers where nobody says how many.
const OPERATIONS: u64 = 20_000_000;

/// So many operations from one line of progress to the next.
const OPERATIONS_OF_A_LINE: u64 = 100_000_000;

/// Kills of one database.
const KILLS_OF_A_DATABASE: u64 = 20;

/// The arguments.
#[derive(Clone, Debug, Default)]
struct Flags {
    seed: u64,
    database_seed: u64,
    rounds: u64,
    directory: Option<PathBuf>,
    mode: Option<Mode>,
    variant: Option<Variant>,
    k: Option<u64>,
    acknowledges_early: bool,
    operations: u64,
    readers: u64,
    container: Option<Container>,
}

impl Flags {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut flags = Self { seed: 1, rounds: 1, readers: 3, ..Self::default() };
        flags.operations = OPERATIONS;
        for argument in arguments {
            let (name, value) = argument.split_once('=').ok_or_else(|| USAGE.to_owned())?;
            let number = || value.parse::<u64>().map_err(|_| format!("{argument}: no number"));
            match name {
                "--seed" => flags.seed = number()?,
                "--database-seed" => flags.database_seed = number()?,
                "--rounds" => flags.rounds = number()?,
                "--k" => flags.k = Some(number()?),
                "--directory" => flags.directory = Some(PathBuf::from(value)),
                "--operations" => flags.operations = number()?,
                "--readers" => flags.readers = number()?.max(1),
                "--container" => {
                    let container = Container::ALL.iter().find(|(name, _)| *name == value);
                    let container = container.map(|(_, container)| *container);
                    flags.container =
                        Some(container.ok_or_else(|| format!("{argument}: no container"))?);
                }
                "--early-acknowledgement" => flags.acknowledges_early = number()? != 0,
                "--variant" => {
                    let variant = Variant::named(value);
                    flags.variant = Some(variant.ok_or_else(|| format!("{argument}: no variant"))?);
                }
                "--mode" => {
                    let mode = Mode::ALL.iter().find(|(name, _)| *name == value);
                    let (_, mode) = mode.ok_or_else(|| format!("{argument}: no mode"))?;
                    flags.mode = Some(*mode);
                }
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(flags)
    }

    fn seeds(&self) -> std::ops::Range<u64> {
        self.seed..self.seed.saturating_add(self.rounds)
    }
}

/// Runs a command with these arguments.
pub fn main(arguments: &[String]) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}", why.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let (command, rest) = arguments.split_first().ok_or_else(|| USAGE.to_owned())?;
    let flags = Flags::parse(rest)?;
    match command.as_str() {
        "crash" => crashes(&flags),
        "power-loss" => power_losses(&flags),
        "faults" => faults(&flags),
        "torn-reads" => torn_reads(&flags),
        "write" => {
            let directory = flags.directory.as_deref().ok_or_else(|| USAGE.to_owned())?;
            let sabotage = match flags.acknowledges_early {
                true => process_crash::Sabotage::EarlyAcknowledgement,
                false => process_crash::Sabotage::None,
            };
            let (seed, database_seed) = (flags.seed, flags.database_seed);
            process_crash::Writer { directory, database_seed, seed, sabotage }.write()
        }
        _ => Err(USAGE.to_owned()),
    }
}

/// Ends a campaign.
fn report(
    what: &str,
    tally: &dyn std::fmt::Debug,
    start: Instant,
    failures: u64,
) -> Result<(), String> {
    println!("{what} in {:.1} s: {tally:?}", start.elapsed().as_secs_f64());
    match failures {
        0 => Ok(()),
        count => Err(format!("{count} failed")),
    }
}

fn crashes(flags: &Flags) -> Result<(), String> {
    let start = Instant::now();
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let readers = Readers::installed();
    let mut tally = process_crash::Tally::default();
    let (mut failures, mut left, mut seed) = (0, flags.rounds, flags.seed);
    while left > 0 {
        let rounds = left.min(KILLS_OF_A_DATABASE);
        let place = flags.directory.clone().unwrap_or_else(|| process_crash::directory_of(seed));
        let directory = place.join(format!("touchstone-stress-{}-{seed}", std::process::id()));
        if let Err(why) = crash_one(&program, &directory, &readers, (seed, rounds), &mut tally) {
            let kept = directory.display();
            eprintln!(
                "scripts/stress crash --seed={seed} --rounds={rounds}: {why} (kept in {kept})"
            );
            failures += 1;
        }
        left -= rounds;
        seed += 1;
    }
    report(&format!("{} kills", flags.rounds), &tally, start, failures)
}

fn crash_one(
    program: &Path,
    directory: &Path,
    readers: &Readers,
    (seed, rounds): (u64, u64),
    tally: &mut process_crash::Tally,
) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    let sabotage = process_crash::Sabotage::None;
    Campaign { program, directory, sabotage, readers }.run(seed, rounds, tally)?;
    std::fs::remove_dir_all(directory).map_err(|error| error.to_string())
}

fn power_losses(flags: &Flags) -> Result<(), String> {
    let start = Instant::now();
    let mut tally = power_loss::Tally::default();
    let mut failures = 0;
    for seed in flags.seeds() {
        let sabotage = power_loss::Sabotage::None;
        match within(ROUND_LIMIT, move || power_loss::round(seed, sabotage)) {
            Ok(round) => tally.add(&round),
            Err(why) => {
                eprintln!("scripts/stress power-loss --seed={seed}: {why}");
                failures += 1;
            }
        }
    }
    report(&format!("{} rounds", flags.rounds), &tally, start, failures)
}

fn faults(flags: &Flags) -> Result<(), String> {
    let start = Instant::now();
    let mut tally = io_faults::Tally::default();
    let (mut runs, mut failures) = (0, 0);
    let mut add = |done: (io_faults::Tally, u64, Vec<String>)| {
        tally.add(&done.0);
        runs += done.1;
        failures += done.2.len() as u64;
        done.2.iter().for_each(|why| eprintln!("{why}"));
    };
    for variant in Variant::ALL {
        for (name, mode) in Mode::ALL {
            let is_wanted = flags.mode.is_none_or(|wanted| wanted == mode)
                && flags.variant.is_none_or(|wanted| wanted == variant);
            match flags.k {
                _ if !is_wanted => {}
                None => add(io_faults::every_operation(variant, (name, mode), 1, ROUND_LIMIT)),
                Some(k) => {
                    match within(ROUND_LIMIT, move || io_faults::run(variant, Some((mode, k)))) {
                        Ok((tally, _)) => add((tally, 1, Vec::new())),
                        Err(why) => add((io_faults::Tally::default(), 1, vec![why])),
                    }
                }
            }
        }
    }
    report(&format!("{runs} runs"), &tally, start, failures)
}

/// Ends with the first failure: a torn read may have left anything behind.
fn torn_reads(flags: &Flags) -> Result<(), String> {
    let start = Instant::now();
    let mut tally = torn_reads::Tally::default();
    let mut seed = flags.seed;
    while tally.operations < flags.operations {
        let before = tally.operations / OPERATIONS_OF_A_LINE;
        for (name, container) in Container::ALL {
            if flags.container.is_some_and(|wanted| wanted != container) {
                continue;
            }
            let sabotage = torn_reads::Sabotage::None;
            let campaign = torn_reads::Campaign { container, readers: flags.readers, sabotage };
            let done = within(ROUND_LIMIT, move || campaign.round(seed)).map_err(|why| {
                let readers = flags.readers;
                let again = format!("--seed={seed} --container={name} --readers={readers}");
                format!("scripts/stress torn-reads {again}: {why}")
            });
            tally.add(&done?);
        }
        seed += 1;
        if tally.operations / OPERATIONS_OF_A_LINE > before {
            println!("seed {seed}: {tally:?}");
        }
    }
    let rate = tally.operations as f64 / start.elapsed().as_secs_f64() / 1e6;
    report(&format!("{rate:.2} million operations a second"), &tally, start, 0)
}
