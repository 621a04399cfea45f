//! Temperatures of tables: those of RocksDB's stay, those of new ones are as the options say, and
//! RocksDB finds both.

use crate::scratch;
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions,
    OpenContext, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::collections::BTreeMap;
use std::path::Path;
use testing::judges::protocol::{FamilyOpening, Mode, Opening, Operation};
use testing::judges::{self, Judge, Session};
use version::Temperature;

const DEFAULT: &str = "default";
const PLAIN: &str = "disable_auto_compactions=true;num_levels=2";
const COLD: &str = "disable_auto_compactions=true;num_levels=2;last_level_temperature=kCold";

fn open(judge: &Judge, directory: &Path, options: &str) -> Session {
    let mut session = judge.session();
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true".to_owned(),
        families: vec![FamilyOpening::new(DEFAULT.as_bytes(), options)],
        ..Opening::default()
    };
    session.open(&opening).unwrap();
    session
}

fn open_for_writing(directory: &Path, options: &str) -> Db {
    let family = ColumnFamilyOptions::from_string(options).unwrap();
    let families = [ColumnFamilyDescriptor::new(DEFAULT, family)];
    Db::open(&DbOptions::default(), directory, &families, &OpenContext::default()).unwrap()
}

/// Level and temperature of each table, by number.
fn temperatures(db: &Db) -> BTreeMap<u64, (usize, Temperature)> {
    let files = db.live_files().into_iter();
    files.map(|file| (file.number, (file.level, file.temperature))).collect()
}

fn bytes_at(db: &Db, temperature: Temperature) -> u64 {
    let files = db.live_files().into_iter();
    files.filter(|file| file.temperature == temperature).map(|file| file.size_bytes).sum()
}

#[test]
fn temperatures_go_through_flushes_and_compactions_and_back() {
    let mut libraries = judges::all();
    libraries
        .retain(|judge| judge.is_since("7.8.3") && !judge.to_string().starts_with("rocksdict"));
    for judge in libraries {
        // What is not for the last level has a temperature of its own since 9.1.
        let (options, new) = match judge.is_since("9.1.0") {
            true => (format!("{COLD};default_write_temperature=kWarm"), Temperature::WARM),
            false => (COLD.to_owned(), Temperature::UNKNOWN),
        };
        let scratch = scratch();
        let directory = scratch.path().join("db");
        let mut session = open(&judge, &directory, &options);
        let put = |key: &str| Operation::Put {
            family: DEFAULT.into(),
            key: key.into(),
            value: "theirs".into(),
        };
        session.write(vec![put("a"), put("b")]).unwrap();
        session.flush(&[]).unwrap();
        session.compact(DEFAULT.as_bytes()).unwrap();
        session.write(vec![put("c"), put("d")]).unwrap();
        session.flush(&[]).unwrap();
        session.kill();

        // Without the options what is there stays as it is.
        let db = open_for_writing(&directory, PLAIN);
        let theirs = temperatures(&db);
        let found: Vec<_> = theirs.values().copied().collect();
        assert!(
            found.contains(&(0, new)) && found.contains(&(1, Temperature::COLD)),
            "{judge}: {found:?}"
        );
        db.close().unwrap();
        let db = open_for_writing(&directory, &options);
        assert_eq!(temperatures(&db), theirs, "{judge}");
        let family = db.column_family(DEFAULT).unwrap();
        let flush = |key: &[u8]| {
            db.put(&WriteOptions::default(), &family, key, b"ours").unwrap();
            db.flush(&FlushOptions::default(), &[&family]).unwrap();
        };
        flush(b"e");
        let mut ours = temperatures(&db);
        ours.retain(|number, _| !theirs.contains_key(number));
        assert_eq!(ours.into_values().collect::<Vec<_>>(), [(0, new)], "{judge}");
        let all = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(&all, &family, None, None).unwrap();
        let compacted: Vec<_> = temperatures(&db).into_values().collect();
        assert_eq!(compacted, [(1, Temperature::COLD)], "{judge}");
        flush(b"f");
        let expected = [Temperature::COLD, Temperature::WARM, Temperature::UNKNOWN]
            .map(|temperature| (temperature, bytes_at(&db, temperature)));
        drop(family);
        db.close().unwrap();

        let mut session = open(&judge, &directory, PLAIN);
        for (temperature, bytes) in expected {
            let name = format!("rocksdb.live-sst-files-size-at-temperature{}", temperature.0);
            let found = session.property(DEFAULT.as_bytes(), &name).unwrap();
            assert_eq!(found, Some(bytes.to_string()), "{judge}: {temperature:?}");
        }
    }
}
