//! Compactions that a user asks for. Those that they consist of are told as all are.

use super::Events;
use crate::info_log::key_range;
use base::dbformat::hex;
use base::{ColumnFamilyName, Status};
use compaction::Compaction;
use env::InfoLogLevel::Info;

/// First and last key, both inclusive; none for the first or last that there is.
type Range<'r> = (Option<&'r [u8]>, Option<&'r [u8]>);

impl Events {
    /// One that wants to be alone waits for others. Said under the state's lock.
    pub(crate) fn manual_compaction_waits(&self) {
        let text =
            "Manual compaction waiting for all other scheduled background compactions to finish";
        self.log.say_later(Info, format_args!("{text}"));
    }

    /// One begins.
    pub(crate) fn manual_compaction_started(&self, cf_name: &ColumnFamilyName, range: Range<'_>) {
        let keys = key_range(range);
        self.log.info(format_args!("[{cf_name}] Manual compaction starting: {keys}"));
        tracing::info!(
            target: "touchstone::compaction", cf = %cf_name, keys, "manual compaction started"
        );
    }

    /// A step of it begins. Said under the state's lock.
    pub(crate) fn manual_compaction_step(
        &self,
        cf_name: &ColumnFamilyName,
        compaction: &Compaction,
        range: Range<'_>,
    ) {
        let keys = key_range(range);
        let stop = hex(&compaction.largest_user_key);
        self.log.say_later(
            Info,
            format_args!(
                "[{cf_name}] Manual compaction from level-{} to level-{} from {keys}; will stop at \
                 {stop}",
                compaction.start_level, compaction.output_level
            ),
        );
    }

    /// It ended.
    pub(crate) fn manual_compaction_ended(
        &self,
        cf_name: &ColumnFamilyName,
        result: Result<&(), &Status>,
    ) {
        match result {
            Ok(()) => self.log.info(format_args!("[{cf_name}] Manual compaction finished")),
            Err(status) => {
                self.log.info(format_args!("[{cf_name}] Manual compaction ended: {status}"));
            }
        }
        tracing::info!(
            target: "touchstone::compaction",
            cf = %cf_name,
            error = result.err().map(tracing::field::display),
            "manual compaction finished"
        );
    }
}
