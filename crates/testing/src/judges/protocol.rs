//! What a judge is asked and what it answers: one JSON object a line, over standard input and
//! output. Keys, values and family names are hexadecimal, for they may hold any bytes.
//!
//! ```text
//! {"do":"open","directory":"/tmp/x","mode":"read-only","families":[{"name":"64656661756c74"}]}
//! {"ok":null}
//! {"do":"get","family":"64656661756c74","key":"6b"}
//! {"ok":"76"}                                    null: not found
//! {"error":"Corruption: ..."}                    RocksDB's status
//! {"unsupported":"rocksdb_flush_cfs"}            the release cannot do that
//! ```
//!
//! Both sides use these types: [`crate::judges`], and the driver in the crate `peer`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::hexes::Bytes;

/// A question. Those without a directory are about the database that was opened last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields say what they are; answers stand at each variant")]
pub enum Request {
    /// The names of a directory's families: `[name, ...]`.
    ListFamilies { directory: PathBuf },
    /// Opens a database; one that is open is closed before.
    Open(Opening),
    /// Closes the database. What iterators and snapshots are left goes with it.
    Close,
    /// Creates a family.
    CreateFamily(FamilyOpening),
    /// Drops a family.
    DropFamily { family: Bytes },
    /// The tables: a list of [`LiveFile`].
    LiveFiles,
    /// All pairs of every family: [`Contents`]. With a timestamp, as of that time.
    Dump {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<Bytes>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<u64>,
    },
    /// The latest sequence number.
    LatestSequence,
    /// A property's text, or null.
    Property { family: Bytes, name: String },
    /// A property's number, or null.
    IntProperty { family: Bytes, name: String },
    /// A value, or null.
    Get {
        family: Bytes,
        key: Bytes,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<u64>,
    },
    /// Writes one batch.
    Write {
        operations: Vec<Operation>,
        #[serde(default)]
        sync: bool,
        #[serde(default)]
        disable_wal: bool,
    },
    /// Takes a snapshot and answers with its number.
    Snapshot,
    /// Releases a snapshot.
    ReleaseSnapshot { snapshot: u64 },
    /// Creates an iterator and answers with its number. It is nowhere until it is moved.
    Iterator {
        family: Bytes,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lower: Option<Bytes>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        upper: Option<Bytes>,
    },
    /// Moves an iterator: `[key, value]` where it is then, or null behind either end.
    Move { iterator: u64, to: Move },
    /// Drops an iterator.
    DropIterator { iterator: u64 },
    /// Flushes families, all of them when none is named.
    Flush {
        #[serde(default)]
        families: Vec<Bytes>,
    },
    /// Sets options of a family that is open; without a family, those of the database.
    SetOptions {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        family: Option<Bytes>,
        options: Vec<(String, String)>,
    },
    /// Writes a table apart from the database, by RocksDB's default options. Keys ascend; families do
    /// not count.
    WriteTable { path: PathBuf, operations: Vec<Operation> },
    /// Takes in tables that were written apart.
    Ingest { family: Bytes, paths: Vec<PathBuf> },
    /// Compacts a family's whole range, the last level too.
    Compact { family: Bytes },
    /// Waits until no flush or compaction runs or is due.
    WaitForIdle,
    /// Does a step of a transaction. For databases that were opened with [`Opening::transactions`].
    Transaction { name: Bytes, step: TransactionStep },
    /// The names of all transactions that are prepared, sorted; steps may follow for each.
    PreparedTransactions,
}

/// What a transaction does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "named as RocksDB's functions are")]
pub enum TransactionStep {
    Begin,
    /// Puts, merges and deletions; it has no others.
    Write(Vec<Operation>),
    Prepare,
    Commit,
    Rollback,
}

/// How a `TransactionDB` writes what is not committed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransactionPolicy {
    /// To the log when it is prepared, to the memtables when it is committed.
    WriteCommitted,
    /// To both when it is prepared.
    WritePrepared,
    /// To both as soon as there is enough of it.
    WriteUnprepared,
}

