//! What a step reads.

use std::fmt;

use super::text::word;

/// Names and values of an entry's columns, ascending by name. A plain value is one column with the
/// empty name.
pub type Columns = Vec<(Vec<u8>, Vec<u8>)>;

/// A key with what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Vec<u8>,
    /// The value; of an entity, its default column.
    pub value: Vec<u8>,
    /// The columns, where the reader can see them.
    pub columns: Option<Columns>,
}

impl Entry {
    /// An entry with all its columns.
    #[must_use]
    pub fn new(key: Vec<u8>, columns: Columns) -> Self {
        Self { key, value: default_column(&columns), columns: Some(columns) }
    }

    fn is_same(&self, other: &Self) -> bool {
        let columns = match (&self.columns, &other.columns) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        columns && self.key == other.key && self.value == other.value
    }
}

/// The value that is read where no columns are asked for.
pub(super) fn default_column(columns: &Columns) -> Vec<u8> {
    match columns.first() {
        Some((name, value)) if name.is_empty() => value.clone(),
        _ => Vec::new(),
    }
}

/// What a step read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The step reads nothing.
    Done,
    /// A value, or none, for each key.
    Values(Vec<Option<Vec<u8>>>),
    /// Entries in order.
    Entries(Vec<Entry>),
    /// Names, ascending.
    Names(Vec<String>),
}

impl Answer {
    /// Whether both say the same; columns count where both know them.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Entries(ours), Self::Entries(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(ours, theirs)| ours.is_same(theirs))
            }
            _ => self == other,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}=", word(&self.key))?;
        match &self.columns {
            Some(columns) if !matches!(&columns[..], [(name, _)] if name.is_empty()) => {
                let columns = columns.iter();
                let columns =
                    columns.map(|(name, value)| format!("{}:{}", word(name), word(value)));
                write!(formatter, "{{{}}}", columns.collect::<Vec<_>>().join(","))
            }
            _ => formatter.write_str(&word(&self.value)),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = match self {
            Self::Done => Vec::new(),
            Self::Values(values) => values
                .iter()
                .map(|value| value.as_ref().map_or_else(|| "none".into(), |value| word(value)))
                .collect(),
            Self::Entries(entries) => entries.iter().map(ToString::to_string).collect(),
            Self::Names(names) => names.clone(),
        };
        write!(formatter, "[{}]", words.join(" "))
    }
}
