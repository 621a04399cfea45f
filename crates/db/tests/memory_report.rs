//! `touchstone.memory` tells what the process really grows by: each shape in a process of its own.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use cache::{Cache, LruCache, LruCacheOptions};
use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, Db, FlushOptions, OpenContext, ReadOptions,
    WriteBufferManager, WriteOptions,
};
use env::FileOptions;
use options::{Budget, ColumnFamilyOptions, ConfigOptions, DbOptions, WorkloadProfile};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use testing::scratch;
use testing::wait;

/// Set in the process that has one shape.
const IS_CHILD: &str = "TOUCHSTONE_MEMORY_REPORT_CHILD";
/// By so much of the growth the sum may differ.
const TOLERANCE: f64 = 0.10;
const MB: u64 = 1 << 20;

/// Bytes of memory that the process has in use.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

fn open(path: &Path, family: &str) -> Db {
    let mut family_options = ColumnFamilyOptions::default();
    family_options.apply_string(family, &ConfigOptions::default()).unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", family_options)];
    Db::open(&options, path, &families, &OpenContext::default()).unwrap()
}

fn default_family(db: &Db) -> ColumnFamilyHandle {
    db.column_family("default").unwrap()
}

fn part(db: &Db, name: &str) -> u64 {
    let map = db.map_property(&default_family(db), "touchstone.memory").unwrap();
    map[name].parse().unwrap()
}

