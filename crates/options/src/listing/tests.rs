use super::*;

fn value<'l>(listed: &'l [Listed], name: &str) -> Option<&'l str> {
    listed.iter().find(|(listed, _)| listed == name).map(|(_, value)| value.as_str())
}

#[test]
fn every_option_is_listed() {
    let options = DbOptions::from_string("max_open_files=7;wal_dir=/a b").unwrap();
    let listed = options.listing();
    for info in DbOptions::infos() {
        let is_of = |name: &str| name == info.name || name.starts_with(&format!("{}.", info.name));
        assert!(listed.iter().any(|(name, _)| is_of(name)), "{}", info.name);
    }
    assert_eq!(value(&listed, "max_open_files"), Some("7"));
    assert_eq!(value(&listed, "wal_dir"), Some("/a b"));
    assert_eq!(value(&listed, "paranoid_checks"), Some("1"));
    assert_eq!(value(&listed, "use_fsync"), Some("0"));
}

#[test]
fn structs_are_taken_apart() {
    let text = "compression=kZSTD;compression_opts={level=3};compaction_options_fifo={\
                max_table_files_size=5;allow_compaction=true}";
    let listed = ColumnFamilyOptions::from_string(text).unwrap().listing();
    assert_eq!(value(&listed, "compression"), Some("kZSTD"));
    assert_eq!(value(&listed, "compression_opts.level"), Some("3"));
    assert_eq!(value(&listed, "compaction_options_fifo.max_table_files_size"), Some("5"));
    assert_eq!(value(&listed, "compaction_options_fifo.allow_compaction"), Some("1"));
    assert_eq!(value(&listed, "compression_opts"), None);
    let table = BlockBasedTableOptions::from_string("block_size=1000").unwrap().listing();
    assert_eq!(value(&table, "block_size"), Some("1000"));
}
