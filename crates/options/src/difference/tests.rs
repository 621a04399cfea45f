use super::*;
use crate::release::Release;
use crate::schema::db::DbOptions;

fn file(db: &str, families: &[(&str, &str)]) -> OptionsFile {
    let section = |(name, text): &(&str, &str)| ColumnFamilySection {
        name: (*name).into(),
        options: ColumnFamilyOptions::from_string(text).unwrap(),
    };
    OptionsFile {
        rocksdb_version: Release::NEWEST_KNOWN,
        db: DbOptions::from_string(db).unwrap(),
        column_families: families.iter().map(section).collect(),
        diagnostics: Vec::new(),
    }
}

fn change(option: &'static str, old: &str, new: &str) -> OptionChange {
    OptionChange { option, old: old.to_owned(), new: new.to_owned() }
}

#[test]
fn a_file_does_not_differ_from_itself() {
    let one = file("max_open_files=5", &[("default", "num_levels=3"), ("b", "ttl=7")]);
    assert_eq!(difference(&one, &one.clone()), []);
}

#[test]
fn each_section_has_its_changes() {
    let old = file("", &[("default", "num_levels=3"), ("gone", "")]);
    let new = file(
        "max_open_files=5;max_background_jobs=8",
        &[("new", ""), ("default", "write_buffer_size=1M;table_factory.block_size=8K")],
    );
    let expected = [
        SectionChange::Db(vec![
            change("max_open_files", "-1", "5"),
            change("max_background_jobs", "2", "8"),
        ]),
        SectionChange::ColumnFamily(
            "default".into(),
            vec![
                change("num_levels", "3", "7"),
                change("write_buffer_size", "67108864", "1048576"),
            ],
        ),
        SectionChange::Table("default".into(), vec![change("block_size", "4096", "8192")]),
        SectionChange::Removed("gone".into()),
        SectionChange::Added("new".into()),
    ];
    assert_eq!(difference(&old, &new), expected);
}

#[test]
fn another_kind_of_table_is_one_change() {
    let old = file("", &[("default", "table_factory.block_size=8K")]);
    let new = file("", &[("default", "table_factory=PlainTable")]);
    let expected = [SectionChange::ColumnFamily(
        "default".into(),
        vec![change("table_factory", "BlockBasedTable", "PlainTable")],
    )];
    assert_eq!(difference(&old, &new), expected);
}
