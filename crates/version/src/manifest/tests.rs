use super::*;
use crate::test_manifest::{Manifest, edit};
use testing::corrupt::{self, Damage};

fn current(content: &[u8]) -> Result<(PathBuf, u64)> {
    let manifest = Manifest::new();
    manifest.write_file("CURRENT", content);
    read_current(manifest.fs(), manifest.db_path())
}

#[test]
fn current_names_the_manifest() {
    let (path, number) = current(b"MANIFEST-000005\n").unwrap();
    assert_eq!((path.to_str(), number), (Some("/db/MANIFEST-000005"), 5));
}

#[test]
fn a_current_that_names_no_manifest_is_corruption() {
    for (content, expected) in [
        (&b""[..], "/db/CURRENT at offset 0: expected a newline at the end, found \"\""),
        (b"MANIFEST-000005", "/db/CURRENT at offset 15: expected a newline at the end"),
        (b"MANIFEST-000005\n\n", "expected the name of a MANIFEST, found \"MANIFEST-000005\\n\""),
        (b"\n", "expected the name of a MANIFEST, found \"\""),
        (b"000005.log\n", "expected the name of a MANIFEST, found \"000005.log\""),
        (b"../MANIFEST-000005\n", "expected the name of a MANIFEST"),
        (b"MANIFEST-\xff\n", "expected the name of a MANIFEST, found \"MANIFEST-\\xff\""),
        (&[b'x'; 5000], "expected at most 4096 bytes, found 5000"),
    ] {
        let status = current(content).unwrap_err();
        assert!(status.is_corruption());
        assert!(status.message().contains(expected), "{status}");
    }
}

#[test]
fn a_missing_current_is_an_io_error() {
    let manifest = Manifest::new();
    let status = read_current(manifest.fs(), manifest.db_path()).unwrap_err();
    assert!(status.is_path_not_found(), "{status}");
}

/// Edits that fill two blocks, so that records are cut in fragments.
fn edits() -> Vec<VersionEdit> {
    let comparator = |length: usize| VersionEdit {
        comparator: Some(vec![b'c'; length]),
        ..VersionEdit::default()
    };
    vec![
        edit("02000304 0405"),
        VersionEdit::default(),
        comparator(20000),
        comparator(20000),
        edit("0406"),
        VersionEdit::default(),
        edit("0407"),
    ]
}

fn read_all(manifest: &Manifest) -> Result<Vec<VersionEdit>> {
    let mut reader = ManifestReader::open(manifest.fs(), &manifest.path())?;
    reader.by_ref().map(|record| Ok(record?.edit)).collect()
}

#[test]
fn records_are_read_with_their_offsets() {
    let manifest = Manifest::new();
    manifest.write(&[edit("0405"), VersionEdit::default(), edit("0406")]);
    let records: Vec<_> = ManifestReader::open(manifest.fs(), &manifest.path())
        .unwrap()
        .map(|record| record.map(|record| (record.offset, record.end_offset)))
        .collect::<Result<_>>()
        .unwrap();
    assert_eq!(records, [(0, 9), (9, 16), (16, 25)]);
}

#[test]
fn a_record_that_is_no_edit_is_corruption_at_its_offset() {
    let manifest = Manifest::new();
    manifest.write_payloads(&[b"\x04\x05", b"\x08"]);
    let status = read_all(&manifest).unwrap_err();
    assert_eq!(
        status.to_string(),
        "Corruption: /db/MANIFEST-000005 at offset 9: version edit, byte 1: unknown tag 8"
    );
}

#[test]
fn a_flipped_byte_is_always_found() {
    let manifest = Manifest::new();
    manifest.write(&edits());
    let bytes = manifest.bytes();
    assert_eq!(read_all(&manifest).unwrap(), edits());
    // The two long payloads are sampled.
    let sampled = |damage: &Damage| {
        let Damage::Flip { offset, .. } = *damage else { return true };
        offset < 100
            || offset > bytes.len() - 100
            || offset % 97 == 0
            || (20000..20100).contains(&offset)
            || (32700..32900).contains(&offset)
    };
    for damage in corrupt::flips(bytes.len(), &corrupt::MASKS).filter(sampled) {
        manifest.write_bytes(&damage.apply(&bytes));
        let status = read_all(&manifest).expect_err(&damage.to_string());
        assert!(status.message().contains("MANIFEST-000005"), "{damage}: {status}");
    }
}

#[test]
fn a_cut_file_gives_the_edits_before_the_cut() {
    let manifest = Manifest::new();
    manifest.write(&edits());
    let bytes = manifest.bytes();
    let ends: Vec<_> = ManifestReader::open(manifest.fs(), &manifest.path())
        .unwrap()
        .map(|record| record.map(|record| record.end_offset as usize))
        .collect::<Result<_>>()
        .unwrap();
    for damage in corrupt::truncations(bytes.len()).step_by(7) {
        let Damage::Truncate { size_bytes } = damage else { continue };
        manifest.write_bytes(&damage.apply(&bytes));
        let count = ends.iter().filter(|end| **end <= size_bytes).count();
        assert_eq!(read_all(&manifest).unwrap(), edits()[..count], "{damage}");
    }
}

#[test]
fn reading_ends_with_the_first_error() {
    let manifest = Manifest::new();
    manifest.write_payloads(&[b"\x04\x05", b"\x08", b"\x04\x06"]);
    let mut reader = ManifestReader::open(manifest.fs(), &manifest.path()).unwrap();
    assert!(reader.next().is_some_and(|record| record.is_ok()));
    assert!(reader.next().is_some_and(|record| record.is_err()));
    assert!(reader.next().is_none());
}

#[test]
fn a_cut_record_is_reported_and_zeros_are_not() {
    let manifest = Manifest::new();
    manifest.write(&[edit("0405"), edit("0406")]);
    let bytes = manifest.bytes();
    for (content, count, torn) in [
        (bytes[..17].to_vec(), 1, true),
        (bytes.clone(), 2, false),
        ([&bytes[..], &[0; 100]].concat(), 2, false),
    ] {
        manifest.write_bytes(&content);
        let mut reader = ManifestReader::open(manifest.fs(), &manifest.path()).unwrap();
        assert_eq!(reader.by_ref().count(), count);
        assert_eq!(reader.torn_tail().is_some(), torn);
    }
}
