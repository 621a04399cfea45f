//! Values that leave old blob files.

use super::*;
use base::{InternalIterator, ParsedInternalKey};
use blob::BlobReference;
use table::ReadOptions;

fn value(user_key: &str, sequence: u64, size: usize) -> Entry {
    let key = InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value);
    (key, vec![user_key.as_bytes()[0]; size])
}

fn blob_options() -> BlobFileOptions {
    BlobFileOptions { min_blob_size: 50, ..BlobFileOptions::default() }
}

/// Two blob files of two values each; one value of each is overwritten. The last table's value is
/// in no blob file.
fn start() -> (Arc<TestEnvironment>, Compaction, Vec<u64>) {
    let comparator = InternalKeyComparator::bytewise();
    let environment = Arc::new(TestEnvironment::new(comparator.clone()));
    let contents = [
        vec![value("a", 1, 100), value("b", 2, 100)],
        vec![value("b", 3, 100), value("c", 4, 200)],
        vec![value("c", 5, 10)],
    ];
    let mut files = Vec::new();
    for (index, entries) in contents.iter().enumerate() {
        let epoch_number = 1 + index as u64;
        let file = flush(&environment, entries, &[], epoch_number, Some(blob_options()));
        files.push((0, file.unwrap()));
    }
    let numbers: Vec<_> =
        files.iter().filter_map(|(_, file)| file.oldest_blob_file_number).collect();
    let additions: Vec<_> = std::iter::zip(&numbers, [266, 366])
        .map(|(&number, total_blob_bytes)| BlobFileAddition {
            number,
            total_blob_count: 2,
            total_blob_bytes,
            ..BlobFileAddition::default()
        })
        .collect();
    let version = version(&comparator, &files, &additions);
    (environment, compaction(version, &[0], 1, true), numbers)
}

/// Of each value the number of its blob file, 0 if it is in the table, and its size.
fn places(environment: &TestEnvironment, outcome: &CompactionOutcome) -> Vec<(u64, usize)> {
    let table = environment.open_table(&outcome.files[0].metadata, 1).unwrap();
    let mut iterator = table.new_iterator(&ReadOptions::default());
    let mut places = Vec::new();
    iterator.seek_to_first().unwrap();
    while iterator.valid() {
        let key = ParsedInternalKey::parse(iterator.key()).unwrap();
        places.push(match key.value_type {
            ValueType::BlobIndex => {
                let reference = BlobReference::decode(iterator.value()).unwrap();
                let value = environment.read_blob(key.user_key, &reference).unwrap();
                (reference.file_number, value.len())
            }
            _ => (0, iterator.value().len()),
        });
        iterator.next().unwrap();
    }
    places
}

#[test]
fn garbage_is_counted_where_values_were_dropped() {
    let (environment, compaction, numbers) = start();
    let options = job_options(&environment, &[]);
    let job = CompactionJob::new(Arc::new(compaction), options, Arc::clone(&environment) as _);
    let outcome = job.run(&[]).unwrap();
    let [old, new] = numbers[..] else { panic!("{numbers:?}") };
    assert_eq!(places(&environment, &outcome), [(old, 100), (new, 100), (0, 10)]);
    assert_eq!(outcome.files[0].metadata.oldest_blob_file_number, Some(old));
    let garbages = outcome.edit.blob_file_garbages.iter();
    let garbages: Vec<_> = garbages
        .map(|file| (file.number, file.garbage_blob_count, file.garbage_blob_bytes))
        .collect();
    assert_eq!(garbages, [(old, 1, 133), (new, 1, 233)]);
}

#[test]
fn values_move_out_of_old_blob_files() {
    let (environment, mut compaction, numbers) = start();
    compaction.enable_blob_garbage_collection = true;
    compaction.blob_garbage_collection_age_cutoff = 0.5;
    let mut options = job_options(&environment, &[]);
    options.blob_files = Some(blob_options());
    let job = CompactionJob::new(Arc::new(compaction), options, Arc::clone(&environment) as _);
    let outcome = job.run(&[]).unwrap();
    let [addition] = &outcome.edit.blob_file_additions[..] else { panic!("{:?}", outcome.edit) };
    assert_eq!((addition.total_blob_count, addition.total_blob_bytes), (1, 133));
    let expected = [(addition.number, 100), (numbers[1], 100), (0, 10)];
    assert_eq!(places(&environment, &outcome), expected);
    let garbage = &outcome.edit.blob_file_garbages[0];
    assert_eq!((garbage.number, garbage.garbage_blob_bytes), (numbers[0], 266));
    assert_eq!(outcome.stats.iteration.blobs_relocated, 1);
}

#[test]
fn values_move_into_tables_where_blob_files_are_off() {
    let (environment, mut compaction, _) = start();
    compaction.enable_blob_garbage_collection = true;
    compaction.blob_garbage_collection_age_cutoff = 1.0;
    let options = job_options(&environment, &[]);
    let job = CompactionJob::new(Arc::new(compaction), options, Arc::clone(&environment) as _);
    let outcome = job.run(&[]).unwrap();
    assert_eq!(places(&environment, &outcome), [(0, 100), (0, 100), (0, 10)]);
    assert_eq!(outcome.files[0].metadata.oldest_blob_file_number, None);
}
