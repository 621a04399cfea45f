//! What `--engine` names, and what its databases share.

use crate::flags::Flags;
use crate::runner;
use base::{Result, Status};
use cache::LruCacheOptions;
use engines::{NullProvider, TouchstoneProvider};
use statistics::StatsLevel;

/// Runs what the command line asks for, on the engine that it names.
///
/// # Errors
/// The first failure: a flag that makes no sense, a database that does not open, a failed read.
pub fn run(flags: &Flags) -> Result<()> {
    let steps = runner::checked_steps(flags)?;
    let (cache, level) = (cache_options(flags)?, stats_level(flags)?);
    match flags.text("engine") {
        "touchstone" => {
            runner::run(flags, &steps, &TouchstoneProvider::new(cache.as_ref(), level)?)
        }
        "null" => {
            let (key_size, value_size) = (flags.uint("key_size"), flags.uint("value_size"));
            let num = flags.uint("num");
            let provider = NullProvider::new(key_size as usize, value_size as usize, num);
            runner::run(flags, &steps, &provider)
        }
        other => Err(Status::invalid_argument(format!(
            "--engine={other} is not known; known are touchstone, null"
        ))),
    }
}

/// What `--statistics` asks for.
fn stats_level(flags: &Flags) -> Result<Option<StatsLevel>> {
    if !flags.bool("statistics") {
        return Ok(None);
    }
    let given = flags.int("stats_level");
    let level = u8::try_from(given).ok().filter(|level| *level <= 5).ok_or_else(|| {
        Status::invalid_argument(format!("--stats_level={given}: it is a number from 0 to 5"))
    })?;
    Ok(Some(StatsLevel::from_number(level)))
}

/// The block cache that `--cache_size` and the like ask for.
fn cache_options(flags: &Flags) -> Result<Option<LruCacheOptions>> {
    if flags.text("cache_type") != "lru_cache" {
        return Err(Status::not_supported(format!(
            "--cache_type={}: only lru_cache is there yet",
            flags.text("cache_type")
        )));
    }
    if flags.int("cache_size") <= 0 {
        return Ok(None);
    }
    Ok(Some(LruCacheOptions {
        capacity: flags.uint("cache_size") as usize,
        num_shard_bits: flags.int("cache_numshardbits") as i32,
        high_pri_pool_ratio: flags.double("cache_high_pri_pool_ratio"),
        low_pri_pool_ratio: flags.double("cache_low_pri_pool_ratio"),
        ..LruCacheOptions::default()
    }))
}
