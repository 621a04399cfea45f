//! Every table of the fixtures, built again from its own entries under the options it was made with,
//! is the same table.

mod builder_options;
mod parts;

use crate::block::EntryWalker;
use crate::block_based::tests::for_each_table_of_fixtures;
use crate::metaindex::RANGE_DEL_BLOCK_NAME;
use crate::test_files::build_table;
use base::Result;
use builder_options::options_of;
use compression::CompressionType;
use parts::Parts;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::fixtures;

/// Why something of a table that is built again may differ from what an old release wrote.
struct Exceptions {
    major: u32,
    release: String,
    case: String,
    has_prefixes: bool,
    wants_dictionary: bool,
    /// Whether data blocks took other sizes, since libraries compressed them differently.
    moved: bool,
}

impl Exceptions {
    /// Fixtures whose record does not say how they were made (db_bench, a user-defined index), or
    /// that hold what the builder does not write (embedded blobs, block-based filters); and 3.13.1, which guessed
    /// differently whether an entry still fits a block.
    fn leave_out(release: &str, case: &str) -> bool {
        ["t02", "t03", "q18", "h06"].contains(&&case[..3])
            || case.starts_with("c01") && fixtures::version_numbers(release)[0] < 7
            || release == "3.13.1"
    }

    /// Releases before 9.0 counted prefixes that return after other keys again and again; those
    /// before 8.0 cut partitions where that number said.
    fn counts_prefixes_anew(&self) -> bool {
        self.has_prefixes && self.major < 9
    }

    fn block_may_differ(&self, name: &str) -> bool {
        match name {
            // It left separators longer where the next key differs by one.
            "index" if self.release == "4.13.5" => true,
            // RocksDB goes beyond the end of keys that are shorter than their prefix.
            _ if name.starts_with("rocksdb.hashindex") => self.case.starts_with("l04"),
            _ if name.starts_with("index") => {
                self.case.starts_with("l03") && self.counts_prefixes_anew()
            }
            _ => self.counts_prefixes_anew(),
        }
    }

    fn property_may_differ(&self, name: &str) -> bool {
        let partitions_differ = self.case.starts_with("l03") && self.counts_prefixes_anew();
        match name.strip_prefix("rocksdb.").unwrap_or(name) {
            // The text has grown with the options; ours is that of 10.10.
            "compression_options" => self.release != "10.10.1",
            // It named the internal comparator.
            "comparator" => self.release == "4.13.5",
            // It did not count tombstones of ranges that compactions passed on.
            "deleted.keys" | "num.entries" => self.release == "5.18.4",
            "filter.policy" => self.major < 7,
            // Was always 0.
            "format.version" => self.major < 10 && !self.release.starts_with("9.10"),
            "num.filter_entries" | "filter.size" => self.counts_prefixes_anew(),
            "index.partitions" | "top-level.index.size" => partitions_differ,
            "index.size" => partitions_differ || self.moved || self.case.starts_with("l04"),
            "tail.start.offset" => self.moved || partitions_differ,
            "data.size" | "compression" | "num.data.blocks.compression.rejected" => self.moved,
            // Blocks held back for a dictionary are left out.
            "num.data.blocks" => self.wants_dictionary && self.major >= 10,
            // We mark no block so: releases before 11.1 take the mark for corruption.
            "num.uniform.blocks" => true,
            // That of the real collectors.
            "property.collectors" => self.case.starts_with('h') || self.case.starts_with('t'),
            _ => false,
        }
    }
}

/// Properties that old releases did not write yet.
const NEWER: [&str; 18] = [
    "column.family.id",
    "comparator",
    "compression_options",
    "creation.time",
    "data.block.restart.interval",
    "index.block.restart.interval",
    "index.key.is.user.key",
    "index.value.is.delta.encoded",
    "key.largest.seqno",
    "key.smallest.seqno",
    "num.data.blocks.compression.bypassed",
    "num.data.blocks.compression.rejected",
    "num.filter_entries",
    "num.range-deletions",
    "oldest.key.time",
    "original.file.number",
    "prefix.extractor.name",
    "tail.start.offset",
];

/// The type in shortened separators is the largest that the release knew: leaves it out.
fn without_seek_type(mut blocks: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    for block in blocks.values_mut() {
        for at in 0..block.len().saturating_sub(7) {
            if block[at + 1..at + 8] == [0xff; 7] {
                block[at] = 0;
            }
        }
    }
    blocks
}

fn properties_of(parts: &Parts) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut properties = BTreeMap::new();
    let block = parts.named("rocksdb.properties")?.expect("properties");
    let mut walker = EntryWalker::new(&block)?;
    while let Some((name, value)) = walker.next()? {
        properties.insert(String::from_utf8_lossy(name).into_owned(), value.to_vec());
    }
    Ok(properties)
}

fn check_properties(old: &Parts, new: &Parts, exceptions: &Exceptions) -> Result<()> {
    /// A number that is left out.
    const ZERO: &[u8] = &[0];
    let (old, new) = (properties_of(old)?, properties_of(new)?);
    for (name, value) in &old {
        let found = new.get(name).map_or(ZERO, Vec::as_slice);
        assert!(
            found == value || exceptions.property_may_differ(name),
            "{name}: expected {:?}, found {:?}",
            String::from_utf8_lossy(value),
            String::from_utf8_lossy(found)
        );
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        assert!(NEWER.iter().any(|newer| name.ends_with(newer)), "{name} is new");
    }
    Ok(())
}

#[test]
fn every_table_built_again_is_the_same_table() {
    let (whole, moved) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_table_of_fixtures(
        |release, case| !Exceptions::leave_out(release, case),
        |fixture, _, bytes, options| {
            let old = Parts::read(bytes, &options)?;
            if old.tail.footer.format_version < 2 {
                return Ok(());
            }
            let builder_options = options_of(fixture, &old);
            let (bytes, _) = build_table(&builder_options, &old.entries()?)?;
            let new = Parts::read(bytes, &options)?;
            let (old_handles, old_blocks): (Vec<_>, Vec<_>) =
                old.data_blocks()?.into_iter().unzip();
            let (new_handles, new_blocks): (Vec<_>, Vec<_>) =
                new.data_blocks()?.into_iter().unzip();
            assert!(old_blocks == new_blocks, "data blocks");
            let exceptions = Exceptions {
                major: fixtures::version_numbers(&fixture.release)[0],
                release: fixture.release.clone(),
                case: fixture.name.clone(),
                has_prefixes: builder_options.prefix_extractor.is_some(),
                wants_dictionary: builder_options.compression_options.max_dict_bytes > 0,
                moved: old_handles != new_handles,
            };
            assert!(!exceptions.moved || builder_options.compression != CompressionType::None);
            assert_eq!(old.named(RANGE_DEL_BLOCK_NAME)?, new.named(RANGE_DEL_BLOCK_NAME)?);
            check_properties(&old, &new, &exceptions)?;
            if exceptions.moved {
                moved.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            whole.fetch_add(1, Ordering::Relaxed);
            let [old, new] =
                [&old, &new].map(|parts| parts.index_and_filter().map(without_seek_type));
            let (old, new) = (old?, new?);
            for (name, block) in &old {
                let same = new.get(name) == Some(block);
                assert!(same || exceptions.block_may_differ(name), "block {name}");
            }
            Ok(())
        },
    );
    let (whole, moved) = (whole.into_inner(), moved.into_inner());
    assert!(whole > 1900 && moved < 250, "{whole} tables compared whole, {moved} in part");
}
