//! What a database should hold: the writes of a workload applied to maps.

use crate::operation::{Columns, Entry, FAMILIES, Operation, key_prefix, operation};
use std::collections::BTreeMap;

/// Keys and what they hold, of each of [`FAMILIES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content(pub [BTreeMap<Vec<u8>, Columns>; FAMILIES.len()]);

/// A value as the columns that it is.
pub fn plain(value: Vec<u8>) -> Columns {
    vec![(Vec::new(), value)]
}

/// The column without a name, which is what readers of values see; empty if there is none.
pub fn default_column(columns: &Columns) -> &[u8] {
    columns.iter().find(|(name, _)| name.is_empty()).map_or(&[], |(_, value)| value)
}

impl Content {
    /// Nothing.
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| BTreeMap::new()))
    }

    /// The part with the keys of a thread.
    #[must_use]
    pub fn of_thread(&self, thread: usize) -> Self {
        let prefix = key_prefix(thread).into_bytes();
        Self(std::array::from_fn(|family| {
            let pairs = self.0[family].iter().filter(|(key, _)| key.starts_with(&prefix));
            pairs.map(|(key, value)| (key.clone(), value.clone())).collect()
        }))
    }

    /// What readers see who know no columns.
    #[must_use]
    pub fn of_default_columns(&self) -> Self {
        Self(std::array::from_fn(|family| {
            let pairs = self.0[family].iter();
            pairs
                .map(|(key, columns)| (key.clone(), plain(default_column(columns).to_vec())))
                .collect()
        }))
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(BTreeMap::len).sum()
    }

    /// Writes.
    pub fn apply(&mut self, operation: &Operation) {
        for entry in &operation.entries {
            let map = &mut self.0[entry.family()];
            match entry {
                Entry::Put { key, value, .. } => {
                    map.insert(key.clone(), plain(value.clone()));
                }
                Entry::PutEntity { key, columns, .. } => {
                    map.insert(key.clone(), columns.clone());
                }
                Entry::Delete { key, .. } => {
                    map.remove(key);
                }
                Entry::Merge { key, operand, .. } => {
                    let columns = map.entry(key.clone()).or_default();
                    match columns.first_mut() {
                        Some((_, value)) => {
                            value.push(b',');
                            value.extend_from_slice(operand);
                        }
                        None => *columns = plain(operand.clone()),
                    }
                }
                Entry::DeleteRange { begin, end, .. } => {
                    map.retain(|key, _| key < begin || key >= end);
                }
            }
        }
    }

    /// The first difference, in words; none if there is none.
    pub fn difference(&self, found: &Self) -> Option<String> {
        for (family, (expected, found)) in self.0.iter().zip(&found.0).enumerate() {
            let keys = expected.keys().chain(found.keys());
            let differs = |key: &&Vec<u8>| expected.get(*key) != found.get(*key);
            if let Some(key) = keys.filter(differs).min() {
                return Some(format!(
                    "family {}, key {}: expected {}, found {}",
                    FAMILIES[family],
                    String::from_utf8_lossy(key),
                    shown(expected.get(key)),
                    shown(found.get(key))
                ));
            }
        }
        None
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::new()
    }
}

fn shown(columns: Option<&Columns>) -> String {
    let Some(columns) = columns else { return "nothing".to_owned() };
    let shortened =
        |text: &[u8]| String::from_utf8_lossy(text).chars().take(60).collect::<String>();
    let column = |(name, value): &(Vec<u8>, Vec<u8>)| match name.as_slice() {
        [] => shortened(value),
        name => format!("{}: {}", shortened(name), shortened(value)),
    };
    columns.iter().map(column).collect::<Vec<_>>().join("; ")
}

/// What a thread's part of the database is after its first writes.
#[derive(Clone, Debug)]
pub struct ThreadModel {
    seed: u64,
    thread: usize,
    /// How many writes `content` has.
    pub written: u64,
    /// The thread's keys.
    pub content: Content,
}

impl ThreadModel {
    /// Before the first write.
    pub fn new(seed: u64, thread: usize) -> Self {
        Self { seed, thread, written: 0, content: Content::new() }
    }

    /// Goes on with the writes of another seed, of which none is written yet.
    pub fn begin(&mut self, seed: u64) {
        self.seed = seed;
        self.written = 0;
    }

