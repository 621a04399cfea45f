//! The commands as a table: name, what may follow it, what it does.

use super::failure::Outcome;
use super::session::Session;
use super::{
    approxsize, checkconsistency, column_family_change, compact, delete, dump, dump_live_files,
    dump_wal, file_checksum_dump, get, get_property, idump, ingest_extern_sst,
    list_column_families, list_file_range_deletes, list_live_files_metadata, load, manifest_dump,
    put, query, scan, write_extern_sst,
};

/// Options and flags that nearly all commands take.
const COMMON: &[&str] = &[
    "env_uri",
    "fs_uri",
    "db",
    "secondary_path",
    "bloom_bits",
    "block_size",
    "auto_compaction",
    "compression_type",
    "compression_max_dict_bytes",
    "write_buffer_size",
    "file_size",
    "fix_prefix_len",
    "try_load_options",
    "disable_consistency_checks",
    "enable_blob_files",
    "min_blob_size",
    "blob_file_size",
    "blob_compression_type",
    "enable_blob_garbage_collection",
    "blob_garbage_collection_age_cutoff",
    "blob_garbage_collection_force_threshold",
    "blob_compaction_readahead_size",
    "blob_file_starting_level",
    "prepopulate_blob_cache",
    "ignore_unknown_options",
    "column_family",
];

/// Of the common ones, what the commands that add and drop column families take.
const ONLY_DB: &[&str] = &["db"];

/// A command.
pub(crate) struct Command {
    /// Its name.
    pub(crate) name: &'static str,
    /// Parameters that follow the name.
    pub(crate) parameters: &'static str,
    /// What it does.
    pub(crate) summary: &'static str,
    /// Options and flags that it shares with others.
    common: &'static [&'static str],
    /// Options and flags that it takes beside those.
    pub(crate) options: &'static [&'static str],
    /// How it does it.
    pub(crate) action: Action,
}

/// How a command is carried out.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// By this function.
    Runs {
        /// It must be given a database with `--db`, or a file with `--path`.
        needs_database: bool,
        run: fn(&mut Session<'_>) -> Outcome,
    },
    /// Not yet.
    NotImplemented,
}

impl Command {
    /// The command of this name.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Whether it takes an option or flag of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.common.contains(&name) || self.options.contains(&name)
    }

    /// Whether it must be given a database with `--db`, or a file with `--path`.
    pub(crate) fn needs_database(&self) -> bool {
        matches!(self.action, Action::Runs { needs_database: true, .. })
    }

    /// A row: a command that reads an open database.
    const fn reads_db(
        (name, parameters): (&'static str, &'static str),
        options: &'static [&'static str],
        run: fn(&mut Session<'_>) -> Outcome,
        summary: &'static str,
    ) -> Self {
        let action = Action::Runs { needs_database: true, run };
        Self { name, parameters, summary, common: COMMON, options, action }
    }

    /// A row: a command that reads files by itself.
    const fn reads_files(
        (name, parameters): (&'static str, &'static str),
        options: &'static [&'static str],
        run: fn(&mut Session<'_>) -> Outcome,
        summary: &'static str,
    ) -> Self {
        let action = Action::Runs { needs_database: false, run };
        Self { name, parameters, summary, common: COMMON, options, action }
    }

    /// A row: a command that writes to a database.
    const fn writes(
        (name, parameters): (&'static str, &'static str),
        common: &'static [&'static str],
        options: &'static [&'static str],
        run: fn(&mut Session<'_>) -> Outcome,
        summary: &'static str,
    ) -> Self {
        let action = Action::Runs { needs_database: true, run };
        Self { name, parameters, summary, common, options, action }
    }

    /// A row: a command that is known and not there yet.
    const fn not_implemented(
        (name, parameters): (&'static str, &'static str),
        options: &'static [&'static str],
        summary: &'static str,
    ) -> Self {
        let (common, action) = (COMMON, Action::NotImplemented);
        Self { name, parameters, summary, common, options, action }
    }
}

