//! How large each level should be, and which level needs compaction most.
//!
//! Pure functions over sizes, so that a tree's shape can be judged without a database, and a
//! simulation can run them. The arithmetic is RocksDB's: its flow control and its users' dashboards
//! are built on these numbers.

use crate::version::Version;

/// How files are compacted (`compaction_style`). Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CompactionStyle {
    /// Levels of growing size.
    #[default]
    Level = 0,
    /// Sorted runs of similar size, merged together.
    Universal = 1,
    /// The oldest files are dropped.
    Fifo = 2,
    /// No compaction by the engine.
    None = 3,
}

impl CompactionStyle {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::Universal => "universal",
            Self::Fifo => "fifo",
            Self::None => "none",
        }
    }
}

/// How dynamic level sizes, and the scores under them, are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelTargetRule {
    /// Up to 7.4: a large L0 raises the target of the base level and lowers the multiplier.
    WriteBurst,
    /// 7.5 to 8.1: targets ignore L0; bytes on their way down lower a level's score.
    Steady,
    /// 8.2 and later: also, levels that are not needed are emptied.
    #[default]
    Draining,
}

/// The options that decide about sizes and scores; defaults are RocksDB's.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTargetOptions {
    /// `compaction_style`.
    pub compaction_style: CompactionStyle,
    /// `num_levels`.
    pub num_levels: usize,
    /// `level_compaction_dynamic_level_bytes`; on since 8.4.
    pub level_compaction_dynamic_level_bytes: bool,
    /// `max_bytes_for_level_base`, in bytes.
    pub max_bytes_for_level_base: u64,
    /// `max_bytes_for_level_multiplier`.
    pub max_bytes_for_level_multiplier: f64,
    /// `max_bytes_for_level_multiplier_additional`: for each level a further factor between its
    /// target and the next; 1 beyond the end. Without dynamic level sizes only.
    pub max_bytes_for_level_multiplier_additional: Vec<i32>,
    /// `level0_file_num_compaction_trigger`.
    pub level0_file_num_compaction_trigger: i32,
    /// `preclude_last_level_data_seconds` is not 0: the level before the last is always needed.
    pub preclude_last_level_data: bool,
    /// `compaction_options_fifo.max_table_files_size`, in bytes.
    pub fifo_max_table_files_size: u64,
    /// `compaction_options_fifo.allow_compaction`.
    pub fifo_allow_compaction: bool,
    /// The release whose arithmetic is used.
    pub rule: LevelTargetRule,
}

impl Default for LevelTargetOptions {
    fn default() -> Self {
        Self {
            compaction_style: CompactionStyle::Level,
            num_levels: 7,
            level_compaction_dynamic_level_bytes: true,
            max_bytes_for_level_base: 256 << 20,
            max_bytes_for_level_multiplier: 10.0,
            max_bytes_for_level_multiplier_additional: vec![1; 7],
            level0_file_num_compaction_trigger: 4,
            preclude_last_level_data: false,
            fifo_max_table_files_size: 1 << 30,
            fifo_allow_compaction: false,
            rule: LevelTargetRule::default(),
        }
    }
}

/// What a level holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelSize {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub size_bytes: u64,
    /// Their bytes, with what their deletions will free counted in.
    pub compensated_bytes: u64,
    /// Files that no running compaction reads.
    pub idle_files: usize,
    /// Bytes of those, with what their deletions will free counted in.
    pub idle_compensated_bytes: u64,
}

impl LevelSize {
    /// A level that no compaction works on.
    pub fn idle(files: usize, size_bytes: u64) -> Self {
        Self {
            files,
            size_bytes,
            compensated_bytes: size_bytes,
            idle_files: files,
            idle_compensated_bytes: size_bytes,
        }
    }

    /// The levels of a version that no compaction works on.
    pub fn of_version(version: &Version) -> Vec<Self> {
        (0..version.num_levels())
            .map(|level| {
                Self::idle(version.level_files(level).len(), version.level_size_bytes(level))
            })
            .collect()
    }
}

