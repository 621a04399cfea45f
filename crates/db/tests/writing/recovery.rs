//! What an open for writing makes of what an earlier process left.

use crate::fixture::{Fixture, default_family, get, put, scan};
use db::{ColumnFamilyDescriptor, Db, FlushOptions, WriteBatch, WriteOptions};
use env::{FileOptions, read_file_to_vec};
use options::{DbPath, WalRecoveryMode};
use std::path::Path;
use testing::peer;

const FILE_SIZE_MAX: u64 = 64 << 20;

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn put_synced(db: &Db, key: &str) {
    let options = WriteOptions { sync: true, ..WriteOptions::default() };
    db.put(&options, &default_family(db), key.as_bytes(), b"value").unwrap();
}

fn keys(db: &Db) -> Vec<String> {
    scan(db).into_iter().map(|(key, _)| key).collect()
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("key{index}")).collect()
}

impl Fixture {
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        read_file_to_vec(&*self.context.file_system, &self.path.join(name), FILE_SIZE_MAX).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let fs = &self.context.file_system;
        let mut file =
            fs.new_writable_file(&self.path.join(name), &FileOptions::default()).unwrap();
        file.append(bytes).unwrap();
        file.close().unwrap();
    }

    pub(crate) fn delete(&self, name: &str) {
        self.context.file_system.delete_file(&self.path.join(name)).unwrap();
    }

    fn files_starting(&self, prefix: &str) -> Vec<String> {
        self.files().into_iter().filter(|name| name.starts_with(prefix)).collect()
    }

    /// The newest WAL that is not empty.
    fn last_wal(&self) -> String {
        let wals = self.files_with(".log");
        wals.into_iter().rfind(|name| !self.read(name).is_empty()).unwrap()
    }
}

/// Ten keys in one WAL, whose bytes `damage` changes.
fn with_damaged_wal(damage: impl Fn(&mut Vec<u8>)) -> Fixture {
    let fixture = Fixture::new();
    let db = fixture.open();
    numbered(10).iter().for_each(|key| put(&db, key, "value"));
    db.close().unwrap();
    let wal = fixture.last_wal();
    let mut bytes = fixture.read(&wal);
    damage(&mut bytes);
    fixture.write(&wal, &bytes);
    fixture
}

#[test]
fn a_torn_tail_ends_the_log_where_the_mode_allows_it() {
    use WalRecoveryMode::{
        AbsoluteConsistency, PointInTimeRecovery, SkipAnyCorruptedRecords,
        TolerateCorruptedTailRecords,
    };
    let modes = [
        (TolerateCorruptedTailRecords, Some(9)),
        (AbsoluteConsistency, None),
        (PointInTimeRecovery, Some(9)),
        (SkipAnyCorruptedRecords, Some(9)),
    ];
    for (mode, found) in modes {
        let mut fixture = with_damaged_wal(|bytes| bytes.truncate(bytes.len() - 3));
        fixture.options.wal_recovery_mode = mode;
        let Some(found) = found else {
            let before = fixture.files();
            let error = fixture.try_open().unwrap_err();
            assert!(error.message().contains(".log at offset"), "{error}");
            assert!(before.iter().all(|name| fixture.files().contains(name)));
            continue;
        };
        let db = fixture.open();
        assert_eq!(keys(&db), numbered(found), "{mode:?}");
        put(&db, "later", "value");
        db.close().unwrap();
        // What was torn is behind us, in the strictest mode too.
        fixture.options.wal_recovery_mode = AbsoluteConsistency;
        let db = fixture.open();
        assert_eq!(keys(&db).len(), found + 1, "{mode:?}");
        assert_eq!(get(&db, "later"), Some("value".into()), "{mode:?}");
    }
}

