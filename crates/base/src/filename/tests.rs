use super::*;

#[test]
fn names_parse_and_print() {
    let directory = Path::new("/db");
    for (path, number, file_type) in [
        (table_file_name(directory, 9), 9, FileType::Table),
        (leveldb_table_file_name(directory, 9), 9, FileType::Table),
        (wal_file_name(directory, 12), 12, FileType::Wal),
        (blob_file_name(directory, 1_234_567), 1_234_567, FileType::Blob),
        (descriptor_file_name(directory, 5), 5, FileType::Descriptor),
        (options_file_name(directory, 7), 7, FileType::Options),
        (temp_file_name(directory, 5), 5, FileType::Temp),
    ] {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_eq!(parse_file_name(name), Some((number, file_type)), "{name}");
    }
    assert_eq!(wal_file_name(directory, 12), Path::new("/db/000012.log"));
}

#[test]
fn other_names() {
    assert_eq!(parse_file_name("CURRENT"), Some((0, FileType::Current)));
    assert_eq!(
        parse_file_name("LOG.old.1700000000000000"),
        Some((1_700_000_000_000_000, FileType::InfoLog))
    );
    assert_eq!(parse_file_name("OPTIONS-000007.dbtmp"), Some((7, FileType::Temp)));
    assert_eq!(parse_file_name("METADB-3"), Some((3, FileType::MetaDatabase)));
    for name in
        ["", "foo", "100.txt", ".sst", "MANIFEST-", "1x.log", "99999999999999999999.sst", "archive"]
    {
        assert_eq!(parse_file_name(name), None, "{name}");
    }
}

#[test]
fn info_logs_in_a_log_directory_name_their_database() {
    let (db, logs) = (Path::new("/var//lib/my db/x-1.y_z"), Path::new("/logs"));
    assert_eq!(info_log_file_name(db, None), Path::new("/var//lib/my db/x-1.y_z/LOG"));
    let name = info_log_file_name(db, Some(logs));
    assert_eq!(name, Path::new("/logs/var_lib_my_db_x-1.y_z_LOG"));
    let old = old_info_log_file_name(db, Some(logs), 17);
    assert_eq!(old, Path::new("/logs/var_lib_my_db_x-1.y_z_LOG.old.17"));
    assert_eq!(old_info_log_file_name(Path::new("d"), None, 5), Path::new("d/LOG.old.5"));
    let parse = |name| parse_old_info_log_file_name(name, db, Some(logs));
    assert_eq!(parse("var_lib_my_db_x-1.y_z_LOG.old.17"), Some(17));
    for name in ["var_lib_my_db_x-1.y_z_LOG", "LOG.old.17", "other_LOG.old.17", ""] {
        assert_eq!(parse(name), None, "{name}");
    }
    assert_eq!(parse_old_info_log_file_name("LOG.old.17", db, None), Some(17));
    let long = "x".repeat(1000);
    let name = info_log_file_name(Path::new(&long), Some(logs));
    assert_eq!(name.file_name().unwrap().len(), 259);
}
