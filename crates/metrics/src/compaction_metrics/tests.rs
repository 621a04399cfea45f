use super::*;
use db::{ColumnFamilyDescriptor, OpenContext};
use options::{ColumnFamilyOptions, DbOptions};

/// Every column of the maps has a row, or is left out on purpose.
#[test]
fn no_column_is_forgotten() {
    let directory = tempfile::TempDir::new().unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let db = Db::open(&options, directory.path(), &families, &OpenContext::default()).unwrap();
    let family = db.column_family("default").unwrap();
    let has_row = |rows: &[Row], key: &str| rows.iter().any(|row| row.key == key);
    let stats = db.map_property(&family, "rocksdb.cfstats").unwrap();
    let columns: Vec<&str> =
        stats.keys().filter_map(|name| name.strip_prefix("compaction.Sum.")).collect();
    assert!(columns.len() > 10, "{stats:?}");
    for column in columns {
        assert!(has_row(OF_LEVELS, column) || LEFT_OUT.contains(&column), "{column}");
    }
    for name in db.map_property(&family, "rocksdb.dbstats").unwrap().keys() {
        // A property of its own, where there is such a manager.
        assert!(has_row(OF_DB, name) || name.contains("write-buffer-manager"), "{name}");
    }
}
