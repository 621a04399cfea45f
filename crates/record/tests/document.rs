//! The fields of a record are those of `docs/bench-json.md`, with the same types.

use record::{
    Device, EngineFacts, FamilyShape, Latency, LevelShape, ReadAmplification, Record, Shape,
    Shapes, Stall,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const DOCUMENT: &str = include_str!("../../../docs/bench-json.md");

/// What the document or a record says of a field.
#[derive(Debug, PartialEq, Eq)]
struct Field {
    kind: String,
    may_be_null: bool,
}

/// The fields of the document, by path.
fn documented() -> BTreeMap<String, Field> {
    let (_, block) = DOCUMENT.split_once("```text\n").expect("a block of fields");
    let (block, _) = block.split_once("```").expect("its end");
    let mut fields = BTreeMap::new();
    let mut parents: Vec<&str> = Vec::new();
    for line in block.lines() {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let mut words = line.split_whitespace();
        let (Some(name), Some(kind)) = (words.next(), words.next()) else {
            panic!("neither name and type: {line}");
        };
        parents.truncate(depth);
        parents.push(name);
        let mut note = words.map(|word| word.trim_matches([';', ',']));
        let may_be_null = name != "kind" && note.any(|word| word == "null");
        let field = Field { kind: kind.to_owned(), may_be_null };
        assert_eq!(fields.insert(parents.join("."), field), None, "twice: {line}");
    }
    fields
}

fn one<T>(name: &str, value: T) -> BTreeMap<String, T> {
    [(name.to_owned(), value)].into()
}

/// A record that has something everywhere.
fn full() -> Record {
    let shape = || -> Option<Shape> {
        let levels = vec![LevelShape::default()];
        Some(one("FAMILY", FamilyShape { levels, ..FamilyShape::default() }))
    };
    let mut record = empty();
    record.engine.library = Some(String::new());
    record.skipped = Some(String::new());
    record.parameters = one("FLAG", String::new());
    for number in [&mut record.operations, &mut record.bytes, &mut record.found, &mut record.read] {
        *number = Some(0);
    }
    let Record { seconds, micros_per_op, ops_per_second, harness_nanos_per_op, .. } = &mut record;
    for number in [seconds, micros_per_op, ops_per_second, harness_nanos_per_op] {
        *number = Some(0.0);
    }
    (record.background_operations, record.wait_seconds) = (Some(0), Some(0.0));
    record.message = Some(String::new());
    record.latency_micros = one("OPERATION", Latency::default());
    record.shape = Shapes { before: shape(), after: shape() };
    let process = record.process.insert(host::ProcessCounters::default());
    process.resident_bytes = Some(0);
    process.resident_peak_bytes = Some(0);
    let (mean_read_bytes, mean_write_bytes) = (Some(0.0), Some(0.0));
    let device = Device { mean_read_bytes, mean_write_bytes, ..Device::default() };
    record.devices = Some(vec![device]);
    record.space_peak_bytes = Some(0);
    record.stalls = Some(one("CAUSE", Stall { count: Some(0), seconds: Some(0.0) }));
    let keys_compared_per_query = Some(0.0);
    record.read_amplification =
        Some(ReadAmplification { keys_compared_per_query, ..ReadAmplification::default() });
    record.host.smt = Some(true);
    record.host.governor = Some(String::new());
    record.host.huge_pages = Some(String::new());
    record.host.filesystem = Some(String::new());
    record.host.open_files_limit = Some(0);
    record.host.max_sectors_kb = one("DEVICE", Some(0));
    record.host.warnings = vec![String::new()];
    record
}

fn empty() -> Record {
    Record { engine: EngineFacts::default(), ..Record::default() }
}

/// A record that has an absent value wherever one may be absent inside of something.
fn hollow() -> Record {
    let mut record = empty();
    record.process = Some(host::ProcessCounters::default());
    record.devices = Some(vec![Device::default()]);
    record.stalls = Some(one("CAUSE", Stall::default()));
    record.read_amplification = Some(ReadAmplification::default());
    record.host.max_sectors_kb = one("DEVICE", None);
    record
}

/// Calls `visit` with the path of every field, and its value.
fn walk(prefix: &str, value: &Value, visit: &mut impl FnMut(String, &Value)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{prefix}{name}");
                walk(&format!("{path}."), value, visit);
                visit(path, value);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(prefix, item, visit)),
        _ => {}
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

#[test]
fn the_document_has_every_field_with_its_type() {
    let mut null = BTreeSet::new();
    for record in [empty(), hollow()] {
        walk("", &serde_json::to_value(record).unwrap(), &mut |path, value| {
            if value.is_null() {
                null.insert(path);
            }
        });
    }
    let mut actual = BTreeMap::new();
    walk("", &serde_json::to_value(full()).unwrap(), &mut |path, value| {
        let may_be_null = null.contains(&path);
        actual.insert(path, Field { kind: kind(value).to_owned(), may_be_null });
    });
    let documented = documented();
    for (path, field) in &actual {
        assert_eq!(documented.get(path), Some(field), "{path}: left the document, right the code");
    }
    for path in documented.keys() {
        assert!(actual.contains_key(path), "{path} is in the document alone");
    }
}