/// How large each level should be.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTargets {
    /// The level that L0 is compacted to; none unless the style is `Level`.
    pub base_level: Option<usize>,
    /// Ratio of neighbouring targets from the base level on; 0 where it was not needed.
    pub multiplier: f64,
    /// Target of each level in bytes; `u64::MAX` where nothing is to be compacted from.
    pub target_bytes: Vec<u64>,
    /// Levels up to this one are not needed and should be emptied.
    pub lowest_unnecessary_level: Option<usize>,
}

impl LevelTargets {
    /// Computes the targets. `levels` has one entry for each of `num_levels`.
    pub fn new(options: &LevelTargetOptions, levels: &[LevelSize]) -> Self {
        if options.level_compaction_dynamic_level_bytes
            && options.compaction_style == CompactionStyle::Level
        {
            dynamic_targets(options, levels)
        } else {
            static_targets(options)
        }
    }

    fn of(&self, level: usize) -> u64 {
        self.target_bytes.get(level).copied().unwrap_or(u64::MAX)
    }
}

fn static_targets(options: &LevelTargetOptions) -> LevelTargets {
    let mut target = options.max_bytes_for_level_base;
    let target_bytes = (0..options.num_levels).map(|level| {
        if level > 1 {
            let factors = &options.max_bytes_for_level_multiplier_additional;
            let additional = f64::from(factors.get(level - 1).copied().unwrap_or(1));
            target = multiply(target, options.max_bytes_for_level_multiplier);
            target = multiply(target, additional);
        }
        target
    });
    LevelTargets {
        target_bytes: target_bytes.collect(),
        base_level: (options.compaction_style == CompactionStyle::Level).then_some(1),
        multiplier: 0.0,
        lowest_unnecessary_level: None,
    }
}

/// The last level is as large as the largest; each level above it is smaller by the multiplier, up
/// to the first whose target is not above `max_bytes_for_level_base`: L0 is compacted to that one.
fn dynamic_targets(options: &LevelTargetOptions, levels: &[LevelSize]) -> LevelTargets {
    let num_levels = options.num_levels;
    let below_l0 = || levels.iter().enumerate().take(num_levels).skip(1);
    let largest = below_l0().map(|(_, level)| level.size_bytes).max().unwrap_or(0);
    let first_non_empty = below_l0().find(|(_, level)| level.size_bytes > 0);
    let mut targets = LevelTargets {
        base_level: Some(num_levels.saturating_sub(1)),
        multiplier: 0.0,
        target_bytes: vec![u64::MAX; num_levels],
        lowest_unnecessary_level: None,
    };
    let Some((first_non_empty, _)) = first_non_empty else {
        return targets;
    };
    let l0 = levels[0];
    let is_burst_rule = options.rule == LevelTargetRule::WriteBurst;
    let l0_bytes_counted = if is_burst_rule { l0.size_bytes } else { 0 };
    let base_bytes_max = options.max_bytes_for_level_base.max(l0_bytes_counted);
    let (mut base_level, mut level_size) =
        find_base_level(options, largest, first_non_empty, base_bytes_max, &mut targets);
    targets.multiplier = options.max_bytes_for_level_multiplier;
    if is_burst_rule && is_l0_backlogged(options, l0, level_size) {
        level_size = l0.size_bytes;
        targets.multiplier = burst_multiplier(largest, level_size, num_levels - base_level - 1);
    }
    targets.base_level = Some(base_level);
    while base_level < num_levels {
        // Never below the maximum of the base level: an hourglass would favour the wrong levels.
        targets.target_bytes[base_level] = level_size.max(base_bytes_max);
        level_size = multiply(level_size, targets.multiplier);
        base_level += 1;
    }
    targets
}

