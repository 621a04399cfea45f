//! Which file of a level goes first (`compaction_pri`).

use super::PickerInput;
use super::options::CompactionPri;
use base::InternalKey;
use std::cmp::{Ordering, Reverse};
use version::FileMetaData;

impl PickerInput<'_> {
    /// Positions of a level's files in the order in which they should be compacted.
    pub(crate) fn files_by_compaction_pri(&self, level: usize) -> Vec<usize> {
        let files = self.version.level_files(level);
        let mut order: Vec<_> = (0..files.len()).collect();
        match self.options.compaction_pri {
            CompactionPri::ByCompensatedSize => {
                order.sort_by_cached_key(|at| Reverse(self.compensated_size(&files[*at])));
            }
            CompactionPri::OldestLargestSeqFirst => {
                order.sort_by_key(|at| files[*at].largest_seqno);
            }
            CompactionPri::OldestSmallestSeqFirst => {
                order.sort_by_key(|at| files[*at].smallest_seqno);
            }
            CompactionPri::MinOverlappingRatio => self.sort_by_overlapping_ratio(level, &mut order),
            CompactionPri::RoundRobin => self.sort_by_round_robin(level, &mut order),
        }
        order
    }

    /// Bytes of the next level to be rewritten for each byte of the file. Marked files come first,
    /// and of equals the one with smaller keys, which lets trivial moves take neighbours along.
    fn sort_by_overlapping_ratio(&self, level: usize, order: &mut [usize]) {
        let files = self.version.level_files(level);
        let ratios = self.overlapping_ratios(level);
        order.sort_by(|&a, &b| {
            let marked = files[b].marked_for_compaction.cmp(&files[a].marked_for_compaction);
            let by_key = || self.compare_keys(&files[a].smallest, &files[b].smallest);
            marked.then_with(|| ratios[a].cmp(&ratios[b])).then_with(by_key)
        });
    }

    fn overlapping_ratios(&self, level: usize) -> Vec<u64> {
        let next_files = self.version.level_files(level + 1);
        let booster = TtlBooster::new(self, level);
        let mut next = 0;
        let ratio = |file: &FileMetaData| {
            let mut overlapping_bytes: u64 = 0;
            while next_files
                .get(next)
                .is_some_and(|other| self.compare_keys(&other.largest, &file.smallest).is_lt())
            {
                next += 1;
            }
            while let Some(other) = next_files.get(next)
                && self.compare_keys(&other.smallest, &file.largest).is_lt()
            {
                overlapping_bytes = overlapping_bytes.saturating_add(other.file_size);
                if self.compare_keys(&other.largest, &file.largest).is_gt() {
                    break;
                }
                next += 1;
            }
            overlapping_bytes.saturating_mul(1024)
                / self.compensated_size(file).max(1)
                / booster.boost(file)
        };
        let files = self.version.level_files(level).iter();
        files.map(AsRef::as_ref).map(ratio).collect()
    }

    /// From the first file at or after the level's cursor on, round the end. L0 files may overlap
    /// and have no order by key: the oldest comes first.
    fn sort_by_round_robin(&self, level: usize, order: &mut [usize]) {
        let files = self.version.level_files(level);
        if level == 0 {
            order.sort_by_key(|at| files[*at].smallest_seqno);
        } else {
            order.rotate_left(self.first_in_turn(level));
        }
    }

    /// Index of the first file at or after the level's cursor; of the first file where there is
    /// none.
    pub(crate) fn first_in_turn(&self, level: usize) -> usize {
        let files = self.version.level_files(level);
        let Some(cursor) = self.version.compact_cursors().get(&(level as u32)) else { return 0 };
        let first = files.partition_point(|file| self.compare_keys(&file.smallest, cursor).is_lt());
        if first < files.len() { first } else { 0 }
    }

    pub(crate) fn compare_keys(&self, a: &InternalKey, b: &InternalKey) -> Ordering {
        self.comparator.compare(a.as_bytes(), b.as_bytes())
    }
}

/// Lets files that come near `ttl` go first, the deeper the level the sooner, so that few are left
/// to be compacted for their age alone. It starts at half of the time, and each level starts when
/// half of what remained to the one below has gone by.
struct TtlBooster {
    now_seconds: u64,
    /// Age from which on a file is boosted, and seconds for each step; none where nothing is.
    start_and_step: Option<(u64, u64)>,
}

impl TtlBooster {
    fn new(input: &PickerInput<'_>, level: usize) -> Self {
        let ttl = input.options.ttl_seconds;
        let last_level = input.num_non_empty_levels().saturating_sub(1);
        let start_and_step = (ttl > 0 && level > 0 && level < last_level).then(|| {
            let start_of_all = ttl / 2;
            let range_of_all = (ttl / 32 * 31).saturating_sub(start_of_all);
            let range = range_of_all >> (last_level - level).min(63);
            (start_of_all + range, (range / 16).max(1))
        });
        Self { now_seconds: input.now_seconds, start_and_step }
    }

    /// By what the file's ratio is divided; at least 1.
    fn boost(&self, file: &FileMetaData) -> u64 {
        let age = self.now_seconds.saturating_sub(file.oldest_ancester_time);
        match self.start_and_step {
            Some((start, step)) if age > start => (age - start) / step + 1,
            _ => 1,
        }
    }
}
