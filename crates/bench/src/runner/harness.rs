//! What the harness costs: the same workload over an engine that does nothing.

use super::Runner;
use crate::flags::Flags;
use crate::step::{Step, check};
use crate::target;
use base::{Result, Status};
use engines::NullProvider;
use std::sync::Arc;

/// Operations that are enough to tell.
const OPERATIONS_MAX: i64 = 1_000_000;

/// An engine that does nothing, with keys and values of the size that the flags say.
pub(crate) fn null_provider(flags: &Flags) -> NullProvider {
    let size = |name| flags.uint(name) as usize;
    NullProvider::new(size("key_size"), size("value_size"), flags.uint("num"))
}

/// Nanoseconds of one thread of the harness for each operation of a benchmark: keys, values, limits
/// and measurements, without an engine.
///
/// # Errors
/// `InvalidArgument` for what is no timed benchmark.
pub(crate) fn nanos_per_operation(flags: &Flags, step: &Step) -> Result<f64> {
    check(flags)?;
    let count = |name| match flags.int(name) {
        ..0 => flags.int("num").min(OPERATIONS_MAX),
        count => count.min(OPERATIONS_MAX),
    };
    let flags = flags.with(&[
        ("threads", "1".to_owned()),
        ("duration", "0".to_owned()),
        ("reads", count("reads").to_string()),
        ("writes", count("writes").to_string()),
        ("progress_reports", "false".to_owned()),
        ("report_interval_seconds", "0".to_owned()),
        ("benchmark_write_rate_limit", "0".to_owned()),
        ("arrival_rate", "0".to_owned()),
        ("perf_level", "1".to_owned()),
    ]);
    let benchmark = step.benchmark().ok_or_else(|| {
        Status::invalid_argument(format!("{} is not timed, so its harness is not", step.name))
    })?;
    let provider = null_provider(&flags);
    let mut runner = Runner {
        flags: &flags,
        provider: &provider,
        targets: target::open_all(&flags, &provider, None)?.into(),
        existing_keys: Vec::new(),
        seed_base: 1,
        threads_started: 0,
        time: Arc::default(),
        first_hot_family: Arc::default(),
        secondary: None,
        shape: None,
        recorder: None,
        files: None,
    };
    Ok(1e9 / runner.measure(benchmark)?.operations_per_second())
}