#[test]
fn damage_in_the_middle_is_treated_by_the_mode() {
    use WalRecoveryMode::{
        AbsoluteConsistency, PointInTimeRecovery, SkipAnyCorruptedRecords,
        TolerateCorruptedTailRecords,
    };
    let modes = [
        (TolerateCorruptedTailRecords, None),
        (AbsoluteConsistency, None),
        (PointInTimeRecovery, Some(4)),
        (SkipAnyCorruptedRecords, Some(4)),
    ];
    for (mode, at_least) in modes {
        let mut fixture = with_damaged_wal(|bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
        });
        fixture.options.wal_recovery_mode = mode;
        let Some(at_least) = at_least else {
            assert!(fixture.try_open().is_err(), "{mode:?}");
            continue;
        };
        let db = fixture.open();
        let found = keys(&db);
        assert!((at_least..10).contains(&found.len()), "{mode:?}: {found:?}");
        if mode == PointInTimeRecovery {
            assert_eq!(found, numbered(found.len()));
        }
        let sequence = db.latest_sequence_number();
        put(&db, "later", "value");
        db.close().unwrap();
        fixture.options.wal_recovery_mode = AbsoluteConsistency;
        let db = fixture.open();
        assert_eq!(keys(&db).len(), found.len() + 1, "{mode:?}");
        assert!(db.latest_sequence_number() > sequence);
    }
}

#[test]
fn wals_can_be_kept_instead_of_flushed() {
    let mut fixture = Fixture::new();
    fixture.options.avoid_flush_during_recovery = true;
    for round in 0..4 {
        let db = fixture.open();
        assert_eq!(keys(&db), numbered(round));
        put(&db, &format!("key{round}"), "value");
        db.close().unwrap();
    }
    assert_eq!(fixture.files_with(".sst").len(), 0);
    assert!(fixture.files_with(".log").len() >= 4, "{:?}", fixture.files());
    let db = fixture.open();
    flush(&db);
    db.close().unwrap();
    assert_eq!(fixture.files_with(".sst").len(), 1);
    assert_eq!(fixture.files_with(".log").len(), 1, "{:?}", fixture.files());
    assert_eq!(keys(&fixture.open()), numbered(4));
}

#[test]
fn what_an_earlier_process_left_goes_and_what_is_not_ours_stays() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "key0", "value");
    flush(&db);
    db.close().unwrap();
    let leftovers = ["000900.sst", "000901.blob", "000001.log", "000902.dbtmp", "MANIFEST-000903"];
    let foreign = ["notes.txt", "000904.bak"];
    leftovers.iter().chain(&foreign).for_each(|name| fixture.write(name, b"something"));
    let db = fixture.open();
    let files = fixture.files();
    assert!(leftovers.iter().all(|name| !files.contains(&(*name).to_owned())), "{files:?}");
    assert!(foreign.iter().all(|name| files.contains(&(*name).to_owned())), "{files:?}");
    // No number of theirs is given out again.
    put(&db, "key1", "value");
    flush(&db);
    let tables = fixture.files_with(".sst");
    assert!(tables.last().unwrap().as_str() > "000903.sst", "{tables:?}");
    assert_eq!(keys(&db), numbered(2));
}

#[test]
fn a_manifest_that_current_does_not_name_is_ignored() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "key0", "value");
    flush(&db);
    db.close().unwrap();
    // The beginning of a MANIFEST that was never made current.
    let manifest = fixture.files_starting("MANIFEST-").remove(0);
    fixture.write("MANIFEST-000800", &fixture.read(&manifest)[..20]);
    assert_eq!(keys(&fixture.open()), numbered(1));
}

#[test]
fn with_best_efforts_a_missing_table_takes_back_no_more_than_it_must() {
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for key in numbered(3) {
        put(&db, &key, "value");
        flush(&db);
    }
    put(&db, "only in the WAL", "value");
    db.close().unwrap();
    let tables = fixture.files_with(".sst");
    fixture.delete(tables.last().unwrap());
    let error = fixture.try_open().unwrap_err();
    assert!(error.message().contains(tables.last().unwrap()), "{error}");

    fixture.options.best_efforts_recovery = true;
    fixture.delete("CURRENT");
    let db = fixture.open();
    // WALs begin where tables end, so they are not replayed.
    assert_eq!(keys(&db), numbered(2));
    put(&db, "later", "value");
    flush(&db);
    db.close().unwrap();
    fixture.options.best_efforts_recovery = false;
    assert_eq!(keys(&fixture.open()).len(), 3);
}