/// Values that no codec makes smaller.
fn value(index: u64, length: usize) -> Vec<u8> {
    let mut state = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn fill(db: &Db, first: u64, count: u64, length: usize) {
    let (family, options) =
        (default_family(db), WriteOptions { disable_wal: true, ..WriteOptions::default() });
    for index in first..first + count {
        db.put(&options, &family, format!("key{index:012}").as_bytes(), &value(index, length))
            .unwrap();
    }
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn scan(db: &Db) {
    let mut entries = db.new_iterator(&ReadOptions::default(), &default_family(db)).unwrap();
    entries.seek_to_first();
    while entries.valid() {
        entries.next();
    }
    entries.status().unwrap();
}

/// Has the program itself in memory, and what threads need.
fn warm_up() {
    let directory = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let db = open(directory.path(), "");
        fill(&db, 0, 1000, 100);
        flush(&db);
        scan(&db);
        part(&db, "total");
        db.get(&ReadOptions::default(), &default_family(&db), b"key").unwrap();
    }
}

/// Runs `shape`, which opens a database in a directory it is given, in a process of its own. The
/// sum must be what that grows by, and most of what is in use of the part `main`.
fn check(test: &str, main: &str, prepare: impl FnOnce(&Path), shape: impl FnOnce(&Path) -> Db) {
    let Some(directory) = in_own_process(test, prepare) else { return };
    warm_up();
    let before = resident_bytes();
    let db = shape(Path::new(&directory));
    let grown = resident_bytes().saturating_sub(before);
    let (total, of_main) = (part(&db, "total"), part(&db, main));
    let in_use = total - part(&db, "allocator-idle") - part(&db, "block-memory-idle");
    let report = db.property(&default_family(&db), "touchstone.memory").unwrap();
    let text = format!("grown by {grown}, told {total}:\n{report}");
    println!("{text}");
    assert!(total.abs_diff(grown) as f64 <= TOLERANCE * grown as f64, "{text}");
    assert!(of_main * 10 > in_use * 8, "{text}");
}

#[test]
fn memtables_that_are_large() {
    let family = "write_buffer_size=1G;max_write_buffer_number=4";
    check(
        "memtables_that_are_large",
        "memtables",
        |_| {},
        |path| {
            let db = open(path, family);
            fill(&db, 0, 600_000, 200);
            assert!(part(&db, "memtables") > 100 * MB);
            db
        },
    );
}

/// The directory to use, in a process that has nothing else to do; none in the one that runs the tests,
/// which prepares the directory and looks at the other one's result.
fn in_own_process(test: &str, prepare: impl FnOnce(&Path)) -> Option<OsString> {
    if let Some(directory) = std::env::var_os(IS_CHILD) {
        return Some(directory);
    }
    let directory = tempfile::tempdir().unwrap();
    prepare(directory.path());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(IS_CHILD, directory.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    None
}

/// One capacity, which can be changed at any time, for memtables, blocks, indexes, filters and what is
/// known of files: the process takes a third more at most, which is what the allocator adds and what jobs hold.
#[test]
fn the_capacity_of_one_cache_bounds_the_whole() {
    const CAPACITY: usize = 64 << 20;
    let test = "the_capacity_of_one_cache_bounds_the_whole";
    let Some(directory) = in_own_process(test, |_| {}) else { return };
    warm_up();
    let before = resident_bytes();
    reset_peak();
    let cache: Arc<dyn Cache> =
        Arc::new(LruCache::new(&LruCacheOptions::with_capacity(CAPACITY)).unwrap());
    let memtables = WriteBufferManager::new(CAPACITY / 4).with_cache(cache.clone());
    let context = OpenContext {
        block_cache: Some(cache.clone()),
        write_buffer_manager: Some(Arc::new(memtables.with_allow_stall(true))),
        ..OpenContext::default()
    };
    let mut family = ColumnFamilyOptions::default();
    let text = "compression=kNoCompression;block_based_table_factory={filter_policy=bloomfilter:10;\
                cache_index_and_filter_blocks=true;cache_usage_options={file_metadata=kEnabled;\
                block_based_table_reader=kEnabled;filter_construction=kEnabled}}";
    family.apply_string(text, &ConfigOptions::default()).unwrap();
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", family)];
    let db = Db::open(&options, Path::new(&directory), &families, &context).unwrap();
    load(&db, 24 * MB);
    let grown = peak_bytes().saturating_sub(before);
    let report = db.property(&default_family(&db), "touchstone.memory").unwrap();
    println!("grown by {} MB of {} MB\n{report}", grown / MB, CAPACITY as u64 / MB);
    // All that was written is more than that.
    assert!(grown > 48 * MB && grown <= 85 * MB, "grown by {grown}\n{report}");
    cache.set_capacity(CAPACITY / 4);
    // The charge of the memtable stays.
    let usage = cache.usage_bytes() - cache.pinned_usage_bytes();
    assert!(usage <= CAPACITY / 4, "{usage} in use");
}

/// What memtables took goes back to the system soon after the last of them is flushed, whatever the
/// allocator keeps. While they follow each other it is kept, and told.
#[test]
fn memtables_leave_nothing_when_writes_end() {
    let test = "memtables_leave_nothing_when_writes_end";
    let Some(directory) = in_own_process(test, |_| {}) else { return };
    warm_up();
    let before = resident_bytes();
    let family = "write_buffer_size=32M;compression=kNoCompression;disable_auto_compactions=true";
    let db = open(Path::new(&directory), family);
    for (name, length) in [("small records", 100), ("large ones", 5000)] {
        // Two memtables, and a part of one.
        fill(&db, 0, 80 * MB / (length + 45), length as usize);
        let full = resident_bytes().saturating_sub(before);
        assert!(full > 32 * MB, "{name}: grown by {full} while there were memtables");
        flush(&db);
        let left = || resident_bytes().saturating_sub(before);
        wait::is_so_within(Duration::from_secs(30), || left() < 12 * MB);
        let left = left();
        let text = db.property(&default_family(&db), "touchstone.memory").unwrap();
        println!("{name}: {full} while there were memtables, {left} left\n{text}");
        assert!(left < 12 * MB, "{name}: {left} left of {full}\n{text}");
    }
}

/// Whether memory of this process is brought together in huge pages when it stays.
fn is_joined() -> bool {
    let memory = vec![1_u8; 64 << 20];
    env::huge_pages::begin_lasting(memory.as_ptr(), memory.len());
    let joined = || env::huge_pages::joined_bytes() > memory.len() / 2;
    let is_joined = wait::is_so_within(Duration::from_secs(20), joined);
    env::huge_pages::end_lasting(memory.as_ptr(), memory.len());
    is_joined
}

#[test]
fn what_memtables_leave_to_others_comes_to_huge_pages() {
    let test = "what_memtables_leave_to_others_comes_to_huge_pages";
    let Some(directory) = in_own_process(test, |_| {}) else { return };
    if !is_joined() {
        println!("skipped: no huge pages here, or none for the asking");
        return;
    }
    let family = "write_buffer_size=32M;compression=kNoCompression;disable_auto_compactions=true";
    let db = open(Path::new(&directory), family);
    let huge = wait::is_so_within(Duration::from_secs(60), || {
        fill(&db, 0, 20_000, 1000);
        part(&db, "huge-pages") >= 16 * MB
    });
    assert!(huge, "{}", db.property(&default_family(&db), "touchstone.memory").unwrap());
    drop(db);
    let gone = || env::huge_pages::joined_bytes() == 0;
    assert!(
        wait::is_so_within(Duration::from_secs(10), gone),
        "{} bytes",
        env::huge_pages::joined_bytes()
    );
}

#[test]
fn a_block_cache_that_is_full() {
    let family = "write_buffer_size=16M;compression=kNoCompression;\
                  block_based_table_factory={block_cache=160M;block_size=8192}";
    let prepare = |path: &Path| {
        let db = open(path, family);
        for round in 0..20 {
            fill(&db, round * 10_000, 10_000, 1000);
            flush(&db);
        }
    };
    check("a_block_cache_that_is_full", "block-cache", prepare, |path| {
        let db = open(path, family);
        scan(&db);
        assert!(part(&db, "block-cache") > 140 * MB);
        db
    });
}

/// Blocks of different sizes come and go while memtables are filled and tables written: what the
/// allocator keeps meanwhile is a part, too.
#[test]
fn a_block_cache_whose_blocks_come_and_go() {
    let family = "write_buffer_size=8M;compression=kNoCompression;\
                  block_based_table_factory={block_cache=160M;block_size=4096}";
    let prepare = |path: &Path| {
        let db = open(path, family);
        for round in 0..20 {
            fill(&db, round * 20_000, 20_000, 600);
            flush(&db);
        }
    };
    check("a_block_cache_whose_blocks_come_and_go", "block-cache", prepare, |path| {
        let db = open(path, family);
        for round in 0..20 {
            scan(&db);
            // Values of another length, spread over the keys.
            fill(&db, round * 17_321, 5000, 100 + 90 * round as usize);
            flush(&db);
            for read in 0..50_000_u64 {
                let key = format!("key{:012}", read.wrapping_mul(0x9e37_79b1) % 400_000);
                db.get(&ReadOptions::default(), &default_family(&db), key.as_bytes()).unwrap();
            }
        }
        assert!(part(&db, "block-cache") > 140 * MB);
        db
    });
}

/// Blocks that one thread reads push out those of another, whose memory they take: allocators with an arena for
/// each thread would get as much again.
#[test]
fn blocks_of_one_thread_leave_their_memory_to_those_of_another() {
    const COUNT: u64 = 640_000;
    let test = "blocks_of_one_thread_leave_their_memory_to_those_of_another";
    let family = "write_buffer_size=16M;compression=kNoCompression;disable_auto_compactions=true;\
                  block_based_table_factory={block_cache=64M}";
    let prepare = |path: &Path| {
        let db = open(path, family);
        fill(&db, 0, COUNT, 200);
        flush(&db);
    };
    let Some(directory) = in_own_process(test, prepare) else { return };
    warm_up();
    let db = open(Path::new(&directory), family);
    let grown_by_reading = |half: u64| {
        let before = resident_bytes();
        for index in (half * COUNT / 2..(half + 1) * COUNT / 2).step_by(8) {
            let key = format!("key{index:012}");
            db.get(&ReadOptions::default(), &default_family(&db), key.as_bytes()).unwrap();
        }
        assert!(part(&db, "block-cache") > 60 * MB);
        resident_bytes().saturating_sub(before)
    };
    // This thread lives all the time, so that no other has its arena.
    let first = grown_by_reading(0);
    let second = std::thread::scope(|scope| scope.spawn(|| grown_by_reading(1)).join()).unwrap();
    let third = grown_by_reading(0);
    println!("grown by {first}, {second}, {third}");
    assert!(first > 60 * MB && second < 8 * MB && third < 8 * MB, "{first}, {second}, {third}");
}

#[test]
fn many_tables_that_are_open() {
    let family = "write_buffer_size=64M;compression=kNoCompression;disable_auto_compactions=true;\
                  level0_slowdown_writes_trigger=100000;level0_stop_writes_trigger=100000;\
                  block_based_table_factory={no_block_cache=true;block_size=256;\
                  filter_policy=bloomfilter:20:false}";
    let prepare = |path: &Path| {
        let db = open(path, family);
        for round in 0..300 {
            fill(&db, round * 6000, 6000, 100);
            flush(&db);
        }
    };
    check("many_tables_that_are_open", "table-readers", prepare, |path| {
        let db = open(path, family);
        for round in 0..300 {
            let key = format!("key{:012}", round * 6000 + 17);
            db.get(&ReadOptions::default(), &default_family(&db), key.as_bytes()).unwrap();
        }
        db
    });
}

/// The most memory that the process had in use since [`reset_peak`].
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

fn reset_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// Writes four times the memory, in no order, and reads keys and ranges meanwhile.
fn load(db: &Db, memory_bytes: u64) {
    const VALUE_SIZE: usize = 200;
    let keys = 4 * memory_bytes / VALUE_SIZE as u64;
    let family = default_family(db);
    let key = |number: u64| format!("key{:012}", number.wrapping_mul(0x9e37_79b1) % keys);
    let write = WriteOptions::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..keys {
                let (key, value) = (key(number), value(number, VALUE_SIZE));
                db.put(&write, &family, key.as_bytes(), &value).unwrap();
            }
        });
        for round in 0..keys / 8 {
            let key = key(round * 7919);
            db.get(&ReadOptions::default(), &family, key.as_bytes()).unwrap();
            if round % 1000 == 0 {
                let mut entries = db.new_iterator(&ReadOptions::default(), &family).unwrap();
                entries.seek(key.as_bytes());
                (0..1000).for_each(|_| {
                    if entries.valid() {
                        entries.next();
                    }
                });
            }
        }
    });
    scan(db);
}

