use super::*;
use testing::fixtures::{self, Fixture};

/// Opens the table files of a fixture, in the order of names, and calls `look` with each.
fn for_each_table(fixture: &Fixture, options: DumpOptions, mut look: impl FnMut(&SstFileDumper)) {
    let unpacked = fixture.unpack_to_temp();
    let mut names: Vec<String> =
        fixture.files().into_keys().filter(|name| name.ends_with(".sst")).collect();
    names.sort();
    assert!(!names.is_empty(), "{fixture} has no tables");
    for name in names {
        let path = unpacked.path().join(name).to_string_lossy().into_owned();
        let mut out = Vec::new();
        let dumper = SstFileDumper::open(&*env::default_file_system(), &path, options, &mut out);
        look(&dumper.unwrap().unwrap());
    }
}

fn scan(dumper: &SstFileDumper, limit: u64, range: &KeyRange) -> (u64, Vec<String>) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (count, result) = dumper.read_sequential(true, limit, range, &mut out, &mut err).unwrap();
    result.unwrap();
    assert_eq!(err, b"");
    let text = String::from_utf8(out).unwrap();
    (count, text.lines().map(str::to_owned).collect())
}

const IN_HEX: DumpOptions = DumpOptions {
    verify_checksums: true,
    output_hex: true,
    decode_blob_index: false,
    readahead_size_bytes: 0,
};

/// The user key of a line.
fn user_key(line: &str) -> Vec<u8> {
    let digits = line.strip_prefix('\'').unwrap().split('\'').next().unwrap();
    crate::print::decode_hex(digits.as_bytes()).unwrap()
}

#[test]
fn ranges_cut_the_entries() {
    for_each_table(&fixtures::one("6.29.5", "b02"), IN_HEX, |dumper| {
        let (count, all) = scan(dumper, 0, &KeyRange::default());
        assert_eq!(count, all.len() as u64);
        let middle = user_key(&all[all.len() / 2]);

        let from = KeyRange { from: Some(middle.clone()), ..KeyRange::default() };
        let after: Vec<_> = all.iter().filter(|line| user_key(line) >= middle).cloned().collect();
        assert_eq!(scan(dumper, 0, &from), (after.len() as u64, after));

        let to = KeyRange { to: Some(middle.clone()), ..KeyRange::default() };
        let before: Vec<_> = all.iter().filter(|line| user_key(line) < middle).cloned().collect();
        // The entry that ends the reading counts.
        assert_eq!(scan(dumper, 0, &to), (before.len() as u64 + 1, before));

        let prefix = middle[..middle.len() - 1].to_vec();
        let range = KeyRange { prefix: Some(prefix.clone()), ..KeyRange::default() };
        let within: Vec<_> =
            all.iter().filter(|line| user_key(line).starts_with(&prefix)).cloned().collect();
        assert_eq!(scan(dumper, 0, &range).1, within);

        assert_eq!(scan(dumper, 3, &KeyRange::default()), (4, all[..3].to_vec()));
    });
}

#[test]
fn tables_that_do_not_name_their_comparator_are_read_in_either_order() {
    for_each_table(&fixtures::one("3.13.1", "i01"), IN_HEX, |dumper| {
        let (_, lines) = scan(dumper, 0, &KeyRange::default());
        assert!(lines.is_sorted_by(|a, b| user_key(a) >= user_key(b)), "{lines:?}");
    });
    for_each_table(&fixtures::one("3.13.1", "a01"), IN_HEX, |dumper| {
        let (_, lines) = scan(dumper, 0, &KeyRange::default());
        assert!(lines.is_sorted_by(|a, b| user_key(a) <= user_key(b)), "{lines:?}");
    });
}

#[test]
fn stripped_timestamps_are_not_made_up() {
    for_each_table(&fixtures::one("11.8.1", "q08"), IN_HEX, |dumper| {
        assert_eq!(dumper.properties().unwrap().user_defined_timestamps_persisted, 0);
        let (_, lines) = scan(dumper, 0, &KeyRange::default());
        assert!(lines.iter().all(|line| !user_key(line).ends_with(&[0; 8])), "{lines:?}");
    });
}

#[test]
fn a_start_shorter_than_timestamps_is_refused() {
    for_each_table(&fixtures::one("7.9.2", "q01"), IN_HEX, |dumper| {
        let range = KeyRange { from: Some(b"short".to_vec()), ..KeyRange::default() };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (_, result) = dumper.read_sequential(true, 0, &range, &mut out, &mut err).unwrap();
        assert!(result.unwrap_err().message().contains("timestamp of 8 bytes"));
    });
}

#[test]
fn an_unknown_comparator_is_named() {
    let unpacked = fixtures::one("7.9.2", "i02").unpack_to_temp();
    let names = env::default_file_system().get_children(&unpacked.path()).unwrap();
    let name = names.iter().find(|name| name.ends_with(".sst")).unwrap();
    let path = unpacked.path().join(name).to_string_lossy().into_owned();
    let mut out = Vec::new();
    let status = SstFileDumper::open(&*env::default_file_system(), &path, IN_HEX, &mut out)
        .unwrap()
        .unwrap_err();
    assert!(status.message().contains("golden.shortlex is not built in"), "{status}");
    assert_eq!(out, format!("Process {path}\n{BLOCK_BASED}").into_bytes());
}

#[test]
fn blob_indexes_are_told_in_words() {
    let options = DumpOptions { decode_blob_index: true, ..IN_HEX };
    let mut references = 0;
    for_each_table(&fixtures::one("7.9.2", "g01"), options, |dumper| {
        let (_, lines) = scan(dumper, 0, &KeyRange::default());
        references += lines.iter().filter(|line| line.contains(" => [blob ref] file:")).count();
    });
    assert!(references > 0);

    let show = |in_hex| {
        let index = BlobIndex::InlinedTtl { expiration: 7, value: b"ab\0c" };
        let mut line = Vec::new();
        push_blob_index(&mut line, &index, in_hex);
        String::from_utf8(line).unwrap()
    };
    assert_eq!(show(true), "[inlined blob] value:61620063 exp:7");
    assert_eq!(show(false), "[inlined blob] value:ab");
}
