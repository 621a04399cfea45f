//! Which comparator a table was made with: that is not always said by its properties in a word.

use base::comparator::{
    BYTEWISE_U64_TS_NAME, BytewiseComparator, Comparator, REVERSE_BYTEWISE_U64_TS_NAME,
    ReverseBytewiseComparator, builtin,
};
use base::{InternalIterator, InternalKeyComparator, Result, Status};
use env::RandomAccessFile;
use std::cmp::Ordering;
use std::sync::Arc;
use table::{BlockBasedTable, ReadOptions, TableOptions, TableTail};

/// Opens a table with the comparator it was made with. Keys show as stored: without timestamps in
/// a table from which those were stripped.
///
/// # Errors
/// `InvalidArgument` if the comparator is not built in; what opening the table gives.
pub(super) fn open_table(
    file: &Arc<dyn RandomAccessFile>,
    file_size: u64,
    tail: TableTail,
) -> Result<Arc<BlockBasedTable>> {
    let open = |tail, comparator| {
        let comparator = InternalKeyComparator::new(comparator);
        let options = TableOptions { comparator, ..TableOptions::default() };
        BlockBasedTable::open_with_tail(Arc::clone(file), file_size, tail, &options)
    };
    let named = tail.properties.as_ref().and_then(|properties| {
        let are_stripped = properties.user_defined_timestamps_persisted == 0;
        properties.user_comparator_name().map(|name| comparator_of(name, are_stripped))
    });
    match named {
        Some(comparator) => open(tail, comparator?),
        None => open_by_order_of_keys(tail, open),
    }
}

/// The comparator of this name, for keys that were stripped of their timestamps or not.
fn comparator_of(name: &str, are_stripped: bool) -> Result<Arc<dyn Comparator>> {
    if are_stripped && let Some(comparator) = StrippedTimestampComparator::of(name) {
        return Ok(Arc::new(comparator));
    }
    builtin(name)
        .ok_or_else(|| Status::invalid_argument(format!("comparator {name} is not built in")))
}

/// Opens a table that does not say how its keys are ordered, as those of RocksDB 3 don't: bytewise,
/// unless the table makes sense in reverse order only.
fn open_by_order_of_keys(
    tail: TableTail,
    open: impl Fn(TableTail, Arc<dyn Comparator>) -> Result<Arc<BlockBasedTable>>,
) -> Result<Arc<BlockBasedTable>> {
    // The order of the index is checked when a table is opened, that of a block when it is read.
    let makes_sense = |table: &Result<Arc<BlockBasedTable>>| {
        let Ok(table) = table else { return false };
        table.new_raw_iterator(&ReadOptions::default()).seek_to_first().is_ok()
    };
    let bytewise = open(tail.clone(), Arc::new(BytewiseComparator));
    if makes_sense(&bytewise) {
        return bytewise;
    }
    let reverse = open(tail, Arc::new(ReverseBytewiseComparator));
    if makes_sense(&reverse) { reverse } else { bytewise }
}

/// The order of a comparator with timestamps among keys that were stripped of them.
#[derive(Debug)]
struct StrippedTimestampComparator {
    is_reverse: bool,
}

impl StrippedTimestampComparator {
    /// The order of the comparator of this name, if that has timestamps.
    fn of(name: &str) -> Option<Self> {
        match name {
            BYTEWISE_U64_TS_NAME => Some(Self { is_reverse: false }),
            REVERSE_BYTEWISE_U64_TS_NAME => Some(Self { is_reverse: true }),
            _ => None,
        }
    }
}

impl Comparator for StrippedTimestampComparator {
    fn name(&self) -> &str {
        if self.is_reverse { REVERSE_BYTEWISE_U64_TS_NAME } else { BYTEWISE_U64_TS_NAME }
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.is_reverse { b.cmp(a) } else { a.cmp(b) }
    }
}
