//! Directories over a matrix of options, and what releases of RocksDB and this engine find in
//! them: each must find what the writer had, and what the others wrote on top of it. See
//! `docs/judges.md`.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod converted;
mod engine;
mod lost_pages;
mod mapped_wals;
mod matrix;
mod options_files;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use matrix::{Plan, plans};
use testing::judges::protocol::{Mode, Opening};
use testing::judges::{self, Expectation, ExpectedFamily, Failure, Judge};
use testing::parallel;

/// How Debian's command lines are counted.
const TOOLS: &str = "ldb and sst_dump";

/// Has a release of RocksDB write a plan's directory: three rounds, the first two flushed, the
/// first also compacted while a snapshot holds on to it.
fn write_by_rocksdb(judge: &Judge, plan: &Plan, directory: &Path) -> Result<Expectation, Failure> {
    let mut session = judge.session();
    let options = "create_if_missing=true;create_missing_column_families=true";
    session.open(&Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: format!("{options};{}", plan.options()),
        latest: false,
        families: plan.families(),
        transactions: None,
    })?;
    let families = plan.needed();
    for round in 0..3 {
        for batch in plan.batches(round) {
            session.write(batch)?;
        }
        if round < 2 || !plan.leaves_log() {
            session.flush(&[])?;
        }
        if round == 0 {
            session.snapshot()?;
            for family in &families {
                session.compact(&family.name.0)?;
            }
        }
    }
    let mut contents = session.dump()?;
    let live_files = Some(session.live_files()?);
    let latest_sequence = Some(session.latest_sequence()?);
    session.close()?;
    let families = families.into_iter().map(|opening| {
        let content = contents.remove(&opening.name).unwrap();
        ExpectedFamily { opening, content }
    });
    Ok(Expectation {
        since: plan.since().to_owned(),
        codecs: plan.codecs(),
        // What the log is compressed with, a reader sees in the log.
        options: String::new(),
        families: families.collect(),
        live_files,
        latest_sequence,
        has_options_file: true,
    })
}

/// Has this engine write a plan's directory: three rounds, the last perhaps only logged.
fn write_by_touchstone(plan: &Plan, directory: &Path) -> Result<Expectation, String> {
    let rounds: Vec<_> = (0..3).map(|round| plan.batches(round)).collect();
    let options = "create_if_missing=true;create_missing_column_families=true";
    let options = format!("{options};{}", plan.options());
    let families = plan.families();
    let (mut contents, files, latest) =
        engine::write(directory, &options, &families, &rounds, !plan.leaves_log())?;
    let families = plan.needed().into_iter().map(|opening| {
        let content = contents.remove(&opening.name).unwrap();
        ExpectedFamily { opening, content }
    });
    Ok(Expectation {
        since: plan.since().to_owned(),
        codecs: plan.codecs(),
        options: String::new(),
        families: families.collect(),
        live_files: Some(files),
        latest_sequence: Some(latest),
        has_options_file: directory_has_options(directory),
    })
}

fn directory_has_options(directory: &Path) -> bool {
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with("OPTIONS-"))
}

/// There are blob files where the plan wants them, and only there.
fn check_blob_files(plan: &Plan, directory: &Path) -> Result<(), String> {
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let found = names.filter(|name| name.to_string_lossy().ends_with(".blob")).count();
    match (plan.fills_blob_files(), found > 0) {
        (true, false) => Err("no blob file was written".to_owned()),
        (false, true) => Err(format!("{found} blob files were written")),
        _ => Ok(()),
    }
}

