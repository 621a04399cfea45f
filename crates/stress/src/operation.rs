//! The writes of a workload. Each follows from a seed, a thread and its place in the thread alone,
//! so that who checks a database needs no record of what was written, only how much.

use crate::random::Random;
use base::Result;
use db::WriteBatch;
use std::collections::{BTreeMap, BTreeSet};

/// The column families of every workload, by their place in a [`Content`](crate::model::Content).
pub const FAMILIES: [&str; 3] = ["default", "one", "two"];

/// Keys of each thread in each family.
const KEYS: u64 = 200;

/// Keys after those, that may hold entities and are never merged: RocksDB before 8.0 merges onto
/// no entity.
const ENTITY_KEYS: u64 = 20;

/// How seldom a write is one that fills a table well.
const TABLE_ONE_IN: u64 = 25;

/// What a key holds: columns by their names. A plain value is the column without a name.
pub type Columns = Vec<(Vec<u8>, Vec<u8>)>;

/// One entry of a batch; `family` is a place in [`FAMILIES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Sets a value.
    Put {
        /// Of the key.
        family: usize,
        /// It begins with the thread's prefix.
        key: Vec<u8>,
        /// Different in each entry.
        value: Vec<u8>,
    },
    /// Sets columns.
    PutEntity {
        /// Of the key.
        family: usize,
        /// As in a put.
        key: Vec<u8>,
        /// Names, ascending, and values.
        columns: Columns,
    },
    /// Deletes a key.
    Delete {
        /// Of the key.
        family: usize,
        /// As in a put.
        key: Vec<u8>,
    },
    /// Appends to a value, after a comma.
    Merge {
        /// Of the key.
        family: usize,
        /// As in a put.
        key: Vec<u8>,
        /// What to append.
        operand: Vec<u8>,
    },
    /// Deletes the thread's keys from `begin` up to `end`.
    DeleteRange {
        /// Of the keys.
        family: usize,
        /// The first.
        begin: Vec<u8>,
        /// The one after the last.
        end: Vec<u8>,
    },
}

impl Entry {
    /// Place of its column family.
    pub fn family(&self) -> usize {
        match self {
            Entry::Put { family, .. }
            | Entry::PutEntity { family, .. }
            | Entry::Delete { family, .. }
            | Entry::Merge { family, .. }
            | Entry::DeleteRange { family, .. } => *family,
        }
    }
}

/// One write: a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// All of it is written or nothing.
    pub entries: Vec<Entry>,
}

impl Operation {
    /// The entries in the order of their keys, if a table made apart can hold them: they are of one
    /// column family, and no two are of one key.
    pub fn as_table(&self) -> Option<BTreeMap<&[u8], &Entry>> {
        let family = self.entries.first()?.family();
        let mut table = BTreeMap::new();
        for entry in &self.entries {
            let (Entry::Put { key, .. }
            | Entry::PutEntity { key, .. }
            | Entry::Merge { key, .. }
            | Entry::Delete { key, .. }) = entry
            else {
                return None;
            };
            if entry.family() != family || table.insert(&key[..], entry).is_some() {
                return None;
            }
        }
        Some(table)
    }
}

/// What all keys of a thread begin with.
pub fn key_prefix(thread: usize) -> String {
    format!("{thread}:")
}

fn key(thread: usize, number: u64) -> Vec<u8> {
    format!("{}{number:04}", key_prefix(thread)).into_bytes()
}

/// The write at `index` of a thread.
pub fn operation(seed: u64, thread: usize, index: u64) -> Operation {
    let mut random = Random::of(&[seed, thread as u64, index]);
    if random.one_in(TABLE_ONE_IN) {
        return Operation { entries: puts(&mut random, thread, index) };
    }
    let count = if random.one_in(3) { 2 + random.below(5) } else { 1 };
    let entries = (0..count).map(|place| entry(&mut random, thread, index, place)).collect();
    Operation { entries }
}

/// Puts of different keys of one family.
fn puts(random: &mut Random, thread: usize, index: u64) -> Vec<Entry> {
    let family = random.below(FAMILIES.len() as u64) as usize;
    let numbers: BTreeSet<u64> = (0..2 + random.below(30)).map(|_| random.below(KEYS)).collect();
    let put = |(place, number)| Entry::Put {
        family,
        key: key(thread, number),
        value: value(random, index, place),
    };
    (0..).zip(numbers).map(put).collect()
}

fn entry(random: &mut Random, thread: usize, index: u64, place: u64) -> Entry {
    let family = random.below(FAMILIES.len() as u64) as usize;
    let number = random.below(KEYS);
    let key = key(thread, number);
    match random.below(100) {
        0..=59 => Entry::Put { family, key, value: value(random, index, place) },
        60..=64 => {
            let key = self::key(thread, KEYS + random.below(ENTITY_KEYS));
            let name = |number| format!("column {number}").into_bytes();
            let count = random.below(4);
            let unnamed = random.one_in(2).then(|| (Vec::new(), value(random, index, place)));
            let named = (0..count).map(|number| (name(number), value(random, index, place)));
            let columns: Columns = unnamed.into_iter().chain(named).collect();
            match columns.as_slice() {
                [] => Entry::Delete { family, key },
                _ => Entry::PutEntity { family, key, columns },
            }
        }
        65..=79 => Entry::Delete { family, key },
        80..=96 => Entry::Merge { family, key, operand: format!("{index}.{place}").into_bytes() },
        _ => {
            // It may go on into the keys of entities.
            let end = self::key(thread, number + 1 + random.below(KEYS / 4));
            Entry::DeleteRange { family, begin: key, end }
        }
    }
}

fn value(random: &mut Random, index: u64, place: u64) -> Vec<u8> {
    let size = match random.below(40) {
        0 => 0,
        1 => 5_000,
        _ => random.below(400),
    };
    let mut value = format!("{index}.{place}=").into_bytes();
    value.extend((0..size).map(|_| b'a' + random.below(26) as u8));
    value
}

/// The write as a batch; `ids` are those of [`FAMILIES`].
///
/// # Errors
/// If it is too large for a batch.
pub fn to_batch(operation: &Operation, ids: &[u32]) -> Result<WriteBatch> {
    let mut batch = WriteBatch::new();
    for entry in &operation.entries {
        let id = ids[entry.family()];
        match entry {
            Entry::Put { key, value, .. } => batch.put(id, key, value)?,
            Entry::PutEntity { key, columns, .. } => {
                let columns = columns.iter().map(|(name, value)| (&name[..], &value[..]));
                batch.put_entity(id, key, &columns.collect::<Vec<_>>())?;
            }
            Entry::Delete { key, .. } => batch.delete(id, key)?,
            Entry::Merge { key, operand, .. } => batch.merge(id, key, operand)?,
            Entry::DeleteRange { begin, end, .. } => batch.delete_range(id, begin, end)?,
        }
    }
    Ok(batch)
}
