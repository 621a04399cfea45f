use super::*;

fn no_space() -> Status {
    Status::io_error("full").with_subcode(SubCode::NoSpace)
}

#[test]
fn severities_are_those_of_rocksdb() {
    use BackgroundErrorReason::{Compaction, Flush, FlushNoWal, ManifestWrite, WriteCallback};
    let io = Status::io_error("bad");
    let damage = Status::corruption("bad");
    let too_many_open = std::io::Error::from_raw_os_error(24);
    let too_many = Status::from_io(&too_many_open, "open", std::path::Path::new("/db/000007.sst"));
    let cases = [
        (Compaction, no_space(), Severity::Soft, Severity::None),
        (Flush, no_space(), Severity::Hard, Severity::Hard),
        (FlushNoWal, no_space(), Severity::Hard, Severity::Hard),
        (WriteCallback, no_space(), Severity::Hard, Severity::Hard),
        (ManifestWrite, no_space(), Severity::Hard, Severity::Hard),
        (Compaction, too_many.clone(), Severity::Soft, Severity::None),
        (Flush, too_many.clone(), Severity::Hard, Severity::Hard),
        (WriteCallback, too_many.clone(), Severity::Hard, Severity::Hard),
        (ManifestWrite, too_many, Severity::Hard, Severity::Hard),
        (Compaction, io.clone(), Severity::Fatal, Severity::None),
        (Flush, io.clone(), Severity::Fatal, Severity::None),
        (WriteCallback, io.clone(), Severity::Fatal, Severity::Fatal),
        (ManifestWrite, io, Severity::Fatal, Severity::Fatal),
        (Compaction, damage.clone(), Severity::Unrecoverable, Severity::None),
        (Flush, damage, Severity::Unrecoverable, Severity::None),
    ];
    for (reason, status, paranoid, lenient) in cases {
        assert_eq!(severity(reason, &status, true), paranoid, "{reason:?} {status}");
        assert_eq!(severity(reason, &status, false), lenient, "{reason:?} {status}");
    }
}

fn set(errors: &mut ErrorHandler, reason: BackgroundErrorReason, status: &Status) {
    let severity = severity(reason, status, true);
    errors.set(reason, status.clone().with_severity(severity));
}

#[test]
fn the_worst_error_stands_until_recovery_succeeds() {
    let mut errors = ErrorHandler::default();
    set(&mut errors, BackgroundErrorReason::Compaction, &no_space());
    assert!(errors.is_recoverable());
    assert!(errors.error().is_some() && errors.write_error().is_none());
    set(&mut errors, BackgroundErrorReason::Flush, &no_space());
    assert!(errors.is_recoverable());
    assert!(errors.stops_background_work());
    errors.begin_recovery().unwrap();
    assert_eq!(errors.begin_recovery().unwrap_err().code(), Code::Busy);
    errors.end_recovery(false);
    assert!(errors.write_error().is_some());
    errors.begin_recovery().unwrap();
    errors.end_recovery(true);
    assert!(errors.error().is_none());
    set(&mut errors, BackgroundErrorReason::WriteCallback, &Status::io_error("bad"));
    assert!(!errors.is_recoverable());
    assert_eq!(errors.begin_recovery().unwrap_err().severity(), Severity::Fatal);
    assert_eq!(errors.count, 2);
}

#[test]
fn a_user_replaces_only_the_error_that_stands() {
    let mut errors = ErrorHandler::default();
    let soft = no_space().with_severity(Severity::Soft);
    let hard = no_space().with_severity(Severity::Hard);
    errors.set(BackgroundErrorReason::Flush, soft.clone());
    errors.set(BackgroundErrorReason::Flush, hard.clone());
    errors.replace(&soft, None);
    assert_eq!(errors.error(), Some(&hard));
    errors.replace(&hard, Some(soft.clone()));
    assert_eq!(errors.error(), Some(&soft));
    errors.replace(&soft, None);
    assert_eq!(errors.error(), None);
}
