//! Brings L0 to a level by automatic compactions, for engines that cannot be told which files to compact.
//!
//! For a moment options say that a single file of L0 is too many, that the wanted level is the first below
//! L0, and that it and all others have room. What is due then is that one compaction.

use crate::workload::Target;
use base::status::Code;
use base::{Result, Status};
use engines::Engine;
use options::ColumnFamilyOptions;
use record::FamilyShape;
use std::thread;
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// How much larger each level may be than the one above meanwhile: little, so that each has far more room
/// than what lies in it.
const FANOUT: f64 = 1.25;

/// Above the least first level that is still the wanted one.
const ABOVE: f64 = 1.1;

const PATIENCE: Duration = Duration::from_secs(3600);
const PAUSE: Duration = Duration::from_millis(2);

/// Options that change, with their values.
type Changes = Vec<(&'static str, String)>;

/// Compacts all files of L0 to `level`. Compactions are off afterwards.
///
/// # Errors
/// `NotSupported` where options cannot be changed, or without dynamic levels for a level below L1.
pub(crate) fn draw_down<E: Engine>(
    target: &Target<E>,
    options: &ColumnFamilyOptions,
    level: usize,
) -> Result<()> {
    let (db, family) = (&target.db, &target.families[0]);
    let set = |changes: &Changes| {
        let changes: Vec<_> = changes.iter().map(|(name, text)| (*name, text.as_str())).collect();
        db.set_options(family, &changes)
    };
    let now = db.tree_shape(family)?;
    let changes = changes(&now, options, level)?;
    set(&changes)?;
    let deadline = Instant::now() + PATIENCE;
    let running = || db.int_property(family, "rocksdb.num-running-compactions");
    while files_of_l0(&db.tree_shape(family)?) > 0 || running()?.is_some_and(|count| count > 0) {
        if Instant::now() > deadline {
            let waited = "waited an hour for a compaction of L0";
            return Err(Status::new(Code::TimedOut, waited));
        }
        thread::sleep(PAUSE);
    }
    set(&vec![("disable_auto_compactions", "true".to_owned())])?;
    set(&as_before(options))
}

fn files_of_l0(shape: &FamilyShape) -> u64 {
    shape.levels.iter().filter(|level| level.level == 0).map(|level| level.files).sum()
}

/// What makes a compaction of L0 to `level` the only one that is due.
fn changes(now: &FamilyShape, options: &ColumnFamilyOptions, level: usize) -> Result<Changes> {
    let largest = now.levels.iter().map(|level| level.bytes).max().unwrap_or_default() as f64;
    let last = usize::try_from(options.num_levels).unwrap_or(1).saturating_sub(1);
    let (base, fanout) = match options.level_compaction_dynamic_level_bytes {
        true => {
            let above_last = last.saturating_sub(level) as i32;
            (largest / FANOUT.powi(above_last) * ABOVE, FANOUT)
        }
        // L1 is always the first.
        false if level == 1 => (largest * 4.0, options.max_bytes_for_level_multiplier),
        false => {
            return Err(Status::not_supported(format!(
                "compacting L0 to L{level} without dynamic levels and compact_files"
            )));
        }
    };
    Ok(vec![
        ("max_bytes_for_level_base", format!("{}", (base as u64).max(1))),
        ("max_bytes_for_level_multiplier", fanout.to_string()),
        ("level0_file_num_compaction_trigger", "1".to_owned()),
        ("disable_auto_compactions", "false".to_owned()),
    ])
}

fn as_before(options: &ColumnFamilyOptions) -> Changes {
    let trigger = options.level0_file_num_compaction_trigger;
    vec![
        ("max_bytes_for_level_base", options.max_bytes_for_level_base.to_string()),
        ("max_bytes_for_level_multiplier", options.max_bytes_for_level_multiplier.to_string()),
        ("level0_file_num_compaction_trigger", trigger.to_string()),
    ]
}
