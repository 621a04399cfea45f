use super::*;
use base::status::Code::{self, InvalidArgument, NotSupported};
use options::ColumnFamilyOptions;

fn outcome(db: &str, family: &str) -> Result<()> {
    let db = DbOptions::from_string(db)?;
    let family = ColumnFamilyOptions::from_string(family)?;
    validate(&db, &[ColumnFamilyDescriptor::new("default", family)])
}

#[test]
fn defaults_are_fine() {
    outcome("", "").unwrap();
    outcome("daily_offpeak_time_utc=23:30-04:00", "compression=kZSTD").unwrap();
    outcome("file_checksum_gen_factory=FileChecksumGenCrc32cFactory", "").unwrap();
}

#[test]
fn what_the_rules_refuse_is_refused() {
    let refused: [(&str, &str, Code, &str); 4] = [
        (
            "keep_log_file_num=0",
            "",
            InvalidArgument,
            "keep_log_file_num=0 is outside its range: set it to at least 1",
        ),
        (
            "atomic_flush=true;enable_pipelined_write=true",
            "",
            InvalidArgument,
            "atomic_flush=true contradicts enable_pipelined_write=true: set one of them to false",
        ),
        (
            "",
            "table_factory={format_version=8}",
            InvalidArgument,
            "table_factory.format_version=8 is outside its range: set it to at most 7 (column \
             family default)",
        ),
        (
            "file_checksum_gen_factory=mine",
            "",
            NotSupported,
            "file_checksum_gen_factory=mine is not registered, and tables would be written without \
             the checksums that others have: set it to FileChecksumGenCrc32cFactory",
        ),
    ];
    for (db, family, code, message) in refused {
        let error = outcome(db, family).unwrap_err();
        assert_eq!((error.code(), error.message()), (code, message));
    }
}