#[test]
fn with_best_efforts_a_blob_file_that_is_cut_takes_back_the_table_that_refers_to_it() {
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    fixture.family_options.enable_blob_files = true;
    // One for each value.
    fixture.family_options.blob_file_size = 1;
    let db = fixture.open();
    for keys in numbered(4).chunks(2) {
        keys.iter().for_each(|key| put(&db, key, "value"));
        flush(&db);
    }
    db.close().unwrap();
    let blob_files = fixture.files_with(".blob");
    assert_eq!(blob_files.len(), 4);
    // Of the second table this is not the oldest one.
    let path = fixture.path.join(&blob_files[3]);
    let size = fixture.context.file_system.get_file_size(&path).unwrap();
    fixture.context.file_system.truncate(&path, size - 1).unwrap();

    fixture.options.best_efforts_recovery = true;
    assert_eq!(keys(&fixture.open()), numbered(2));
}

#[test]
fn a_family_dropped_while_its_data_is_in_the_wal_stays_dropped() {
    let mut fixture = Fixture::new();
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    for index in 0..5 {
        let mut batch = WriteBatch::new();
        batch.put(0, format!("key{index}").as_bytes(), b"value").unwrap();
        batch.put(other.id(), format!("key{index}").as_bytes(), b"value").unwrap();
        db.write(&WriteOptions::default(), batch).unwrap();
    }
    db.drop_column_family(&other).unwrap();
    let again = db.create_column_family(&fixture.family_options, "other").unwrap();
    drop((other, again));
    db.close().unwrap();
    fixture.families.push("other".to_owned());
    let db = fixture.open();
    assert_eq!(keys(&db), numbered(5));
    let again = db.column_family("other").unwrap();
    let found = db.get(&db::ReadOptions::default(), &again, b"key0").unwrap();
    assert!(found.is_none());
    assert_eq!(db.latest_sequence_number(), 10);
}

#[test]
fn tables_and_wals_are_where_the_paths_say() {
    let mut fixture = Fixture::new();
    fixture.options.wal_dir = "/wals/of/db".to_owned();
    fixture.options.db_paths = vec![DbPath::new("/fast", 1 << 20), DbPath::new("/slow", 1 << 40)];
    let list = |fixture: &Fixture, path: &str, suffix: &str| {
        let names = fixture.context.file_system.get_children(Path::new(path)).unwrap();
        names.iter().filter(|name| name.ends_with(suffix)).count()
    };
    for round in 0..3 {
        let db = fixture.open();
        assert_eq!(keys(&db), numbered(round));
        put(&db, &format!("key{round}"), "value");
        if round == 1 {
            flush(&db);
        }
        db.close().unwrap();
        assert_eq!(list(&fixture, "/wals/of/db", ".log"), 1);
    }
    assert!(fixture.files_with(".log").is_empty() && fixture.files_with(".sst").is_empty());
    assert!(list(&fixture, "/fast", ".sst") > 0);
}

#[test]
fn obsolete_wals_go_to_the_archive_if_it_has_a_limit() {
    let mut fixture = Fixture::new();
    fixture.options.wal_ttl_seconds = 3600;
    let db = fixture.open();
    for key in numbered(3) {
        put(&db, &key, "value");
        flush(&db);
    }
    db.close().unwrap();
    let archive = fixture.path.join("archive");
    let archived = fixture.context.file_system.get_children(&archive).unwrap();
    assert_eq!(archived.len(), 3, "{archived:?}");
    // What is archived is not replayed.
    assert_eq!(keys(&fixture.open()), numbered(3));
    fixture.options.wal_ttl_seconds = 0;
    fixture.options.wal_size_limit_mb = 1;
    let db = fixture.open();
    put(&db, &"k".repeat(2 << 20), "value");
    flush(&db);
    db.close().unwrap();
    // None of that size fits into the limit.
    assert!(fixture.context.file_system.get_children(&archive).unwrap().is_empty());
}

/// Two WALs, the older one finished and synced and still needed.
fn with_tracked_wals(fixture: &mut Fixture) -> String {
    fixture.options.track_and_verify_wals_in_manifest = true;
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    fixture.families.push("other".to_owned());
    put(&db, "key0", "value");
    db.put(&WriteOptions::default(), &other, b"key", b"value").unwrap();
    let first = fixture.last_wal();
    db.flush(&FlushOptions::default(), &[&other]).unwrap();
    put_synced(&db, "key1");
    drop(other);
    db.close().unwrap();
    assert!(fixture.files().contains(&first));
    first
}

