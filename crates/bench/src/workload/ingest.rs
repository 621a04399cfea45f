//! `ingestexternalfile`: tables that are written apart and then taken in, some at a time. All have the
//! same keys, so that each hides the ones before it. Times are of both, as in `db_bench`.

use super::{Thread, Workload};
use crate::option_source::database_options;
use crate::stats::OperationType;
use crate::target::database_path;
use base::{Result, Status};
use db::IngestExternalFileOptions;
use engines::Engine;
use std::fs;
use std::path::Path;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let count = |name: &str| flags.int(name).max(1);
    let batch_count = count("ingest_external_file_num_batches");
    let batch_size = count("ingest_external_file_batch_size");
    let opening_threads = flags.int("ingest_external_file_file_opening_threads");
    let options = IngestExternalFileOptions {
        move_files: true,
        file_opening_threads: opening_threads as i32,
        fill_cache: flags.bool("ingest_external_file_fill_cache"),
        prefetch_lmax_index_and_filter_blocks: flags
            .bool("ingest_external_file_prefetch_lmax_index_and_filter_blocks"),
        ..IngestExternalFileOptions::default()
    };
    let target = workload.select_target(&mut thread.random);
    let directory = database_path(flags).join("ingest_tmp");
    let io = |doing: &str, error: &std::io::Error| Status::from_io(error, doing, &directory);
    fs::create_dir_all(&directory).map_err(|error| io("create", &error))?;
    let mut bytes = 0;
    for batch in 0..batch_count {
        let path = |index: i64| directory.join(format!("ingest_{batch}_{index}.sst"));
        let files: Vec<_> = (0..batch_size).map(path).collect();
        for file in &files {
            bytes += write_table(workload, thread, &target.db, file)?;
        }
        target.db.ingest(&target.families[0], &files, &options)?;
        thread.stats.finished_operations(1, OperationType::Write);
    }
    // What was taken in is no longer there.
    fs::remove_dir_all(&directory).map_err(|error| io("remove", &error))?;
    thread.stats.add_bytes(bytes);
    thread.stats.add_message(&format!(
        "({batch_count} batches x {batch_size} files, {} keys/file, {opening_threads} threads)",
        workload.keys.key_count
    ));
    Ok(())
}

/// Writes a table of all keys in order; how many bytes they and their values have.
fn write_table<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &Thread,
    db: &E,
    path: &Path,
) -> Result<u64> {
    let (options, family) = database_options(workload.flags, None)?;
    let mut values = workload.values(thread);
    let (mut key, mut bytes) = (Vec::new(), 0);
    let mut numbers = 0..workload.keys.key_count;
    db.write_table(&options, &family, path, &mut |put| {
        for number in numbers.by_ref() {
            workload.key(number, &mut key);
            let value = values.next_value();
            bytes += (key.len() + value.len()) as u64;
            put(&key, value)?;
        }
        Ok(())
    })?;
    Ok(bytes)
}
