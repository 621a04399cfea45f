use super::*;
use crate::write_batch::WriteBatch;
use proptest::prelude::*;
use testing::corrupt;
use testing::hexes::unhex;

fn batch(digits: &str) -> Vec<u8> {
    unhex(digits)
}

fn records(bytes: &[u8]) -> Vec<Result<Record<'_>>> {
    WriteBatchReader::new(bytes).unwrap().records().collect()
}

fn entry<'a>(
    column_family_id: u32,
    value_type: ValueType,
    key: &'a [u8],
    value: &'a [u8],
) -> Result<Record<'a>> {
    Ok(Record::Entry(Entry { column_family_id, value_type, key, value }))
}

#[test]
fn batches_of_rocksdb_are_read() {
    let bytes = batch("0100000000000000 01000000 05 01 0161 0162");
    let reader = WriteBatchReader::new(&bytes).unwrap();
    assert_eq!((reader.sequence(), reader.count()), (1, 1));
    assert_eq!(records(&bytes), [entry(1, ValueType::Value, b"a", b"b")]);

    let prepare = "0100000000000000 02000000 09 01 0161 0131 01 0162 0132 0a 0478696431";
    assert_eq!(
        records(&batch(prepare)),
        [
            Ok(Record::BeginPrepare),
            entry(0, ValueType::Value, b"a", b"1"),
            entry(0, ValueType::Value, b"b", b"2"),
            Ok(Record::EndPrepare { transaction_name: b"xid1" }),
        ]
    );
    assert_eq!(
        records(&batch("0200000000000000 00000000 0b 0478696431")),
        [Ok(Record::Commit { transaction_name: b"xid1" })]
    );
}

#[test]
fn every_tag_is_read() {
    use ValueType::*;
    let header = "0100000000000000 00000000";
    let both = |tags: [u8; 2], value_type, with_value: bool| {
        let value: &[u8] = if with_value { b"vv" } else { b"" };
        let rest = if with_value { "016b 027676" } else { "016b" };
        let plain = batch(&format!("{header} {:02x} {rest}", tags[0]));
        assert_eq!(records(&plain), [entry(0, value_type, b"k", value)]);
        let with_id = batch(&format!("{header} {:02x} ac02 {rest}", tags[1]));
        assert_eq!(records(&with_id), [entry(300, value_type, b"k", value)]);
        let with_id_0 = batch(&format!("{header} {:02x} 00 {rest}", tags[1]));
        assert_eq!(records(&with_id_0), [entry(0, value_type, b"k", value)]);
    };
    both([0x00, 0x04], Deletion, false);
    both([0x07, 0x08], SingleDeletion, false);
    both([0x01, 0x05], Value, true);
    both([0x02, 0x06], Merge, true);
    both([0x0f, 0x0e], RangeDeletion, true);
    both([0x11, 0x10], BlobIndex, true);
    both([0x16, 0x17], WideColumnEntity, true);
    both([0x18, 0x19], ValuePreferredSeqno, true);
    let marker = |rest: &str, expected: Record<'_>| {
        assert_eq!(records(&batch(&format!("{header} {rest}"))), [Ok(expected)], "{rest}");
    };
    marker("03 026869", Record::LogData(b"hi"));
    marker("0d", Record::Noop);
    marker("09", Record::BeginPrepare);
    marker("12", Record::BeginPersistedPrepare);
    marker("13", Record::BeginUnprepare);
    marker("0a 0178", Record::EndPrepare { transaction_name: b"x" });
    marker("0b 0178", Record::Commit { transaction_name: b"x" });
    marker("0c 0178", Record::Rollback { transaction_name: b"x" });
    marker(
        "15 027474 0178",
        Record::CommitWithTimestamp { transaction_name: b"x", timestamp: b"tt" },
    );
}

