//! `cache_report_problems`: what is wrong with the block cache, by the numbers that databases tell of it.

use crate::runner::properties::print_database_line;
use crate::workload::Target;
use base::Result;
use engines::Engine;

/// Of a cache, in bytes.
#[derive(Clone, Copy, Debug)]
struct CacheUse {
    capacity: u64,
    usage: u64,
    pinned: u64,
}

impl CacheUse {
    /// A sentence for each problem.
    fn problems(self) -> Vec<String> {
        let Self { capacity, usage, pinned } = self;
        let mut problems = Vec::new();
        if usage > capacity {
            problems.push(format!(
                "the block cache holds {usage} bytes, more than its {capacity}: entries in use \
                 cannot leave it"
            ));
        }
        if pinned > capacity / 2 {
            problems.push(format!(
                "{pinned} bytes of the block cache's {capacity} are in use or pinned, more than \
                 half, and little is left for other blocks: give more --cache_size"
            ));
        }
        problems
    }
}

/// Prints the problems of each database's cache, or that there are none.
pub(super) fn print<E: Engine>(targets: &[Target<E>]) -> Result<()> {
    for Target { db, families } in targets {
        print_database_line(targets, db);
        let number = |name: &str| {
            let name = format!("rocksdb.block-cache-{name}");
            db.int_property(&families[0], &name)
        };
        let (Some(capacity), Some(usage), Some(pinned)) =
            (number("capacity")?, number("usage")?, number("pinned-usage")?)
        else {
            println!("cache_report_problems: there is no block cache");
            continue;
        };
        let problems = CacheUse { capacity, usage, pinned }.problems();
        if problems.is_empty() {
            println!("cache_report_problems: none");
        }
        for problem in problems {
            println!("cache_report_problems: {problem}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
