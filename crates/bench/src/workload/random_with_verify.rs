//! `randomwithverify`: gets, puts and deletions of three keys that belong together, `KEY0`, `KEY1` and
//! `KEY2`. Writes change all three in one batch; reads see one snapshot and expect one value.

use super::{Thread, Workload};
use crate::key_generator::KeyFormat;
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Batch, Engine};

const SUFFIXES_OF_GETS: [u8; 3] = *b"012";
const SUFFIXES_OF_PUTS: [u8; 3] = *b"210";
const SUFFIXES_OF_DELETES: [u8; 3] = *b"120";

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let mut values = workload.values(thread);
    let (get_percent, delete_percent) =
        (flags.uint("readwritepercent"), flags.uint("deletepercent"));
    if get_percent + delete_percent > 100 {
        return Err(Status::invalid_argument(
            "--readwritepercent and --deletepercent come to more than 100",
        ));
    }
    let key_count = flags.uint("numdistinct").max(1);
    let keys = KeyFormat { key_count, ..workload.keys };
    let (mut gets, mut puts, mut deletes, mut found) = (0u64, 0u64, 0u64, 0u64);
    let mut key = Vec::new();
    for index in 0..workload.reads_and_writes {
        let target = workload.select_target(&mut thread.random);
        keys.write(thread.random.next_u64() % key_count, &mut key);
        let (db, family) = (&target.db, &target.families[0]);
        let of_hundred = index % 100;
        let operation = if of_hundred < get_percent {
            found += u64::from(get_all(workload, db, family, &key)?);
            gets += 1;
            OperationType::Read
        } else if of_hundred < 100 - delete_percent {
            let value = values.next_value();
            write_all(workload, db, SUFFIXES_OF_PUTS, &mut key, |batch, key| {
                batch.put(family, key, value)
            })?;
            puts += 1;
            OperationType::Write
        } else {
            write_all(workload, db, SUFFIXES_OF_DELETES, &mut key, |batch, key| {
                batch.delete(family, key)
            })?;
            deletes += 1;
            OperationType::Delete
        };
        thread.stats.finished_operations(1, operation);
    }
    let total = workload.reads_and_writes;
    thread.stats.add_message(&format!(
        "( get:{gets} put:{puts} del:{deletes} total:{total} found:{found})"
    ));
    Ok(())
}

fn write_all<E: Engine>(
    workload: &Workload<'_, E>,
    db: &E,
    suffixes: [u8; 3],
    key: &mut Vec<u8>,
    add: impl Fn(&mut E::Batch, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut batch = db.new_batch();
    for suffix in suffixes {
        key.push(suffix);
        add(&mut batch, key)?;
        key.pop();
    }
    db.write(&workload.write_options, &mut batch)
}

/// Whether the last of the three is there; says so where they do not have one value.
fn get_all<E: Engine>(
    workload: &Workload<'_, E>,
    db: &E,
    family: &E::Family,
    key: &[u8],
) -> Result<bool> {
    let snapshot = db.snapshot()?;
    let mut options = workload.read_options.clone();
    db.set_snapshot(&mut options, Some(&snapshot))?;
    let mut values = Vec::new();
    for suffix in SUFFIXES_OF_GETS {
        let value = db.get(&options, family, &[key, &[suffix]].concat())?;
        values.push(value.map(|value| value.to_vec()));
    }
    if values.iter().any(|value| *value != values[0]) {
        let shown: Vec<_> = values
            .iter()
            .map(|value| value.as_deref().unwrap_or_default().escape_ascii().to_string())
            .collect();
        let key = key.escape_ascii();
        eprintln!("inconsistent values for key {key}: {}", shown.join(", "));
    }
    Ok(values.pop().flatten().is_some())
}
