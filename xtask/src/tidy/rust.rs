//! Rules for Rust sources.

use super::Finding;
use crate::files::File;
use crate::source::{line_of, word_offsets};

#[cfg(test)]
mod tests;

/// Files that may hold unsafe code, each with the reason. Everything else is safe.
const UNSAFE_FILES: &[(&str, &str)] = &[
    (
        "crates/compression/src/lz4.rs",
        "liblz4 has dictionaries and LZ4HC, and no safe interface to them exists",
    ),
    (
        "crates/engines/src/store/lmdb.rs",
        "LMDB maps a file that others could change; behind a feature",
    ),
    (
        "crates/kernels/src/x86_64.rs",
        "vector loads and prefetches, through intrinsics of features found at run time",
    ),
    ("crates/librocksdb/src/batch.rs", LIBROCKSDB),
    ("crates/librocksdb/src/cursor.rs", LIBROCKSDB),
    ("crates/librocksdb/src/database.rs", LIBROCKSDB),
    ("crates/librocksdb/src/failure.rs", LIBROCKSDB),
    ("crates/librocksdb/src/functions.rs", LIBROCKSDB),
    ("crates/librocksdb/src/hooks.rs", LIBROCKSDB),
    ("crates/librocksdb/src/library.rs", LIBROCKSDB),
    ("crates/librocksdb/src/options.rs", LIBROCKSDB),
    ("crates/librocksdb/src/read.rs", LIBROCKSDB),
    ("crates/librocksdb/src/read_options.rs", LIBROCKSDB),
    ("crates/librocksdb/src/upkeep.rs", LIBROCKSDB),
    ("crates/peer/src/ffi/database.rs", PEER),
    ("crates/peer/src/ffi/database/external_tables.rs", PEER),
    ("crates/peer/src/ffi/iterator.rs", PEER),
    ("crates/peer/src/ffi/operators.rs", PEER),
    ("crates/peer/src/ffi/options.rs", PEER),
    ("crates/peer/src/ffi/transactions.rs", PEER),
    ("crates/host/src/resource_usage.rs", "no safe interface to getrusage among our libraries"),
    (
        "crates/env/src/allocator.rs",
        "no safe interface to what the C library's allocator tells of itself",
    ),
    (
        "crates/env/src/huge_pages/collapse.rs",
        "no safe interface among our libraries has this request to the system",
    ),
    ("crates/env/src/io_ring.rs", "the kernel writes to memory that it was given an address of"),
    (
        "crates/env/src/posix/append_read.rs",
        "reads into spare memory, of which safe interfaces can only take all",
    ),
    ("crates/env/src/posix/sync_file_range.rs", "no safe interface to this system call exists"),
    (
        "crates/env/src/posix/mapping.rs",
        "logs that are appended to by storing into a shared mapping, which can be no reference",
    ),
    ("crates/memtable/src/arena.rs", "memory that one writes while others read"),
    ("crates/memtable/src/arena/tests.rs", "they look at such memory"),
    ("crates/memtable/src/b_plus_tree.rs", "nodes and records that readers reach meanwhile"),
    ("crates/memtable/src/b_plus_tree/cursor.rs", "a cursor goes to other threads"),
    ("crates/memtable/src/b_plus_tree/node.rs", "the layout of a node"),
    ("crates/memtable/src/b_plus_tree/tests.rs", "nodes looked at one by one"),
    ("crates/memtable/src/b_plus_tree/writer.rs", "nodes that readers see change"),
    ("crates/memtable/src/record.rs", "the layout of a record"),
    ("crates/memtable/src/record/tests.rs", "records read without a tree"),
    ("crates/memtable/src/skip_list.rs", "nodes that readers reach while others are linked"),
    ("crates/memtable/src/skip_list/node.rs", "the layout of such a node"),
];

const LIBROCKSDB: &str = "RocksDB's C functions, which types without unsafe functions are put over";
const PEER: &str = "tests only: RocksDB's C functions, in a process that runs nothing else";

/// Words that mark unfinished work, with whether they count in comments too. They are put together
/// here so that this file does not hold them.
const BANNED_WORDS: &[(&str, bool)] = &[
    (concat!("to", "do!"), false),
    (concat!("unimple", "mented!"), false),
    (concat!("d", "bg!"), false),
    (concat!("FIX", "ME"), true),
    (concat!("X", "XX"), true),
    (concat!("TO", "DO"), true),
    (concat!("HA", "CK"), true),
];

/// A source begins with a comment on what it holds; its tests need none.
pub(super) fn header(file: &File) -> Vec<Finding> {
    if !file.is_rust() || file.path.ends_with("/tests.rs") || file.text.starts_with("//!") {
        return Vec::new();
    }
    vec![Finding::new(file, 1, "begin with a comment (//!) on what the file holds")]
}

/// Marks of unfinished work.
pub(super) fn banned_words(file: &File) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (word, in_comments) in BANNED_WORDS {
        let text = if *in_comments { &file.text } else { &file.code };
        for offset in word_offsets(text, word) {
            let line = line_of(text, offset);
            findings.push(Finding::new(file, line, format!("{word} marks unfinished work")));
        }
    }
    findings
}

/// Attributes that switch something off say why: in themselves or in a comment above.
pub(super) fn attributes_without_reason(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in ["ignore", "allow", "expect"] {
        for offset in attribute_offsets(&file.code, name) {
            let end = file.code[offset..].find(']').map_or(file.code.len(), |end| offset + end);
            let attribute = &file.code[offset..end];
            let has_reason = match name {
                "ignore" => attribute.contains('='),
                _ => word_offsets(attribute, "reason").next().is_some(),
            };
            let line = line_of(&file.code, offset);
            let above = line.checked_sub(2).and_then(|index| file.text.lines().nth(index));
            let has_comment = above.is_some_and(|above| above.trim_start().starts_with("// "));
            if !has_reason && !has_comment {
                findings.push(Finding::new(file, line, format!("#[{name}] without a reason")));
            }
        }
    }
    findings
}

/// Offsets of the name in attributes `#[name...]` and `#![name...]`.
fn attribute_offsets<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    word_offsets(code, name).filter(|&offset| {
        let before = code[..offset].trim_end();
        before.ends_with("#[") || before.ends_with("#![")
    })
}

/// Unsafe code stays in the files that are listed for it.
pub(super) fn unsafe_code(file: &File) -> Vec<Finding> {
    if UNSAFE_FILES.iter().any(|(path, _)| *path == file.path) {
        return Vec::new();
    }
    word_offsets(&file.code, "unsafe")
        .map(|offset| {
            let line = line_of(&file.code, offset);
            Finding::new(file, line, "unsafe code outside the files listed for it in xtask")
        })
        .collect()
}

/// Tests have files of their own.
pub(super) fn misplaced_tests(file: &File) -> Vec<Finding> {
    if file.is_test() {
        return Vec::new();
    }
    attribute_offsets(&file.code, "test")
        .map(|offset| {
            let line = line_of(&file.code, offset);
            Finding::new(file, line, "move the test into the module's tests.rs")
        })
        .collect()
}
