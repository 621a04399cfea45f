//! Tables whose blocks several threads compress.

use super::matrix::{SHAPES_COUNT, entries, shape};
use crate::block_based::BlockBasedTableBuilder;
use crate::table_builder_options::TableBuilderOptions;
use crate::test_files::{Pairs, build_table};
use base::{InternalKey, Result, ValueType};
use compression::{CompressionOptions, CompressionType};
use env::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use env::{FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, WritableFile};
use statistics::{HistogramType, Statistics, StatsLevel, Ticker};
use std::path::Path;
use std::sync::Arc;
use testing::parallel;

fn with_threads(options: &TableBuilderOptions, parallel_threads: u32) -> TableBuilderOptions {
    let compression_options =
        CompressionOptions { parallel_threads, ..options.compression_options.clone() };
    TableBuilderOptions { compression_options, ..options.clone() }
}

fn in_memory() -> Box<dyn WritableFile> {
    MemFileSystem::new().new_writable_file(Path::new("/1.sst"), &FileOptions::default()).unwrap()
}

/// Stretches that get small, and stretches of noise that don't.
fn mixed_entries(count: u32) -> Pairs {
    let mut state = 7_u64;
    let mut noise = || {
        state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        (state >> 56) as u8
    };
    let mut entry = |number: u32| {
        let key = InternalKey::new(format!("key{number:06}").as_bytes(), 9, ValueType::Value);
        let value: Vec<u8> = match number / 200 % 2 {
            0 => std::iter::repeat_with(&mut noise).take(100).collect(),
            _ => vec![number as u8; 100],
        };
        (key.as_bytes().to_vec(), value)
    };
    (0..count).map(&mut entry).collect()
}

#[test]
fn a_table_is_the_same_however_many_threads_compress() {
    let (pairs, mixed) = (entries(400), mixed_entries(1200));
    let numbers: Vec<_> = (0..SHAPES_COUNT).collect();
    parallel::for_each(&numbers, |&number| -> Result<()> {
        for pairs in [&pairs, &mixed] {
            let options = shape(number);
            let (expected, of_one) = build_table(&options, pairs)?;
            for threads in [2, 5] {
                let (bytes, finished) = build_table(&with_threads(&options, threads), pairs)?;
                assert!(bytes == expected, "{threads} threads: {options:?}");
                assert_eq!(finished.properties, of_one.properties);
                assert_eq!(finished.pre_compression_size, of_one.pre_compression_size);
            }
        }
        Ok(())
    });
}

#[test]
fn sizes_are_known_from_above_and_the_same_once_settled() {
    let pairs = mixed_entries(3000);
    let mut lagged_count = 0;
    for number in (0..SHAPES_COUNT).step_by(11) {
        let options = shape(number);
        let mut alone = BlockBasedTableBuilder::new(&options, in_memory()).unwrap();
        let mut helped =
            BlockBasedTableBuilder::new(&with_threads(&options, 2), in_memory()).unwrap();
        for (index, (key, value)) in pairs.iter().enumerate() {
            alone.add(key, value).unwrap();
            helped.add(key, value).unwrap();
            lagged_count += usize::from(!helped.is_settled());
            let sizes = (alone.estimated_file_size(), alone.estimated_tail_size());
            let at_most = (helped.file_size_at_most(), helped.tail_size_at_most());
            assert!(sizes.0 <= at_most.0, "{sizes:?} {at_most:?} {options:?}");
            assert!(sizes.1 <= at_most.1, "{sizes:?} {at_most:?} {options:?}");
            if index % 700 == 699 {
                helped.settle().unwrap();
                assert!(helped.is_settled());
                assert_eq!(helped.file_size_at_most(), sizes.0);
                assert_eq!(helped.tail_size_at_most(), sizes.1);
                assert_eq!(helped.estimated_file_size(), sizes.0);
            }
        }
    }
    assert!(lagged_count > 10_000, "{lagged_count}");
}

/// Counts of blocks that were compressed, rejected and bypassed, and of times.
fn counted(options: &TableBuilderOptions, pairs: &Pairs) -> [u64; 4] {
    let statistics = Arc::new(Statistics::new());
    statistics.set_stats_level(StatsLevel::All);
    let options =
        TableBuilderOptions { statistics: Some(Arc::clone(&statistics)), ..options.clone() };
    build_table(&options, pairs).unwrap();
    let ticks = [
        Ticker::NumberBlockCompressed,
        Ticker::NumberBlockCompressionRejected,
        Ticker::NumberBlockCompressionBypassed,
    ];
    let [compressed, rejected, bypassed] = ticks.map(|ticker| statistics.ticker_count(ticker));
    let times = statistics.histogram_data(HistogramType::CompressionTimesNanos);
    [compressed, rejected, bypassed, times.count]
}

#[test]
fn what_other_threads_compress_is_counted() {
    let options = TableBuilderOptions {
        compression: CompressionType::Zstd,
        ..TableBuilderOptions::default()
    };
    let pairs = mixed_entries(20_000);
    let alone = counted(&options, &pairs);
    assert!(alone[0] > 100 && alone[1] > 100, "{alone:?}");
    assert_eq!(counted(&with_threads(&options, 3), &pairs), alone);
}

#[test]
fn other_threads_compress_most_blocks() {
    let options = TableBuilderOptions {
        compression: CompressionType::Zstd,
        ..TableBuilderOptions::default()
    };
    let pairs = entries(40_000);
    let (_, alone) = build_table(&options, &pairs).unwrap();
    let (_, helped) = build_table(&with_threads(&options, 2), &pairs).unwrap();
    assert_eq!(alone.other_cpu_micros, 0);
    assert!(helped.other_cpu_micros > 0);
}

#[test]
fn an_error_of_the_file_is_what_a_later_call_gives() {
    let options = TableBuilderOptions {
        compression: CompressionType::Zstd,
        ..TableBuilderOptions::default()
    };
    let pairs = entries(30_000);
    for k in [0, 5, 100] {
        let file_system = FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new()));
        let path = Path::new("/1.sst");
        let file = file_system.new_writable_file(path, &FileOptions::default()).unwrap();
        file_system.plan().add(Fault {
            operations: Operations::of(&[OperationKind::Append]),
            when: When::Nth(k),
            effect: Effect::Error(FaultError::NoSpace),
        });
        let mut builder = BlockBasedTableBuilder::new(&with_threads(&options, 4), file).unwrap();
        let failed = pairs.iter().find_map(|(key, value)| builder.add(key, value).err());
        let status = failed.unwrap();
        assert!(status.message().contains("/1.sst"), "{status}");
        assert_eq!(builder.settle().unwrap_err(), status);
        assert_eq!(builder.finish().unwrap_err(), status);
    }
}
