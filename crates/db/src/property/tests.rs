mod versions;

use crate::{ColumnFamilyDescriptor, ColumnFamilyHandle, Db, OpenContext, ReadOptions};
use options::{ColumnFamilyOptions, DbOptions};
use std::sync::Arc;
use testing::fixtures::{self, Unpacked};
use testing::parallel;

/// Tables in L0 to L3, and a WAL.
fn open(change: impl FnOnce(&mut DbOptions, &mut ColumnFamilyOptions)) -> (Unpacked, Db) {
    open_case("a02", change)
}

fn open_case(
    case: &str,
    change: impl FnOnce(&mut DbOptions, &mut ColumnFamilyOptions),
) -> (Unpacked, Db) {
    let unpacked = fixtures::one("6.29.5", case).unpack_to_temp();
    let (mut options, mut family) = (DbOptions::default(), ColumnFamilyOptions::default());
    family.level_compaction_dynamic_level_bytes = false;
    change(&mut options, &mut family);
    let families = [ColumnFamilyDescriptor::new("default", family)];
    let db = Db::open_for_read_only(&options, &unpacked.path(), &families, &OpenContext::default());
    (unpacked, db.unwrap())
}

fn default(db: &Db) -> ColumnFamilyHandle {
    db.column_family("default").unwrap()
}

#[test]
fn names_are_looked_up_without_their_digits() {
    let (_unpacked, db) = open(|_, _| {});
    let family = default(&db);
    let get = |name| db.property(&family, name);
    assert_eq!(get("rocksdb.num-files-at-level0").as_deref(), Some("4"));
    assert_eq!(get("rocksdb.num-files-at-level003").as_deref(), Some("1"));
    assert_eq!(get("rocksdb.num-files-at-level7"), None);
    assert_eq!(get("rocksdb.num-files-at-level"), None);
    assert_eq!(get("rocksdb.num-live-versions42").as_deref(), Some("1"));
    for name in ["", "0", "rocksdb.", "rocksdb", "rocksdb.Stats", "rocksdb.stats ", "stats"] {
        assert_eq!(get(name), None, "{name:?}");
    }
}

#[test]
fn what_was_counted_is_forgotten_when_asked() {
    let setup = crate::set_options::tests::Setup::new("", &[("default", "")]);
    let family = setup.family("default");
    let line = |property: &str, start: &str| {
        let text = setup.db.property(&family, property).unwrap();
        text.lines().find(|line| line.starts_with(start)).map(str::to_owned).unwrap()
    };
    let counts = || {
        let writes = line("rocksdb.dbstats", "Cumulative writes");
        let flushed = setup.db.map_property(&family, "rocksdb.cfstats").unwrap();
        (writes, flushed["compaction.Sum.CompCount"].clone())
    };
    let write = || {
        setup.put("default", "key", 100);
        setup.db.flush(&crate::FlushOptions::default(), &[&family]).unwrap();
    };
    write();
    let once = counts();
    assert!(once.0.starts_with("Cumulative writes: 1 writes, 1 keys"), "{once:?}");
    assert_eq!(once.1, "1.000000");
    setup.db.reset_stats();
    let none = counts();
    assert!(none.0.starts_with("Cumulative writes: 0 writes, 0 keys"), "{none:?}");
    assert_eq!(none.1, "0.000000");
    write();
    let again = counts();
    assert!(again.0.starts_with("Cumulative writes: 1 writes, 1 keys"), "{again:?}");
    assert_eq!(again.1, "1.000000");
}

#[test]
fn numbers_are_numbers_and_maps_are_maps() {
    let (_unpacked, db) = open(|_, _| {});
    let family = default(&db);
    assert_eq!(db.int_property(&family, "rocksdb.total-sst-files-size"), Some(30_600));
    assert_eq!(db.int_property(&family, "rocksdb.num-files-at-level0"), None);
    assert_eq!(db.int_property(&family, "rocksdb.cfstats"), None);
    assert!(db.map_property(&family, "rocksdb.cfstats").is_some());
    assert!(db.map_property(&family, "rocksdb.levelstats").is_none());
    assert!(db.map_property(&family, "rocksdb.base-level").is_none());
    assert_eq!(db.aggregated_int_property("rocksdb.num-live-versions"), Some(1));
    assert_eq!(db.aggregated_int_property("rocksdb.levelstats"), None);
}

