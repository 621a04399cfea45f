//! What is shown, as numbers.

use crate::top::primary_log::PrimaryLog;
use db::{Db, SecondaryProgress, ShapeOptions};
use std::time::Duration;
use version::{LevelTargetRule, TreeShape};

/// A column family.
#[derive(Clone, Debug, Default)]
pub(crate) struct FamilySnapshot {
    pub(crate) shape: TreeShape,
    /// Whether its files and memtables would hold writes back, and why.
    pub(crate) stall: Option<String>,
    /// Reads of tables of each level, by the primary's LOG.
    pub(crate) reads: Vec<Option<u64>>,
}

/// Everything that is shown at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) path: String,
    pub(crate) progress: SecondaryProgress,
    /// What was known before, and how long ago.
    pub(crate) before: Option<(SecondaryProgress, Duration)>,
    pub(crate) families: Vec<FamilySnapshot>,
    pub(crate) log: PrimaryLog,
    /// Why it is not up to date.
    pub(crate) problem: Option<String>,
}

impl Snapshot {
    /// Of a secondary as it is.
    pub(crate) fn take(
        db: &Db,
        rule: LevelTargetRule,
        before: Option<(SecondaryProgress, Duration)>,
        problem: Option<String>,
    ) -> Self {
        let log = PrimaryLog::read(db.path());
        let families = db.column_families().map(|family| {
            let (shape, _) = db.tree_shape(&family, &ShapeOptions { entries: false, rule });
            let stall = db.map_property(&family, "touchstone.stall").unwrap_or_default();
            let stall = stall.get("family-condition").map(|condition| {
                match stall.get("family-cause").filter(|cause| *cause != "none") {
                    Some(cause) => format!("{condition} by {cause}"),
                    None => condition.clone(),
                }
            });
            let name = family.name().to_string();
            let reads = shape.levels.iter();
            let reads = reads.map(|level| log.reads.get(&(name.clone(), level.level)).copied());
            FamilySnapshot { stall, reads: reads.collect(), shape }
        });
        Self {
            path: db.path().display().to_string(),
            progress: db.secondary_progress().unwrap_or_default(),
            before,
            families: families.collect(),
            log,
            problem,
        }
    }

    /// By how much a number has grown in a second.
    pub(crate) fn rate(&self, of: impl Fn(&SecondaryProgress) -> u64) -> Option<f64> {
        let (before, elapsed) = self.before.as_ref()?;
        let seconds = elapsed.as_secs_f64();
        (seconds > 0.0).then(|| of(&self.progress).saturating_sub(of(before)) as f64 / seconds)
    }
}
