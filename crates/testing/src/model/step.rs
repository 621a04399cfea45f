//! What a database is asked to do, a line of text each.
//!
//! ```text
//! open db=max_total_wal_size=65536 family=compression=kZSTD;write_buffer_size=65536
//! create sums merge=uint64add order=reverse
//! write sync put default a 1 ; delete-range sums k b ; entity default c name=value
//! snapshot 1
//! get default a at=1
//! scan default lower=a upper=c from=b backward
//! ingest default put default a 1 ; delete-range default k p
//! iterator 2 default at=1
//! move 2 seek=b
//! move 2 next=3
//! flush default
//! crash power=17 db= family=
//! ```

use std::fmt;
use std::str::FromStr;

use super::text::{bytes, word};
use crate::judges::protocol::{Bytes, MergeOperator, Operation};

/// How a database is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Writes go past the log.
    pub unlogged: bool,
    /// Options of the database, as RocksDB's parser takes them.
    pub db: String,
    /// Options of every family, likewise.
    pub family: String,
}

/// What of a family stays the same as long as it lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Its merge operator.
    pub merge: Option<MergeOperator>,
    /// Whether its keys are ordered from the largest to the smallest.
    pub is_reverse: bool,
}

/// Entries read in order, from one end of a range or from a key in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The family.
    pub family: String,
    /// The snapshot; none for now.
    pub at: Option<u32>,
    /// The iterator's lower bound.
    pub lower: Option<Vec<u8>>,
    /// The iterator's upper bound.
    pub upper: Option<Vec<u8>>,
    /// Where it begins; none for the end of the range.
    pub from: Option<Vec<u8>>,
    /// From the last to the first.
    pub backward: bool,
    /// Only keys with the prefix of `from`.
    pub prefix: bool,
}

/// Where an iterator that is held open goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// The first entry.
    First,
    /// The last entry.
    Last,
    /// The first entry at or after the key.
    Seek(Vec<u8>),
    /// The last entry at or before the key.
    SeekForPrev(Vec<u8>),
    /// As many entries on.
    Next(u32),
    /// As many entries back.
    Prev(u32),
}

/// One thing that a database is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields say what they are")]
pub enum Step {
    /// Opens a new database; the first step.
    Open(Opening),
    /// Creates a family.
    Create { family: String, shape: Shape },
    /// Drops a family.
    Drop { family: String },
    /// Writes a batch.
    Write { sync: bool, operations: Vec<Operation> },
    /// Writes to a table apart, keys ascending and range deletions last, and has it taken in.
    Ingest { family: String, operations: Vec<Operation> },
    /// Looks keys up.
    Get { family: String, keys: Vec<Vec<u8>>, at: Option<u32> },
    /// Reads in order.
    Scan(Scan),
    /// Tells the families' names.
    Families,
    /// Takes the snapshot of this number.
    Snapshot(u32),
    /// Releases it.
    Release(u32),
    /// Opens an iterator of this number.
    Iterator { id: u32, scan: Scan },
    /// Moves it, and reads what it comes by.
    Move { id: u32, to: To },
    /// Drops it.
    DropIterator(u32),
    /// Flushes families; none: all.
    Flush { families: Vec<String> },
    /// Compacts a range of a family.
    Compact { family: String, begin: Option<Vec<u8>>, end: Option<Vec<u8>> },
    /// Hands the log to the operating system, or to the disk.
    FlushWal { sync: bool },
    /// Closes the database and opens it again.
    Reopen(Opening),
    /// Kills the process, or (with a seed for what survives) cuts the power; opens it again.
    Crash { power: Option<u64>, opening: Opening },
    /// Two databases change directories.
    HandOver,
}

impl fmt::Display for Opening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unlogged = if self.unlogged { "unlogged " } else { "" };
        write!(formatter, "{unlogged}db={} family={}", self.db, self.family)
    }
}

fn optional(formatter: &mut fmt::Formatter<'_>, name: &str, key: Option<&[u8]>) -> fmt::Result {
    key.map_or(Ok(()), |key| write!(formatter, " {name}={}", word(key)))
}

