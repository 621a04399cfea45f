use super::*;
use DamageKind::*;
use Verdict::*;
use WalRecoveryMode::*;

fn verdicts(kind: DamageKind, in_recycled_log: bool) -> [Verdict; 4] {
    let damage = LogDamage { kind, offset: 0, dropped_bytes: 0, in_recycled_log };
    [0, 1, 2, 3].map(|number| WalRecoveryMode::from_u8(number).unwrap().verdict(&damage))
}

#[test]
fn numbers_are_those_of_rocksdb() {
    assert_eq!(WalRecoveryMode::from_u8(0), Some(TolerateCorruptedTailRecords));
    assert_eq!(WalRecoveryMode::from_u8(1), Some(AbsoluteConsistency));
    assert_eq!(WalRecoveryMode::from_u8(2), Some(PointInTimeRecovery));
    assert_eq!(WalRecoveryMode::from_u8(3), Some(SkipAnyCorruptedRecords));
    assert_eq!(WalRecoveryMode::from_u8(4), None);
    assert_eq!(WalRecoveryMode::default(), PointInTimeRecovery);
}

#[test]
fn a_torn_tail_fails_absolute_consistency_alone() {
    for kind in [TruncatedHeader, TruncatedPayload, TruncatedRecord] {
        assert_eq!(verdicts(kind, false), [EndOfLog, Fail, StopReplay, EndOfLog]);
    }
}

#[test]
fn a_bad_record_is_the_end_only_where_the_file_was_recycled() {
    for kind in [BadLength, ChecksumMismatch, Hole, MixedHeaders] {
        assert_eq!(verdicts(kind, false), [Fail, Fail, StopReplay, Skip]);
        assert_eq!(verdicts(kind, true), [EndOfLog, Fail, StopReplay, Skip]);
    }
    for kind in
        [HoleInsideRecord, MissingStart, MissingEnd, BadControlRecord(10), BadCompression("")]
    {
        assert_eq!(verdicts(kind, true), [Fail, Fail, StopReplay, Skip]);
    }
}

#[test]
fn an_old_record_is_the_end() {
    assert_eq!(verdicts(OldRecord, true), [EndOfLog, EndOfLog, StopReplay, Skip]);
    assert_eq!(verdicts(OldRecordInsideRecord, true), [EndOfLog, Fail, StopReplay, Skip]);
}

#[test]
fn an_unknown_record_fails_unless_corruption_is_skipped() {
    assert_eq!(verdicts(UnknownType(12), false), [Fail, Fail, Fail, Skip]);
}
