//! `fillseqdeterministic` and `filluniquerandomdeterministic`: fills a database run by run, each smaller
//! than the one before it, and compacts each to a level of its own, the first to the last level. Which
//! level has what then depends on the flags alone.

use super::{Order, run_of};
use crate::flags::Flags;
use crate::shuffle::shuffled;
use crate::workload::{Target, Thread, Workload};
use base::{Result, Status};
use db::{CompactFilesOptions, CompactRangeOptions};
use engines::{Engine, LiveFile};

/// Slowdowns and stops that are never reached.
const NEVER: &str = "400000000";

/// A sorted run: its files in level 0, the newest first.
type Run = Vec<u64>;

pub(in super::super) fn run_sequential<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, true)
}

pub(in super::super) fn run_unique_random<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, false)
}

fn run<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    first_is_sequential: bool,
) -> Result<()> {
    let flags = workload.flags;
    set_triggers(workload, [NEVER, NEVER].map(str::to_owned))?;
    let mut fill = Fill { workload, is_sequential: first_is_sequential, thread };
    match flags.int("compaction_style") {
        0 => by_level(&mut fill)?,
        1 => universal(&mut fill)?,
        2 => fifo(&mut fill)?,
        _ => {
            return Err(Status::invalid_argument(
                "--compaction_style=3: there are no compactions that could fill levels",
            ));
        }
    }
    workload
        .targets
        .iter()
        .enumerate()
        .try_for_each(|(index, target)| print_tree(index, target))?;
    let triggers = ["level0_slowdown_writes_trigger", "level0_stop_writes_trigger"];
    set_triggers(workload, triggers.map(|name| flags.int(name).to_string()))
}

fn set_triggers<E: Engine>(
    workload: &Workload<'_, E>,
    [slowdown, stop]: [String; 2],
) -> Result<()> {
    // The stop is never below the slowdown, not between two changes either.
    let changes = [
        ("level0_slowdown_writes_trigger", slowdown.as_str()),
        ("level0_stop_writes_trigger", stop.as_str()),
    ];
    workload.targets.iter().try_for_each(|Target { db, families }| {
        match workload.flags.int("compaction_style") {
            2 => Ok(()),
            _ => db.set_options(&families[0], &changes),
        }
    })
}

/// What is filled, and how next.
struct Fill<'w, 'a, E: Engine> {
    workload: &'w Workload<'a, E>,
    thread: &'w mut Thread,
    is_sequential: bool,
}

impl<E: Engine> Fill<'_, '_, E> {
    /// Puts so many keys into each database and flushes them. Only the first time in order.
    fn write(&mut self, count: u64) -> Result<()> {
        let workload = self.workload;
        let mut order = match std::mem::take(&mut self.is_sequential) {
            true => Order::Sequential,
            false => {
                Order::Unique(shuffled(workload.chooser.key_count, workload.seed_base as u32), None)
            }
        };
        run_of(workload, self.thread, &mut order, count)?;
        workload.targets.iter().try_for_each(|Target { db, families }| db.flush(families))
    }

    /// Writes runs until one is a single file, or there are `runs_max`; `next` says how many keys come
    /// after so many. Each database's, the oldest first.
    fn write_runs(&mut self, runs_max: usize, next: impl Fn(u64) -> u64) -> Result<Vec<Vec<Run>>> {
        let targets = self.workload.targets;
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); targets.len()];
        let mut count = self.workload.writes_of_thread();
        let mut is_last = false;
        while !is_last && count > 0 {
            self.write(count)?;
            for (target, runs) in targets.iter().zip(&mut runs) {
                let known: usize = runs.iter().map(Vec::len).sum();
                let mut files = level0(&target.db)?;
                files.truncate(files.len() - known);
                is_last |= files.len() <= 1;
                if !files.is_empty() {
                    runs.push(files);
                }
                is_last |= runs.len() == runs_max;
            }
            count = next(count);
        }
        Ok(runs)
    }

    /// Compacts each run, the `index`th of a database to the level that `level` says.
    fn compact(&self, runs: &[Vec<Run>], level: impl Fn(usize) -> usize) -> Result<()> {
        let flags = self.workload.flags;
        let options = CompactFilesOptions {
            output_file_size_limit: file_size_max(flags),
            ..CompactFilesOptions::default()
        };
        for (Target { db, families }, runs) in self.workload.targets.iter().zip(runs) {
            for (index, run) in runs.iter().enumerate() {
                db.compact_files(&options, &families[0], run, level(index))?;
            }
        }
        Ok(())
    }
}

