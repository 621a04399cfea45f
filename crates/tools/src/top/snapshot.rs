//! What is shown, as numbers.

use db::{Db, SecondaryProgress, ShapeOptions};
use metrics::{Dump, PrimaryStatistics};
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

/// What the primary dumped of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dumped {
    pub(crate) newest: Option<Dump>,
    /// The one before, for rates.
    pub(crate) before: Option<Dump>,
    /// How long ago the newest one was.
    pub(crate) age: Duration,
    /// The last line of the LOG that tells of writes held back.
    pub(crate) last_stall: Option<String>,
}

impl Dumped {
    fn new(primary: &PrimaryStatistics, now_micros: u64) -> Self {
        let newest = primary.newest().cloned();
        let at_micros = newest.as_ref().map_or(now_micros, |dump| dump.at_micros);
        Self {
            newest,
            before: primary.before_newest().cloned(),
            age: Duration::from_micros(now_micros.saturating_sub(at_micros)),
            last_stall: primary.last_stall().map(str::to_owned),
        }
    }

    /// Reads of the tables of a level.
    fn reads(&self, family: &str, level: usize) -> Option<u64> {
        let family = self.newest.as_ref()?.families.get(family)?;
        family.reads.get(&level).map(|reads| reads.count)
    }
}

/// Everything that is shown at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) path: String,
    pub(crate) progress: SecondaryProgress,
    /// What was known before, and how long ago.
    pub(crate) before: Option<(SecondaryProgress, Duration)>,
    pub(crate) families: Vec<FamilySnapshot>,
    pub(crate) dumped: Dumped,
    /// Why it is not up to date.
    pub(crate) problem: Option<String>,
}

impl Snapshot {
    /// Of a secondary as it is.
    pub(crate) fn take(
        db: &Db,
        rule: LevelTargetRule,
        before: Option<(SecondaryProgress, Duration)>,
        primary: &PrimaryStatistics,
        problem: Option<String>,
    ) -> Self {
        let dumped = Dumped::new(primary, db.context().clock.now_micros());
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
            let reads = reads.map(|level| dumped.reads(&name, level.level));
            FamilySnapshot { stall, reads: reads.collect(), shape }
        });
        Self {
            path: db.path().display().to_string(),
            progress: db.secondary_progress().unwrap_or_default(),
            before,
            families: families.collect(),
            dumped,
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