/// All commands, by name.
pub(crate) static COMMANDS: &[Command] = &[
    Command::reads_db(
        ("approxsize", ""),
        &["hex", "key_hex", "value_hex", "from", "to"],
        approxsize::run,
        "bytes that a range of keys takes in tables, about",
    ),
    Command::not_implemented(
        ("backup", ""),
        &["backup_env_uri", "backup_fs_uri", "backup_dir", "num_threads", "stderr_log_level"],
        "adds a backup",
    ),
    Command::writes(
        ("batchput", "(<key> <value>)..."),
        COMMON,
        &["ttl", "hex", "key_hex", "value_hex", "create_if_missing"],
        put::run_batch,
        "writes several pairs at once",
    ),
    Command::not_implemented(
        ("change_compaction_style", ""),
        &["old_compaction_style", "new_compaction_style"],
        "converts between leveled and universal compaction",
    ),
    Command::reads_files(
        ("checkconsistency", ""),
        &[],
        checkconsistency::run,
        "checks that the files of the database are there and as large as they should be",
    ),
    Command::not_implemented(("checkpoint", ""), &["checkpoint_dir"], "makes a checkpoint"),
    Command::writes(
        ("compact", ""),
        COMMON,
        &["from", "to", "hex", "key_hex", "value_hex", "ttl"],
        compact::run,
        "compacts a range of keys",
    ),
    Command::writes(
        ("create_column_family", "<name>"),
        ONLY_DB,
        &[],
        column_family_change::create,
        "adds a column family",
    ),
    Command::writes(
        ("delete", "<key>"),
        COMMON,
        &["hex", "key_hex", "value_hex"],
        delete::run,
        "deletes a key",
    ),
    Command::writes(
        ("deleterange", "<begin key> <end key>"),
        COMMON,
        &["hex", "key_hex", "value_hex"],
        delete::run_range,
        "deletes a range of keys",
    ),
    Command::writes(
        ("drop_column_family", "<name>"),
        ONLY_DB,
        &[],
        column_family_change::drop,
        "drops a column family",
    ),
    Command::reads_db(
        ("dump", ""),
        &[
            "ttl",
            "hex",
            "key_hex",
            "value_hex",
            "from",
            "to",
            "max_keys",
            "count_only",
            "count_delim",
            "stats",
            "start_time",
            "end_time",
            "bucket",
            "timestamp",
            "path",
            "decode_blob_index",
            "dump_uncompressed_blobs",
        ],
        dump::run,
        "prints pairs, counts them, or prints what is in one file",
    ),
    Command::reads_db(
        ("dump_live_files", ""),
        &["decode_blob_index", "dump_uncompressed_blobs"],
        dump_live_files::run,
        "prints what is in all files that make up the database",
    ),
    Command::reads_files(
        ("dump_wal", ""),
        &["walfile", "write_committed", "header", "print_value"],
        dump_wal::run,
        "prints the write batches of a write-ahead log",
    ),
    Command::reads_files(
        ("file_checksum_dump", ""),
        &["path", "hex"],
        file_checksum_dump::run,
        "prints the checksums of whole files that the MANIFEST holds",
    ),
    Command::reads_db(
        ("get", "<key>"),
        &["ttl", "hex", "key_hex", "value_hex"],
        get::run,
        "prints the value of a key",
    ),
    Command::reads_db(
        ("get_property", "<property>"),
        &[],
        get_property::run,
        "prints a property of the database",
    ),
    Command::reads_db(
        ("idump", ""),
        &[
            "hex",
            "key_hex",
            "value_hex",
            "from",
            "to",
            "max_keys",
            "count_only",
            "count_delim",
            "stats",
            "input_key_hex",
            "decode_blob_index",
        ],
        idump::run,
        "prints entries with sequence number and type, or counts them",
    ),
    Command::writes(
        ("ingest_extern_sst", "<table file>"),
        COMMON,
        &[
            "move_files",
            "snapshot_consistency",
            "allow_global_seqno",
            "create_if_missing",
            "allow_blocking_flush",
            "ingest_behind",
            "write_global_seqno",
        ],
        ingest_extern_sst::run,
        "adds a table file made elsewhere",
    ),
    Command::reads_files(
        ("list_column_families", ""),
        &[],
        list_column_families::run,
        "prints the names of the column families",
    ),
    Command::reads_db(
        ("list_file_range_deletes", ""),
        &["max_keys"],
        list_file_range_deletes::run,
        "prints the range tombstones in tables",
    ),
    Command::reads_db(
        ("list_live_files_metadata", ""),
        &["sort_by_filename"],
        list_live_files_metadata::run,
        "prints the names of tables and blob files, with column family and level",
    ),
    Command::writes(
        ("load", ""),
        COMMON,
        &[
            "hex",
            "key_hex",
            "value_hex",
            "from",
            "to",
            "create_if_missing",
            "disable_wal",
            "bulk_load",
            "compact",
        ],
        load::run,
        "writes the pairs on standard input",
    ),
    Command::reads_files(
        ("manifest_dump", ""),
        &["verbose", "path", "hex", "json"],
        manifest_dump::run,
        "prints the files that a MANIFEST lists, or its edits",
    ),
    Command::writes(
        ("put", "<key> <value>"),
        COMMON,
        &["ttl", "hex", "key_hex", "value_hex", "create_if_missing"],
        put::run,
        "writes a pair",
    ),
    Command::writes(
        ("query", ""),
        COMMON,
        &["ttl", "hex", "key_hex", "value_hex"],
        query::run,
        "reads and writes as told on standard input",
    ),
    Command::not_implemented(
        ("reduce_levels", ""),
        &["new_levels", "print_old_levels"],
        "moves all tables to fewer levels",
    ),
    Command::not_implemented(
        ("repair", ""),
        &["verbose"],
        "makes a database of what can be saved from a damaged one",
    ),
    Command::not_implemented(
        ("restore", ""),
        &["backup_env_uri", "backup_fs_uri", "backup_dir", "num_threads", "stderr_log_level"],
        "restores the newest backup",
    ),
    Command::reads_db(
        ("scan", ""),
        &[
            "ttl",
            "no_value",
            "hex",
            "key_hex",
            "to",
            "value_hex",
            "from",
            "timestamp",
            "max_keys",
            "start_time",
            "end_time",
        ],
        scan::run,
        "prints pairs",
    ),
    Command::writes(
        ("singledelete", "<key>"),
        COMMON,
        &["hex", "key_hex", "value_hex"],
        delete::run_single,
        "deletes a key that was written once",
    ),
    Command::not_implemented(
        ("unsafe_remove_sst_file", "<number>"),
        &[],
        "takes a table out of the MANIFEST",
    ),
    Command::not_implemented(
        ("update_manifest", ""),
        &["verbose", "update_temperatures"],
        "brings the MANIFEST up to date with the files",
    ),
    Command::writes(
        ("write_extern_sst", "<table file>"),
        COMMON,
        &["hex", "key_hex", "value_hex", "from", "to", "create_if_missing"],
        write_extern_sst::run,
        "makes a table file of the pairs on standard input",
    ),
];

#[cfg(test)]
mod tests;
