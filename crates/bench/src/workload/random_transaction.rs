//! `randomtransaction` without transactions: a key of each of `--transaction_sets` sets is read, and all
//! are written back in one batch, larger by the same number. Nothing holds two threads apart, as in
//! `db_bench`, so that with several threads sums of sets may differ.
//!
//! A key is the number of its set, from 1 on in four digits, and a random number; values are numbers.
//! All are decimal. `db_bench` takes the sets in an order that no seed decides, here they ascend.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Batch, Engine};

/// So many digits has the number of a set.
const SETS_MAX: u64 = 9999;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let sets = workload.flags.uint("transaction_sets");
    if !(1..=SETS_MAX).contains(&sets) {
        return Err(Status::invalid_argument(format!(
            "--transaction_sets={sets}: expected 1 to {SETS_MAX}"
        )));
    }
    let [target] = workload.targets else {
        return Err(Status::not_supported("randomtransaction with --num_multi_db"));
    };
    let (db, family) = (&target.db, &target.families[0]);
    let key_count = workload.flags.uint("num");
    let mut batch = db.new_batch();
    let (mut done, mut bytes) = (0u64, 0u64);
    let mut limit = workload.limit_of(workload.reads_and_writes, workload.flags.uint("duration"));
    while !limit.is_done(1) {
        batch.clear();
        let increment = thread.random.next_u64() % 100 + 1;
        for set in 1..=sets {
            let key = format!("{set:04}{}", thread.random.next_u64() % key_count);
            let before = match db.get(&workload.read_options, family, key.as_bytes())? {
                Some(value) => number(&key, &value)?,
                None => 0,
            };
            let value = (before + increment).to_string();
            batch.put(family, key.as_bytes(), value.as_bytes())?;
            bytes += (key.len() + value.len()) as u64;
        }
        db.write(&workload.write_options, &mut batch)?;
        thread.stats.finished_operations(1, OperationType::Other);
        done += 1;
    }
    thread.stats.add_message(&format!("( batches:{done} )"));
    thread.stats.add_bytes(bytes);
    Ok(())
}

/// A value that was written here: a number between the least and the most there are.
fn number(key: &str, value: &[u8]) -> Result<u64> {
    let text = String::from_utf8_lossy(value);
    let number = text.parse::<u64>().ok().filter(|number| (1..u64::MAX - 100).contains(number));
    number.ok_or_else(|| {
        Status::corruption(format!("randomtransaction: the value of {key} is {text}, no counter"))
    })
}
