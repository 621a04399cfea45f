//! Which of several sources has the next entry.
//!
//! A tournament: each inner node keeps the loser of the match between the winners below it, so that
//! when the winner moves on, its next entry plays only those that stand on its way to the top. What
//! is compared is a number for each source; who made the tree says what equal numbers mean.
//!
//! ```text
//!              winner          nodes[0]
//!                │
//!              loser           nodes[1]
//!             /     \
//!         loser      loser     nodes[2], nodes[3]
//!         /   \      /   \
//!        4     5    6     7    source 0, 1, 2, 3
//! ```
//!
//! While one source stays ahead of the best of the others a move costs one comparison with that.

use std::hint::select_unpredictable;

/// A source, and where its entry ranks.
#[derive(Clone, Copy, Debug)]
struct Place {
    rank: u64,
    source: usize,
}

/// A tree of sources, which count from 0.
#[derive(Clone, Debug, Default)]
pub struct LoserTree {
    /// The winner, then the loser of each match.
    nodes: Vec<Place>,
    /// No other place has a smaller rank than this; 0 if that is not known.
    runner_up: u64,
}

impl LoserTree {
    /// Has all sources play, one for each of `ranks`. `is_before` says of two sources of the same rank
    /// whether the first one's entry comes before that of the second.
    pub fn start(&mut self, ranks: &[u64], is_before: impl Fn(usize, usize) -> bool) {
        let count = ranks.len();
        let leaves = ranks.iter().enumerate().map(|(source, &rank)| Place { rank, source });
        let none = Place { rank: 0, source: 0 };
        let mut winners: Vec<Place> = std::iter::repeat_n(none, count).chain(leaves).collect();
        self.nodes.clear();
        self.nodes.resize(count, none);
        for node in (1..count).rev() {
            let (a, b) = (winners[2 * node], winners[2 * node + 1]);
            let (winner, loser) = if beats(b, a, &is_before) { (b, a) } else { (a, b) };
            winners[node] = winner;
            self.nodes[node] = loser;
        }
        if let (Some(top), Some(winner)) = (self.nodes.first_mut(), winners.get(1)) {
            *top = *winner;
        }
        self.runner_up = 0;
    }

    /// The source with the first entry; none if there are no sources.
    #[inline]
    pub fn winner(&self) -> Option<usize> {
        self.nodes.first().map(|winner| winner.source)
    }

    /// No source but the winner has a smaller rank than this; 0 if that is not known.
    #[inline]
    pub fn runner_up(&self) -> u64 {
        self.runner_up
    }

    /// The winner's next entry has this rank. `is_before` as in [`Self::start`].
    #[inline]
    pub fn advance(&mut self, rank: u64, is_before: impl Fn(usize, usize) -> bool) {
        let count = self.nodes.len();
        let Some(winner) = self.nodes.first_mut() else { return };
        winner.rank = rank;
        if rank < self.runner_up {
            return;
        }
        let last = *winner;
        let (mut moving, mut runner_up) = (last, u64::MAX);
        let mut node = (count + last.source) / 2;
        while node > 0 {
            let other = self.nodes[node];
            let is_other_first = beats(other, moving, &is_before);
            // Who wins is as good as chance, and a wrong guess costs more than both ways: no jump.
            let winner = select_unpredictable(is_other_first, other.source, moving.source);
            let loser = select_unpredictable(is_other_first, moving.source, other.source);
            let loser = Place { rank: moving.rank.max(other.rank), source: loser };
            moving = Place { rank: moving.rank.min(other.rank), source: winner };
            self.nodes[node] = loser;
            runner_up = runner_up.min(loser.rank);
            node /= 2;
        }
        self.nodes[0] = moving;
        // Of another winner those on this way are not all that it has beaten.
        self.runner_up = if moving.source == last.source { runner_up } else { 0 };
    }
}

#[inline]
fn beats(a: Place, b: Place, is_before: &impl Fn(usize, usize) -> bool) -> bool {
    if a.rank == b.rank { is_before(a.source, b.source) } else { a.rank < b.rank }
}

#[cfg(test)]
mod tests;
