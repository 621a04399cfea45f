use super::*;
use crate::periodic_work::PeriodicTask;
use crate::{FlushOptions, OpenContext, ReadOptions, WaitForCompactOptions, WriteOptions};
use base::status::Code;
use base::{InternalIterator, ValueType};
use env::fault_injection_fs::{
    Effect, Fault, FaultError, FaultInjectionFileSystem, Operations, When,
};
use env::{ManualClock, MemFileSystem, read_file_to_vec};
use options::{ConfigOptions, OptionsFile, Remark};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Late enough for all ages to be positive.
const START_MICROS: u64 = 1_800_000_000_000_000;

/// A database in memory, with a clock that is moved by hand.
pub(crate) struct Setup {
    pub(crate) fs: Arc<FaultInjectionFileSystem>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) db: Db,
}

impl Setup {
    pub(crate) fn new(options: &str, families: &[(&str, &str)]) -> Self {
        let fs = Arc::new(FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new())));
        let clock = Arc::new(ManualClock::new(START_MICROS));
        let context =
            OpenContext { file_system: fs.clone(), clock: clock.clone(), ..OpenContext::default() };
        let text = format!("create_if_missing=true;create_missing_column_families=true;{options}");
        let options = DbOptions::from_string(&text).unwrap();
        let descriptors: Vec<_> = families
            .iter()
            .map(|(name, text)| {
                let options = ColumnFamilyOptions::from_string(text).unwrap();
                ColumnFamilyDescriptor::new(*name, options)
            })
            .collect();
        let db = Db::open(&options, Path::new("/db"), &descriptors, &context).unwrap();
        Self { fs, clock, db }
    }

    fn with_family(options: &str) -> Self {
        Self::new("", &[("default", options)])
    }

    pub(crate) fn family(&self, name: &str) -> ColumnFamilyHandle {
        self.db.column_family(name).unwrap()
    }

    fn set(&self, name: &str, value: &str) {
        self.db.set_options(&self.family("default"), &[(name, value)]).unwrap();
    }

    pub(crate) fn put(&self, family: &str, key: &str, value_bytes: usize) {
        let (options, value) = (WriteOptions::default(), vec![b'v'; value_bytes]);
        self.db.put(&options, &self.family(family), key.as_bytes(), &value).unwrap();
    }

    /// A table of L0 that overlaps others.
    fn put_and_flush(&self) {
        self.put("default", "a", 1);
        self.put("default", "z", 1);
        self.flush();
    }

    fn flush(&self) {
        self.db.flush(&FlushOptions::default(), &[&self.family("default")]).unwrap();
    }

    pub(crate) fn settle(&self) {
        self.db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    }

    /// Moves the clock, and waits until what is due then is done.
    pub(crate) fn advance_secs(&self, secs: u64) {
        self.clock.advance_micros(secs * 1_000_000);
        self.writing().periodic_work.catch_up();
        self.settle();
    }

    pub(crate) fn writing(&self) -> &Writing {
        self.db.inner.writing().unwrap()
    }

    fn levels(&self) -> Vec<usize> {
        self.db.live_files().iter().map(|file| file.level).collect()
    }

    pub(crate) fn log(&self) -> String {
        let content = read_file_to_vec(&*self.fs, Path::new("/db/LOG"), 1 << 20).unwrap();
        String::from_utf8(content).unwrap()
    }

    pub(crate) fn written_options(&self) -> OptionsFile {
        let config = ConfigOptions::default();
        OptionsFile::latest(&*self.fs, Path::new("/db"), &config).unwrap().1
    }

    /// From now on no OPTIONS file can be written.
    pub(crate) fn refuse_options_files(&self) {
        self.fs.plan().add(Fault {
            operations: Operations::all().on("OPTIONS"),
            when: When::FromNth(0),
            effect: Effect::Error(FaultError::Io),
        });
    }
}

