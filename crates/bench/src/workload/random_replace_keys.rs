//! `randomreplacekeys`: `--numdistinct` keys with versions. The version of a key, normally distributed
//! around the middle one, is deleted and the next one put; a snapshot sees how it began.

use super::{Thread, Workload};
use crate::random::standard::{MinimalStandard, Normal};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

const VERSIONS: u64 = 50;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let distinct = flags.uint("numdistinct").max(1);
    let (deviation, is_single) = (flags.double("stddev"), flags.bool("use_single_deletes"));
    let mut values = workload.values(thread);
    let target = workload.select_target(&mut thread.random);
    let (db, family, options) = (&target.db, &target.families[0], &workload.write_options);
    let mut key = Vec::new();
    for id in 0..distinct {
        workload.key(id * VERSIONS, &mut key);
        db.put(options, family, &key, values.next_value())?;
    }
    let _snapshot = db.snapshot()?;
    let mut versions = vec![0u64; distinct as usize];
    let mut chooser = Normal::new(distinct as f64 / 2.0, deviation, MinimalStandard::new(1));
    let mut limit = workload.limit_of(flags.uint("num"), flags.uint("duration"));
    while !limit.is_done(1) {
        let id = (chooser.next() as i64).clamp(0, distinct as i64 - 1) as u64;
        let version = &mut versions[id as usize];
        workload.key(id * VERSIONS + *version, &mut key);
        match is_single {
            true => db.single_delete(options, family, &key)?,
            false => db.delete(options, family, &key)?,
        }
        *version = (*version + 1) % VERSIONS;
        workload.key(id * VERSIONS + *version, &mut key);
        db.put(options, family, &key, b"")?;
        thread.stats.finished_operations(1, OperationType::Other);
    }
    thread.stats.add_message(&format!(
        "use single deletes: {}, standard deviation: {deviation:.6}\n",
        u8::from(is_single)
    ));
    Ok(())
}
