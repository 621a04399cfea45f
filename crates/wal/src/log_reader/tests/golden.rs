//! The logs that thirteen releases of RocksDB wrote.

use super::*;
use std::collections::BTreeMap;
use testing::corrupt;
use testing::fixtures::{self, Fixture};
use testing::parallel;

/// What is in a log up to the first damage.
#[derive(Debug, Default, PartialEq)]
struct Content {
    records: u64,
    control_records: u64,
    end_offset: u64,
    damage: Option<DamageKind>,
    in_recycled_log: bool,
}

fn read_content(
    bytes: &[u8],
    log_number: u64,
    check: impl Fn(&[u8]) -> Result<()>,
) -> Result<Content> {
    let mut reader = LogReader::new(Source::new(bytes), log_number);
    let mut content = Content::default();
    while let Some(entry) = reader.read()? {
        match entry {
            LogEntry::Record(record) => {
                check(record.payload)?;
                content.records += 1;
                content.end_offset = record.end_offset;
            }
            LogEntry::TimestampSizes(_) | LogEntry::PredecessorWalInfo(_) => {
                content.control_records += 1;
                content.end_offset = reader.offset();
            }
            LogEntry::Damage(damage) => {
                content.damage = Some(damage.kind);
                break;
            }
        }
    }
    content.in_recycled_log = reader.is_recycled();
    Ok(content)
}

fn check_wals(fixture: &Fixture) -> std::result::Result<(), String> {
    let files = fixture.files();
    for (path, facts) in fixture.case.facts.wals.iter().flatten() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let log_number = name.trim_end_matches(".log").parse().unwrap();
        let content = read_content(&files[path], log_number, |payload| {
            WriteBatchReader::new(payload)?.verify()
        })
        .map_err(|status| format!("{path}: {status}"))?;
        let expected = expected_content(&fixture.name, facts);
        if content != expected {
            return Err(format!("{path}: expected {expected:?}, found {content:?}"));
        }
    }
    Ok(())
}

fn expected_content(case: &str, facts: &BTreeMap<String, u64>) -> Content {
    let sum = |kinds: &[&str]| kinds.iter().filter_map(|kind| facts.get(*kind)).sum();
    let after = facts.get("bytes_after_last_record").copied();
    let mut expected = Content {
        records: sum(&["full", "recyclable_full", "last", "recyclable_last"]),
        control_records: sum(&[
            "user_timestamp_size",
            "recyclable_user_timestamp_size",
            "predecessor_wal_info",
            "recyclable_predecessor_wal_info",
        ]),
        end_offset: facts["size"] - after.unwrap_or(0),
        damage: None,
        in_recycled_log: facts.keys().any(|kind| kind.starts_with("recyclable")),
    };
    // What was done to the files of group `o`, and where recycled files go on with older bytes.
    expected.damage = match (&case[..3], after) {
        ("o03", Some(_)) | (_, None) => None,
        (_, Some(1..=6)) => Some(TruncatedHeader),
        (_, Some(_)) => Some(TruncatedPayload),
    };
    // The facts do not look at checksums.
    let flipped_record = match &case[..3] {
        "o04" => Some(20),
        "o05" => Some(expected.records - 1),
        _ => None,
    };
    if let Some(records) = flipped_record {
        let end_offset = if records == 20 { 1898 } else { 3794 };
        expected = Content { records, end_offset, damage: Some(ChecksumMismatch), ..expected };
    }
    expected
}

#[test]
fn wals_of_every_release_decode_completely() {
    let with_wals: Vec<Fixture> =
        fixtures::all().into_iter().filter(|fixture| fixture.case.facts.wals.is_some()).collect();
    assert!(with_wals.len() > 500, "{}", with_wals.len());
    parallel::for_each(&with_wals, check_wals);
}

#[test]
fn manifests_of_every_release_decode_completely() {
    let fixtures = fixtures::matching(|_, name| !name.starts_with('o'));
    parallel::for_each(&fixtures, |fixture| {
        let files = fixture.files();
        for (path, &count) in &fixture.case.facts.manifest_records {
            let bytes = &files[path];
            let content =
                read_content(bytes, 0, |_| Ok(())).map_err(|status| status.to_string())?;
            let whole = content.damage.is_none() && content.end_offset == bytes.len() as u64;
            // The facts count fragments.
            if !whole || (content.records != count && bytes.len() < BLOCK_SIZE) {
                return Err(format!("{path}: expected {count} records, found {content:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn damaged_wals_of_rocksdb_give_a_prefix() {
    for (release, case) in [
        ("9.10.0", "n01"),
        ("11.8.1", "n02"),
        ("10.10.1", "n04"),
        ("11.8.1", "n07"),
        ("9.10.0", "q08"),
    ] {
        let fixture = fixtures::one(release, case);
        let (path, bytes) = fixture
            .files()
            .into_iter()
            .filter(|(path, bytes)| path.ends_with(".log") && !bytes.is_empty())
            .min_by_key(|(_, bytes)| bytes.len())
            .unwrap();
        let log_number = path.trim_end_matches(".log").parse().unwrap();
        let whole = read_numbered(&bytes, log_number);
        let (entries, _) = until_damage(&whole);
        assert!(entries.len() > 5, "{fixture} {path}: {whole:?}");
        for damage in corrupt::all(bytes.len()) {
            let seen = read_numbered(&damage.apply(&bytes), log_number);
            let (before, found) = until_damage(&seen);
            assert_eq!(before, &entries[..before.len()], "{fixture} {path}: {damage}");
            let is_cut = matches!(damage, corrupt::Damage::Truncate { .. });
            assert!(
                found.is_some() || before.len() == entries.len() || is_cut,
                "{fixture} {path}: {damage}"
            );
        }
    }
}
