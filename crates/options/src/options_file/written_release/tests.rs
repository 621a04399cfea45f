use super::*;

fn db(text: &str) -> Release {
    DbOptions::from_string(text).unwrap().oldest_release()
}

fn family(text: &str) -> Release {
    ColumnFamilyOptions::from_string(text).unwrap().oldest_release()
}

#[test]
fn old_options_are_written_for_the_oldest_release() {
    assert_eq!(db(""), OLDEST_WRITTEN);
    assert_eq!(db("max_background_jobs=7;wal_dir=/wal"), OLDEST_WRITTEN);
    assert_eq!(
        family("write_buffer_size=1;block_based_table_factory={block_size=1024}"),
        OLDEST_WRITTEN
    );
    assert_eq!(family("comparator=nobody.registered.it"), OLDEST_WRITTEN);
}

#[test]
fn a_new_option_asks_for_the_release_that_brought_it() {
    assert_eq!(db("track_and_verify_wals=true"), Release::new(9, 11, 0));
    assert_eq!(db("track_and_verify_wals=false"), OLDEST_WRITTEN);
    assert_eq!(db("wal_compression=kZSTD"), Release::new(7, 0, 0));
    assert_eq!(family("persist_user_defined_timestamps=false"), Release::new(8, 3, 0));
}

#[test]
fn fields_of_options_and_of_tables_count() {
    let table = "block_based_table_factory={super_block_alignment_size=65536}";
    assert!(family(table) > OLDEST_WRITTEN, "{}", family(table));
    let nested = "compaction_options_universal={incremental=true}";
    assert_eq!(family(nested), OLDEST_WRITTEN);
    let compression = "compression_opts={checksum=true}";
    assert!(family(compression) > OLDEST_WRITTEN, "{}", family(compression));
}

#[test]
fn whatever_is_set_comes_back_from_the_file_of_its_release() {
    let text = "persist_user_defined_timestamps=false;preclude_last_level_data_seconds=7";
    let options = ColumnFamilyOptions::from_string(text).unwrap();
    let release = options.oldest_release();
    let section = ColumnFamilySection { name: DEFAULT_COLUMN_FAMILY.into(), options };
    let file = OptionsFile { column_families: vec![section], ..OptionsFile::default() };
    let read =
        OptionsFile::parse_content(&file.to_content(release), &ConfigOptions::default()).unwrap();
    let read = read.column_family("default").unwrap();
    assert!(!read.persist_user_defined_timestamps);
    assert_eq!(read.preclude_last_level_data_seconds, 7);
}
