//! What one memtable is filled with, and what readers may find there.

use crate::random::Random;

/// What keys look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// 16 random bytes.
    Random,
    /// 12 bytes that all have in common, and four that tell them apart.
    CommonStart,
    /// 0 to 64 bytes of few kinds, many of them the start of others, or others with zeroes behind.
    AnyLength,
    /// Numbers that follow each other.
    Numbers,
    /// Eight bytes of which there are three kinds, and what tells keys apart behind them.
    SameRanks,
    /// Few keys with many versions each.
    FewKeys,
}

impl Shape {
    /// All there are.
    pub(super) const ALL: [Self; 6] = [
        Self::Random,
        Self::CommonStart,
        Self::AnyLength,
        Self::Numbers,
        Self::SameRanks,
        Self::FewKeys,
    ];

    fn key(self, number: u64, random: &mut Random) -> Vec<u8> {
        let text = |number: u64| format!("user{number:012}").into_bytes();
        match self {
            Self::Random => {
                [random.draw().to_be_bytes(), random.draw().to_be_bytes()].as_flattened().to_vec()
            }
            Self::CommonStart => {
                let rest = (random.draw() as u32).to_be_bytes();
                [b"common start".as_slice(), &rest].concat()
            }
            Self::AnyLength => {
                let length = random.below(65) as usize;
                let kinds = random.pick(&[[0, 0], [0, 1], [0, 255]]);
                let mut key = vec![0; length];
                let varied = random.below(length as u64 + 1) as usize;
                key[..varied].fill_with(|| random.pick(&kinds));
                key
            }
            Self::Numbers | Self::FewKeys => text(number),
            Self::SameRanks => {
                let rank = random.pick(&[[0_u8; 8], [7; 8], [255; 8]]);
                let rest = random.draw().to_be_bytes();
                let length = random.below(9) as usize;
                [rank.as_slice(), &rest[..length]].concat()
            }
        }
    }
}

/// In which order keys come.
#[derive(Clone, Copy, Debug)]
enum Order {
    Scattered,
    Ascending,
    Descending,
    /// Several ascending runs in turn.
    Runs,
}

/// So many runs.
const RUNS: u64 = 7;

/// Records in the order in which they are inserted. The n-th one, from 1 on, has n as its sequence number.
#[derive(Debug)]
pub(super) struct Plan {
    /// All keys, in order: one in eight of them is never inserted.
    keys: Vec<Vec<u8>>,
    /// The key of each record, by its sequence number less one.
    inserted: Vec<u32>,
    /// Sequence numbers in the order of internal keys.
    by_rank: Vec<u32>,
    /// Where in that order each record is, by its sequence number less one.
    ranks: Vec<u32>,
    /// Where the records of each key begin, with the end of all behind them.
    first_ranks: Vec<u32>,
    /// What these records are, in a line.
    pub(super) text: String,
}

impl Plan {
    /// `count` records of a shape.
    pub(super) fn new(random: &mut Random, shape: Shape, count: usize) -> Self {
        let key_count = match shape {
            Shape::FewKeys => 30,
            _ => (count as u64).max(30),
        };
        let mut keys: Vec<_> = (0..key_count).map(|number| shape.key(number, random)).collect();
        keys.sort();
        keys.dedup();
        let orders =
            [Order::Scattered, Order::Scattered, Order::Ascending, Order::Descending, Order::Runs];
        let order = random.pick(&orders);
        let inserted = inserted(random, order, keys.len() as u64, count as u64);
        let mut first_ranks = vec![0; keys.len() + 1];
        for key in &inserted {
            first_ranks[*key as usize + 1] += 1;
        }
        for key in 0..keys.len() {
            first_ranks[key + 1] += first_ranks[key];
        }
        // The newest version of a key is the first one.
        let mut ends = first_ranks[1..].to_vec();
        let (mut by_rank, mut ranks) = (vec![0; count], vec![0; count]);
        for (index, key) in inserted.iter().enumerate() {
            let end = &mut ends[*key as usize];
            *end -= 1;
            by_rank[*end as usize] = index as u32 + 1;
            ranks[index] = *end;
        }
        let text = format!("{count} records, {shape:?} keys, {order:?}");
        Self { keys, inserted, by_rank, ranks, first_ranks, text }
    }

