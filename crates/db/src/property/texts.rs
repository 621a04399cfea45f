//! Properties that are texts, and their maps.

use crate::property::cache_entry_stats::{CacheEntryStats, Freshness};
use crate::property::memory::MemoryReport;
use crate::property::shape_map;
use crate::property::source::{LEVEL_TARGET_RULE, Source};
use crate::property::text::{MB, general};
use crate::property::{
    aggregated_properties as aggregated, compaction_stats, db_stats as stats_of_db,
};
use crate::property::{db_stats::WriteActivity, sstables as listing};
use crate::shape::ShapeOptions;
use ::table::TableProperties;
use std::collections::BTreeMap;
use std::fmt::Write;
use version::{LevelTargetRule, Temperature, TreeShape};

type Map = BTreeMap<String, String>;

/// The level that digits name, if the column family has it.
fn level(source: &Source<'_>, argument: &str) -> Option<usize> {
    argument.parse().ok().filter(|&level| level < source.version().num_levels())
}

pub(super) fn num_files_at_level(source: &Source<'_>, argument: &str) -> Option<String> {
    let level = level(source, argument)?;
    Some(source.version().level_files(level).len().to_string())
}

pub(super) fn compression_ratio_at_level(source: &Source<'_>, argument: &str) -> Option<String> {
    let level = level(source, argument)?;
    let ratio = source.table_stats().compression_ratio(source.version(), level);
    Some(format!("{ratio:.6}"))
}

pub(super) fn level_stats(source: &Source<'_>, _: &str) -> Option<String> {
    let version = source.version();
    let mut text = "Level Files Size(MB)\n--------------------\n".to_owned();
    for level in 0..version.num_levels() {
        let (files, bytes) = (version.level_files(level).len(), version.level_size_bytes(level));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{level:3} {files:8} {:8.0}", bytes as f64 / MB);
    }
    Some(text)
}

pub(super) fn sstables(source: &Source<'_>, _: &str) -> Option<String> {
    Some(listing::listing(source.version(), source.version_number()))
}

pub(super) fn size_at_temperature(source: &Source<'_>, argument: &str) -> Option<String> {
    let temperature: u64 = argument.parse().ok()?;
    let is_there = |Temperature(number)| u64::from(number) == temperature;
    let files = source.version().files().filter(|(_, file)| is_there(file.temperature));
    Some(files.fold(0_u64, |sum, (_, file)| sum.saturating_add(file.file_size)).to_string())
}

fn aggregate(source: &Source<'_>, level: Option<usize>) -> Option<TableProperties> {
    Some(aggregated::sum(&source.table_properties(level).ok()?))
}

fn properties_text(properties: &TableProperties) -> String {
    properties.to_text("; ", "=")
}

pub(super) fn aggregated_properties(source: &Source<'_>, _: &str) -> Option<String> {
    aggregate(source, None).map(|sum| properties_text(&sum))
}

pub(super) fn aggregated_properties_map(source: &Source<'_>, _: &str) -> Option<Map> {
    aggregate(source, None).map(|sum| aggregated::to_map(&sum))
}

pub(super) fn aggregated_properties_at_level(
    source: &Source<'_>,
    argument: &str,
) -> Option<String> {
    aggregate(source, Some(level(source, argument)?)).map(|sum| properties_text(&sum))
}

pub(super) fn aggregated_properties_at_level_map(
    source: &Source<'_>,
    argument: &str,
) -> Option<Map> {
    aggregate(source, Some(level(source, argument)?)).map(|sum| aggregated::to_map(&sum))
}

pub(super) fn blob_stats(source: &Source<'_>, _: &str) -> Option<String> {
    let blobs = source.blobs();
    Some(format!(
        "Number of blob files: {}\nTotal size of blob files: {}\n\
         Total size of garbage in blob files: {}\nBlob file space amplification: {}\n",
        blobs.files,
        blobs.bytes,
        blobs.garbage_bytes,
        general(blobs.space_amplification())
    ))
}

pub(super) fn stats(source: &Source<'_>, _: &str) -> Option<String> {
    Some(family_stats(source, "")? + &db_stats(source, "")?)
}

