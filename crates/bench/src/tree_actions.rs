//! Steps of a run that change the tree and are not timed.

use crate::family_options::family_options;
use crate::flags::Flags;
use crate::measure::shape::is_lacking;
use crate::shape::draw_down::draw_down;
use crate::workload::Target;
use base::status::Code;
use base::{Result, Status};
use db::{CompactFilesOptions, CompactRangeOptions, DEFAULT_COLUMN_FAMILY_NAME};
use engines::Engine;
use std::thread;
use std::time::Duration;

/// Numbers that are zero where nothing runs in the background and nothing is due.
const BACKGROUND: [&str; 4] = [
    "rocksdb.mem-table-flush-pending",
    "rocksdb.num-running-flushes",
    "rocksdb.compaction-pending",
    "rocksdb.num-running-compactions",
];

/// How long `db_bench` sleeps before it looks whether anything runs, and after it found that.
const SLEEP_BEFORE_LOOKS: Duration = Duration::from_secs(5);
const SLEEP_BETWEEN_LOOKS: Duration = Duration::from_secs(10);

/// How often a compaction of a level is tried.
const RETRIES: usize = 10;

/// What a step does with all databases.
pub(crate) type Action<E> = fn(&Flags, &[Target<E>]) -> Result<()>;

/// The steps, by name.
pub(crate) fn actions<E: Engine>() -> [(&'static str, Action<E>); 5] {
    [
        ("compact0", compact_level0),
        ("compact1", compact_level1),
        ("compactall", compact_all),
        ("flush", flush),
        ("waitforcompaction", wait_for_compaction),
    ]
}

fn flush<E: Engine>(flags: &Flags, targets: &[Target<E>]) -> Result<()> {
    // From 6.18 to 7.2 RocksDB's tool flushed the families of an empty list.
    let does_nothing = flags.bool("as_published") && flags.uint("num_column_families") <= 1;
    for target in targets.iter().filter(|_| !does_nothing) {
        target.db.flush(&target.families)?;
    }
    println!("flush memtable");
    Ok(())
}

fn compact_all<E: Engine>(_: &Flags, targets: &[Target<E>]) -> Result<()> {
    targets.iter().try_for_each(|Target { db, families }| {
        db.compact_range(&CompactRangeOptions::default(), &families[0], None, None)
    })
}

/// Waits twice, as `db_bench` does, which sleeps between its looks; that is done for `--as_published`.
fn wait_for_compaction<E: Engine>(flags: &Flags, targets: &[Target<E>]) -> Result<()> {
    let sleeps = flags.bool("as_published");
    if sleeps {
        thread::sleep(SLEEP_BEFORE_LOOKS);
    }
    for Target { db, families } in targets {
        let path = db.path().display();
        for _ in 0..2 {
            println!("waitforcompaction({path}): started");
            if let Some(name) = active(db, &families[0])? {
                let meanwhile = if sleeps { "Sleep 10 seconds" } else { "Waiting" };
                println!("waitforcompaction({path}): active({name}). {meanwhile}");
                if sleeps {
                    thread::sleep(SLEEP_BETWEEN_LOOKS);
                }
            }
            db.wait_for_compaction()?;
            println!("waitforcompaction({path}): finished");
        }
    }
    Ok(())
}

/// Waits until no compaction is due; an engine that has none is not waited for.
pub(crate) fn wait_until_compacted<E: Engine>(targets: &[Target<E>]) -> Result<()> {
    targets.iter().try_for_each(|target| match target.db.wait_for_compaction() {
        Err(status) if is_lacking(&status) => Ok(()),
        result => result,
    })
}

/// The first property that says that something runs or is due in the background.
fn active<E: Engine>(db: &E, family: &E::Family) -> Result<Option<&'static str>> {
    for name in BACKGROUND {
        match db.int_property(family, name) {
            Ok(Some(count)) if count > 0 => return Ok(Some(name)),
            Err(status) if !is_lacking(&status) => return Err(status),
            _ => {}
        }
    }
    Ok(None)
}

fn compact_level0<E: Engine>(flags: &Flags, targets: &[Target<E>]) -> Result<()> {
    targets.iter().try_for_each(|target| compact_level(flags, target, true))
}

fn compact_level1<E: Engine>(flags: &Flags, targets: &[Target<E>]) -> Result<()> {
    targets.iter().try_for_each(|target| compact_level(flags, target, false))
}

/// Compacts level 0, or the first level below it that has files, to the next one that has some.
fn compact_level<E: Engine>(flags: &Flags, target: &Target<E>, is_level0: bool) -> Result<()> {
    for retries_left in (0..RETRIES).rev() {
        let Some((files, to)) = files_to_compact(&target.db, is_level0)? else { break };
        let options = CompactFilesOptions {
            output_file_size_limit: flags.uint("target_file_size_base"),
            ..CompactFilesOptions::default()
        };
        match target.db.compact_files(&options, &target.families[0], &files, to) {
            Ok(()) => break,
            Err(status) if status.code() == Code::NotSupported => {
                return without_compact_files(flags, target, is_level0, to, status);
            }
            Err(status) if retries_left == 0 => return Err(status),
            // Another compaction may have taken some of the files.
            Err(status) => {
                eprintln!("compact{} CompactFiles failed: {status}", u8::from(!is_level0));
                target.db.wait_for_compaction()?;
            }
        }
    }
    Ok(())
}

/// The same by other means, for engines that cannot be told which files to compact; `lacking` is what they
/// said.
fn without_compact_files<E: Engine>(
    flags: &Flags,
    target: &Target<E>,
    is_level0: bool,
    to: usize,
    lacking: Status,
) -> Result<()> {
    let Target { db, families } = target;
    if is_level0 {
        draw_down(target, &family_options(flags)?, to)?;
        let off = flags.bool("disable_auto_compactions");
        let changes = [("disable_auto_compactions", if off { "true" } else { "false" })];
        return db.set_options(&families[0], &changes);
    }
    let shape = db.tree_shape(&families[0])?;
    let in_memory = shape.memtable_entries + shape.immutable_memtables;
    let others = shape.levels.iter().filter(|level| level.files > 0 && level.level != to);
    // Where only two levels have data, compacting all of it does the same.
    match in_memory == 0
        && others.clone().count() == 1
        && others.clone().all(|level| level.level < to)
    {
        true => db.compact_range(&CompactRangeOptions::default(), &families[0], None, None),
        false => Err(lacking),
    }
}

/// The files of the level by number, and the level to compact them to; none, and a word why, if
/// there is nothing to do.
fn files_to_compact<E: Engine>(db: &E, is_level0: bool) -> Result<Option<(Vec<u64>, usize)>> {
    let name = if is_level0 { "compact0" } else { "compact1" };
    let mut files = db.live_files()?;
    files.retain(|file| file.family == DEFAULT_COLUMN_FAMILY_NAME);
    let levels = files.iter().map(|file| file.level);
    let from = match is_level0 {
        true => 0,
        false => levels.clone().filter(|level| *level > 0).min().unwrap_or(usize::MAX),
    };
    let to = levels.filter(|level| *level > from).min();
    let chosen: Vec<u64> =
        files.iter().filter(|file| file.level == from).map(|file| file.number).collect();
    let count = chosen.len();
    match to {
        _ if count == 0 => println!("{name} found 0 files to compact"),
        None => println!("{name} found no data beyond L{from}"),
        Some(to) => {
            println!("{name} found {count} files to compact from L{from} to L{to}");
            return Ok(Some((chosen, to)));
        }
    }
    Ok(None)
}
