//! What building a table and going over one cost for each entry, beside a copy of its bytes: `cargo bench -p
//! touchstone-table --bench tables`, with parts of names to measure those alone, and with `--short`. Files are in
//! memory.

use base::{InternalKey, InternalKeyComparator, Result, ValueType};
use compression::CompressionType;
use env::{FileOptions, FileSystem, MemFileSystem, WritableFile};
use microbench::{Benches, Timed, prepared};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use table::{
    BlockBasedTable, BlockBasedTableBuilder, FilterPolicy, RankOrder, ReadOptions, StoredEntry,
    TableBuilderOptions, TableOptions, TableScan,
};

/// Of a file that the second cache has room for.
const ENTRIES: u64 = 8192;
const VALUE: [u8; 100] = [b'v'; 100];
const SEQUENCE: u64 = 7;

fn options(filter_policy: Option<FilterPolicy>) -> TableBuilderOptions {
    TableBuilderOptions {
        compression: CompressionType::None,
        filter_policy,
        ..TableBuilderOptions::default()
    }
}

/// Numbers, then zeros, as `db_bench` makes them.
fn internal_keys() -> Vec<InternalKey> {
    let key = |number: u64| {
        let mut user_key = [b'0'; 16];
        user_key[..8].copy_from_slice(&number.to_be_bytes());
        InternalKey::new(&user_key, SEQUENCE, ValueType::Value)
    };
    (0..ENTRIES).map(key).collect()
}

/// A file that is never read: it copies what is appended into memory that is in the cache.
#[derive(Debug)]
struct Sink {
    buffer: Vec<u8>,
    size: u64,
}

impl Sink {
    fn new() -> Self {
        Self { buffer: vec![0; 64 << 10], size: 0 }
    }
}

impl WritableFile for Sink {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.size += bytes.len() as u64;
        for piece in bytes.chunks(self.buffer.len()) {
            self.buffer[..piece.len()].copy_from_slice(piece);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn fsync(&mut self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("000001.sst")
    }
}

/// Adds all entries as jobs do it: to the block under way as long as it has room, else by the builder.
fn fill(builder: &mut BlockBasedTableBuilder, keys: &[InternalKey]) -> Result<()> {
    let mut rest = keys.iter().map(InternalKey::as_bytes).peekable();
    while rest.peek().is_some() {
        if let Some(mut block) = builder.open_block() {
            let mut add =
                |key| block.add(&StoredEntry::apart(key, &VALUE), SEQUENCE, ValueType::Value);
            while rest.next_if(|key| add(key)).is_some() {}
        }
        let Some(key) = rest.next() else { break };
        builder.add(key, &VALUE)?;
    }
    Ok(())
}

/// A copy of every entry's bytes.
fn copies(keys: &[InternalKey]) -> Timed<'_> {
    let size = keys.iter().map(|key| key.as_bytes().len() + VALUE.len()).sum();
    let mut bytes: Vec<u8> = vec![0; size];
    bytes.clear();
    prepared(
        ENTRIES,
        || (),
        move |()| {
            bytes.clear();
            for key in keys {
                bytes.extend_from_slice(key.as_bytes());
                bytes.extend_from_slice(black_box(&VALUE));
            }
            black_box(&bytes);
        },
    )
}

fn building(benches: &Benches, keys: &[InternalKey]) {
    let bloom = Some(FilterPolicy::Bloom { bits_per_key: 10.0 });
    for (name, policy) in [("without a filter", None), ("with a filter", bloom)] {
        let options = options(policy);
        benches.compare(
            &format!("table: entry built, {name}"),
            prepared(
                ENTRIES,
                || BlockBasedTableBuilder::new(&options, Box::new(Sink::new())).ok(),
                |builder| {
                    let mut builder = builder.take().expect("a builder");
                    fill(&mut builder, keys).expect("keys ascend");
                    black_box(builder.finish().expect("a table"));
                },
            ),
            "a copy of its bytes",
            copies(keys),
        );
    }
}

fn table(file_system: &MemFileSystem, keys: &[InternalKey]) -> Arc<BlockBasedTable> {
    let path = Path::new("/000001.sst");
    let file = file_system.new_writable_file(path, &FileOptions::default()).expect("a file");
    let mut builder = BlockBasedTableBuilder::new(&options(None), file).expect("a builder");
    fill(&mut builder, keys).expect("keys ascend");
    builder.finish().expect("a table");
    let comparator = InternalKeyComparator::bytewise();
    let size = file_system.get_file_size(path).expect("a size");
    let file = file_system.new_random_access_file(path, &FileOptions::default()).expect("a file");
    let options = TableOptions { comparator, file_number: 1, ..TableOptions::default() };
    BlockBasedTable::open(file, size, &options).expect("a table")
}

fn scanning(benches: &Benches, keys: &[InternalKey]) {
    let table = table(&MemFileSystem::new(), keys);
    let (options, order) = (ReadOptions::default(), RankOrder::new(b""));
    let scan = |scan: &mut TableScan| {
        scan.seek_to_first().expect("a block");
        let mut count = 0;
        while let Some(entry) = scan.stored_entry() {
            black_box(entry.key);
            count += 1;
            scan.next().expect("a block");
        }
        assert_eq!(count, ENTRIES, "entries of the scan");
    };
    benches.compare(
        "table: entry scanned",
        prepared(ENTRIES, || table.new_scan(&options, &order).expect("a scan"), scan),
        "a copy of its bytes",
        copies(keys),
    );
}

fn main() {
    let benches = Benches::from_arguments();
    let keys = internal_keys();
    building(&benches, &keys);
    scanning(&benches, &keys);
}
