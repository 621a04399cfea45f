//! Every directory that a RocksDB release wrote reads as that release read it.

mod case_options;
mod metadata;
mod reading;

use case_options::CaseOptions;
use reading::{check_family, check_refused};
use testing::child;
use testing::fixtures::{self, Fixture};
use testing::parallel;

/// Cases whose tables this engine does not read; they must be refused by name.
const REFUSED: &[(&str, &str)] = &[("q02", "plain table"), ("q03", "cuckoo table")];

/// Cases that an old release read and that fail here, on purpose: it lost data without a word, or
/// went on behind damage. Case, releases, why.
const STRICTER: &[(&str, &[&str], &str)] = &[
    (
        "o06",
        &["4.13.5", "6.4.6"],
        "a WAL is torn and tables hold newer data: newer releases refuse it too",
    ),
    ("o07", &["3.13.1", "4.13.5"], "scans went on behind a damaged block"),
    ("o08", &["4.13.5"], "scans went on without a damaged table"),
    ("o17", &["3.13.1", "4.13.5"], "scans went on without a damaged table"),
];

/// Sequence numbers that opening for writing used up before the record was made: of these policies
/// the transaction database writes an empty batch when it starts.
const USED_BY_OPENING: &[(&str, u64)] = &[("k03", 1), ("k04", 1)];

fn is_stricter(fixture: &Fixture) -> bool {
    STRICTER.iter().any(|(case, releases, _)| {
        fixture.name.starts_with(case) && releases.contains(&fixture.release.as_str())
    })
}

fn check(fixture: &Fixture) -> Result<(), String> {
    let unpacked = fixture.unpack_to_temp();
    let options = CaseOptions::of(fixture, unpacked.parent())?;
    if let Some((_, feature)) = REFUSED.iter().find(|(case, _)| fixture.name.starts_with(case)) {
        return check_refused(&options, feature);
    }
    let expect = &fixture.case.expect;
    if is_stricter(fixture) {
        return reading::check_fails(&options);
    }
    let db = match (options.open(), &expect.open_error) {
        (Ok(db), None) => db,
        (Ok(db), Some(_)) => return reading::check_fails_on_read(&db, fixture),
        (Err(error), Some(_)) => return reading::check_names_a_file(&error, fixture),
        (Err(error), None) => return Err(format!("open: {error}")),
    };
    let used = USED_BY_OPENING.iter().find(|(case, _)| fixture.name.starts_with(case));
    let latest = db.latest_sequence_number() + used.map_or(0, |(_, count)| *count);
    if Some(latest) != expect.latest_sequence_number {
        return Err(format!(
            "latest sequence number {}, expected {:?}",
            db.latest_sequence_number(),
            expect.latest_sequence_number
        ));
    }
    if let Some(expected) = &expect.prepared {
        let names: Vec<_> = db
            .prepared_transactions()
            .keys()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        if names != *expected {
            return Err(format!("prepared transactions {names:?}, expected {expected:?}"));
        }
    }
    for (name, expected) in &expect.cf {
        let family = db.column_family(name).ok_or_else(|| format!("no family {name}"))?;
        check_family(&db, &family, expected, &options)
            .map_err(|why| format!("family {name}: {why}"))?;
    }
    Ok(())
}

#[test]
fn every_directory_reads_as_its_release_read_it() {
    parallel::for_each(&fixtures::all(), check);
}

/// The same without what makes reads fast.
#[test]
fn every_directory_reads_the_same_by_plain_ways() {
    let name = "every_directory_reads_as_its_release_read_it";
    child::run_test(name, &[("TOUCHSTONE_PLAIN", "all")]);
}

#[test]
fn every_directory_lists_its_families() {
    parallel::for_each(&fixtures::all(), |fixture| {
        let unpacked = fixture.unpack_to_temp();
        let context = db::OpenContext::default();
        match db::Db::list_column_families(&unpacked.path(), &context) {
            Ok(mut names) => {
                names.sort();
                if fixture.case.expect.list_error.is_some() {
                    return Err("listing was to fail".to_owned());
                }
                match &fixture.case.column_families {
                    Some(expected) if !names.iter().eq(expected) => {
                        Err(format!("families {names:?}, expected {expected:?}"))
                    }
                    _ => Ok(()),
                }
            }
            Err(_) if fixture.case.expect.list_error.is_some() => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
}
