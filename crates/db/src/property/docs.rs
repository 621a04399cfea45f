//! The reference of properties, as Markdown.

use super::table::{PropertyKind, SECTIONS};
use std::fmt::Write as _;

const HEAD: &str = "\
# Properties

What a database says of itself, by name: `Db::property` (text), `Db::int_property` (number),
`Db::map_property` (map) and `Db::aggregated_int_property` (the sum of a number over all column families,
a cache that several of them share counted once). Names of `rocksdb.` are RocksDB's, and so are the
answers; `crates/db/tests/property_compare.rs` and `property_peers` compare them. Names that
end in `N` take a number there. Every property has an answer, in a database open for writing and in one
that is only read; there, what only a writer has or does is 0. Made from the table in
`crates/db/src/property/table.rs`; do not edit.

Statistics as texts are laid out as RocksDB 7.8 lays them out, because scripts count lines and columns;
what later releases added has lines of its own, and keys of its own in the maps.
";

const TAIL: &str = "
## Where the answers differ

- `rocksdb.size-all-mem-tables` and `cur-size-*` are the memory as RocksDB's arena would fill, so that
  memtables are as large as RocksDB's; `touchstone.memory` tells the memory that they really take.
- `touchstone.memory` adds up what each part asked of the allocator, and what that keeps of what was freed
  (`allocator-idle`, of the whole process, as glibc tells it; 0 with other C libraries, and close to it in
  programs with an allocator of their own). A test compares the sum with the memory that the process really
  grows by, for large memtables, a full block cache, one whose blocks come and go, and many open tables:
  they are within a tenth of each other (`crates/db/tests/memory_report.rs`). What jobs hold for a moment
  (builders of tables, readahead into the page cache) and stacks are not among them: none grows with the data. Open
  blob files are.
- `mapped-files` is what is mapped of logs that are written without calls ([wal-io.md](wal-io.md)), `file-buffers` the
  buffers of files that are written and those of reads around the page cache, `file-buffers-idle` the buffers of
  closed files that are kept for others, at most eight of a MiB, `flush-slices` what flushes have gathered out of
  memtables ([background-work.md](background-work.md#flushes-are-cut-into-slices)), and `compression-contexts` what
  codecs keep for each thread that has compressed or decompressed: all of the whole process.
- `block-memory-idle` is what data blocks that were dropped have left for those that come, in the whole process: with
  live blocks at most a sixteenth more than they alone took at one time, and at most twice what they take now and a MiB.
  What nobody takes goes back to the allocator within some seconds of the last write. Where much goes back because
  blocks became fewer, at least 8 MiB and at least a quarter of those that are left, glibc's allocator is told to return
  it to the system ([caches.md](caches.md#memory-of-data-blocks)); from then on `allocator-idle` is no more than what the
  process has of memory beside what is in use, which is too little where much is in use that was never touched.
- `huge-pages` is how much of the process's memory was brought together in huge pages because data blocks are there,
  or what memtables left to others ([caches.md](caches.md#huge-pages)); like what is pinned it is in other parts
  already, and not in `total` again.
- `memtables` there has spare room of blocks of up to 2 MiB, which the system may not have given yet, and what is kept
  of flushed memtables for those that follow: at most as much as one of them takes, in whole blocks, and never more with
  them than they alone had at one time. What nobody takes goes back to the system when it is
  looked at, each second. Nothing is kept where a `WriteBufferManager` counts, which others share.
- What bounds the whole is `Options::for_budget(bytes, threads, profile)` for all options at once (`touchstone options`
  tells the same choices), and in an open database the capacity of the block cache (`Cache::set_capacity`), where a
  `WriteBufferManager` is given that cache and `cache_usage_options` has the rest charged to it
  ([caches.md](caches.md#memory-of-other-uses)). The process takes a third more than that capacity at most, which
  `the_capacity_of_one_cache_bounds_the_whole` looks at: blocks of many sizes leave gaps in the allocator's memory,
  and what jobs hold for a moment is not charged.
- `TOUCHSTONE_BUDGET_MB=64 cargo test -p touchstone-db --test memory_report -- --ignored` measures what a
  process grows by under a load with the options of a budget: a tenth more at most, of 64, 128 and 256 MB with each
  profile. One of them is a test that always runs.
- `rocksdb.num-immutable-mem-table-flushed` is 0: flushed memtables are not kept
  (`max_write_buffer_size_to_maintain` is for transactions that look for conflicts in them).
- `rocksdb.estimate-table-readers-mem` counts tables that are open; RocksDB opens all of them first.
- `rocksdb.num-running-compaction-sorted-runs` counts those of compactions that only move files, too.
";

/// The text of docs/properties.md.
pub fn properties_reference() -> String {
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        let _ = write!(
            text,
            "\n## {}\n\n| Name | Forms | RocksDB since | What it tells |\n\
             | --- | --- | --- | --- |\n",
            section.title
        );
        for property in section.properties {
            let info = &property.info;
            let forms = match info.kind {
                PropertyKind::Number => "number",
                PropertyKind::Text => "text",
                PropertyKind::Map => "text, map",
            };
            let argument = if takes_argument(info.name) { "N" } else { "" };
            let since = if info.since.is_empty() { "not" } else { info.since };
            let _ =
                writeln!(text, "| `{}{argument}` | {forms} | {since} | {} |", info.name, info.doc);
        }
    }
    text + TAIL
}

fn takes_argument(name: &str) -> bool {
    name.ends_with("-at-level") || name.ends_with("-at-temperature")
}

#[cfg(test)]
mod tests;
