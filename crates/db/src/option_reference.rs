//! The reference of all options, `docs/options.md`: those of databases, and those of calls.

use crate::{
    CompactFilesOptions, CompactRangeOptions, FlushOptions, FlushWalOptions,
    IngestExternalFileOptions, ReadOptions, SizeApproximationOptions, WaitForCompactOptions,
    WriteOptions,
};
use base::call_options::{CallOption, CallOptions};
use cache::{CompressedSecondaryCacheOptions, HyperClockCacheOptions};
use std::fmt::Write as _;

const INTRODUCTION: &str = "
# Options of calls

They are given with a call, or to what a program makes, and stand in no text. What is *accepted* changes nothing; the database
warns once when it is set (`Db::call_warnings`, and its LOG). With what is *refused* set, a call is
`NotSupported`; where no default stands, the option is an object that this engine has none of.
";

const REST_INTRODUCTION: &str = "
# Structs of options that are not here

RocksDB has them for what this engine does not have, or has in another form.

| Struct | Instead |
| --- | --- |
";

/// Structs of options of RocksDB for what this engine does not have, or has in another form: the
/// struct, and what there is instead.
pub(crate) const WITHOUT_ROWS: &[(&str, &str)] = &[
    ("BackupEngineOptions", "backups are not offered"),
    ("CacheEntryRoleOptions", "the values of CacheUsageOptions"),
    ("CheckpointEngineOptions", "checkpoints are not offered"),
    ("CreateBackupOptions", "backups are not offered"),
    ("CreateCheckpointOptions", "checkpoints are not offered"),
    ("EnvOptions", "made of DbOptions when a file is opened, as in RocksDB"),
    ("ImportColumnFamilyOptions", "column families are not imported"),
    ("JemallocAllocatorOptions", "caches have the memory of the program's allocator"),
    ("LiveFilesStorageInfoOptions", "`Db::live_files` takes no options"),
    ("OptimisticTransactionDBOptions", "transactions are not offered"),
    ("OptimisticTransactionOptions", "transactions are not offered"),
    ("RestoreOptions", "backups are not offered"),
    ("TieredCacheOptions", "a secondary cache has a capacity of its own"),
    ("TraceOptions", "operations are not traced to files"),
    ("TransactionDBOptions", "transactions are not offered"),
    ("TransactionDBWriteOptimizations", "transactions are not offered"),
    ("TransactionOptions", "transactions are not offered"),
];

/// A struct of options of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallStruct {
    /// Its name.
    pub name: &'static str,
    /// What it has.
    pub options: &'static [CallOption],
}

fn of<O: CallOptions>() -> CallStruct {
    CallStruct { name: O::NAME, options: O::infos() }
}

/// Every struct of options of a call.
pub fn call_structs() -> Vec<CallStruct> {
    vec![
        of::<ReadOptions>(),
        of::<WriteOptions>(),
        of::<FlushOptions>(),
        of::<FlushWalOptions>(),
        of::<CompactRangeOptions>(),
        of::<CompactFilesOptions>(),
        of::<WaitForCompactOptions>(),
        of::<IngestExternalFileOptions>(),
        of::<SizeApproximationOptions>(),
        of::<HyperClockCacheOptions>(),
        of::<CompressedSecondaryCacheOptions>(),
    ]
}

/// The whole text.
pub fn option_reference() -> String {
    let mut text = options::docs::reference();
    text.push_str(INTRODUCTION);
    for CallStruct { name, options } in call_structs() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {name}\n\n");
        text.push_str("| Option | Type | Default | Support | What it does |\n");
        text.push_str("| --- | --- | --- | --- | --- |\n");
        for CallOption { name, doc, type_name, default, support } in options {
            let default = match *default {
                "" => String::new(),
                default => format!("`{default}`"),
            };
            let (doc, word) = (doc.trim(), support.word());
            let _ = writeln!(text, "| `{name}` | `{type_name}` | {default} | {word} | {doc} |");
        }
    }
    text.push_str(REST_INTRODUCTION);
    for (name, instead) in WITHOUT_ROWS {
        let _ = writeln!(text, "| `{name}` | {instead} |");
    }
    text
}

#[cfg(test)]
mod tests;
