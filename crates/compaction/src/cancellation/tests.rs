use super::*;

#[test]
fn each_flag_has_its_error() {
    let cancellation = Cancellation {
        manual_compaction_canceled: Some(Arc::default()),
        ..Cancellation::default()
    };
    assert_eq!(cancellation.check(), Ok(()));
    let code = || cancellation.check().unwrap_err().code();
    cancellation.compactions_aborted.store(true, Ordering::Relaxed);
    let aborted = cancellation.check().unwrap_err();
    assert_eq!((aborted.code(), aborted.subcode()), (Code::Incomplete, SubCode::CompactionAborted));
    let manual = cancellation.manual_compaction_canceled.as_ref().unwrap();
    manual.store(true, Ordering::Relaxed);
    assert_eq!(code(), Code::Incomplete);
    cancellation.column_family_dropped.store(true, Ordering::Relaxed);
    assert_eq!(code(), Code::ColumnFamilyDropped);
    cancellation.shutting_down.store(true, Ordering::Relaxed);
    assert_eq!(code(), Code::ShutdownInProgress);
}
