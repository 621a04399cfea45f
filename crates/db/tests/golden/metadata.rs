//! What a database says of its files.

use crate::case_options::CaseOptions;
use db::{Db, LiveFileMetaData};
use testing::fixtures::{self, Fixture, LiveFile, OpenedAs};
use testing::parallel;

/// A fixture whose tables can be listed, opened.
fn open(fixture: &Fixture) -> Option<(fixtures::Unpacked, Db)> {
    let unpacked = fixture.unpack_to_temp();
    let db = CaseOptions::of(fixture, unpacked.parent()).ok()?.open().ok()?;
    Some((unpacked, db))
}

fn listed(
    fixture: &Fixture,
    file: &LiveFileMetaData,
    with_family: bool,
) -> Result<LiveFile, String> {
    let path = file.directory.join(&file.name);
    let size = std::fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if size.len() != file.size_bytes {
        return Err(format!("{fixture}: {} has {} bytes", path.display(), size.len()));
    }
    Ok(LiveFile {
        name: file.name.clone(),
        level: file.level as u32,
        size_bytes: file.size_bytes,
        family: with_family.then(|| file.column_family.to_string()),
    })
}

fn check_live_files(fixture: &Fixture) -> Result<(), String> {
    let Some(expected) = &fixture.case.live_files else { return Ok(()) };
    let Some((_unpacked, db)) = open(fixture) else { return Ok(()) };
    let with_family = expected.iter().any(|file| file.family.is_some());
    let mut found = Vec::new();
    for file in db.live_files() {
        let family = db.column_family(&file.column_family).ok_or("no such family")?;
        if family.comparator().compare_user_keys(&file.smallest_key, &file.largest_key).is_gt() {
            return Err(format!("{} ends before it starts", file.name));
        }
        if file.smallest_seqno > file.largest_seqno {
            return Err(format!("{}: sequence numbers out of order", file.name));
        }
        found.push(listed(fixture, &file, with_family)?);
    }
    let mut expected = expected.clone();
    if fixture.case.opened_as == OpenedAs::DbWithTtl {
        // Such a database is opened for writing only, so its log was flushed to a new table.
        expected.retain(|file| found.iter().any(|found| found.name == file.name));
    }
    expected.sort_by_key(|file| file.name.clone());
    found.sort_by_key(|file| file.name.clone());
    if found != expected {
        return Err(format!("files\n{found:?}, expected\n{expected:?}"));
    }
    Ok(())
}

#[test]
fn live_files_are_those_that_rocksdb_lists() {
    parallel::for_each(&fixtures::all(), check_live_files);
}

/// All keys from the first to the last take about the whole files; ranges add up.
fn check_sizes(fixture: &Fixture) -> Result<(), String> {
    let Some((_unpacked, db)) = open(fixture) else { return Ok(()) };
    for family in db.column_families() {
        let timestamp = family.comparator().timestamp_size();
        let files = db.live_files();
        let of_family = files.iter().filter(|file| file.column_family == *family.name());
        for file in of_family {
            let bare = |key: &[u8]| key[..key.len() - timestamp].to_vec();
            let (first, last) = (bare(&file.smallest_key), bare(&file.largest_key));
            let size = |range| db.approximate_sizes(&family, &[range]).map(|sizes| sizes[0]);
            let whole = size(first.clone()..last.clone()).map_err(|error| error.to_string())?;
            let none = size(first.clone()..first.clone()).map_err(|error| error.to_string())?;
            let bytes: u64 = files.iter().map(|file| file.size_bytes).sum();
            if none > whole || whole > bytes {
                return Err(format!("{}: sizes {none}, {whole}, {bytes}", file.name));
            }
            if first != last && size(last..first).is_ok() {
                return Err("a range that ends before it starts".to_owned());
            }
        }
    }
    Ok(())
}

#[test]
fn sizes_of_ranges_are_within_those_of_files() {
    let some = fixtures::matching(|release, name| {
        let is_readable = !["o", "q02", "q03"].iter().any(|case| name.starts_with(case));
        ["6.29.5", "10.10.1"].contains(&release) && is_readable
    });
    assert!(some.len() > 100);
    parallel::for_each(&some, check_sizes);
}
