//! Filters by what they decide, and where they are asked.

use crate::fixture::{Fixture, compact, content, family, files, flush, get, put, try_compact};
use base::compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Decision, FilterValue,
    RemoveEmptyValueCompactionFilter, TableFileCreationReason,
};
use base::merge_operator::StringAppendOperator;
use base::status::Code;
use db::{ReadOptions, WriteOptions};
use parking_lot::Mutex;
use std::sync::Arc;

/// Decides by the value: `remove`, `purge`, `change`, `columns`, `skip`; keeps all else.
#[derive(Debug, Default)]
struct ByValue {
    respects_snapshots: bool,
}

impl CompactionFilter for ByValue {
    fn name(&self) -> &str {
        "ByValue"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], value: FilterValue<'_>) -> Decision {
        match value {
            FilterValue::Value(b"remove") | FilterValue::MergeOperand(b"remove") => {
                Decision::Remove
            }
            FilterValue::Value(b"purge") => Decision::Purge,
            FilterValue::Value(b"change") => Decision::ChangeValue(b"changed".to_vec()),
            FilterValue::Value(b"columns") => Decision::ChangeEntity(vec![
                (b"b".to_vec(), b"2".to_vec()),
                (b"a".to_vec(), b"1".to_vec()),
            ]),
            FilterValue::Value(b"skip") => Decision::RemoveAndSkipUntil(b"x".to_vec()),
            FilterValue::Entity(columns) if columns[0].value == b"change" => {
                Decision::ChangeValue(b"flat".to_vec())
            }
            _ => Decision::Keep,
        }
    }

    fn ignore_snapshots(&self) -> bool {
        !self.respects_snapshots
    }
}

/// Makes [`ByValue`], and remembers what for.
#[derive(Debug, Default)]
struct Factory {
    reasons: Vec<TableFileCreationReason>,
    made_for: Mutex<Vec<CompactionFilterContext>>,
}

impl CompactionFilterFactory for Factory {
    fn name(&self) -> &str {
        "Factory"
    }

    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        self.reasons.contains(&reason)
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        self.made_for.lock().push(context.clone());
        Some(Box::new(ByValue::default()))
    }
}

fn filtered() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.family.compaction_filter = Some(Arc::new(ByValue::default()));
    fixture
}

#[test]
fn compactions_do_what_the_filter_decides() {
    let mut fixture = filtered();
    fixture.family.merge_operator = Some(Arc::new(StringAppendOperator::new(b",")));
    let db = fixture.open();
    for (key, value) in
        [("a", "stays"), ("b", "remove"), ("c", "purge"), ("d", "change"), ("e", "columns")]
    {
        put(&db, key, value);
    }
    let options = WriteOptions::default();
    let columns: [(&[u8], &[u8]); 1] = [(b"x", b"change")];
    db.put_entity(&options, &family(&db), b"f", &columns).unwrap();
    for operand in ["1", "remove", "2"] {
        db.merge(&options, &family(&db), b"g", operand.as_bytes()).unwrap();
        // Operands of one flush become one.
        flush(&db);
    }
    put(&db, "m", "skip");
    put(&db, "n", "skipped");
    put(&db, "z", "stays");
    flush(&db);
    assert_eq!(get(&db, "b").unwrap(), "remove", "flushes do not ask the shared filter");
    compact(&db);
    assert_eq!(content(&db), "a=stays d=changed e= f=flat g=1,2 z=stays");
    let columns = db.get_entity(&ReadOptions::default(), &family(&db), b"e").unwrap().unwrap();
    let columns: Vec<_> =
        columns.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
    assert_eq!(columns, [(b"a".to_vec(), b"1".to_vec()), (b"b".to_vec(), b"2".to_vec())]);
}

#[test]
fn snapshots_do_not_protect_from_a_filter() {
    let db = filtered().open();
    put(&db, "a", "remove");
    let snapshot = db.snapshot();
    compact(&db);
    let options = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    assert!(db.get(&options, &family(&db), b"a").unwrap().is_none());
}

#[test]
fn a_filter_that_minds_snapshots_is_refused() {
    let mut fixture = Fixture::new();
    fixture.family.compaction_filter = Some(Arc::new(ByValue { respects_snapshots: true }));
    let db = fixture.open();
    put(&db, "a", "1");
    let status = try_compact(&db).unwrap_err();
    assert_eq!(status.code(), Code::NotSupported, "{status}");
    assert!(status.to_string().contains("ByValue"), "{status}");
    assert_eq!(content(&db), "a=1");
}

