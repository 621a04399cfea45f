use super::*;
use base::dbformat::hex;

/// A table that RocksDB 7.8.3 wrote.
const ORIGIN: TableOrigin<'_> = TableOrigin {
    db_id: "52d7dc0c-9ea6-44e3-876d-9df4dcb3deaf",
    db_session_id: "AEOVMWI4M4748X4VC1KN",
    file_number: 13,
};

#[test]
fn ids_as_the_manifest_and_tools_of_7_8_3_have_them() {
    let internal = [2911025021468062199, 4276960503763684205];
    assert_eq!(ORIGIN.internal_id(), Some(internal));
    assert_eq!(ORIGIN.internal_id_or_substitute(), internal);
    let external = ORIGIN.external_id().unwrap();
    assert_eq!(hex(&to_bytes(external)), "20F9828A46029BBE918B885CA64F4001");
    assert_eq!(from_bytes(to_bytes(internal)), internal);
}

#[test]
fn no_id_where_something_is_missing() {
    let without_db = TableOrigin { db_id: "", ..ORIGIN };
    let without_number = TableOrigin { file_number: 0, ..ORIGIN };
    assert_eq!(without_db.internal_id(), None);
    assert_eq!(without_number.external_id(), None);
    for session in
        ["", "SHORT", "AEOVMWI4M4748X4VC1K-", "AEOVMWI4M4748X4VC1KNAAAAAAAAA", "äöüäöüäöü"]
    {
        let origin = TableOrigin { db_session_id: session, ..ORIGIN };
        assert_eq!(origin.internal_id(), None, "{session}");
        assert_ne!(origin.internal_id_or_substitute()[0], 0, "{session}");
    }
}
