//! Every directory that RocksDB wrote: the MANIFEST gives the families and files that RocksDB's
//! own read-only open lists, or the error that it gives.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use base::{Comparator, InternalKeyComparator, Result, Status, comparator};
use env::{FileOptions, FileSystem, MemFileSystem, read_file_to_vec, write_file_atomically};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testing::fixtures::{self, Fixture, LiveFile, OpenedAs};
use testing::hexes::hex;
use testing::{corrupt, parallel};
use version::{
    ColumnFamilyReplay, ManifestReader, RecoveredManifest, VersionEdit, VersionOptions,
    check_files, list_column_families, recover,
};
use wal::{LogEntry, LogReader};

mod best_efforts;
mod round_trip;

/// Shorter keys first, then bytewise.
#[derive(Debug)]
struct Shortlex;

impl Comparator for Shortlex {
    fn name(&self) -> &str {
        "golden.shortlex"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

/// The fixture's files in memory, the database in `/db/NAME`.
fn load(fixture: &Fixture) -> (MemFileSystem, PathBuf) {
    let fs = MemFileSystem::new();
    let parent = PathBuf::from("/db");
    let db_path = parent.join(&fixture.name);
    env::create_dir_all(&fs, &db_path).unwrap();
    for (name, bytes) in fixture.files() {
        let path = db_path.join(name);
        let directory = env::parent_directory(&path);
        env::create_dir_all(&fs, &directory).unwrap();
        write_file_atomically(&fs, &path, &directory.join("temp"), &bytes).unwrap();
    }
    (fs, db_path)
}

fn version_options(fixture: &Fixture, family: &str) -> VersionOptions {
    let options = &fixture.case.options;
    let comparator: Arc<dyn Comparator> = match options.comparator(family) {
        None => Arc::new(comparator::BytewiseComparator),
        Some("reverse") => Arc::new(comparator::ReverseBytewiseComparator),
        Some("u64ts") => Arc::new(comparator::U64TimestampComparator::BYTEWISE),
        Some("shortlex") => Arc::new(Shortlex),
        Some(other) => panic!("comparator {other}"),
    };
    let mut result = VersionOptions::new(InternalKeyComparator::new(comparator));
    for (name, value) in options.cf_strings(family) {
        match name.as_str() {
            "num_levels" => result.num_levels = value.parse().unwrap(),
            "persist_user_defined_timestamps" => {
                result.persist_user_defined_timestamps = value == "true";
            }
            _ => {}
        }
    }
    result
}

fn recover_fixture(
    fixture: &Fixture,
    fs: &MemFileSystem,
    db_path: &Path,
) -> Result<RecoveredManifest> {
    recover(fs, db_path, |family: &ColumnFamilyReplay| {
        Ok(Some(version_options(fixture, std::str::from_utf8(&family.name).unwrap())))
    })
}

fn live_files(fixture: &Fixture, recovered: &RecoveredManifest) -> Vec<LiveFile> {
    let with_family = fixture.case.live_files.iter().flatten().any(|file| file.family.is_some());
    let mut found = Vec::new();
    for family in &recovered.column_families {
        for (level, file) in family.version.files() {
            let family = with_family.then(|| String::from_utf8_lossy(&family.name).into_owned());
            found.push(LiveFile {
                name: format!("{:06}.sst", file.number),
                level: level as u32,
                size_bytes: file.file_size,
                family,
            });
        }
    }
    found.sort_by_key(|file| file.name.clone());
    found
}

fn paths(fixture: &Fixture, db_path: &Path) -> Vec<PathBuf> {
    let parent = db_path.parent().unwrap();
    let paths = fixture.case.options.db_paths();
    if paths.is_empty() {
        return vec![db_path.to_path_buf()];
    }
    paths.into_iter().map(|(path, _)| parent.join(path)).collect()
}

/// Cases whose CURRENT or MANIFEST is damaged so that nothing can be listed.
fn is_unreadable(fixture: &Fixture) -> bool {
    ["o11", "o13", "o14"].iter().any(|case| fixture.name.starts_with(case))
}

fn check_recovered(fixture: &Fixture) -> std::result::Result<(), String> {
    let (fs, db_path) = load(fixture);
    let names = list_column_families(&fs, &db_path).map_err(|status| status.to_string())?;
    let mut names: Vec<_> =
        names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    names.sort();
    if Some(&names) != fixture.case.column_families.as_ref() {
        return Err(format!("families {names:?}, expected {:?}", fixture.case.column_families));
    }
    let recovered = recover_fixture(fixture, &fs, &db_path).map_err(|status| status.to_string())?;
    let latest = fixture.case.expect.latest_sequence_number.unwrap_or(u64::MAX);
    if recovered.last_sequence > latest {
        return Err(format!("last sequence {}, expected {latest}", recovered.last_sequence));
    }
    if let Some(expected) = &fixture.case.live_files {
        let mut expected = expected.clone();
        if fixture.case.opened_as == OpenedAs::DbWithTtl {
            // Such a database is opened for writing only, so its log was flushed to a new table.
            expected.retain(|file| fs.file_exists(&db_path.join(&file.name)) == Ok(true));
        }
        expected.sort_by_key(|file| file.name.clone());
        let found = live_files(fixture, &recovered);
        if found != expected {
            return Err(format!("files\n{found:?}, expected\n{expected:?}"));
        }
    }
    check_on_disk(fixture, &fs, &db_path, &recovered)
}

/// The files are on disk, unless they were damaged.
fn check_on_disk(
    fixture: &Fixture,
    fs: &dyn FileSystem,
    db_path: &Path,
    recovered: &RecoveredManifest,
) -> std::result::Result<(), String> {
    let paths = paths(fixture, db_path);
    let results =
        recovered.column_families.iter().map(|family| check_files(fs, &paths, &family.version));
    let error = results.filter_map(Result::err).next();
    let damaged = ["o09", "o10"].iter().any(|case| fixture.name.starts_with(case));
    match error {
        None if damaged => Err("damaged files were accepted".into()),
        Some(status) if damaged && status.is_corruption() => Ok(()),
        Some(status) => Err(status.to_string()),
        None => Ok(()),
    }
}

#[test]
fn families_and_files_are_those_that_rocksdb_lists() {
    let fixtures = fixtures::all();
    let readable: Vec<_> = fixtures.iter().filter(|fixture| !is_unreadable(fixture)).collect();
    assert!(readable.len() > 900);
    parallel::for_each(&readable, |fixture| check_recovered(fixture));
}

#[test]
fn damaged_manifests_give_an_error_that_names_the_file() {
    let fixtures = fixtures::all();
    let unreadable: Vec<_> = fixtures.iter().filter(|fixture| is_unreadable(fixture)).collect();
    parallel::for_each(&unreadable, |fixture| {
        let (fs, db_path) = load(fixture);
        let error = recover_fixture(fixture, &fs, &db_path).err().ok_or("opened")?;
        let list_error = list_column_families(&fs, &db_path).err().ok_or("listed")?;
        let expected = match &fixture.name[..3] {
            "o11" => ("Corruption", "MANIFEST-", "checksum mismatch"),
            "o13" => ("IO error", "MANIFEST-000999", "No such file"),
            _ => ("Corruption", "CURRENT at offset 15", "expected a newline"),
        };
        for status in [&error, &list_error] {
            let text = status.to_string();
            let (kind, file, what) = expected;
            if !(text.starts_with(kind) && text.contains(file) && text.contains(what)) {
                return Err(text);
            }
        }
        assert!(fixture.case.expect.open_error.as_ref().unwrap().starts_with(expected.0));
        Ok(())
    });
}

fn edits(fs: &dyn FileSystem, path: &Path) -> Result<Vec<VersionEdit>> {
    ManifestReader::open(fs, path)?.map(|record| Ok(record?.edit)).collect()
}

#[test]
fn every_manifest_has_as_many_records_as_were_counted() {
    let fixtures = fixtures::all();
    let intact: Vec<_> =
        fixtures.iter().filter(|fixture| !fixture.name.starts_with("o11")).collect();
    parallel::for_each(&intact, |fixture| -> std::result::Result<(), String> {
        let (fs, db_path) = load(fixture);
        for (name, count) in &fixture.case.facts.manifest_records {
            let found = edits(&fs, &db_path.join(name)).map_err(|status| status.to_string())?;
            if found.len() as u64 != *count {
                return Err(format!("{name}: {} records, expected {count}", found.len()));
            }
        }
        Ok(())
    });
}

#[test]
fn a_family_opened_with_another_comparator_is_refused() {
    let fixture = fixtures::one("8.11.4", "i01");
    let (fs, db_path) = load(&fixture);
    let bytewise = VersionOptions::new(InternalKeyComparator::bytewise());
    let status = recover(&fs, &db_path, |_| Ok(Some(bytewise.clone()))).unwrap_err();
    assert_eq!(status.code(), base::status::Code::InvalidArgument);
    assert!(
        status.message().ends_with(
            "comparator leveldb.BytewiseComparator does not match existing comparator \
             rocksdb.ReverseBytewiseComparator"
        ),
        "{status}"
    );
}

#[test]
fn a_family_opened_with_too_few_levels_is_refused() {
    let fixture = fixtures::one("9.10.0", "p04");
    let (fs, db_path) = load(&fixture);
    let seven = VersionOptions::new(InternalKeyComparator::bytewise());
    let status = recover(&fs, &db_path, |_| Ok(Some(seven.clone()))).unwrap_err();
    assert_eq!(status.code(), base::status::Code::InvalidArgument);
    assert!(status.message().contains("more levels than options.num_levels"), "{status}");
}

#[test]
fn families_may_stay_closed() {
    let fixture = fixtures::one("8.11.4", "d01");
    let (fs, db_path) = load(&fixture);
    let recovered = recover(&fs, &db_path, |family| {
        let open = family.name == b"default";
        Ok(open.then(|| version_options(&fixture, "default")))
    })
    .unwrap();
    assert_eq!(recovered.column_families.len(), 1);
    assert_eq!(recovered.column_families_not_opened.len(), 4);
}

#[test]
fn an_error_of_the_caller_is_passed_on() {
    let fixture = fixtures::one("8.11.4", "d01");
    let (fs, db_path) = load(&fixture);
    let status = recover(&fs, &db_path, |_| Err(Status::not_supported("no"))).unwrap_err();
    assert_eq!(status, Status::not_supported("no"));
}

/// Edits that RocksDB would write otherwise today, so that they are not encoded as they were read:
/// - before 6.6 files are NewFile2 or NewFile3, and in NewFile4 have no times;
/// - before 6.5 the last sequence number stands before the largest column family id;
/// - 6.29 has the smallest log number to keep in a file only, not in the edit as well.
fn is_written_otherwise(release: &str) -> bool {
    fixtures::version_numbers(release) < fixtures::version_numbers("7.8.3")
}

#[test]
fn edits_are_encoded_as_rocksdb_encoded_them() {
    let fixtures = fixtures::matching(|_, name| !name.starts_with("o11"));
    parallel::for_each(&fixtures, |fixture| -> std::result::Result<(), String> {
        let (fs, db_path) = load(fixture);
        for name in fixture.case.facts.manifest_records.keys() {
            let path = db_path.join(name);
            let file = fs.new_sequential_file(&path, &FileOptions::default()).unwrap();
            let mut log = LogReader::new(file, 0);
            while let Some(LogEntry::Record(record)) = log.read().unwrap() {
                let edit = VersionEdit::decode(record.payload).unwrap();
                let encoded = edit.encode();
                assert_eq!(VersionEdit::decode(&encoded), Ok(edit));
                if encoded != record.payload && !is_written_otherwise(&fixture.release) {
                    return Err(format!("{name}:\n{}\n{}", hex(record.payload), hex(&encoded)));
                }
            }
        }
        Ok(())
    });
}

/// Small MANIFESTs with every kind of edit.
fn manifests_to_damage() -> Vec<Fixture> {
    [
        ("3.13.1", "d01"),
        ("5.18.4", "d04"),
        ("6.29.5", "n03"),
        ("7.8.3", "t04"),
        ("8.11.4", "q08"),
        ("9.10.0", "d02"),
        ("10.10.1", "g01"),
        ("11.8.1", "d04"),
    ]
    .map(|(release, case)| fixtures::one(release, case))
    .into()
}

fn overwrite(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) {
    let mut file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
    file.append(bytes).unwrap();
    file.close().unwrap();
}

#[test]
fn a_damaged_file_gives_an_error_or_the_same_state() {
    parallel::for_each(&manifests_to_damage(), |fixture| -> std::result::Result<(), String> {
        let (fs, db_path) = load(fixture);
        let intact = recover_fixture(fixture, &fs, &db_path).unwrap();
        let expected = format!("{intact:?}");
        for path in [intact.manifest_path.clone(), db_path.join("CURRENT")] {
            let bytes = read_file_to_vec(&fs, &path, u64::MAX).unwrap();
            for damage in corrupt::flips(bytes.len(), &corrupt::MASKS) {
                overwrite(&fs, &path, &damage.apply(&bytes));
                if let Ok(recovered) = recover_fixture(fixture, &fs, &db_path)
                    && format!("{recovered:?}") != expected
                {
                    return Err(format!("{}: {damage}: another state", path.display()));
                }
            }
            overwrite(&fs, &path, &bytes);
        }
        Ok(())
    });
}

#[test]
fn a_cut_manifest_gives_an_error_or_the_state_before_the_cut() {
    parallel::for_each(&manifests_to_damage(), |fixture| -> std::result::Result<(), String> {
        let (fs, db_path) = load(fixture);
        let path = recover_fixture(fixture, &fs, &db_path).unwrap().manifest_path;
        let bytes = read_file_to_vec(&fs, &path, u64::MAX).unwrap();
        let expected = edits(&fs, &path).unwrap();
        for damage in corrupt::truncations(bytes.len()) {
            overwrite(&fs, &path, &damage.apply(&bytes));
            let found = edits(&fs, &path).map_err(|status| format!("{damage}: {status}"))?;
            if !expected.starts_with(&found) {
                return Err(format!("{damage}: other edits"));
            }
            match recover_fixture(fixture, &fs, &db_path) {
                Ok(_) => {}
                Err(status) if status.is_corruption() => {}
                Err(status) => return Err(format!("{damage}: {status}")),
            }
        }
        Ok(())
    });
}

#[test]
fn a_wrong_length_inside_the_manifest_is_no_torn_tail() {
    // RocksDB takes this for the end of the file and opens an older state.
    let fixture = fixtures::one("11.8.1", "d04");
    let (fs, db_path) = load(&fixture);
    let path = recover_fixture(&fixture, &fs, &db_path).unwrap().manifest_path;
    let mut bytes = read_file_to_vec(&fs, &path, u64::MAX).unwrap();
    let third = ManifestReader::open(&fs, &path).unwrap().nth(2).unwrap().unwrap();
    bytes[third.offset as usize + 5] = 0x7f;
    overwrite(&fs, &path, &bytes);
    let status = recover_fixture(&fixture, &fs, &db_path).unwrap_err();
    assert_eq!(
        status.to_string(),
        format!(
            "Corruption: {} at offset {}: bad record length: it goes beyond the end of the file, \
             but more records follow",
            path.display(),
            third.offset
        )
    );
}
