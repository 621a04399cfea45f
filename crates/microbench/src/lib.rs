//! Times kernels, each beside a *floor*: code that does only what cannot be left out. For
//! dev-dependencies only.
//!
//! A time alone tells neither whether it is good nor whether it changed, where others work on the same
//! processors. A floor runs on the same data in the same minute, so what is left to gain is their ratio,
//! and that moves less than either. What is printed is the least over rounds: whatever disturbs a round
//! makes it longer.
//!
//! ```
//! let benches = microbench::Benches::new(["--short".to_owned()])?;
//! let numbers: Vec<u64> = (0..1000).collect();
//! benches.compare(
//!     "sum",
//!     microbench::each(100, |_| numbers.iter().sum::<u64>()),
//!     "one load",
//!     microbench::each(100, |number| numbers[number as usize]),
//! );
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

#[cfg(test)]
mod tests;

/// Many short rounds, so that some are not interrupted.
const ROUNDS: usize = 60;
const SHORT_ROUNDS: usize = 3;
/// The first makes what is made only once.
const COUNTED_ROUNDS: u64 = 2;

/// The microbenchmarks of one program: which of them are wanted, and how often they are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Benches {
    filters: Vec<String>,
    rounds: usize,
    /// The only one that runs, without its floor, so that its instructions can be counted.
    counted: Option<String>,
}

/// Something to be timed, round by round.
pub struct Timed<'a> {
    operations: u64,
    /// Makes all operations of a round; returns how many nanoseconds that took.
    round: Box<dyn FnMut() -> f64 + 'a>,
}

impl Benches {
    /// As the arguments of the program say. Ends it if they cannot be understood.
    #[must_use]
    pub fn from_arguments() -> Self {
        Self::new(std::env::args().skip(1)).unwrap_or_else(|problem| {
            eprintln!("{problem}");
            std::process::exit(2)
        })
    }

    /// `--short` makes few rounds. Other arguments are parts of names: what has none of them in its own is
    /// left out. `--count=NAME` runs the one of that name without its floor and prints how many operations
    /// `measured_round` made, for a tool that counts what that takes. `--bench` is Cargo's.
    ///
    /// # Errors
    /// A sentence on an option that is none of these.
    pub fn new(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut benches = Self { filters: Vec::new(), rounds: ROUNDS, counted: None };
        for argument in arguments {
            if let Some(name) = argument.strip_prefix("--count=") {
                benches.counted = Some(name.to_owned());
                continue;
            }
            match argument.as_str() {
                "--short" => benches.rounds = SHORT_ROUNDS,
                "--bench" => {}
                option if option.starts_with('-') => {
                    return Err(format!(
                        "no option {option}: there are --short, --count=NAME, and parts of names"
                    ));
                }
                _ => benches.filters.push(argument),
            }
        }
        Ok(benches)
    }

    /// Whether `name` is to be measured: to be asked before long preparations.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        match &self.counted {
            Some(counted) => name == counted,
            None => {
                let is_part = |filter: &String| name.contains(filter.as_str());
                self.filters.is_empty() || self.filters.iter().any(is_part)
            }
        }
    }

    /// Times `kernel` and `floor` in turn and prints a row, if `name` is wanted.
    pub fn compare(
        &self,
        name: &str,
        mut kernel: Timed<'_>,
        floor_name: &str,
        mut floor: Timed<'_>,
    ) {
        if !self.wants(name) {
            return;
        }
        if self.counted.is_some() {
            (0..COUNTED_ROUNDS).for_each(|_| _ = (kernel.round)());
            println!("operations {}", COUNTED_ROUNDS * kernel.operations);
            return;
        }
        let (mut least, mut least_floor) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..self.rounds {
            least = least.min(kernel.nanoseconds());
            least_floor = least_floor.min(floor.nanoseconds());
        }
        println!("{}", Row { name, least, floor_name, least_floor });
    }
}

impl Timed<'_> {
    /// What an operation of one round took.
    fn nanoseconds(&mut self) -> f64 {
        (self.round)() / self.operations as f64
    }
}

/// Rounds of `count` operations, each told its number.
pub fn each<'a, T>(count: u64, mut operation: impl FnMut(u64) -> T + 'a) -> Timed<'a> {
    prepared(
        count,
        || (),
        move |()| {
            for number in 0..count {
                black_box(operation(number));
            }
        },
    )
}

/// Rounds that `run` makes of `count` operations by itself, each with what `prepare` makes for it.
/// Neither that nor its end is timed.
pub fn prepared<'a, S>(
    count: u64,
    mut prepare: impl FnMut() -> S + 'a,
    mut run: impl FnMut(&mut S) + 'a,
) -> Timed<'a> {
    let round = move || {
        let mut state = prepare();
        let start = Instant::now();
        measured_round(&mut run, &mut state);
        let elapsed = start.elapsed();
        black_box(&state);
        elapsed.as_nanos() as f64
    };
    Timed { operations: count, round: Box::new(round) }
}

/// What is timed of a round. Instructions of this function, and of what it calls, are counted by its name.
#[inline(never)]
fn measured_round<S>(run: &mut impl FnMut(&mut S), state: &mut S) {
    run(state);
}

/// A number below `below`, scattered so that the one before does not predict it.
#[inline]
#[must_use]
pub const fn scatter(number: u64, below: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    // The upper half of a product of 64 by 64 bits, so that `below` may be any number.
    ((mixed as u128 * below as u128) >> 64) as u64
}

/// What was measured, as it is printed.
struct Row<'a> {
    name: &'a str,
    least: f64,
    floor_name: &'a str,
    least_floor: f64,
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, least, floor_name, least_floor } = self;
        let ratio = least / least_floor;
        write!(
            f,
            "{name:<44} {least:>8.1} ns  floor {least_floor:>7.1} ns  ratio {ratio:>5.1}  {floor_name}"
        )
    }
}