/// Set to the profile of a budget in the process that has it.
const PROFILE: &str = "TOUCHSTONE_MEMORY_REPORT_PROFILE";

/// What a budget promises, each profile in a process of its own. How much memory can be set, in MB.
#[test]
#[ignore = "takes half a minute and more: a campaign by the command in docs/properties.md"]
fn a_process_keeps_to_its_budget() {
    keep_to_budget("a_process_keeps_to_its_budget", 64, &WorkloadProfile::ALL);
}

/// The same for one that flushes keep blocks warm for, all of which compactions replace, and which is then read by
/// another thread than those.
#[test]
fn a_process_with_a_mixed_load_keeps_to_its_budget() {
    let test = "a_process_with_a_mixed_load_keeps_to_its_budget";
    keep_to_budget(test, 128, &[WorkloadProfile::Mixed]);
}

fn keep_to_budget(test: &str, megabytes: u64, profiles: &[WorkloadProfile]) {
    let Some(directory) = std::env::var_os(IS_CHILD) else {
        let run = |profile: &WorkloadProfile| {
            let directory = tempfile::tempdir().unwrap();
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", test, "--nocapture", "--include-ignored"])
                .env(IS_CHILD, directory.path())
                .env(PROFILE, profile.name())
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            println!("{text}");
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            (!output.status.success()).then_some(text + &errors)
        };
        let exceeded: Vec<_> = profiles.iter().filter_map(run).collect();
        assert!(exceeded.is_empty(), "{}", exceeded.join("\n"));
        return;
    };
    let memory =
        std::env::var("TOUCHSTONE_BUDGET_MB").map_or(megabytes, |mb| mb.parse().unwrap()) * MB;
    let profile: WorkloadProfile = std::env::var(PROFILE).unwrap().parse().unwrap();
    warm_up();
    let before = resident_bytes();
    reset_peak();
    let options = Budget::new(memory, 2, profile).unwrap().options();
    let db_options = DbOptions { create_if_missing: true, ..options.db };
    let families = [ColumnFamilyDescriptor::new("default", options.column_family)];
    let path = Path::new(&directory);
    let db = Db::open(&db_options, path, &families, &OpenContext::default()).unwrap();
    load(&db, memory);
    let grown = peak_bytes().saturating_sub(before);
    let report = db.property(&default_family(&db), "touchstone.memory").unwrap();
    let text = format!("{profile}: grown by {} of {} MB\n{report}", grown / MB, memory / MB);
    println!("{text}");
    assert!(grown as f64 <= memory as f64 * (1.0 + TOLERANCE), "{text}");
}