#[test]
fn unknown_tags_are_named_with_their_offset() {
    for tag in (0x1a..=0xff).chain([0x14]) {
        let bytes = batch(&format!("0100000000000000 01000000 0d {tag:02x} 0161"));
        let seen = records(&bytes);
        let expected =
            format!("Corruption: unknown write batch tag {tag:#04x} at offset 13 of the batch");
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[1].as_ref().unwrap_err().to_string(), expected);
    }
}

#[test]
fn records_cut_short_are_named_with_their_offset() {
    for rest in ["01 01", "01 0161", "01 0161 02 00", "05", "05 01 0161", "0a 05 00", "15 0178"] {
        let bytes = batch(&format!("0100000000000000 01000000 {rest}"));
        let seen = records(&bytes);
        let status = seen.last().unwrap().as_ref().unwrap_err().to_string();
        assert_eq!(seen.len(), 1);
        assert!(status.starts_with("Corruption: write batch cut short in a "), "{status}");
        assert!(status.ends_with(" record at offset 12 of the batch"), "{status}");
    }
}

#[test]
fn a_wrong_count_is_corrupt() {
    let bytes = batch("0100000000000000 03000000 01 0161 0131 0d 00 0161");
    let reader = WriteBatchReader::new(&bytes).unwrap();
    assert_eq!(
        reader.verify().unwrap_err().to_string(),
        "Corruption: write batch has wrong count: expected 3, found 2"
    );
    reader.check_count(3).unwrap();
}

#[test]
fn offsets_and_counts_follow_the_records() {
    let bytes = batch("0100000000000000 02000000 01 0161 0131 0d 00 0161");
    let mut records = WriteBatchReader::new(&bytes).unwrap().records();
    let mut seen = vec![(records.offset(), records.entry_count())];
    while records.next().is_some() {
        seen.push((records.offset(), records.entry_count()));
    }
    assert_eq!(seen, [(12, 0), (17, 1), (18, 1), (21, 2)]);
}

#[test]
fn timed_values_are_taken_apart() {
    let mut batch = WriteBatch::new();
    batch.timed_put(0, b"k", b"value", 1_700_000_000).unwrap();
    let Some(Ok(Record::Entry(found))) = batch.reader().records().next() else { panic!() };
    assert_eq!(found.timed_value(), Ok((&b"value"[..], 1_700_000_000)));
    let short = Entry { value: b"1234567", ..found };
    assert_eq!(
        short.timed_value().unwrap_err().to_string(),
        "Corruption: timed value of 7 bytes, expected at least 8"
    );
}

/// An operation on a batch.
#[derive(Clone, Debug)]
enum Operation {
    Entry(u8, u32, Vec<u8>, Vec<u8>),
    LogData(Vec<u8>),
    Noop,
    Rollback(Vec<u8>),
}

fn operation() -> impl Strategy<Value = Operation> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..200);
    let id = prop_oneof![Just(0), any::<u32>()];
    prop_oneof![
        (0u8..7, id, bytes(), bytes())
            .prop_map(|(kind, id, key, value)| Operation::Entry(kind, id, key, value)),
        bytes().prop_map(Operation::LogData),
        Just(Operation::Noop),
        bytes().prop_map(Operation::Rollback),
    ]
}

impl Operation {
    fn add_to(&self, batch: &mut WriteBatch) {
        match self {
            Operation::Entry(kind, id, key, value) => match kind {
                0 => batch.put(*id, key, value),
                1 => batch.delete(*id, key),
                2 => batch.single_delete(*id, key),
                3 => batch.merge(*id, key, value),
                4 => batch.delete_range(*id, key, value),
                5 => batch.put_blob_index(*id, key, value),
                _ => batch.timed_put(*id, key, value, 7),
            },
            Operation::LogData(bytes) => batch.put_log_data(bytes),
            Operation::Noop => {
                batch.put_noop();
                Ok(())
            }
            Operation::Rollback(name) => batch.mark_rollback(name),
        }
        .unwrap();
    }

