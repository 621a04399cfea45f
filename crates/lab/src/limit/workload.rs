//! What a limit needs to know of a workload.

/// In which order keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the keys, into an empty database.
    Keys,
    /// At random, into an empty database.
    Random,
    /// At random, over what is there.
    Over,
}

/// What one operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Looks a key up.
    PointRead,
    /// Looks several keys up together.
    BatchRead,
    /// Goes on to the next entry.
    Scan,
    /// Seeks, then reads some entries.
    Seek,
    /// Writes an entry.
    Write(Order),
    /// Writes an entry and makes it safe.
    SyncedWrite,
    /// Looks a key up and writes it.
    ReadThenWrite(Order),
}

/// Benchmarks that a formula covers.
const KINDS: &[(&str, Kind)] = &[
    ("appendrandom", Kind::ReadThenWrite(Order::Over)),
    ("fillbatch", Kind::Write(Order::Keys)),
    ("fillrandom", Kind::Write(Order::Random)),
    ("fillseq", Kind::Write(Order::Keys)),
    ("fillsync", Kind::SyncedWrite),
    ("filluniquerandom", Kind::Write(Order::Random)),
    ("mergerandom", Kind::Write(Order::Over)),
    ("multireadrandom", Kind::BatchRead),
    ("overwrite", Kind::Write(Order::Over)),
    ("readrandom", Kind::PointRead),
    ("readreverse", Kind::Scan),
    ("readseq", Kind::Scan),
    ("readwhilemerging", Kind::PointRead),
    ("readwhilewriting", Kind::PointRead),
    ("seekrandom", Kind::Seek),
    ("seekrandomwhilemerging", Kind::Seek),
    ("seekrandomwhilewriting", Kind::Seek),
    ("updaterandom", Kind::ReadThenWrite(Order::Over)),
];

/// How many times an entry is written to and read from the device until it lies where it stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplification {
    /// By flushes and compactions; a log that is not synced costs the device nothing in time.
    pub written: f64,
    /// By compactions.
    pub read: f64,
}

impl Amplification {
    /// Nothing leaves memory.
    pub const NONE: Self = Self { written: 0.0, read: 0.0 };
}

/// A workload. Defaults are those of `db_bench`.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The benchmark's name.
    pub benchmark: String,
    /// Bytes of a key.
    pub key_bytes: u64,
    /// Bytes of a value.
    pub value_bytes: u64,
    /// Entries of the database.
    pub entries: u64,
    /// Operations of all threads.
    pub operations: u64,
    /// Threads.
    pub threads: u64,
    /// Processors of the machine.
    pub processors: u64,
    /// Keys of a batch.
    pub batch: u64,
    /// Entries that are read after a seek.
    pub seek_nexts: u64,
    /// Sorted runs that a seek merges.
    pub runs: u64,
    /// What compression leaves of the bytes; 1 without.
    pub stored_share: f64,
    /// Bytes of a memtable.
    pub write_buffer_bytes: u64,
    /// Memtables that are flushed before L0 is compacted.
    pub l0_trigger: u64,
    /// Bytes of the first level below L0.
    pub l1_bytes: u64,
    /// How many times larger each level is than the one above.
    pub fanout: f64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Whether nothing of the database is in memory when it begins.
    pub is_cold: bool,
    /// Whether every write is made safe before the next.
    pub is_synced: bool,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            benchmark: String::new(),
            key_bytes: 16,
            value_bytes: 100,
            entries: 1_000_000,
            operations: 1_000_000,
            threads: 1,
            processors: 1,
            batch: 1,
            seek_nexts: 0,
            runs: 1,
            stored_share: 0.5,
            write_buffer_bytes: 64 << 20,
            l0_trigger: 4,
            l1_bytes: 256 << 20,
            fanout: 10.0,
            block_bytes: 4096,
            is_cold: false,
            is_synced: false,
        }
    }
}

impl Workload {
    /// What an operation of the benchmark does; None if no formula covers it.
    pub fn kind(&self) -> Option<Kind> {
        let kind = KINDS.iter().find(|(name, _)| *name == self.benchmark).map(|(_, kind)| *kind)?;
        match kind {
            Kind::Write(_) if self.is_synced => Some(Kind::SyncedWrite),
            kind => Some(kind),
        }
    }

    /// Bytes of an entry, before compression.
    pub fn entry_bytes(&self) -> u64 {
        self.key_bytes.saturating_add(self.value_bytes)
    }

    /// Bytes of an entry on the device.
    pub fn stored_entry_bytes(&self) -> f64 {
        self.entry_bytes() as f64 * self.stored_share
    }

    /// Bytes of the database, before compression.
    pub fn data_bytes(&self) -> u64 {
        self.entries.saturating_mul(self.entry_bytes())
    }

    /// How many threads get on at the same time.
    pub fn parallel(&self) -> f64 {
        self.threads.min(self.processors).max(1) as f64
    }

    /// How often an entry is rewritten in a leveled tree of this size.
    ///
    /// In key order each entry is written once. Into an empty database it is written by the flush, and
    /// once more for each level that it comes to. Over a full one, a level below the first costs half its
    /// fanout.
    pub fn amplification(&self, order: Order) -> Amplification {
        let written_bytes = self.operations.saturating_mul(self.entry_bytes());
        if written_bytes <= self.write_buffer_bytes {
            return Amplification::NONE;
        }
        let levels = self.levels(order);
        let written = match order {
            Order::Keys => 1.0,
            Order::Random => 1.0 + levels,
            Order::Over if levels == 0.0 => 1.0,
            Order::Over => 2.0 + (levels - 1.0) * self.fanout / 2.0,
        };
        Amplification { written, read: written - 1.0 }
    }

    /// Levels below L0 that have files.
    fn levels(&self, order: Order) -> f64 {
        let bytes = self.data_bytes() as f64 * self.stored_share;
        let l0_bytes = (self.write_buffer_bytes * self.l0_trigger) as f64 * self.stored_share;
        if bytes < l0_bytes && order != Order::Over {
            return 0.0;
        }
        let above_first = (bytes / self.l1_bytes as f64).log(self.fanout.max(2.0)).ceil();
        1.0 + above_first.max(0.0)
    }
}