#[test]
fn names_are_unique_and_do_not_end_in_digits() {
    let mut names: Vec<_> = Db::property_names().collect();
    assert!(names.iter().all(|name| !name.ends_with(|c: char| c.is_ascii_digit())));
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// As RocksDB 7.8.3 answers for the same directory.
#[test]
fn aggregated_properties_as_text() {
    let (_unpacked, db) = open(|_, _| {});
    let text = db.property(&default(&db), "rocksdb.aggregated-table-properties-at-level2");
    assert_eq!(
        text.as_deref(),
        Some(
            "# data blocks=2; # entries=155; # deletions=0; # merge operands=0; \
             # range deletions=0; raw key size=2575; raw average key size=16.612903; \
             raw value size=4138; raw average value size=26.696774; data block size=6173; \
             index block size (user-key? 1, delta-value? 1)=44; filter block size=0; \
             # entries for filter=0; (estimated) table size=6217; filter policy name=N/A; \
             prefix extractor name=N/A; column family ID=N/A; column family name=N/A; \
             comparator name=N/A; merge operator name=N/A; property collectors names=N/A; \
             SST file compression algo=N/A; SST file compression options=N/A; creation time=0; \
             time stamp of earliest key=0; file creation time=0; \
             slow compression estimated data size=0; fast compression estimated data size=0; \
             DB identity=; DB session identity=; DB host id=; original file number=0; \
             unique ID=N/A; Sequence number to time mapping=; "
        )
    );
    let all = db.property(&default(&db), "rocksdb.aggregated-table-properties").unwrap();
    assert!(all.starts_with("# data blocks=11; # entries=646; # deletions=53; "), "{all}");
    assert!(all.contains("index block size (user-key? 7, delta-value? 7)=258; "), "{all}");
}

#[test]
fn names_of_later_releases() {
    let (_unpacked, db) = open(|_, _| {});
    let family = default(&db);
    assert_eq!(db.int_property(&family, "rocksdb.obsolete-sst-files-size"), Some(0));
    assert_eq!(
        db.property(&family, "rocksdb.db-write-stall-stats").as_deref(),
        Some("Write Stall (count): write-buffer-manager-limit-stops: 0\n")
    );
    let stalls = db.map_property(&family, "rocksdb.cf-write-stall-stats").unwrap();
    assert_eq!(stalls["total-stops"], "0");
    assert_eq!(stalls.len(), 10);
    assert!(db.property(&family, "rocksdb.cf-write-stall-stats").unwrap().ends_with("stops: 0\n"));
    let periodic = db.property(&family, "rocksdb.cfstats.periodic").unwrap();
    assert!(periodic.contains("** Compaction Stats [default] **"), "{periodic}");
}

#[test]
fn intervals_begin_at_the_last_report() {
    let (_unpacked, db) = open(|_, family| {
        family.level0_slowdown_writes_trigger = 4;
        family.level0_stop_writes_trigger = 4;
    });
    let family = default(&db);
    let stalls = |text: String| {
        let line = text.lines().find(|line| line.starts_with("Stalls(count)")).unwrap().to_owned();
        line.rsplit_once("interval ").unwrap().1.to_owned()
    };
    assert_eq!(stalls(db.property(&family, "rocksdb.cfstats").unwrap()), "1 total count");
    assert_eq!(stalls(db.property(&family, "rocksdb.stats").unwrap()), "0 total count");
    assert_eq!(db.int_property(&family, "rocksdb.is-write-stopped"), Some(1));
    std::thread::sleep(std::time::Duration::from_millis(120));
    let uptime = |text: String| {
        let line = text.lines().find(|line| line.starts_with("Uptime")).unwrap().to_owned();
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        (words[1].parse::<f64>().unwrap(), words[3].parse::<f64>().unwrap())
    };
    let (total, interval) = uptime(db.property(&family, "rocksdb.dbstats").unwrap());
    assert!(total >= 0.1 && interval >= 0.1, "{total} {interval}");
    let (total, interval) = uptime(db.property(&family, "rocksdb.dbstats").unwrap());
    assert!(total > interval, "{total} {interval}");
}

#[test]
fn the_shape_names_memtable_files_and_entries() {
    let (_unpacked, db) = open(|_, _| {});
    let shape = db.property(&default(&db), "touchstone.shape").unwrap();
    let lines: Vec<_> =
        shape.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(lines[1][..4], ["active", "memtable:", "65", "entries,"]);
    assert!(
        shape.contains("sorted runs: 4 in L0, 7 on disk, 8 for a read; base level L1"),
        "{shape}"
    );
    assert_eq!(lines[4], ["L0", "4", "7602", "-", "1.00", "122"]);
    assert_eq!(lines[11], ["sum", "7", "30600", "-", "-", "646"]);
    assert_eq!(lines[14], ["45", "1066", "7"]);
    let map = db.map_property(&default(&db), "touchstone.shape").unwrap();
    assert_eq!((&*map["memtable.active.entries"], &*map["sorted-runs.disk"]), ("65", "7"));
    assert_eq!((&*map["level.0.files"], &*map["level.0.bytes"]), ("4", "7602"));
    assert_eq!((&*map["level.0.score"], &*map["level.0.entries"]), ("1.000000", "122"));
    assert!(map.contains_key("level.1.target-bytes") && !map.contains_key("level.0.target-bytes"));
    assert_eq!(map["base-level"], "1");
}

#[test]
fn memory_of_tables_counts_once_they_are_open() {
    let (_unpacked, db) = open(|_, _| {});
    let family = default(&db);
    let number = |name| db.int_property(&family, name).unwrap();
    assert_eq!(number("rocksdb.block-cache-capacity"), 32 << 20);
    assert_eq!(number("rocksdb.estimate-table-readers-mem"), 0);
    assert_eq!(number("rocksdb.block-cache-usage"), 0);
    // Neither do properties open tables.
    assert_eq!(number("rocksdb.estimate-num-keys"), 565);
    assert_eq!(number("rocksdb.estimate-table-readers-mem"), 0);
    let mut scan = db.new_iterator(&ReadOptions::default(), &family).unwrap();
    scan.seek_to_first();
    while scan.valid() {
        scan.next();
    }
    scan.status().unwrap();
    assert!(number("rocksdb.estimate-table-readers-mem") > 1000);
    assert!(number("rocksdb.block-cache-usage") > 1000);
    assert!(number("rocksdb.cur-size-active-mem-table") > 1000);
    let entries = db.map_property(&family, "rocksdb.block-cache-entry-stats").unwrap();
    assert_eq!(entries["count.data-block"], "11");
    assert_eq!((&*entries["count.index-block"], &*entries["count.misc"]), ("0", "0"));
    let bytes: u64 = entries["bytes.data-block"].parse().unwrap();
    assert!(bytes > 20_000 && bytes < number("rocksdb.block-cache-usage"), "{bytes}");
    let text = db.property(&family, "rocksdb.fast-block-cache-entry-stats").unwrap();
    assert!(
        text.contains(" occupancy: 11 collections: 1 last_copies: 1 ")
            && text.contains(" DataBlock(11,"),
        "{text}"
    );
    assert_eq!(number("rocksdb.size-all-mem-tables"), number("rocksdb.cur-size-all-mem-tables"));
}

#[test]
fn blocks_of_index_and_filter_count_as_such() {
    let (_unpacked, db) = open_case("c02", |_, family| {
        family.table.cache_index_and_filter_blocks = true;
    });
    let family = default(&db);
    for file in db.live_files() {
        db.get(&ReadOptions::default(), &family, &file.smallest_key).unwrap();
    }
    let entries = db.map_property(&family, "rocksdb.block-cache-entry-stats").unwrap();
    for role in ["data-block", "index-block", "filter-block"] {
        assert_ne!(entries[&format!("count.{role}")], "0", "{role}");
    }
    assert_eq!(entries["count.misc"], "0");
}

#[test]
fn without_a_block_cache_its_properties_have_no_value() {
    let (_unpacked, db) = open(|_, family| family.table.no_block_cache = true);
    for name in ["capacity", "usage", "pinned-usage", "entry-stats"] {
        assert_eq!(db.property(&default(&db), &format!("rocksdb.block-cache-{name}")), None);
    }
}

#[test]
fn statistics_of_tables_can_be_left_out() {
    let (_unpacked, db) = open(|options, _| options.skip_stats_update_on_db_open = true);
    let family = default(&db);
    // What is in memory: 65 entries, 20 of them deletions.
    assert_eq!(db.int_property(&family, "rocksdb.estimate-num-keys"), Some(25));
    let ratio = db.property(&family, "rocksdb.compression-ratio-at-level2");
    assert_eq!(ratio.as_deref(), Some("0.000000"));
}

#[test]
fn tables_that_cannot_be_read_have_no_properties() {
    let (unpacked, db) = open(|_, _| {});
    let table = unpacked.path().join("000027.sst");
    let size = std::fs::metadata(&table).unwrap().len();
    std::fs::write(&table, vec![0; size as usize]).unwrap();
    let family = default(&db);
    assert_eq!(db.property(&family, "rocksdb.aggregated-table-properties"), None);
    assert_eq!(db.map_property(&family, "rocksdb.aggregated-table-properties"), None);
    assert!(db.map_property(&family, "rocksdb.aggregated-table-properties-at-level1").is_some());
    // The other six stand for all seven; 25 keys are in memory.
    let in_tables = (565 - 25 - 155) * 7 / 6;
    assert_eq!(db.int_property(&family, "rocksdb.estimate-num-keys"), Some(in_tables + 25));
    let (shape, errors) = db.tree_shape(&family, &crate::ShapeOptions::default());
    assert_eq!(shape.levels[2].entries, None);
    assert_eq!(shape.entries(), None);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("000027.sst"), "{}", errors[0]);
}