    /// After `written` writes, which are not fewer than now.
    pub fn advance(&mut self, written: u64) {
        while self.written < written {
            self.content.apply(&operation(self.seed, self.thread, self.written));
            self.written += 1;
        }
    }

    /// As [`ThreadModel::advance_to`], for writes that went to logs of which the end is lost while a
    /// later log survived: the writes before a loss, then those from one of `firsts` on, which are
    /// the first of a log each; and so on from there, up to `gaps_max` times.
    ///
    /// # Errors
    /// If there are no such numbers.
    pub fn advance_with_gaps(
        &mut self,
        found: &Content,
        (min, max): (u64, u64),
        firsts: &[u64],
        gaps_max: u32,
    ) -> Result<(), String> {
        let found = found.of_thread(self.thread);
        let there: Vec<u64> =
            (min..max).filter(|index| self.left_a_value(*index, &found)).collect();
        let search = GapSearch { found, max, firsts, there };
        match search.advance(self, min, gaps_max) {
            true => Ok(()),
            false => Err("gaps between logs do not explain it".to_owned()),
        }
    }

    /// Whether a write is surely among those that survived: a value is there that it alone put.
    fn left_a_value(&self, index: u64, found: &Content) -> bool {
        operation(self.seed, self.thread, index).entries.iter().any(|entry| match entry {
            // Shorter ones may be of another seed.
            Entry::Put { family, key, value } if value.len() > 20 => {
                let columns = found.0[*family].get(key);
                columns.is_some_and(|columns| default_column(columns).starts_with(value))
            }
            _ => false,
        })
    }

    /// The last number of writes up to `max` with the same content as now.
    fn last_equal(&self, max: u64) -> u64 {
        let mut later = self.clone();
        let mut last = self.written;
        while later.written < max {
            later.advance(later.written + 1);
            if later.content == self.content {
                last = later.written;
            }
        }
        last
    }

    /// Advances to the number of writes whose result is `found` (its other threads' keys are not
    /// looked at): at least `min`, which must be there, at most `max`, which were tried. Writes may
    /// change nothing: of several such numbers it is the smallest, and the largest is returned.
    ///
    /// # Errors
    /// If there is no such number: something is lost, or there is a hole.
    pub fn advance_to(&mut self, found: &Content, min: u64, max: u64) -> Result<u64, String> {
        let found = found.of_thread(self.thread);
        self.advance(min);
        let at_least = self.clone();
        let mut closest = String::new();
        loop {
            let Some(difference) = self.content.difference(&found) else {
                return Ok(self.last_equal(max));
            };
            closest = if self.written == max { difference } else { closest };
            if self.written >= max {
                break;
            }
            self.advance(self.written + 1);
        }
        let first = at_least.content.difference(&found).unwrap_or_default();
        Err(format!(
            "thread {}: the content is that of no number of writes from {min} (which must be there) \
             to {max} (which were tried); after {min}: {first}; after {max}: {closest}",
            self.thread
        ))
    }
}

/// What explains a content with gaps.
struct GapSearch<'a> {
    found: Content,
    max: u64,
    firsts: &'a [u64],
    /// Writes that are surely there, ascending.
    there: Vec<u64>,
}

impl GapSearch<'_> {
    fn advance(&self, model: &mut ThreadModel, min: u64, gaps_max: u32) -> bool {
        model.advance(min);
        for end in min..self.max {
            model.advance(end);
            let next_there = self.there.iter().find(|index| **index >= end).copied();
            // Logs after the one that lost its end; those between are lost whole.
            let firsts = self.firsts.iter().filter(|first| **first > end);
            for first in firsts.filter(|first| next_there.is_none_or(|next| next >= **first)) {
                let later = ThreadModel { written: *first, ..model.clone() };
                if let Some(explained) = self.run(later.clone()) {
                    *model = explained;
                    return true;
                }
                let mut later = later;
                if gaps_max > 1 && self.advance(&mut later, *first + 1, gaps_max - 1) {
                    *model = later;
                    return true;
                }
            }
        }
        false
    }

    /// Goes on without another gap.
    fn run(&self, mut model: ThreadModel) -> Option<ThreadModel> {
        let last_there = self.there.last().copied().unwrap_or(0);
        while model.written < self.max {
            model.advance(model.written + 1);
            if model.written > last_there && model.content == self.found {
                return Some(model);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
