use super::*;
use testing::hexes::{hex, unhex};

/// The batch that `fill` makes, as hexadecimal digits after the sequence number.
fn built(fill: impl FnOnce(&mut WriteBatch) -> Result<()>) -> String {
    let mut batch = WriteBatch::new();
    fill(&mut batch).unwrap();
    batch.reader().verify().unwrap();
    assert_eq!(batch.sequence(), 0);
    hex(&batch.data()[8..])
}

#[test]
fn batches_are_as_rocksdb_writes_them() {
    let mut batch = WriteBatch::new();
    batch.put(0, b"a", b"1").unwrap();
    batch.set_sequence(1);
    assert_eq!(hex(batch.data()), "0100000000000000010000000101610131");

    batch.clear();
    assert!(batch.is_empty());
    batch.put(1, b"a", b"b").unwrap();
    batch.set_sequence(1);
    assert_eq!(hex(batch.data()), "01000000000000000100000005 0101610162".replace(' ', ""));
}

#[test]
fn prepared_batches_are_as_rocksdb_writes_them() {
    let mut batch = WriteBatch::new();
    batch.put_noop();
    batch.put(0, b"a", b"1").unwrap();
    batch.put(0, b"b", b"2").unwrap();
    batch.mark_end_prepare(b"xid1").unwrap();
    batch.set_sequence(1);
    assert_eq!(
        batch.data(),
        unhex("0100000000000000 02000000 09 01 0161 0131 01 0162 0132 0a 0478696431")
    );

    let mut commit = WriteBatch::new();
    commit.mark_commit(b"xid1").unwrap();
    commit.set_sequence(2);
    assert_eq!(commit.data(), unhex("0200000000000000 00000000 0b 0478696431"));
    assert_eq!(built(|batch| batch.mark_rollback(b"x")), "000000000c0178");
    assert_eq!(
        built(|batch| batch.mark_commit_with_timestamp(b"x", b"tt")),
        "00000000150274740178"
    );

    let status = commit.mark_end_prepare(b"xid1").unwrap_err();
    assert_eq!(status.to_string(), "Invalid argument: prepared batch does not begin with a no-op");
}

#[test]
fn every_entry_has_its_tag() {
    assert_eq!(built(|batch| batch.delete(0, b"k")), "01000000000 16b".replace(' ', ""));
    assert_eq!(built(|batch| batch.delete(2, b"k")), "010000000402016b");
    assert_eq!(built(|batch| batch.single_delete(0, b"k")), "0100000007016b");
    assert_eq!(built(|batch| batch.single_delete(2, b"k")), "010000000802016b");
    assert_eq!(built(|batch| batch.merge(0, b"k", b"v")), "0100000002016b0176");
    assert_eq!(built(|batch| batch.merge(2, b"k", b"v")), "010000000602016b0176");
    assert_eq!(built(|batch| batch.delete_range(0, b"k", b"l")), "010000000f016b016c");
    assert_eq!(built(|batch| batch.delete_range(200, b"k", b"l")), "010000000ec801016b016c");
    assert_eq!(built(|batch| batch.put_blob_index(0, b"k", b"b")), "0100000011016b0162");
    assert_eq!(built(|batch| batch.put_blob_index(2, b"k", b"b")), "010000001002016b0162");
    let timed = built(|batch| batch.timed_put(0, b"k", b"v", 258));
    assert_eq!(timed, "0100000018016b09760201000000000000");
    let timed = built(|batch| batch.timed_put(2, b"k", b"v", 258));
    assert_eq!(timed, "010000001902016b09760201000000000000");
    assert_eq!(built(|batch| batch.put_log_data(b"note")), "0000000003046e6f7465");
}

#[test]
fn entities_are_sorted_by_name() {
    let columns: [(&[u8], &[u8]); 2] = [(b"b", b"2"), (b"", b"1")];
    let entity = built(|batch| batch.put_entity(0, b"k", &columns));
    assert_eq!(entity, "0100000016016b0901020001016201 3132".replace(' ', ""));
    assert!(built(|batch| batch.put_entity(2, b"k", &columns)).starts_with("010000001702016b"));

    let status = WriteBatch::new().put_entity(0, b"k", &[(b"a", b""), (b"a", b"")]).unwrap_err();
    assert_eq!(status.to_string(), "Invalid argument: entity with two columns of one name");
}

#[test]
fn only_entries_are_counted() {
    let mut batch = WriteBatch::new();
    batch.put_noop();
    batch.put(0, b"a", b"1").unwrap();
    batch.put_log_data(b"note").unwrap();
    batch.delete(0, b"a").unwrap();
    assert_eq!(batch.count(), 2);
    let again = WriteBatch::from_bytes(batch.clone().into_bytes()).unwrap();
    assert_eq!(again, batch);
    again.reader().verify().unwrap();
}

#[test]
fn a_batch_is_at_least_its_header() {
    let status = WriteBatch::from_bytes(vec![0; 11]).unwrap_err();
    assert_eq!(status.to_string(), "Corruption: write batch of 11 bytes, expected at least 12");
}

#[test]
fn a_batch_shows_its_records() {
    let mut batch = WriteBatch::new();
    batch.put(3, b"k", b"v").unwrap();
    batch.put_noop();
    assert_eq!(format!("{batch:?}"), "[Ok(Entry(Value(3, 6B, 76))), Ok(Noop)]");
}

#[test]
fn entries_that_no_table_could_hold_are_refused() {
    let said = |key: usize, value: usize| {
        check_entry_size(key, value).map_err(|status| status.to_string()).unwrap_err()
    };
    let most = u32::MAX as usize - (64 << 10);
    check_entry_size(most, 0).unwrap();
    check_entry_size(16, most - 16).unwrap();
    assert!(said(most + 1, 0).starts_with("Invalid argument: key is too large"));
    assert!(said(16, most - 15).starts_with("Invalid argument: value is too large"));
    assert!(said(16, 1 << 32).starts_with("Invalid argument: value is too large"));
    assert!(said(usize::MAX, usize::MAX).starts_with("Invalid argument: key is too large"));
}

#[test]
fn a_batch_has_no_more_entries_than_its_header_counts() {
    let mut batch = WriteBatch::new();
    batch.put(0, b"k", b"v").unwrap();
    batch.bytes[COUNT_OFFSET..HEADER_SIZE].copy_from_slice(&u32::MAX.to_le_bytes());
    let before = batch.data().to_vec();
    let status = batch.delete(0, b"k").unwrap_err();
    assert_eq!(status.code(), base::status::Code::InvalidArgument);
    assert_eq!(batch.data(), before, "and nothing of it is there");
}
