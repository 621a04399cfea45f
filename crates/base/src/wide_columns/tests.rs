use super::*;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

#[test]
fn golden_version_2_of_rocksdb_11_9() {
    let bytes = unhex("0203030305011101000302040502626967633164666c74010a4128007631");
    let columns = decode(&bytes).unwrap();
    assert_eq!(columns.len(), 3);
    assert_eq!(default_column(&columns).unwrap().value, b"dflt");
    assert_eq!((columns[1].name, columns[1].is_blob_index), (&b"big"[..], true));
    assert_eq!((columns[2].name, columns[2].value), (&b"c1"[..], &b"v1"[..]));
    assert_eq!(encode(&columns), bytes);
}

#[test]
fn version_1_round_trip_and_every_truncation() {
    let columns: Vec<_> = [(&b""[..], &b"value"[..]), (b"a", b""), (b"b", b"xyz")]
        .map(|(name, value)| Column { name, value, is_blob_index: false })
        .into();
    let bytes = encode(&columns);
    assert_eq!(decode(&bytes).unwrap(), columns);
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).unwrap_err().is_corruption(), "length {length}");
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(decode(&longer).unwrap_err().is_corruption());
}

#[test]
fn unknown_versions_are_not_supported() {
    assert!(decode(&[0]).unwrap_err().is_corruption());
    assert_eq!(decode(&[3]).unwrap_err().code(), crate::status::Code::NotSupported);
}
