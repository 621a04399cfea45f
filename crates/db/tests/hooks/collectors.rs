//! Properties that users collect, and tables that ask to be compacted.

use crate::fixture::{Fixture, compact, content, family, files, flush, put};
use base::ParsedInternalKey;
use base::table_properties_collector::{
    CollectedProperties, CompactOnDeletionCollectorFactory, TablePropertiesCollector,
    TablePropertiesCollectorContext, TablePropertiesCollectorFactory,
};
use db::{WaitForCompactOptions, WriteOptions};
use options::ColumnFamilyOptions;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Counts entries by their type.
#[derive(Debug, Default)]
struct Types {
    types: Vec<String>,
    blocks: usize,
}

impl TablePropertiesCollector for Types {
    fn add(&mut self, key: &ParsedInternalKey<'_>, value: &[u8], _file_size: u64) {
        self.types.push(format!("{:?}/{}", key.value_type, value.len()));
    }

    fn add_block(&mut self, _uncompressed_size: u64) {
        self.blocks += 1;
    }

    fn finish(&mut self) -> CollectedProperties {
        let types = self.types.join(" ").into_bytes();
        [(b"types".to_vec(), types), (b"blocks".to_vec(), vec![self.blocks as u8])].into()
    }

    fn readable_properties(&self) -> BTreeMap<String, String> {
        [("blocks".to_owned(), self.blocks.to_string())].into()
    }

    fn name(&self) -> &str {
        "Types"
    }
}

#[derive(Debug)]
struct TypesFactory;

impl TablePropertiesCollectorFactory for TypesFactory {
    fn create(
        &self,
        context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>> {
        assert_eq!(context.column_family_id, 0);
        assert!(context.level.is_some());
        assert_eq!(context.num_levels, Some(7));
        Some(Box::new(Types::default()))
    }

    fn name(&self) -> &str {
        "TypesFactory"
    }
}

#[test]
fn flushes_and_compactions_collect() {
    let mut fixture = Fixture::new();
    fixture.family.table_properties_collector_factories = vec![Arc::new(TypesFactory)];
    let db = fixture.open();
    put(&db, "a", "value");
    let options = WriteOptions::default();
    db.delete(&options, &family(&db), b"b").unwrap();
    db.delete_range(&options, &family(&db), b"c", b"dd").unwrap();
    flush(&db);
    let collected = |name: &str| {
        let properties = db.properties_of_all_tables(&family(&db)).unwrap();
        assert_eq!(properties.len(), 1);
        let properties = &properties.values().next().unwrap();
        assert_eq!(properties.property_collectors_names, "[TypesFactory]");
        properties.user_collected(name).unwrap().to_vec()
    };
    assert_eq!(collected("types"), b"Value/5 Deletion/0 RangeDeletion/2");
    assert_eq!(collected("blocks"), [1]);
    compact(&db);
    assert_eq!(collected("types"), b"Value/5");
    db.close().unwrap();
    let log = env::read_file_to_vec(&*fixture.context.file_system, Path::new("/db/LOG"), 1 << 20);
    let log = String::from_utf8(log.unwrap()).unwrap();
    let created: Vec<&str> =
        log.lines().filter(|line| line.contains("table_file_creation\"")).collect();
    assert_eq!(created.len(), 2);
    assert!(created.iter().all(|line| line.contains("\"blocks\": \"1\"")), "{created:?}");
}

/// Without the collector the table stays where it is.
#[test]
fn tables_of_many_deletions_are_compacted_soon() {
    let compacted = |is_collected: bool| {
        let mut fixture = Fixture::new();
        fixture.family.disable_auto_compactions = false;
        fixture.family.level_compaction_dynamic_level_bytes = false;
        if is_collected {
            let factory = CompactOnDeletionCollectorFactory {
                window_size: 128,
                deletion_trigger: 100,
                ..CompactOnDeletionCollectorFactory::default()
            };
            fixture.family.table_properties_collector_factories = vec![Arc::new(factory)];
        }
        let db = fixture.open();
        let options = WriteOptions::default();
        put(&db, "a", "1");
        for n in 0..200 {
            db.delete(&options, &family(&db), format!("k{n:03}").as_bytes()).unwrap();
        }
        flush(&db);
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
        assert_eq!(content(&db), "a=1");
        files(&db).iter().all(|file| file.level > 0)
    };
    assert!(compacted(true));
    assert!(!compacted(false));
}

#[test]
fn options_files_name_them() {
    let text = "{{id=CompactOnDeletionCollector;window_size=100;deletion_trigger=10;\
                deletion_ratio=0.5;min_file_size=0;}}";
    let read = |text: &str| {
        let text = format!("table_properties_collectors={text}");
        ColumnFamilyOptions::from_string(&text).unwrap()
    };
    let options = read(text);
    assert_eq!(options.table_properties_collector_factories.len(), 1);
    assert_eq!(options.get("table_properties_collectors").unwrap(), text);
    let mut given = ColumnFamilyOptions::default();
    given.table_properties_collector_factories =
        options.table_properties_collector_factories.clone();
    assert_eq!(given.get("table_properties_collectors").unwrap(), text);
    let options = read("{CompactOnDeletionCollector:Mine}");
    assert_eq!(options.table_properties_collector_factories.len(), 1);
    assert_eq!(options.unregistered("table_properties_collectors"), Some("Mine"));
    assert_eq!(read("").table_properties_collector_factories.len(), 0);
}
