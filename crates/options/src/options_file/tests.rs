use super::*;
use testing::fixtures;

mod errors;
mod golden;

const EXAMPLE: &str = "\
# made by hand
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1

[DBOptions]
  max_open_files=100 # few
  wal_dir=C\\:\\\\wal\\#1
[CFOptions \"default\"]
  merge_operator={id=StringAppendOperator;delimiter=\\:;}
  compression_opts={level=3;strategy=2;}
  table_factory=BlockBasedTable
[TableOptions/BlockBasedTable \"default\"]
  block_size=16K
  read_amp_bytes_per_bit=8
[CFOptions \"two [x]=\"y\"\\#\\\\z\"]
  prefix_extractor=fixed:4
";

fn parse_with(content: impl AsRef<[u8]>, config: &ConfigOptions) -> Result<OptionsFile> {
    OptionsFile::parse(Path::new("/db/OPTIONS-000007"), content.as_ref(), config)
}

fn parse(content: impl AsRef<[u8]>) -> Result<OptionsFile> {
    parse_with(content, &ConfigOptions::default())
}

#[test]
fn a_file_is_read() {
    let file = parse(EXAMPLE).unwrap();
    assert_eq!(file.rocksdb_version, Release::new(7, 8, 3));
    assert_eq!(file.db.max_open_files, 100);
    assert_eq!(file.db.wal_dir, "C:\\wal#1");
    let default = file.column_family("default").unwrap();
    assert_eq!(default.compression_opts.level, 3);
    assert_eq!(default.table.block_size, 16 << 10);
    let operator = default.merge_operator.as_ref().unwrap();
    assert_eq!(operator.full_merge(b"k", Some(b"a"), &[b"b"]).unwrap(), b"a:b");
    assert_eq!(default.get("merge_operator").unwrap(), r"{id=StringAppendOperator;delimiter=\:;}");
    let two = file.column_family("two [x]=\"y\"#\\z").unwrap();
    assert_eq!(two.prefix_extractor.as_ref().unwrap().name(), "rocksdb.FixedPrefix.4");
    assert!(file.column_family("three").is_none());
}

#[test]
fn what_is_not_the_default_and_not_honoured_is_remarked() {
    let file = parse(EXAMPLE).unwrap();
    let said: Vec<String> = file.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "line 11, [CFOptions \"default\"]: compression_opts.strategy=2: \
             accepted, not honoured yet",
            "line 15, [TableOptions/BlockBasedTable \"default\"]: read_amp_bytes_per_bit=8: \
             accepted, not honoured yet",
        ]
    );
}

#[test]
fn a_written_file_says_the_same() {
    let file = parse(EXAMPLE).unwrap();
    let text = file.to_content(Release::NEWEST_KNOWN);
    let again = parse(&text).unwrap();
    assert_eq!(again.to_content(Release::NEWEST_KNOWN), text);
    assert_eq!(again.db.to_option_string(), file.db.to_option_string());
    assert_eq!(again.column_families.len(), 2);
    for (before, after) in file.column_families.iter().zip(&again.column_families) {
        assert_eq!(after.name, before.name);
        assert_eq!(after.options.to_option_string(), before.options.to_option_string());
    }
}

#[test]
fn a_file_written_for_a_release_is_read_by_it() {
    let file = parse(EXAMPLE).unwrap();
    for release in [Release::new(6, 12, 0), Release::new(7, 8, 3), Release::new(9, 10, 0)] {
        let text = file.to_content(release);
        let reader = ConfigOptions { reader: release, ..ConfigOptions::default() };
        let again = parse_with(&text, &reader).unwrap_or_else(|status| panic!("{status}"));
        assert_eq!(again.to_content(release), text);
    }
    let newest = file.to_content(Release::NEWEST_KNOWN);
    let reader = ConfigOptions { reader: Release::new(7, 8, 3), ..ConfigOptions::default() };
    assert!(parse_with(&newest, &reader).is_err());
}

#[test]
fn the_first_of_two_values_counts() {
    let file =
        parse("[DBOptions]\nmax_open_files=1\nmax_open_files=2\n[CFOptions \"default\"]").unwrap();
    assert_eq!(file.db.max_open_files, 1);
    assert_eq!(file.diagnostics.len(), 1);
    assert_eq!(file.diagnostics[0].remark, Remark::Repeated);
    assert_eq!(file.diagnostics[0].line, 3);
}

#[test]
fn the_smallest_file_has_two_sections() {
    let file = parse("[DBOptions]\n[CFOptions \"default\"]\n").unwrap();
    assert_eq!(file.rocksdb_version, Release::default());
    assert_eq!(file.column_families.len(), 1);
    assert!(file.diagnostics.is_empty());
}

#[test]
fn the_newest_file_of_a_directory_is_found() {
    let fixture = fixtures::one("11.8.1", "a09");
    let unpacked = fixture.unpack_to_temp();
    let fs = env::default_file_system();
    let config = ConfigOptions::default();
    let (path, file) = OptionsFile::latest(&*fs, &unpacked.path(), &config).unwrap();
    let names = fs.get_children(&unpacked.path()).unwrap();
    let newest = names.iter().filter(|name| name.starts_with("OPTIONS-")).max().unwrap();
    assert_eq!(path, unpacked.path().join(newest));
    assert_eq!(file.rocksdb_version, Release::new(11, 8, 1));

    let empty = unpacked.parent().join("empty");
    fs.create_dir(&empty).unwrap();
    let status = OptionsFile::latest(&*fs, &empty, &config).unwrap_err();
    assert_eq!(status.code(), base::status::Code::NotFound);
    assert!(status.is_path_not_found());
}

#[test]
fn names_of_column_families_are_any_bytes() {
    let mut file = parse(EXAMPLE).unwrap();
    let long = vec![b'"'; 1 << 20];
    let names: [&[u8]; 8] =
        [b"", b"\xff\xfe", b"\n[x]\r=\\", b"\0", b"\"", b"\xc3", b" \\\xff#", &long];
    for name in names {
        let options = file.column_families[0].options.clone();
        file.column_families.push(ColumnFamilySection { name: name.into(), options });
    }
    let content = file.to_content(Release::NEWEST_KNOWN);
    let again = parse(&content).unwrap();
    assert_eq!(again.to_content(Release::NEWEST_KNOWN), content);
    for (before, after) in file.column_families.iter().zip(&again.column_families) {
        assert_eq!(after.name, before.name);
    }
    assert!(names.iter().all(|name| again.column_family(name).is_some()));
}
