//! Objects that databases are opened with: caches, limits, checksums, a log.

use crate::flags::Flags;
use base::file_checksum::FileChecksumGenCrc32cFactory;
use base::{Result, Status};
use cache::{
    Cache, CacheOptions, CompressedSecondaryCache, CompressedSecondaryCacheOptions,
    HyperClockCacheOptions, LruCacheOptions, SecondaryCache,
};
use compression::{CompressionOptions, CompressionType};
use db::{OpenContext, WriteBufferManager};
use env::rate_limiter::{GenericRateLimiter, RateLimiter, RateLimiterMode, RateLimiterOptions};
use env::{InfoLogLevel, Logger};
use statistics::{Statistics, StatsLevel};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What all databases of a run are opened with.
///
/// # Errors
/// `InvalidArgument` or `NotSupported` for flags that name what cannot be made.
pub(crate) fn open_context(flags: &Flags) -> Result<OpenContext> {
    let block_cache = block_cache(flags)?;
    let write_buffer_manager = write_buffer_manager(flags, block_cache.as_ref())?;
    Ok(OpenContext {
        block_cache,
        statistics: statistics(flags)?,
        write_buffer_manager,
        rate_limiter: rate_limiter(flags)?,
        file_checksum_gen_factory: flags
            .bool("file_checksum")
            .then(|| Arc::new(FileChecksumGenCrc32cFactory) as _),
        info_log: flags.bool("use_stderr_info_logger").then(|| Arc::new(StderrLogger::new()) as _),
        ..OpenContext::default()
    })
}

/// What `--statistics` asks for.
pub(crate) fn stats_level(flags: &Flags) -> Result<Option<StatsLevel>> {
    if !flags.bool("statistics") {
        return Ok(None);
    }
    let given = flags.int("stats_level");
    let level = u8::try_from(given).ok().filter(|level| *level <= 5).ok_or_else(|| {
        Status::invalid_argument(format!("--stats_level={given}: it is a number from 0 to 5"))
    })?;
    Ok(Some(StatsLevel::from_number(level)))
}

fn statistics(flags: &Flags) -> Result<Option<Arc<Statistics>>> {
    let statistics = |level| {
        let statistics = Statistics::new();
        statistics.set_stats_level(level);
        Arc::new(statistics)
    };
    Ok(stats_level(flags)?.map(statistics))
}

/// The block cache that `--cache_type`, `--cache_size` and the like ask for.
pub(crate) fn cache_options(flags: &Flags) -> Result<Option<CacheOptions>> {
    let capacity = flags.uint("cache_size") as usize;
    let num_shard_bits = flags.int("cache_numshardbits") as i32;
    let clock = |estimated_entry_charge| {
        CacheOptions::HyperClock(HyperClockCacheOptions {
            estimated_entry_charge,
            num_shard_bits,
            ..HyperClockCacheOptions::with_capacity(capacity)
        })
    };
    let options = match flags.text("cache_type") {
        "lru_cache" => CacheOptions::Lru(LruCacheOptions {
            num_shard_bits,
            high_pri_pool_ratio: flags.double("cache_high_pri_pool_ratio"),
            low_pri_pool_ratio: flags.double("cache_low_pri_pool_ratio"),
            ..LruCacheOptions::with_capacity(capacity)
        }),
        "hyper_clock_cache" | "auto_hyper_clock_cache" => clock(0),
        "fixed_hyper_clock_cache" => clock(flags.uint("block_size") as usize),
        "clock_cache" => {
            return Err(Status::not_supported(
                "--cache_type=clock_cache: RocksDB has given it up; hyper_clock_cache took its place",
            ));
        }
        other => {
            return Err(Status::invalid_argument(format!(
                "--cache_type={other}: expected lru_cache, hyper_clock_cache, \
                 auto_hyper_clock_cache or fixed_hyper_clock_cache"
            )));
        }
    };
    Ok((flags.int("cache_size") > 0).then_some(options))
}

fn block_cache(flags: &Flags) -> Result<Option<Arc<dyn Cache>>> {
    let Some(options) = cache_options(flags)? else { return Ok(None) };
    options.make_with_secondary_cache(secondary_cache(flags)?).map(Some)
}