impl fmt::Display for Scan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.family)?;
        if let Some(at) = self.at {
            write!(formatter, " at={at}")?;
        }
        optional(formatter, "lower", self.lower.as_deref())?;
        optional(formatter, "upper", self.upper.as_deref())?;
        optional(formatter, "from", self.from.as_deref())?;
        formatter.write_str(if self.backward { " backward" } else { "" })?;
        formatter.write_str(if self.prefix { " prefix" } else { "" })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.merge {
            Some(MergeOperator::Uint64Add) => formatter.write_str(" merge=uint64add")?,
            Some(MergeOperator::StringAppend) => formatter.write_str(" merge=stringappend")?,
            Some(MergeOperator::Append) | None => {}
        }
        formatter.write_str(if self.is_reverse { " order=reverse" } else { "" })
    }
}

impl fmt::Display for To {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => formatter.write_str("first"),
            Self::Last => formatter.write_str("last"),
            Self::Seek(key) => write!(formatter, "seek={}", word(key)),
            Self::SeekForPrev(key) => write!(formatter, "seek-for-prev={}", word(key)),
            Self::Next(count) => write!(formatter, "next={count}"),
            Self::Prev(count) => write!(formatter, "prev={count}"),
        }
    }
}

fn operation_text(operation: &Operation) -> String {
    match operation {
        Operation::Put { family, key, value } => {
            format!("put {family} {} {}", word(&key.0), word(&value.0))
        }
        Operation::Merge { family, key, value } => {
            format!("merge {family} {} {}", word(&key.0), word(&value.0))
        }
        Operation::Delete { family, key } => format!("delete {family} {}", word(&key.0)),
        Operation::SingleDelete { family, key } => {
            format!("single-delete {family} {}", word(&key.0))
        }
        Operation::DeleteRange { family, begin, end } => {
            format!("delete-range {family} {} {}", word(&begin.0), word(&end.0))
        }
        Operation::PutEntity { family, key, columns } => {
            let mut text = format!("entity {family} {}", word(&key.0));
            for (name, value) in columns {
                text.push_str(&format!(" {}={}", word(&name.0), word(&value.0)));
            }
            text
        }
        Operation::LogData { data } => format!("log-data {}", word(&data.0)),
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(opening) => write!(formatter, "open {opening}"),
            Self::Create { family, shape } => write!(formatter, "create {family}{shape}"),
            Self::Drop { family } => write!(formatter, "drop {family}"),
            Self::Write { sync, operations } => {
                let operations: Vec<String> = operations.iter().map(operation_text).collect();
                let sync = if *sync { "sync " } else { "" };
                write!(formatter, "write {sync}{}", operations.join(" ; "))
            }
            Self::Ingest { family, operations } => {
                let operations: Vec<String> = operations.iter().map(operation_text).collect();
                write!(formatter, "ingest {family} {}", operations.join(" ; "))
            }
            Self::Get { family, keys, at } => {
                write!(formatter, "get {family}")?;
                keys.iter().try_for_each(|key| write!(formatter, " {}", word(key)))?;
                at.map_or(Ok(()), |at| write!(formatter, " at={at}"))
            }
            Self::Scan(scan) => write!(formatter, "scan {scan}"),
            Self::Families => formatter.write_str("families"),
            Self::Snapshot(id) => write!(formatter, "snapshot {id}"),
            Self::Release(id) => write!(formatter, "release {id}"),
            Self::Iterator { id, scan } => write!(formatter, "iterator {id} {scan}"),
            Self::Move { id, to } => write!(formatter, "move {id} {to}"),
            Self::DropIterator(id) => write!(formatter, "drop-iterator {id}"),
            Self::Flush { families } => {
                formatter.write_str("flush")?;
                families.iter().try_for_each(|family| write!(formatter, " {family}"))
            }
            Self::Compact { family, begin, end } => {
                write!(formatter, "compact {family}")?;
                optional(formatter, "begin", begin.as_deref())?;
                optional(formatter, "end", end.as_deref())
            }
            Self::FlushWal { sync } => {
                formatter.write_str(if *sync { "flush-wal sync" } else { "flush-wal" })
            }
            Self::Reopen(opening) => write!(formatter, "reopen {opening}"),
            Self::Crash { power: None, opening } => write!(formatter, "crash {opening}"),
            Self::Crash { power: Some(seed), opening } => {
                write!(formatter, "crash power={seed} {opening}")
            }
            Self::HandOver => formatter.write_str("hand-over"),
        }
    }
}

