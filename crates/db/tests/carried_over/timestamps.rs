//! User-defined timestamps that RocksDB wrote, and how far back they can be asked for.

use crate::tables;
use base::status::Code;
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    FlushOptions, OpenContext, ReadOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::collections::BTreeMap;
use std::path::Path;
use testing::content::ContentHash;
use testing::judges::protocol::{Bytes, Comparator, FamilyOpening, Mode, Opening, Operation};
use testing::judges::{self, Judge, Session};

const DEFAULT: &str = "default";
const TIMES: u64 = 12;
/// What is forgotten.
const LOW: u64 = 5;

fn open(judge: &Judge, directory: &Path, mode: Mode) -> Session {
    let mut family = FamilyOpening::new(DEFAULT.as_bytes(), "disable_auto_compactions=true");
    family.comparator = Some(Comparator::U64Ts);
    let mut session = judge.session();
    let opening = Opening {
        directory: directory.to_owned(),
        mode,
        options: "create_if_missing=true".to_owned(),
        families: vec![family],
        ..Opening::default()
    };
    session.open(&opening).unwrap();
    session
}

fn open_for_writing(directory: &Path) -> Db {
    let mut family = ColumnFamilyOptions::from_string("disable_auto_compactions=true").unwrap();
    family.comparator = base::comparator::builtin("leveldb.BytewiseComparator.u64ts").unwrap();
    let families = [ColumnFamilyDescriptor::new(DEFAULT, family)];
    Db::open(&DbOptions::default(), directory, &families, &OpenContext::default()).unwrap()
}

fn stamp(time: u64) -> Vec<u8> {
    time.to_le_bytes().to_vec()
}

fn key(name: &str, time: u64) -> Vec<u8> {
    [name.as_bytes(), &stamp(time)].concat()
}

/// Keys that are written, deleted and written again as time goes by; half of it flushed.
fn write(session: &mut Session) {
    for time in 1..TIMES {
        let family = Bytes::from(DEFAULT);
        let put = |name: &str| Operation::Put {
            family: family.clone(),
            key: Bytes(key(name, time)),
            value: format!("{name} at {time}").as_str().into(),
        };
        let delete = Operation::Delete { family: family.clone(), key: Bytes(key("often", time)) };
        let often = if time % 3 == 0 { delete } else { put("often") };
        session.write(vec![put(&format!("key {}", time % 4)), often]).unwrap();
        if time % 4 == 0 {
            session.flush(&[]).unwrap();
        }
    }
}

/// What must be there at a time.
fn expected(time: u64) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    for now in 1..=time.min(TIMES - 1) {
        let name = format!("key {}", now % 4);
        pairs.insert(name.clone(), format!("{name} at {now}"));
        match now % 3 {
            0 => drop(pairs.remove("often")),
            _ => drop(pairs.insert("often".to_owned(), format!("often at {now}"))),
        }
    }
    pairs
}

/// What there is at a time; and number and hash of that, with timestamps, as the judges tell.
struct Found {
    pairs: BTreeMap<String, String>,
    hash: (u64, String),
}

fn find(db: &Db, family: &ColumnFamilyHandle, time: u64) -> base::Result<Found> {
    let options = ReadOptions { timestamp: Some(stamp(time)), ..ReadOptions::default() };
    let mut iterator = db.new_iterator(&options, family)?;
    let (mut pairs, mut hash) = (BTreeMap::new(), ContentHash::new());
    iterator.seek_to_first();
    while iterator.valid() {
        hash.push_with_timestamp(iterator.key(), iterator.timestamp(), iterator.value());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        pairs.insert(text(iterator.key()), text(iterator.value()));
        iterator.next();
    }
    iterator.status()?;
    Ok(Found { pairs, hash: (hash.count(), hash.sha256()) })
}

