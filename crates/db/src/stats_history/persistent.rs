//! Slices on the disk, as RocksDB keeps them.
//!
//! ```text
//! column family ___rocksdb_stats_history___
//!   0123456789#rocksdb.ticker.name     -> the ticker's delta, as a decimal number
//!     seconds since 1970, ten digits
//!   __persistent_stats_format_version__      -> 1
//!   __persistent_stats_compatible_version__  -> 1: the oldest format whose readers can read it
//! ```
//!
//! RocksDB opens the family whether or not it is asked for, and so do we.

use super::StatsSlice;
use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor, ColumnFamilyHandle};
use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::read::get::{LookupScope, get};
use crate::read::read_view::ReadView;
use crate::write::write_options::WriteOptions;
use base::{Result, Status};
use options::{ColumnFamilyOptions, CompressionType};
use statistics::Ticker;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use table::ReadOptions;
use wal::WriteBatch;

/// The column family of slices.
pub const STATS_COLUMN_FAMILY_NAME: &str = "___rocksdb_stats_history___";

const FORMAT_VERSION_KEY: &[u8] = b"__persistent_stats_format_version__";
const COMPATIBLE_VERSION_KEY: &[u8] = b"__persistent_stats_compatible_version__";
const FORMAT_VERSION: u64 = 1;
const COMPATIBLE_VERSION: u64 = 1;

/// It is there for a user's data to be undisturbed: small, and never in the way.
fn descriptor() -> ColumnFamilyDescriptor {
    const MIB: u64 = 1 << 20;
    let mut options = ColumnFamilyOptions::default();
    options.write_buffer_size = 2 * MIB;
    options.target_file_size_base = 2 * MIB;
    options.max_bytes_for_level_base = 10 * MIB;
    options.soft_pending_compaction_bytes_limit = 256 * MIB;
    options.hard_pending_compaction_bytes_limit = 1 << 30;
    options.compression = CompressionType::NoCompression;
    ColumnFamilyDescriptor::new(STATS_COLUMN_FAMILY_NAME, options)
}

/// The column families that an open takes: the family of slices too, if the database has it.
pub(crate) fn with_stats_family(
    descriptors: &[ColumnFamilyDescriptor],
) -> Cow<'_, [ColumnFamilyDescriptor]> {
    if descriptors.iter().any(|descriptor| descriptor.name == STATS_COLUMN_FAMILY_NAME) {
        return Cow::Borrowed(descriptors);
    }
    let mut all = descriptors.to_vec();
    all.push(descriptor());
    Cow::Owned(all)
}

fn key(time_seconds: u64, ticker: &str) -> Vec<u8> {
    format!("{time_seconds:010}#{ticker}").into_bytes()
}

/// The time and the ticker of a key; none if it is another key.
fn parse_key(key: &[u8]) -> Option<(u64, &str)> {
    let (time, ticker) = std::str::from_utf8(key).ok()?.split_once('#')?;
    Some((time.parse().ok()?, ticker))
}

fn parse_number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// The slices of a range of seconds.
pub(super) fn read(db: &Db, seconds: Range<u64>) -> Result<Vec<StatsSlice>> {
    let mut slices: Vec<StatsSlice> = Vec::new();
    let Some(family) = db.column_family(STATS_COLUMN_FAMILY_NAME) else { return Ok(slices) };
    let mut iterator = db.new_iterator(&ReadOptions::default(), &family)?;
    iterator.seek(format!("{:010}", seconds.start).as_bytes());
    while iterator.valid() {
        let Some((time_seconds, ticker)) = parse_key(iterator.key()) else { break };
        if time_seconds >= seconds.end {
            break;
        }
        let delta = parse_number(iterator.value()).ok_or_else(|| {
            let value = String::from_utf8_lossy(iterator.value()).into_owned();
            Status::corruption(format!(
                "column family {STATS_COLUMN_FAMILY_NAME}: expected a number for {ticker} at \
                 {time_seconds}, found {value:?}"
            ))
        })?;
        match slices.last_mut().filter(|slice| slice.time_seconds == time_seconds) {
            Some(slice) => {
                slice.deltas.insert(ticker.to_owned(), delta);
            }
            None => {
                let deltas = [(ticker.to_owned(), delta)].into();
                slices.push(StatsSlice { time_seconds, deltas });
            }
        }
        iterator.next();
    }
    iterator.status()?;
    Ok(slices)
}