/// The base level and its target.
fn find_base_level(
    options: &LevelTargetOptions,
    largest: u64,
    first_non_empty: usize,
    base_bytes_max: u64,
    targets: &mut LevelTargets,
) -> (usize, u64) {
    let base_bytes_min = divide(base_bytes_max, options.max_bytes_for_level_multiplier);
    let mut level_size = largest;
    for level in (first_non_empty..options.num_levels.saturating_sub(1)).rev() {
        level_size = divide(level_size, options.max_bytes_for_level_multiplier);
        let is_needed = options.preclude_last_level_data && level + 2 == options.num_levels;
        if options.rule == LevelTargetRule::Draining && level_size <= base_bytes_min && !is_needed {
            let lowest = targets.lowest_unnecessary_level;
            targets.lowest_unnecessary_level = lowest.or(Some(level));
        }
    }
    if level_size <= base_bytes_min {
        // More levels than the data needs.
        return (first_non_empty, base_bytes_min.saturating_add(1));
    }
    let mut base_level = first_non_empty;
    while base_level > 1 && level_size > base_bytes_max {
        base_level -= 1;
        level_size = divide(level_size, options.max_bytes_for_level_multiplier);
    }
    (base_level, level_size.clamp(1, base_bytes_max.max(1)))
}

fn is_l0_backlogged(options: &LevelTargetOptions, l0: LevelSize, base_level_size: u64) -> bool {
    l0.size_bytes > base_level_size
        && (l0.size_bytes > options.max_bytes_for_level_base
            || (l0.files / 2) as i64 >= i64::from(options.level0_file_num_compaction_trigger))
}

fn burst_multiplier(largest: u64, base_level_size: u64, levels_below: usize) -> f64 {
    if levels_below == 0 {
        return 1.0;
    }
    (largest as f64 / base_level_size as f64).powf(1.0 / levels_below as f64)
}

/// `value * factor`; `value` where that would overflow, 0 for a factor that is not positive.
fn multiply(value: u64, factor: f64) -> u64 {
    if value == 0 || factor <= 0.0 {
        return 0;
    }
    // The quotient is of integers.
    if ((u64::MAX / value) as f64) < factor { value } else { (value as f64 * factor) as u64 }
}

fn divide(value: u64, divisor: f64) -> u64 {
    (value as f64 / divisor) as u64
}

/// What a score above 1 is multiplied with under dynamic level sizes, so that dividing by bytes on
/// their way down cannot take it below 1.
const SCORE_SCALE: f64 = 10.0;

/// How much each level needs compaction, from L0 on: from 1 on it does, and the highest comes
/// first. The last level has no score, and levels below L0 have one in style `Level` only.
pub fn compaction_scores(
    options: &LevelTargetOptions,
    levels: &[LevelSize],
    targets: &LevelTargets,
) -> Vec<f64> {
    let Some(l0) = levels.first() else {
        return Vec::new();
    };
    let count = match options.compaction_style {
        CompactionStyle::Level => levels.len().saturating_sub(1).max(1),
        CompactionStyle::Universal | CompactionStyle::Fifo | CompactionStyle::None => 1,
    };
    let mut scores = vec![l0_score(options, levels, targets)];
    let mut down_bytes = l0.size_bytes as f64;
    for (level, &size) in levels.iter().enumerate().take(count).skip(1) {
        let target = targets.of(level);
        scores.push(level_score(options, level, size, targets, down_bytes));
        if targets.lowest_unnecessary_level.is_some_and(|lowest| level <= lowest) {
            down_bytes += size.size_bytes as f64;
        } else {
            down_bytes += size.size_bytes.saturating_sub(target) as f64;
        }
    }
    scores
}

