//! What `--shape` asks for.

use base::{Result, Status};
use record::shape_text as text;

/// How full the memtable is in the stages that have one, in thousandths: 38,200 of the 47,345 entries
/// that 8,000,000 bytes hold.
const MEMTABLE_PER_MILLE: u64 = 807;

/// The text of a flag, understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wanted {
    /// By the name of a stage.
    Stage(Stage),
    /// Part by part.
    Parts(Parts),
}

/// The stages of the campaign on shapes, each of which a database goes through after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A memtable about 80 % full, two files less in L0 than start a compaction, full levels.
    PreFlush,
    /// The memtable is one more file of L0.
    PostFlush,
    /// L0 is empty.
    CompactL0,
    /// So is the first level below it, unless it is the only one.
    CompactL1,
    /// One sorted run.
    CompactAll,
    /// Memtable and L0 as in the first stage, and one level.
    L0AndLmax,
}

impl Stage {
    /// All, with their names.
    pub(crate) const ALL: [(&str, Self); 6] = [
        ("pre_flush", Self::PreFlush),
        ("post_flush", Self::PostFlush),
        ("compact_l0", Self::CompactL0),
        ("compact_l1", Self::CompactL1),
        ("compact_all", Self::CompactAll),
        ("l0_and_lmax", Self::L0AndLmax),
    ];
}

/// What an explicit form says; what it does not mention is to be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Entries of the memtable.
    pub(crate) memtable: u64,
    /// Files of L0, each of a full memtable.
    pub(crate) l0: usize,
    /// Bytes of levels by their place among those that have data, from 1 on for the first below L0.
    /// The last of them holds all keys.
    pub(crate) levels: Vec<(usize, u64)>,
}

impl Wanted {
    /// Understands the flag's text: a stage's name, or `memtable=38200,l0=6,l1=101M,l2=820M`.
    ///
    /// # Errors
    /// `InvalidArgument` that says what could stand there.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if let Some((_, stage)) = Stage::ALL.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Stage(*stage));
        }
        if !text.contains('=') {
            let names = Stage::ALL.map(|(name, _)| name).join(", ");
            return Err(Status::invalid_argument(format!(
                "--shape={text}: it is one of {names}, or for instance \
                 memtable=38200,l0=6,l1=101M,l2=820M"
            )));
        }
        let mut parts = Parts::default();
        let mut seen = Vec::new();
        for part in text.split(',') {
            let bad = |expected: &str| {
                Status::invalid_argument(format!("--shape={text}: '{part}': {expected}"))
            };
            let (name, value) = part.split_once('=').ok_or_else(|| bad("NAME=VALUE expected"))?;
            if seen.contains(&name) {
                return Err(bad("given twice"));
            }
            seen.push(name);
            match name {
                "memtable" => {
                    parts.memtable = value.parse().map_err(|_| bad("a number of entries"))?;
                }
                "l0" => parts.l0 = value.parse().map_err(|_| bad("a number of files"))?,
                _ => {
                    let level = name.strip_prefix('l').and_then(|digits| digits.parse().ok());
                    let level = level.ok_or_else(|| bad("it is memtable, l0, l1, l2, …"))?;
                    let bytes = parse_bytes(value).ok_or_else(|| bad("a size such as 87M"))?;
                    parts.levels.push((level, bytes));
                }
            }
        }
        parts.levels.sort_unstable();
        Ok(Self::Parts(parts))
    }
}

/// A size in bytes, with K, M or G for powers of 1024. More than none, and finite.
fn parse_bytes(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: f64 = digits.parse().ok()?;
    let bytes = number * f64::from(1u32 << unit);
    (1.0..1e18).contains(&bytes).then_some(bytes as u64)
}

/// How full a memtable is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// So many entries.
    Entries(u64),
    /// So many thousandths of what it holds.
    PerMille(u64),
}

/// A wanted shape in terms of a database's own levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// How full the memtable is.
    pub(crate) memtable: Fill,
    /// Files of L0 that were full memtables.
    pub(crate) l0_full: usize,
    /// A last file of L0, from a memtable so full.
    pub(crate) l0_partial: Option<Fill>,
    /// Levels above the last one, from the deepest up, and bytes of each.
    pub(crate) upper: Vec<(usize, u64)>,
    /// The level that holds all keys.
    pub(crate) last: usize,
    /// Bytes that it must have, where that was asked for.
    pub(crate) last_bytes: Option<u64>,
}

