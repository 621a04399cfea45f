//! Which region is joined next, and when.

use crate::huge_pages::collapse::Refusal;
use crate::huge_pages::regions::{Region, Regions};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

/// For each time unit of work it rests for so many.
const REST: u32 = 3;
/// How far apart it is looked how much came meanwhile.
pub(super) const SETTLING: Duration = Duration::from_millis(100);
/// Nothing is joined while there comes so much that all would double within this time: whoever needs new memory, and
/// nobody else, waits for what is joined.
const DOUBLING: Duration = Duration::from_secs(4);
/// What the system refused it is asked again after this time, then after twice as long each.
const ASKED_AGAIN: Duration = Duration::from_secs(1);
const ASKED_AGAIN_MAX: Duration = Duration::from_secs(1 << 10);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Join(Region),
    /// To look again after that time.
    Wait(Duration),
    /// To look again when a region has become ready, or after that time.
    Rest(Option<Duration>),
}

/// How much there was at a time.
#[derive(Clone, Copy, Debug)]
struct Look {
    time: Duration,
    bytes: usize,
}

/// How long it waits when something is refused.
#[derive(Debug)]
struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(ASKED_AGAIN)
    }
}

impl Patience {
    fn next_pause(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(ASKED_AGAIN_MAX);
        pause
    }
}

#[derive(Debug)]
pub(super) struct Joiner {
    /// Where it went on last: one that has to wait keeps no other from being tried.
    last: Region,
    look: Option<Look>,
    /// When the system has no page.
    with_pages: Patience,
    /// When regions are refused.
    with_regions: Patience,
    /// Those that were refused and not joined since.
    refused: BTreeSet<Region>,
    /// When regions that were refused have their turn again.
    retry: Option<Duration>,
}

impl Default for Joiner {
    fn default() -> Self {
        Self {
            last: Region(0),
            look: None,
            with_pages: Patience::default(),
            with_regions: Patience::default(),
            refused: BTreeSet::new(),
            retry: None,
        }
    }
}

impl Joiner {
    /// What is to be done at `now`, a time of a clock that does not go back.
    pub(super) fn next(&mut self, regions: &Regions, now: Duration) -> Step {
        if !regions.are_worth_it() {
            self.look = None;
            return Step::Rest(None);
        }
        if self.retry.is_some_and(|retry| now >= retry) {
            self.retry = None;
            regions.forget_refused();
        }
        self.plan_retry(regions, now);
        let Some(region) = regions.next_ready(self.last) else {
            self.look = None;
            return Step::Rest(self.retry.map(|retry| retry - now));
        };
        let look = Look { time: now, bytes: regions.bytes() };
        let Some(before) = self.look else {
            self.look = Some(look);
            return Step::Wait(SETTLING);
        };
        if now.saturating_sub(before.time) >= SETTLING {
            self.look = Some(look);
            if doubles_soon(before, look) {
                return Step::Wait(SETTLING);
            }
        }
        Step::Join(region)
    }

    /// Keeps in mind what became of `region`, and when that was. Returns for how long nothing is to be done.
    pub(super) fn pause_after(
        &mut self,
        regions: &Regions,
        region: Region,
        outcome: Result<(), Refusal>,
        tried: Range<Duration>,
    ) -> Duration {
        self.last = region;
        match outcome {
            Ok(()) => {
                regions.set_joined(region);
                self.refused.remove(&region);
                self.with_pages = Patience::default();
                self.be_patient_anew(tried.end);
            }
            Err(Refusal::NoPage) => {
                self.look = None;
                return self.with_pages.next_pause();
            }
            Err(Refusal::ThisRegion) => {
                regions.set_refused(region);
                // It may only not be filled yet.
                if self.refused.insert(region) {
                    self.be_patient_anew(tried.end);
                }
            }
        }
        (tried.end - tried.start) * REST
    }

    /// What was refused has its turn soon, though not later for that.
    fn be_patient_anew(&mut self, now: Duration) {
        self.with_regions = Patience::default();
        if let Some(retry) = self.retry {
            self.retry = Some(retry.min(now + self.with_regions.next_pause()));
        }
    }

    /// What was refused will have its turn, if anything was.
    fn plan_retry(&mut self, regions: &Regions, now: Duration) {
        if self.retry.is_none() && regions.has_refused() {
            self.retry = Some(now + self.with_regions.next_pause());
        }
    }
}

/// Whether at the pace between two looks there would be twice as much before long.
fn doubles_soon(before: Look, after: Look) -> bool {
    let grown = after.bytes.saturating_sub(before.bytes) as u128;
    let time = after.time.saturating_sub(before.time);
    grown * DOUBLING.as_nanos() > before.bytes as u128 * time.as_nanos()
}

#[cfg(test)]
mod tests;