    fn expected(&self) -> Record<'_> {
        match self {
            Operation::Entry(kind, id, key, value) => {
                let (value_type, value): (_, &[u8]) = match kind {
                    0 => (ValueType::Value, value),
                    1 => (ValueType::Deletion, b""),
                    2 => (ValueType::SingleDeletion, b""),
                    3 => (ValueType::Merge, value),
                    4 => (ValueType::RangeDeletion, value),
                    5 => (ValueType::BlobIndex, value),
                    _ => (ValueType::ValuePreferredSeqno, value),
                };
                Record::Entry(Entry { column_family_id: *id, value_type, key, value })
            }
            Operation::LogData(bytes) => Record::LogData(bytes),
            Operation::Noop => Record::Noop,
            Operation::Rollback(name) => Record::Rollback { transaction_name: name },
        }
    }
}

proptest! {
    #[test]
    fn any_batch_round_trips(operations in prop::collection::vec(operation(), 0..20)) {
        let mut batch = WriteBatch::new();
        for operation in &operations {
            operation.add_to(&mut batch);
        }
        let reader = batch.reader();
        prop_assert!(reader.verify().is_ok());
        for (record, operation) in reader.records().zip(&operations) {
            let record = match record.unwrap() {
                Record::Entry(entry) if entry.value_type == ValueType::ValuePreferredSeqno => {
                    let (value, time) = entry.timed_value().unwrap();
                    prop_assert_eq!(time, 7);
                    Record::Entry(Entry { value, ..entry })
                }
                other => other,
            };
            prop_assert_eq!(record, operation.expected());
        }
        prop_assert_eq!(reader.records().count(), operations.len());
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 12..300)) {
        let reader = WriteBatchReader::new(&bytes).unwrap();
        prop_assert!(reader.records().count() <= bytes.len());
    }
}

#[test]
fn a_cut_batch_is_never_whole() {
    let mut batch = WriteBatch::new();
    batch.put(0, b"key", b"value").unwrap();
    batch.delete_range(7, b"begin", b"end").unwrap();
    batch.put(0, b"last", b"").unwrap();
    for cut in corrupt::truncations(batch.data().len()) {
        let bytes = cut.apply(batch.data());
        let verified = WriteBatchReader::new(&bytes).and_then(|reader| reader.verify());
        assert!(verified.unwrap_err().is_corruption(), "{cut}");
    }
}

/// It is what the records say, or nothing.
#[test]
fn the_only_entry_is_found_where_there_is_one() {
    let mut batches = vec![WriteBatch::new()];
    for (key, value) in [(&b""[..], &b""[..]), (b"k", b"v"), (&[b'k'; 200], &[b'v'; 300])] {
        let mut of_one: Vec<_> = (0..7).map(|_| WriteBatch::new()).collect();
        for (batch, id) in of_one.iter_mut().zip([0, 300, 0, 7, 0, 7, 0]) {
            match id {
                300 => batch.put(id, key, value).unwrap(),
                7 => batch.delete(id, key).unwrap(),
                _ => batch.merge(id, key, value).unwrap(),
            }
        }
        of_one[6].put_log_data(b"of the log").unwrap();
        let mut two = of_one[0].clone();
        two.put(0, key, value).unwrap();
        batches.extend(of_one);
        batches.push(two);
    }
    let mut found = 0;
    for batch in batches {
        let bytes = batch.data();
        for length in HEADER_SIZE..=bytes.len() {
            let reader = WriteBatchReader::new(&bytes[..length]).unwrap();
            let mut records = reader.records();
            let expected = match (records.next(), records.next()) {
                (Some(Ok(Record::Entry(entry))), None) if reader.count() == 1 => Some(entry),
                _ => None,
            };
            assert_eq!(reader.only_entry(), expected, "{length} bytes of {bytes:?}");
            found += usize::from(expected.is_some());
        }
    }
    assert!(found >= 18, "{found}");
}