/// The words of a line after the first one.
struct Words<'a> {
    words: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { words: text.split_whitespace().collect() }
    }

    fn take(&mut self, what: &str) -> Result<&'a str, String> {
        if self.words.is_empty() {
            return Err(format!("{what} is missing"));
        }
        Ok(self.words.remove(0))
    }

    fn number(&mut self) -> Result<u32, String> {
        self.take("the number").and_then(number)
    }

    fn flag(&mut self, name: &str) -> bool {
        let found = self.words.iter().position(|word| *word == name);
        found.map(|index| self.words.remove(index)).is_some()
    }

    fn named(&mut self, name: &str) -> Option<&'a str> {
        let value = |word: &&'a str| word.strip_prefix(name)?.strip_prefix('=');
        let index = self.words.iter().position(|word| value(word).is_some())?;
        value(&self.words.remove(index))
    }

    fn key(&mut self, name: &str) -> Result<Option<Vec<u8>>, String> {
        self.named(name).map(bytes).transpose()
    }

    fn bytes(&mut self, what: &str) -> Result<Bytes, String> {
        self.take(what).and_then(bytes).map(Bytes)
    }

    fn end(&self) -> Result<(), String> {
        if self.words.is_empty() { Ok(()) } else { Err(format!("what is {:?}?", self.words)) }
    }
}

fn number<T: FromStr<Err: fmt::Display>>(word: &str) -> Result<T, String> {
    word.parse().map_err(|error| format!("{word}: {error}"))
}

fn parse_opening(words: &mut Words<'_>) -> Opening {
    Opening {
        unlogged: words.flag("unlogged"),
        db: words.named("db").unwrap_or_default().to_owned(),
        family: words.named("family").unwrap_or_default().to_owned(),
    }
}

fn parse_scan(words: &mut Words<'_>) -> Result<Scan, String> {
    Ok(Scan {
        at: words.named("at").map(number).transpose()?,
        lower: words.key("lower")?,
        upper: words.key("upper")?,
        from: words.key("from")?,
        backward: words.flag("backward"),
        prefix: words.flag("prefix"),
        family: words.take("the family")?.to_owned(),
    })
}

fn parse_to(words: &mut Words<'_>) -> Result<To, String> {
    let word = words.take("where to")?;
    Ok(match word.split_once('=') {
        None if word == "first" => To::First,
        None if word == "last" => To::Last,
        Some(("seek", key)) => To::Seek(bytes(key)?),
        Some(("seek-for-prev", key)) => To::SeekForPrev(bytes(key)?),
        Some(("next", count)) => To::Next(number(count)?),
        Some(("prev", count)) => To::Prev(number(count)?),
        _ => return Err(format!("what is {word}?")),
    })
}

fn parse_operation(text: &str) -> Result<Operation, String> {
    let mut words = Words::new(text);
    let kind = words.take("the operation")?;
    if kind == "log-data" {
        return Ok(Operation::LogData { data: words.bytes("the data")? });
    }
    let family = Bytes::from(words.take("the family")?);
    let key = words.bytes("the key")?;
    let operation = match kind {
        "put" => Operation::Put { family, key, value: words.bytes("the value")? },
        "merge" => Operation::Merge { family, key, value: words.bytes("the operand")? },
        "delete" => Operation::Delete { family, key },
        "single-delete" => Operation::SingleDelete { family, key },
        "delete-range" => {
            Operation::DeleteRange { family, begin: key, end: words.bytes("the end")? }
        }
        "entity" => {
            let column = |word: &str| {
                let (name, value) = word.split_once('=').ok_or("a column without =")?;
                Ok::<_, String>((Bytes(bytes(name)?), Bytes(bytes(value)?)))
            };
            let columns = std::mem::take(&mut words.words);
            let columns = columns.into_iter().map(column).collect::<Result<_, _>>()?;
            Operation::PutEntity { family, key, columns }
        }
        _ => return Err(format!("what is {kind}?")),
    };
    words.end().map(|()| operation)
}

