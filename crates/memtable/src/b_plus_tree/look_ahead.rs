//! What a cursor asks the processor for on its way from record to record.
//!
//! A record is asked for some steps before the cursor comes to it, and the addresses of a leaf's records
//! as many steps before that, while the cursor is in the leaf before.

#[cfg(test)]
mod tests;

/// How many steps ahead of a cursor a record is asked for.
const DISTANCE: usize = 8;

/// Which way a cursor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Back,
}

/// A slot, seen from the leaf where the cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// In that leaf.
    Here(usize),
    /// In the next one that way, so many slots behind the first that the cursor comes to there.
    NextLeaf(usize),
}

impl Direction {
    /// How many slots come this way after that at `index` of a leaf with `count` of them.
    #[inline]
    fn left(self, index: usize, count: usize) -> usize {
        match self {
            Self::Forward => count.saturating_sub(index + 1),
            Self::Back => index,
        }
    }

    /// The slot of the record to ask for when the cursor comes to `index`.
    #[inline]
    pub(super) fn record_ahead(self, index: usize, count: usize) -> Ahead {
        match (DISTANCE.checked_sub(self.left(index, count) + 1), self) {
            (Some(behind), _) => Ahead::NextLeaf(behind),
            (None, Self::Forward) => Ahead::Here(index + DISTANCE),
            (None, Self::Back) => Ahead::Here(index - DISTANCE),
        }
    }

    /// The slot that is so many behind the first one that the cursor comes to, in a leaf with `count` of them, which
    /// only one way asks for.
    #[inline]
    pub(super) fn slot_of(self, behind: usize, count: impl FnOnce() -> usize) -> usize {
        match self {
            Self::Forward => behind,
            Self::Back => count().saturating_sub(behind + 1),
        }
    }

    /// Whether to ask for the addresses of the next leaf's records when the cursor comes to `index`.
    #[inline]
    pub(super) fn needs_addresses(self, index: usize, count: usize) -> bool {
        self.left(index, count) + 1 == 2 * DISTANCE
    }

    /// Whether a cursor that came into a leaf at `index` will not come to where they are asked for.
    #[inline]
    pub(super) fn is_late_for_addresses(self, index: usize, count: usize) -> bool {
        self.left(index, count) + 1 < 2 * DISTANCE
    }
}
