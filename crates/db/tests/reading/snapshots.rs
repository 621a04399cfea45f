//! Reads at every sequence number agree with a model of what was written.

use crate::{Opened, backward, forward, total_order, unpack_fixture};
use base::{InternalIterator, ParsedInternalKey, SequenceNumber, ValueType};
use db::{ColumnFamilyHandle, Db, ReadOptions};
use std::collections::{BTreeMap, BTreeSet};
use table::{BlockBasedTable, TableOptions};
use testing::fixtures;
use testing::parallel;
use wal::LogEntry;
use wal::write_batch_reader::{Record, WriteBatchReader};

/// Versions of each key, by sequence number.
type Model = BTreeMap<Vec<u8>, BTreeMap<SequenceNumber, (ValueType, Vec<u8>)>>;

/// The live pairs at a sequence number.
fn live(model: &Model, sequence: SequenceNumber) -> Vec<(Vec<u8>, Vec<u8>)> {
    let newest = |versions: &BTreeMap<SequenceNumber, (ValueType, Vec<u8>)>| {
        let (_, (value_type, value)) = versions.range(..=sequence).next_back()?;
        match value_type {
            ValueType::Value => Some(value.clone()),
            ValueType::Deletion | ValueType::SingleDeletion => None,
            other => panic!("the model knows no {other:?}"),
        }
    };
    let pairs = model.iter().map(|(key, versions)| Some((key.clone(), newest(versions)?)));
    pairs.flatten().collect()
}

/// What the WALs of a directory say of the default family.
fn model_of_wals(opened: &Opened) -> Model {
    let file_system = env::default_file_system();
    let path = opened.unpacked.path();
    let mut model = Model::new();
    for name in file_system.get_children(&path).unwrap() {
        let Some((number, base::filename::FileType::Wal)) = base::filename::parse_file_name(&name)
        else {
            continue;
        };
        let file = file_system
            .new_sequential_file(&path.join(&name), &env::FileOptions::default())
            .unwrap();
        let mut reader = wal::LogReader::new(file, number);
        while let Some(entry) = reader.read().unwrap() {
            let LogEntry::Record(record) = entry else { continue };
            let batch = WriteBatchReader::new(record.payload).unwrap();
            let mut sequence = batch.sequence();
            for record in batch.records() {
                let Record::Entry(entry) = record.unwrap() else { continue };
                if entry.column_family_id == 0 {
                    let version = (entry.value_type, entry.value.to_vec());
                    model.entry(entry.key.to_vec()).or_default().insert(sequence, version);
                }
                sequence += 1;
            }
        }
    }
    model
}

/// What the tables of a family hold.
fn model_of_tables(opened: &Opened, family: &ColumnFamilyHandle) -> Model {
    let mut model = Model::new();
    for (_, file) in family.version().files() {
        let path = opened.unpacked.path().join(format!("{:06}.sst", file.number));
        let opened = env::default_file_system()
            .new_random_access_file(&path, &env::FileOptions::default())
            .unwrap();
        let size = opened.size().unwrap();
        let table = BlockBasedTable::open(opened, size, &TableOptions::default()).unwrap();
        let mut entries = table.new_iterator(&total_order());
        entries.seek_to_first().unwrap();
        while entries.valid() {
            let key = ParsedInternalKey::parse(entries.key()).unwrap();
            let version = (key.value_type, entries.value().to_vec());
            model.entry(key.user_key.to_vec()).or_default().insert(key.sequence, version);
            entries.next().unwrap();
        }
    }
    model
}

/// Reads at every sequence number from 0 to beyond the last.
fn check(db: &Db, family: &ColumnFamilyHandle, model: &Model) -> Result<(), String> {
    let last = db.latest_sequence_number();
    for sequence in 0..=last + 3 {
        let options = ReadOptions { snapshot: Some(sequence), ..total_order() };
        let expected = live(model, sequence.min(last));
        let iterator = || db.new_iterator(&options, family).map_err(|error| error.to_string());
        if forward(iterator()?) != (expected.clone(), Ok(())) {
            return Err(format!("forward at {sequence} differs"));
        }
        if backward(iterator()?) != (expected.clone(), Ok(())) {
            return Err(format!("backward at {sequence} differs"));
        }
        let expected: BTreeMap<_, _> = expected.into_iter().collect();
        let keys: Vec<&Vec<u8>> = model.keys().collect();
        for (key, found) in keys.iter().zip(db.multi_get(&options, family, &keys)) {
            let got = db.get(&options, family, key);
            if got != found
                || got.as_ref().map(|value| value.as_deref())
                    != Ok(expected.get(*key).map(|v| &v[..]))
            {
                return Err(format!("get of {key:02x?} at {sequence}: {got:?}, {found:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_only_in_wals_reads_at_every_sequence_number() {
    parallel::for_each(&fixtures::of_case("a03"), |fixture| {
        let opened = unpack_fixture(fixture.clone());
        let db = opened.db();
        let family = crate::default_family(&db);
        let model = model_of_wals(&opened);
        assert!(model.values().any(|versions| versions.len() > 1), "no key has two versions");
        check(&db, &family, &model)
    });
}

#[test]
fn versions_in_tables_read_at_every_sequence_number() {
    parallel::for_each(&fixtures::of_case("a05"), |fixture| {
        let opened = unpack_fixture(fixture.clone());
        let db = opened.db();
        let family = crate::default_family(&db);
        let model = model_of_tables(&opened, &family);
        assert!(model.values().any(|versions| versions.len() > 1), "no key has two versions");
        check(&db, &family, &model)
    });
}

/// The values that snapshots kept differ from the newest, else these tests would show nothing.
#[test]
fn snapshots_differ_from_the_newest_state() {
    let opened = unpack_fixture(fixtures::one("11.8.1", "a05"));
    let db = opened.db();
    let model = model_of_tables(&opened, &crate::default_family(&db));
    let states: BTreeSet<_> =
        (0..=db.latest_sequence_number()).map(|at| live(&model, at)).collect();
    assert!(states.len() > 10, "{} states", states.len());
}
