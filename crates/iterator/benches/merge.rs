//! What a step of a merge costs, beside a step through the same entries run by run: `cargo bench -p
//! touchstone-iterator --bench merge`, with parts of names to measure those alone, and with `--short`. Everything is
//! in the nearest caches.

use base::{InternalIterator, InternalKey, InternalKeyComparator, ValueType};
use iterator::{LoserTree, MergingIterator, VecIterator};
use microbench::{Benches, prepared, scatter};
use std::hint::black_box;

/// Of all runs together.
const ENTRIES: u64 = 3072;
const VALUE: [u8; 100] = [b'v'; 100];
/// The last is more than the merging iterator looks through.
const RUN_COUNTS: [u64; 4] = [2, 6, 16, 24];

/// How the entries are spread over the runs.
#[derive(Clone, Copy)]
enum Spread {
    /// Which run has the next entry nothing tells.
    Scattered,
    /// So many in a row come from one run.
    InStretches(u64),
}

impl Spread {
    const ALL: [Self; 2] = [Self::Scattered, Self::InStretches(32)];

    fn name(self) -> String {
        match self {
            Self::Scattered => "scattered".to_owned(),
            Self::InStretches(length) => format!("{length} in a row"),
        }
    }

    fn run_of(self, entry: u64, runs: u64) -> usize {
        match self {
            Self::Scattered => scatter(entry, runs) as usize,
            Self::InStretches(length) => scatter(entry / length, runs) as usize,
        }
    }

    /// The numbers of the entries of each run.
    fn runs(self, count: u64) -> Vec<Vec<u64>> {
        let mut runs = vec![Vec::new(); count as usize];
        (0..ENTRIES).for_each(|entry| runs[self.run_of(entry, count)].push(entry));
        runs
    }
}

/// As `db_bench` makes them: a number, then zeros.
fn entry(number: u64) -> (Vec<u8>, Vec<u8>) {
    let mut user_key = [b'0'; 16];
    user_key[..8].copy_from_slice(&number.to_be_bytes());
    let key = InternalKey::new(&user_key, 7, ValueType::Value);
    (key.as_bytes().to_vec(), VALUE.to_vec())
}

fn iterators(comparator: &InternalKeyComparator, runs: &[Vec<u64>]) -> Vec<VecIterator> {
    let entries = |run: &Vec<u64>| run.iter().map(|&number| entry(number)).collect();
    runs.iter().map(|run| VecIterator::new(comparator.clone(), entries(run))).collect()
}

/// Goes over all that `iterator` has from where it is, and looks at keys.
fn step_to_end(iterator: &mut impl InternalIterator) -> u64 {
    let mut steps = 0;
    while iterator.valid() {
        black_box(iterator.key());
        iterator.next().expect("entries in memory");
        steps += 1;
    }
    steps
}

fn step_back_to_start(iterator: &mut impl InternalIterator) -> u64 {
    let mut steps = 0;
    while iterator.valid() {
        black_box(iterator.key());
        iterator.prev().expect("entries in memory");
        steps += 1;
    }
    steps
}

fn merging_iterator(benches: &Benches, spread: Spread, count: u64) {
    let comparator = InternalKeyComparator::bytewise();
    let name = |way: &str| format!("merging iterator: {way}, {count} runs {}", spread.name());
    let run_by_run = || iterators(&comparator, &spread.runs(count));
    let merged = || MergingIterator::new(comparator.clone(), run_by_run());
    let (mut forward, mut backward) = (merged(), merged());
    let (mut apart, mut apart_back) = (run_by_run(), run_by_run());
    benches.compare(
        &name("next"),
        prepared(
            ENTRIES,
            || (),
            |()| {
                forward.seek_to_first().expect("entries in memory");
                assert_eq!(step_to_end(&mut forward), ENTRIES);
            },
        ),
        "run by run",
        prepared(
            ENTRIES,
            || (),
            |()| {
                for run in &mut apart {
                    run.seek_to_first().expect("entries in memory");
                    black_box(step_to_end(run));
                }
            },
        ),
    );
    benches.compare(
        &name("prev"),
        prepared(
            ENTRIES,
            || (),
            |()| {
                backward.seek_to_last().expect("entries in memory");
                assert_eq!(step_back_to_start(&mut backward), ENTRIES);
            },
        ),
        "run by run",
        prepared(
            ENTRIES,
            || (),
            |()| {
                for run in &mut apart_back {
                    run.seek_to_last().expect("entries in memory");
                    black_box(step_back_to_start(run));
                }
            },
        ),
    );
}

/// The tree that compactions merge by, over numbers: nothing but the tournament.
fn loser_tree(benches: &Benches, spread: Spread, count: u64) {
    let mut runs = spread.runs(count);
    runs.iter_mut().for_each(|run| run.push(u64::MAX));
    let first: Vec<u64> = runs.iter().map(|run| run[0]).collect();
    let started = || {
        let mut tree = LoserTree::default();
        tree.start(&first, |a, b| a < b);
        (tree, vec![0; runs.len()])
    };
    benches.compare(
        &format!("loser tree: advance, {count} runs {}", spread.name()),
        prepared(ENTRIES, started, |(tree, positions)| {
            for _ in 0..ENTRIES {
                let winner = tree.winner().expect("runs");
                positions[winner] += 1;
                tree.advance(runs[winner][positions[winner]], |a, b| a < b);
            }
        }),
        "run by run",
        prepared(
            ENTRIES,
            || (),
            |()| {
                for run in &runs {
                    run.iter().for_each(|number| _ = black_box(number));
                }
            },
        ),
    );
}

fn main() {
    let benches = Benches::from_arguments();
    for spread in Spread::ALL {
        for count in RUN_COUNTS {
            merging_iterator(&benches, spread, count);
            loser_tree(&benches, spread, count);
        }
    }
}
