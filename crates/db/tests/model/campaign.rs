//! Many sequences, one after the other, and what is said of one that fails.

use std::env::VarError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use testing::judges::Judge;
use testing::model::generator::{Profile, generate};
use testing::model::rocksdb::RocksDb;
use testing::model::runner::{Side, run};
use testing::model::shrink::shrink;
use testing::model::{Defect, Step, parse, print};

use crate::engine::Engine;

/// How often a shorter sequence may be tried.
const SHRINKING_TRIES: usize = 3000;
/// How often with RocksDB, which is slower.
const SHRINKING_TRIES_WITH_JUDGE: usize = 400;

/// What is tried, and for how long.
pub(crate) struct Campaign {
    pub(crate) profile: Profile,
    pub(crate) judge: Option<Judge>,
    /// Counts where `TOUCHSTONE_ROUNDS` says nothing.
    pub(crate) duration: Duration,
}

/// Runs a sequence on the engine, and with a judge on RocksDB too; a panic fails.
pub(crate) fn check(
    steps: &[Step],
    judge: Option<&Judge>,
    defect: Option<Defect>,
) -> Result<(), String> {
    let checked = catch_unwind(AssertUnwindSafe(|| match judge {
        None => {
            let engine = Engine::new(Arc::new(env::MemFileSystem::new()), Path::new("/db"));
            run(steps, &mut [Side::new("Touchstone", Box::new(engine), defect)])
        }
        Some(judge) => {
            let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
            let ours = directory.path().join("ours");
            let engine = Engine::new(env::default_file_system(), &ours);
            let rocksdb = RocksDb::new(judge, directory.path().join("theirs"));
            let mut sides = [
                Side::new("RocksDB", Box::new(rocksdb), defect),
                Side::new("Touchstone", Box::new(engine), defect),
            ];
            run(steps, &mut sides)
        }
    }));
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("a panic: {}", text.unwrap_or_default()))
    })
}

/// A failing sequence as short as it can be.
pub(crate) fn shortest(
    steps: Vec<Step>,
    judge: Option<&Judge>,
    defect: Option<Defect>,
) -> Vec<Step> {
    let tries = if judge.is_some() { SHRINKING_TRIES_WITH_JUDGE } else { SHRINKING_TRIES };
    let kind = check(&steps, judge, defect).err().map(|why| kind_of(&why));
    shrink(steps, tries, |steps| {
        check(steps, judge, defect).err().is_some_and(|why| Some(kind_of(&why)) == kind)
    })
}

/// Whose answer to which step was wrong, without the step's number and arguments: other failures
/// that a shorter sequence brings up are not the one looked for.
fn kind_of(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default();
    let after_number = line.split_once(", ").map_or(line, |(_, rest)| rest);
    after_number.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn number(name: &str) -> Option<u64> {
    match std::env::var(name) {
        Ok(text) => Some(text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}"))),
        Err(VarError::NotPresent) => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

impl Campaign {
    /// Runs the sequence of the file that `TOUCHSTONE_STEPS` names, or that of `TOUCHSTONE_SEED`,
    /// or `TOUCHSTONE_ROUNDS` of them, or as many as there is time for.
    pub(crate) fn run(&self) {
        if let Some(file) = std::env::var_os("TOUCHSTONE_STEPS") {
            let file = PathBuf::from(file);
            let text = std::fs::read_to_string(&file).unwrap();
            let steps = parse(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
            check(&steps, self.judge.as_ref(), None).unwrap_or_else(|why| panic!("{why}"));
            return;
        }
        if let Some(seed) = number("TOUCHSTONE_SEED") {
            self.round(seed);
            return;
        }
        let rounds = number("TOUCHSTONE_ROUNDS");
        let first = number("TOUCHSTONE_FIRST_SEED").unwrap_or(0);
        let begin = Instant::now();
        let (mut done, mut unjudged) = (0, 0);
        while rounds.map_or(begin.elapsed() < self.duration, |rounds| done < rounds) {
            unjudged += u64::from(!self.round(first + done));
            done += 1;
        }
        let seconds = begin.elapsed().as_secs_f32();
        println!("{done} sequences in {seconds:.1} s, {unjudged} of them without a judgement");
        // Nothing is known any more with which it does.
        assert!(unjudged <= done / 50, "RocksDB stops answering");
    }

    /// Whether the sequence of a seed was judged to its end.
    fn round(&self, seed: u64) -> bool {
        let steps = generate(seed, self.profile);
        let judge = self.judge.as_ref();
        let Err(why) = check(&steps, judge, None) else { return true };
        if judge.is_some() && why.contains("RocksDB 7.8.3: no answer after") {
            let step = why.lines().next().unwrap_or_default();
            println!("TOUCHSTONE_SEED={seed}: RocksDB does not answer: {step}");
            return false;
        }
        // Shrinking takes a while.
        println!("TOUCHSTONE_SEED={seed} fails: {why}");
        let short = shortest(steps, judge, None);
        let again = match check(&short, judge, None) {
            Ok(()) => "passes now: it depends on the order of threads".to_owned(),
            Err(why) => why,
        };
        panic!(
            "TOUCHSTONE_SEED={seed} fails: {why}\nshrunk to {} steps:\n{}which fails: {again}",
            short.len(),
            print(&short)
        );
    }
}
