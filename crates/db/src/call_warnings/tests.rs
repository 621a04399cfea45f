use crate::{
    ColumnFamilyDescriptor, Db, FlushOptions, IngestExternalFileOptions, OpenContext, ReadOptions,
    WriteOptions,
};
use base::status::Code;
use options::{ColumnFamilyOptions, DbOptions};

fn open() -> (tempfile::TempDir, Db) {
    let directory = tempfile::tempdir().unwrap();
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let options = DbOptions::default().create_if_missing(true);
    let db = Db::open(&options, directory.path(), &families, &OpenContext::default()).unwrap();
    (directory, db)
}

#[test]
fn what_is_only_accepted_is_warned_of_once() {
    let (directory, db) = open();
    let family = db.column_family("default").unwrap();
    db.put(&WriteOptions::default().sync(true), &family, b"a", b"1").unwrap();
    assert!(db.call_warnings().is_empty());
    let reading = ReadOptions::default().async_io(true).auto_readahead_size(false);
    for _ in 0..3 {
        assert_eq!(&*db.get(&reading, &family, b"a").unwrap().unwrap(), b"1");
        db.new_iterator(&reading, &family).unwrap();
    }
    let writing = WriteOptions::default().protection_bytes_per_key(8);
    db.put(&writing, &family, b"b", b"2").unwrap();
    let said = [
        "async_io of ReadOptions is not false: accepted, not honoured yet",
        "auto_readahead_size of ReadOptions is not true: accepted, not honoured yet",
        "protection_bytes_per_key of WriteOptions is not 0: accepted, not honoured yet",
    ];
    assert_eq!(db.call_warnings(), said);
    let log = std::fs::read_to_string(directory.path().join("LOG")).unwrap();
    for sentence in said {
        assert_eq!(log.matches(sentence).count(), 1, "{sentence}");
    }
}

#[test]
fn a_call_with_a_refused_option_fails() {
    let (_directory, db) = open();
    let family = db.column_family("default").unwrap();
    let ingestion = IngestExternalFileOptions::default().allow_db_generated_files(true);
    let flush = FlushOptions::default().force_atomic_flush(true);
    for (error, option) in [
        (
            db.ingest_external_file(&family, &["/none".into()], &ingestion).unwrap_err(),
            "allow_db_generated_files of IngestExternalFileOptions",
        ),
        (db.flush(&flush, &[&family]).unwrap_err(), "force_atomic_flush of FlushOptions"),
    ] {
        assert_eq!(error.code(), Code::NotSupported, "{error}");
        let sentence = format!("{option} is not offered by this engine: leave it at ");
        assert!(error.message().starts_with(&sentence), "{error}");
    }
    assert!(db.call_warnings().is_empty());
}
