//! A cursor over internal entries.

use crate::column_family::ColumnFamilyData;
use crate::read::read_view::ReadView;
use crate::read::scan::{Sources, sources};
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalIterator, ParsedInternalKey, Result};
use iterator::{Direction, RangeTombstoneAggregator};
use std::fmt;
use std::sync::Arc;
use table::ReadOptions;

/// A cursor over the entries of a column family, of all sequence numbers, in the order of
/// internal keys. Entries that a range tombstone hides are passed over.
pub struct InternalEntries {
    internal: Box<dyn InternalIterator>,
    tombstones: RangeTombstoneAggregator,
}

impl fmt::Debug for InternalEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InternalEntries").finish_non_exhaustive()
    }
}

impl InternalEntries {
    pub(crate) fn new(family: &ColumnFamilyData) -> Self {
        let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
        let super_version = family.super_version.load();
        let view = ReadView {
            super_version: &super_version,
            sequence: MAX_SEQUENCE_NUMBER,
            uncommitted: &Arc::default(),
        };
        let Sources { internal, tombstones, .. } = sources(family, &view, &Arc::new(options));
        Self { internal: Box::new(internal), tombstones }
    }

    fn skip_hidden(&mut self, direction: Direction) -> Result<()> {
        while self.internal.valid() && !self.tombstones.is_empty() {
            let key = ParsedInternalKey::parse(self.internal.key())?;
            if !self.tombstones.should_delete(&key, direction) {
                break;
            }
            match direction {
                Direction::Forward => self.internal.next()?,
                Direction::Backward => self.internal.prev()?,
            }
        }
        Ok(())
    }
}

impl InternalIterator for InternalEntries {
    fn valid(&self) -> bool {
        self.internal.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.internal.seek_to_first()?;
        self.skip_hidden(Direction::Forward)
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.internal.seek_to_last()?;
        self.skip_hidden(Direction::Backward)
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.internal.seek(target)?;
        self.skip_hidden(Direction::Forward)
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.internal.seek_for_prev(target)?;
        self.skip_hidden(Direction::Backward)
    }

    fn next(&mut self) -> Result<()> {
        self.internal.next()?;
        self.skip_hidden(Direction::Forward)
    }

    fn prev(&mut self) -> Result<()> {
        self.internal.prev()?;
        self.skip_hidden(Direction::Backward)
    }

    fn key(&self) -> &[u8] {
        self.internal.key()
    }

    fn value(&self) -> &[u8] {
        self.internal.value()
    }
}