pub(super) fn family_stats(source: &Source<'_>, _: &str) -> Option<String> {
    Some(family_stats_without_histogram(source, "")? + &file_histogram(source, "")?)
}

pub(super) fn family_stats_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(source.family_report().to_map())
}

pub(super) fn family_stats_without_histogram(source: &Source<'_>, _: &str) -> Option<String> {
    let mut report = source.family_report();
    report.before = source.family.stats.report_family(report.now.clone());
    // What the block cache held is told only where it is known.
    let cache = source.family.stats.cache_entries.last().map(|stats| stats.to_text());
    Some(report.to_text() + &cache.unwrap_or_default())
}

pub(super) fn file_histogram(source: &Source<'_>, _: &str) -> Option<String> {
    let levels = source.family.tables.read_latency.iter().map(|latency| latency.histogram());
    let blobs = source.super_version.resolver.blobs.source.files().read_latency().histogram();
    let name = source.family.name.to_string();
    Some(compaction_stats::file_histogram(&name, &levels.collect::<Vec<_>>(), &blobs))
}

pub(super) fn db_stats(source: &Source<'_>, _: &str) -> Option<String> {
    let now = source.write_activity();
    let before = source.family.stats.report_db(now);
    Some(stats_of_db::db_stats(&now, &before))
}

pub(super) fn db_stats_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(WriteActivity::to_map(source.write_activity()))
}

pub(super) fn family_stalls_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(source.stall_counts(&source.current_levels()).to_map())
}

pub(super) fn family_stalls(source: &Source<'_>, _: &str) -> Option<String> {
    Some(compaction_stats::write_stall_line(&family_stalls_map(source, "")?))
}

pub(super) fn db_stalls_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(stats_of_db::write_stall_map(source.write_activity().write_buffer_manager_stops))
}

pub(super) fn db_stalls(source: &Source<'_>, _: &str) -> Option<String> {
    Some(compaction_stats::write_stall_line(&db_stalls_map(source, "")?))
}

/// None without a statistics object.
pub(super) fn options_statistics(source: &Source<'_>, _: &str) -> Option<String> {
    source.db.context.statistics.as_ref().map(ToString::to_string)
}

/// None without a block cache.
pub(super) fn collect_cache_entries(
    source: &Source<'_>,
    freshness: Freshness,
) -> Option<CacheEntryStats> {
    let tables = source.family.tables.options.load();
    let cache = tables.block_cache.as_ref()?;
    Some(source.family.stats.cache_entries.collect(cache, freshness))
}

pub(super) fn cache_entries(source: &Source<'_>, _: &str) -> Option<String> {
    collect_cache_entries(source, Freshness::Fresh).map(|stats| stats.to_text())
}

pub(super) fn cache_entries_map(source: &Source<'_>, _: &str) -> Option<Map> {
    collect_cache_entries(source, Freshness::Fresh).map(|stats| stats.to_map())
}

pub(super) fn fast_cache_entries(source: &Source<'_>, _: &str) -> Option<String> {
    collect_cache_entries(source, Freshness::Fast).map(|stats| stats.to_text())
}

pub(super) fn fast_cache_entries_map(source: &Source<'_>, _: &str) -> Option<Map> {
    collect_cache_entries(source, Freshness::Fast).map(|stats| stats.to_map())
}

fn tree_shape(source: &Source<'_>) -> TreeShape {
    let rule =
        if source.db.writing.is_some() { LevelTargetRule::default() } else { LEVEL_TARGET_RULE };
    source.tree_shape(&ShapeOptions { rule, ..ShapeOptions::default() }).0
}

pub(super) fn shape(source: &Source<'_>, _: &str) -> Option<String> {
    Some(tree_shape(source).to_string())
}

pub(super) fn shape_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(shape_map::to_map(&tree_shape(source)))
}

pub(super) fn memory(source: &Source<'_>, _: &str) -> Option<String> {
    Some(MemoryReport::new(source.db).to_text())
}

pub(super) fn memory_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(MemoryReport::new(source.db).to_map())
}

pub(super) fn stall(source: &Source<'_>, _: &str) -> Option<String> {
    Some(source.stall_report().to_text())
}

pub(super) fn stall_map(source: &Source<'_>, _: &str) -> Option<Map> {
    Some(source.stall_report().to_map())
}
