//! Properties: what a database says of itself, by name (`GetProperty`).
//!
//! [`table::SECTIONS`] declares each of them once. Names, numbers and texts are those of RocksDB
//! 7.8, and for names that came later those of the releases that have them. Where RocksDB counts
//! what only a writer does, a database that is open for reading answers as RocksDB's does: 0.

pub(crate) mod aggregated_properties;
pub(crate) mod cache_entry_stats;
pub(crate) mod compaction_need;
pub(crate) mod compaction_stats;
pub(crate) mod db_stats;
pub(crate) mod docs;
pub(crate) mod level_state;
pub(crate) mod live_data_size;
pub(crate) mod memory;
mod numbers;
pub(crate) mod shape_map;
pub(crate) mod source;
pub(crate) mod sstables;
pub(crate) mod stall;
mod table;
pub(crate) mod table_stats;
pub(crate) mod text;
mod texts;

use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::flow_control::stall_times::StallTimes;
use crate::flow_control::write_controller::StallCounts;
use cache_entry_stats::Freshness;
use source::Source;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use table::{Answer, properties};
pub use table::{PropertyInfo, PropertyKind};

impl Db {
    /// The value of a property as text; none if there is no such property, or it has no value.
    /// Digits at the end of a name are its argument, for instance a level.
    pub fn property(&self, family: &ColumnFamilyHandle, name: &str) -> Option<String> {
        let (answer, argument) = find(name)?;
        let source = Source::new(&self.inner, &family.0);
        match answer {
            Answer::Number(number) => number(&source).map(|number| number.to_string()),
            Answer::Text(text) | Answer::TextAndMap(text, _) => text(&source, argument),
        }
    }

    /// The value of a property that is a number; none if there is no such property, or it has no
    /// value.
    pub fn int_property(&self, family: &ColumnFamilyHandle, name: &str) -> Option<u64> {
        match find(name)?.0 {
            Answer::Number(number) => number(&Source::new(&self.inner, &family.0)),
            Answer::Text(_) | Answer::TextAndMap(..) => None,
        }
    }

    /// The value of a property that is a map; none if there is no such property, or it has no
    /// value.
    pub fn map_property(
        &self,
        family: &ColumnFamilyHandle,
        name: &str,
    ) -> Option<BTreeMap<String, String>> {
        match find(name)? {
            (Answer::TextAndMap(_, map), argument) => {
                map(&Source::new(&self.inner, &family.0), argument)
            }
            _ => None,
        }
    }

    /// The sum of a property that is a number over all open column families; none if one of them
    /// has no value. A block cache that several of them share counts once.
    pub fn aggregated_int_property(&self, name: &str) -> Option<u64> {
        let is_of_block_cache = name.starts_with("rocksdb.block-cache-");
        let mut caches = HashSet::new();
        self.column_families().try_fold(0_u64, |sum, family| {
            let value = self.int_property(&family, name)?;
            let options = family.0.tables.options.load();
            let cache = options.block_cache.as_ref().map(Arc::as_ptr);
            let counts = !is_of_block_cache || caches.insert(cache.map(<*const _>::cast::<()>));
            Some(sum.wrapping_add(if counts { value } else { 0 }))
        })
    }

    /// What properties there are, in the order of docs/properties.md.
    pub fn properties() -> impl Iterator<Item = PropertyInfo> {
        properties().map(|property| property.info)
    }

    /// The names of all properties, those without arguments first found in this order.
    pub fn property_names() -> impl Iterator<Item = &'static str> {
        properties().map(|property| property.info.name)
    }
}

impl Db {
    /// Begins to count anew what properties tell of flushes, compactions, stalls, writes and
    /// background errors, and the time since when (`ResetStats`). Tickers and histograms of
    /// statistics stay, and so do the latencies of file reads and what is known of caches.
    pub fn reset_stats(&self) {
        for family in self.inner.families.load_full().iter() {
            family.stats.reset();
        }
        let Some(writing) = &self.inner.writing else { return };
        writing.stats.reset();
        let mut state = writing.state.lock();
        state.stall_times = StallTimes::default();
        state.errors.count = 0;
        state.families.values_mut().for_each(|family| family.stall.counts = StallCounts::default());
    }
}

impl DbImpl {
    /// The statistics that the info log gets now and then: of the database, then of each column
    /// family.
    pub(crate) fn stats_text(&self) -> String {
        let families = self.families.load_full();
        let sources: Vec<Source<'_>> =
            families.iter().map(|family| Source::new(self, family)).collect();
        // Of those that share a cache the first goes through it.
        let mut caches = HashSet::new();
        for source in &sources {
            let options = source.family.tables.options.load();
            let cache = options.block_cache.as_ref().map(|cache| Arc::as_ptr(cache).cast::<()>());
            if caches.insert(cache) {
                texts::collect_cache_entries(source, Freshness::Fast);
            }
        }
        let of_db = sources.iter().take(1).map(|source| texts::db_stats(source, ""));
        let of_families =
            sources.iter().map(|source| texts::family_stats_without_histogram(source, ""));
        let histograms = sources.iter().map(|source| texts::file_histogram(source, ""));
        of_db.chain(of_families).chain(histograms).flatten().collect()
    }
}

/// The property of this name, and the digits behind the name.
fn find(name: &str) -> Option<(&'static Answer, &str)> {
    let bare = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let property = properties().find(|property| property.info.name == bare)?;
    Some((&property.answer, &name[bare.len()..]))
}

#[cfg(test)]
mod tests;
