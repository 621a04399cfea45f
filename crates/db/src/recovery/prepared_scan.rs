//! What an open without two-phase commit would lose.
//!
//! A WAL whose entries are all in tables is kept for the transactions alone that it prepares. Without
//! `allow_2pc` such a WAL counts as not needed, and would be deleted with what is in it.

use crate::recovery::memtable_inserter::MemTableInserter;
use crate::recovery::wal_replay::WalReplay;
use crate::recovery::{ManifestState, TransactionWritePolicy, first_unflushed_wal, lossy};
use base::filename::wal_file_name;
use base::{Result, Status};
use env::FileSystem;
use std::collections::BTreeMap;
use std::path::PathBuf;
use wal::WalRecoveryMode;

/// Refuses to go on where WALs that no table needs hold transactions that are prepared and neither
/// committed nor rolled back. To be called where `allow_2pc` is not set and what is not needed will
/// be deleted.
///
/// # Errors
/// `NotSupported` that names the transactions and a WAL.
pub(crate) fn check_none_would_be_dropped(
    file_system: &dyn FileSystem,
    directory: PathBuf,
    manifest: &ManifestState<'_>,
) -> Result<()> {
    let wal_number_min = manifest.min_log_number_to_keep;
    if first_unflushed_wal(manifest) <= wal_number_min {
        // All that is kept is replayed, and refused there.
        return Ok(());
    }
    let mut inserter =
        MemTableInserter::new(BTreeMap::new(), true, TransactionWritePolicy::WriteCommitted);
    let replay = WalReplay {
        file_system,
        directory,
        numbers: manifest.wals,
        mode: WalRecoveryMode::SkipAnyCorruptedRecords,
        paranoid_checks: false,
        wal_number_min,
        verifies_predecessors: false,
        is_new: false,
    };
    replay.run(&mut inserter, &mut |_| Ok(()))?;
    let prepared = inserter.transactions.into_prepared();
    let Some(oldest) = prepared.values().map(|transaction| transaction.wal_number).min() else {
        return Ok(());
    };
    let names: Vec<String> = prepared.keys().map(|name| lossy(name)).collect();
    Err(Status::not_supported(format!(
        "{} holds prepared transactions ({}) that an open without two-phase commit would drop; \
         open the database as a transaction database (allow_2pc)",
        wal_file_name(&replay.directory, oldest).display(),
        names.join(", ")
    )))
}
