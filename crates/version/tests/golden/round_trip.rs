//! Every directory that RocksDB wrote, opened for writing: a new MANIFEST says the same as the old
//! one, field by field, and RocksDB's tools find the same in it.

use super::{is_unreadable, load, version_options};
use env::{FileSystem, default_file_system};
use std::path::Path;
use std::result::Result;
use std::sync::Arc;
use testing::fixtures::{self, Fixture, OpenedAs};
use testing::{parallel, peer};
use version::{
    ColumnFamilyReplay, RecoveredManifest, VersionOptions, VersionSet, VersionSetOptions, recover,
};

pub(super) fn open(
    fixture: &Fixture,
) -> impl FnMut(&ColumnFamilyReplay) -> base::Result<Option<VersionOptions>> {
    |family| Ok(Some(version_options(fixture, std::str::from_utf8(&family.name).unwrap())))
}

/// What must be the same, as text. Next file number and MANIFEST differ.
pub(super) fn describe(recovered: &RecoveredManifest) -> Vec<String> {
    let mut lines = vec![format!(
        "sequence {} prev log {} min log {} max family {} id {:?}",
        recovered.last_sequence,
        recovered.prev_log_number,
        recovered.min_log_number_to_keep,
        recovered.max_column_family,
        recovered.db_id
    )];
    // Logs before the smallest to keep are forgotten.
    let wals = recovered.tracked_wals.range(recovered.min_log_number_to_keep..);
    lines.extend(wals.map(|wal| format!("wal {wal:?}")));
    for family in &recovered.column_families {
        lines.push(format!(
            "family {} {} log {} low {:?} cursors {:?} next epoch {}",
            family.id,
            family.name.escape_ascii(),
            family.log_number,
            family.full_history_ts_low,
            family.version.compact_cursors(),
            family.version.next_epoch_number(),
        ));
        lines.extend(family.version.files().map(|(level, file)| format!("L{level} {file:?}")));
        lines.extend(family.version.blob_files().iter().map(|file| format!("{file:?}")));
    }
    lines
}

pub(super) fn first_difference(before: &[String], after: &[String]) -> Result<(), String> {
    if before.len() != after.len() {
        return Err(format!("{} lines before, {} after", before.len(), after.len()));
    }
    match before.iter().zip(after).find(|(before, after)| before != after) {
        None => Ok(()),
        Some((before, after)) => Err(format!("before\n{before}\nafter\n{after}")),
    }
}

/// Opens the database for writing and writes a new MANIFEST.
fn roll(fixture: &Fixture, fs: Arc<dyn FileSystem>, db_path: &Path) -> base::Result<VersionSet> {
    let before = recover(&*fs, db_path, open(fixture))?;
    let options = VersionSetOptions {
        write_dbid_to_manifest: before.db_id.is_some(),
        ..VersionSetOptions::default()
    };
    let mut set = VersionSet::recover(fs, db_path, options, open(fixture))?;
    set.write_new_manifest()?;
    Ok(set)
}

fn check_round_trip(fixture: &Fixture) -> Result<(), String> {
    let (fs, db_path) = load(fixture);
    let fs: Arc<dyn FileSystem> = Arc::new(fs);
    let text = |status: base::Status| status.to_string();
    let before = recover(&*fs, &db_path, open(fixture)).map_err(text)?;
    let set = roll(fixture, Arc::clone(&fs), &db_path).map_err(text)?;
    let after = recover(&*fs, &db_path, open(fixture)).map_err(text)?;
    if after.manifest_number != set.manifest_number()
        || after.manifest_number < before.first_unused_file_number()
    {
        return Err(format!("MANIFEST {}", after.manifest_number));
    }
    if after.next_file_number <= after.manifest_number {
        return Err(format!("next file number {}", after.next_file_number));
    }
    for family in &after.column_families {
        let options = version_options(fixture, std::str::from_utf8(&family.name).unwrap());
        let comparator = options.comparator.user_comparator().name();
        if family.comparator_name.as_deref() != Some(comparator.as_bytes())
            || family.persist_user_defined_timestamps != options.persist_user_defined_timestamps
        {
            return Err(format!("{family:?}"));
        }
    }
    first_difference(&describe(&before), &describe(&after))
}

#[test]
fn a_new_manifest_says_the_same() {
    let fixtures = fixtures::matching(|_, name| !name.starts_with("o09"));
    let readable: Vec<_> = fixtures.iter().filter(|fixture| !is_unreadable(fixture)).collect();
    assert!(readable.len() > 900);
    parallel::for_each(&readable, |fixture| check_round_trip(fixture));
}

/// The directories that the tools of 7.8.3 read, a sample.
fn sample() -> Vec<Fixture> {
    let readable = |release: &str, name: &str| {
        let releases = ["5.18.4", "6.29.5", "7.8.3"];
        let cases = ["a0", "b07", "d0", "f0", "g0", "h0", "j0", "n03", "p0"];
        releases.contains(&release) && cases.iter().any(|case| name.starts_with(case))
    };
    let mut fixtures = fixtures::matching(readable);
    fixtures.retain(|fixture| fixture.case.opened_as == OpenedAs::Db);
    fixtures
}

/// What ldb lists of a database: for each command whether it succeeded, and its output.
fn listings(ldb: peer::Peer, db_path: &Path) -> Vec<(bool, String)> {
    let db = format!("--db={}", db_path.display());
    ["list_column_families", "checkconsistency", "list_live_files_metadata"]
        .map(|command| {
            let output = ldb.run(&[&db, "--try_load_options", command]);
            let text = String::from_utf8_lossy(&output.stdout);
            (output.status.success(), text.replace(&*db_path.to_string_lossy(), "DB"))
        })
        .to_vec()
}

#[test]
fn the_tools_of_rocksdb_find_the_same() {
    let Some(ldb) = peer::find("ldb") else { return };
    let fixtures = sample();
    assert!(fixtures.len() > 20, "{}", fixtures.len());
    parallel::for_each(&fixtures, |fixture| -> Result<(), String> {
        let before = listings(ldb, &fixture.unpack_to_temp().path());
        if before.iter().any(|(succeeded, _)| !succeeded) {
            return Err(format!("not consistent before: {before:?}"));
        }
        // Some of the commands write, so these files are fresh.
        let unpacked = fixture.unpack_to_temp();
        let set = roll(fixture, default_file_system(), &unpacked.path())
            .map_err(|status| status.to_string())?;
        let manifest =
            format!("--path={}/MANIFEST-{:06}", unpacked.path().display(), set.manifest_number());
        let dump = ldb.run(&["manifest_dump", &manifest]);
        if !dump.status.success() {
            return Err(String::from_utf8_lossy(&dump.stderr).into_owned());
        }
        let after = listings(ldb, &unpacked.path());
        if after != before {
            return Err(format!("before\n{before:#?}\nafter\n{after:#?}"));
        }
        Ok(())
    });
}
