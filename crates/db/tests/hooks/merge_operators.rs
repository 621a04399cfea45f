//! What a merge operator can do beside `full_merge` and `partial_merge`.

use crate::fixture::{Fixture, compact, family, flush, get, put, try_compact};
use base::merge_operator::{
    AssociativeMergeOperator, ExistingValue, MergedValue, OpFailureScope, StringAppendOperator,
    WideMergeOperator,
};
use base::status::SubCode;
use base::{MergeOperator, PinnableSlice, Result, Status};
use db::{Db, ReadOptions, WriteOptions};
use std::sync::Arc;

fn with_operator(operator: impl MergeOperator + 'static) -> Db {
    let mut fixture = Fixture::new();
    fixture.family.merge_operator = Some(Arc::new(operator));
    fixture.open()
}

fn merge(db: &Db, key: &str, operand: &str) {
    let options = WriteOptions::default();
    db.merge(&options, &family(db), key.as_bytes(), operand.as_bytes()).unwrap();
}

/// The longer one, or else the later one.
#[derive(Debug)]
struct Longest;

impl AssociativeMergeOperator for Longest {
    fn name(&self) -> &str {
        "Longest"
    }

    fn merge(&self, _key: &[u8], existing: Option<&[u8]>, value: &[u8]) -> Result<Vec<u8>> {
        let existing = existing.filter(|existing| existing.len() > value.len());
        Ok(existing.unwrap_or(value).to_vec())
    }
}

#[test]
fn a_rule_for_two_is_a_merge_operator() {
    let operator: &dyn MergeOperator = &Longest;
    assert_eq!(operator.partial_merge(b"k", &[b"aa", b"b"]).unwrap(), b"aa");
    let db = with_operator(Longest);
    put(&db, "a", "12");
    for operand in ["1", "123", "12"] {
        merge(&db, "a", operand);
        merge(&db, "b", operand);
        assert!(get(&db, "a").is_some());
    }
    flush(&db);
    compact(&db);
    assert_eq!((get(&db, "a").unwrap(), get(&db, "b").unwrap()), ("123".into(), "123".into()));
}

/// Each operand is a column; an operand `!` makes a plain value of how many there were.
#[derive(Debug)]
struct Columns;

impl MergeOperator for Columns {
    fn name(&self) -> &str {
        "Columns"
    }

    fn full_merge(&self, _: &[u8], _: Option<&[u8]>, _: &[&[u8]]) -> Result<Vec<u8>> {
        Err(Status::corruption("the columns are wanted"))
    }

    fn as_wide(&self) -> Option<&dyn WideMergeOperator> {
        Some(self)
    }
}

impl WideMergeOperator for Columns {
    fn full_merge_wide(
        &self,
        _key: &[u8],
        existing: ExistingValue<'_>,
        operands: &[&[u8]],
    ) -> Result<MergedValue> {
        let mut columns: Vec<(Vec<u8>, Vec<u8>)> = match existing {
            ExistingValue::None => Vec::new(),
            ExistingValue::Value(value) => vec![(b"base".to_vec(), value.to_vec())],
            ExistingValue::Entity(columns) => {
                columns.iter().map(|column| (column.name.to_vec(), column.value.to_vec())).collect()
            }
        };
        for operand in operands {
            if operand == b"!" {
                return Ok(MergedValue::Value(columns.len().to_string().into_bytes()));
            }
            columns.push((operand.to_vec(), b"1".to_vec()));
        }
        Ok(MergedValue::Entity(columns))
    }
}

#[test]
fn operands_and_entities_make_entities_and_values() {
    for is_compacted in [false, true] {
        let db = with_operator(Columns);
        let names = |key: &str| {
            let columns = db.get_entity(&ReadOptions::default(), &family(&db), key.as_bytes());
            let columns = columns.unwrap().unwrap();
            let names: Vec<_> =
                columns.iter().map(|(name, _)| String::from_utf8(name.to_vec()).unwrap()).collect();
            names.join(" ")
        };
        put(&db, "value", "x");
        let entity: [(&[u8], &[u8]); 1] = [(b"old", b"0")];
        db.put_entity(&WriteOptions::default(), &family(&db), b"entity", &entity).unwrap();
        for key in ["none", "value", "entity"] {
            merge(&db, key, "z");
            merge(&db, key, "c");
        }
        merge(&db, "counted", "a");
        merge(&db, "counted", "!");
        if is_compacted {
            compact(&db);
        }
        assert_eq!((names("none"), names("value")), ("c z".into(), "base c z".into()));
        assert_eq!((names("entity"), get(&db, "counted").unwrap()), ("c old z".into(), "1".into()));
    }
}

/// As the inner one, with a say in when operands are merged.
#[derive(Debug)]
struct Picky {
    operands_max: usize,
    scope: OpFailureScope,
    marks_single: bool,
}

const EASY: Picky =
    Picky { operands_max: usize::MAX, scope: OpFailureScope::TryMerge, marks_single: false };

impl MergeOperator for Picky {
    fn name(&self) -> &str {
        "Picky"
    }

    fn full_merge(&self, key: &[u8], base: Option<&[u8]>, operands: &[&[u8]]) -> Result<Vec<u8>> {
        if operands.contains(&&b"bad"[..]) {
            return Err(Status::corruption("a bad operand"));
        }
        StringAppendOperator::new(b",").full_merge(key, base, operands)
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        match operands {
            [one] if self.marks_single => Some([b"<", *one, b">"].concat()),
            _ => None,
        }
    }

    fn should_merge(&self, operands: &[PinnableSlice]) -> bool {
        operands.len() >= self.operands_max
    }

    fn allow_single_operand(&self) -> bool {
        self.marks_single
    }

    fn op_failure_scope(&self) -> OpFailureScope {
        self.scope
    }
}

#[test]
fn a_number_of_operands_may_be_enough() {
    let db = with_operator(Picky { operands_max: 2, ..EASY });
    put(&db, "k", "0");
    for operand in ["1", "2", "3"] {
        merge(&db, "k", operand);
    }
    assert_eq!(get(&db, "k").unwrap(), "2,3");
    flush(&db);
    assert_eq!(get(&db, "k").unwrap(), "0,1,2,3", "the flush made a value of them");
}

#[test]
fn a_single_operand_may_be_changed() {
    for (marks_single, expected) in [(false, "1"), (true, "<1>")] {
        let db = with_operator(Picky { marks_single, ..EASY });
        merge(&db, "k", "1");
        flush(&db);
        assert_eq!(get(&db, "k").unwrap(), expected);
    }
}

#[test]
fn only_reads_fail_where_only_they_must() {
    for scope in [OpFailureScope::TryMerge, OpFailureScope::MustMerge] {
        let db = with_operator(Picky { scope, ..EASY });
        put(&db, "k", "0");
        put(&db, "other", "1");
        merge(&db, "k", "bad");
        merge(&db, "lonely", "bad");
        let compacted = try_compact(&db);
        assert_eq!(compacted.is_ok(), scope == OpFailureScope::MustMerge, "{compacted:?}");
        let status = db.get(&ReadOptions::default(), &family(&db), b"k").unwrap_err();
        assert_eq!(status.subcode(), SubCode::MergeOperatorFailed);
        assert_eq!(get(&db, "other").unwrap(), "1");
        let operands = |key: &[u8]| {
            let found = db.get_merge_operands(&ReadOptions::default(), &family(&db), key);
            found.unwrap().unwrap().len()
        };
        assert_eq!((operands(b"k"), operands(b"lonely")), (2, 1));
    }
}
