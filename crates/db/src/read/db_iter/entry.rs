//! What an iterator shows of the entry it stands on.

use crate::read::scan_cursor::ScanCursor;
use crate::read::value_resolver::Resolved;
use base::wide_columns::{self, Column};
use base::{InternalIterator, PinnableSlice, Result};
use std::ops::Range;

/// The value of the current entry, decoded as far as reading it needs.
#[derive(Debug, Default)]
pub(crate) enum Entry {
    /// The first `length` bytes of the internal cursor's value.
    InPlace { length: usize },
    /// A plain value held here: merged, read from a blob file, or found while going backward.
    Held(PinnableSlice),
    /// An entity whose columns are all inline, and where its default column's value lies.
    Entity { encoded: PinnableSlice, default: Range<usize> },
    /// Nothing.
    #[default]
    None,
}

impl Entry {
    /// The entry of a value that was looked up.
    pub(crate) fn from_resolved(resolved: Resolved) -> Result<Self> {
        match resolved {
            Resolved::Value(value) => Ok(Self::Held(value)),
            Resolved::Entity(encoded) => Self::entity(encoded),
        }
    }

    fn entity(encoded: PinnableSlice) -> Result<Self> {
        let columns = wide_columns::decode(&encoded)?;
        let default = match wide_columns::default_column(&columns) {
            // The default column's name sorts first, so its value is the first of the values.
            Some(column) => {
                let values: usize = columns.iter().map(|column| column.value.len()).sum();
                let start = encoded.len() - values;
                start..start + column.value.len()
            }
            None => 0..0,
        };
        Ok(Self::Entity { encoded, default })
    }

    /// Becomes one in its place.
    #[inline]
    pub(crate) fn show_in_place(&mut self, new_length: usize) {
        match self {
            Self::InPlace { length } => *length = new_length,
            _ => *self = Self::InPlace { length: new_length },
        }
    }

    /// The plain value, or the default column.
    #[inline]
    pub(crate) fn value<'a>(&'a self, internal: &'a ScanCursor) -> &'a [u8] {
        match self {
            Self::InPlace { length } => &internal.value()[..*length],
            Self::Held(value) => value,
            Self::Entity { encoded, default } => &encoded[default.clone()],
            Self::None => &[],
        }
    }

    /// Bytes of the same.
    #[inline]
    pub(crate) fn value_len(&self) -> usize {
        match self {
            Self::InPlace { length } => *length,
            Self::Held(value) => value.len(),
            Self::Entity { default, .. } => default.len(),
            Self::None => 0,
        }
    }

    /// The same, alive on its own.
    pub(crate) fn pinned_value(&self, internal: &ScanCursor) -> PinnableSlice {
        match self {
            Self::InPlace { length } if *length == internal.value().len() => {
                internal.pinned_value()
            }
            Self::Held(value) => value.clone(),
            _ => PinnableSlice::from(self.value(internal)),
        }
    }

    /// Names and values of the columns; a plain value is one column with the empty name.
    pub(crate) fn columns<'a>(&'a self, internal: &'a ScanCursor) -> Vec<(&'a [u8], &'a [u8])> {
        match self {
            // Decoded once when the entry was made, so it decodes.
            Self::Entity { encoded, .. } => wide_columns::decode(encoded)
                .map(|columns| {
                    columns.iter().map(|Column { name, value, .. }| (*name, *value)).collect()
                })
                .unwrap_or_default(),
            _ => vec![(wide_columns::DEFAULT_COLUMN_NAME, self.value(internal))],
        }
    }
}
