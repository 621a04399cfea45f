//! RocksDB opens a database with the options that were set, by its OPTIONS file.

use crate::open;
use db::OpenContext;
use testing::judges;
use testing::judges::protocol::{Mode, Opening};

#[test]
fn rocksdb_goes_on_with_the_options_that_were_set() {
    for release in ["7.8.3", "11.8.1"] {
        let Some(judge) = judges::library(release) else { continue };
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path(), "", "num_levels=4", &OpenContext::default());
        let family = db.column_family("default").unwrap();
        let changes = [
            ("write_buffer_size", "3M"),
            ("compression", "kZSTD"),
            ("prefix_extractor", "fixed:3"),
            ("compaction_options_fifo", "{max_table_files_size=5M}"),
            ("block_based_table_factory", "{block_size=8K;filter_policy=bloomfilter:10:false}"),
        ];
        db.set_options(&family, &changes).unwrap();
        db.set_db_options(&[("max_background_jobs", "5"), ("bytes_per_sync", "1M")]).unwrap();
        db.put(&Default::default(), &family, b"key", b"value").unwrap();
        db.close().unwrap();
        let mut session = judge.session();
        let opening = Opening {
            directory: directory.path().to_owned(),
            mode: Mode::ReadWrite,
            latest: true,
            ..Opening::default()
        };
        session.open(&opening).unwrap();
        let value = session.get(b"default", b"key", None).unwrap();
        assert_eq!(value, Some(b"value".to_vec()), "{release}");
        session.close().unwrap();
        // What it wrote then has them again.
        let (_, read) = options::OptionsFile::latest(
            &*env::default_file_system(),
            directory.path(),
            &options::ConfigOptions::default(),
        )
        .unwrap();
        let family = read.column_family("default").unwrap();
        assert_eq!(family.write_buffer_size, 3 << 20, "{release}");
        assert_eq!(family.compression, options::CompressionType::Zstd);
        assert_eq!(family.compaction_options_fifo.max_table_files_size, 5 << 20);
        assert_eq!(family.table.block_size, 8 << 10);
        assert_eq!(family.get("prefix_extractor").as_deref(), Some("rocksdb.FixedPrefix.3"));
        assert_eq!((read.db.max_background_jobs, read.db.bytes_per_sync), (5, 1 << 20));
    }
}
