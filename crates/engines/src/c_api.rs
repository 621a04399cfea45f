//! Libraries of RocksDB, of any release, through their C functions.

mod call_options;
mod database;
mod option_text;
mod source;
mod status;

use crate::destroy::destroy;
use crate::opening::Opening;
use crate::provider::{Identity, Kind, Provider};
use base::{Result, Status};
use cache::{CacheOptions, HyperClockCacheOptions, LruCacheOptions};
use librocksdb::{Database, Failure, Library, Options};
use options::{ColumnFamilyOptions, DbOptions};
use statistics::StatsLevel;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use database::RocksDb;
pub use source::{debian_library, fetched_library};

use status::status_of;

/// Opens databases with a library of RocksDB.
pub struct RocksDbProvider {
    library: Arc<Library>,
    /// Told of by an option string. A cache of another kind is in `base`.
    cache: Option<LruCacheOptions>,
    /// What all options are made from: they share its statistics, and its block cache if it has one.
    base: Options,
    counts: bool,
    /// Options that were made, by their text: those of the same text share a block cache.
    made: Mutex<HashMap<String, Arc<Options>>>,
}

impl RocksDbProvider {
    /// Loads a library. Databases will have a block cache by these options, none for the release's
    /// own, and count what they do at this level.
    ///
    /// # Errors
    /// `InvalidArgument` if the file is no library of RocksDB that can be loaded; `NotSupported` for
    /// a level that the release cannot be told, and for a kind of cache that it lacks.
    pub fn new(
        path: &Path,
        cache: Option<&CacheOptions>,
        level: Option<StatsLevel>,
    ) -> Result<Self> {
        let library = Library::load(path).map_err(|error| {
            Status::invalid_argument(format!("cannot load a library of RocksDB: {error}"))
        })?;
        let mut base = Options::new(&library).map_err(status_of)?;
        if let Some(level) = level {
            let number = (level != StatsLevel::default()).then_some(level as i32);
            base.enable_statistics(number).map_err(status_of)?;
        }
        let counts = level.is_some();
        let cache = match cache {
            Some(CacheOptions::HyperClock(options)) => {
                let HyperClockCacheOptions { capacity, estimated_entry_charge, .. } = options;
                let (capacity, charge) = (*capacity, *estimated_entry_charge);
                base.set_hyper_clock_cache(capacity, charge, options.num_shard_bits).map_err(
                    |failure| match failure {
                        Failure::Unsupported(what) => Status::not_supported(format!(
                            "RocksDB {} has no hyper clock cache, it lacks {what}",
                            library.version()
                        )),
                        refused => status_of(refused),
                    },
                )?;
                None
            }
            Some(CacheOptions::Lru(options)) => Some(options.clone()),
            None => None,
        };
        Ok(Self { library, cache, base, counts, made: Mutex::default() })
    }

    /// The options of `wanted`, as far as the library takes them; see [`option_text`].
    fn options(&self, wanted: &str, defaults: &str, table: &str) -> Result<Arc<Options>> {
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(options) = made().get(wanted) {
            return Ok(Arc::clone(options));
        }
        let accepts = |text: &str| self.base.with_string(text).is_ok();
        let text = option_text::accepted(wanted, defaults, table, &accepts)?;
        let options = Arc::new(self.base.with_string(&text).map_err(status_of)?);
        made().insert(wanted.to_owned(), Arc::clone(&options));
        Ok(options)
    }

    fn family_options(&self, family: &ColumnFamilyOptions) -> Result<Arc<Options>> {
        let mut table = String::new();
        if let Some(cache) = &self.cache {
            let LruCacheOptions { capacity, num_shard_bits, .. } = cache;
            let (high, low) = (cache.high_pri_pool_ratio, cache.low_pri_pool_ratio);
            let mut text = format!(
                "capacity={capacity};num_shard_bits={num_shard_bits};high_pri_pool_ratio={high};"
            );
            // Later than the rest.
            if low != 0.0 {
                text += &format!("low_pri_pool_ratio={low};");
            }
            table = format!("block_cache={{{text}}};");
        }
        let defaults = ColumnFamilyOptions::default().to_option_string();
        self.options(&family.to_option_string(), &defaults, &table)
    }
}

impl Provider for RocksDbProvider {
    type Engine = RocksDb;

    fn identity(&self) -> Identity {
        Identity {
            name: "rocksdb".to_owned(),
            version: self.library.version().to_owned(),
            kind: Kind::CApi,
            library: Some(self.library.path().to_owned()),
            assertions: self.library.assertions(),
        }
    }

    fn open(&self, opening: &Opening) -> Result<RocksDb> {
        let defaults = DbOptions::default().to_option_string();
        let options = self.options(&opening.options.to_option_string(), &defaults, "")?;
        let families = opening
            .families
            .iter()
            .map(|family| Ok((family.name.to_string(), self.family_options(&family.options)?)))
            .collect::<Result<Vec<_>>>()?;
        let borrowed: Vec<_> =
            families.iter().map(|(name, options)| (name.as_str(), &**options)).collect();
        let Opening { path, read_only, .. } = opening;
        let database = Database::open(&self.library, path, &options, &borrowed, *read_only);
        Ok(RocksDb::new(path.clone(), database.map_err(status_of)?))
    }

    fn destroy(&self, path: &Path, wal_dir: Option<&Path>) -> Result<()> {
        destroy(&*env::default_file_system(), path, wal_dir)
    }

    fn statistics_text(&self) -> Option<String> {
        self.base.statistics_text().ok().filter(|_| self.counts)
    }

    fn ticker(&self, name: &str) -> Option<u64> {
        let text = self.statistics_text()?;
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" COUNT : ")?.parse().ok())
    }

    fn reset_statistics(&self) -> Result<()> {
        Err(crate::engine::lacks("way to reset its statistics"))
    }
}

#[cfg(test)]
mod tests;
