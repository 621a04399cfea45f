use super::persistent::STATS_COLUMN_FAMILY_NAME;
use crate::{ColumnFamilyDescriptor, Db, OpenContext};
use env::{ManualClock, MemFileSystem, read_file_to_vec};
use options::{ColumnFamilyOptions, DbOptions};
use statistics::{Statistics, Ticker};
use std::path::Path;
use std::sync::Arc;

const START_SECONDS: u64 = 1_700_000_000;
const KEYS_WRITTEN: &str = "rocksdb.number.keys.written";

struct Setup {
    clock: Arc<ManualClock>,
    context: OpenContext,
    options: DbOptions,
    db: Option<Db>,
}

impl Setup {
    fn new(options: &str) -> Self {
        let clock = Arc::new(ManualClock::new(START_SECONDS * 1_000_000));
        let context = OpenContext {
            file_system: Arc::new(MemFileSystem::new()),
            clock: clock.clone(),
            statistics: Some(Arc::new(Statistics::new())),
            ..OpenContext::default()
        };
        let options = DbOptions::from_string(&format!("create_if_missing=true;{options}")).unwrap();
        let mut setup = Self { clock, context, options, db: None };
        setup.open();
        setup
    }

    fn open(&mut self) {
        let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
        let db = Db::open(&self.options, Path::new("/db"), &families, &self.context).unwrap();
        self.db = Some(db);
    }

    fn close(&mut self) {
        self.db.take().unwrap().close().unwrap();
    }

    fn db(&self) -> &Db {
        self.db.as_ref().unwrap()
    }

    fn put(&self, times: usize) {
        let family = self.db().column_family("default").unwrap();
        for _ in 0..times {
            self.db().put(&Default::default(), &family, b"key", b"value").unwrap();
        }
    }

    fn advance_secs(&self, secs: u64) {
        self.clock.advance_micros(secs * 1_000_000);
        self.db().inner.writing().unwrap().periodic_work.catch_up();
    }

    /// Times since the start, and keys written, of all slices there are.
    fn slices(&self) -> Vec<(u64, u64)> {
        self.slices_of(0, u64::MAX)
    }

    fn slices_of(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let slices = self.db().stats_history(start, end).unwrap();
        slices
            .iter()
            .map(|slice| {
                assert_eq!(slice.deltas.len(), Ticker::ALL.len());
                (slice.time_seconds - START_SECONDS, slice.deltas[KEYS_WRITTEN])
            })
            .collect()
    }
}

#[test]
fn slices_have_what_was_counted_since_the_one_before() {
    let setup = Setup::new("stats_persist_period_sec=60;stats_dump_period_sec=0");
    setup.put(5);
    setup.advance_secs(60);
    assert_eq!(setup.slices(), [], "nothing to compare with");
    setup.put(3);
    setup.advance_secs(60);
    setup.advance_secs(60);
    setup.put(1);
    setup.advance_secs(59);
    assert_eq!(setup.slices(), [(120, 3), (180, 0)]);
    setup.advance_secs(1);
    assert_eq!(setup.slices(), [(120, 3), (180, 0), (240, 1)]);
    let from = START_SECONDS + 121;
    assert_eq!(setup.slices_of(from, START_SECONDS + 240), [(180, 0)]);
    assert_eq!(setup.slices_of(from, from), []);
}

#[test]
fn without_a_period_there_is_no_history() {
    let setup = Setup::new("stats_persist_period_sec=0");
    setup.put(5);
    setup.advance_secs(100_000);
    setup.advance_secs(100_000);
    assert_eq!(setup.slices(), []);
}

#[test]
fn the_oldest_slices_go_when_the_buffer_is_full() {
    let setup = Setup::new("stats_persist_period_sec=60;stats_history_buffer_size=70000");
    for _ in 0..8 {
        setup.advance_secs(60);
    }
    let times: Vec<u64> = setup.slices().into_iter().map(|(time, _)| time).collect();
    assert!((2..=4).contains(&times.len()), "{times:?}");
    assert_eq!(times.last(), Some(&480));
    let setup = Setup::new("stats_persist_period_sec=60;stats_history_buffer_size=0");
    setup.advance_secs(60);
    setup.advance_secs(60);
    assert_eq!(setup.slices(), []);
}

