//! `mixgraph`: gets, puts and short scans, as a social graph's database has seen them (Z. Cao et al.,
//! "Characterizing, Modeling, and Benchmarking RocksDB Key-Value Workloads at Facebook"). Which keys
//! are popular, how long values and scans are, and how the load goes up and down follow
//! distributions with parameters from flags.

mod distributions;
mod key_ranges;

use super::{Thread, Workload, sine_rate, wait_for_grant};
use crate::random::Random64;
use crate::stats::OperationType;
use crate::value_generator::ValueGenerator;
use base::Result;
use distributions::{OperationMix, Pareto, power_inverse};
use engines::{Cursor, Engine};
use env::rate_limiter::RateLimiter;
use key_ranges::KeyRanges;
use std::hint::black_box;
use std::time::{Duration, Instant};

const GET: usize = 0;
const PUT: usize = 1;
const VALUE_SIZE_MIN: i64 = 10;
const VALUE_SIZE_MAX: i64 = 1 << 20;
/// The rate limiters are asked for so many operations at a time.
const LIMITED: u64 = 100;

/// What a thread has done.
#[derive(Default)]
struct Done {
    gets: u64,
    puts: u64,
    seeks: u64,
    found: u64,
    bytes: u64,
    value_bytes: f64,
    scanned: f64,
}

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let num = flags.uint("num");
    let ratios = ["mix_get_ratio", "mix_put_ratio", "mix_seek_ratio"].map(|f| flags.double(f));
    let mix = OperationMix::new(&ratios);
    let keys = KeyPopularity::new(workload);
    let sizes = Pareto::of(flags, ["value_theta", "value_k", "value_sigma"]);
    let lengths = Pareto::of(flags, ["iter_theta", "iter_k", "iter_sigma"]);
    let value_max = flags.int("mix_max_value_size").clamp(1, VALUE_SIZE_MAX);
    let length_max = flags.int("mix_max_scan_len").max(1);
    let has_sine = flags.bool("sine_mix_rate");
    let mut values = workload.values(thread);
    let mut noise = Random64::new(!thread.seed);
    let mut done = Done::default();
    let mut key = Vec::new();
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let drawn = workload.chooser.choose(&mut thread.random);
        let position = drawn % num;
        let share = position as f64 / num as f64;
        let number = keys.number(drawn, num);
        workload.key(number, &mut key);
        if has_sine {
            follow_sine(workload, thread, &mix, &mut noise);
        }
        let (db, family) = (&target.db, &target.families[0]);
        let operation = match mix.choose(position) {
            GET => {
                let family = workload.family(target, number);
                if let Some(value) = db.get(&workload.read_options, family, &key)? {
                    done.found += 1;
                    done.bytes += (key.len() + value.len()) as u64;
                }
                done.gets += 1;
                workload.wait_for_reads(done.gets + done.seeks + LIMITED - 1, LIMITED);
                OperationType::Read
            }
            PUT => {
                let value = value(&mut values, sizes.inverse(share), value_max);
                done.value_bytes += value.len() as f64;
                db.put(&workload.write_options, family, &key, value)?;
                done.puts += 1;
                if let Some(limiter) = &workload.write_limiter
                    && done.puts.is_multiple_of(LIMITED)
                {
                    wait_for_grant(limiter, LIMITED);
                }
                OperationType::Write
            }
            _ => {
                let length = lengths.inverse(share) % length_max;
                scan(workload, db, family, &key, length, &mut done)?;
                OperationType::Seek
            }
        };
        thread.stats.finished_operations(1, operation);
    }
    thread.stats.add_bytes(done.bytes);
    thread.stats.add_message(&message(&done));
    Ok(())
}

/// The next value, of this size if it is a fair one.
fn value(values: &mut ValueGenerator, size: i64, most: i64) -> &[u8] {
    let size = match size {
        ..VALUE_SIZE_MIN => VALUE_SIZE_MIN,
        size if size > most => size % most,
        size => size,
    };
    values.next_of_size(size as usize)
}

