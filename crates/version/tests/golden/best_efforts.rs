//! `best_efforts_recovery` of directories that RocksDB wrote, whole and with each file missing in
//! turn; RocksDB's own recovery says what must be found.

use super::round_trip::{describe, first_difference, open};
use super::{load, paths};
use env::{FileSystem, MemFileSystem};
use std::path::Path;
use std::result::Result;
use testing::fixtures::{self, Fixture, OpenedAs};
use testing::{parallel, peer};
use version::{
    BlobFileAddition, ColumnFamilyReplay, FileChecker, FileMetaData, RecoveredManifest,
    find_table_file, recover,
};

/// Looks for files of the right size.
struct OnDisk<'a> {
    fs: &'a MemFileSystem,
    fixture: &'a Fixture,
    db_path: &'a Path,
}

impl FileChecker for OnDisk<'_> {
    fn is_table_usable(
        &mut self,
        _family: &ColumnFamilyReplay,
        _level: u32,
        file: &FileMetaData,
    ) -> base::Result<bool> {
        let found = find_table_file(self.fs, &paths(self.fixture, self.db_path), file);
        Ok(found.is_ok_and(|(_, size)| size == file.file_size))
    }

    fn is_blob_file_usable(
        &mut self,
        _family: &ColumnFamilyReplay,
        addition: &BlobFileAddition,
    ) -> base::Result<bool> {
        let paths = paths(self.fixture, self.db_path);
        self.fs.file_exists(&base::filename::blob_file_name(&paths[0], addition.number))
    }
}

/// Recovers without the file `missing`.
fn recover_without(
    fixture: &Fixture,
    missing: Option<&str>,
) -> base::Result<(RecoveredManifest, bool)> {
    let (fs, db_path) = load(fixture);
    if let Some(name) = missing {
        fs.delete_file(&db_path.join(name))?;
    }
    let mut checker = OnDisk { fs: &fs, fixture, db_path: &db_path };
    let result = version::recover_best_efforts(&fs, &db_path, open(fixture), &mut checker)?;
    Ok((result.manifest, result.files_missing))
}

fn recover_best_efforts(fixture: &Fixture) -> base::Result<(RecoveredManifest, bool)> {
    recover_without(fixture, None)
}

#[test]
fn best_efforts_find_all_that_is_there() {
    // Without the directories whose files or MANIFESTs are damaged, and those with an old MANIFEST
    // of which CURRENT knows nothing.
    let damaged = ["o09", "o10", "o11", "o13", "o14", "o15", "o17"];
    let intact = fixtures::matching(|_, name| !damaged.iter().any(|case| name.starts_with(case)));
    parallel::for_each(&intact, |fixture| -> Result<(), String> {
        let (fs, db_path) = load(fixture);
        let expected =
            recover(&fs, &db_path, open(fixture)).map_err(|status| status.to_string())?;
        let (found, _) = recover_best_efforts(fixture).map_err(|status| status.to_string())?;
        first_difference(&describe(&expected), &describe(&found))
    });
}

#[test]
fn best_efforts_do_without_current_and_without_the_newest_tables() {
    for fixture in fixtures::of_case("o13").iter().chain(&fixtures::of_case("o14")) {
        let (found, files_missing) = recover_best_efforts(fixture).unwrap();
        assert!(!files_missing, "{fixture}");
        assert_eq!(found.column_families[0].version.files().count(), 2, "{fixture}");
    }
    for fixture in fixtures::of_case("o10") {
        // 000009.sst is gone; what was flushed after it cannot be read without it.
        let (found, files_missing) = recover_best_efforts(&fixture).unwrap();
        assert!(files_missing, "{fixture}");
        assert_eq!(found.column_families[0].version.files().count(), 0, "{fixture}");
    }
}

/// The live files that ldb lists with `best_efforts_recovery`: level and name.
fn files_listed(ldb: peer::Peer, db_path: &Path) -> Result<Vec<(String, String)>, String> {
    let db = format!("--db={}", db_path.display());
    let output = ldb.run(&[&db, "--try_load_options", "list_live_files_metadata"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(format!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut files = Vec::new();
    let mut level = String::new();
    for line in text.lines() {
        if let Some(found) = line.strip_prefix("---------- level ") {
            level = found.trim_end_matches([' ', '-']).to_owned();
        } else if line.starts_with("Live Blob Files") {
            level = "blob".to_owned();
        } else if let Some((_, name)) = line.rsplit_once('/') {
            files.push((level.clone(), name.to_owned()));
        }
    }
    files.sort();
    Ok(files)
}

fn set_best_efforts_in_options(db_path: &Path) {
    for entry in std::fs::read_dir(db_path).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-") {
            let text = std::fs::read_to_string(&path).unwrap();
            let changed = text.replace("best_efforts_recovery=false", "best_efforts_recovery=true");
            assert_ne!(changed, text);
            std::fs::write(&path, changed).unwrap();
        }
    }
}

fn check_recovery_without(
    ldb: peer::Peer,
    fixture: &Fixture,
    missing: &str,
    may_differ: bool,
) -> Result<(), String> {
    let unpacked = fixture.unpack_to_temp();
    set_best_efforts_in_options(&unpacked.path());
    std::fs::remove_file(unpacked.path().join(missing)).unwrap();
    let expected = files_listed(ldb, &unpacked.path())?;
    let (recovered, files_missing) =
        recover_without(fixture, Some(missing)).map_err(|status| status.to_string())?;
    let mut found = Vec::new();
    for family in &recovered.column_families {
        let tables = family.version.files();
        found.extend(tables.map(|(level, f)| (level.to_string(), format!("{:06}.sst", f.number))));
        let blobs = family.version.blob_files().iter();
        found.extend(blobs.map(|f| ("blob".to_owned(), format!("{:06}.blob", f.number()))));
    }
    found.sort();
    // Releases after 7.8.3 go on where nothing but the newest L0 files is missing. So they find
    // more, or a later state.
    let finds_more = !files_missing || found.len() >= expected.len();
    if found != expected && !(may_differ && finds_more) {
        return Err(format!("without {missing}: found {found:?}, expected {expected:?}"));
    }
    Ok(())
}

/// Cases and files without which releases after 7.8.3 recover more.
const DIFFERS: [(&str, &str); 6] = [
    ("a02", "000032"),
    ("a04", "000030"),
    ("a09", "000031"),
    ("a09", "000035"),
    ("p01", "000040"),
    ("p01", "000042"),
];

#[test]
fn best_efforts_find_what_rocksdb_finds_when_a_file_is_missing() {
    let Some(ldb) = peer::find("ldb") else { return };
    let cases = ["a01", "a02", "a04", "a09", "d01", "d04", "f03", "g01", "g03", "j01", "p01"];
    let mut fixtures = fixtures::matching(|release, name| {
        ["6.29.5", "7.8.3"].contains(&release) && cases.iter().any(|case| name.starts_with(case))
    });
    fixtures.retain(|fixture| fixture.case.opened_as == OpenedAs::Db);
    assert!(fixtures.len() > 8, "{}", fixtures.len());
    parallel::for_each(&fixtures, |fixture| -> Result<(), String> {
        let is_data = |name: &&String| name.ends_with(".sst") || name.ends_with(".blob");
        let files = fixture.files();
        let problems: Vec<_> = files
            .keys()
            .filter(is_data)
            .filter_map(|missing| {
                let differs = DIFFERS.contains(&(&fixture.name[..3], &missing[..6]));
                check_recovery_without(ldb, fixture, missing, differs).err()
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
    });
}