/// Bytes of what this process has mapped of files in `directory`.
fn mapped_bytes(directory: &Path) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let of_directory = maps.lines().filter(|line| line.contains(directory.to_str().unwrap()));
    let ranges = of_directory.map(|line| line.split_whitespace().next().unwrap());
    let size = |range: &str| {
        let (start, end) = range.split_once('-').unwrap();
        u64::from_str_radix(end, 16).unwrap() - u64::from_str_radix(start, 16).unwrap()
    };
    ranges.map(size).sum()
}

/// Whether logs in `directory` can be mapped.
fn can_map(directory: &Path) -> bool {
    let options = FileOptions { use_mapped_writes: true, ..FileOptions::default() };
    let file = env::default_file_system().new_writable_file(&directory.join("tried"), &options);
    file.unwrap().mapped_size().is_some()
}

/// As many bytes as the process has mapped, once the thread that prepares what is mapped has come to rest.
fn mapped_as_told(db: &Db, directory: &Path) -> u64 {
    let (mut told, mut mapped) = (0, 0);
    let agree = wait::is_so_within(Duration::from_secs(60), || {
        (told, mapped) = (part(db, "mapped-files"), mapped_bytes(directory));
        told == mapped
    });
    assert!(agree, "told {told} of {mapped}");
    told
}

#[test]
fn what_is_mapped_of_logs_is_told() {
    if in_own_process("what_is_mapped_of_logs_is_told", |_| {}).is_none() {
        return;
    }
    let Some(directory) = scratch::directory("mapped logs", can_map) else { return };
    let db = open(directory.path(), "");
    let mut most = 0;
    for index in 0..10_000u32 {
        let (family, options) = (default_family(&db), WriteOptions::default());
        db.put(&options, &family, &index.to_be_bytes(), &[1; 100]).unwrap();
        if index % 200 == 0 {
            most = most.max(mapped_as_told(&db, directory.path()));
        }
    }
    println!("mapped: {most}");
    assert!(most > 0);
}