/// As large as files of the last level may be.
fn file_size_max(flags: &Flags) -> u64 {
    let steps = (flags.int("num_levels") - 2).clamp(0, 64) as u32;
    let factor = flags.uint("target_file_size_multiplier").saturating_pow(steps);
    flags.uint("target_file_size_base").saturating_mul(factor)
}

fn by_level<E: Engine>(fill: &mut Fill<'_, '_, E>) -> Result<()> {
    let flags = fill.workload.flags;
    let last = (flags.uint("num_levels") as usize).saturating_sub(1);
    let factor = (flags.double("max_bytes_for_level_multiplier") as u64).max(1);
    let mut runs = fill.write_runs(last, |count| count / factor)?;
    for runs in &mut runs {
        check(runs.len(), last, last + 1)?;
        // A third of the last run's files stays in level 0.
        if let Some(files) = runs.last_mut() {
            files.drain(..files.len() / 3);
        }
    }
    runs.iter().flatten().for_each(|run| println!("{}", run.len()));
    fill.compact(&runs, |index| last - index)
}

fn universal<E: Engine>(fill: &mut Fill<'_, '_, E>) -> Result<()> {
    let flags = fill.workload.flags;
    let levels = flags.uint("num_levels") as usize;
    let ratio = match flags.uint("universal_size_ratio") {
        // RocksDB's default.
        0 => 1,
        ratio => ratio,
    };
    let runs = fill.write_runs(usize::MAX, |count| count * 100 / (ratio + 200))?;
    runs.iter().try_for_each(|runs| check(runs.len(), levels, levels))?;
    fill.compact(&runs, |index| levels.saturating_sub(1 + index))
}

fn fifo<E: Engine>(fill: &mut Fill<'_, '_, E>) -> Result<()> {
    let flags = fill.workload.flags;
    let [Target { db, families }] = fill.workload.targets else {
        return Err(Status::invalid_argument("--num_multi_db with --compaction_style=2"));
    };
    if flags.int("num_levels") != 1 {
        return Err(Status::invalid_argument("--compaction_style=2 has --num_levels=1"));
    }
    let bytes_max = flags.uint("fifo_compaction_max_table_files_size_mb") << 20;
    loop {
        fill.write(fill.workload.writes_of_thread())?;
        if db.live_files()?.iter().map(|file| file.bytes).sum::<u64>() >= bytes_max {
            break;
        }
    }
    let max_subcompactions = flags.uint("subcompactions") as u32;
    let options = CompactRangeOptions { max_subcompactions, ..CompactRangeOptions::default() };
    db.compact_range(&options, &families[0], None, None)
}

fn check(runs: usize, wanted: usize, levels: usize) -> Result<()> {
    match runs < wanted {
        false => Ok(()),
        true => Err(Status::invalid_argument(format!("n is too small to fill {levels} levels"))),
    }
}

/// The files of level 0, the newest first.
fn level0<E: Engine>(db: &E) -> Result<Run> {
    let files = db.live_files()?.into_iter().filter(|file| file.level == 0);
    let mut numbers: Run = files.map(|file| file.number).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    Ok(numbers)
}

/// Says which files each level has.
fn print_tree<E: Engine>(index: usize, target: &Target<E>) -> Result<()> {
    println!("---------------------- DB {index} LSM ---------------------");
    let mut files = target.db.live_files()?;
    files.sort_by_key(|file| (file.level, file.number));
    let name = |file: &LiveFile| format!("/{:06}.sst", file.number);
    for files in files.chunk_by(|a, b| a.level == b.level) {
        let level = files[0].level;
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        match (level, files) {
            (0, files) => files.iter().rev().for_each(|file| {
                println!("Level[{level}]: {}(size: {} bytes)", name(file), file.bytes);
            }),
            (_, [first, .., last]) => println!(
                "Level[{level}]: {} - {}(total size: {bytes} bytes)",
                name(first),
                name(last)
            ),
            (_, [only]) => println!(
                "Level[{level}]: {} - {}(total size: {bytes} bytes)",
                name(only),
                name(only)
            ),
            (_, []) => {}
        }
    }
    Ok(())
}