/// The next tier that `--secondary_cache_uri` or `--use_compressed_secondary_cache` ask for.
fn secondary_cache(flags: &Flags) -> Result<Option<Arc<dyn SecondaryCache>>> {
    let (uri, is_compressed) =
        (flags.text("secondary_cache_uri"), flags.bool("use_compressed_secondary_cache"));
    let options = match (uri, is_compressed) {
        ("", false) => return Ok(None),
        ("", true) => compressed_options(flags)?,
        (uri, false) => CompressedSecondaryCacheOptions::from_uri(uri)?,
        (_, true) => {
            return Err(Status::invalid_argument(
                "--secondary_cache_uri and --use_compressed_secondary_cache: expected one of them",
            ));
        }
    };
    Ok(Some(Arc::new(CompressedSecondaryCache::new(&options)?)))
}

fn compressed_options(flags: &Flags) -> Result<CompressedSecondaryCacheOptions> {
    let codec = flags.text("compressed_secondary_cache_compression_type");
    let compression_type = CompressionType::from_flag_name(codec).ok_or_else(|| {
        Status::invalid_argument(format!(
            "--compressed_secondary_cache_compression_type={codec}: expected the name of a codec"
        ))
    })?;
    let level = flags.int("compressed_secondary_cache_compression_level") as i32;
    Ok(CompressedSecondaryCacheOptions {
        capacity: flags.uint("compressed_secondary_cache_size") as usize,
        num_shard_bits: flags.int("compressed_secondary_cache_numshardbits") as i32,
        high_pri_pool_ratio: flags.double("compressed_secondary_cache_high_pri_pool_ratio"),
        low_pri_pool_ratio: flags.double("compressed_secondary_cache_low_pri_pool_ratio"),
        compression_type,
        compression_opts: CompressionOptions { level, ..CompressionOptions::default() },
        ..CompressedSecondaryCacheOptions::default()
    })
}

/// The limit of all memtables of all databases, charged to the block cache if asked for.
fn write_buffer_manager(
    flags: &Flags,
    block_cache: Option<&Arc<dyn Cache>>,
) -> Result<Option<Arc<WriteBufferManager>>> {
    let (limit, is_charged) =
        (flags.uint("db_write_buffer_size"), flags.bool("cost_write_buffer_to_cache"));
    if limit == 0 && !is_charged {
        return Ok(None);
    }
    let manager = WriteBufferManager::new(limit as usize);
    Ok(Some(Arc::new(match block_cache {
        Some(cache) => manager.with_cache(cache.clone()),
        None if is_charged => {
            return Err(Status::invalid_argument(
                "--cost_write_buffer_to_cache: there is no cache, --cache_size is 0",
            ));
        }
        None => manager,
    })))
}

fn rate_limiter(flags: &Flags) -> Result<Option<Arc<dyn RateLimiter>>> {
    let rate = flags.uint("rate_limiter_bytes_per_sec");
    if rate == 0 {
        return Ok(None);
    }
    Ok(Some(Arc::new(GenericRateLimiter::new(RateLimiterOptions {
        refill_period_us: flags.uint("rate_limiter_refill_period_us"),
        mode: match flags.bool("rate_limit_bg_reads") {
            true => RateLimiterMode::ReadsOnly,
            false => RateLimiterMode::WritesOnly,
        },
        auto_tuned: flags.bool("rate_limiter_auto_tuned"),
        single_burst_bytes: flags.uint("rate_limiter_single_burst_bytes"),
        ..RateLimiterOptions::new(rate)
    })?)))
}

/// Lines of the info log to the standard error.
struct StderrLogger {
    level: AtomicU8,
}

impl StderrLogger {
    fn new() -> Self {
        Self { level: AtomicU8::new(InfoLogLevel::Info as u8) }
    }
}

impl fmt::Debug for StderrLogger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StderrLogger")
    }
}

impl Logger for StderrLogger {
    fn log_level(&self) -> InfoLogLevel {
        let level = self.level.load(Ordering::Relaxed);
        LEVELS.into_iter().find(|known| *known as u8 == level).unwrap_or_default()
    }

    fn set_log_level(&self, level: InfoLogLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    fn log(&self, level: InfoLogLevel, text: fmt::Arguments<'_>) {
        if level >= self.log_level() {
            eprintln!("{} {text}", crate::report::timestamp());
        }
    }
}

const LEVELS: [InfoLogLevel; 6] = [
    InfoLogLevel::Debug,
    InfoLogLevel::Info,
    InfoLogLevel::Warn,
    InfoLogLevel::Error,
    InfoLogLevel::Fatal,
    InfoLogLevel::Header,
];

#[cfg(test)]
mod tests;
