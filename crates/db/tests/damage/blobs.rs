//! Damaged blob files.

use crate::content::Outcome;
use crate::damages::{self, Thoroughness, Victim, changes};
use crate::mem_database::Original;
use base::status::Code;
use testing::limits::{self, Limits};

use Thoroughness::{Every, Some as Part};

/// Release, case, and how thoroughly its smallest blob file is damaged.
const BLOB_FILES: &[(&str, &str, Thoroughness)] = &[
    ("6.29.5", "g01-blob", Part),
    ("11.8.1", "g01-blob", Part),
    ("11.8.1", "g02-blob-lz4", Every),
    ("11.8.1", "g02-blob-zstd", Part),
    ("10.10.1", "g03-blob-gc", Every),
    ("11.8.1", "m04-entity-blob", Every),
];

#[test]
fn damaged_blob_files_give_an_error_or_the_same_content() {
    let test = "blobs::damaged_blob_files_give_an_error_or_the_same_content";
    limits::run(test, Limits::default(), || {
        let victims: Vec<_> = BLOB_FILES
            .iter()
            .map(|&(release, case, thoroughness)| {
                let original = Original::of(release, case);
                let file = original.smallest(|name| name.ends_with(".blob"));
                let changes = changes(original.files[&file].len(), thoroughness, true);
                Victim { original, file, changes }
            })
            .collect();
        let contents: Vec<_> =
            victims.iter().map(|victim| victim.original.in_memory().content()).collect();
        let found = damages::for_each(&victims, |database, index, _| {
            match database.compare(&contents[index])? {
                Outcome::Same => Ok(false),
                Outcome::Error(error) => match error.code() {
                    Code::Corruption | Code::NotSupported
                        if error.message().contains(&victims[index].file) =>
                    {
                        Ok(true)
                    }
                    _ => Err(format!("names no blob file: {error}")),
                },
            }
        });
        for (victim, found) in victims.iter().zip(found) {
            let total = victim.changes.len();
            assert!(found * 2 > total, "{victim}: {found} of {total} damages found");
        }
    });
}