    /// How many records there will be.
    pub(super) fn count(&self) -> usize {
        self.inserted.len()
    }

    /// How many keys there are, also of those that are never inserted.
    pub(super) fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// A key by its number.
    pub(super) fn key(&self, number: usize) -> &[u8] {
        &self.keys[number]
    }

    /// The key of the record with a sequence number.
    pub(super) fn key_of(&self, sequence: usize) -> &[u8] {
        self.key(self.inserted[sequence - 1] as usize)
    }

    /// Where in the order of internal keys the record with a sequence number is.
    pub(super) fn rank_of(&self, sequence: usize) -> usize {
        self.ranks[sequence - 1] as usize
    }

    /// The ranks of a key's records up to a sequence number: all that a reader of that number sees.
    pub(super) fn ranks_up_to(&self, key: usize, sequence: u64) -> std::ops::Range<usize> {
        let (first, end) = (self.first_ranks[key] as usize, self.first_ranks[key + 1] as usize);
        let newer = self.by_rank[first..end].partition_point(|it| u64::from(*it) > sequence);
        first + newer..end
    }

    /// The ranks of the records with the key of the record at `rank` that come before it.
    pub(super) fn newer_versions(&self, rank: usize) -> std::ops::Range<usize> {
        let key = self.inserted[self.by_rank[rank] as usize - 1] as usize;
        self.first_ranks[key] as usize..rank
    }

    /// A record among those at `ranks` that was inserted as one of the first `published`, if there is one.
    #[inline]
    pub(super) fn published_among(
        &self,
        ranks: std::ops::Range<usize>,
        published: u64,
    ) -> Option<u32> {
        self.by_rank[ranks].iter().copied().find(|sequence| u64::from(*sequence) <= published)
    }
}

fn inserted(random: &mut Random, order: Order, keys: u64, count: u64) -> Vec<u32> {
    let run = keys.div_ceil(RUNS);
    let keys_in_order = (0..count).map(|index| match order {
        Order::Scattered => random.below(keys),
        Order::Ascending => index * keys / count,
        Order::Descending => keys - 1 - index * keys / count,
        Order::Runs => (index % RUNS * run + index / RUNS % run).min(keys - 1),
    });
    // Of every eight keys the last one is left out.
    keys_in_order.map(|key| if key % 8 == 7 { key - 1 } else { key } as u32).collect()
}

/// The value of a record of the memtable that `salt` stands for: all of it follows from these, so that no
/// part of another record's value passes for one of this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    hash: u64,
    length: usize,
}

/// Few values are longer than this.
const SHORT_VALUE: u64 = 40;

impl Value {
    /// The value of a record.
    #[inline]
    pub(super) fn of(salt: u64, sequence: usize) -> Self {
        let hash = Random::new(salt ^ (sequence as u64) << 20).draw();
        let length = (hash >> 32) % SHORT_VALUE;
        // Some are too long to be copied when they are kept.
        Self { hash, length: (if hash.is_multiple_of(64) { 8 * length } else { length }) as usize }
    }

    #[inline]
    fn word(self, index: usize) -> [u8; 8] {
        let word = self.hash.wrapping_mul(0x9e37_79b9_7f4a_7c15 + 2 * index as u64);
        (word ^ word >> 29).to_le_bytes()
    }

    /// Puts it in the place of what `buffer` holds.
    pub(super) fn write_to(self, buffer: &mut Vec<u8>) {
        buffer.clear();
        (0..self.length.div_ceil(8)).for_each(|index| buffer.extend(self.word(index)));
        buffer.truncate(self.length);
    }

    /// Whether these bytes are it.
    #[inline]
    pub(super) fn is(self, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks::<8>();
        bytes.len() == self.length
            && words.iter().enumerate().all(|(index, word)| *word == self.word(index))
            && *rest == self.word(words.len())[..rest.len()]
    }
}

#[cfg(test)]
mod tests;
