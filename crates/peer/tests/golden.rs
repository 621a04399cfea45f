//! The judges on directories whose content is known: those that releases of RocksDB wrote. What
//! they say must be what the records say; and where a directory was tampered with, they must not
//! say so any more.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use testing::fixtures::{self, Fixture};
use testing::judges::protocol::{Comparator, Contents, FamilyOpening, Opening};
use testing::judges::{self, Expectation, Judge};
use testing::parallel;

/// Cases that between them have every part of the formats that a plain open reads.
const CASES: [&str; 16] = [
    "a02", "a04", "b05", "b07", "c03", "c07", "d03", "e01", "e02", "e03", "f03", "i01", "l02",
    "a01", "d04", "p01",
];

/// Cases of which one release is enough.
const ONCE: [(&str, &str); 8] = [
    ("6.29.5", "g01"),
    ("8.11.4", "m02"),
    ("9.10.0", "m04"),
    ("8.11.4", "i02"),
    ("9.10.0", "z01"),
    ("11.8.1", "a02"),
    ("11.8.1", "n01"),
    ("9.10.0", "n05"),
];

fn sample() -> Vec<Fixture> {
    fixtures::matching(|release, name| {
        let case = &name[..3];
        let in_rows = ["6.29.5", "8.11.4"].contains(&release) && CASES.contains(&case);
        in_rows || ONCE.contains(&(release, case))
    })
}

/// The reading of the newest release: it stands for the engine whose directories are judged.
fn reading(
    newest: &Judge,
    expectation: &Expectation,
    directory: &Path,
) -> Result<Contents, String> {
    let mut session = newest.session();
    let families = expectation.families.iter().map(|family| family.opening.clone()).collect();
    let options = expectation.options.clone();
    let opening =
        Opening { directory: directory.to_owned(), options, families, ..Opening::default() };
    session.open(&opening).and_then(|()| session.dump()).map_err(|failure| failure.to_string())
}

#[test]
fn judges_find_what_the_records_say() {
    let Some(newest) = judges::library("11.8.1") else { return };
    let sample = sample();
    assert!(sample.len() > 30, "{}", sample.len());
    parallel::for_each(&sample, |fixture| -> Result<(), String> {
        let expectation = Expectation::of_fixture(fixture).ok_or("not a plain fixture")?;
        let directory = fixture.unpack_to_temp();
        let read_back = |copy: &Path| reading(&newest, &expectation, copy);
        for judge in judges::all().iter().filter(|judge| judge.is_since(&fixture.release)) {
            let could = judges::judge(judge, &directory.path(), &expectation, &read_back)
                .map_err(|why| format!("{judge}: {why}"))?;
            // Only the Python package lacks something: operators that are not RocksDB's.
            if !could && !judge.to_string().starts_with("rocksdict") {
                return Err(format!("{judge} could not"));
            }
        }
        Ok(())
    });
}

#[test]
fn families_with_timestamps_are_read_as_of_each_time() {
    let judges = judges::all();
    let judges = judges.iter().filter(|judge| judge.is_since("8.11.4"));
    for judge in judges.filter(|judge| !judge.to_string().starts_with("rocksdict")) {
        let fixture = fixtures::one("8.11.4", "q01");
        let directory = fixture.unpack_to_temp();
        let mut session = judge.session();
        let mut families = Vec::new();
        for name in fixture.case.expect.cf.keys() {
            let mut family = FamilyOpening::new(name.as_bytes(), "");
            let has_timestamps = fixture.case.options.comparator(name) == Some("u64ts");
            family.comparator = has_timestamps.then_some(Comparator::U64Ts);
            families.push(family);
        }
        session
            .open(&Opening { directory: directory.path(), families, ..Opening::default() })
            .unwrap();
        let mut compared = 0;
        for (name, found) in &fixture.case.expect.cf {
            for (time, expected) in found.timestamps() {
                let contents = session.dump_at_timestamp(&time.to_le_bytes()).unwrap();
                let content = &contents[&name.as_str().into()];
                assert_eq!(content.error, None, "{judge}");
                assert_eq!(Some(&content.sha256), expected.sha256.as_ref(), "{judge} at {time}");
                compared += 1;
            }
        }
        assert!(compared > 0, "{judge}");
    }
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let Some(judge) = judges::library("8.11.4") else { return };
    let fixture = fixtures::one("8.11.4", "a04");
    let expectation = Expectation::of_fixture(&fixture).unwrap();
    let directory = fixture.unpack_to_temp();
    let fails = |expectation: &Expectation| {
        let read_back = |_: &Path| Ok(Contents::new());
        judges::judge(&judge, &directory.path(), expectation, &read_back).unwrap_err()
    };
    let mut other = expectation.clone();
    other.families[0].content.count += 1;
    assert!(fails(&other).contains("expected"));
    let mut other = expectation.clone();
    other.latest_sequence = Some(1);
    assert!(fails(&other).contains("sequence number"));
    let mut other = expectation.clone();
    other.live_files = Some(Vec::new());
    assert!(fails(&other).contains("files that were not expected"));
    // All is as expected, until the engine reads back something else.
    assert!(fails(&expectation).contains("reading it back"));
}

#[test]
fn a_directory_that_was_tampered_with_is_noticed() {
    let judges = judges::all();
    parallel::for_each(&judges, |judge| -> Result<(), String> {
        for tampering in [without_a_table, with_a_torn_manifest, without_the_log] {
            let fixture = fixtures::one("6.29.5", "a02");
            let expectation = Expectation::of_fixture(&fixture).ok_or("not a plain fixture")?;
            let directory = fixture.unpack_to_temp();
            let what = tampering(&directory.path());
            let read_back = |_: &Path| Err("was to be noticed before".to_owned());
            match judges::judge(judge, &directory.path(), &expectation, &read_back) {
                Err(why) if why.contains("was to be noticed before") => return Err(what.to_owned()),
                Err(_) => {}
                Ok(_) => return Err(format!("{what} was not noticed")),
            }
        }
        Ok(())
    });
}

fn without_a_table(directory: &Path) -> &'static str {
    fs::remove_file(largest(directory, ".sst")).unwrap();
    "a missing table"
}

/// The last edits are gone: the database that this is was real once, but is another.
fn with_a_torn_manifest(directory: &Path) -> &'static str {
    let current = fs::read_to_string(directory.join("CURRENT")).unwrap();
    let manifest = directory.join(current.trim_end());
    let bytes = fs::read(&manifest).unwrap();
    fs::write(&manifest, &bytes[..bytes.len() - 40]).unwrap();
    "a torn MANIFEST"
}

fn without_the_log(directory: &Path) -> &'static str {
    fs::remove_file(largest(directory, ".log")).unwrap();
    "a missing log"
}

fn largest(directory: &Path, end: &str) -> PathBuf {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.to_string_lossy().ends_with(end));
    paths.max_by_key(|path| path.metadata().unwrap().len()).unwrap()
}
