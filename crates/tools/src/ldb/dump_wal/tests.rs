use super::*;
use base::coding::put_length_prefixed;
use base::wide_columns::{Column, encode};

/// A batch at sequence number 9 of these records, each a tag and its length-prefixed fields.
fn batch(count: u32, records: &[(ValueType, &[&[u8]])]) -> Vec<u8> {
    let mut bytes = [9u64.to_le_bytes().as_slice(), &count.to_le_bytes()].concat();
    for (tag, fields) in records {
        bytes.push(*tag as u8);
        fields.iter().for_each(|field| put_length_prefixed(&mut bytes, field));
    }
    bytes
}

fn line(bytes: &[u8], format: WalFormat) -> Result<String, Status> {
    batch_line(&WriteBatchReader::new(bytes)?, bytes.len(), 7, format)
}

#[test]
fn a_batch_is_a_line() {
    use ValueType::*;
    let bytes = batch(
        5,
        &[
            (Value, &[b"k", b"v"]),
            (Merge, &[b"k", b"m"]),
            (Deletion, &[b"k"]),
            (SingleDeletion, &[b"k"]),
            (RangeDeletion, &[b"a", b"b"]),
            (LogData, &[b"text"]),
            (Noop, &[]),
            (Commit, &[b"x"]),
            (Rollback, &[b"x"]),
        ],
    );
    let tail = "DELETE(0) : 0x6B SINGLE_DELETE(0) : 0x6B DELETE_RANGE(0) : 0x61 0x62 NOOP \
                COMMIT(0x78) ROLLBACK(0x78) \n";
    let (head, size) = ("9,5", bytes.len());
    let expected = format!("{head},{size},7,PUT(0) : 0x6B : 0x76 MERGE(0) : 0x6B : 0x6D {tail}");
    assert_eq!(line(&bytes, WalFormat::EVERYTHING), Ok(expected));
    let format = WalFormat { print_values: false, ..WalFormat::EVERYTHING };
    let expected = format!("{head},{size},7,PUT(0) : 0x6B MERGE(0) : 0x6B {tail}");
    assert_eq!(line(&bytes, format), Ok(expected));
}

#[test]
fn entities_have_columns_and_timed_values_a_time() {
    let column = |name, value| Column { name, value, is_blob_index: false };
    let entity = encode(&[column(b"", b"d"), column(b"n", b"")]);
    let timed = [b"v".as_slice(), &5u64.to_le_bytes()].concat();
    let bytes = batch(
        2,
        &[
            (ValueType::WideColumnEntity, &[b"k", &entity]),
            (ValueType::ValuePreferredSeqno, &[b"k", &timed]),
        ],
    );
    let line = line(&bytes, WalFormat::EVERYTHING).expect("a line");
    let expected = "PUT_ENTITY(0) : 0x6B : :0x64 0x6E: TIMED_PUT(0) : 0x6B : 0x76 at 5 \n";
    assert!(line.ends_with(expected), "{line}");
}

#[test]
fn prepared_sections_must_be_of_the_policy_that_was_said() {
    let committed = batch(0, &[(ValueType::BeginPrepare, &[]), (ValueType::EndPrepare, &[b"x"])]);
    let text = line(&committed, WalFormat::EVERYTHING).expect("a line");
    assert!(text.ends_with(",BEGIN_PREPARE(false) END_PREPARE(0x78) \n"), "{text}");
    let prepared = WalFormat { is_write_committed: false, ..WalFormat::EVERYTHING };
    assert!(line(&committed, prepared).is_err());
    let unprepared = batch(0, &[(ValueType::BeginUnprepare, &[])]);
    assert!(line(&unprepared, WalFormat::EVERYTHING).is_err());
    let text = line(&unprepared, prepared).expect("a line");
    assert!(text.ends_with(",BEGIN_PREPARE(true) \n"), "{text}");
}

#[test]
fn a_batch_with_a_wrong_count_is_corrupt() {
    let bytes = batch(2, &[(ValueType::Value, &[b"k", b"v"])]);
    assert!(line(&bytes, WalFormat::EVERYTHING).is_err_and(|status| status.is_corruption()));
}

#[test]
fn filling_before_a_record_belongs_to_it() {
    let at = |offset| LogicalRecord { payload: &[], offset, end_offset: offset };
    assert_eq!(shown_offset(&at(32768), 32762), 32762);
    assert_eq!(shown_offset(&at(32768), 32761), 32768);
    assert_eq!(shown_offset(&at(100), 93), 100);
    assert_eq!(shown_offset(&at(0), 0), 0);
}
