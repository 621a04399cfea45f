//! What seeks to the front of a table take whose first half was consumed: deleted key by key, in order.
//!
//! `cargo bench -p touchstone-db --bench queue_front` prints the first seek and the median of those that follow,
//! with the deletions in the memtable, flushed, and after reopening, and of a table of as many keys without any:
//! where the first seek goes over the deletions, and where the background has done so (`deletion_pass_trigger`).
//! What follows is measured in turn with the clean table, in rounds, and printed as times of it as well.
//! Exits with 1 where seeks that follow take more than three times those of the clean table, in the median of the
//! three tables of each place. `-- KEYS` does so with so many keys instead of two million; `-- KEYS counts` also
//! what the first seeks passed; `-- KEYS max=TIMES` has another bound than three.

use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, Db, DbIterator, FlushOptions, OpenContext,
    ReadOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use perf_context::{PerfLevel, PerfMetric, perf_context, reset_perf_context, set_perf_level};
use std::fmt;
use std::hint::black_box;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

const FAMILY: &str = "write_buffer_size=1G;disable_auto_compactions=true;\
    target_file_size_base=64M;compression=kNoCompression;\
    table_factory.filter_policy=bloomfilter:10;table_factory.block_cache=2G";
/// Seeks of a round.
const FOLLOWING: u64 = 1000;
const ROUNDS: usize = 9;
/// Times of a clean table that seeks may take, unless another bound is given.
const RATIO_MAX: f64 = 3.0;
/// A processor that was idle is slow at first.
const WAKING: Duration = Duration::from_millis(20);

fn key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

fn open(directory: &Path, trigger: &str) -> (Db, ColumnFamilyHandle) {
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let text = format!("{FAMILY};deletion_pass_trigger={trigger}");
    let family_options = ColumnFamilyOptions::from_string(&text).expect("options");
    let families = [ColumnFamilyDescriptor::new("default", family_options)];
    let db = Db::open(&options, directory, &families, &OpenContext::default()).expect("open");
    let family = db.column_family("default").expect("a family");
    (db, family)
}

fn fill(db: &Db, family: &ColumnFamilyHandle, keys: u64) {
    let options = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    for number in 0..keys {
        db.put(&options, family, &key(number), &[b'v'; 100]).expect("a write");
    }
    db.flush(&FlushOptions::default(), &[family]).expect("a flush");
}

fn consume(db: &Db, family: &ColumnFamilyHandle, keys: u64) {
    let options = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    for number in 0..keys {
        db.delete(&options, family, &key(number)).expect("a deletion");
    }
}

#[inline(never)]
fn seek_to_front(iterator: &mut DbIterator) {
    iterator.seek_to_first();
    black_box(iterator.value().len());
}

/// How a front is sought.
#[derive(Clone, Copy)]
enum Way {
    /// By an iterator that stays.
    Again,
    /// By an iterator that is made for each.
    Anew,
    /// Anywhere in what was consumed, by an iterator that stays.
    Within,
}

impl Way {
    const ALL: [Self; 3] = [Self::Again, Self::Anew, Self::Within];
}

/// An open table, of so many keys.
struct Table<'a> {
    db: &'a Db,
    family: &'a ColumnFamilyHandle,
    keys: u64,
}

impl Table<'_> {
    fn iterator(&self) -> DbIterator {
        self.db.new_iterator(&ReadOptions::default(), self.family).expect("an iterator")
    }

    /// Prints what the first seek takes, and those that follow, in each way, beside those of a clean table.
    ///
    /// How many times those of a clean table seeks take by the same iterator, and by new ones.
    fn measure(&self, name: &str, clean: &Table<'_>, prints_counts: bool) -> [f64; 2] {
        let mut iterator = self.iterator();
        if prints_counts {
            set_perf_level(PerfLevel::EnableCount);
            reset_perf_context();
        }
        let first = micros(timed(|| seek_to_front(&mut iterator)));
        if prints_counts {
            set_perf_level(PerfLevel::Disable);
            let [deletions, hidden] =
                [PerfMetric::InternalDeleteSkippedCount, PerfMetric::InternalKeySkippedCount]
                    .map(|metric| perf_context().get(metric));
            println!("{name:<12} passed {deletions} deletions and {hidden} hidden entries");
        }
        let [again, anew, within] = Way::ALL.map(|way| self.following(&mut iterator, clean, way));
        println!(
            "{name:<12} first {first:>10.1} us, then {again}, anew {anew}, within {:.2} us",
            within.own
        );
        [again.ratio, anew.ratio]
    }

    /// What seeks take in this table and in a clean one, in turn.
    fn following(&self, iterator: &mut DbIterator, clean: &Table<'_>, way: Way) -> Following {
        let mut clean_iterator = clean.iterator();
        let rounds: Vec<[f64; 2]> = (0..ROUNDS)
            .map(|_| [self.round(iterator, way), clean.round(&mut clean_iterator, way)])
            .collect();
        Following {
            own: median(rounds.iter().map(|[own, _]| *own)),
            ratio: median(rounds.iter().map(|[own, clean]| own / clean)),
        }
    }

    /// The median of so many seeks.
    fn round(&self, iterator: &mut DbIterator, way: Way) -> f64 {
        median((0..FOLLOWING).map(|number| {
            micros(match way {
                Way::Again => timed(|| seek_to_front(iterator)),
                Way::Anew => timed(|| seek_to_front(&mut self.iterator())),
                Way::Within => {
                    let target = key(number * 0x9e37_79b9 % (self.keys / 2));
                    timed(|| {
                        iterator.seek(&target);
                        black_box(iterator.value().len());
                    })
                }
            })
        }))
    }
}

