//! The children of a merge that stand behind the current one, the first of them at the head.
//!
//! Which of several runs has the next key is as good as chance, and a jump on it that was guessed wrong takes longer
//! than a look at all the ranks of a few runs. So a few are looked through for the least rank, without jumps. More of
//! them are a heap, and so are those that ranks tell little of: their keys have to be compared, and a heap compares
//! fewer.

use super::Place;
use crate::heap;
use std::hint::select_unpredictable;

/// So many are looked through.
const LOOKED_THROUGH_MAX: usize = if cfg!(test) { 4 } else { 16 };

/// How many keys may be compared before that tells anything. After that it may be one for each look at ranks, which
/// is what a key takes that two runs have.
const COMPARED_FREE: u32 = if cfg!(test) { 4 } else { 64 };

/// Places of children, ordered by an `is_before` that every call is given, the same since [`Self::start`].
#[derive(Debug, Default)]
pub(super) struct RunnersUp {
    places: Vec<Place>,
    is_heap: bool,
    /// How often the first was looked for, and how many keys were compared for that, since the start.
    looks: u32,
    compared: u32,
}

impl RunnersUp {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { places: Vec::with_capacity(capacity), ..Self::default() }
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    /// Adds one, of which nobody asks before [`Self::start`].
    pub(super) fn add(&mut self, place: Place) {
        self.places.push(place);
    }

    /// Puts those that were added in order. `has_ranks` says that ranks tell some of them apart.
    pub(super) fn start(&mut self, has_ranks: bool, is_before: impl Fn(&Place, &Place) -> bool) {
        (self.looks, self.compared) = (0, 0);
        self.is_heap = !has_ranks || self.places.len() > LOOKED_THROUGH_MAX;
        if self.is_heap {
            heap::heapify(&mut self.places, is_before);
        } else {
            self.find_first(is_before);
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<&Place> {
        self.places.first()
    }

    /// Takes the first one out.
    pub(super) fn pop(&mut self, is_before: impl Fn(&Place, &Place) -> bool) -> Option<Place> {
        if self.places.is_empty() {
            return None;
        }
        let first = self.places.swap_remove(0);
        self.find_first(is_before);
        Some(first)
    }

    /// The first one, in whose stead there is another one now.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(super) fn replace_first(
        &mut self,
        place: Place,
        is_before: impl Fn(&Place, &Place) -> bool,
    ) -> Place {
        let first = std::mem::replace(&mut self.places[0], place);
        self.find_first(is_before);
        first
    }

    /// Brings the first one to the head, where another one was put.
    #[inline(always)]
    fn find_first(&mut self, is_before: impl Fn(&Place, &Place) -> bool) {
        if self.is_heap {
            return heap::sift_down(&mut self.places, 0, is_before);
        }
        let Some(head) = self.places.first() else { return };
        let (mut first, mut rank, mut is_tied) = (0, head.rank, false);
        for (index, place) in self.places.iter().enumerate().skip(1) {
            let is_less = place.rank < rank;
            is_tied = !is_less & (is_tied | (place.rank == rank));
            first = select_unpredictable(is_less, index, first);
            rank = rank.min(place.rank);
        }
        self.looks = self.looks.saturating_add(1);
        if is_tied {
            return self.find_first_by_keys(rank, is_before);
        }
        self.places.swap(0, first);
    }

    /// As [`Self::find_first`], where several have the least rank.
    #[inline(never)]
    fn find_first_by_keys(&mut self, rank: u64, is_before: impl Fn(&Place, &Place) -> bool) {
        if self.compared > COMPARED_FREE && self.compared > self.looks {
            self.is_heap = true;
            return heap::heapify(&mut self.places, is_before);
        }
        let mut first: Option<usize> = None;
        for index in 0..self.places.len() {
            if self.places[index].rank != rank {
                continue;
            }
            let Some(other) = first else {
                first = Some(index);
                continue;
            };
            self.compared = self.compared.saturating_add(1);
            if is_before(&self.places[index], &self.places[other]) {
                first = Some(index);
            }
        }
        self.places.swap(0, first.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests;
