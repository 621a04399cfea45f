use super::*;

fn flags(arguments: &[&str]) -> Flags {
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Flags::parse(&arguments).unwrap()
}

#[test]
fn options_come_from_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("OPTIONS");
    let text = "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n\
                [DBOptions]\n  max_background_jobs=7\n\
                [CFOptions \"default\"]\n  write_buffer_size=123456\n\
                [TableOptions/BlockBasedTable \"default\"]\n  block_size=9000\n";
    std::fs::write(&path, text).unwrap();
    let file = format!("--options_file={}", path.display());
    let given = flags(&[&file, "--write_buffer_size=5", "--compression_type=zstd", "--num=3"]);
    let (db, family) = database_options(&given, None).unwrap();
    assert_eq!(db.max_background_jobs, 7);
    assert!(db.create_if_missing);
    assert_eq!((family.write_buffer_size, family.table.block_size), (123_456, 9000));
    assert_eq!(overruled(&given), ["compression_type", "write_buffer_size"]);

    std::fs::write(&path, "[DBOptions]\n  no_such_option=1\n").unwrap();
    let error = database_options(&given, None).unwrap_err();
    assert!(error.message().contains("--options_file"), "{error}");
    let error = database_options(&flags(&["--options_file=/nowhere/OPTIONS"]), None).unwrap_err();
    assert!(error.message().contains("/nowhere/OPTIONS"), "{error}");
}

#[test]
fn without_a_file_they_come_from_flags() {
    let (db, family) =
        database_options(&flags(&["--max_background_jobs=3", "--use_keep_filter"]), None).unwrap();
    assert_eq!(db.max_background_jobs, 3);
    assert_eq!(family.compaction_filter.unwrap().name(), "KeepFilter");
    let (db, _) = database_options(&flags(&["--wal_io=mapped"]), None).unwrap();
    assert_eq!(db.wal_io, options::WalIo::Mapped);
}
