//! Places for entries, which stay where they are: an array of chunks that grows by a chunk.
//!
//! One array for all would copy every entry when it grows, while a shard is locked, and then have room for
//! as many again.

use std::ops::{Index, IndexMut};

/// Places of a chunk.
const CHUNK_LENGTH: usize = 32;

/// Entries by their number.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// All but the last are full.
    chunks: Vec<Vec<T>>,
}

impl<T> Slab<T> {
    /// How many entries there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, full)) => full.len() * CHUNK_LENGTH + last.len(),
            None => 0,
        }
    }

    /// Adds an entry, behind the others.
    pub(crate) fn push(&mut self, entry: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK_LENGTH => last.push(entry),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK_LENGTH);
                chunk.push(entry);
                self.chunks.push(chunk);
            }
        }
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T> Index<usize> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: usize) -> &T {
        &self.chunks[number / CHUNK_LENGTH][number % CHUNK_LENGTH]
    }
}

impl<T> IndexMut<usize> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.chunks[number / CHUNK_LENGTH][number % CHUNK_LENGTH]
    }
}

#[cfg(test)]
mod tests;
