use super::*;
use testing::hexes::unhex;

#[test]
fn garbage_as_7_8_3_wrote_it() {
    let bytes = unhex("0a 02 73 00");
    let mut input = Decoder::new(&bytes);
    let garbage = BlobFileGarbage::decode(&mut input).unwrap();
    let expected = BlobFileGarbage {
        number: 10,
        garbage_blob_count: 2,
        garbage_blob_bytes: 115,
        unknown_fields: Vec::new(),
    };
    assert_eq!(garbage, expected);
    assert!(input.is_empty());
    let mut output = Vec::new();
    garbage.encode_to(&mut output);
    assert_eq!(output, bytes);
}

#[test]
fn additions_round_trip_with_fields_of_later_releases() {
    let addition = BlobFileAddition {
        number: 12,
        total_blob_count: 5,
        total_blob_bytes: 290,
        checksum_method: b"SHA1".to_vec(),
        checksum_value: vec![0; 20],
        unknown_fields: vec![UnknownField { tag: 3, value: vec![1, 2] }],
    };
    let mut bytes = Vec::new();
    addition.encode_to(&mut bytes);
    assert_eq!(BlobFileAddition::decode(&mut Decoder::new(&bytes)), Ok(addition));
}

#[test]
fn a_field_that_may_not_be_ignored_is_corruption() {
    let error =
        BlobFileGarbage::decode(&mut Decoder::new(&unhex("0a 02 73 41 00 00"))).unwrap_err();
    assert!(error.is_corruption());
    assert!(error.message().contains("unknown custom tag 65"), "{error}");
}
