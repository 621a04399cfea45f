//! What `--engine` names, and what its databases share.

use crate::counted_files::{CountedFiles, FileCounters};
use crate::flags::Flags;
use crate::open_context::{cache_options, open_context, stats_level};
use crate::runner::{self, harness::null_provider};
use base::{Result, Status};
use db::OpenContext;
use engines::{RocksDbProvider, TouchstoneProvider, debian_library, fetched_library};
use std::path::PathBuf;
use std::sync::Arc;

/// Runs what the command line asks for, on the engine that it names.
///
/// # Errors
/// The first failure: a flag that makes no sense, a database that does not open, a failed read.
pub fn run(flags: &Flags) -> Result<()> {
    let steps = crate::step::checked_steps(flags)?;
    match flags.text("engine") {
        "touchstone" => {
            let (context, files) = counted(flags, open_context(flags)?);
            runner::run(flags, &steps, &TouchstoneProvider::new(context), files)
        }
        other if flags.bool("report_file_operations") => Err(Status::not_supported(format!(
            "--report_file_operations: the files of --engine={other} are not seen here"
        ))),
        "null" => runner::run(flags, &steps, &null_provider(flags), None),
        #[cfg(feature = "fjall")]
        "fjall" => runner::run(flags, &steps, &store::<engines::store::FjallStore>(flags), None),
        #[cfg(feature = "redb")]
        "redb" => runner::run(flags, &steps, &store::<engines::store::RedbStore>(flags), None),
        #[cfg(feature = "lmdb")]
        "lmdb" => runner::run(flags, &steps, &store::<engines::store::LmdbStore>(flags), None),
        name => {
            let library = library(name)?;
            check_objects(flags)?;
            let cache = cache_options(flags)?;
            let provider = RocksDbProvider::new(&library, cache.as_ref(), stats_level(flags)?)?;
            runner::run(flags, &steps, &provider, None)
        }
    }
}

/// The context with a file system whose operations are counted, if that is asked for.
fn counted(flags: &Flags, mut context: OpenContext) -> (OpenContext, Option<Arc<FileCounters>>) {
    if !flags.bool("report_file_operations") {
        return (context, None);
    }
    let counters = Arc::<FileCounters>::default();
    let target = context.file_system;
    context.file_system = Arc::new(CountedFiles { target, counters: Arc::clone(&counters) });
    (context, Some(counters))
}

/// A store with the cache that `--cache_size` asks for.
#[cfg(any(feature = "fjall", feature = "lmdb", feature = "redb"))]
fn store<S: engines::store::Store>(flags: &Flags) -> engines::store::StoreProvider<S> {
    engines::store::StoreProvider::new(flags.uint("cache_size"))
}

/// Refuses flags for objects that libraries are not given.
fn check_objects(flags: &Flags) -> Result<()> {
    const OBJECTS: [&str; 13] = [
        "rate_limiter_bytes_per_sec",
        "db_write_buffer_size",
        "cost_write_buffer_to_cache",
        "file_checksum",
        "use_stderr_info_logger",
        "use_compressed_secondary_cache",
        "secondary_cache_uri",
        "use_blob_cache",
        "charge_blob_cache",
        "charge_compression_dictionary_building_buffer",
        "charge_file_metadata",
        "charge_filter_construction",
        "charge_table_reader",
    ];
    let is_set = |name: &&&str| flags.uint(name) > 0 || flags.bool(name);
    match OBJECTS.iter().find(is_set) {
        None => Ok(()),
        Some(name) => Err(Status::not_supported(format!(
            "--{name}: libraries of RocksDB are not given such an object here"
        ))),
    }
}

/// The library of RocksDB that a name stands for.
fn library(name: &str) -> Result<PathBuf> {
    match name.strip_prefix("rocksdb:") {
        Some(release) => fetched_library(release),
        None if name == "debian" => debian_library(),
        // Those that the program was built with are no libraries.
        None if ["fjall", "redb", "lmdb"].contains(&name) => Err(Status::not_supported(format!(
            "--engine={name}: this program was built without it; build with --features {name}"
        ))),
        None if name.contains('/') || name.contains(".so") => Ok(PathBuf::from(name)),
        None => Err(Status::invalid_argument(format!(
            "--engine={name} is not known; known are touchstone, null, debian, rocksdb:RELEASE, the \
             path of a library of RocksDB, fjall, redb and lmdb"
        ))),
    }
}
