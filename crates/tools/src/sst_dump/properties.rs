//! `--show_properties`.

use super::RULE;
use crate::print::{push_bytes, until_zero};
use base::Result;
use std::io::{self, Write};
use table::block::EntryWalker;
use table::block_fetcher::BlockFetcher;
use table::{BlockBasedTable, TableProperties};

/// Properties that RocksDB 7.8.3 knows, in bytewise order. It takes all others for the user's, those
/// of later releases among them.
const KNOWN_NAMES: [&str; 36] = [
    "rocksdb.column.family.id",
    "rocksdb.column.family.name",
    "rocksdb.comparator",
    "rocksdb.compression",
    "rocksdb.compression_options",
    "rocksdb.creating.db.identity",
    "rocksdb.creating.host.identity",
    "rocksdb.creating.session.identity",
    "rocksdb.creation.time",
    "rocksdb.data.size",
    "rocksdb.deleted.keys",
    "rocksdb.file.creation.time",
    "rocksdb.filter.policy",
    "rocksdb.filter.size",
    "rocksdb.fixed.key.length",
    "rocksdb.format.version",
    "rocksdb.index.key.is.user.key",
    "rocksdb.index.partitions",
    "rocksdb.index.size",
    "rocksdb.index.value.is.delta.encoded",
    "rocksdb.merge.operands",
    "rocksdb.merge.operator",
    "rocksdb.num.data.blocks",
    "rocksdb.num.entries",
    "rocksdb.num.filter_entries",
    "rocksdb.num.range-deletions",
    "rocksdb.oldest.key.time",
    "rocksdb.original.file.number",
    "rocksdb.prefix.extractor.name",
    "rocksdb.property.collectors",
    "rocksdb.raw.key.size",
    "rocksdb.raw.value.size",
    "rocksdb.sample_for_compression.fast.data.size",
    "rocksdb.sample_for_compression.slow.data.size",
    "rocksdb.seqno.time.map",
    "rocksdb.top-level.index.size",
];

/// Properties that RocksDB 7.8.3 knows and prints among the user's all the same.
const ALSO_OF_USER: [&str; 2] = ["rocksdb.deleted.keys", "rocksdb.merge.operands"];

/// Prints the properties of a table: first those that are known, in words, then all others as
/// stored.
pub(super) fn print(
    table: &BlockBasedTable,
    properties: &TableProperties,
    out: &mut dyn Write,
) -> io::Result<Result<()>> {
    write!(out, "Table Properties:\n{RULE}\n  ")?;
    out.write_all(until_zero(properties.to_text("\n  ", ": ").as_bytes()))?;
    writeln!(out, "Raw user collected properties\n{RULE}")?;
    match raw_properties_of_user(table) {
        Ok(lines) => out.write_all(&lines).map(Ok),
        Err(status) => Ok(Err(status)),
    }
}

/// A line for each property that is the user's in the eyes of RocksDB 7.8.3.
fn raw_properties_of_user(table: &BlockBasedTable) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    let Some(handle) = table.metaindex().properties() else {
        return Ok(lines);
    };
    // The block was verified when the table was opened. It may have changed since it got its
    // checksum: that is how files got a global sequence number.
    let fetcher = BlockFetcher {
        file: &**table.file(),
        footer: table.footer(),
        verify_checksums: false,
        statistics: None,
        limit: None,
    };
    let block = fetcher.fetch(handle, None, None)?;
    let mut walker = EntryWalker::new(&block)?;
    while let Some((name, value)) = walker.next()? {
        if is_known(name) {
            continue;
        }
        lines.extend_from_slice(b"  # ");
        lines.extend_from_slice(until_zero(name));
        lines.extend_from_slice(b": 0x");
        push_bytes(&mut lines, value, true);
        lines.push(b'\n');
    }
    Ok(lines)
}

fn is_known(name: &[u8]) -> bool {
    KNOWN_NAMES.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok()
        && !ALSO_OF_USER.iter().any(|other| other.as_bytes() == name)
}

#[cfg(test)]
mod tests;