#[test]
fn a_factory_is_asked_for_what_it_wants() {
    use TableFileCreationReason::{Compaction, Flush, Recovery};
    let mut fixture = Fixture::new();
    let factory = Arc::new(Factory { reasons: vec![Flush, Recovery], ..Factory::default() });
    fixture.family.compaction_filter_factory = Some(factory.clone());
    let reasons =
        || -> Vec<_> { factory.made_for.lock().drain(..).map(|context| context.reason).collect() };
    let db = fixture.open();
    put(&db, "a", "remove");
    flush(&db);
    assert_eq!((reasons(), content(&db)), (vec![Flush], String::new()));
    put(&db, "b", "change");
    drop(db);
    let db = fixture.open();
    assert_eq!((reasons(), &*content(&db)), (vec![Recovery], "b=changed"));
    compact(&db);
    assert_eq!(reasons(), []);
    drop(db);

    let factory = Arc::new(Factory { reasons: vec![Compaction], ..Factory::default() });
    fixture.family.compaction_filter_factory = Some(factory.clone());
    let db = fixture.open();
    put(&db, "c", "purge");
    flush(&db);
    assert_eq!(&*content(&db), "b=changed c=purge");
    compact(&db);
    assert_eq!(&*content(&db), "b=changed");
    let contexts = factory.made_for.lock().clone();
    let last = contexts.last().unwrap();
    assert!(last.is_manual_compaction && last.is_full_compaction, "{last:?}");
    assert_eq!((last.column_family_id, last.reason), (0, Compaction));
    assert!(last.input_start_level.is_some());
    // What the table says that it read, the one of the last level: the flushed one has no keys among its.
    let tables: Vec<_> = last.input_table_properties.values().collect();
    let entries: Vec<_> = tables.iter().map(|table| table.number("rocksdb.num.entries")).collect();
    assert_eq!(entries, [Some(1)]);
    assert!(contexts.iter().all(|context| context.input_table_properties.len() == 1));
    assert_eq!(tables[0].text("rocksdb.comparator"), Some("leveldb.BytewiseComparator"));
    assert_eq!((tables[0].number("rocksdb.comparator"), tables[0].text("nothing")), (None, None));
    assert!(last.input_table_properties.keys().all(|path| path.extension().unwrap() == "sst"));
}

/// The shared filter goes before the factory.
#[test]
fn one_filter_for_all_goes_first() {
    let mut fixture = Fixture::new();
    let factory = Arc::new(Factory {
        reasons: vec![TableFileCreationReason::Compaction],
        ..Factory::default()
    });
    fixture.family.compaction_filter = Some(Arc::new(RemoveEmptyValueCompactionFilter));
    fixture.family.compaction_filter_factory = Some(factory.clone());
    let db = fixture.open();
    put(&db, "a", "remove");
    put(&db, "b", "");
    compact(&db);
    assert_eq!(content(&db), "a=remove");
    assert!(factory.made_for.lock().is_empty());
}

/// Decides about some keys without their values.
#[derive(Debug)]
struct ByKey(Mutex<Vec<Vec<u8>>>);

impl CompactionFilter for ByKey {
    fn name(&self) -> &str {
        "ByKey"
    }

    fn filter(&self, _level: usize, user_key: &[u8], value: FilterValue<'_>) -> Decision {
        self.0.lock().push(user_key.to_vec());
        match value {
            FilterValue::Value(value) if value.starts_with(b"old") => Decision::Remove,
            FilterValue::Entity(columns) if columns[0].value.starts_with(b"old") => {
                Decision::Remove
            }
            _ => Decision::Keep,
        }
    }

    fn filter_blob_by_key(&self, _level: usize, user_key: &[u8]) -> Option<Decision> {
        match user_key {
            [b'k', ..] => Some(Decision::Keep),
            [b'r', ..] => Some(Decision::Remove),
            _ => None,
        }
    }
}

#[test]
fn values_in_blob_files_are_read_only_if_need_be() {
    let mut fixture = Fixture::new();
    let filter = Arc::new(ByKey(Mutex::default()));
    fixture.family.compaction_filter = Some(filter.clone());
    fixture.family.enable_blob_files = true;
    let db = fixture.open();
    for (key, value) in [("k1", "old"), ("r1", "new"), ("v1", "old"), ("v2", "new")] {
        put(&db, key, value);
    }
    flush(&db);
    assert!(files(&db).iter().all(|file| file.oldest_blob_file_number.is_some()));
    compact(&db);
    assert_eq!(content(&db), "k1=old v2=new");
    let mut asked = filter.0.lock().clone();
    asked.dedup();
    assert_eq!(asked, [b"v1", b"v2"]);
}