#[test]
fn a_change_is_in_the_options_file_and_in_the_log() {
    let setup = Setup::with_family("write_buffer_size=1M");
    let family = setup.family("default");
    let changes =
        [("write_buffer_size", "2M"), ("compaction_options_fifo", "{max_table_files_size=7}")];
    assert_eq!(setup.db.set_options(&family, &changes).unwrap(), []);
    let read = setup.written_options();
    for options in [&*setup.db.get_options(&family), read.column_family("default").unwrap()] {
        assert_eq!(options.write_buffer_size, 2 << 20);
        assert_eq!(options.compaction_options_fifo.max_table_files_size, 7);
    }
    let log = setup.log();
    for line in [
        "SetOptions() on [1] column families, inputs:",
        "Set options on column family [default] (0/1), inputs:",
        "compaction_options_fifo: {max_table_files_size=7}",
        "Set options on column family [default] (0/1) succeeded, updated CF options:",
        "write_buffer_size: 2097152",
        "table_factory.block_size: 4096",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[test]
fn what_cannot_be_set_changes_nothing() {
    let setup = Setup::new("", &[("default", ""), ("other", "")]);
    let (family, other) = (setup.family("default"), setup.family("other"));
    let before = [family.options().to_option_string(), other.options().to_option_string()];
    for (name, value, said) in [
        ("num_levels", "3", "num_levels"),
        ("no_such_option", "3", "no_such_option"),
        ("write_buffer_size", "much", "write_buffer_size"),
        ("enable_blob_garbage_collection", "maybe", "enable_blob_garbage_collection"),
        ("memtable_protection_bytes_per_key", "3", "protection"),
        ("compression", "kNoSuchCompression", "compression"),
    ] {
        let good: &[(&str, &str)] = &[("ttl", "77")];
        let changes = [("max_successive_merges", "9"), (name, value)];
        let both = [(&other, good), (&family, &changes[..])];
        let status = setup.db.set_options_of_families(&both).unwrap_err();
        assert!(status.message().contains(said), "{name}: {status}");
        let after = [family.options().to_option_string(), other.options().to_option_string()];
        assert_eq!(after, before, "{name}");
    }
    assert!(setup.log().contains("SetOptions() failed: Invalid argument"));
    let empty = setup.db.set_options(&family, &[]).unwrap_err();
    assert_eq!(empty.code(), Code::InvalidArgument);
    assert_eq!(setup.db.set_options_of_families(&[]).unwrap(), []);
}

#[test]
fn several_families_are_changed_at_once() {
    let setup = Setup::new("", &[("default", ""), ("other", "")]);
    let (family, other) = (setup.family("default"), setup.family("other"));
    let one: &[(&str, &str)] = &[("ttl", "1000")];
    let two: &[(&str, &str)] = &[("ttl", "2000")];
    setup.db.set_options_of_families(&[(&family, one), (&other, two)]).unwrap();
    assert_eq!((family.options().ttl, other.options().ttl), (1000, 2000));
    assert_eq!(setup.written_options().column_family("other").unwrap().ttl, 2000);
    // What comes later in a list builds on what came before.
    let more: &[(&str, &str)] = &[("write_buffer_size", "3M")];
    setup.db.set_options_of_families(&[(&family, two), (&family, more)]).unwrap();
    assert_eq!((family.options().ttl, family.options().write_buffer_size), (2000, 3 << 20));
}

#[test]
fn an_options_file_that_cannot_be_written_is_reported() {
    let setup = Setup::with_family("");
    setup.refuse_options_files();
    let family = setup.family("default");
    let status = setup.db.set_options(&family, &[("ttl", "1000")]).unwrap_err();
    assert_eq!(status.code(), Code::IoError, "{status}");
    assert_eq!(family.options().ttl, 1000, "it is set nevertheless");
    setup.fs.plan().clear();
    setup.put("default", "key", 1);
    setup.set("ttl", "2000");
    assert_eq!(setup.written_options().column_family("default").unwrap().ttl, 2000);
}

#[test]
fn databases_and_families_that_are_over_refuse() {
    let setup = Setup::new("", &[("default", ""), ("other", "")]);
    let (family, other) = (setup.family("default"), setup.family("other"));
    setup.db.drop_column_family(&other).unwrap();
    let change: &[(&str, &str)] = &[("ttl", "1000")];
    let dropped = setup.db.set_options_of_families(&[(&family, change), (&other, change)]);
    assert_eq!(dropped.unwrap_err().code(), Code::ColumnFamilyDropped);
    assert_ne!(family.options().ttl, 1000);
    let context = OpenContext { file_system: setup.fs.clone(), ..OpenContext::default() };
    let descriptors = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let read_only =
        Db::open_for_read_only(&DbOptions::default(), Path::new("/db"), &descriptors, &context)
            .unwrap();
    let refused = read_only.set_options(&family, change).unwrap_err();
    assert_eq!(refused.code(), Code::NotSupported);
    setup.db.inner.close().unwrap();
    let closed = setup.db.set_options(&family, change).unwrap_err();
    assert_eq!(closed.code(), Code::ShutdownInProgress);
    let closed = setup.db.set_db_options(&[("max_background_jobs", "7")]).unwrap_err();
    assert_eq!(closed.code(), Code::ShutdownInProgress);
}

#[test]
fn a_database_closes_while_options_change() {
    for round in 0..20 {
        let setup = Setup::with_family("");
        thread::scope(|scope| {
            let changer = scope.spawn(|| {
                for size in 1_u64.. {
                    let size = size.to_string();
                    let result = match size.len() % 2 {
                        0 => setup.db.set_db_options(&[("max_total_wal_size", &size)]),
                        _ => setup
                            .db
                            .set_options(&setup.family("default"), &[("min_blob_size", &size)]),
                    };
                    if let Err(status) = result {
                        return status;
                    }
                }
                unreachable!("it is closed long before")
            });
            thread::sleep(Duration::from_micros(round * 100));
            setup.db.inner.close().unwrap();
            let status = changer.join().unwrap();
            assert_eq!(status.code(), Code::ShutdownInProgress, "{status}");
        });
        assert_eq!(setup.writing().pool.running(env::thread_pool::Priority::Bottom), 0);
    }
}

#[test]
fn what_is_not_honoured_is_said_when_it_is_set() {
    let setup = Setup::with_family("");
    let family = setup.family("default");
    let all = ColumnFamilyOptions::infos();
    let accepted = all.filter(|info| info.mutable && !info.honoured && info.type_name() == "bool");
    for info in accepted {
        let said = setup.db.set_options(&family, &[(info.name, "true")]).unwrap();
        assert_eq!(said[0].remark, Remark::NotHonoured, "{said:?}");
        assert!(setup.log().contains(&format!("{}=true: accepted", info.name)));
    }
}

#[test]
fn a_stopped_writer_goes_on_when_the_trigger_is_raised() {
    let setup = Setup::with_family(
        "disable_auto_compactions=true;level0_file_num_compaction_trigger=2;\
         level0_slowdown_writes_trigger=2;level0_stop_writes_trigger=2",
    );
    (0..2).for_each(|_| setup.put_and_flush());
    let (family, no_slowdown) =
        (setup.family("default"), WriteOptions { no_slowdown: true, ..WriteOptions::default() });
    setup.db.put(&no_slowdown, &family, b"key", b"").unwrap();
    // Nothing compacts them, and writes have to wait for that.
    setup.db.pause_background_work().unwrap();
    setup.set("disable_auto_compactions", "false");
    let status = setup.db.put(&no_slowdown, &family, b"key", b"").unwrap_err();
    assert_eq!(status.code(), Code::Incomplete);
    thread::scope(|scope| {
        let writer = scope.spawn(|| setup.put("default", "waits", 1));
        thread::sleep(Duration::from_millis(20));
        assert!(!writer.is_finished());
        let triggers =
            [("level0_slowdown_writes_trigger", "20"), ("level0_stop_writes_trigger", "36")];
        setup.db.set_options(&family, &triggers).unwrap();
        writer.join().unwrap();
    });
    setup.db.put(&no_slowdown, &family, b"key", b"").unwrap();
    setup.db.continue_background_work().unwrap();
}

#[test]
fn compactions_that_are_due_begin_when_they_are_turned_on() {
    let setup = Setup::with_family("disable_auto_compactions=true");
    (0..4).for_each(|_| setup.put_and_flush());
    setup.settle();
    assert_eq!(setup.levels(), [0; 4]);
    setup.set("disable_auto_compactions", "false");
    setup.settle();
    assert_eq!(setup.levels(), [6]);
}

#[test]
fn a_memtable_is_full_by_the_buffer_size_that_is_set() {
    let setup = Setup::with_family("write_buffer_size=64M;arena_block_size=4K");
    (0..300).for_each(|index| setup.put("default", &format!("{index}"), 1000));
    setup.settle();
    assert_eq!(setup.levels(), [0; 0]);
    setup.set("write_buffer_size", "64K");
    setup.put("default", "is in the full one", 1);
    setup.put("default", "changes it", 1);
    setup.settle();
    assert_eq!(setup.levels(), [0]);
}

#[test]
fn another_prefix_extractor_hides_no_keys() {
    let setup = Setup::with_family(
        "prefix_extractor=fixed:6;disable_auto_compactions=true;\
         block_based_table_factory={filter_policy=bloomfilter:10:false;whole_key_filtering=false}",
    );
    let keys = ["abc100", "abc200", "abd100"];
    keys.iter().for_each(|key| setup.put("default", key, 1));
    setup.flush();
    let family = setup.family("default");
    let seek = |target: &[u8], same: bool| {
        let options = ReadOptions { prefix_same_as_start: same, ..ReadOptions::default() };
        let mut iterator = setup.db.new_iterator(&options, &family).unwrap();
        iterator.seek(target);
        let found = iterator.valid().then(|| String::from_utf8(iterator.key().to_vec()).unwrap());
        iterator.status().unwrap();
        found
    };
    assert_eq!(seek(b"abc1500", true), None, "the filter of six letters says so");
    let old_options = ReadOptions::default();
    let mut old = setup.db.new_iterator(&old_options, &family).unwrap();
    for extractor in ["fixed:3", "nullptr", "capped:4", "fixed:6"] {
        setup.set("prefix_extractor", extractor);
        let expected = if extractor == "fixed:6" { None } else { Some("abc200") };
        assert_eq!(seek(b"abc150", false).as_deref(), expected, "{extractor}");
        for key in keys {
            assert_eq!(seek(key.as_bytes(), true).as_deref(), Some(key), "{extractor}");
            let found = setup.db.get(&ReadOptions::default(), &family, key.as_bytes()).unwrap();
            assert!(found.is_some(), "{extractor}: {key}");
        }
    }
    old.seek(b"abc100");
    assert!(old.valid(), "a scan goes on by the options that it began with");
}

#[test]
fn operands_are_merged_at_write_as_soon_as_that_is_set() {
    let setup = Setup::with_family("merge_operator=stringappend;disable_auto_compactions=true");
    let family = setup.family("default");
    let merge = || setup.db.merge(&WriteOptions::default(), &family, b"k", b"v").unwrap();
    let newest = || {
        let mut entries = setup.db.new_internal_iterator(&family);
        entries.seek_to_first().unwrap();
        base::ParsedInternalKey::parse(entries.key()).unwrap().value_type
    };
    (0..3).for_each(|_| merge());
    assert_eq!(newest(), ValueType::Merge);
    setup.set("max_successive_merges", "2");
    merge();
    assert_eq!(newest(), ValueType::Value);
    // With the base in a file it takes the strict form to read that.
    setup.flush();
    setup.put("default", "another", 1);
    for (strict, expected) in [("false", ValueType::Merge), ("true", ValueType::Value)] {
        setup.set("strict_max_successive_merges", strict);
        setup.db.inner.families.load()[0].tables.cache.set_capacity(1);
        (0..3).for_each(|_| merge());
        assert!(expected == ValueType::Merge || newest() == expected, "{strict}");
    }
}

#[test]
fn files_grow_old_by_the_times_that_are_set() {
    let setup = Setup::with_family("ttl=0;periodic_compaction_seconds=0");
    setup.put("default", "key", 1);
    setup.flush();
    let number = || setup.db.live_files()[0].number;
    let first = number();
    setup.advance_secs(10_000);
    assert_eq!(number(), first);
    setup.set("periodic_compaction_seconds", "5000");
    setup.settle();
    assert_ne!(number(), first, "it is old by the new time");
    let second = number();
    setup.set("periodic_compaction_seconds", "0");
    setup.advance_secs(10_000);
    assert_eq!(number(), second);
}

#[test]
fn a_fifo_tree_drops_files_by_the_ttl_that_is_set() {
    let setup = Setup::with_family("compaction_style=kCompactionStyleFIFO;ttl=100000");
    setup.put("default", "key", 1);
    setup.flush();
    setup.advance_secs(1000);
    assert_eq!(setup.levels().len(), 1);
    setup.set("ttl", "500");
    setup.settle();
    assert_eq!(setup.levels().len(), 0);
    // A shorter time is looked after more often.
    assert!(setup.writing().periodic_work.period_secs(PeriodicTask::TriggerCompaction) <= 100);
}

#[test]
fn files_have_the_temperatures_that_are_set() {
    let setup = Setup::with_family("");
    setup.set("default_write_temperature", "kWarm");
    setup.set("last_level_temperature", "kCold");
    setup.put_and_flush();
    let temperature = || setup.db.live_files()[0].temperature.0;
    assert_eq!(temperature(), options::Temperature::Warm as u8);
    setup.put_and_flush();
    setup.db.compact_range(&Default::default(), &setup.family("default"), None, None).unwrap();
    assert_eq!(temperature(), options::Temperature::Cold as u8);
}

#[test]
fn times_of_writes_are_kept_from_when_that_is_set() {
    let setup = Setup::with_family("");
    setup.put("default", "key", 1);
    assert!(setup.writing().sequence_times.lock().is_empty());
    setup.set("preserve_internal_time_seconds", "1000");
    assert!(!setup.writing().sequence_times.lock().is_empty());
    setup.flush();
    let period = |task| setup.writing().periodic_work.period_secs(task);
    assert_eq!(period(PeriodicTask::SampleSequenceTimes), 10);
}

#[test]
fn tables_are_built_by_the_options_that_are_set() {
    let setup = Setup::with_family("");
    let family = setup.family("default");
    let verifies = || {
        let (data, options) = (&family.0, family.options());
        setup.db.inner.table_builder_options(setup.writing(), data, &options).verify_compression
    };
    assert!(!verifies());
    setup.set("block_based_table_factory", "{verify_compression=true}");
    assert!(verifies());
    setup.set("table_factory.verify_compression", "false");
    assert!(!verifies());
}

#[test]
fn another_block_cache_takes_the_place_of_the_one_that_is_there() {
    let setup = Setup::with_family("block_based_table_factory={block_cache={capacity=1M}}");
    let family = setup.family("default");
    let cache = || family.0.tables.options.load().block_cache.clone();
    let capacity = || setup.db.property(&family, "rocksdb.block-cache-capacity");
    let first = cache().unwrap();
    setup.set("block_based_table_factory", "{block_size=8K}");
    assert!(Arc::ptr_eq(&first, &cache().unwrap()), "what is not changed stays");
    setup.put("default", "key", 100);
    setup.flush();
    setup.set("block_based_table_factory", "{block_cache={capacity=2M;low_pri_pool_ratio=0.2}}");
    assert_eq!(capacity().as_deref(), Some("2097152"));
    let found = setup.db.get(&ReadOptions::default(), &family, b"key").unwrap();
    assert_eq!(found.map(|value| value.len()), Some(100));
    setup.set("block_based_table_factory", "{no_block_cache=true}");
    assert!(cache().is_none());
}