#[test]
fn a_wal_that_is_missing_or_cut_off_is_noticed_if_wals_are_tracked() {
    let mut fixture = Fixture::new();
    let first = with_tracked_wals(&mut fixture);
    let bytes = fixture.read(&first);
    fixture.write(&first, &bytes[..bytes.len() - 1]);
    let error = fixture.try_open().unwrap_err();
    assert!(error.message().contains("Size mismatch: WAL"), "{error}");
    fixture.delete(&first);
    let error = fixture.try_open().unwrap_err();
    assert!(error.message().contains("Missing WAL with log number"), "{error}");
    fixture.write(&first, &bytes);
    let db = fixture.open();
    assert_eq!(keys(&db), numbered(2));
    db.close().unwrap();
    // They are struck off when they go.
    assert!(!fixture.files().contains(&first));
    assert_eq!(keys(&fixture.open()), numbered(2));
}

#[test]
fn rocksdb_checks_the_wals_that_are_tracked() {
    let Some(ldb) = peer::find("ldb") else { return };
    let place = tempfile::TempDir::new().unwrap();
    let mut fixture = Fixture::new();
    fixture.context.file_system = env::default_file_system();
    fixture.path = place.path().join("db");
    let first = with_tracked_wals(&mut fixture);
    let path = format!("--db={}", fixture.path.display());
    let scan = || {
        let output = ldb.run(&[&path, "scan", "--try_load_options"]);
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
    };
    assert_eq!(scan().lines().count(), 2, "{}", scan());
    let bytes = fixture.read(&first);
    fixture.delete(&first);
    assert!(scan().contains("Missing WAL with log number"), "{}", scan());
    fixture.write(&first, &bytes);
    // An open for reading cannot strike off what is not tracked any more.
    fixture.options.track_and_verify_wals_in_manifest = false;
    fixture.options.avoid_flush_during_recovery = true;
    fixture.open().close().unwrap();
    assert!(fixture.files().contains(&first));
    assert_eq!(scan().lines().count(), 2, "{}", scan());
}

#[test]
fn compressed_and_recycled_wals_are_replayed() {
    for (compression, recycled) in [("kZSTD", 0), ("kNoCompression", 4), ("kZSTD", 4)] {
        let mut fixture = Fixture::new();
        let config = options::ConfigOptions::default();
        fixture.options.apply("wal_compression", compression, &config).unwrap();
        fixture.options.recycle_log_file_num = recycled;
        let value = "v".repeat(3000);
        for round in 0..3 {
            let db = fixture.open();
            for index in 0..30 {
                put(&db, &format!("key{index}"), &format!("{round}{value}"));
                if index % 10 == 9 {
                    flush(&db);
                }
            }
            put(&db, "last", &round.to_string());
            db.close().unwrap();
            let db = fixture.open();
            assert_eq!(scan(&db).len(), 31, "{compression} {recycled}");
            assert_eq!(get(&db, "last"), Some(round.to_string()));
        }
    }
}

#[test]
fn options_come_back_from_the_options_file() {
    let mut fixture = Fixture::new();
    fixture.options.max_background_jobs = 7;
    fixture.options.track_and_verify_wals = true;
    fixture.family_options.write_buffer_size = 12 << 20;
    fixture.family_options.memtable_max_range_deletions = 77;
    fixture.open().close().unwrap();
    let fs = &*fixture.context.file_system;
    let config = options::ConfigOptions::default();
    let (_, file) = options::OptionsFile::latest(fs, &fixture.path, &config).unwrap();
    // `track_and_verify_wals` came with it.
    assert_eq!(file.rocksdb_version, options::Release::new(9, 11, 0));
    assert_eq!(file.db.to_option_string(), fixture.options.to_option_string());
    let family = file.column_family("default").unwrap();
    assert_eq!(family.to_option_string(), fixture.family_options.to_option_string());
    let descriptors = [ColumnFamilyDescriptor::new("default", family.clone())];
    Db::open(&file.db, &fixture.path, &descriptors, &fixture.context).unwrap();
}
