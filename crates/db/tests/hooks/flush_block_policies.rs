//! Data blocks end where a program's rule says.

use crate::fixture::{Fixture, content, family, flush, put};
use base::dbformat::extract_user_key;
use base::flush_block_policy::{
    FlushBlockContext, FlushBlockPolicy, FlushBlockPolicyFactory, FlushBlockRequest,
};
use db::Db;
use options::{BlockBasedTableOptions, ConfigOptions, Registry};
use std::sync::{Arc, Mutex};

/// What a rule was asked.
type Asked = Arc<Mutex<Vec<String>>>;

/// Blocks hold keys of one first byte.
#[derive(Debug)]
struct ByFirstByte {
    last: Option<u8>,
    asked: Asked,
}

impl FlushBlockPolicy for ByFirstByte {
    fn update(&mut self, request: &FlushBlockRequest<'_>) -> bool {
        let key = extract_user_key(request.key);
        let first = key.first().copied();
        assert!(request.block_size_after > request.block_size + request.value.len());
        let text = String::from_utf8_lossy(key);
        self.asked.lock().unwrap().push(format!("{text} after {}", request.entry_count));
        std::mem::replace(&mut self.last, first) != first
    }
}

#[derive(Debug, Default)]
struct ByFirstByteFactory(Asked);

impl FlushBlockPolicyFactory for ByFirstByteFactory {
    fn name(&self) -> &str {
        "example.ByFirstByte"
    }

    fn properties(&self) -> Vec<(&'static str, String)> {
        vec![("bytes", "1".to_owned())]
    }

    fn create(&self, context: &FlushBlockContext) -> Option<Box<dyn FlushBlockPolicy>> {
        assert_eq!((context.block_size, context.block_size_deviation), (4096, 10));
        Some(Box::new(ByFirstByte { last: None, asked: self.0.clone() }))
    }
}

fn data_blocks(db: &Db) -> Vec<u64> {
    let tables = db.properties_of_all_tables(&family(db)).unwrap();
    tables.values().map(|properties| properties.num_data_blocks).collect()
}

#[test]
fn blocks_end_where_the_rule_says() {
    let mut fixture = Fixture::new();
    let asked = Asked::default();
    fixture.family.table.flush_block_policy_factory = Arc::new(ByFirstByteFactory(asked.clone()));
    let db = fixture.open();
    for key in ["a1", "a2", "a3", "b1", "c1", "c2"] {
        put(&db, key, "value");
    }
    flush(&db);
    assert_eq!(data_blocks(&db), [3]);
    assert_eq!(content(&db), "a1=value a2=value a3=value b1=value c1=value c2=value");
    let expected =
        ["a1 after 0", "a2 after 1", "a3 after 2", "b1 after 3", "c1 after 1", "c2 after 1"];
    assert_eq!(*asked.lock().unwrap(), expected);
}

#[test]
fn options_name_it_and_keep_what_nobody_registered() {
    let text = "{id=example.ByFirstByte;bytes=1;}";
    let mut registry = Registry::new();
    registry.register_flush_block_policy_factory_maker(
        "example.ByFirstByte",
        Arc::new(|_| Some(Arc::new(ByFirstByteFactory::default()) as Arc<_>)),
    );
    let registered = ConfigOptions { registry: Arc::new(registry), ..ConfigOptions::default() };
    for (config, name) in [
        (&registered, "example.ByFirstByte"),
        (&ConfigOptions::default(), "FlushBlockBySizePolicyFactory"),
    ] {
        let mut options = options::ColumnFamilyOptions::default();
        let said = options.apply("table_factory.flush_block_policy_factory", text, config).unwrap();
        assert_eq!(options.table.flush_block_policy_factory.name(), name);
        let missing = options.unregistered("table_factory.flush_block_policy_factory");
        assert_eq!(
            (missing.is_some(), said.len()),
            match name {
                "example.ByFirstByte" => (false, 0),
                _ => (true, 1),
            }
        );
        assert_eq!(options.get("table_factory.flush_block_policy_factory").unwrap(), text);
        assert!(options.to_option_string().contains(text), "{}", options.to_option_string());
        let table = BlockBasedTableOptions::from_string(&options.table.to_option_string()).unwrap();
        assert_eq!(table.get("flush_block_policy_factory").unwrap(), text);
    }
    assert_eq!(
        ByFirstByteFactory::default().properties(),
        [("bytes", "1".to_owned())],
        "what OPTIONS files would say of an object that was given"
    );
}

#[test]
fn who_opens_with_a_rule_that_is_not_there_is_told() {
    let mut fixture = Fixture::new();
    let text = "block_based_table_factory={flush_block_policy_factory=Unheard}";
    fixture.family.apply_string(text, &ConfigOptions::default()).unwrap();
    let db = fixture.open();
    let warnings = db.warnings();
    assert_eq!(
        warnings,
        ["column family default: table_factory.flush_block_policy_factory=Unheard is not \
          registered: data blocks end by their size"]
    );
}
