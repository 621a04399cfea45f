//! Flags that `db_bench` does not have, each once.

use super::{
    Flag, Kind,
    Kind::{Bool, Int32, String, Uint32, Uint64},
    Support::{Db, Family, Honoured, Table},
};

const fn row(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Flag {
    Flag { name, kind, default, support: Honoured, doc }
}

/// Every flag of our own, by name.
#[rustfmt::skip]
pub static OWN_FLAGS: &[Flag] = &[
    row("arrival_rate", Uint64, "0", "Operations of all threads that begin in a second, whatever the engine does; latency counts from when they should; 0 each when the one before ended."),
    row("as_published", Bool, "false", "Does what RocksDB's tool did where that was a mistake; with --shape: go to the stage as the campaign of 2021 did, with a flush that does nothing and the keys of the queries."),
    Flag { name: "compaction_niceness", kind: Int32, default: "5", support: Db("compaction_niceness"), doc: "Sets DBOptions.compaction_niceness: 0 to 19." },
    Flag { name: "deletion_pass_trigger", kind: Uint32, default: "4096", support: Family("deletion_pass_trigger"), doc: "Sets ColumnFamilyOptions.deletion_pass_trigger." },
    row("engine", String, "touchstone", "What is measured: touchstone; the path of a library of RocksDB; rocksdb:RELEASE; debian; fjall, redb or lmdb if they are built in; or null for the harness alone."),
    row("harness_cost", Bool, "false", "Also measure what the harness itself costs, with an engine that does nothing."),
    row("huge_pages", Bool, "true", "Who asks for huge pages gets them where the system gives them to those who ask; false: nobody does, neither stores nor allocators."),
    row("json", String, "", "Append a record of each run to this file, as a line of JSON."),
    Flag { name: "keep_blocks_warm", kind: Bool, default: "true", support: Table("keep_blocks_warm"), doc: "Sets BlockBasedTableOptions.keep_blocks_warm." },
    row("key_size_max", Uint64, "0", "Keys have lengths from --key_size to this, in bytes, each its own, which follows from its number; 0 all --key_size."),
    row("report_wallclock", Bool, "false", "A third column in the report file: seconds since 1970."),
    row("shape", String, "", "Bring the tree into this shape before each benchmark: pre_flush, post_flush, compact_l0, compact_l1, compact_all, l0_and_lmax, or for instance memtable=38200,l0=6,l1=87M."),
    row("wait_for_compactions", Bool, "false", "A benchmark that writes is over when the compactions are that are due; the wait counts, in its time and its operations in a second, not in latencies."),
    Flag { name: "wal_io", kind: String, default: "auto", support: Db("wal_io"), doc: "Sets DBOptions.wal_io: write, mapped or auto." },
];
