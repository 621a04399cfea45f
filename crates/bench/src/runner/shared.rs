//! What the threads of a benchmark share, from flags.

use super::Runner;
use crate::flags::Flags;
use crate::key_generator::{KeyChooser, KeyFormat};
use crate::value_generator::{ValueKind, ValueSizes};
use crate::workload::{Benchmark, FamilyChooser, Workload, sine_rate};
use base::{Result, Status};
use db::{ReadOptions, WriteOptions};
use engines::{Engine, Provider};
use env::rate_limiter::{GenericRateLimiter, IoPriority, RateLimiterMode, RateLimiterOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Operations a second with `--sine_mix_rate`, before the sine begins.
const SINE_RATE_FIRST: u64 = 1_000_000;

impl<P: Provider> Runner<'_, P> {
    /// What the threads share of which `running` are not in the background.
    pub(super) fn workload(
        &self,
        benchmark: &Benchmark<P::Engine>,
        running: usize,
    ) -> Result<Workload<'_, P::Engine>> {
        let flags = self.flags;
        let num = flags.uint("num");
        let key_count = match self.existing_keys.len() as u64 {
            0 => num,
            count => count,
        };
        let count = |name: &str| u64::try_from(flags.int(name)).unwrap_or(num);
        let reads_and_writes = match (flags.int("reads"), flags.int("writes")) {
            (..0, ..0) => num,
            (reads, writes) => reads.max(writes) as u64,
        };
        let has_sine = benchmark.name == "mixgraph" && flags.bool("sine_mix_rate");
        let write_rate = if has_sine { SINE_RATE_FIRST } else { write_rate(flags) };
        let write_limiter = match write_rate {
            0 => None,
            rate => Some(GenericRateLimiter::new(RateLimiterOptions::new(rate))?),
        };
        let db = &self.targets[0].db;
        let reading = read_options(flags);
        let writing = WriteOptions {
            sync: flags.bool("sync") || benchmark.syncs,
            disable_wal: flags.bool("disable_wal"),
            rate_limiter_priority: flags
                .bool("rate_limit_auto_wal_flush")
                .then_some(IoPriority::User),
            ..WriteOptions::default()
        };
        Ok(Workload {
            flags,
            targets: &self.targets,
            keys: KeyFormat::of_flags(flags, benchmark.extra_key_bytes, key_count),
            chooser: KeyChooser {
                key_count: key_count / benchmark.key_divisor,
                exp_range: flags.double("read_random_exp_range"),
            },
            existing_keys: &self.existing_keys,
            reads: match benchmark.reads_all {
                true => num,
                false => count("reads") / benchmark.read_divisor,
            },
            writes: count("writes"),
            reads_and_writes,
            batch_size: benchmark.batch_size.unwrap_or(flags.uint("batch_size")),
            value_kind: value_kind(flags, benchmark.value_size)?,
            seed_base: self.seed_base,
            read_options: db.read_options(&reading)?,
            reading,
            write_options: db.write_options(&writing)?,
            write_limiter,
            read_limiter: match has_sine {
                true => read_limiter(SINE_RATE_FIRST)?,
                false => read_limiter(flags.uint("benchmark_read_rate_limit"))?,
            },
            running: AtomicUsize::new(running),
            time: Arc::clone(&self.time),
            background_ended: AtomicBool::new(false),
            family_chooser: family_chooser(flags)?,
            first_hot_family: Arc::clone(&self.first_hot_family),
        })
    }
}

/// What values are like that are written.
pub(crate) fn value_kind(flags: &Flags, fixed_size: Option<usize>) -> Result<ValueKind> {
    let (low, high) = (flags.uint("value_size_min"), flags.uint("value_size_max"));
    let (low, high) = (low as usize, high as usize);
    let name = flags.text("value_size_distribution_type");
    let sizes = match (name, fixed_size) {
        (_, Some(size)) => ValueSizes::Fixed(size),
        ("fixed", None) => ValueSizes::Fixed(flags.uint("value_size") as usize),
        ("uniform" | "normal", None) if low > high => {
            return Err(Status::invalid_argument(format!(
                "--value_size_min={low} is more than --value_size_max={high}"
            )));
        }
        ("uniform", None) => ValueSizes::Uniform(low, high),
        ("normal", None) => ValueSizes::Normal(low, high),
        (other, None) => {
            return Err(Status::invalid_argument(format!(
                "--value_size_distribution_type={other}: expected fixed, uniform or normal"
            )));
        }
    };
    let compression_ratio = flags.double("compression_ratio");
    Ok(ValueKind { sizes, compression_ratio, same_percent: flags.uint("same_value_percentage") })
}

/// Bytes a second that may be written, to begin with; 0 for any number.
pub(crate) fn write_rate(flags: &Flags) -> u64 {
    match flags.bool("sine_write_rate") {
        true => sine_rate(flags, 0.0) as u64,
        false => flags.uint("benchmark_write_rate_limit"),
    }
}

/// Which families keys belong to.
fn family_chooser(flags: &Flags) -> Result<FamilyChooser> {
    let families = flags.uint("num_column_families").max(1) as usize;
    let hot = match flags.uint("num_hot_column_families") as usize {
        0 => families,
        count => count.min(families),
    };
    let text = flags.text("column_family_distribution");
    if text.is_empty() || families == 1 {
        return Ok(FamilyChooser { hot, percents: Vec::new() });
    }
    let percents: Vec<u64> = text.split(',').flat_map(str::parse).collect();
    if percents.len() != hot || percents.iter().sum::<u64>() != 100 {
        return Err(Status::invalid_argument(format!(
            "--column_family_distribution={text}: expected {hot} numbers that sum to 100"
        )));
    }
    Ok(FamilyChooser { hot, percents })
}

/// What holds readers to a rate; 0 for none.
fn read_limiter(rate: u64) -> Result<Option<GenericRateLimiter>> {
    match rate {
        0 => Ok(None),
        rate => {
            let mode = RateLimiterMode::ReadsOnly;
            let options = RateLimiterOptions { mode, ..RateLimiterOptions::new(rate) };
            GenericRateLimiter::new(options).map(Some)
        }
    }
}

fn read_options(flags: &Flags) -> ReadOptions {
    ReadOptions {
        verify_checksums: flags.bool("verify_checksum"),
        optimize_multiget_for_io: flags.bool("optimize_multiget_for_io"),
        total_order_seek: flags.bool("total_order_seek"),
        prefix_same_as_start: flags.bool("prefix_same_as_start"),
        tailing: flags.bool("use_tailing_iterator"),
        auto_prefix_mode: flags.bool("auto_prefix_mode"),
        readahead_size: flags.uint("readahead_size"),
        rate_limiter_priority: flags.bool("rate_limit_user_ops").then_some(IoPriority::User),
        ..ReadOptions::default()
    }
}
