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
