use super::*;
use crate::blob_file_builder::{BlobFileBuilder, BlobFileOptions};
use crate::compaction_input::{CompactionInput, EntrySource, KeyRange};
use crate::compaction_iterator::IterationContext;
use crate::created_files::CreatedFiles;
use crate::range_tombstones::JobRangeTombstonesBuilder;
use crate::snapshot_rules::SnapshotRules;
use crate::test_environment::{COLUMN_FAMILY_ID, TestEnvironment, iteration_context, vec_iterator};
use base::{InternalKey, InternalKeyComparator};
use std::sync::{Arc, Mutex};

/// Reads the values it is told to, and keeps entities whose column `keep` is `yes`.
#[derive(Debug, Default)]
struct Lazily {
    reads: Vec<usize>,
    seen: Mutex<Vec<Vec<u8>>>,
}

impl CompactionFilter for Lazily {
    fn name(&self) -> &str {
        "Lazily"
    }

    fn filter(&self, _level: usize, user_key: &[u8], _value: FilterValue<'_>) -> Decision {
        panic!("{user_key:?}: it decides without this");
    }

    fn filter_entity_lazily(
        &self,
        _level: usize,
        _user_key: &[u8],
        columns: &dyn LazyColumns,
    ) -> Option<Decision> {
        assert_eq!((columns.count(), columns.name(0)), (2, Some(&b"keep"[..])));
        assert_eq!((columns.name(1), columns.name(2)), (Some(&b"large"[..]), None));
        assert_eq!((columns.is_in_blob_file(0), columns.is_in_blob_file(1)), (false, true));
        assert!(columns.value(2).unwrap_err().to_string().contains("none at place 2"));
        for index in &self.reads {
            let value = columns.value(*index).unwrap_or(b"could not be read");
            self.seen.lock().unwrap().push(value.to_vec());
        }
        match columns.value(0) {
            Ok(b"yes") => Some(Decision::Keep),
            _ => Some(Decision::Remove),
        }
    }
}

/// Sees all values.
#[derive(Debug, Default)]
struct Eagerly(Mutex<Vec<Vec<u8>>>);

impl CompactionFilter for Eagerly {
    fn name(&self) -> &str {
        "Eagerly"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], value: FilterValue<'_>) -> Decision {
        let FilterValue::Entity(columns) = value else { return Decision::Keep };
        self.0.lock().unwrap().extend(columns.iter().map(|column| column.value.to_vec()));
        Decision::Keep
    }
}

/// What becomes of an entity with a value in a blob file, which may be gone.
fn filtered(filter: Arc<dyn CompactionFilter + Sync>, has_file: bool) -> Result<Option<ValueType>> {
    let comparator = InternalKeyComparator::bytewise();
    let environment = TestEnvironment::new(comparator.clone());
    let files = CreatedFiles::new(&environment);
    let mut blobs =
        BlobFileBuilder::new(&files, COLUMN_FAMILY_ID, BlobFileOptions::default(), None);
    let reference = blobs.add(b"key", b"a large value")?.unwrap().to_index();
    for file in blobs.finish()? {
        if !has_file {
            let path = base::filename::blob_file_name(&environment.directory, file.number);
            environment.file_system.delete_file(&path)?;
        }
    }
    let columns = [
        Column { name: b"keep", value: b"yes", is_blob_index: false },
        Column { name: b"large", value: &reference, is_blob_index: true },
    ];
    let key = InternalKey::new(b"key", 5, ValueType::WideColumnEntity);
    let entries = [(key, wide_columns::encode(&columns))];
    let snapshots = SnapshotRules::new(Vec::new());
    let tombstones = JobRangeTombstonesBuilder::new(comparator.clone(), snapshots.clone()).build();
    let cover = tombstones.cover(&snapshots, None);
    let context = IterationContext {
        zeroes_sequences_up_to: 0,
        filter: Some(Box::new(filter)),
        ..iteration_context(&environment, cover, snapshots)
    };
    let inner = Box::new(vec_iterator(&comparator, &entries));
    let source = EntrySource::Iterator(inner);
    let input = CompactionInput::new(source, comparator, &KeyRange::all(), false);
    let mut iterator = CompactionIterator::new(input, context);
    iterator.seek_to_first()?;
    Ok(iterator.valid().then(|| iterator.parsed_key().value_type))
}

#[test]
fn a_value_that_a_filter_does_not_ask_for_is_not_read() {
    for has_file in [true, false] {
        let filter = Arc::new(Lazily { reads: vec![0], ..Lazily::default() });
        let kept = filtered(filter.clone(), has_file).unwrap();
        assert_eq!(kept, Some(ValueType::WideColumnEntity));
        assert_eq!(*filter.seen.lock().unwrap(), [b"yes"]);
    }
}

#[test]
fn one_that_it_asks_for_is_read_or_the_compaction_fails() {
    let filter = Arc::new(Lazily { reads: vec![1, 1], ..Lazily::default() });
    assert_eq!(filtered(filter.clone(), true).unwrap(), Some(ValueType::WideColumnEntity));
    assert_eq!(*filter.seen.lock().unwrap(), [b"a large value", b"a large value"]);
    let filter = Arc::new(Lazily { reads: vec![1], ..Lazily::default() });
    let status = filtered(filter.clone(), false).unwrap_err();
    assert!(status.to_string().contains(".blob"), "{status}");
    assert_eq!(*filter.seen.lock().unwrap(), [b"could not be read"]);
}

#[test]
fn a_filter_that_knows_nothing_of_it_gets_all_values() {
    let filter = Arc::new(Eagerly::default());
    assert_eq!(filtered(filter.clone(), true).unwrap(), Some(ValueType::WideColumnEntity));
    assert_eq!(*filter.0.lock().unwrap(), [&b"yes"[..], b"a large value"]);
    assert!(filtered(Arc::new(Eagerly::default()), false).is_err());
}
