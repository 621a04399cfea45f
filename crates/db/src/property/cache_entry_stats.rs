//! `rocksdb.block-cache-entry-stats`: what the block cache holds, by kind of value.
//!
//! Going through a cache takes a while, so that the last result is told again for some time.

use crate::property::text::{bytes_to_human, general};
use cache::Cache;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::CacheEntryRole;

/// The kinds that there are something of.
type Roles = BTreeMap<usize, RoleStats>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoleStats {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

/// How old a result may be that is told again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Ten seconds, or ten times what going through took.
    Fresh,
    /// Three minutes, or five hundred times that.
    Fast,
}

impl Freshness {
    fn age_max(self, took: Duration) -> Duration {
        match self {
            Self::Fresh => Duration::from_secs(10).max(took * 10),
            Self::Fast => Duration::from_secs(180).max(took * 500),
        }
    }
}

/// Goes through a cache no more often than it should.
#[derive(Debug, Default)]
pub(crate) struct CacheEntryCollector(Mutex<Option<(Instant, CacheEntryStats)>>);

impl CacheEntryCollector {
    /// What the cache holds now, or did not long ago.
    pub(crate) fn collect(&self, cache: &Arc<dyn Cache>, freshness: Freshness) -> CacheEntryStats {
        let mut last = self.0.lock();
        let collections = match &mut *last {
            Some((at, stats)) => {
                let took = Duration::from_secs_f64(stats.secs_for_collection);
                let age = at.elapsed();
                if age <= freshness.age_max(took) {
                    stats.copies += 1;
                    return CacheEntryStats {
                        secs_since_collection: age.as_secs(),
                        ..stats.clone()
                    };
                }
                stats.collections
            }
            None => 0,
        };
        let stats = CacheEntryStats::collect(cache, collections + 1);
        last.insert((Instant::now(), stats)).1.clone()
    }

    /// The last result, if it is not a day old.
    pub(crate) fn last(&self) -> Option<CacheEntryStats> {
        const AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
        let last = self.0.lock();
        let (at, stats) = last.as_ref().filter(|(at, _)| at.elapsed() < AGE_MAX)?;
        Some(CacheEntryStats { secs_since_collection: at.elapsed().as_secs(), ..stats.clone() })
    }
}

/// What a cache held when it was gone through.
#[derive(Clone, Debug, Default)]
pub(crate) struct CacheEntryStats {
    /// Kind, address and process.
    pub(crate) id: String,
    pub(crate) capacity: u64,
    pub(crate) usage: u64,
    pub(crate) table_size: u64,
    pub(crate) occupancy: u64,
    /// How often it was gone through.
    pub(crate) collections: u64,
    /// How often the last result was told again.
    pub(crate) copies: u64,
    pub(crate) secs_for_collection: f64,
    /// How long ago that was.
    pub(crate) secs_since_collection: u64,
    /// By place in [`CacheEntryRole::ALL`].
    pub(crate) roles: Roles,
}

impl CacheEntryStats {
    /// Goes through a cache, for the time `collections`.
    pub(crate) fn collect(cache: &Arc<dyn Cache>, collections: u64) -> Self {
        let started_at = Instant::now();
        let misc = CacheEntryRole::ALL.len() - 1;
        let mut roles = Roles::new();
        cache.for_each_entry(&mut |value, charge| {
            let role = CacheEntryRole::of_table_value(value);
            let place = CacheEntryRole::ALL.iter().position(|&other| Some(other) == role);
            let role = roles.entry(place.unwrap_or(misc)).or_default();
            role.count += 1;
            role.bytes += charge as u64;
        });
        // Without its table of functions, which would be printed too.
        let address = Arc::as_ptr(cache).cast::<()>();
        Self {
            id: format!("{}@{address:p}#{}", cache.name(), std::process::id()),
            capacity: cache.capacity_bytes() as u64,
            usage: cache.usage_bytes() as u64,
            table_size: cache.table_address_count() as u64,
            occupancy: cache.occupancy_count() as u64,
            collections,
            copies: 0,
            secs_for_collection: started_at.elapsed().as_secs_f64(),
            secs_since_collection: 0,
            roles,
        }
    }

    fn percent(&self, bytes: u64) -> f64 {
        100.0 * bytes as f64 / self.capacity as f64
    }

    /// As text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!(
            "Block cache {} capacity: {} usage: {} table_size: {} occupancy: {} collections: {} \
             last_copies: {} last_secs: {} secs_since: {}\n\
             Block cache entry stats(count,size,portion):",
            self.id,
            bytes_to_human(self.capacity),
            bytes_to_human(self.usage),
            self.table_size,
            self.occupancy,
            self.collections,
            self.copies,
            general(self.secs_for_collection),
            self.secs_since_collection
        );
        for (&place, role) in &self.roles {
            let name = CacheEntryRole::ALL[place].camel_name();
            let (bytes, percent) = (bytes_to_human(role.bytes), general(self.percent(role.bytes)));
            // Writing to a string cannot fail.
            let _ = write!(text, " {name}({},{bytes},{percent}%)", role.count);
        }
        text.push('\n');
        text
    }

    /// As a map.
    pub(crate) fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = BTreeMap::from([
            ("id".to_owned(), self.id.clone()),
            ("capacity".to_owned(), self.capacity.to_string()),
            ("secs_for_last_collection".to_owned(), format!("{:.6}", self.secs_for_collection)),
            ("secs_since_last_collection".to_owned(), self.secs_since_collection.to_string()),
        ]);
        for (place, role) in CacheEntryRole::ALL.iter().enumerate() {
            let name = role.hyphen_name();
            let stats = self.roles.get(&place).copied().unwrap_or_default();
            map.insert(format!("count.{name}"), stats.count.to_string());
            map.insert(format!("bytes.{name}"), stats.bytes.to_string());
            map.insert(format!("percent.{name}"), format!("{:.6}", self.percent(stats.bytes)));
        }
        map
    }
}

#[cfg(test)]
mod tests;