/// What this engine wrote, all judges that are new enough read as it does, and it reads what they
/// add.
#[test]
fn what_touchstone_wrote() {
    let accepted = Mutex::new(BTreeMap::<String, usize>::new());
    let plans = plans();
    parallel::for_each(&plans, |plan| -> Result<(), String> {
        let scratch = tempfile::TempDir::new().map_err(|error| error.to_string())?;
        let directory = scratch.path().join("db");
        let expectation = write_by_touchstone(plan, &directory)?;
        check_blob_files(plan, &directory)?;
        check_own_reading(&directory, plan, &expectation)?;
        judges::judge_by_tools(&directory, &expectation)?;
        let read_back = |copy: &Path| Ok(engine::read(copy, &plan.needed())?.0);
        for judge in judges::judge_all(&directory, &expectation, &read_back)? {
            *accepted.lock().unwrap().entry(judge).or_default() += 1;
        }
        Ok(())
    });
    // The Python package and the tools need an OPTIONS file, which not every directory has.
    let accepted = accepted.into_inner().unwrap();
    for judge in judges::all() {
        let possible = plans.iter().filter(|plan| judge.is_since(plan.since())).count();
        let found = accepted.get(&judge.to_string()).copied().unwrap_or_default();
        println!("{judge}: {found} of {possible}");
        let is_library = !judge.to_string().starts_with("rocksdict");
        assert!(!is_library || found >= possible, "{judge} accepted {found} of {possible}");
    }
}

#[test]
fn the_matrix_meets_every_pair_in_few_rows() {
    let plans = plans();
    assert!((30..60).contains(&plans.len()), "{}", plans.len());
}

/// A release of RocksDB writes. All judges that are new enough agree with it, and so does this
/// engine, before and after they have compacted and written more.
#[test]
fn what_rocksdb_wrote_and_what_its_other_releases_added() {
    // From 11.6 on, an entity's columns go to blob files by themselves, which older releases do
    // not know. So the newest writes only what no other can.
    let (Some(older), Some(newest)) = (judges::library("9.10.0"), judges::library("11.8.1")) else {
        return;
    };
    let accepted = Mutex::new(BTreeMap::<String, usize>::new());
    let plans = plans();
    parallel::for_each(&plans, |plan| -> Result<(), String> {
        let scratch = tempfile::TempDir::new().map_err(|error| error.to_string())?;
        let directory = scratch.path().join("db");
        let writer = if older.is_since(plan.since()) { &older } else { &newest };
        let expectation = write_by_rocksdb(writer, plan, &directory)
            .map_err(|failure| format!("writing: {failure}"))?;
        check_own_reading(&directory, plan, &expectation)?;
        let read_back = |copy: &Path| Ok(engine::read(copy, &plan.needed())?.0);
        if judges::judge_by_tools(&directory, &expectation)? {
            *accepted.lock().unwrap().entry(TOOLS.to_owned()).or_default() += 1;
        }
        for judge in judges::judge_all(&directory, &expectation, &read_back)? {
            *accepted.lock().unwrap().entry(judge).or_default() += 1;
        }
        Ok(())
    });
    check_accepted(&accepted.into_inner().unwrap(), &plans);
}

fn check_own_reading(
    directory: &Path,
    plan: &Plan,
    expectation: &Expectation,
) -> Result<(), String> {
    let (contents, files, latest) = engine::read(directory, &plan.needed())?;
    let families = expectation.families.iter();
    let expected =
        families.map(|family| (family.opening.name.clone(), family.content.clone())).collect();
    judges::compare(&expected, &contents)?;
    if expectation.live_files.as_ref() != Some(&files) {
        return Err(format!("the engine lists {files:?}, not {:?}", expectation.live_files));
    }
    match expectation.latest_sequence {
        Some(expected) if expected != latest => {
            Err(format!("the engine is at {latest}, not {expected}"))
        }
        _ => Ok(()),
    }
}

/// Each judge accepts every directory that is not too new for it.
fn check_accepted(accepted: &BTreeMap<String, usize>, plans: &[Plan]) {
    // The tools are of the release that Debian's library is of.
    let (library, tools) = (accepted.get("RocksDB 7.8.3"), accepted.get(TOOLS));
    println!("{TOOLS}: {}", tools.copied().unwrap_or_default());
    assert!(testing::peer::find("ldb").is_none() || library == tools, "{accepted:?}");
    for judge in judges::all() {
        let is_for = |plan: &&Plan| {
            judge.is_since(plan.since()) && !plan.codecs().iter().any(|codec| judge.lacks(codec))
        };
        let possible = plans.iter().filter(is_for).count();
        let found = accepted.get(&judge.to_string()).copied().unwrap_or_default();
        println!("{judge}: {found} of {possible}");
        assert!(found >= possible, "{judge} accepted {found} of {possible} directories");
    }
}
