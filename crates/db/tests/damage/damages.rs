//! Which damages are done to a file, and running a check over them.

use crate::mem_database::{MemDatabase, Original};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::corrupt::{self, Damage, MASKS};
use testing::long_mode::is_long;
use testing::parallel;

/// Damages that share a copy of the database.
const DAMAGES_PER_COPY: usize = 64;

/// Offsets of a file that [`Thoroughness::Some`] takes, about.
const SAMPLES: usize = 150;

/// A damage to a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Damage(Damage),
    /// From here on zeros: a file whose end was never written.
    ZeroFrom(usize),
}

impl Change {
    pub(crate) fn apply(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Damage(damage) => damage.apply(bytes),
            Self::ZeroFrom(offset) => {
                let mut changed = bytes.to_vec();
                changed[offset..].fill(0);
                changed
            }
        }
    }

    /// The first byte that may differ.
    pub(crate) fn offset(self) -> usize {
        match self {
            Self::Damage(Damage::Flip { offset, .. }) | Self::ZeroFrom(offset) => offset,
            Self::Damage(Damage::Truncate { size_bytes }) => size_bytes,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damage(damage) => damage.fmt(formatter),
            Self::ZeroFrom(offset) => write!(formatter, "zeros from byte {offset}"),
        }
    }
}

/// How many of the offsets of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Thoroughness {
    Every,
    /// Some of each kind, the same ones each time.
    Some,
}

fn step(size_bytes: usize, thoroughness: Thoroughness) -> usize {
    match thoroughness {
        _ if is_long() => 1,
        Thoroughness::Every => 1,
        // Odd, so that neither all even nor all aligned offsets are left out.
        Thoroughness::Some => (size_bytes / SAMPLES) | 1,
    }
}

/// Flips and truncations; with `zeros` also ends that were never written.
pub(crate) fn changes(size_bytes: usize, thoroughness: Thoroughness, zeros: bool) -> Vec<Change> {
    let step = step(size_bytes, thoroughness);
    let mut changes = Vec::new();
    for offset in (0..size_bytes).step_by(step) {
        let one = [MASKS[offset / step % MASKS.len()]];
        let masks: &[u8] = if is_long() { &MASKS } else { &one };
        changes.extend(masks.iter().map(|&mask| Change::Damage(Damage::Flip { offset, mask })));
    }
    let cuts = corrupt::truncations(size_bytes).step_by(step);
    changes.extend(cuts.map(Change::Damage));
    if zeros {
        changes.extend((0..size_bytes).step_by(step).map(Change::ZeroFrom));
    }
    changes
}

/// One file of one database, and a check for every damage to it.
pub(crate) struct Victim {
    pub(crate) original: Arc<Original>,
    pub(crate) file: String,
    pub(crate) changes: Vec<Change>,
}

impl fmt::Display for Victim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.original, self.file)
    }
}

/// Some of the damages to a victim.
struct Part<'v> {
    victim: &'v Victim,
    index: usize,
    changes: &'v [Change],
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.victim.fmt(formatter)
    }
}

/// Applies every change of every victim in turn and calls `check` with the database, the number of
/// the victim and the change. `check` says whether the change was found. Returns how many were, by
/// victim.
///
/// # Panics
/// With a report of the checks that failed.
pub(crate) fn for_each(
    victims: &[Victim],
    check: impl Fn(&mut MemDatabase, usize, Change) -> Result<bool, String> + Sync,
) -> Vec<usize> {
    let found: Vec<_> = victims.iter().map(|_| AtomicUsize::new(0)).collect();
    let parts: Vec<_> = victims
        .iter()
        .enumerate()
        .flat_map(|(index, victim)| {
            let chunks = victim.changes.chunks(DAMAGES_PER_COPY);
            chunks.map(move |changes| Part { victim, index, changes })
        })
        .collect();
    parallel::for_each(&parts, |part| {
        let mut database = part.victim.original.in_memory();
        let bytes = &part.victim.original.files[&part.victim.file];
        for &change in part.changes {
            database.write(&part.victim.file, &change.apply(bytes));
            match check(&mut database, part.index, change) {
                Ok(true) => drop(found[part.index].fetch_add(1, Ordering::Relaxed)),
                Ok(false) => {}
                Err(why) => return Err(format!("{change}: {why}")),
            }
        }
        Ok(())
    });
    found.into_iter().map(AtomicUsize::into_inner).collect()
}
