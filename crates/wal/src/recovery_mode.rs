//! What to do about damage in a WAL (`wal_recovery_mode`).

use crate::log_reader::{DamageKind, LogDamage};

/// How WALs are recovered. Numbers are those of `rocksdb::WALRecoveryMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WalRecoveryMode {
    /// An unfinished record at the end of a WAL is ignored, any other damage is an error.
    TolerateCorruptedTailRecords = 0,
    /// Any damage is an error.
    AbsoluteConsistency = 1,
    /// Recovery stops at the first damage.
    #[default]
    PointInTimeRecovery = 2,
    /// Damage is skipped.
    SkipAnyCorruptedRecords = 3,
}

/// What to do about a piece of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on with what follows in this WAL.
    Skip,
    /// This WAL ends here; go on with the next.
    EndOfLog,
    /// This WAL ends here. Go on with a later one only if it continues at exactly the next
    /// sequence number.
    StopReplay,
    /// Fail with [`LogDamage::to_status`].
    Fail,
}

impl WalRecoveryMode {
    /// The mode with this number, if there is one.
    pub fn from_u8(number: u8) -> Option<Self> {
        use WalRecoveryMode::*;
        [
            TolerateCorruptedTailRecords,
            AbsoluteConsistency,
            PointInTimeRecovery,
            SkipAnyCorruptedRecords,
        ]
        .get(usize::from(number))
        .copied()
    }

    /// What this mode does about `damage`.
    ///
    /// A record of an unknown type is no damage but a newer release's: it fails recovery wherever
    /// the user did not ask to lose records.
    pub fn verdict(self, damage: &LogDamage) -> Verdict {
        use DamageKind::*;
        let kind = damage.kind;
        match self {
            WalRecoveryMode::SkipAnyCorruptedRecords if kind.is_torn_tail() => Verdict::EndOfLog,
            WalRecoveryMode::SkipAnyCorruptedRecords => Verdict::Skip,
            _ if matches!(kind, UnknownType(_)) => Verdict::Fail,
            WalRecoveryMode::PointInTimeRecovery => Verdict::StopReplay,
            WalRecoveryMode::AbsoluteConsistency => match kind {
                OldRecord => Verdict::EndOfLog,
                _ => Verdict::Fail,
            },
            WalRecoveryMode::TolerateCorruptedTailRecords => match kind {
                OldRecord | OldRecordInsideRecord => Verdict::EndOfLog,
                // What a recycled file held before begins anywhere in an old record. As RocksDB, which
                // refuses zeros inside a record even there.
                BadLength | ChecksumMismatch | Hole | MixedHeaders if damage.in_recycled_log => {
                    Verdict::EndOfLog
                }
                _ if kind.is_torn_tail() => Verdict::EndOfLog,
                _ => Verdict::Fail,
            },
        }
    }
}

#[cfg(test)]
mod tests;
