//! `max_successive_merges`: long runs of merge operands become values when they are written.

use crate::fixture::{Fixture, default_family, get, get_as_of, put, scan};
use base::{
    InternalIterator, MergeOperator, ParsedInternalKey, Result, Status, ValueType, merge_operator,
};
use db::{ColumnFamilyHandle, Db, FlushOptions, ReadOptions, WriteBatch, WriteOptions};
use std::sync::Arc;

/// Runs of at most `max` operands, appended to each other with commas.
fn fixture(max: u64) -> Fixture {
    let mut fixture = Fixture::new();
    fixture.family_options.merge_operator = merge_operator::builtin("stringappend");
    fixture.family_options.max_successive_merges = max;
    fixture
}

fn merge(db: &Db, key: &str, operand: &str) {
    let family = default_family(db);
    db.merge(&WriteOptions::default(), &family, key.as_bytes(), operand.as_bytes()).unwrap();
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

/// The stored versions of a key, newest first.
fn stored(db: &Db, family: &ColumnFamilyHandle, key: &[u8]) -> Vec<(ValueType, Vec<u8>)> {
    let mut entries = db.new_internal_iterator(family);
    let mut found = Vec::new();
    entries.seek_to_first().unwrap();
    while entries.valid() {
        let parsed = ParsedInternalKey::parse(entries.key()).unwrap();
        if parsed.user_key == key {
            found.push((parsed.value_type, entries.value().to_vec()));
        }
        entries.next().unwrap();
    }
    found
}

fn types(db: &Db, key: &str) -> Vec<ValueType> {
    let family = default_family(db);
    stored(db, &family, key.as_bytes()).into_iter().map(|(value_type, _)| value_type).collect()
}

use ValueType::{Merge, Value};

#[test]
fn an_operand_after_as_many_becomes_a_value() {
    let fixture = fixture(2);
    let db = fixture.open();
    put(&db, "k", "a");
    for operand in ["b", "c"] {
        merge(&db, "k", operand);
    }
    assert_eq!(types(&db, "k"), [Merge, Merge, Value]);
    merge(&db, "k", "d");
    assert_eq!(types(&db, "k"), [Value, Merge, Merge, Value]);
    let family = default_family(&db);
    assert_eq!(stored(&db, &family, b"k")[0], (Value, b"a,b,c,d".to_vec()));
    for operand in ["e", "f", "g"] {
        merge(&db, "k", operand);
    }
    assert_eq!(types(&db, "k")[..3], [Value, Merge, Merge]);
    assert_eq!(get(&db, "k").as_deref(), Some("a,b,c,d,e,f,g"));
    drop((family, db));
    // The WAL has what was given, and recovery merges nothing.
    let db = fixture.open();
    assert_eq!(get(&db, "k").as_deref(), Some("a,b,c,d,e,f,g"));
}

#[test]
fn without_the_option_operands_stay() {
    let db = fixture(0).open();
    for _ in 0..50 {
        merge(&db, "k", "x");
    }
    assert_eq!(types(&db, "k"), [Merge; 50]);
}

#[test]
fn operands_without_a_base_and_of_one_batch_count_too() {
    let db = fixture(3).open();
    let mut batch = WriteBatch::new();
    for operand in ["a", "b", "c", "d", "e"] {
        batch.merge(0, b"k", operand.as_bytes()).unwrap();
        batch.merge(0, b"other", b"x").unwrap();
    }
    db.write(&WriteOptions::default(), batch).unwrap();
    assert_eq!(types(&db, "k"), [Merge, Value, Merge, Merge, Merge]);
    assert_eq!(get(&db, "k").as_deref(), Some("a,b,c,d,e"));
    assert_eq!(get(&db, "other").as_deref(), Some("x,x,x,x,x"));
}

#[test]
fn what_a_deletion_hides_is_not_merged() {
    let db = fixture(1).open();
    let (write, family) = (WriteOptions::default(), default_family(&db));
    merge(&db, "k", "a");
    db.delete(&write, &family, b"k").unwrap();
    merge(&db, "k", "b");
    assert_eq!(types(&db, "k")[0], Merge, "there is none before it in a row");
    merge(&db, "l", "a");
    db.delete_range(&write, &family, b"l", b"m").unwrap();
    merge(&db, "l", "b");
    assert_eq!(get(&db, "k").as_deref(), Some("b"));
    assert_eq!(get(&db, "l").as_deref(), Some("b"));
    merge(&db, "l", "c");
    assert_eq!(get(&db, "l").as_deref(), Some("b,c"));
}

#[test]
fn snapshots_see_what_they_saw() {
    let db = fixture(2).open();
    let mut snapshots = Vec::new();
    let mut expected = String::new();
    for index in 0..10 {
        merge(&db, "k", &index.to_string());
        expected += &format!("{}{index}", if index > 0 { "," } else { "" });
        snapshots.push((db.snapshot(), expected.clone()));
    }
    flush(&db);
    for (snapshot, expected) in snapshots {
        assert_eq!(get_as_of(&db, "k", Some(snapshot.sequence())), Some(expected));
    }
}

#[test]
fn a_base_in_a_file_is_read_only_by_the_strict_form() {
    for strict in [false, true] {
        let mut fixture = fixture(2);
        fixture.family_options.strict_max_successive_merges = strict;
        let db = fixture.open();
        put(&db, "k", "base");
        flush(&db);
        drop(db);
        // Nothing is in the block cache.
        let db = fixture.open();
        for operand in ["a", "b", "c"] {
            merge(&db, "k", operand);
        }
        let expected = if strict { Value } else { Merge };
        assert_eq!(types(&db, "k")[0], expected, "strict: {strict}");
        assert_eq!(get(&db, "k").as_deref(), Some("base,a,b,c"));
        // Now the base is in the block cache.
        merge(&db, "k", "d");
        let expected = if strict { Merge } else { Value };
        assert_eq!(types(&db, "k")[0], expected, "strict: {strict}");
        assert_eq!(get(&db, "k").as_deref(), Some("base,a,b,c,d"));
        assert_eq!(scan(&db), [("k".into(), "base,a,b,c,d".into())]);
    }
}

#[test]
fn columns_of_an_entity_stay() {
    let db = fixture(1).open();
    let (write, family) = (WriteOptions::default(), default_family(&db));
    let columns: [(&[u8], &[u8]); 2] = [(b"", b"a"), (b"other", b"stays")];
    db.put_entity(&write, &family, b"k", &columns).unwrap();
    merge(&db, "k", "b");
    merge(&db, "k", "c");
    assert_eq!(types(&db, "k")[0], ValueType::WideColumnEntity);
    let columns = db.get_entity(&ReadOptions::default(), &family, b"k").unwrap().unwrap();
    let expected = [(&b""[..], &b"a,b,c"[..]), (b"other", b"stays")];
    assert_eq!(columns, expected.map(|(name, value)| (name.to_vec(), value.to_vec())));
}

/// Takes no operand that says so.
#[derive(Debug)]
struct Choosy;

impl MergeOperator for Choosy {
    fn name(&self) -> &str {
        "Choosy"
    }

    fn full_merge(&self, _: &[u8], base: Option<&[u8]>, operands: &[&[u8]]) -> Result<Vec<u8>> {
        if operands.contains(&&b"bad"[..]) {
            return Err(Status::corruption("bad operand"));
        }
        let base = base.unwrap_or_default();
        Ok([base, &operands.concat()].concat())
    }
}

#[test]
fn an_operand_that_the_operator_refuses_stays_an_operand() {
    let mut fixture = fixture(1);
    fixture.family_options.merge_operator = Some(Arc::new(Choosy));
    let db = fixture.open();
    merge(&db, "k", "a");
    merge(&db, "k", "bad");
    assert_eq!(types(&db, "k"), [Merge, Merge]);
    let family = default_family(&db);
    db.get(&ReadOptions::default(), &family, b"k").unwrap_err();
    // What cannot be read is no reason to refuse a write.
    merge(&db, "k", "b");
    assert_eq!(types(&db, "k"), [Merge, Merge, Merge]);
}
