//! Tables end where a partitioner says.

use crate::fixture::{Fixture, compact, content, files, flush, put};
use base::sst_partitioner::{
    PartitionerRequest, SstPartitioner, SstPartitionerContext, SstPartitionerFactory,
    SstPartitionerFixedPrefixFactory,
};
use db::Db;
use options::ColumnFamilyOptions;
use std::sync::Arc;

/// `level: smallest-largest` of each table.
fn tables(db: &Db) -> Vec<String> {
    let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    files(db)
        .iter()
        .map(|file| {
            format!("{}: {}-{}", file.level, text(&file.smallest_key), text(&file.largest_key))
        })
        .collect()
}

fn partitioned(length: usize) -> Fixture {
    let mut fixture = Fixture::new();
    fixture.family.sst_partitioner_factory =
        Some(Arc::new(SstPartitionerFixedPrefixFactory::new(length)));
    fixture.family.num_levels = 3;
    fixture
}

#[test]
fn compactions_divide_tables_and_flushes_do_not() {
    let db = partitioned(2).open();
    for key in ["aa1", "aa2", "ab1", "b", "b1"] {
        put(&db, key, "v");
    }
    flush(&db);
    assert_eq!(tables(&db), ["0: aa1-b1"]);
    compact(&db);
    assert_eq!(tables(&db), ["2: aa1-aa2", "2: ab1-ab1", "2: b-b", "2: b1-b1"]);
    assert_eq!(content(&db), "aa1=v aa2=v ab1=v b=v b1=v");
}

#[test]
fn a_table_of_several_parts_is_not_moved_as_it_is() {
    for (keys, expected) in
        [(["a1", "b1"], &["1: a1-a1", "1: b1-b1"][..]), (["a1", "a2"], &["1: a1-a2"][..])]
    {
        let mut fixture = partitioned(1);
        fixture.family.disable_auto_compactions = false;
        fixture.family.level_compaction_dynamic_level_bytes = false;
        fixture.family.level0_file_num_compaction_trigger = 1;
        let db = fixture.open();
        keys.iter().for_each(|key| put(&db, key, "v"));
        flush(&db);
        db.wait_for_compact(&db::WaitForCompactOptions::default()).unwrap();
        assert_eq!(tables(&db), expected);
    }
}

/// Ends tables by their size, and says what it was asked.
#[derive(Debug)]
struct BySize;

impl SstPartitioner for BySize {
    fn name(&self) -> &str {
        "BySize"
    }

    fn should_partition(&mut self, request: &PartitionerRequest<'_>) -> bool {
        assert!(request.prev_user_key < request.current_user_key);
        request.current_output_file_size > 10_000
    }

    fn can_do_trivial_move(&mut self, _smallest: &[u8], _largest: &[u8]) -> bool {
        true
    }
}

#[derive(Debug)]
struct BySizeFactory;

impl SstPartitionerFactory for BySizeFactory {
    fn name(&self) -> &str {
        "BySizeFactory"
    }

    fn create(&self, context: &SstPartitionerContext<'_>) -> Option<Box<dyn SstPartitioner>> {
        assert!(context.is_manual_compaction && context.output_level > 0);
        assert_eq!((context.smallest_user_key, context.largest_user_key), (&b"00"[..], &b"99"[..]));
        Some(Box::new(BySize))
    }
}

#[test]
fn a_partitioner_hears_how_large_the_table_is() {
    let mut fixture = Fixture::new();
    fixture.family.sst_partitioner_factory = Some(Arc::new(BySizeFactory));
    fixture.family.compression = options::CompressionType::NoCompression;
    let db = fixture.open();
    (0..100).for_each(|n| put(&db, &format!("{n:02}"), &"v".repeat(1000)));
    flush(&db);
    compact(&db);
    let tables = files(&db);
    assert!((6..=10).contains(&tables.len()), "{} tables", tables.len());
}

#[test]
fn options_files_name_it() {
    let text = "{id=SstPartitionerFixedPrefixFactory;length=3;}";
    let read =
        ColumnFamilyOptions::from_string(&format!("sst_partitioner_factory={text}")).unwrap();
    assert_eq!(read.get("sst_partitioner_factory").unwrap(), text);
    assert_eq!(partitioned(3).family.get("sst_partitioner_factory").unwrap(), text);
    assert_eq!(read.unhonoured(), []);
    let fixture = partitioned(3);
    let db = fixture.open();
    drop(db);
    let fs = &fixture.context.file_system;
    let path = std::path::Path::new("/db");
    let name = fs.get_children(path).unwrap();
    let name = name.iter().filter(|name| name.starts_with("OPTIONS-")).max().unwrap().clone();
    let bytes = env::file_util::read_file_to_vec(&**fs, &path.join(&name), 1 << 20).unwrap();
    let file = String::from_utf8(bytes).unwrap();
    assert!(file.contains(&format!("sst_partitioner_factory={text}")), "{file}");
}
