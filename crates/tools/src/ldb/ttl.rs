//! Databases whose values end in the time of their writing (`DBWithTTL`).
//!
//! ```text
//! stored value = value | fixed32(seconds since 1970)
//! ```

use super::arguments::Arguments;
use super::failure::{Failure, Outcome};
use base::{MergeOperator, Result, Status};
use env::{SystemClock, WallClock};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::sync::Arc;

/// Earlier times are a sign of a value without one: 2013-05-10, when the feature was made.
pub(crate) const TIME_MIN: i32 = 1_368_146_402;
/// The latest time there is.
pub(crate) const TIME_MAX: i32 = i32::MAX;

/// A stored value taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimedValue<'a> {
    pub(crate) value: &'a [u8],
    /// Seconds since 1970.
    pub(crate) time: i32,
}

impl<'a> TimedValue<'a> {
    /// Takes a stored value apart; none if its time is not in `times`.
    ///
    /// # Errors
    /// `Corruption` if it is too short or the time cannot be one.
    pub(crate) fn decode_in(stored: &'a [u8], times: TimeRange) -> Result<Option<Self>> {
        let (value, time) = split(stored)?;
        if !times.contains(time) {
            return Ok(None);
        }
        Self::check(time)?;
        Ok(Some(Self { value, time }))
    }

    /// Takes a stored value apart.
    ///
    /// # Errors
    /// As [`TimedValue::decode_in`].
    pub(crate) fn decode(stored: &'a [u8]) -> Result<Self> {
        let (value, time) = split(stored)?;
        Self::check(time)?;
        Ok(Self { value, time })
    }

    fn check(time: i32) -> Result<()> {
        if time >= TIME_MIN {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "value ends in the time {time}, expected at least {TIME_MIN}: is this no database with \
             times?"
        )))
    }
}

fn split(stored: &[u8]) -> Result<(&[u8], i32)> {
    match stored.split_last_chunk::<4>() {
        Some((value, time)) => Ok((value, i32::from_le_bytes(*time))),
        None => Err(Status::corruption(format!(
            "value of {} bytes, expected at least the 4 of a time",
            stored.len()
        ))),
    }
}

/// Merges values without their times, and gives the result the present one.
#[derive(Debug)]
pub(crate) struct TtlMergeOperator {
    user: Arc<dyn MergeOperator>,
}

impl TtlMergeOperator {
    pub(crate) fn new(user: Arc<dyn MergeOperator>) -> Self {
        Self { user }
    }
}

impl MergeOperator for TtlMergeOperator {
    fn name(&self) -> &str {
        "Merge By TTL"
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Result<Vec<u8>> {
        let existing = existing.map(split).transpose()?.map(|(value, _)| value);
        let operands = operands.iter().map(|operand| Ok(split(operand)?.0));
        let operands = operands.collect::<Result<Vec<_>>>()?;
        let mut merged = self.user.full_merge(key, existing, &operands)?;
        let seconds = WallClock.now_micros() / 1_000_000;
        merged.extend_from_slice(&(seconds as u32).to_le_bytes());
        Ok(merged)
    }
}

/// The times that are asked for (`--start_time`, `--end_time`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeRange {
    /// First time.
    pub(crate) start: i32,
    /// First time no longer in the range.
    pub(crate) end: i32,
}

impl TimeRange {
    /// The range that was given.
    pub(crate) fn from_arguments(arguments: &Arguments) -> Outcome<Self> {
        Ok(Self {
            start: arguments.int("start_time")?.unwrap_or(TIME_MIN),
            end: arguments.int("end_time")?.unwrap_or(TIME_MAX),
        })
    }

    /// Whether it ends before it starts.
    pub(crate) fn is_backwards(self) -> bool {
        self.end < self.start
    }

    /// Whether `time` is in it.
    pub(crate) fn contains(self, time: i32) -> bool {
        (self.start..self.end).contains(&time)
    }

    /// Its ends in words.
    pub(crate) fn describe(self) -> Outcome<String> {
        Ok(format!("{} to {}", local_time(self.start)?, local_time(self.end)?))
    }
}

/// The time as `date` prints it in the C locale, in the local time zone.
pub(crate) fn local_time(seconds: i32) -> Outcome<String> {
    let wrong = |error: jiff::Error| Failure::new(format!("time {seconds}: {error}"));
    let time = Timestamp::from_second(i64::from(seconds)).map_err(wrong)?;
    let local = Zoned::new(time, TimeZone::system());
    Ok(local.strftime("%a %b %e %H:%M:%S %Y").to_string())
}

#[cfg(test)]
mod tests;
