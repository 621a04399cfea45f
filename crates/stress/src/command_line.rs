//! The command line: campaigns, and single rounds of them.

use crate::power_loss::{self, Sabotage};
use crate::watchdog::within;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: touchstone-stress COMMAND [--seed=N] [--rounds=N]

  power-loss   loses the power under a database in memory

--seed is that of the first round; a failure names the seed and the command that repeats it.
";

/// How long a round may take.
const ROUND_LIMIT: Duration = Duration::from_secs(120);

/// The arguments.
#[derive(Clone, Debug)]
struct Flags {
    seed: u64,
    rounds: u64,
}

impl Flags {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut flags = Self { seed: 1, rounds: 1 };
        for argument in arguments {
            let (name, value) = argument.split_once('=').ok_or_else(|| USAGE.to_owned())?;
            let number = || value.parse::<u64>().map_err(|_| format!("{argument}: no number"));
            match name {
                "--seed" => flags.seed = number()?,
                "--rounds" => flags.rounds = number()?,
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(flags)
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
        "power-loss" => power_losses(&flags),
        _ => Err(USAGE.to_owned()),
    }
}

fn power_losses(flags: &Flags) -> Result<(), String> {
    let start = Instant::now();
    let mut tally = power_loss::Tally::default();
    let mut failures = Vec::new();
    for seed in flags.seed..flags.seed.saturating_add(flags.rounds) {
        match within(ROUND_LIMIT, move || power_loss::round(seed, Sabotage::None)) {
            Ok(round) => tally.add(&round),
            Err(why) => {
                let failure = format!("touchstone-stress power-loss --seed={seed}: {why}");
                eprintln!("{failure}");
                failures.push(failure);
            }
        }
    }
    println!("{} rounds in {:.1} s: {tally:?}", flags.rounds, start.elapsed().as_secs_f64());
    match failures.len() {
        0 => Ok(()),
        count => Err(format!("{count} rounds failed")),
    }
}
