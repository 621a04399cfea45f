//! Opens the databases of a run with options from flags.

use crate::flags::Flags;
use crate::workload::Target;
use base::{Result, Status};
use cache::{Cache, LruCache, LruCacheOptions};
use db::{ColumnFamilyDescriptor, Db, OpenContext};
use options::{ColumnFamilyOptions, CompactionStyle, DbOptions, Registry};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::ReadOptions;

/// Opens `--db`, or with `--num_multi_db` each of `DB/0`, `DB/1`, ….
pub(crate) fn open_all(flags: &Flags) -> Result<Vec<Target>> {
    let path = database_path(flags);
    let context = OpenContext { block_cache: block_cache(flags)?, ..OpenContext::default() };
    match flags.uint("num_multi_db") {
        0 | 1 => Ok(vec![open(flags, &path, &context)?]),
        count => {
            (0..count).map(|index| open(flags, &path.join(index.to_string()), &context)).collect()
        }
    }
}

/// Every key there is, in order (`--use_existing_keys`).
pub(crate) fn all_keys(targets: &[Target]) -> Result<Vec<Vec<u8>>> {
    let [target] = targets else {
        return Err(Status::not_supported("--use_existing_keys with --num_multi_db"));
    };
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let mut iterator = target.db.new_iterator(&options, &target.families[0])?;
    let mut keys = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        keys.push(iterator.key().to_vec());
        iterator.next();
    }
    iterator.status().map(|()| keys)
}

/// `--db`, or where `db_bench` puts it.
fn database_path(flags: &Flags) -> PathBuf {
    match flags.text("db") {
        "" => {
            let directory = env::var("TEST_TMPDIR").unwrap_or_else(|_| {
                format!("/tmp/rocksdbtest-{}", rustix::process::geteuid().as_raw())
            });
            Path::new(&directory).join("dbbench")
        }
        path => PathBuf::from(path),
    }
}

fn open(flags: &Flags, path: &Path, context: &OpenContext) -> Result<Target> {
    let options = DbOptions {
        max_open_files: flags.int("open_files") as i32,
        paranoid_checks: flags.bool("paranoid_checks"),
        use_direct_reads: flags.bool("use_direct_reads"),
        wal_dir: flags.text("wal_dir").to_owned(),
        ..DbOptions::default()
    };
    let family = family_options(flags)?;
    let count = flags.uint("num_column_families").max(1);
    let descriptors: Vec<_> = (0..count)
        .map(|index| ColumnFamilyDescriptor::new(family_name(index), family.clone()))
        .collect();
    let db = Db::open_for_read_only(&options, path, &descriptors, context)?;
    for warning in db.warnings() {
        eprintln!("warning: {warning}");
    }
    let families = descriptors
        .iter()
        .map(|descriptor| {
            db.column_family(&descriptor.name)
                .ok_or_else(|| Status::invalid_argument(format!("no family {}", descriptor.name)))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Target { db, families })
}

/// As `db_bench` names the families it makes.
fn family_name(index: u64) -> String {
    match index {
        0 => "default".to_owned(),
        _ => format!("column_family_name_{index:06}"),
    }
}

fn family_options(flags: &Flags) -> Result<ColumnFamilyOptions> {
    let mut options = ColumnFamilyOptions::default();
    options.num_levels = flags.int("num_levels") as i32;
    options.max_bytes_for_level_base = flags.uint("max_bytes_for_level_base");
    options.max_bytes_for_level_multiplier = flags.double("max_bytes_for_level_multiplier");
    options.level_compaction_dynamic_level_bytes =
        flags.bool("level_compaction_dynamic_level_bytes");
    options.level0_file_num_compaction_trigger =
        flags.int("level0_file_num_compaction_trigger") as i32;
    options.force_consistency_checks = flags.bool("force_consistency_checks");
    options.compaction_style = match flags.int("compaction_style") {
        0 => CompactionStyle::Level,
        1 => CompactionStyle::Universal,
        2 => CompactionStyle::Fifo,
        3 => CompactionStyle::None,
        other => {
            return Err(Status::invalid_argument(format!(
                "--compaction_style={other}: expected 0 to 3"
            )));
        }
    };
    options.table.cache_index_and_filter_blocks = flags.bool("cache_index_and_filter_blocks");
    options.table.no_block_cache = flags.int("cache_size") <= 0;
    let registry = Registry::new();
    if flags.int("prefix_size") > 0 {
        options.prefix_extractor =
            registry.slice_transform(&format!("fixed:{}", flags.int("prefix_size")));
    }
    if !flags.text("merge_operator").is_empty() {
        let name = flags.text("merge_operator");
        options.merge_operator = Some(registry.merge_operator(name).ok_or_else(|| {
            Status::invalid_argument(format!("--merge_operator={name} is not known"))
        })?);
    }
    Ok(options)
}

fn block_cache(flags: &Flags) -> Result<Option<Arc<dyn Cache>>> {
    if flags.text("cache_type") != "lru_cache" {
        return Err(Status::not_supported(format!(
            "--cache_type={}: only lru_cache is there yet",
            flags.text("cache_type")
        )));
    }
    if flags.int("cache_size") <= 0 {
        return Ok(None);
    }
    let options = LruCacheOptions {
        capacity: flags.uint("cache_size") as usize,
        num_shard_bits: flags.int("cache_numshardbits") as i32,
        high_pri_pool_ratio: flags.double("cache_high_pri_pool_ratio"),
        low_pri_pool_ratio: flags.double("cache_low_pri_pool_ratio"),
        ..LruCacheOptions::default()
    };
    Ok(Some(Arc::new(LruCache::new(&options)?)))
}
