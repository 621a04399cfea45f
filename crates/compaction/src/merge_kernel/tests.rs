//! The kernel against the iterators that merge where it cannot.

use super::MergeKernel;
use crate::compaction_job::tests::{Entry, flush};
use crate::level_input_iterator::{LevelInputIterator, LevelInputOptions};
use crate::test_environment::TestEnvironment;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalIterator, InternalKey, InternalKeyComparator, Result, ValueType};
use proptest::prelude::*;
use std::sync::Arc;
use table::{RankOrder, ReadOptions, TableIterator};
use version::FileMetaData;

/// A user key: what it begins with, and how it goes on.
fn user_key() -> impl Strategy<Value = Vec<u8>> {
    let head = prop::sample::select(vec![&b"user-key-"[..], b"user", b"", b"\xff\xff"]);
    (head, prop::collection::vec(0..4_u8, 0..12)).prop_map(|(head, tail)| [head, &tail].concat())
}

/// The entries of one file: keys with versions.
fn file() -> impl Strategy<Value = Vec<Entry>> {
    let value = prop::collection::vec(any::<u8>(), 0..60);
    let entries = prop::collection::btree_map((user_key(), 1..5_u64), value, 1..60);
    entries.prop_map(|entries| {
        let entry = |((user_key, sequence), value): ((Vec<u8>, u64), Vec<u8>)| {
            (InternalKey::new(&user_key, sequence, ValueType::Merge), value)
        };
        entries.into_iter().map(entry).collect()
    })
}

fn options(environment: &Arc<TestEnvironment>, common: &[u8]) -> LevelInputOptions {
    LevelInputOptions {
        environment: Arc::clone(environment) as _,
        comparator: environment.comparator.clone(),
        reads: Arc::new(ReadOptions { total_order_seek: true, ..ReadOptions::default() }),
        order: RankOrder::new(common),
    }
}

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn merged_by_kernel(kernel: &mut MergeKernel) -> Result<Pairs> {
    let mut pairs = Vec::new();
    while kernel.valid() {
        pairs.push((kernel.key().to_vec(), kernel.value().to_vec()));
        kernel.next()?;
    }
    Ok(pairs)
}

fn merged_by_iterators(merged: &mut dyn InternalIterator) -> Result<Pairs> {
    let mut pairs = Vec::new();
    while merged.valid() {
        pairs.push((merged.key().to_vec(), merged.value().to_vec()));
        merged.next()?;
    }
    Ok(pairs)
}

proptest! {
    #[test]
    fn entries_come_as_from_merged_iterators(
        files in prop::collection::vec(file(), 0..7),
        common in prop::sample::select(vec![&b""[..], b"user", b"user-key-", b"zz"]),
        target in user_key(),
    ) {
        let environment = Arc::new(TestEnvironment::new(InternalKeyComparator::bytewise()));
        // Entries equal but for their values are told apart by which file they are of.
        let every_version: Vec<u64> = (1..5).collect();
        let runs: Vec<(usize, Vec<Arc<FileMetaData>>)> = (1..)
            .zip(&files)
            .filter_map(|(epoch, entries)| flush(&environment, entries, &every_version, epoch, None))
            .map(|file| (0, vec![Arc::new(file)]))
            .collect();
        let options = options(&environment, common);
        let inputs = runs.iter().cloned().map(|(level, files)| {
            Box::new(LevelInputIterator::<TableIterator>::new(options.clone(), level, files)) as _
        });
        let mut merged = iterator::merge(&environment.comparator, inputs.collect());
        let mut kernel = MergeKernel::new(&options, runs, false);
        merged.seek_to_first().unwrap();
        kernel.seek_to_first().unwrap();
        prop_assert_eq!(
            merged_by_kernel(&mut kernel).unwrap(),
            merged_by_iterators(&mut *merged).unwrap()
        );
        let target = InternalKey::for_seek(&target, MAX_SEQUENCE_NUMBER);
        merged.seek(target.as_bytes()).unwrap();
        kernel.seek(target.as_bytes()).unwrap();
        prop_assert_eq!(
            merged_by_kernel(&mut kernel).unwrap(),
            merged_by_iterators(&mut *merged).unwrap()
        );
    }
}
