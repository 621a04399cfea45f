//! Damage to CURRENT, and to files that do not matter.

use crate::content::Outcome;
use crate::damages::{self, Thoroughness, Victim, changes};
use crate::mem_database::Original;
use testing::limits::{self, Limits};

fn victims(cases: &[(&str, &str, &str)]) -> Vec<Victim> {
    cases
        .iter()
        .map(|&(release, case, prefix)| {
            let original = Original::of(release, case);
            let file = original.smallest(|name| name.starts_with(prefix));
            let thoroughness = match prefix {
                "CURRENT" => Thoroughness::Every,
                _ => Thoroughness::Some,
            };
            let changes = changes(original.files[&file].len(), thoroughness, true);
            Victim { original, file, changes }
        })
        .collect()
}

#[test]
fn a_damaged_current_gives_an_error_or_the_same_content() {
    let test = "small_files::a_damaged_current_gives_an_error_or_the_same_content";
    limits::run(test, Limits::default(), || {
        let victims = victims(&[
            ("3.13.1", "a01-l0-files", "CURRENT"),
            ("11.8.1", "a01-l0-files", "CURRENT"),
            // It has an old MANIFEST beside the one in use.
            ("11.8.1", "o15-leftovers", "CURRENT"),
        ]);
        let contents: Vec<_> =
            victims.iter().map(|victim| victim.original.in_memory().content()).collect();
        let found = damages::for_each(&victims, |database, index, change| {
            match database.compare(&contents[index])? {
                Outcome::Error(error)
                    if error.message().contains("CURRENT")
                        || error.message().contains("MANIFEST-") =>
                {
                    Ok(true)
                }
                outcome => Err(format!("{change}: {outcome:?}")),
            }
        });
        for (victim, found) in victims.iter().zip(found) {
            assert_eq!(found, victim.changes.len(), "{victim}");
        }
    });
}

#[test]
fn files_beside_the_data_never_matter() {
    let victims = victims(&[
        ("11.8.1", "a01-l0-files", "IDENTITY"),
        ("11.8.1", "a01-l0-files", "LOG"),
        ("11.8.1", "a01-l0-files", "OPTIONS-"),
        ("3.13.1", "a01-l0-files", "LOG"),
    ]);
    let contents: Vec<_> =
        victims.iter().map(|victim| victim.original.in_memory().content()).collect();
    damages::for_each(&victims, |database, index, _| match database.compare(&contents[index])? {
        Outcome::Same => Ok(false),
        Outcome::Error(error) => Err(error.to_string()),
    });
    for (victim, content) in victims.iter().zip(&contents) {
        let database = victim.original.in_memory();
        for name in ["LOCK", "IDENTITY"] {
            database.write(name, b"anything at all");
            assert_eq!(database.compare(content), Ok(Outcome::Same), "{victim}");
            database.delete(name);
            assert_eq!(database.compare(content), Ok(Outcome::Same), "{victim}");
        }
    }
}
