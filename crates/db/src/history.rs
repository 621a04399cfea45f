//! How far back column families with timestamps can be asked (`full_history_ts_low`).
//!
//! What was true before that time may be forgotten: compactions keep of each key's older versions
//! only the newest, and reads at earlier times are refused.

use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::event_listener::BackgroundErrorReason;
use crate::flush_job::Edits;
use base::dbformat::hex;
use base::status::Code;
use base::{Result, Status};
use version::VersionEdit;

impl Db {
    /// Lets everything before `timestamp` be forgotten (`DB::IncreaseFullHistoryTsLow`). That
    /// outlives the database's closing.
    ///
    /// # Errors
    /// `InvalidArgument` if the column family has no timestamps, or ones of another size, or if more
    /// than that may be forgotten already; `ColumnFamilyDropped`; `IoError` from the MANIFEST;
    /// `NotSupported` if the database is open for reading only.
    pub fn increase_full_history_ts_low(
        &self,
        family: &ColumnFamilyHandle,
        timestamp: &[u8],
    ) -> Result<()> {
        self.inner.increase_full_history_ts_low(family, timestamp)
    }

    /// Since when a column family can be asked (`DB::GetFullHistoryTsLow`); none where nothing was
    /// forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` if the column family has no timestamps.
    pub fn full_history_ts_low(&self, family: &ColumnFamilyHandle) -> Result<Option<Vec<u8>>> {
        check_has_timestamps(family)?;
        Ok(family.0.super_version.load().full_history_ts_low.clone())
    }
}

impl DbImpl {
    pub(crate) fn increase_full_history_ts_low(
        &self,
        family: &ColumnFamilyHandle,
        timestamp: &[u8],
    ) -> Result<()> {
        let writing = self.writing()?;
        check_has_timestamps(family)?;
        let size = family.comparator().timestamp_size();
        if timestamp.len() != size {
            return Err(Status::invalid_argument(format!(
                "ts_low size mismatch: {} has {} bytes, column family {} has timestamps of {size}",
                hex(timestamp),
                timestamp.len(),
                family.name()
            )));
        }
        let user = family.comparator().user_comparator();
        if let Some(now) = family.0.super_version.load().full_history_ts_low.as_deref()
            && user.compare_timestamp(timestamp, now).is_lt()
        {
            return Err(Status::invalid_argument(format!(
                "Current full_history_ts_low: {} is higher than provided ts: {}",
                user.timestamp_to_string(now),
                user.timestamp_to_string(timestamp)
            )));
        }
        // Should another thread go further meanwhile, the MANIFEST's rule keeps the later time.
        let edit =
            VersionEdit { full_history_ts_low: Some(timestamp.to_vec()), ..VersionEdit::default() };
        let installed = self.log_and_install(writing, Edits::from([(family.id(), edit)]), |_| {});
        installed.inspect_err(|status| {
            if status.code() == Code::IoError {
                self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
            }
        })
    }
}

fn check_has_timestamps(family: &ColumnFamilyHandle) -> Result<()> {
    match family.comparator().timestamp_size() {
        0 => Err(Status::invalid_argument(format!(
            "Timestamp is not enabled in this column family: {}",
            family.name()
        ))),
        _ => Ok(()),
    }
}