fn l0_score(options: &LevelTargetOptions, levels: &[LevelSize], targets: &LevelTargets) -> f64 {
    let trigger = f64::from(options.level0_file_num_compaction_trigger);
    let l0 = levels[0];
    let size = l0.idle_compensated_bytes as f64;
    match options.compaction_style {
        CompactionStyle::Level if levels.len() > 1 => {
            let score = l0.idle_files as f64 / trigger;
            match (options.level_compaction_dynamic_level_bytes, options.rule) {
                (false, _) => score.max(size / options.max_bytes_for_level_base as f64),
                (true, LevelTargetRule::WriteBurst) => {
                    score.max(size / burst_l0_target(options, targets) as f64)
                }
                (true, _) => dynamic_l0_score(options, levels, targets, score),
            }
        }
        CompactionStyle::Universal => {
            let runs = levels[1..].iter().filter(|level| level.idle_files > 0).count();
            (l0.idle_files + runs) as f64 / trigger
        }
        CompactionStyle::Fifo => {
            // Infinite with a limit of 0, as in RocksDB; nothing is never too much.
            let score =
                if size > 0.0 { size / options.fifo_max_table_files_size as f64 } else { 0.0 };
            let by_files = l0.idle_files as f64 / trigger;
            if score < 1.0 && options.fifo_allow_compaction { score.max(by_files) } else { score }
        }
        CompactionStyle::Level | CompactionStyle::None => l0.idle_files as f64 / trigger,
    }
}

fn burst_l0_target(options: &LevelTargetOptions, targets: &LevelTargets) -> u64 {
    if targets.multiplier == 0.0 {
        return options.max_bytes_for_level_base;
    }
    let base_target = targets.base_level.map_or(u64::MAX, |level| targets.of(level));
    options.max_bytes_for_level_base.max(divide(base_target, targets.multiplier))
}

/// L0 comes before the base level exactly where it is the larger of the two.
fn dynamic_l0_score(
    options: &LevelTargetOptions,
    levels: &[LevelSize],
    targets: &LevelTargets,
    mut score: f64,
) -> f64 {
    let size = levels[0].idle_compensated_bytes;
    if size >= options.max_bytes_for_level_base {
        score = score.max(1.01);
    }
    if let Some(base_level) = targets.base_level {
        let target = targets.of(base_level);
        if size > target {
            let base_bytes = levels.get(base_level).map_or(0, |base| base.compensated_bytes);
            score = score.max(size as f64 / base_bytes.max(target) as f64);
        }
    }
    if score > 1.0 { score * SCORE_SCALE } else { score }
}

fn level_score(
    options: &LevelTargetOptions,
    level: usize,
    size: LevelSize,
    targets: &LevelTargets,
    down_bytes: f64,
) -> f64 {
    let bytes = size.idle_compensated_bytes;
    let target = targets.of(level);
    let is_scaled = options.level_compaction_dynamic_level_bytes
        && options.rule != LevelTargetRule::WriteBurst
        && bytes >= target;
    let score = if is_scaled {
        bytes as f64 / (target as f64 + down_bytes) * SCORE_SCALE
    } else {
        bytes as f64 / target as f64
    };
    match targets.lowest_unnecessary_level {
        Some(lowest) if bytes > 0 && level <= lowest => {
            score.max(SCORE_SCALE * (1.001 + 0.001 * (lowest - level) as f64))
        }
        _ => score,
    }
}

/// Bytes that compactions would have to rewrite until every level is within its target; 0 unless
/// the style is `Level`.
pub fn estimated_compaction_needed_bytes(
    options: &LevelTargetOptions,
    levels: &[LevelSize],
    targets: &LevelTargets,
) -> u64 {
    let (Some(l0), Some(base_level), CompactionStyle::Level) =
        (levels.first(), targets.base_level, options.compaction_style)
    else {
        return 0;
    };
    let is_triggered = l0.files as i64 >= i64::from(options.level0_file_num_compaction_trigger)
        || l0.size_bytes >= options.max_bytes_for_level_base;
    let mut incoming = if is_triggered { l0.size_bytes } else { 0 };
    let mut needed = incoming;
    for level in base_level..levels.len().saturating_sub(1) {
        if level == base_level && is_triggered {
            needed = needed.saturating_add(levels[level].size_bytes);
        }
        let size = levels[level].size_bytes.saturating_add(incoming);
        incoming = size.saturating_sub(targets.of(level));
        let next_size = levels[level + 1].size_bytes;
        if incoming > 0 && next_size > 0 {
            let ratio = next_size as f64 / size as f64 + 1.0;
            needed = needed.saturating_add((incoming as f64 * ratio) as u64);
        }
    }
    needed
}

#[cfg(test)]
mod tests;
