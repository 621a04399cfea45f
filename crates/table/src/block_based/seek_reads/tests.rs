use super::*;
use crate::block_based::TableIterator;
use crate::block_based::tests::total_order;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{build_table, open};
use base::{InternalIterator, InternalKey, SeekStep, ValueType};
use cache::{LruCache, LruCacheOptions};

const TABLE_COUNT: u32 = 3;

fn key(number: u32) -> InternalKey {
    InternalKey::new(format!("key{number:06}").as_bytes(), 7, ValueType::Value)
}

/// Every third key, from `first` on.
fn bytes(first: u32) -> Vec<u8> {
    let numbers = (first..3000).step_by(TABLE_COUNT as usize);
    let entries: Vec<_> =
        numbers.map(|number| (key(number).as_bytes().to_vec(), vec![b'v'; 50])).collect();
    build_table(&TableBuilderOptions::default(), &entries).unwrap().0
}

fn cache(capacity: usize) -> TableOptions {
    let cache = LruCache::new(&LruCacheOptions::with_capacity(capacity)).unwrap();
    TableOptions { block_cache: Some(Arc::new(cache)), ..TableOptions::default() }
}

fn iterators(options: &TableOptions) -> Vec<TableIterator> {
    let table = |first| open(bytes(first), options).unwrap();
    (0..TABLE_COUNT).map(|first| table(first).new_iterator(&total_order())).collect()
}

fn approach(iterators: &mut [TableIterator], target: &[u8], reads: &SeekReads) -> Result<()> {
    take_steps(iterators, target, reads, SeekStep::ALL)
}

fn take_steps(
    iterators: &mut [TableIterator],
    target: &[u8],
    reads: &SeekReads,
    steps: [SeekStep; 4],
) -> Result<()> {
    for step in steps {
        for iterator in &mut *iterators {
            iterator.approach_among(target, step, reads)?;
        }
    }
    Ok(())
}

/// How many blocks were asked for in the last seek, and how many of them were read together.
fn counts(reads: &SeekReads) -> (usize, usize) {
    let blocks = reads.blocks.lock();
    (blocks.asked.len(), blocks.read.len())
}

#[test]
fn what_more_than_one_waits_for_is_read_together() {
    // One table is read through a cache that has its blocks already.
    let (warm, none) = (cache(1 << 20), TableOptions::default());
    let mut iterators = iterators(&none);
    iterators[1] = open(bytes(1), &warm).unwrap().new_iterator(&total_order());
    iterators[1].seek_to_first().unwrap();
    while iterators[1].valid() {
        iterators[1].next().unwrap();
    }
    let reads = SeekReads::default();
    approach(&mut iterators, key(1500).as_bytes(), &reads).unwrap();
    assert_eq!(counts(&reads), (2, 2));
    assert!(reads.blocks.lock().read.iter().all(Option::is_none), "all were taken");
    for iterator in &mut iterators {
        iterator.seek(key(1500).as_bytes()).unwrap();
    }
    // One of them stands on its block: the other's is read by itself.
    iterators[0].seek(key(2000).as_bytes()).unwrap();
    approach(&mut iterators, key(2001).as_bytes(), &reads).unwrap();
    assert_eq!(counts(&reads), (1, 0));
    reads.clear();
    assert_eq!(counts(&reads), (0, 0));
}

