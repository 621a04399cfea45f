//! Whether a key may exist below the output level.
//!
//! Deletions are dropped where it does not: nothing is left for them to hide. Keys are asked for in
//! ascending order, so each level is walked once.

use base::InternalKeyComparator;
use std::sync::Arc;
use version::{CompactionStyle, FileMetaData, Version};

/// The levels below the output level, with a place in each.
#[derive(Clone, Debug)]
pub struct DeeperLevels {
    comparator: InternalKeyComparator,
    knowledge: Knowledge,
}

#[derive(Clone, Debug)]
enum Knowledge {
    /// The output is the bottom: no key exists below.
    Bottommost,
    /// Every key may exist below.
    Unknown,
    Levels(Vec<Level>),
}

#[derive(Clone, Debug)]
struct Level {
    version: Arc<Version>,
    number: usize,
    /// Files before this one end before the last key that was asked for.
    position: usize,
}

impl Level {
    /// The first file that ends at or after a key, by `is_before`, which says whether a file ends
    /// before it.
    fn advance(&mut self, is_before: impl Fn(&FileMetaData) -> bool) -> Option<&FileMetaData> {
        let files = self.version.level_files(self.number);
        while files.get(self.position).is_some_and(|file| is_before(file)) {
            self.position += 1;
        }
        files.get(self.position).map(|file| &**file)
    }
}

impl DeeperLevels {
    /// What is below the output of a compaction of `version`. `is_bottommost` if it is known that
    /// nothing below overlaps the inputs.
    pub fn new(
        comparator: InternalKeyComparator,
        version: &Arc<Version>,
        style: CompactionStyle,
        output_level: usize,
        is_bottommost: bool,
    ) -> Self {
        let knowledge = if is_bottommost {
            Knowledge::Bottommost
        } else if output_level > 0 && style == CompactionStyle::Level {
            let levels = (output_level + 1..version.num_levels())
                .filter(|number| !version.level_files(*number).is_empty())
                .map(|number| Level { version: Arc::clone(version), number, position: 0 })
                .collect();
            Knowledge::Levels(levels)
        } else {
            // Sorted runs of the other styles overlap whatever comes next to them.
            Knowledge::Unknown
        };
        Self { comparator, knowledge }
    }

    /// Nothing is known: what a flush has to assume.
    pub fn unknown(comparator: InternalKeyComparator) -> Self {
        Self { comparator, knowledge: Knowledge::Unknown }
    }

    /// Whether no version of `user_key` can exist below. Keys must ascend.
    pub fn key_does_not_exist(&mut self, user_key: &[u8]) -> bool {
        let comparator = &self.comparator;
        match &mut self.knowledge {
            Knowledge::Bottommost => true,
            Knowledge::Unknown => false,
            Knowledge::Levels(levels) => levels.iter_mut().all(|level| {
                let file = level.advance(|file| {
                    comparator.compare_user_keys(user_key, file.largest.user_key()).is_gt()
                });
                // With timestamps an older version of the key may start the file.
                file.is_none_or(|file| {
                    let smallest = file.smallest.user_key();
                    comparator.compare_without_timestamp(user_key, smallest).is_lt()
                })
            }),
        }
    }

    /// Whether no key of `[begin, end)` can exist below. Ranges must ascend by their begin.
    pub fn range_does_not_exist(&mut self, begin: &[u8], end: &[u8]) -> bool {
        let comparator = &self.comparator;
        match &mut self.knowledge {
            Knowledge::Bottommost => true,
            Knowledge::Unknown => false,
            Knowledge::Levels(levels) => levels.iter_mut().all(|level| {
                let file = level.advance(|file| {
                    comparator.compare_without_timestamp(begin, file.largest.user_key()).is_gt()
                });
                file.is_none_or(|file| {
                    comparator.compare_without_timestamp(end, file.smallest.user_key()).is_le()
                })
            }),
        }
    }
}