/// Options of a column family that a shape depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// `num_levels`.
    pub(crate) num_levels: usize,
    /// `level_compaction_dynamic_level_bytes`: the last level is used first.
    pub(crate) dynamic_level_bytes: bool,
    /// `max_bytes_for_level_base`.
    pub(crate) level_base_bytes: u64,
    /// `max_bytes_for_level_multiplier`.
    pub(crate) fanout: f64,
    /// `level0_file_num_compaction_trigger`.
    pub(crate) l0_trigger: usize,
    /// Entries that a memtable holds, once that is known.
    pub(crate) memtable_capacity: Option<u64>,
}

impl Settings {
    /// Levels below L0 that so much data fills, each `fanout` times the one above and the first
    /// about as large as its option says.
    fn levels_for(&self, data_bytes: u64) -> usize {
        let ratio = data_bytes as f64 / self.level_base_bytes.max(1) as f64;
        let more = (ratio.ln() / self.fanout.max(1.1).ln()).round().max(0.0);
        (1 + more as usize).min(self.levels_max())
    }

    fn levels_max(&self) -> usize {
        self.num_levels.saturating_sub(1).max(1)
    }
}

impl Wanted {
    /// The shape for a database whose last level has so many bytes.
    ///
    /// # Errors
    /// `InvalidArgument` if the options or the data do not allow it.
    pub(crate) fn target(&self, data_bytes: u64, settings: &Settings) -> Result<Target> {
        if settings.num_levels < 2 {
            return Err(Status::invalid_argument("--shape needs --num_levels of at least 2"));
        }
        match self {
            Self::Stage(stage) => Ok(stage.target(data_bytes, settings)),
            Self::Parts(parts) => parts.target(data_bytes, settings),
        }
    }
}

impl Stage {
    fn target(self, data_bytes: u64, settings: &Settings) -> Target {
        let count = settings.levels_for(data_bytes);
        let last = match settings.dynamic_level_bytes {
            true => settings.levels_max(),
            false => count,
        };
        let mut bytes = data_bytes as f64;
        let mut upper: Vec<_> = (1..count)
            .map(|above| {
                bytes /= settings.fanout;
                (last - above, bytes as u64)
            })
            .collect();
        match self {
            Self::PreFlush | Self::PostFlush | Self::CompactL0 => {}
            // The first level, which is the last of these.
            Self::CompactL1 => _ = upper.pop(),
            Self::CompactAll | Self::L0AndLmax => upper.clear(),
        }
        let (empty, full) = (Fill::Entries(0), Fill::PerMille(MEMTABLE_PER_MILLE));
        let l0_full = settings.l0_trigger.saturating_sub(2).max(1);
        let (memtable, l0_full, l0_partial) = match self {
            Self::PreFlush | Self::L0AndLmax => (full, l0_full, None),
            Self::PostFlush => (empty, l0_full, Some(full)),
            Self::CompactL0 | Self::CompactL1 | Self::CompactAll => (empty, 0, None),
        };
        Target { memtable, l0_full, l0_partial, upper, last, last_bytes: None }
    }
}

impl Parts {
    fn target(&self, data_bytes: u64, settings: &Settings) -> Result<Target> {
        let count = self.levels.last().map_or(1, |(level, _)| *level);
        if count > settings.levels_max() {
            return Err(Status::invalid_argument(format!(
                "--shape: l{count}: with --num_levels={} there are {} below L0",
                settings.num_levels,
                settings.levels_max()
            )));
        }
        let last = match settings.dynamic_level_bytes {
            true => settings.levels_max(),
            false => count,
        };
        let (last_bytes, above) = match self.levels.split_last() {
            Some(((_, bytes), above)) => (Some(*bytes), above),
            None => (None, [].as_slice()),
        };
        if let Some((level, bytes)) = above.iter().find(|(_, bytes)| *bytes >= data_bytes / 10 * 9)
        {
            return Err(Status::invalid_argument(format!(
                "--shape: l{level} is to have {}: newer values of some of the keys of the last level, \
                 which has {}",
                text::bytes(*bytes),
                text::bytes(data_bytes)
            )));
        }
        let upper = above.iter().rev().map(|(level, bytes)| (last - (count - level), *bytes));
        Ok(Target {
            memtable: Fill::Entries(self.memtable),
            l0_full: self.l0,
            l0_partial: None,
            upper: upper.collect(),
            last,
            last_bytes,
        })
    }
}

#[cfg(test)]
mod tests;
