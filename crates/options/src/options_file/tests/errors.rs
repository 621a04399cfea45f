//! Files that are wrong.

use super::*;
use base::status::Code;
use testing::corrupt;

const HEAD: &str = "[DBOptions]\n[CFOptions \"default\"]\n";

fn check(text: &str, code: Code, message: &str) {
    let status = parse(text).unwrap_err();
    assert_eq!(status.code(), code, "{text}");
    assert_eq!(status.message(), format!("/db/OPTIONS-000007: {message}"), "{text}");
}

#[test]
fn errors_name_file_line_and_option() {
    for (text, message) in [
        ("[DBOptions]\n\n  max_open_filez=1", "line 3: [DBOptions]: unknown option max_open_filez"),
        (
            "[DBOptions]\nmax_open_files=many",
            "line 2: [DBOptions]: option max_open_files: expected a number, found \"many\"",
        ),
        (
            "[DBOptions]\n[CFOptions \"default\"]\ncompression_opts={levle=1}",
            "line 3: [CFOptions \"default\"]: option compression_opts: \
             CompressionOptions has no levle",
        ),
        (
            "[DBOptions]\n[CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\nx=1",
            "line 4: [TableOptions/BlockBasedTable \"default\"]: \
             unknown option BlockBasedTable.x",
        ),
        ("[DBOptions]\nnonsense", "line 2: expected name=value, found \"nonsense\""),
        ("[DBOptions]\n=1", "line 2: expected a name before '='"),
        ("a=1", "line 1: a is in no section"),
    ] {
        check(text, Code::InvalidArgument, message);
    }
}

#[test]
fn sections_are_checked() {
    for (text, message) in [
        ("[DBOption]", "line 1: unknown section [DBOption]"),
        ("[TableOptions/]", "line 1: unknown section [TableOptions/]"),
        ("[DBOptions]\n[DBOptions]", "line 2: found a second section [DBOptions]"),
        ("[Version]\n[Version]", "line 2: found a second section [Version]"),
        (
            "[Version]\nrocksdb_version=7.x",
            "line 2: rocksdb_version: expected at most 3 numbers with dots between them, \
             found \"7.x\"",
        ),
        ("[Version]\noptions_file_version=0.9", "line 2: expected options_file_version 1 or newer"),
        (
            "[DBOptions]\n[CFOptions \"a\"]",
            "line 2: expected [CFOptions \"default\"] once, before all other [CFOptions]",
        ),
        (
            "[DBOptions]\n[CFOptions \"default\"]\n[CFOptions \"a\"]\n[CFOptions \"a\"]",
            "line 4: found a second section [CFOptions \"a\"]",
        ),
        (
            "[TableOptions/BlockBasedTable \"default\"]",
            "line 1: expected [CFOptions \"default\"] before its table's options",
        ),
    ] {
        check(text, Code::InvalidArgument, message);
    }
    check("", Code::Corruption, "expected a section [DBOptions], found none");
    let message = "expected a section [CFOptions \"default\"], found none";
    check("[DBOptions]\n", Code::Corruption, message);
}

#[test]
fn bytes_that_are_no_text_are_corruption() {
    let content = b"[DBOptions]\n\xff";
    let status =
        OptionsFile::parse(Path::new("/db/O"), content, &ConfigOptions::default()).unwrap_err();
    assert!(status.is_corruption());
    assert_eq!(status.message(), "/db/O: offset 12: expected text in UTF-8");
}

#[test]
fn unknown_names_are_tolerated_only_in_files_of_newer_releases() {
    let lenient = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
    let body = "[DBOptions]\nnew_thing=1\nmax_open_files=some\n[CFOptions \"default\"]\n\
                comparator={new}\n[TableOptions/BlockBasedTable \"default\"]\nnew_thing=2\n";
    let newer = format!("[Version]\nrocksdb_version=99.0.0\n{body}");
    let file = parse_with(&newer, &lenient).unwrap();
    assert_eq!(file.db.max_open_files, -1);
    let said: Vec<(Remark, &str, u32)> =
        file.diagnostics.iter().map(|found| (found.remark, &*found.name, found.line)).collect();
    assert_eq!(
        said,
        [
            (Remark::Unknown, "new_thing", 4),
            (Remark::BadValue, "max_open_files", 5),
            (Remark::NotRegistered, "comparator", 7),
            (Remark::Unknown, "new_thing", 9),
        ]
    );
    assert!(parse(&newer).is_err());

    let known = format!("[Version]\nrocksdb_version={}\n{body}", Release::NEWEST_KNOWN);
    let status = parse_with(&known, &lenient).unwrap_err();
    assert!(status.message().contains("unknown option new_thing"), "{status}");
    // A file that does not say its release is tolerated, as RocksDB does.
    assert!(parse_with(body, &lenient).is_ok());
}

#[test]
fn tables_of_unknown_formats_are_remarked() {
    let text = format!("{HEAD}table_factory=NewTable\n[TableOptions/NewTable \"default\"]\na=1\n");
    let file = parse(&text).unwrap();
    let default = file.column_family("default").unwrap();
    assert_eq!(default.table_factory, TableFactory::Other("NewTable".to_owned()));
    assert_eq!(file.diagnostics.len(), 1);
    assert_eq!((file.diagnostics[0].remark, &*file.diagnostics[0].name), (Remark::Unknown, "a"));
}

#[test]
fn damage_gives_an_error_or_options() {
    let fixture = fixtures::one("7.8.3", "t01");
    let files = fixture.files();
    let (name, content) = files.iter().find(|(name, _)| name.starts_with("OPTIONS-")).unwrap();
    let flips = corrupt::flips(content.len(), &[0x01, 0x14, 0xff]);
    let damages: Vec<_> = flips.chain(corrupt::truncations(content.len())).collect();
    let mut outcomes = [0, 0];
    for lenient in [false, true] {
        let config = ConfigOptions { ignore_unknown_options: lenient, ..ConfigOptions::default() };
        for damage in &damages {
            let damaged = damage.apply(content);
            let result = OptionsFile::parse(Path::new(name), &damaged, &config);
            if let Err(status) = &result {
                assert!(status.message().starts_with(name.as_str()), "{damage}: {status}");
            }
            outcomes[usize::from(result.is_ok())] += 1;
        }
    }
    assert!(outcomes[0] > 1000 && outcomes[1] > 1000, "{outcomes:?}");
}
