//! Damaged MANIFESTs.

use crate::content::{Content, Outcome};
use crate::damages::{self, Change, Thoroughness, Victim, changes};
use crate::mem_database::{MemDatabase, Original};
use testing::corrupt::Damage;
use testing::limits::{self, Limits};
use version::ManifestReader;

use Thoroughness::{Every, Some as Part};

/// Release, case, and how thoroughly its MANIFEST is damaged.
const MANIFESTS: &[(&str, &str, Thoroughness)] = &[
    ("3.13.1", "a01-l0-files", Every),
    ("3.13.1", "d01-families", Part),
    ("6.4.6", "d04-atomic-flush", Every),
    ("6.29.5", "g03-blob-gc", Part),
    ("9.3.1", "n03-wal-in-manifest", Part),
    ("10.10.1", "q12-dbid-in-manifest", Every),
    ("11.8.1", "d04-atomic-flush", Part),
    ("11.8.1", "q09-file-checksums", Part),
    ("11.8.1", "q01-timestamps", Part),
];

/// A MANIFEST up to the end of some record: where that is, and what the database then holds. None
/// where it cannot be opened.
type State = (usize, Option<Content>);

fn states(original: &std::sync::Arc<Original>) -> Vec<State> {
    let database = original.in_memory();
    let name = original.manifest();
    let mut reader = ManifestReader::open(&*database.fs, &database.path(&name)).unwrap();
    let mut ends = vec![0];
    while let Some(record) = reader.read().unwrap() {
        ends.push(record.end_offset as usize);
    }
    let whole = database.content();
    let bytes = &original.files[&name];
    let content_at = |end: usize| {
        database.write(&name, &bytes[..end]);
        database.open().and_then(|db| Content::read(&db, &original.fixture)).ok()
    };
    let states: Vec<State> = ends.into_iter().map(|end| (end, content_at(end))).collect();
    assert_eq!(states.last().unwrap().1.as_ref(), Some(&whole), "{original}");
    states
}

fn check(database: &MemDatabase, states: &[State], change: Change) -> Result<bool, String> {
    let whole = &states[states.len() - 1].1;
    let legal = match change {
        // The records that are still whole.
        Change::Damage(Damage::Truncate { size_bytes }) => {
            &states.iter().rfind(|(end, _)| *end <= size_bytes).ok_or("no state")?.1
        }
        _ => whole,
    };
    let db = match database.open() {
        Ok(db) => db,
        Err(error) if error.message().contains("MANIFEST-") => return Ok(true),
        // A state that is not the newest may lack files by now.
        Err(error) if legal.is_none() && error.message().contains("/") => return Ok(true),
        Err(error) => return Err(format!("names no MANIFEST: {error}")),
    };
    let content = legal.as_ref().ok_or("opens, where a whole MANIFEST like this does not")?;
    match content.compare(&db)? {
        Outcome::Same => Ok(content != whole.as_ref().ok_or("no content")?),
        Outcome::Error(error) => Err(format!("opens, then: {error}")),
    }
}

#[test]
fn damaged_manifests_give_an_error_or_a_state_that_was() {
    let test = "manifests::damaged_manifests_give_an_error_or_a_state_that_was";
    limits::run(test, Limits::default(), || {
        let victims: Vec<_> = MANIFESTS
            .iter()
            .map(|&(release, case, thoroughness)| {
                let original = Original::of(release, case);
                let file = original.manifest();
                let changes = changes(original.files[&file].len(), thoroughness, false);
                Victim { original, file, changes }
            })
            .collect();
        let states: Vec<_> = victims.iter().map(|victim| states(&victim.original)).collect();
        let found = damages::for_each(&victims, |database, index, change| {
            check(database, &states[index], change)
        });
        for (victim, found) in victims.iter().zip(found) {
            let flips = victim.changes.len() / 2;
            assert!(found >= flips, "{victim}: {found} damages found, {flips} bytes flipped");
        }
    });
}