fn check_reads(db: &Db, family: &ColumnFamilyHandle, since: u64) {
    for time in 1..TIMES {
        match find(db, family, time) {
            Ok(found) => {
                assert!(time >= since, "{time} can be asked for");
                assert_eq!(found.pairs, expected(time), "at {time}");
            }
            Err(error) => {
                assert!(time < since, "{time}: {error}");
                assert_eq!(error.code(), Code::InvalidArgument, "{error}");
            }
        }
    }
}

fn dump(session: &mut Session, time: u64) -> (u64, String) {
    let content = session.dump_at_timestamp(&stamp(time)).unwrap();
    let content = &content[&Bytes::from(DEFAULT)];
    assert_eq!(content.error, None);
    (content.count, content.sha256.clone())
}

fn entries(directory: &Path) -> u64 {
    tables::properties(directory).values().map(|properties| properties.num_entries).sum()
}

#[test]
fn what_may_be_forgotten_is_in_the_manifest_for_rocksdb_too() {
    let mut libraries = judges::all();
    libraries
        .retain(|judge| judge.is_since("7.8.3") && !judge.to_string().starts_with("rocksdict"));
    for judge in libraries {
        let scratch = crate::scratch();
        let directory = scratch.path().join("db");
        let mut session = open(&judge, &directory, Mode::ReadWrite);
        write(&mut session);
        let theirs: Vec<_> = (0..TIMES).map(|time| dump(&mut session, time)).collect();
        session.kill();

        let db = open_for_writing(&directory);
        let family = db.column_family(DEFAULT).unwrap();
        check_reads(&db, &family, 0);
        for time in 1..TIMES {
            assert_eq!(find(&db, &family, time).unwrap().hash, theirs[time as usize], "{judge}");
        }
        assert_eq!(db.full_history_ts_low(&family), Ok(None), "{judge}");
        db.increase_full_history_ts_low(&family, &stamp(LOW - 1)).unwrap();
        let error = db.increase_full_history_ts_low(&family, &stamp(1)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        let error = db.increase_full_history_ts_low(&family, b"short").unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        check_reads(&db, &family, LOW - 1);
        let options = CompactRangeOptions {
            full_history_ts_low: Some(stamp(LOW)),
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        let before = entries(&directory);
        db.compact_range(&options, &family, None, None).unwrap();
        assert!(entries(&directory) < before, "{judge}: {} of {before}", entries(&directory));
        check_reads(&db, &family, LOW);
        db.put(&WriteOptions::default(), &family, &key("later", TIMES), b"ours").unwrap();
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        // As RocksDB does, the MANIFEST says of each new table from when to when it is.
        let version = family.version();
        for (level, file) in version.files() {
            let newest = if level == 0 { TIMES } else { TIMES - 1 };
            assert_eq!(file.min_timestamp.len(), 8, "{judge}");
            assert_eq!(file.max_timestamp, stamp(newest), "{judge}");
        }
        drop((version, family));
        db.close().unwrap();

        let db = open_for_writing(&directory);
        let family = db.column_family(DEFAULT).unwrap();
        assert_eq!(db.full_history_ts_low(&family), Ok(Some(stamp(LOW))), "{judge}");
        check_reads(&db, &family, LOW);
        let ours: Vec<_> =
            (LOW..=TIMES).map(|time| find(&db, &family, time).unwrap().hash).collect();
        drop(family);
        db.close().unwrap();

        let mut session = open(&judge, &directory, Mode::ReadWrite);
        let theirs: Vec<_> = (LOW..=TIMES).map(|time| dump(&mut session, time)).collect();
        assert_eq!(theirs, ours, "{judge}");
        if judge.is_since("8.0.0") {
            let refused = session.dump_at_timestamp(&stamp(LOW - 1));
            let is_refused = match &refused {
                Ok(contents) => contents.values().all(|content| content.error.is_some()),
                Err(_) => true,
            };
            assert!(is_refused, "{judge}: {refused:?}");
        }
    }
}