#[test]
fn seeks_find_the_same_as_alone() {
    for options in [TableOptions::default(), cache(0), cache(20_000), cache(1 << 20)] {
        let (mut alone, mut together) = (iterators(&options), iterators(&options));
        let reads = SeekReads::default();
        for turn in 0..2000_u32 {
            // Far, near, backward, the same once more, beyond the last.
            let number =
                [turn * 1_237 % 3100, turn % 3000, 3000 - turn, 1700, 3050][turn as usize % 5];
            let target = key(number);
            approach(&mut together, target.as_bytes(), &reads).unwrap();
            for (alone, together) in alone.iter_mut().zip(&mut together) {
                alone.seek(target.as_bytes()).unwrap();
                together.seek(target.as_bytes()).unwrap();
                assert_eq!(alone.valid(), together.valid());
                if alone.valid() {
                    assert_eq!(alone.key(), together.key());
                }
                // Some go on, so that they read ahead and have gone to other blocks.
                for _ in 0..turn % 7 * 10 {
                    if alone.valid() {
                        alone.next().unwrap();
                        together.next().unwrap();
                        assert_eq!(alone.valid(), together.valid());
                    }
                }
            }
        }
    }
}

#[test]
fn seeks_back_are_read_together_and_find_the_same_as_alone() {
    for options in [TableOptions::default(), cache(0), cache(20_000), cache(1 << 20)] {
        let (mut alone, mut together) = (iterators(&options), iterators(&options));
        let reads = SeekReads::default();
        let mut read_count = 0;
        for turn in 0..2000_u32 {
            // Far, near, at either end, beyond.
            let number =
                [turn * 1_237 % 3100, turn % 3000, 3000 - turn, 0, 3050][turn as usize % 5];
            let target = key(number);
            let target = target.as_bytes();
            take_steps(&mut together, target, &reads, SeekStep::ALL_BEFORE).unwrap();
            read_count += counts(&reads).1;
            for (alone, together) in alone.iter_mut().zip(&mut together) {
                alone.seek_for_prev(target).unwrap();
                together.seek_for_prev(target).unwrap();
                assert_eq!(alone.valid(), together.valid());
                for _ in 0..turn % 7 * 10 {
                    if alone.valid() {
                        assert_eq!(alone.key(), together.key());
                        alone.prev().unwrap();
                        together.prev().unwrap();
                        assert_eq!(alone.valid(), together.valid());
                    }
                }
            }
        }
        assert!(read_count >= 10, "{read_count} blocks were read together");
    }
}

#[test]
fn what_nobody_took_is_forgotten() {
    let mut iterators = iterators(&TableOptions::default());
    let reads = SeekReads::default();
    // Given up before blocks are read.
    for step in [SeekStep::FindBlock, SeekStep::FindHead, SeekStep::TakeBlock] {
        for iterator in &mut iterators {
            iterator.approach_among(key(100).as_bytes(), step, &reads).unwrap();
        }
    }
    assert_eq!(counts(&reads), (3, 0));
    approach(&mut iterators, key(2900).as_bytes(), &reads).unwrap();
    assert_eq!(counts(&reads), (3, 3));
    for (number, iterator) in iterators.iter_mut().enumerate() {
        iterator.seek(key(2900).as_bytes()).unwrap();
        assert_eq!(iterator.key(), key(2900 + [1, 2, 0][number]).as_bytes());
    }
}

#[test]
fn damage_is_of_the_table_that_has_it() {
    let mut iterators = iterators(&TableOptions::default());
    let mut damaged = bytes(1);
    damaged[20_000] ^= 1;
    iterators[1] = open(damaged, &TableOptions::default()).unwrap().new_iterator(&total_order());
    let reads = SeekReads::default();
    let mut errors = Vec::new();
    for number in (0..3000).step_by(10) {
        errors.extend(approach(&mut iterators, key(number).as_bytes(), &reads).err());
        for index in [0, 2] {
            iterators[index].seek(key(number).as_bytes()).unwrap();
            assert!(iterators[index].valid());
        }
    }
    assert!(!errors.is_empty());
    let text = errors[0].to_string();
    assert!(text.contains("/db/000009.sst") && text.contains("block"), "{text}");
    let mut other = iterators.swap_remove(1);
    let alone = (0..3000).step_by(10).filter_map(|number| other.seek(key(number).as_bytes()).err());
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        alone.map(|e| e.to_string()).collect::<Vec<_>>()
    );
}
