//! The code in this engine.

use super::{Asked, Code, Entries, FAMILY, Subject, Verdict};
use base::compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Decision, FilterValue,
};
use base::{Comparator, MergeOperator, SliceTransform};
use db::{
    BottommostLevelCompaction, ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db,
    FlushOptions, OpenContext, ReadOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

const NAME: &str = "example.Code";

/// What the engine holds of the code.
#[derive(Clone, Debug)]
struct Held(Arc<Code>);

impl Comparator for Held {
    fn name(&self) -> &str {
        NAME
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.0.compare(a, b)
    }
}

impl MergeOperator for Held {
    fn name(&self) -> &str {
        NAME
    }
    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> base::Result<Vec<u8>> {
        self.0.merged(operands.len(), true);
        Ok(Code::merge(existing, operands))
    }
    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.0.merged(operands.len(), false);
        Some(Code::merge(None, operands))
    }
}

impl CompactionFilter for Held {
    fn name(&self) -> &str {
        NAME
    }
    fn filter(&self, _level: usize, key: &[u8], value: FilterValue<'_>) -> Decision {
        // C functions are asked about plain values alone.
        let FilterValue::Value(value) = value else { return Decision::Keep };
        match self.0.filter(key, value) {
            Verdict::Keep => Decision::Keep,
            Verdict::Remove => Decision::Remove,
            Verdict::Change(value) => Decision::ChangeValue(value),
        }
    }
}

impl CompactionFilterFactory for Held {
    fn name(&self) -> &str {
        NAME
    }
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        self.0.create_filter(context.is_full_compaction, context.is_manual_compaction);
        Some(Box::new(self.clone()))
    }
}

impl SliceTransform for Held {
    fn name(&self) -> &str {
        NAME
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..self.0.prefix_length(key).unwrap_or(key.len())]
    }
    fn in_domain(&self, key: &[u8]) -> bool {
        self.0.prefix_length(key).is_some()
    }
}

struct Ours {
    db: Db,
    family: ColumnFamilyHandle,
    code: Arc<Code>,
}

impl Ours {
    fn collect(&self, options: &ReadOptions, from: Option<&[u8]>, backwards: bool) -> Entries {
        let mut iterator = self.db.new_iterator(options, &self.family).unwrap();
        let mut entries = Entries::new();
        match from {
            Some(key) => iterator.seek(key),
            None if backwards => iterator.seek_to_last(),
            None => iterator.seek_to_first(),
        }
        while iterator.valid() {
            entries.push((iterator.key().to_vec(), iterator.value().to_vec()));
            if backwards { iterator.prev() } else { iterator.next() }
        }
        iterator.status().unwrap();
        entries
    }
}

impl Subject for Ours {
    fn put(&self, key: &[u8], value: &[u8]) {
        self.db.put(&WriteOptions::default(), &self.family, key, value).unwrap();
    }
    fn merge(&self, key: &[u8], operand: &[u8]) {
        self.db.merge(&WriteOptions::default(), &self.family, key, operand).unwrap();
    }
    fn delete(&self, key: &[u8]) {
        self.db.delete(&WriteOptions::default(), &self.family, key).unwrap();
    }
    fn get(&self, key: &[u8]) -> bool {
        self.db.get(&ReadOptions::default(), &self.family, key).unwrap().is_some()
    }
    fn flush(&self) {
        self.db.flush(&FlushOptions::default(), &[&self.family]).unwrap();
    }
    fn compact(&self) {
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Skip,
            ..CompactRangeOptions::default()
        };
        self.db.compact_range(&options, &self.family, None, None).unwrap();
    }
    fn scan(&self, backwards: bool) -> Entries {
        let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
        self.collect(&options, None, backwards)
    }
    fn scan_prefix(&self, key: &[u8]) -> Entries {
        let options = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
        self.collect(&options, Some(key), false)
    }
    fn calls(&self) -> (u64, u64) {
        (self.code.compares.load(Relaxed), self.code.prefixes.load(Relaxed))
    }
}

pub(super) fn with_database<S>(
    path: &Path,
    has_one_filter: bool,
    work: impl FnOnce(&dyn Subject) -> Vec<S>,
) -> (Vec<S>, Asked) {
    let code = Arc::new(Code { has_one_filter, ..Code::default() });
    let held = Held(code.clone());
    let mut options = ColumnFamilyOptions::from_string(FAMILY).unwrap();
    options.comparator = Arc::new(held.clone());
    options.merge_operator = Some(Arc::new(held.clone()));
    match has_one_filter {
        true => options.compaction_filter = Some(Arc::new(held.clone())),
        false => options.compaction_filter_factory = Some(Arc::new(held.clone())),
    }
    options.prefix_extractor = Some(Arc::new(held));
    let db = Db::open(
        &DbOptions::from_string("create_if_missing=true").unwrap(),
        path,
        &[ColumnFamilyDescriptor::new("default", options)],
        &OpenContext::default(),
    );
    let db = db.unwrap();
    let family = db.column_family("default").unwrap();
    let shown = work(&Ours { db, family, code: code.clone() });
    (shown, code.asked())
}
