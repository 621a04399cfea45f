use super::*;

#[test]
fn statuses_keep_their_kind() {
    let of = |text: &str| status_of(Failure::Refused(text.to_owned()));
    let status = of("IO error: While lock file: /a/LOCK: busy");
    assert_eq!(status.code(), Code::IoError);
    assert_eq!(status.message(), "While lock file: /a/LOCK: busy");
    assert_eq!(of("Invalid argument: a: b").code(), Code::InvalidArgument);
    assert_eq!(of("something").code(), Code::Aborted);
    let lacking = status_of(Failure::Unsupported("rocksdb_x".to_owned()));
    assert_eq!(lacking.code(), Code::NotSupported);
    assert!(lacking.message().contains("rocksdb_x"), "{lacking}");
}