/// How to open a database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The database's directory.
    pub directory: PathBuf,
    /// For what.
    #[serde(default)]
    pub mode: Mode,
    /// Options of the database, as RocksDB's parser takes them: `name=value;name={...}`.
    #[serde(default)]
    pub options: String,
    /// Whether to begin with the options that the directory's newest OPTIONS file holds.
    #[serde(default)]
    pub latest: bool,
    /// The families. None: all that are there, with what `latest` gives.
    #[serde(default)]
    pub families: Vec<FamilyOpening>,
    /// Opens a `TransactionDB` that writes under this policy. It is always for writing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transactions: Option<TransactionPolicy>,
}

/// What a database is opened for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Reading; nothing is changed.
    #[default]
    ReadOnly,
    /// Reading and writing.
    ReadWrite,
}

/// How to open a family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyOpening {
    /// Its name.
    pub name: Bytes,
    /// Its options, as RocksDB's parser takes them.
    #[serde(default)]
    pub options: String,
    /// Its comparator, when it is not the bytewise one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparator: Option<Comparator>,
    /// Its merge operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_operator: Option<MergeOperator>,
}

impl FamilyOpening {
    /// A family with these options.
    #[must_use]
    pub fn new(name: &[u8], options: &str) -> Self {
        Self { name: name.into(), options: options.to_owned(), ..Self::default() }
    }
}

/// The comparators of the fixtures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparator {
    /// RocksDB's reverse bytewise one.
    Reverse,
    /// RocksDB's bytewise one with timestamps of 64 bits.
    U64Ts,
    /// `golden.shortlex`: shorter keys first, bytewise among equals.
    ShortLex,
}

/// The merge operators of the fixtures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeOperator {
    /// RocksDB's sum of 64-bit numbers.
    Uint64Add,
    /// RocksDB's StringAppendOperator with a comma.
    StringAppend,
    /// `golden.append`: base and operands joined by `|`, operands never merged without a base.
    Append,
}

/// One operation of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "named as RocksDB's operations are")]
pub enum Operation {
    Put { family: Bytes, key: Bytes, value: Bytes },
    Merge { family: Bytes, key: Bytes, value: Bytes },
    Delete { family: Bytes, key: Bytes },
    SingleDelete { family: Bytes, key: Bytes },
    DeleteRange { family: Bytes, begin: Bytes, end: Bytes },
    PutEntity { family: Bytes, key: Bytes, columns: Vec<(Bytes, Bytes)> },
    LogData { data: Bytes },
}

/// Where an iterator goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "named as RocksDB's functions are")]
pub enum Move {
    SeekToFirst,
    SeekToLast,
    Seek(Bytes),
    SeekForPrev(Bytes),
    Next,
    Prev,
}

/// What is in each family.
pub type Contents = BTreeMap<Bytes, Content>;

/// What is in one family: hashes as [`crate::content`] computes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Number of pairs.
    pub count: u64,
    /// Hash over all pairs.
    pub sha256: String,
    /// Hash over all keys with their columns, where the reader can see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns_sha256: Option<String>,
    /// The iterator's status at the end, when it was not OK, or how reading backwards differed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Content {
    /// Whether both are the same content; columns count where both readers saw them.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let columns = match (&self.columns_sha256, &other.columns_sha256) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        columns
            && self.count == other.count
            && self.sha256 == other.sha256
            && self.error == other.error
    }
}

impl fmt::Display for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |hash: &str| hash.chars().take(16).collect::<String>();
        write!(formatter, "{} pairs, sha256 {}", self.count, short(&self.sha256))?;
        if let Some(columns) = &self.columns_sha256 {
            write!(formatter, ", columns {}", short(columns))?;
        }
        match &self.error {
            Some(error) => write!(formatter, ", then {error}"),
            None => Ok(()),
        }
    }
}

/// A table that a database lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveFile {
    /// File name, without a slash.
    pub name: String,
    /// Its family, where the judge says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Bytes>,
    /// Level it is on.
    pub level: u32,
    /// Its size.
    pub size_bytes: u64,
    /// Its smallest user key.
    pub smallest: Bytes,
    /// Its largest user key.
    pub largest: Bytes,
}

/// The line that answers a [`Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// What was asked for.
    Ok(Value),
    /// RocksDB's status.
    Error(String),
    /// The function or option that the release lacks.
    Unsupported(String),
}