/// No directory makes a property panic, and every map is also a text.
#[test]
fn every_property_of_every_directory() {
    parallel::for_each(&fixtures::of_release("9.10.0"), |fixture| {
        let unpacked = fixture.unpack_to_temp();
        let context = OpenContext::default();
        let Ok(names) = Db::list_column_families(&unpacked.path(), &context) else { return Ok(()) };
        let families: Vec<_> = names
            .into_iter()
            .map(|name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default()))
            .collect();
        let options = DbOptions::default();
        let db = Db::open_for_read_only(&options, &unpacked.path(), &families, &context);
        let Ok(db) = db else { return Ok(()) };
        for family in db.column_families() {
            for name in Db::property_names() {
                for name in [name.to_owned(), format!("{name}0"), format!("{name}6")] {
                    let text = db.property(&family, &name);
                    if db.map_property(&family, &name).is_some() && text.is_none() {
                        return Err(format!("{name} is no text"));
                    }
                }
            }
        }
        Ok::<_, String>(())
    });
}

#[test]
fn a_block_cache_of_several_families_counts_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        ..DbOptions::default()
    };
    let families = ["default", "other"]
        .map(|name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default()));
    let sum = |context: &OpenContext, name: &str| {
        let db = Db::open(&options, directory.path(), &families, context).unwrap();
        db.aggregated_int_property(name).unwrap()
    };
    let own = OpenContext::default();
    let cache = cache::LruCache::new(&cache::LruCacheOptions::default()).unwrap();
    let shared = OpenContext { block_cache: Some(Arc::new(cache)), ..OpenContext::default() };
    let capacity = "rocksdb.block-cache-capacity";
    assert_eq!(sum(&own, capacity), 64 << 20);
    assert_eq!(sum(&shared, capacity), 32 << 20);
    assert_eq!(sum(&shared, "rocksdb.is-file-deletions-enabled"), 2);
}
