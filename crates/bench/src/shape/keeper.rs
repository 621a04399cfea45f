//! Keeps a run's databases in the wanted shape: made before a benchmark, proven after it.

use super::difference::change;
use super::shaper::Shaper;
use super::wanted::{Stage, Wanted};
use crate::family_options::family_options;
use crate::flags::Flags;
use crate::workload::{Changes, Target};
use base::{Result, Status};
use engines::Engine;
use record::{Shape, shape_text as text};

/// Keeps the databases of a run in shape.
#[derive(Debug)]
pub(crate) struct ShapeKeeper {
    wanted: Wanted,
    /// The stage that is gone to as it was published, once for a database.
    published: Option<Stage>,
    /// Whether that is done.
    is_published: bool,
    /// Entries that a memtable holds, once that is known; by database.
    capacities: Vec<Option<u64>>,
    /// Whether compactions are off in all databases since they were last brought into shape.
    is_frozen: bool,
}

impl ShapeKeeper {
    /// What `--shape` asks for; none if it is not given.
    ///
    /// # Errors
    /// `InvalidArgument` for a text or a combination of flags that makes no sense.
    pub(crate) fn from_flags(flags: &Flags) -> Result<Option<Self>> {
        let as_published = flags.bool("as_published");
        let wanted = match flags.text("shape") {
            "" => return Ok(None),
            text => Wanted::parse(text)?,
        };
        if flags.bool("readonly") {
            return Err(Status::invalid_argument("--shape writes, and --readonly was given"));
        }
        let published = match &wanted {
            Wanted::Stage(stage) if as_published => Some(*stage),
            Wanted::Parts(_) if as_published => {
                return Err(Status::invalid_argument(
                    "--as_published goes with stages; the campaign had no other shapes",
                ));
            }
            _ => None,
        };
        Ok(Some(Self {
            wanted,
            published,
            is_published: false,
            capacities: Vec::new(),
            is_frozen: false,
        }))
    }

    /// The databases are other ones from now on.
    pub(crate) fn start_afresh(&mut self) {
        self.is_published = false;
        self.is_frozen = false;
    }

    /// Brings all databases into the shape. Before a benchmark that only reads nothing may change it
    /// afterwards; before one that writes compactions are as the flags say again.
    ///
    /// # Errors
    /// As [`Shaper::reach`].
    pub(crate) fn prepare<E: Engine>(
        &mut self,
        flags: &Flags,
        targets: &[Target<E>],
        seed_base: u64,
        changes: Changes,
    ) -> Result<()> {
        if changes == Changes::AllOfIt {
            // It fills an empty database, which has no shape yet.
            return Ok(());
        }
        let options = family_options(flags)?;
        self.capacities.resize(targets.len(), None);
        for (target, capacity) in targets.iter().zip(&mut self.capacities) {
            let mut shaper = Shaper::new(flags, target, &options, seed_base)?;
            match self.published {
                Some(_) if self.is_published => {}
                Some(stage) => shaper.as_published(stage, seed_base)?,
                // Nothing begins by itself, so that nothing need be waited for.
                None if self.is_frozen && shaper.has(&self.wanted, *capacity)? => {}
                None => shaper.reach(&self.wanted, capacity)?,
            }
            if changes == Changes::Database && self.published.is_none() {
                shaper.freeze(false)?;
            }
        }
        self.is_published = true;
        self.is_frozen = changes == Changes::Nothing && self.published.is_none();
        Ok(())
    }

    /// Prints the shapes before and after a run, and says if one changed that should not have.
    ///
    /// # Errors
    /// `Aborted` with both, after a benchmark that only reads.
    pub(crate) fn prove(
        &self,
        changes: Changes,
        before: Option<&Shape>,
        after: Option<&Shape>,
    ) -> Result<()> {
        for (when, shape) in [("before", before), ("after", after)] {
            for (family, shape) in shape.into_iter().flatten() {
                let family = if family == "default" { String::new() } else { format!(" {family}") };
                println!("shape {when}{family}: {}", text::line(shape));
            }
        }
        if changes != Changes::Nothing || self.published.is_some() {
            return Ok(());
        }
        let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
        for (family, before) in before {
            if let Some(change) = after.get(family).and_then(|after| change(before, after)) {
                return Err(Status::aborted(format!(
                    "--shape: the tree changed while it was measured; {change}"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
