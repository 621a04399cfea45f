//! Table files for tests: bytes as files, and the tables of the fixtures.

use crate::block_based::{BlockBasedTable, BlockBasedTableBuilder, FinishedTable, TableTail};
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use base::comparator::{BytewiseComparator, Comparator, ReverseBytewiseComparator, builtin};
use base::{InternalIterator, InternalKeyComparator, Result};
use env::{FileOptions, FileSystem, MemFileSystem, RandomAccessFile, read_exact_at};
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;
use testing::fixtures::Fixture;

/// A file in memory.
#[derive(Debug)]
pub(crate) struct BytesFile(pub(crate) Vec<u8>);

impl RandomAccessFile for BytesFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn path(&self) -> &Path {
        Path::new("/db/000009.sst")
    }
}

/// Shorter keys first, then bytewise: the comparator of fixtures i02.
#[derive(Debug)]
pub(crate) struct Shortlex;

impl Comparator for Shortlex {
    fn name(&self) -> &str {
        "golden.shortlex"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

/// The comparator of a table by what its properties say, `default` if they say nothing.
pub(crate) fn comparator_of(
    tail: &TableTail,
    default: &InternalKeyComparator,
) -> InternalKeyComparator {
    match tail.properties.as_ref().and_then(|properties| properties.user_comparator_name()) {
        None => default.clone(),
        Some("golden.shortlex") => InternalKeyComparator::new(Arc::new(Shortlex)),
        Some(name) => builtin(name).map_or_else(|| default.clone(), InternalKeyComparator::new),
    }
}

/// Opens a table with the comparator it was made with; with that of `options` if it is too old to
/// say.
pub(crate) fn open(bytes: Vec<u8>, options: &TableOptions) -> Result<Arc<BlockBasedTable>> {
    let size = bytes.len() as u64;
    let file = Arc::new(BytesFile(bytes));
    let tail = TableTail::read(&*file, size)?;
    let options =
        TableOptions { comparator: comparator_of(&tail, &options.comparator), ..options.clone() };
    BlockBasedTable::open_with_tail(file, size, tail, &options)
}

/// The bytes of a table that the builder writes of internal keys and values.
pub(crate) fn build_table(
    options: &TableBuilderOptions,
    entries: &[(Vec<u8>, Vec<u8>)],
) -> Result<(Vec<u8>, FinishedTable)> {
    let path = Path::new("/000009.sst");
    let fs = MemFileSystem::new();
    let file = fs.new_writable_file(path, &FileOptions::default())?;
    let mut builder = BlockBasedTableBuilder::new(options, file)?;
    for (key, value) in entries {
        builder.add(key, value)?;
    }
    let mut table = builder.finish()?;
    table.file.flush()?;
    let file = fs.new_random_access_file(path, &FileOptions::default())?;
    let bytes = read_exact_at(&*file, 0, file.size()? as usize)?;
    Ok((bytes, table))
}

/// The table files of a fixture by name.
pub(crate) fn tables_of(fixture: &Fixture) -> Vec<(String, Vec<u8>)> {
    let is_table = |name: &String| name.ends_with(".sst") || name.ends_with(".ldb");
    fixture.files().into_iter().filter(|(name, _)| is_table(name)).collect()
}

/// Options for the tables of a fixture.
pub(crate) fn options_of(fixture: &Fixture) -> TableOptions {
    let comparator: Arc<dyn Comparator> = match &fixture.name[..3] {
        "i01" => Arc::new(ReverseBytewiseComparator),
        "i02" => Arc::new(Shortlex),
        _ => Arc::new(BytewiseComparator),
    };
    TableOptions { comparator: InternalKeyComparator::new(comparator), ..Default::default() }
}

pub(crate) type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// All entries from first to last.
pub(crate) fn forward(iter: &mut impl InternalIterator) -> Result<Pairs> {
    let mut pairs = Vec::new();
    iter.seek_to_first()?;
    while iter.valid() {
        pairs.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next()?;
    }
    Ok(pairs)
}

/// All entries from last to first, put in ascending order.
pub(crate) fn backward(iter: &mut impl InternalIterator) -> Result<Pairs> {
    let mut pairs = Vec::new();
    iter.seek_to_last()?;
    while iter.valid() {
        pairs.push((iter.key().to_vec(), iter.pinned_value().to_vec()));
        iter.prev()?;
    }
    pairs.reverse();
    Ok(pairs)
}