fn parse_write(rest: &str) -> Result<Step, String> {
    let (sync, rest) = match rest.strip_prefix("sync ") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let operations = rest.split(" ; ").map(parse_operation).collect::<Result<_, _>>()?;
    Ok(Step::Write { sync, operations })
}

fn parse_ingest(rest: &str) -> Result<Step, String> {
    let (family, operations) = rest.split_once(' ').ok_or("a table without entries")?;
    let operations = operations.split(" ; ").map(parse_operation).collect::<Result<_, _>>()?;
    Ok(Step::Ingest { family: family.to_owned(), operations })
}

impl FromStr for Step {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        if command == "write" {
            return parse_write(rest);
        }
        if command == "ingest" {
            return parse_ingest(rest);
        }
        let mut words = Words::new(rest);
        let step = match command {
            "open" => Self::Open(parse_opening(&mut words)),
            "create" => {
                let merge = match words.named("merge") {
                    None => None,
                    Some("uint64add") => Some(MergeOperator::Uint64Add),
                    Some("stringappend") => Some(MergeOperator::StringAppend),
                    Some(other) => return Err(format!("what is {other}?")),
                };
                let shape = Shape { merge, is_reverse: words.named("order") == Some("reverse") };
                Self::Create { family: words.take("the family")?.to_owned(), shape }
            }
            "drop" => Self::Drop { family: words.take("the family")?.to_owned() },
            "get" => {
                let at = words.named("at").map(number).transpose()?;
                let family = words.take("the family")?.to_owned();
                let keys = std::mem::take(&mut words.words);
                let keys = keys.into_iter().map(bytes).collect::<Result<_, _>>()?;
                Self::Get { family, keys, at }
            }
            "scan" => Self::Scan(parse_scan(&mut words)?),
            "families" => Self::Families,
            "snapshot" => Self::Snapshot(words.number()?),
            "release" => Self::Release(words.number()?),
            "iterator" => Self::Iterator { id: words.number()?, scan: parse_scan(&mut words)? },
            "move" => Self::Move { id: words.number()?, to: parse_to(&mut words)? },
            "drop-iterator" => Self::DropIterator(words.number()?),
            "flush" => {
                let families = std::mem::take(&mut words.words);
                Self::Flush { families: families.into_iter().map(str::to_owned).collect() }
            }
            "compact" => {
                let (begin, end) = (words.key("begin")?, words.key("end")?);
                Self::Compact { family: words.take("the family")?.to_owned(), begin, end }
            }
            "flush-wal" => Self::FlushWal { sync: words.flag("sync") },
            "reopen" => Self::Reopen(parse_opening(&mut words)),
            "crash" => Self::Crash {
                power: words.named("power").map(number).transpose()?,
                opening: parse_opening(&mut words),
            },
            "hand-over" => Self::HandOver,
            _ => return Err(format!("what is {command}?")),
        };
        words.end().map(|()| step)
    }
}

/// The steps of a text, a line each; empty lines and those that begin with `#` are left out.
///
/// # Errors
/// The line that is no step, and why.
pub fn parse(text: &str) -> Result<Vec<Step>, String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.parse().map_err(|why| format!("{line}: {why}"))).collect()
}

/// The text of steps.
#[must_use]
pub fn print(steps: &[Step]) -> String {
    steps.iter().map(|step| format!("{step}\n")).collect()
}
