use super::*;
use base::merge_operator::{StringAppendOperator, UInt64AddOperator, builtin};
use base::status::Code;

fn append() -> StringAppendOperator {
    StringAppendOperator::new(",")
}

fn column<'a>(name: &'a str, value: &'a str) -> Column<'a> {
    Column { name: name.as_bytes(), value: value.as_bytes(), is_blob_index: false }
}

fn merged(base: BaseValue<'_>, operands: &[&[u8]]) -> MergeResult {
    full_merge(Some(&append()), b"key", base, operands).unwrap()
}

#[test]
fn merges_onto_nothing_and_onto_a_value() {
    assert_eq!(merged(BaseValue::None, &[b"a", b"b"]), MergeResult::Value(b"a,b".to_vec()));
    assert_eq!(merged(BaseValue::Value(b"x"), &[b"a"]), MergeResult::Value(b"x,a".to_vec()));
    assert_eq!(merged(BaseValue::Value(b""), &[b"a"]), MergeResult::Value(b",a".to_vec()));
}

#[test]
fn merges_onto_the_default_column_of_an_entity() {
    let entity = wide_columns::encode(&[column("", "x"), column("c", "kept")]);
    let expected = wide_columns::encode(&[column("", "x,a,b"), column("c", "kept")]);
    assert_eq!(merged(BaseValue::Entity(&entity), &[b"a", b"b"]), MergeResult::Entity(expected));
}

#[test]
fn an_entity_without_default_column_gets_one() {
    let entity = wide_columns::encode(&[column("c", "kept")]);
    let expected = wide_columns::encode(&[column("", ",a"), column("c", "kept")]);
    assert_eq!(merged(BaseValue::Entity(&entity), &[b"a"]), MergeResult::Entity(expected));
    let empty = wide_columns::encode(&[]);
    let expected = wide_columns::encode(&[column("", ",a")]);
    assert_eq!(merged(BaseValue::Entity(&empty), &[b"a"]), MergeResult::Entity(expected));
}

#[test]
fn blob_columns_other_than_the_default_stay() {
    let blob = |name: &'static str| Column { is_blob_index: true, ..column(name, "index") };
    let entity = wide_columns::encode(&[column("", "x"), blob("b")]);
    let expected = wide_columns::encode(&[column("", "x,a"), blob("b")]);
    assert_eq!(merged(BaseValue::Entity(&entity), &[b"a"]), MergeResult::Entity(expected));
    let entity = wide_columns::encode(&[blob("")]);
    let error = full_merge(Some(&append()), b"k", BaseValue::Entity(&entity), &[b"a"]).unwrap_err();
    assert_eq!(error.code(), Code::NotSupported);
}

#[test]
fn errors_have_rocksdbs_codes() {
    let error = full_merge(None, b"key", BaseValue::None, &[b"a"]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let sortlist = builtin("sortlist").unwrap();
    let error = full_merge(Some(&*sortlist), b"key", BaseValue::None, &[b"x"]).unwrap_err();
    assert_eq!((error.code(), error.subcode()), (Code::Corruption, SubCode::MergeOperatorFailed));
    assert!(error.message().contains("MergeSortOperator"), "{error}");
    let broken = BaseValue::Entity(b"\x01\x05");
    assert!(full_merge(Some(&append()), b"key", broken, &[b"a"]).unwrap_err().is_corruption());
}

#[test]
fn a_context_collects_from_either_end() {
    let mut context = MergeContext::new();
    context.push_older(b"b"[..].into());
    context.push_older(b"a"[..].into());
    context.push_newer(b"c"[..].into());
    assert_eq!(context.len(), 3);
    assert!(context.operands().map(|operand| &**operand).eq([b"a", b"b", b"c"]));
    let result = context.full_merge(Some(&append()), b"key", BaseValue::Value(b"0")).unwrap();
    assert_eq!(result, MergeResult::Value(b"0,a,b,c".to_vec()));
    context.clear();
    assert!(context.is_empty());
    context.push_newer(7u64.to_le_bytes()[..].into());
    let result = context.full_merge(Some(&UInt64AddOperator), b"key", BaseValue::None).unwrap();
    assert_eq!(result, MergeResult::Value(7u64.to_le_bytes().to_vec()));
}
