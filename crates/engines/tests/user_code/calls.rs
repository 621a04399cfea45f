//! How often a program's code is called in both engines for the same work.

use super::{Subject, ours, theirs};

/// How often more than RocksDB keys are compared, at most; with fewer calls than a few hundred chance
/// decides.
const COMPARES_MAX: f64 = 1.2;
/// The same in memtables, where RocksDB's own count is another in each process, by the heights that its nodes
/// happen to get: 77,000 to 97,000 in the same stage.
const COMPARES_IN_MEMORY_MAX: f64 = 1.5;
const FEW: u64 = 500;

const KEYS: u64 = 4_000;

/// A stage of the work, and how often keys were compared and the extractor asked in it.
type Stage = (&'static str, u64, u64);

/// Assertions of builds for tests compare each key that goes into a table once more.
fn asserted(stage: &str) -> u64 {
    match stage {
        _ if !cfg!(debug_assertions) => 0,
        "flush of those" | "flush" | "flush again" => KEYS,
        "compaction" => 2 * KEYS,
        _ => 0,
    }
}

fn key(number: u64) -> Vec<u8> {
    format!("{:02}{:04}", number % 50, number * 7919 % KEYS).into_bytes()
}

/// A key that is not there, with the prefix of others.
fn missing(number: u64) -> Vec<u8> {
    format!("{:02}{:04}", (number + 1) % 50, number * 7919 % KEYS).into_bytes()
}

/// Numbers of keys in an order that only looks like chance.
fn shuffled(seed: u64) -> impl Iterator<Item = u64> {
    (0..KEYS).map(move |index| (index * 2_654_435_761 + seed * 97) % KEYS)
}

fn work(subject: &dyn Subject) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut stage = |name, act: &dyn Fn()| {
        let before = subject.calls();
        act();
        let after = subject.calls();
        stages.push((name, after.0 - before.0, after.1 - before.1));
    };
    let put = |number| subject.put(&key(number), b"value");
    let get = |seed| assert!(shuffled(seed).all(|number| subject.get(&key(number))));
    let misses = || assert!(!shuffled(4).any(|number| subject.get(&missing(number))));
    let prefixes = || (0..500).for_each(|number| drop(subject.scan_prefix(&key(number))));
    stage("puts in order", &|| {
        (0..KEYS).for_each(|number| subject.put(&number.to_be_bytes(), b""));
    });
    stage("flush of those", &|| subject.flush());
    stage("puts at random", &|| shuffled(1).for_each(put));
    stage("gets from memory", &|| get(2));
    stage("misses in memory", &misses);
    stage("scan of memory", &|| drop(subject.scan(false)));
    stage("prefixes in memory", &prefixes);
    stage("flush", &|| subject.flush());
    stage("puts again", &|| shuffled(3).for_each(put));
    stage("flush again", &|| subject.flush());
    stage("gets from level 0", &|| get(4));
    stage("misses in level 0", &misses);
    stage("scan of level 0", &|| drop(subject.scan(false)));
    stage("scan of level 0 backwards", &|| drop(subject.scan(true)));
    stage("prefixes in level 0", &prefixes);
    stage("compaction", &|| subject.compact());
    stage("gets from a level", &|| get(5));
    stage("misses in a level", &misses);
    stage("scan of a level", &|| drop(subject.scan(false)));
    stage("scan of a level backwards", &|| drop(subject.scan(true)));
    stage("prefixes in a level", &prefixes);
    stages
}

/// Does the work in both, and compares how often the code was called: the prefix extractor at most
/// `prefixes_max` times as often.
pub(crate) fn compare_calls_with(release: &str, prefixes_max: f64) {
    let libraries = testing::judges::library_files();
    let Some((_, library)) = libraries.iter().find(|(found, _)| *found == release) else {
        // Not installed, which whoever lists them has said.
        return;
    };
    let library = librocksdb::Library::load(library).unwrap();
    let root = tempfile::tempdir().unwrap();
    let (theirs, _) = theirs::with_database(&library, &root.path().join("theirs"), false, work);
    let (ours, _) = ours::with_database(&root.path().join("ours"), false, work);
    let ratio = |ours: u64, theirs: u64| ours as f64 / theirs.max(1) as f64;
    let is_too_much = |ours, theirs, max| ours > theirs + FEW && ratio(ours, theirs) > max;
    let mut too_much = Vec::new();
    for ((name, compares, prefixes), (_, their_compares, their_prefixes)) in
        ours.iter().zip(&theirs)
    {
        let compares = &(compares - asserted(name));
        let line = format!(
            "{name}: compared {compares}, RocksDB {their_compares} ({:.2}); extractor {prefixes}, \
             RocksDB {their_prefixes} ({:.2})",
            ratio(*compares, *their_compares),
            ratio(*prefixes, *their_prefixes)
        );
        println!("{line}");
        let compares_max = match name.contains("memory") || name.starts_with("puts") {
            true => COMPARES_IN_MEMORY_MAX,
            false => COMPARES_MAX,
        };
        if is_too_much(*compares, *their_compares, compares_max)
            || is_too_much(*prefixes, *their_prefixes, prefixes_max)
        {
            too_much.push(line);
        }
    }
    assert!(too_much.is_empty(), "{too_much:#?}");
}
