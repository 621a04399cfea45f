use super::*;

fn no_space() -> Status {
    Status::io_error("full").with_subcode(SubCode::NoSpace)
}

#[test]
fn severities_are_those_of_rocksdb() {
    use BackgroundErrorReason::{Compaction, Flush, FlushNoWal, ManifestWrite, Write};
    let io = Status::io_error("bad");
    let damage = Status::corruption("bad");
    let too_many_open = std::io::Error::from_raw_os_error(24);
    let too_many = Status::from_io(&too_many_open, "open", std::path::Path::new("/db/000007.sst"));
    let cases = [
        (Compaction, no_space(), Severity::Soft, Severity::None),
        (Flush, no_space(), Severity::Hard, Severity::Hard),
        (FlushNoWal, no_space(), Severity::Hard, Severity::Hard),
        (Write, no_space(), Severity::Hard, Severity::Hard),
        (ManifestWrite, no_space(), Severity::Hard, Severity::Hard),
        (Compaction, too_many.clone(), Severity::Soft, Severity::None),
        (Flush, too_many.clone(), Severity::Hard, Severity::Hard),
        (Write, too_many.clone(), Severity::Hard, Severity::Hard),
        (ManifestWrite, too_many, Severity::Hard, Severity::Hard),
        (Compaction, io.clone(), Severity::Fatal, Severity::None),
        (Flush, io.clone(), Severity::Fatal, Severity::None),
        (Write, io.clone(), Severity::Fatal, Severity::Fatal),
        (ManifestWrite, io, Severity::Fatal, Severity::Fatal),
        (Compaction, damage.clone(), Severity::Unrecoverable, Severity::None),
        (Flush, damage, Severity::Unrecoverable, Severity::None),
    ];
    for (reason, status, paranoid, lenient) in cases {
        assert_eq!(severity(reason, &status, true), paranoid, "{reason:?} {status}");
        assert_eq!(severity(reason, &status, false), lenient, "{reason:?} {status}");
    }
}

#[test]
fn the_worst_error_stands_until_recovery_succeeds() {
    let mut errors = ErrorHandler::default();
    assert!(errors.set(BackgroundErrorReason::Compaction, &no_space(), true));
    assert!(errors.error().is_some() && errors.write_error().is_none());
    assert!(errors.set(BackgroundErrorReason::Flush, &no_space(), true));
    assert!(errors.stops_background_work());
    errors.begin_recovery().unwrap();
    assert_eq!(errors.begin_recovery().unwrap_err().code(), Code::Busy);
    errors.end_recovery(false);
    assert!(errors.write_error().is_some());
    errors.begin_recovery().unwrap();
    errors.end_recovery(true);
    assert!(errors.error().is_none());
    assert!(!errors.set(BackgroundErrorReason::Write, &Status::io_error("bad"), true));
    assert_eq!(errors.begin_recovery().unwrap_err().severity(), Severity::Fatal);
    assert_eq!(errors.count, 2);
}
