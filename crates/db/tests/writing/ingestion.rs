//! Tables that were made apart become part of a database.

use crate::fixture::{Fixture, default_family, get, get_as_of, put, scan};
use base::status::Code;
use db::{
    Db, EventListener, ExternalFileIngestionInfo, FlushOptions, IngestExternalFileArg,
    IngestExternalFileOptions, ReadOptions, SstFileWriter, WriteOptions,
};
use options::ColumnFamilyOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use version::FileChecksum;

/// A table with these pairs, and these ranges deleted.
fn table(
    fixture: &Fixture,
    name: &str,
    pairs: &[(&str, &str)],
    deleted: &[(&str, &str)],
) -> PathBuf {
    let path = fixture.path.with_file_name(name);
    let mut writer =
        SstFileWriter::new(&fixture.options, &fixture.family_options, &fixture.context);
    writer.open(&path).unwrap();
    for (key, value) in pairs {
        writer.put(key.as_bytes(), value.as_bytes()).unwrap();
    }
    for (begin, end) in deleted {
        writer.delete_range(begin.as_bytes(), end.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn ingest(db: &Db, files: &[PathBuf], options: &IngestExternalFileOptions) -> base::Result<()> {
    db.ingest_external_file(&default_family(db), files, options)
}

/// Level, smallest and largest sequence number of each table.
fn tables(db: &Db) -> Vec<(usize, u64, u64)> {
    let version = default_family(db).version();
    version.files().map(|(level, file)| (level, file.smallest_seqno, file.largest_seqno)).collect()
}

fn exists(fixture: &Fixture, path: &Path) -> bool {
    fixture.context.file_system.file_exists(path).unwrap()
}

fn default_options() -> IngestExternalFileOptions {
    IngestExternalFileOptions::default()
}

#[test]
fn a_table_goes_as_deep_as_it_can_and_is_there_after_a_reopen() {
    let mut fixture = Fixture::new();
    fixture.family_options.level_compaction_dynamic_level_bytes = false;
    let db = fixture.open();
    let file = table(&fixture, "new.sst", &[("b", "1"), ("d", "2")], &[]);
    ingest(&db, std::slice::from_ref(&file), &default_options()).unwrap();
    assert_eq!(tables(&db), [(6, 0, 0)]);
    assert!(exists(&fixture, &file), "it was copied");
    assert_eq!(db.latest_sequence_number(), 0);
    // Between its keys there is none: the next one goes as deep, but for its bounds.
    let between = table(&fixture, "between.sst", &[("c", "3")], &[]);
    ingest(&db, &[between], &default_options()).unwrap();
    assert_eq!(tables(&db), [(5, 0, 0), (6, 0, 0)]);
    drop(db);
    let db = fixture.open();
    let pairs = [("b", "1"), ("c", "3"), ("d", "2")];
    assert_eq!(scan(&db), pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

#[test]
fn what_comes_later_counts_in_memtables_and_tables() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "memory");
    put(&db, "c", "memory");
    let refused = default_options().allow_blocking_flush(false);
    let file = table(&fixture, "new.sst", &[("a", "file"), ("b", "file")], &[]);
    let status = ingest(&db, std::slice::from_ref(&file), &refused).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    assert_eq!(get(&db, "a").as_deref(), Some("memory"));
    ingest(&db, &[file], &default_options()).unwrap();
    assert_eq!(db.latest_sequence_number(), 3);
    assert_eq!(get(&db, "a").as_deref(), Some("file"));
    // The memtable was flushed, and what is on top of it has a number of its own.
    assert_eq!(tables(&db), [(0, 3, 3), (0, 1, 2)]);
    put(&db, "a", "later");
    assert_eq!(get(&db, "a").as_deref(), Some("later"));
    drop(db);
    let db = fixture.open();
    assert_eq!(get(&db, "a").as_deref(), Some("later"));
    assert_eq!(get(&db, "b").as_deref(), Some("file"));
    assert_eq!(get(&db, "c").as_deref(), Some("memory"));
}

#[test]
fn snapshots_do_not_see_it_unless_they_may() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "x", "1");
    let snapshot = db.snapshot();
    let file = table(&fixture, "new.sst", &[("a", "1")], &[]);
    ingest(&db, std::slice::from_ref(&file), &default_options()).unwrap();
    assert_eq!(get(&db, "a").as_deref(), Some("1"));
    assert_eq!(get_as_of(&db, "a", Some(snapshot.sequence())), None);
    let file = table(&fixture, "second.sst", &[("b", "1")], &[]);
    let no_number = default_options().allow_global_seqno(false);
    let status = ingest(&db, std::slice::from_ref(&file), &no_number).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    ingest(&db, &[file], &no_number.snapshot_consistency(false)).unwrap();
    assert_eq!(get_as_of(&db, "b", Some(snapshot.sequence())).as_deref(), Some("1"));
}

#[test]
fn of_files_with_a_key_in_common_the_last_one_counts() {
    let mut fixture = Fixture::new();
    fixture.family_options.level_compaction_dynamic_level_bytes = false;
    let db = fixture.open();
    let files: Vec<PathBuf> = (0..9)
        .map(|index| {
            let value = index.to_string();
            table(&fixture, &format!("{index}.sst"), &[("a", &value), ("m", &value)], &[])
        })
        .collect();
    ingest(&db, &files, &default_options()).unwrap();
    assert_eq!(get(&db, "a").as_deref(), Some("8"));
    let mut levels: Vec<usize> = tables(&db).iter().map(|(level, ..)| *level).collect();
    levels.sort_unstable();
    assert_eq!(levels, [0, 0, 0, 1, 2, 3, 4, 5, 6]);
    drop(db);
    assert_eq!(get(&fixture.open(), "m").as_deref(), Some("8"));
}

#[test]
fn its_range_deletions_delete_what_was_there_and_nothing_of_its_own() {
    let fixture = Fixture::new();
    let db = fixture.open();
    for key in ["a", "c", "e", "x"] {
        put(&db, key, "old");
    }
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    put(&db, "d", "in memory");
    let file = table(&fixture, "new.sst", &[("c", "new")], &[("b", "f"), ("w", "y")]);
    ingest(&db, &[file], &default_options()).unwrap();
    let pairs = [("a", "old"), ("c", "new")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(scan(&db), pairs);
    db.compact_range(&db::CompactRangeOptions::default(), &default_family(&db), None, None)
        .unwrap();
    assert_eq!(scan(&db), pairs);
}

#[test]
fn files_are_copied_linked_or_moved() {
    let fixture = Fixture::new();
    let db = fixture.open();
    for (name, options, is_left) in [
        ("copied", default_options(), true),
        ("linked", default_options().link_files(true), true),
        ("moved", default_options().move_files(true), false),
    ] {
        let file = table(&fixture, name, &[(name, "1")], &[]);
        ingest(&db, std::slice::from_ref(&file), &options).unwrap();
        assert_eq!(exists(&fixture, &file), is_left, "{name}");
        assert_eq!(get(&db, name).as_deref(), Some("1"));
    }
    let both = default_options().link_files(true).move_files(true);
    let file = table(&fixture, "both", &[("z", "1")], &[]);
    assert_eq!(ingest(&db, &[file], &both).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn files_go_behind_all_data_where_that_is_allowed() {
    let mut fixture = Fixture::new();
    let behind = default_options().ingest_behind(true);
    let file = table(&fixture, "new.sst", &[("a", "behind"), ("b", "behind")], &[]);
    {
        let db = fixture.open();
        let status = ingest(&db, std::slice::from_ref(&file), &behind).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    }
    for of_database in [true, false] {
        fixture.path = PathBuf::from(format!("/behind/{of_database}"));
        fixture.options.allow_ingest_behind = of_database;
        fixture.family_options.cf_allow_ingest_behind = !of_database;
        go_behind(&fixture, &file);
    }
}

fn go_behind(fixture: &Fixture, file: &PathBuf) {
    let behind = default_options().ingest_behind(true);
    let db = fixture.open();
    put(&db, "a", "before");
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    ingest(&db, std::slice::from_ref(file), &behind).unwrap();
    assert_eq!(get(&db, "a").as_deref(), Some("before"));
    assert_eq!(get(&db, "b").as_deref(), Some("behind"));
    assert_eq!(tables(&db), [(0, 1, 1), (6, 0, 0)]);
    let status = ingest(&db, std::slice::from_ref(file), &behind).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "the place is taken: {status}");
    drop(db);
    assert_eq!(get(&fixture.open(), "a").as_deref(), Some("before"));
}

#[test]
fn only_the_last_level_takes_it_if_that_is_asked_for() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let only_last = default_options().fail_if_not_bottommost_level(true);
    let first = table(&fixture, "first.sst", &[("a", "1"), ("c", "1")], &[]);
    ingest(&db, &[first], &only_last).unwrap();
    let second = table(&fixture, "second.sst", &[("b", "1")], &[]);
    let before = fixture.files();
    let status = ingest(&db, &[second], &only_last).unwrap_err();
    assert_eq!(status.code(), Code::TryAgain, "{status}");
    assert_eq!(fixture.files(), before, "what was copied is gone");
}

#[test]
fn what_is_no_external_table_is_refused() {
    let mut fixture = Fixture::new();
    fixture.families.push("other".to_owned());
    fixture.options.create_missing_column_families = true;
    let db = fixture.open();
    put(&db, "a", "1");
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    let own = fixture.path.join(&fixture.files_with(".sst")[0]);
    let code = |files: &[PathBuf]| ingest(&db, files, &default_options()).unwrap_err().code();
    assert_eq!(code(&[own]), Code::Corruption, "a table that a database made");
    assert_eq!(code(&[fixture.path.join("CURRENT")]), Code::Corruption);
    assert_eq!(code(&[PathBuf::from("/none.sst")]), Code::IoError);
    assert_eq!(code(&[]), Code::InvalidArgument);
    let path = PathBuf::from("/other.sst");
    let other = db.column_family("other").unwrap();
    let mut writer =
        SstFileWriter::new(&fixture.options, &fixture.family_options, &fixture.context)
            .for_column_family(&other);
    writer.open(&path).unwrap();
    writer.put(b"k", b"v").unwrap();
    writer.finish().unwrap();
    assert_eq!(code(std::slice::from_ref(&path)), Code::InvalidArgument, "of another family");
    db.ingest_external_file(&other, &[path], &default_options()).unwrap();
    let reverse =
        ColumnFamilyOptions::from_string("comparator=rocksdb.ReverseBytewiseComparator").unwrap();
    let path = PathBuf::from("/reverse.sst");
    let mut writer = SstFileWriter::new(&fixture.options, &reverse, &fixture.context);
    writer.open(&path).unwrap();
    writer.put(b"k", b"v").unwrap();
    writer.finish().unwrap();
    assert_eq!(code(&[path]), Code::InvalidArgument, "in another order");
    let args: [IngestExternalFileArg; 0] = [];
    assert_eq!(db.ingest_external_files(&args).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn checksums_are_compared() {
    let mut fixture = Fixture::new();
    fixture.options.file_checksum_gen_factory =
        options::ObjectName::new("FileChecksumGenCrc32cFactory");
    let db = fixture.open();
    let family = default_family(&db);
    let path = PathBuf::from("/new.sst");
    let mut writer =
        SstFileWriter::new(&fixture.options, &fixture.family_options, &fixture.context);
    writer.open(&path).unwrap();
    writer.put(b"k", b"v").unwrap();
    let info = writer.finish().unwrap();
    let right = FileChecksum {
        value: info.file_checksum,
        function_name: info.file_checksum_func_name.into_bytes(),
    };
    let wrong = FileChecksum { value: vec![0; 4], ..right.clone() };
    let arg = |checksums: &[FileChecksum], options| IngestExternalFileArg {
        options,
        files_checksums: checksums.to_vec(),
        ..IngestExternalFileArg::new(&family, std::slice::from_ref(&path))
    };
    let before = fixture.files();
    let code = |arg: IngestExternalFileArg| db.ingest_external_files(&[arg]).unwrap_err().code();
    assert_eq!(code(arg(std::slice::from_ref(&wrong), default_options())), Code::Corruption);
    let two = [right.clone(), right.clone()];
    assert_eq!(code(arg(&two, default_options())), Code::InvalidArgument);
    assert_eq!(fixture.files(), before);
    let checked = default_options().verify_checksums_before_ingest(true);
    db.ingest_external_files(&[arg(&[right], checked)]).unwrap();
    db.verify_file_checksums(&ReadOptions::default()).unwrap();
    // Taken at its word, which a check of all files finds out.
    let trusting = default_options().verify_file_checksum(false);
    db.ingest_external_files(&[arg(&[wrong], trusting)]).unwrap();
    assert_eq!(
        db.verify_file_checksums(&ReadOptions::default()).unwrap_err().code(),
        Code::Corruption
    );
}

/// Keeps what it is told of, and reads it.
#[derive(Debug, Default)]
struct Told(Mutex<Vec<String>>);

impl EventListener for Told {
    fn on_external_file_ingested(&self, db: &Db, info: &ExternalFileIngestionInfo) {
        put(db, "from the listener", "1");
        self.0.lock().unwrap().push(format!(
            "{} {} {} entries at {}",
            info.cf_name,
            info.external_file_path.display(),
            info.table_properties.num_entries,
            info.global_seqno
        ));
        assert_eq!(get(db, "a").as_deref(), Some("new"));
    }
}

#[test]
fn it_is_told_of_and_counted() {
    let mut fixture = Fixture::new();
    let told = Arc::new(Told::default());
    fixture.context.listeners = vec![told.clone()];
    let db = fixture.open();
    put(&db, "a", "old");
    let file = table(&fixture, "/new.sst", &[("a", "new"), ("b", "new")], &[]);
    ingest(&db, &[file], &default_options()).unwrap();
    assert_eq!(*told.0.lock().unwrap(), ["default /new.sst 2 entries at 2"]);
    let stats = db.property(&default_family(&db), "rocksdb.cfstats").unwrap();
    assert!(stats.contains("AddFile(Total Files): cumulative 1"), "{stats}");
    assert!(stats.contains("AddFile(L0 Files): cumulative 1"), "{stats}");
    assert!(stats.contains("AddFile(Keys): cumulative 2"), "{stats}");
    drop(db);
    let log =
        env::read_file_to_vec(&*fixture.context.file_system, &fixture.path.join("LOG"), 1 << 20)
            .unwrap();
    let log = String::from_utf8(log).unwrap();
    let line = "[AddFile] External SST file /new.sst was ingested in L0 with path /db/";
    assert!(log.contains(line), "{log}");
    assert!(log.contains(r#""event": "ingest_finished", "files_ingested": ["file", "#), "{log}");
}

#[test]
fn several_column_families_get_theirs_together() {
    let mut fixture = Fixture::new();
    fixture.families.push("other".to_owned());
    fixture.options.create_missing_column_families = true;
    let db = fixture.open();
    let (first, second) = (default_family(&db), db.column_family("other").unwrap());
    let files =
        ["1.sst", "2.sst"].map(|name| table(&fixture, name, &[("a", name), ("b", name)], &[]));
    let arg = |family, index: usize| {
        IngestExternalFileArg::new(family, std::slice::from_ref(&files[index]))
    };
    let twice = [arg(&first, 0), arg(&first, 1)];
    assert_eq!(db.ingest_external_files(&twice).unwrap_err().code(), Code::InvalidArgument);
    db.ingest_external_files(&[arg(&second, 1), arg(&first, 0)]).unwrap();
    let value = |family| {
        let value = db.get(&ReadOptions::default(), family, b"a").unwrap().unwrap();
        String::from_utf8(value.to_vec()).unwrap()
    };
    assert_eq!((value(&first), value(&second)), ("1.sst".to_owned(), "2.sst".to_owned()));
}

#[test]
fn writes_reads_and_compactions_go_on_meanwhile() {
    const ROUNDS: u32 = 40;
    const KEYS: u32 = 50;
    let mut fixture = Fixture::new();
    fixture.family_options = ColumnFamilyOptions::from_string(
        "write_buffer_size=16K;target_file_size_base=4K;max_bytes_for_level_base=8K;\
         level0_file_num_compaction_trigger=2",
    )
    .unwrap();
    let db = fixture.open();
    let key = |index: u32| format!("key{index:04}");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Keys of its own, between those that are ingested.
            let mut number = 0_u32;
            while !is_done.load(Ordering::Acquire) {
                let key = format!("key{:04}w", number % KEYS);
                let value = format!("{number:0200}");
                let family = default_family(&db);
                db.put(&WriteOptions::default(), &family, key.as_bytes(), value.as_bytes())
                    .unwrap();
                number += 1;
            }
        });
        scope.spawn(|| {
            let mut newest = 0_u32;
            while !is_done.load(Ordering::Acquire) {
                // All keys of a round come at once.
                let snapshot = db.snapshot();
                let round = |index: u32| {
                    let value = get_as_of(&db, &key(index), Some(snapshot.sequence()));
                    value.map_or(0, |value| value.parse().unwrap())
                };
                let found: Vec<u32> = (0..KEYS).map(round).collect();
                assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
                assert!(found[0] >= newest, "{found:?} after {newest}");
                newest = found[0];
            }
        });
        for round in 1..=ROUNDS {
            let value = round.to_string();
            let keys: Vec<String> = (0..KEYS).map(key).collect();
            let pairs: Vec<_> = keys.iter().map(|key| (&key[..], &value[..])).collect();
            let (first, second) = pairs.split_at(KEYS as usize / 2);
            let files = [("1.sst", first), ("2.sst", second)]
                .map(|(name, pairs)| table(&fixture, name, pairs, &[]));
            // All snapshots that are there see what was there.
            let result = ingest(&db, &files, &default_options().move_files(true));
            if let Err(status) = result {
                is_done.store(true, Ordering::Release);
                panic!("round {round}: {status}");
            }
        }
        is_done.store(true, Ordering::Release);
    });
    assert_eq!(get(&db, &key(7)).unwrap(), ROUNDS.to_string());
    drop(db);
    assert_eq!(get(&fixture.open(), &key(KEYS - 1)).unwrap(), ROUNDS.to_string());
}

/// The number that the file itself says its keys have.
fn stored_sequences(db: &Db) -> Vec<u64> {
    let family = default_family(db);
    let properties = db.properties_of_all_tables(&family).unwrap();
    let stored = |one: &table::TableProperties| one.global_seqno(None).unwrap();
    properties.values().filter_map(|one| stored(one)).collect()
}

#[test]
fn the_sequence_number_is_written_into_the_file_if_that_is_wanted() {
    let mut fixture = Fixture::new();
    fixture.context.file_checksum_gen_factory =
        Some(Arc::new(base::file_checksum::FileChecksumGenCrc32cFactory));
    let db = fixture.open();
    put(&db, "a", "old");
    let file = table(&fixture, "new.sst", &[("a", "new"), ("b", "new")], &[]);
    let options = default_options().write_global_seqno(true);
    ingest(&db, std::slice::from_ref(&file), &options.link_files(true)).unwrap();
    assert_eq!(stored_sequences(&db), [2]);
    assert_eq!(get(&db, "a").as_deref(), Some("new"));
    db.verify_file_checksums(&ReadOptions::default()).unwrap();
    drop(db);
    let db = fixture.open();
    assert_eq!(get(&db, "b").as_deref(), Some("new"));
    // The file that was linked in is as it was: it can be taken in once more.
    ingest(&db, &[file], &options.move_files(true)).unwrap();
    assert_eq!(stored_sequences(&db), [2, 3]);
    let left = fixture.context.file_system.get_children(&fixture.path).unwrap();
    assert!(left.iter().all(|name| !name.ends_with(".dbtmp")), "{left:?}");
    // Where no number is needed none is written.
    let deep = table(&fixture, "deep.sst", &[("x", "1")], &[]);
    ingest(&db, &[deep], &options).unwrap();
    assert_eq!(stored_sequences(&db), [2, 3, 0]);
}

#[test]
fn a_range_that_is_to_be_replaced_is_refused() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let file = table(&fixture, "new.sst", &[("a", "1")], &[]);
    let arg = IngestExternalFileArg {
        atomic_replace_range: Some(None),
        ..IngestExternalFileArg::new(&default_family(&db), &[file])
    };
    let status = db.ingest_external_files(&[arg]).unwrap_err();
    assert_eq!(status.code(), Code::NotSupported);
    assert!(status.to_string().contains("put a range deletion"), "{status}");
    assert_eq!(get(&db, "a"), None);
}

/// No other job is there at whose end anybody would look for compactions.
#[test]
fn files_that_stop_writes_are_compacted() {
    let mut fixture = Fixture::new();
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    fixture.family_options.level0_slowdown_writes_trigger = 3;
    fixture.family_options.level0_stop_writes_trigger = 3;
    fixture.family_options.num_levels = 2;
    let db = fixture.open();
    let snapshot = db.snapshot();
    for index in 0..6 {
        let value = index.to_string();
        let file = table(&fixture, &format!("{value}.sst"), &[("a", &value), ("z", &value)], &[]);
        ingest(&db, &[file], &default_options()).unwrap();
    }
    put(&db, "m", "after");
    assert_eq!(get(&db, "z").as_deref(), Some("5"));
    drop(snapshot);
}
