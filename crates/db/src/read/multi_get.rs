//! Several point lookups at once.

use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use crate::read::get::{LookupScope, get};
use crate::read::get_context::Lookup;
use crate::read::get_together::{GROUP_SIZE_MAX, get_together};
use crate::read::read_stats::{CountedLookup, Source};
use base::status::Code;
use base::{FastPath, PinnableSlice, Result, Status};
use perf_context::{PerfMetric, Timer, count, counts};
use statistics::{Activity, HistogramType};
use std::sync::Arc;
use table::{BatchReads, ReadOptions};

impl Db {
    /// The values of several keys, in their order, all as of the same state. Keys may be in any
    /// order and may repeat.
    ///
    /// A key that fails does not stop the others. `Aborted` is given for those not looked up
    /// because the values of others exceed `ReadOptions::value_size_soft_limit`; which ones these
    /// are goes by the order of keys in the family, not by that of `keys`. `TimedOut` is given for
    /// those whose turn did not come before `ReadOptions::deadline`.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        keys: &[K],
    ) -> Vec<Result<Option<PinnableSlice>>> {
        if options.value_size_soft_limit == u64::MAX {
            return self.counted(|counted| {
                let mut values = Vec::with_capacity(keys.len());
                self.get_several(counted, options, family, keys, &mut values);
                values
            });
        }
        let wanted: Vec<_> = keys.iter().map(|key| (family, key.as_ref())).collect();
        self.counted(|counted| self.multi_get_within_limit(counted, options, &wanted))
    }

    /// As [`Db::multi_get`], of several column families.
    pub fn multi_get_cf(
        &self,
        options: &ReadOptions,
        keys: &[(&ColumnFamilyHandle, &[u8])],
    ) -> Vec<Result<Option<PinnableSlice>>> {
        if options.value_size_soft_limit == u64::MAX {
            return self.counted(|counted| {
                let mut values = Vec::with_capacity(keys.len());
                for same in keys.chunk_by(|(a, _), (b, _)| Arc::ptr_eq(&a.0, &b.0)) {
                    let wanted: Vec<_> = same.iter().map(|(_, key)| *key).collect();
                    self.get_several(counted, options, same[0].0, &wanted, &mut values);
                }
                values
            });
        }
        self.counted(|counted| self.multi_get_within_limit(counted, options, keys))
    }

    /// Counts a lookup of several keys.
    fn counted(
        &self,
        look_up: impl FnOnce(&CountedLookup<'_>) -> Vec<Result<Option<PinnableSlice>>>,
    ) -> Vec<Result<Option<PinnableSlice>>> {
        let _timer = Timer::start(PerfMetric::GetCpuNanos);
        let counted = self.count_lookup(HistogramType::DbMultiget);
        // Only what is timed in detail tells the activities of users apart.
        let is_told_apart = counted.has_details();
        let activity = is_told_apart.then(|| Activity::MultiGet.begin());
        let recorder = counted.recorder();
        let reads = recorder.is_some().then(BatchReads::begin);
        let values = look_up(&counted);
        drop(activity);
        if recorder.is_some() || counts() {
            let (mut found, mut bytes) = (0, 0);
            for value in values.iter().flatten().flatten() {
                found += 1;
                bytes += value.len() as u64;
            }
            count(PerfMetric::MultigetReadBytes, bytes);
            let reads = reads.map(|reads| reads.by_level()).unwrap_or_default();
            counted.end_multi_get(values.len(), found, bytes, &reads);
        }
        values
    }

    /// Appends the values of keys of one family, in their order.
    fn get_several<K: AsRef<[u8]>>(
        &self,
        counted: &CountedLookup<'_>,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        keys: &[K],
        values: &mut Vec<Result<Option<PinnableSlice>>>,
    ) {
        if let [key] = keys {
            return values.push(self.get_one(counted, options, family, key.as_ref()));
        }
        let (super_version, sequence) = match self.newest_state(options, family) {
            Ok(state) => state,
            Err(status) => return values.extend(keys.iter().map(|_| Err(status.clone()))),
        };
        let view = self.view(&super_version, sequence);
        let recorder = counted.recorder();
        let scope = LookupScope { family: &family.0, view, options, recorder };
        for (number, group) in keys.chunks(GROUP_SIZE_MAX).enumerate() {
            if number > 0 && self.is_overdue(options) {
                values.extend(group.iter().map(|_| Err(too_late())));
                continue;
            }
            let each = |found: Result<(Option<Lookup>, Source)>| {
                values.push(found.and_then(|(lookup, source)| {
                    let value = lookup.map(|lookup| lookup.resolved.into_plain()).transpose()?;
                    counted.count_one_of_several(source, value.is_some());
                    Ok(value)
                }));
            };
            if FastPath::StagedMultiGet.is_on() {
                get_together(scope, group, each);
            } else {
                group.iter().map(|key| get(scope, key.as_ref())).for_each(each);
            }
        }
    }

    /// One of several keys.
    #[inline]
    fn get_one(
        &self,
        counted: &CountedLookup<'_>,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<PinnableSlice>> {
        let (value, source) = self.get_uncounted(options, family, key, counted.recorder())?;
        counted.count_one_of_several(source, value.is_some());
        Ok(value)
    }

    /// Whether the deadline of a read has passed.
    #[inline]
    fn is_overdue(&self, options: &ReadOptions) -> bool {
        options.deadline != 0 && options.terms().is_overdue(&*self.inner.context.clock)
    }

    /// In the order of keys, because it says which are given up.
    fn multi_get_within_limit(
        &self,
        counted: &CountedLookup<'_>,
        options: &ReadOptions,
        keys: &[(&ColumnFamilyHandle, &[u8])],
    ) -> Vec<Result<Option<PinnableSlice>>> {
        let mut values: Vec<_> = keys.iter().map(|_| Ok(None)).collect();
        let mut size_bytes = 0u64;
        for (looked_up, index) in in_order(keys).into_iter().enumerate() {
            let (family, key) = keys[index];
            let value = if looked_up > 0 && self.is_overdue(options) {
                Err(too_late())
            } else if size_bytes > options.value_size_soft_limit {
                Err(Status::aborted(format!(
                    "values take more than ReadOptions::value_size_soft_limit of {} bytes",
                    options.value_size_soft_limit
                )))
            } else {
                self.get_one(counted, options, family, key)
            };
            if let Ok(Some(value)) = &value {
                size_bytes = size_bytes.saturating_add(value.len() as u64);
            }
            values[index] = value;
        }
        values
    }
}

fn too_late() -> Status {
    Status::new(Code::TimedOut, "the deadline passed before the key's turn came")
}

/// Indexes of `keys` family by family and in the order of each.
fn in_order(keys: &[(&ColumnFamilyHandle, &[u8])]) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..keys.len()).collect();
    indexes.sort_by(|&a, &b| {
        let ((family, a), (other, b)) = (keys[a], keys[b]);
        let user = family.0.comparator.user_comparator();
        let by_key = || user.compare_without_timestamp(a, false, b, false);
        family.id().cmp(&other.id()).then_with(by_key)
    });
    indexes
}