fn scan<E: Engine>(
    workload: &Workload<'_, E>,
    db: &E,
    family: &E::Family,
    key: &[u8],
    length: i64,
    done: &mut Done,
) -> Result<()> {
    let mut iterator = db.new_iterator(&workload.read_options, family)?;
    iterator.seek(key);
    done.seeks += 1;
    done.found += u64::from(iterator.valid() && iterator.key() == key);
    for _ in 0..length {
        if !iterator.valid() {
            break;
        }
        done.bytes += (iterator.key().len() + black_box(iterator.value()).len()) as u64;
        done.scanned += 1.0;
        iterator.next();
    }
    iterator.status()
}

/// With `--sine_mix_rate` the rates go up and down, with some noise.
fn follow_sine<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    mix: &OperationMix,
    noise: &mut Random64,
) {
    let flags = workload.flags;
    let (Some(reads), Some(writes)) = (&workload.read_limiter, &workload.write_limiter) else {
        return;
    };
    let interval = flags.uint("sine_mix_rate_interval_milliseconds");
    if thread.last_sine.elapsed() <= Duration::from_millis(interval) {
        return;
    }
    thread.last_sine = Instant::now();
    let rate = sine_rate(flags, thread.stats.started().elapsed().as_secs_f64());
    let rate = with_noise(rate, flags.double("sine_a"), flags.double("sine_mix_rate_noise"), noise);
    let (read_rate, write_rate) = (rate * (1.0 - mix.share(PUT)), rate * mix.share(PUT));
    for (limiter, rate) in [(reads, read_rate as u64), (writes, write_rate as u64)] {
        if rate > 0 {
            limiter.set_bytes_per_second(rate);
        }
    }
}

fn with_noise(rate: f64, amplitude: f64, ratio: f64, random: &mut Random64) -> f64 {
    let band = amplitude as i64;
    if !(0.0..=1.0).contains(&ratio) || band <= 0 {
        return rate;
    }
    let offset = (random.next_u64() % band as u64) as i64 - band / 2;
    let noisy = rate + offset as f64 * ratio;
    if noisy < 0.0 { rate } else { noisy }
}

fn message(done: &Done) -> String {
    let Done { gets, puts, seeks, found, value_bytes, scanned, .. } = done;
    let reads = gets + seeks;
    let average = |sum: f64, count: u64| match count {
        // As C prints what it makes of that.
        0 => "-nan".to_owned(),
        count => format!("{:.1}", sum / count as f64),
    };
    format!(
        "( Gets:{gets} Puts:{puts} Seek:{seeks}, reads {found} in {reads} found, \
         avg size: {} value, {} scan)\n",
        average(*value_bytes, *puts),
        average(*scanned, *seeks)
    )
}

/// Which keys are popular.
enum KeyPopularity {
    /// As they are drawn.
    Drawn,
    /// A power law over all of them (`--key_dist_a`, `--key_dist_b`).
    Power(f64, f64),
    /// Ranges of them are, and keys within a range (`--keyrange_dist_a` and the like).
    Ranges(KeyRanges, f64, f64),
}

impl KeyPopularity {
    fn new<E: Engine>(workload: &Workload<'_, E>) -> Self {
        let flags = workload.flags;
        let (a, b) = (flags.double("key_dist_a"), flags.double("key_dist_b"));
        let names = ["keyrange_dist_a", "keyrange_dist_b", "keyrange_dist_c", "keyrange_dist_d"];
        let ranges = names.map(|name| flags.double(name));
        if a == 0.0 || b == 0.0 {
            return Self::Drawn;
        }
        match ranges.iter().any(|parameter| *parameter != 0.0) {
            true => Self::Ranges(
                KeyRanges::new(flags.uint("num"), flags.uint("keyrange_num"), ranges),
                a,
                b,
            ),
            false => Self::Power(a, b),
        }
    }

    /// The key's number; one that is not below `num` belongs to a key that nobody put.
    fn number(&self, drawn: u64, num: u64) -> u64 {
        match self {
            Self::Drawn => drawn,
            Self::Power(a, b) => {
                let seed = power_inverse((drawn % num) as f64 / num as f64, *a, *b);
                // The remainder of a signed number, as in RocksDB's tool.
                (Random64::new(seed as u64).next_u64() as i64 % num as i64) as u64
            }
            Self::Ranges(ranges, a, b) => ranges.number(drawn, *a, *b),
        }
    }
}

#[cfg(test)]
mod tests;