impl DbImpl {
    /// Makes sure that the family of slices is one that we may write to: one of a format that we
    /// do not know is made anew.
    ///
    /// # Errors
    /// What reading, creating and writing give.
    pub(crate) fn prepare_stats_family(self: &Arc<Self>) -> Result<()> {
        if !self.options().persist_stats_to_disk {
            return Ok(());
        }
        if let Some(family) = self.stats_family() {
            if self.is_readable(&family)? {
                return Ok(());
            }
            self.writing()?.info_log.warn(format_args!(
                "Recreating persistent stats column family due to corrupted or incompatible format \
                 version."
            ));
            self.drop_column_family(&ColumnFamilyHandle(family))?;
        }
        let created = self.create_column_families(&[descriptor()])?;
        let Some(family) = created.first() else { return Ok(()) };
        let mut batch = WriteBatch::new();
        batch.put(family.id(), FORMAT_VERSION_KEY, FORMAT_VERSION.to_string().as_bytes())?;
        batch.put(
            family.id(),
            COMPATIBLE_VERSION_KEY,
            COMPATIBLE_VERSION.to_string().as_bytes(),
        )?;
        self.write(&write_options(), &mut batch)
    }

    fn stats_family(&self) -> Option<Arc<ColumnFamilyData>> {
        let families = self.families.load();
        families.iter().find(|family| family.name == STATS_COLUMN_FAMILY_NAME).cloned()
    }

    /// Whether what is there has a format that we know.
    fn is_readable(&self, family: &ColumnFamilyData) -> Result<bool> {
        let super_version = family.super_version.load();
        let read = |key| {
            let view = ReadView {
                super_version: &super_version,
                sequence: self.visibility.last_sequence(),
                uncommitted: &self.visibility.uncommitted,
            };
            let options = &ReadOptions::default();
            let recorder = super_version.resolver.recorder();
            let (found, _) = get(LookupScope { family, view, options, recorder }, key)?;
            let value = found.map(|lookup| lookup.resolved.into_plain()).transpose()?;
            Ok::<_, Status>(value.and_then(|value| parse_number(&value)))
        };
        let (format, compatible) = (read(FORMAT_VERSION_KEY)?, read(COMPATIBLE_VERSION_KEY)?);
        Ok(match (format, compatible) {
            (Some(format), Some(compatible)) => {
                format <= FORMAT_VERSION || compatible <= COMPATIBLE_VERSION
            }
            _ => false,
        })
    }

    /// Writes a slice.
    ///
    /// # Errors
    /// What writing gives; `Incomplete` where it would have to wait: nobody is to wait for this.
    pub(super) fn write_slice(self: &Arc<Self>, time_seconds: u64, deltas: &[u64]) -> Result<()> {
        let family = self.stats_family().ok_or_else(|| {
            Status::column_family_dropped(format!("{STATS_COLUMN_FAMILY_NAME} is not there"))
        })?;
        let mut batch = WriteBatch::new();
        for (ticker, delta) in Ticker::ALL.iter().zip(deltas) {
            let key = key(time_seconds, ticker.name());
            batch.put(family.id, &key, delta.to_string().as_bytes())?;
        }
        self.write(&write_options(), &mut batch)
    }
}

fn write_options() -> WriteOptions {
    WriteOptions { low_pri: true, no_slowdown: true, ..WriteOptions::default() }
}
