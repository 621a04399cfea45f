//! Tables made of the blocks of other tables.

use super::matrix::{SHAPES_COUNT, shape};
use crate::block_based::BlockBasedTableBuilder;
use crate::block_based::tests::total_order;
use crate::block_based::whole_block::{BlockFit, BlockObstacle};
use crate::entry_columns::RankOrder;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{Pairs, build_table, forward, open};
use base::{InternalKey, Result, ValueType};
use compression::CompressionType;
use env::{FileOptions, FileSystem, MemFileSystem, read_exact_at};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::parallel;

fn values(count: u32) -> Pairs {
    let entry = |number: u32| {
        let user_key = format!("key{:05}", number * 7);
        let sequence = u64::from(number % 5 * 100);
        let key = InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value);
        (key.as_bytes().to_vec(), format!("value {} of {number:020}", number % 50).into_bytes())
    };
    (0..count).map(entry).collect()
}

/// A table with the entries of `source`, and how many blocks of that went there as they were stored. All
/// that can be are, in spite of their sizes.
fn copied(options: &TableBuilderOptions, source: &[u8]) -> Result<(Vec<u8>, usize)> {
    let table_options =
        TableOptions { prefix_extractor: options.prefix_extractor.clone(), ..Default::default() };
    let table = open(source.to_vec(), &table_options)?;
    let path = Path::new("/000009.sst");
    let fs = MemFileSystem::new();
    let file = fs.new_writable_file(path, &FileOptions::default())?;
    let mut builder = BlockBasedTableBuilder::new(options, file)?;
    let mut scan = table.new_scan(&total_order(), &RankOrder::default())?;
    let mut count = 0;
    scan.seek_to_first()?;
    while scan.valid() {
        if let Some(block) = scan.whole_block() {
            let fit = block.form()?.fit(&builder.block_terms());
            let is_taken = matches!(fit, BlockFit::Copy | BlockFit::Apart(BlockObstacle::Small));
            if is_taken {
                builder.copy_block(&block)?;
                count += 1;
                scan.go_to_last_laid_out();
                scan.next()?;
                continue;
            }
        }
        builder.add(scan.key(), scan.value())?;
        scan.next()?;
    }
    let mut table = builder.finish()?;
    table.file.flush()?;
    let file = fs.new_random_access_file(path, &FileOptions::default())?;
    Ok((read_exact_at(&*file, 0, file.size()? as usize)?, count))
}

/// Filters, index, properties and checksums included.
#[test]
fn a_table_of_copied_blocks_is_the_one_of_their_entries() {
    let pairs = values(400);
    let numbers: Vec<_> = (0..SHAPES_COUNT).collect();
    let (tables, blocks) = (AtomicUsize::new(0), AtomicUsize::new(0));
    parallel::for_each(&numbers, |&number| {
        let options = shape(number);
        let (source, _) = build_table(&options, &pairs)?;
        let (bytes, count) = copied(&options, &source)?;
        let takes_dictionary = !matches!(
            options.compression,
            CompressionType::None | CompressionType::Snappy | CompressionType::Bzip2
        );
        let has_dictionary = options.compression_options.max_dict_bytes > 0 && takes_dictionary;
        let wants_entries = has_dictionary
            || options.data_block_hash_table_util_ratio.is_some()
            || options.separate_key_value_in_data_block
            || !options.use_delta_encoding
            || options.block_align;
        // Training may come to nothing, and there is no dictionary then.
        let is_trained = options.compression_options.zstd_max_train_bytes > 0;
        if !has_dictionary || !is_trained {
            assert_eq!(count == 0, wants_entries, "{count} blocks: {options:?}");
        }
        assert!(bytes == source, "{count} blocks copied: {options:?}");
        tables.fetch_add(usize::from(count > 0), Ordering::Relaxed);
        blocks.fetch_add(count, Ordering::Relaxed);
        Ok::<_, base::Status>(())
    });
    let (tables, blocks) = (tables.into_inner(), blocks.into_inner());
    assert!(tables > 60 && blocks > 1000, "{blocks} blocks in {tables} tables");
}

/// Checksums depend on format, place and file, and are made anew.
#[test]
fn blocks_go_to_tables_of_other_formats_and_checksums() {
    let pairs = values(400);
    let numbers: Vec<_> = (0..SHAPES_COUNT).collect();
    parallel::for_each(&numbers, |&number| {
        let (from, other) = (shape(number), shape((number * 7 + 5) % SHAPES_COUNT));
        let to = TableBuilderOptions {
            format_version: other.format_version,
            checksum: other.checksum,
            index_type: from.index_type,
            filter_policy: other.filter_policy,
            file_number: other.file_number + 1000,
            ..from.clone()
        };
        let (source, _) = build_table(&from, &pairs)?;
        let (bytes, _) = copied(&to, &source)?;
        assert!(bytes == build_table(&to, &pairs)?.0, "{from:?} to {to:?}");
        let table_options =
            TableOptions { prefix_extractor: to.prefix_extractor.clone(), ..Default::default() };
        let table = open(bytes, &table_options)?;
        assert_eq!(forward(&mut table.new_iterator(&total_order()))?, pairs);
        table.verify_checksum(&total_order())
    });
}
