use super::*;
use std::io;

#[test]
fn display_is_rocksdbs_to_string() {
    assert_eq!(Status::corruption("bad").to_string(), "Corruption: bad");
    assert_eq!(Status::not_supported("x").to_string(), "Not implemented: x");
    assert_eq!(
        Status::corruption_at(Path::new("/d/000009.sst"), 17, "bad magic").to_string(),
        "Corruption: /d/000009.sst at offset 17: bad magic"
    );
}

#[test]
fn io_errors_keep_their_cause() {
    let error = io::Error::from(io::ErrorKind::NotFound);
    let status = Status::from_io(&error, "open", Path::new("/nowhere"));
    assert_eq!(status.code(), Code::IoError);
    assert!(status.is_path_not_found());
    assert!(status.message().starts_with("open /nowhere: "));
    let full = io::Error::from(io::ErrorKind::StorageFull);
    assert_eq!(Status::from_io(&full, "write", Path::new("f")).subcode(), SubCode::NoSpace);
    let too_many = Status::from_io(&io::Error::from_raw_os_error(24), "open", Path::new("f"));
    assert!(too_many.is_retryable() && !status.is_retryable(), "{too_many}");
    assert_eq!(too_many.message(), "open f: Too many open files (os error 24)");
}

#[test]
fn a_result_is_one_pointer() {
    assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
}
