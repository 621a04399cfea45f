use super::*;
use base::wide_columns::Column;
use compression::CompressionType;

fn index(file_number: u64, size: u64) -> Vec<u8> {
    BlobReference { file_number, offset: 100, size, compression: CompressionType::None }.to_index()
}

#[test]
fn garbage_is_what_did_not_come_out() {
    let mut inflow = BlobFlow::default();
    inflow.add(b"a", ValueType::BlobIndex, &index(4, 100)).unwrap();
    inflow.add(b"bb", ValueType::BlobIndex, &index(4, 200)).unwrap();
    inflow.add(b"c", ValueType::BlobIndex, &index(5, 7)).unwrap();
    inflow.add(b"d", ValueType::Value, b"anything").unwrap();
    let mut outflow = BlobFlow::default();
    outflow.add(b"a", ValueType::BlobIndex, &index(4, 100)).unwrap();
    outflow.add(b"c", ValueType::BlobIndex, &index(5, 7)).unwrap();
    outflow.add(b"bb", ValueType::BlobIndex, &index(9, 200)).unwrap();
    let garbage = inflow.garbage(&outflow).unwrap();
    let expected = BlobFileGarbage {
        number: 4,
        garbage_blob_count: 1,
        garbage_blob_bytes: 200 + 32 + 2,
        ..BlobFileGarbage::default()
    };
    assert_eq!(garbage, [expected]);
}

#[test]
fn blob_columns_of_entities_count() {
    let reference = index(4, 10);
    let columns = [
        Column { name: b"", value: b"inline", is_blob_index: false },
        Column { name: b"blob", value: &reference, is_blob_index: true },
    ];
    let mut flow = BlobFlow::default();
    flow.add(b"k", ValueType::WideColumnEntity, &wide_columns::encode(&columns)).unwrap();
    let garbage = flow.garbage(&BlobFlow::default()).unwrap();
    assert_eq!((garbage[0].number, garbage[0].garbage_blob_bytes), (4, 10 + 32 + 1));
    let mut none = BlobFlow::default();
    let plain = wide_columns::encode(&columns[..1]);
    none.add(b"k", ValueType::WideColumnEntity, &plain).unwrap();
    assert_eq!(none, BlobFlow::default());
}

#[test]
fn more_out_than_in_is_corruption() {
    let mut outflow = BlobFlow::default();
    outflow.add(b"a", ValueType::BlobIndex, &index(4, 100)).unwrap();
    outflow.add(b"a", ValueType::BlobIndex, &index(4, 100)).unwrap();
    let mut inflow = BlobFlow::default();
    inflow.add(b"a", ValueType::BlobIndex, &index(4, 100)).unwrap();
    assert!(inflow.garbage(&outflow).unwrap_err().is_corruption());
    assert!(inflow.add(b"a", ValueType::BlobIndex, b"\x07").unwrap_err().is_corruption());
}
