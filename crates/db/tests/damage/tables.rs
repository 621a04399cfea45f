//! Damaged tables.

use crate::content::{Content, Outcome};
use crate::damages::{self, Thoroughness, Victim, changes};
use crate::mem_database::Original;
use base::Status;
use base::status::Code;
use db::{Db, DbIterator, ReadOptions};
use testing::limits::{self, Limits};

/// Release, case, and how thoroughly a table of it is damaged.
type Case = (&'static str, &'static str, Thoroughness);

use Thoroughness::{Every, Some as Part};

/// Tables whose blocks have checksums.
const CHECKED: &[Case] = &[
    ("3.13.1", "c11-format-0", Every),
    ("10.10.1", "c11-format-0", Part),
    ("9.10.0", "c11-format-1", Part),
    ("11.8.1", "c11-format-2", Every),
    ("11.8.1", "c11-format-3", Part),
    ("11.8.1", "c11-format-4", Part),
    ("11.8.1", "c11-format-5", Every),
    ("11.8.1", "c11-format-6", Every),
    ("11.8.1", "c11-format-7", Every),
    ("11.8.1", "c12-checksum-crc32c", Part),
    ("11.8.1", "c12-checksum-xxhash", Part),
    ("11.8.1", "c12-checksum-xxhash64", Part),
    ("11.8.1", "c12-checksum-xxh3", Part),
    ("11.8.1", "c13-format-6-crc32c", Part),
    ("11.8.1", "c13-format-6-xxhash", Part),
    ("11.8.1", "c13-format-6-xxhash64", Part),
    ("11.8.1", "c13-format-6-xxh3", Part),
    ("11.8.1", "b09-zstd-dict", Part),
    ("3.13.1", "c01-bloom-block", Part),
    ("11.8.1", "c03-ribbon", Part),
    ("11.8.1", "c05-partitioned", Every),
    ("10.10.1", "c07-partitioned-ribbon", Part),
    ("11.8.1", "c08-block-hash-index", Part),
    ("3.13.1", "c09-hash-index", Part),
    ("11.8.1", "c09-hash-index", Every),
    ("11.8.1", "c10-first-key-index", Part),
    ("11.8.1", "c17-separate-kv", Every),
    ("11.8.1", "c19-super-block", Part),
    ("11.8.1", "c22-block-align", Part),
    ("11.8.1", "f01-delrange-tables", Part),
    ("11.8.1", "f03-delrange-levels", Part),
    ("11.8.1", "f05-delrange-only", Every),
    ("11.8.1", "h01-ingest", Part),
    ("11.8.1", "h05-ingest-write-seqno", Part),
    ("11.8.1", "h06-embedded-blobs", Every),
    ("11.8.1", "l02-prefix-capped", Part),
    ("11.8.1", "l03-prefix-partitioned", Part),
    ("11.8.1", "m02-entity", Part),
    ("11.8.1", "q01-timestamps", Part),
    ("11.8.1", "q08-timestamps-stripped", Part),
];

/// Content of every victim before the damage.
fn contents(victims: &[Victim]) -> Vec<Content> {
    victims.iter().map(|victim| victim.original.in_memory().content()).collect()
}

fn victims(cases: &[Case]) -> Vec<Victim> {
    cases
        .iter()
        .map(|&(release, case, thoroughness)| {
            let original = Original::of(release, case);
            let file = original.table(3000);
            let changes = changes(original.files[&file].len(), thoroughness, true);
            Victim { original, file, changes }
        })
        .collect()
}

/// The error is one that a damaged table may give, and names the table.
fn check_error(error: &Status, file: &str) -> Result<(), String> {
    let codes = [Code::Corruption, Code::NotSupported, Code::InvalidArgument];
    match codes.contains(&error.code()) && error.message().contains(file) {
        true => Ok(()),
        false => Err(format!("expected an error that names {file}, found {error}")),
    }
}

#[test]
fn damaged_tables_give_an_error_or_the_same_content() {
    let test = "tables::damaged_tables_give_an_error_or_the_same_content";
    limits::run(test, Limits::default(), || {
        let victims = victims(CHECKED);
        let contents = contents(&victims);
        let found = damages::for_each(&victims, |database, index, _| {
            match database.compare(&contents[index])? {
                Outcome::Same => Ok(false),
                Outcome::Error(error) => check_error(&error, &victims[index].file).map(|()| true),
            }
        });
        for (victim, found) in victims.iter().zip(found) {
            // What may change unseen is padding, which is a tenth of a table with aligned blocks,
            // and here and there what is only a hint.
            let total = victim.changes.len();
            let percent_min = if victim.to_string().contains("block-align") { 85 } else { 90 };
            assert!(
                found * 100 > total * percent_min,
                "{victim}: {found} of {total} damages found"
            );
        }
    });
}

/// Tables of kNoChecksum. A flipped byte of a key or a value cannot be found, so the content may
/// be wrong; all else holds.
const UNCHECKED: &[Case] = &[
    ("5.18.4", "c12-checksum-none", Every),
    ("11.8.1", "c12-checksum-none", Part),
    ("11.8.1", "c13-format-6-none", Every),
];

#[test]
fn damaged_tables_without_checksums_are_read_to_an_end() {
    let test = "tables::damaged_tables_without_checksums_are_read_to_an_end";
    limits::run(test, Limits::default(), || {
        let victims = victims(UNCHECKED);
        let contents = contents(&victims);
        let found = damages::for_each(&victims, |database, index, _| {
            let content = &contents[index];
            let error = match database.open() {
                Err(error) => Some(error),
                Ok(db) => read_to_an_end(&db, content)?,
            };
            match error {
                None => Ok(false),
                Some(error) => check_error(&error, &victims[index].file).map(|()| true),
            }
        });
        // All truncations at least: the MANIFEST has the size.
        for (victim, found) in victims.iter().zip(found) {
            let total = victim.changes.len();
            assert!(found * 3 > total, "{victim}: {found} of {total} damages found");
        }
    });
}

/// Reads everything, both ways and by key. The first error, if there is one.
fn read_to_an_end(db: &Db, content: &Content) -> Result<Option<Status>, String> {
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let view = &content.views[0];
    let family = db.column_family(&view.family).ok_or("no family")?;
    let mut iterator = db.new_iterator(&options, &family).map_err(|error| error.to_string())?;
    let mut error = None;
    let most = 2 * content.pair_count() + 1000;
    iterator.seek_to_first();
    for step in [DbIterator::next, DbIterator::prev] {
        let mut count = 0;
        while iterator.valid() {
            count += iterator.columns().len();
            if count > most {
                return Err(format!("more than {most} pairs, expected {}", content.pair_count()));
            }
            step(&mut iterator);
        }
        error = error.or(iterator.status().err());
        iterator.seek_to_last();
    }
    for pair in &view.pairs {
        error = error.or(db.get(&options, &family, &pair.key).err());
    }
    Ok(error)
}