/// Microseconds of a seek, and how many times those of a clean table that is.
struct Following {
    own: f64,
    ratio: f64,
}

impl fmt::Display for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} us ({:.1}x)", self.own, self.ratio)
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn timed(seek: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    seek();
    begun.elapsed()
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}

/// Gives the background time, and then the processor some to get up to its speed.
fn rest(pause: Duration) {
    sleep(pause);
    let awake = Instant::now();
    while !pause.is_zero() && awake.elapsed() < WAKING {
        std::hint::spin_loop();
    }
}

/// Measures tables whose first half is consumed.
struct Consumed<'a> {
    clean: Table<'a>,
    prints_counts: bool,
}

impl Consumed<'_> {
    /// In the memtable, flushed and after opening anew: each time after a `pause`, in which the background may go
    /// over the deletions. What [`Table::measure`] gives of each.
    fn measure(&self, trigger: &str, pause: Duration) -> [[f64; 2]; 3] {
        let &Self { clean: Table { keys, .. }, prints_counts } = self;
        let directory = tempfile::tempdir().expect("a directory");
        let (db, family) = open(directory.path(), trigger);
        fill(&db, &family, keys);
        consume(&db, &family, keys / 2);
        rest(pause);
        let table = Table { db: &db, family: &family, keys };
        let memtable = table.measure("memtable", &self.clean, prints_counts);
        db.flush(&FlushOptions::default(), &[&family]).expect("a flush");
        rest(pause);
        let flushed = table.measure("flushed", &self.clean, prints_counts);
        drop(family);
        db.close().expect("closed");
        let (db, family) = open(directory.path(), trigger);
        rest(pause);
        let table = Table { db: &db, family: &family, keys };
        [memtable, flushed, table.measure("reopened", &self.clean, prints_counts)]
    }
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let bound = arguments.iter().find_map(|it| it.strip_prefix("max="));
    let ratio_max = bound.map_or(RATIO_MAX, |times| times.parse().expect("a number"));
    let keys = arguments.iter().find(|it| it.starts_with(|first: char| first.is_ascii_digit()));
    let keys = keys.map_or(2_000_000, |keys| keys.parse().expect("a number"));
    let prints_counts = arguments.iter().any(|it| it == "counts");
    let directory = tempfile::tempdir().expect("a directory");
    let (db, family) = open(directory.path(), "0");
    fill(&db, &family, keys);
    let clean = Table { db: &db, family: &family, keys };
    clean.measure("clean", &clean, prints_counts);
    let consumed = Consumed { clean, prints_counts };
    println!("nobody goes over deletions before the first seek:");
    let nobody = consumed.measure("0", Duration::ZERO);
    println!("the background does, and has no time for it:");
    let late = consumed.measure("4096", Duration::ZERO);
    println!("the background does, and has a second for it:");
    let in_time = consumed.measure("4096", Duration::from_secs(1));
    if !are_near(&[nobody, late, in_time], ratio_max) {
        std::process::exit(1);
    }
}

/// Whether seeks in each place, by each way, are within `ratio_max` in the median of the three tables.
fn are_near(tables: &[[[f64; 2]; 3]; 3], ratio_max: f64) -> bool {
    let mut is_near = true;
    for (place, name) in ["memtable", "flushed", "reopened"].into_iter().enumerate() {
        for (way, by) in ["again", "anew"].into_iter().enumerate() {
            let ratio = median(tables.iter().map(|table| table[place][way]));
            if ratio > ratio_max {
                println!("{name}, {by}: {ratio:.2} times a clean table's, over {ratio_max}");
                is_near = false;
            }
        }
    }
    is_near
}