#[test]
fn the_buffer_may_shrink_while_it_is_open() {
    let setup = Setup::new("stats_persist_period_sec=60");
    for _ in 0..4 {
        setup.advance_secs(60);
    }
    assert_eq!(setup.slices().len(), 3);
    setup.db().set_db_options(&[("stats_history_buffer_size", "30000")]).unwrap();
    setup.advance_secs(60);
    assert_eq!(setup.slices(), [(300, 0)]);
}

#[test]
fn slices_on_the_disk_outlive_the_process() {
    let options = "stats_persist_period_sec=60;persist_stats_to_disk=true";
    let mut setup = Setup::new(options);
    setup.advance_secs(60);
    setup.put(7);
    setup.advance_secs(60);
    assert_eq!(setup.slices(), [(120, 7)]);
    setup.close();
    setup.open();
    assert_eq!(setup.slices(), [(120, 7)]);
    setup.advance_secs(60);
    setup.put(2);
    setup.advance_secs(60);
    assert_eq!(setup.slices(), [(120, 7), (240, 2)]);
    assert_eq!(setup.slices_of(START_SECONDS + 121, u64::MAX), [(240, 2)]);
    // Whoever does not ask for the family has it open nevertheless, and keeps it.
    setup.close();
    setup.options = DbOptions::from_string("stats_persist_period_sec=60").unwrap();
    setup.open();
    assert!(setup.db().column_family(STATS_COLUMN_FAMILY_NAME).is_some());
    assert_eq!(setup.slices(), [], "of this process");
}

#[test]
fn the_family_is_flushed_along_with_others_where_it_alone_keeps_old_wals() {
    let setup = Setup::new("stats_persist_period_sec=60;persist_stats_to_disk=true");
    let db = setup.db();
    let default = db.column_family("default").unwrap();
    let stats = db.column_family(STATS_COLUMN_FAMILY_NAME).unwrap();
    let other = ColumnFamilyDescriptor::new("other", ColumnFamilyOptions::default());
    let other = db.create_column_families(&[other]).unwrap().remove(0);
    let entries = || db.int_property(&stats, "rocksdb.num-entries-active-mem-table").unwrap();
    let flush = |family| db.flush(&Default::default(), &[family]).unwrap();
    setup.put(1);
    db.put(&Default::default(), &other, b"key", b"value").unwrap();
    setup.advance_secs(60);
    setup.advance_secs(60);
    let before = entries();
    assert!(before >= Ticker::ALL.len() as u64, "{before}");
    flush(&default);
    assert_eq!(entries(), before, "the other family needs that WAL too");
    flush(&other);
    assert_eq!(entries(), 0);
    assert_eq!(setup.slices(), [(120, 0)]);
}

#[test]
fn a_family_of_another_format_is_made_anew() {
    let options = "stats_persist_period_sec=60;persist_stats_to_disk=true";
    let mut setup = Setup::new(options);
    setup.advance_secs(60);
    setup.advance_secs(60);
    assert_eq!(setup.slices().len(), 1);
    let family = setup.db().column_family(STATS_COLUMN_FAMILY_NAME).unwrap();
    for key in ["__persistent_stats_format_version__", "__persistent_stats_compatible_version__"] {
        let put = setup.db().put(&Default::default(), &family, key.as_bytes(), b"2");
        put.unwrap();
    }
    drop(family);
    setup.close();
    setup.open();
    assert_eq!(setup.slices(), []);
    setup.advance_secs(60);
    setup.advance_secs(60);
    assert_eq!(setup.slices().len(), 1);
}

#[test]
fn the_dump_in_the_log_has_the_statistics() {
    let setup = Setup::new("stats_dump_period_sec=60;stats_persist_period_sec=0");
    setup.put(9);
    setup.advance_secs(60);
    setup.advance_secs(10);
    let log = read_file_to_vec(&*setup.context.file_system, Path::new("/db/LOG"), 1 << 20);
    let log = String::from_utf8(log.unwrap()).unwrap();
    assert!(log.contains("STATISTICS:\n rocksdb.block.cache.miss COUNT : 0\n"), "{log}");
    assert!(log.contains(&format!("\n{KEYS_WRITTEN} COUNT : 9\n")), "{log}");
    assert!(log.contains("rocksdb.db.write.micros P50 : "), "{log}");
}
